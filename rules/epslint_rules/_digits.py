"""What the rules about lost digits share: where there are none to lose."""

from __future__ import annotations

from epslint.analysis.fact import Fact
from epslint.analysis.ops import Op

_UNIT = 100.0  # 700 Hz, 1127 mel


def is_in_units(fact: Fact) -> bool:
    """Whether a value is measured in large units, `frequency / 700`: small ones do not occur."""
    origin = fact.origin
    unit = origin.fact("y").constant if origin is not None and origin.op is Op.DIV else None
    return unit is not None and unit >= _UNIT
