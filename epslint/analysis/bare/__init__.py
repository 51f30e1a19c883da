"""Bare trees: what the interpreter reads.

Their nodes are LibCST's, by name and by field, without white space, commas and parentheses; a field
that means nothing is not there and says so loudly. LibCST takes ten times as long as `ast` for the
same lines, and a tenth of a second to be loaded. So they are made of what `ast` has read, and
LibCST is asked only where `ast` does not know: code that is newer than Python, and places inside of
formatted texts before Python 3.12.
"""

from epslint.analysis.bare.nodes import *  # noqa: F403 - every kind is spelled `bare.Kind`
from epslint.analysis.bare.reading.statements import statements as statements
from epslint.analysis.bare.shape import UnlikeError as UnlikeError
from epslint.analysis.bare.shape import children as children
from epslint.analysis.bare.shape import descendants as descendants
from epslint.analysis.bare.shape import twins as twins
