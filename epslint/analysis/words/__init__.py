"""Words: which operation a spelling is, and what a name tells of what it is given to."""
