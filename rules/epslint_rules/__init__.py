"""The built-in rules: one rule, one file. Nothing is listed here; the registry looks for itself."""
