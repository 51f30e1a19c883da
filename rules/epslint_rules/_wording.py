"""How findings read: the words that rules of several families share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import libcst as cst

from epslint.analysis.fact import Evidence
from epslint.analysis.site import Site
from epslint.rule import Confidence

CONFIDENCE: Mapping[Evidence, Confidence] = MappingProxyType(
    {
        Evidence.NONE: Confidence.NAMED,
        Evidence.NAMED: Confidence.NAMED,
        Evidence.PROVEN: Confidence.PROVEN,
    }
)


def quoted(site: Site, node: cst.BaseExpression) -> str:
    """An expression of the program on one line, in backticks."""
    return f"`{' '.join(site.unit.text(node).split())}`"
