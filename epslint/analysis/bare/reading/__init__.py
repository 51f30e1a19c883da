"""Bare trees, of what `ast` has read or of what LibCST has."""
