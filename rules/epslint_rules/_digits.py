"""What the rules about lost digits share: where there are none to lose."""

from __future__ import annotations

import re

from epslint.analysis import bare
from epslint.analysis.fact import Fact
from epslint.analysis.keys import called
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.words.names import snake

_UNIT = 100.0  # 700 Hz, 1127 mel
# What is kept somewhere under such a name was chosen, and nobody chooses 1e-9.
_CHOSEN = re.compile(
    r"(^|_)(clip(_\w+)?|(ppo|clip)_(eps|epsilon)|epsilon_(low|high)|coeff?s?|gamma|lam|lambda|margin|"
    r"rate|threshold)$"
)
_LIMIT = re.compile(r"_(min|max)$")  # of a scale that somebody chose


def is_coarse(operand: Operand) -> bool:
    """Whether a value is never so small that its digits are lost beside 1."""
    return _is_in_units(operand.fact) or _is_chosen(operand)


def _is_in_units(fact: Fact) -> bool:
    """Whether it is measured in large units: `frequency / 700`."""
    origin = fact.origin
    unit = origin.fact("y").constant if origin is not None and origin.op is Op.DIV else None
    return unit is not None and unit >= _UNIT


def _is_chosen(operand: Operand) -> bool:
    """Whether it is a setting: `log(1 + self.clip_ratio)`, `log(1 + sigma_max**2)`."""
    node = operand.node
    if isinstance(node, bare.BinaryOperation) and isinstance(node.operator, bare.Power):
        node = node.left
    if isinstance(node, bare.Name):
        return not operand.fact.form.tensor and _LIMIT.search(node.value) is not None
    return isinstance(node, bare.Attribute) and _CHOSEN.search(snake(called(node))) is not None
