"""What becomes of a value, noted operation by operation."""
