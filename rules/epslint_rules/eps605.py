"""EPS605: a floor of 0 that is taken for a guard."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.learning import NOT_SHOWN
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Grade, Severity, SiteRule
from epslint_rules._division import DIVISIONS
from epslint_rules._floors import lets_zero_through, zero_floor
from epslint_rules._guarded import is_root, needy


class ZeroFloorGuard(SiteRule):
    """A floor of 0 that is taken for a guard.

    ## What it does
    Flags `clamp(min=0)`, `relu`, `max(x, 0)` and `maximum(x, 0)` right before a log or a
    division, also a division by the root of it. Silent where a positive epsilon is added to it. A
    root that is not divided by is finite at 0, and only its gradient is not: EPS501 and EPS502
    tell of that, where the code shows that there is a gradient.

    ## Why is this bad
    It keeps the negative out and lets 0 in, and 0 is the hazard: the log is -inf, the quotient
    inf or NaN. Worse than no guard: whatever was negative before is now exactly 0.

    ## Example
    ```python
    import torch


    def contrast(square_mean: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        variance = (square_mean - mean**2).clamp(min=0)
        return mean / variance.sqrt()
    ```

    ## Use instead
    ```python
    import torch


    def contrast(square_mean: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        variance = (square_mean - mean**2).clamp(min=1e-8)
        return mean / variance.sqrt()
    ```

    ## Fix
    Raises the floor to the epsilon of the place's role: 1e-8, 1e-6 for the spread of rewards, 1e-9
    in a divergence; to 1 under an integer. Where the floor cannot be raised there (a relu, a
    value that is used for something else too) the epsilon is added before the operation.

    ## Fix safety
    Bounded: only what lies below the epsilon changes, and by less than the epsilon; after a relu
    everything is moved by the epsilon. In float16, where the code shows it, that is 1e-4 at the
    least.

    ## References
    numpy warns of `log(0)` and of `1 / 0`, once; torch, jax and tensorflow say nothing.
    """

    code = "EPS605"
    name = "zero-floor-guard"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = DIVISIONS | {Op.LOG}
    supersedes = frozenset({"EPS101", "EPS102", "EPS103", "EPS201", "EPS207", "EPS501"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = None if is_root(site) else needy(site)
        floor = None if operand is None else zero_floor(site, operand)
        if operand is not None and floor is not None and not _is_left_out(site, operand):
            yield lets_zero_through(site, operand, floor, NOT_SHOWN)


def _is_left_out(site: Site, operand: Operand) -> bool:
    """`where(x > tol, 1 / x, 0)` leaves the 0 out of the value; of its gradient EPS503 speaks."""
    if site.chosen is None:
        return False
    names = (name for name, each in site.operands.items() if each is operand)
    return any(not site.chosen[name].zeroable for name in names)
