"""EPS603: an epsilon that is not the hierarchy's for its role."""

from __future__ import annotations

import math
from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.epsilon import spelled
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._guarded import NEEDY, Guard, deed, guard_of, needy, order
from epslint_rules._wording import quoted


class EpsilonOffHierarchy(SiteRule):
    """An epsilon that is not the hierarchy's for its role.

    ## What it does
    Flags a guard that works, with another epsilon than the hierarchy has for the place: 1e-12 where
    masked means get 1e-8, 1e-8 where the spread of rewards gets 1e-6. Off unless it is selected:
    it is for code bases that want one epsilon per purpose.

    Silent where the value needs no epsilon, and where the epsilon's value is not in the file.

    ## Why is this bad
    Five epsilons for the same thing make five different losses: two runs that should agree do not,
    and nobody knows which of the constants was chosen on purpose.

    ## Example
    ```python
    def masked_mean(values, mask):
        return (values * mask).sum() / (mask.sum() + 1e-12)
    ```

    ## Use instead
    ```python
    def masked_mean(values, mask):
        return (values * mask).sum() / (mask.sum() + 1e-8)
    ```

    ## Fix
    Writes the hierarchy's value in place of a number. An epsilon that has a name is yours to change
    where it is defined. Set your own hierarchy under `[tool.epslint.epsilon]`.

    ## Fix safety
    Semantic: the value changes by one part in x / |new - old|, which is much where x is as small as
    the epsilon.

    ## References
    The hierarchy: `epslint config`.
    """

    code = "EPS603"
    name = "epsilon-off-hierarchy"
    severity = Severity.ADVICE
    grade = Grade.SEMANTIC
    default = False
    ops = NEEDY

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = needy(site)
        guard = None if operand is None else guard_of(operand.fact)
        if operand is None or guard is None or guard.value.fact.range.lo > 0:
            return
        if guard.origin.unit is not site.unit:
            return  # it is told where it stands
        role = role_of(site, guard.value.fact)
        precision = operand.fact.dtype.precision
        wanted = site.hierarchy.epsilon(role, precision, order(site, operand))
        if math.isclose(guard.size, wanted):
            return
        yield Diagnosis(
            span=site.unit.span(guard.epsilon.node),
            message=f"{quoted(site, guard.epsilon.node)} guards the {deed(site)}, where the "
            f"hierarchy has {spelled(wanted)} ({role.value})",
            confidence=Confidence.PROVEN,
            fix=_fix(site, guard, spelled(wanted)),
        )


def _fix(site: Site, guard: Guard, wanted: str) -> Fix | None:
    node = guard.epsilon.node
    if not isinstance(node, bare.Float):
        return None
    return Fix(f"Use {wanted}", Grade.SEMANTIC, (Edit(site.unit.span(node), wanted),))
