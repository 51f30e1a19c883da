"""Transfer functions: Op → what is known of its result. One table, read from seven rooms."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis.fact import Fact
from epslint.analysis.ops import Op
from epslint.analysis.transfer import (
    arithmetic,
    arrangement,
    bounds,
    functions,
    matrices,
    powers,
    reductions,
)
from epslint.analysis.transfer.call import Call, Transfer, result

TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        **arithmetic.TABLE,
        **powers.TABLE,
        **reductions.TABLE,
        **functions.TABLE,
        **arrangement.TABLE,
        **bounds.TABLE,
        **matrices.TABLE,
        Op.COMPARE: reductions.truth,
        Op.LOGICAL: reductions.logical,
        Op.ISNAN: reductions.finiteness,
        Op.ISINF: reductions.finiteness,
        Op.ISFINITE: reductions.finiteness,
    }
)


def transfer(call: Call) -> Fact:
    """What is known of the result of an operation."""
    function = TABLE.get(call.op)
    fact = result(call) if function is None else function(call)
    # `torch.zeros(1, requires_grad=True)`, or by a switch that is on unless somebody turns it off
    switch = None if call.op is Op.PARAMETER else call.facts.get("requires_grad")
    return fact if switch is None or not switch.range.positive else arrangement.learned(fact)


__all__ = ["Call", "transfer"]
