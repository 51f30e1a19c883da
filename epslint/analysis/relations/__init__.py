"""What two operands tell together that neither tells alone."""
