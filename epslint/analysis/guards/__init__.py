"""What a test, a mask or a comparison teaches, along the path where it holds."""
