"""Questions: who asks whether a number is 0 expects that it is, now and then.

`best = 0 if step == 0 else best`, and then `best / step`: the answer is forgotten, and what it was
about is not. Where the question sends the 0 elsewhere (a return, another value), guards exclude it.
"""

from __future__ import annotations

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import Evidence, replace
from epslint.analysis.keys import is_zero

_ABOUT_ZERO = (bare.Equal, bare.NotEqual)


def doubt(test: bare.BaseExpression, env: Env) -> None:
    """Note that what is asked about may be 0, on both sides of the test.

    Only of names: what an attribute is, a method that is called because of the answer may change.
    And only of what nothing is known of: a size, or the sum of a mask, has better evidence.
    """
    if type(test) is not bare.Comparison or len(test.comparisons) != 1:
        return
    (target,) = test.comparisons
    if type(test.left) is not bare.Name or not isinstance(target.operator, _ABOUT_ZERO):
        return
    name, fact = test.left.value, env.fact(test.left.value)
    if fact is None or fact.kinds or not fact.range.has_zero or not is_zero(target.comparator):
        return
    env.refine(name, replace(fact, zero=max(fact.zero, Evidence.NAMED)))
