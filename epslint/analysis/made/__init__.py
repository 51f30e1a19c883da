"""How one value was made, and what that promises: by which operation, of what, and what is left."""
