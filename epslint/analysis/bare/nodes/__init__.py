"""The kinds of nodes: LibCST's, with the fields that mean something and no others."""

from epslint.analysis.bare.nodes.base import *  # noqa: F403 - all kinds have one door
from epslint.analysis.bare.nodes.expressions import *  # noqa: F403 - the same door
from epslint.analysis.bare.nodes.operators import *  # noqa: F403 - the same door
from epslint.analysis.bare.nodes.statements import *  # noqa: F403 - the same door
