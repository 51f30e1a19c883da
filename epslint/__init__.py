"""epslint: a linter and autofixer for numerical hazards in machine-learning code."""

__version__ = "0.1.0"
