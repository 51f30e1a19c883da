"""Bare trees: LibCST's nodes without white space, made from what `ast` has read.

LibCST takes ten times as long as `ast` for the same lines, most of it for spaces, commas and
parentheses that the interpreter never looks at. A bare node has the fields that mean something and
no others, so the interpreter cannot tell the difference; a field it has no business with is not
there and says so loudly. Where a place in the text is asked for, which is where a rule has found
something, the lines are parsed in full and `twins` says which node is which.
"""

from epslint.analysis.bare.nodes import binary, comparison, comparison_target, unary
from epslint.analysis.bare.shape import UnlikeError, children, twins
from epslint.analysis.bare.statements import Statement, statements

__all__ = [
    "Statement",
    "UnlikeError",
    "binary",
    "children",
    "comparison",
    "comparison_target",
    "statements",
    "twins",
    "unary",
]
