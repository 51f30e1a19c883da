"""What statements, expressions and calls do to what is known."""
