"""EPS102: division by a standard deviation, norm or range that can be 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from epslint.analysis import bare
from epslint.analysis.keys import key_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.epsilon import FLOAT16, spelled
from epslint.rule import Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._division import DIVISIONS, SPREAD, diagnosis, divisor, family


class UnguardedSpreadDivision(SiteRule):
    """Division by a standard deviation, variance, norm or range that can be 0.

    ## What it does
    Flags a denominator that measures spread or size: `std`, `var`, the square root of a variance,
    a norm, `max - min`, the largest magnitude, the `x.dot(fvp(x))` of a trust region. Not the norm
    of what a network gives (embeddings, hidden states) or of a layer's weights, nor the spread of
    all of it, which is never 0 but in theory; one of its features may be dead. A name alone is
    evidence only for rewards, returns and advantages: any other `std` is a setting. What is divided
    is evidence, too: `vector / vector_norm`, `(x - stats["min"]) / (stats["max"] - stats["min"])`.

    ## Why is this bad
    A group of identical rewards has a standard deviation of exactly 0, a padding vector a norm of
    0. The quotient is 0/0, and a NaN advantage ends the run.

    ## Example
    ```python
    def normalize(rewards):
        return (rewards - rewards.mean()) / rewards.std()
    ```

    ## Use instead
    ```python
    def normalize(rewards):
        return (rewards - rewards.mean()) / (rewards.std() + 1e-6)
    ```

    ## Fix
    Adds 1e-6 where rewards, advantages or returns are normalised, 1e-9 in divergences and 1e-8
    elsewhere; an epsilon in reach is used instead when its size fits. A norm gets a floor instead,
    `x / x.norm().clamp(min=1e-8)`: with an epsilon added, no vector would be of length 1 any more.
    Where `torch.nn.functional` is imported, `x / x.norm(dim=…, keepdim=True)` becomes
    `F.normalize(x, dim=…)`.

    ## Fix safety
    Bounded: the value changes by one part in spread / epsilon; under a root, where the epsilon is
    added to the variance, by one part in 2 variance / epsilon. Float16, where the code shows it,
    gets the smallest epsilon that it can take: 1e-4, 1e-3 before rsqrt, 1e-2 before a reciprocal.
    Beware of a group whose spread is 0 up to rounding: its numerator is rounding noise too, and
    dividing that by 1e-6 can make large advantages of it. Where that can happen, skip such groups.
    Of a single element torch's unbiased std is NaN, which no epsilon repairs: see EPS106.

    ## References
    In use for advantages: 1e-4 (TRL), 1e-6 (verl, ROLL), 1e-8 (SB3, CleanRL), 1e-9 (OpenRLHF).
    """

    code = "EPS102"
    name = "unguarded-spread-division"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = DIVISIONS

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = divisor(site)
        if operand is None or family(operand.fact) != SPREAD:
            return
        found = diagnosis(site, operand)
        yield replace(found, fix=_normalized(site, operand) or found.fix)


def _normalized(site: Site, operand: Operand) -> Fix | None:
    """`x / x.norm(dim=d, keepdim=True)` is `F.normalize(x, dim=d)`."""
    origin, functional = operand.fact.origin, site.scope.alias("torch.nn.functional")
    numerator = site.operand("x")
    if functional is None or origin is None or origin.node is not operand.node:
        return None
    if numerator is None or not isinstance(site.node, bare.BinaryOperation):
        return None
    vector, dim = origin.operands.get("x"), origin.operands.get("dim")
    if origin.op is not Op.NORM or vector is None or dim is None or not _is_euclidean(origin):
        return None
    if (key := key_of(numerator.node)) is None or key != key_of(vector.node):
        return None
    unit = site.unit
    x, axis = unit.text(numerator.node), unit.text(dim.node)
    half = vector.fact.dtype.precision is FLOAT16  # in which F.normalize's own 1e-12 is 0
    given = f", eps={spelled(FLOAT16.floor())}" if half else ""
    text = f"{functional}.normalize({x}, dim={axis}{given})"
    return Fix("Use F.normalize", Grade.BOUNDED, (Edit(unit.span(site.node), text),))


def _is_euclidean(origin: Origin) -> bool:
    p, keepdim = origin.operands.get("p"), origin.operands.get("keepdim")
    kept = keepdim is not None and keepdim.fact.constant == 1
    return kept and (p is None or p.fact.constant == 2)
