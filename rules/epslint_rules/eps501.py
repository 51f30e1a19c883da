"""EPS501: the square root of what can be 0 or slightly negative."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Evidence, Fact, Kind
from epslint.analysis.learning import Shown
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain, noun, zero_when
from epslint.analysis.site import Site
from epslint.rule import Confidence, Diagnosis, Grade, Severity, SiteRule
from epslint_rules._confidence import at_its_edge, of_gradient, of_rounding
from epslint_rules._floors import lets_zero_through, zero_floor
from epslint_rules._root import (
    can_be_negative,
    is_chosen_away,
    is_discriminant,
    is_divided_by,
    learned,
    reaches_zero,
    root_of,
    with_epsilon,
    with_floor,
)
from epslint_rules._wording import because, quoted


class SqrtAtZero(SiteRule):
    """Square root of what can be 0, or slightly negative.

    ## What it does
    Flags the square root, also as `x ** 0.5`, of a value that is seen to reach 0 where the code
    shows that a gradient is taken: a variance, a mean of squares, a probability, what is called a
    distance, what was given a floor of 0 (`x.clamp(min=0).sqrt()`; not a relu, whose own gradient
    is 0 there), and there also a discriminant `b ** 2 - c`. And, gradient or not, the root of a
    difference that is never negative on paper and is so after rounding: `E[x²] - E[x]²`,
    `|a|² + |b|² - 2 a·b`, `exp(d) - 1 - d`, `second - first ** 2` of a second that was
    computed, and the eigenvalues of a symmetric matrix to which nothing was added.

    A gradient is shown by a parameter or submodule that the value comes through, by `forward` of a
    module, by a loss that the value goes into, by a public function from tensors to tensors.
    Silent everywhere else, for counts, for what is only called a variance, and for `std()` and
    `norm()`, whose gradient at 0 is 0 in torch. A root that is divided by is a finding of the
    division (EPS102, EPS103), and the same epsilon repairs both.

    ## Why is this bad
    The root of 0 is 0, so nothing shows in the forward pass. Its slope is infinite: whatever comes
    back is multiplied by inf, and where that is 0 the gradient is NaN. The root of -1e-9 is NaN
    at once.

    ## Example
    ```python
    def spread_penalty(x):
        return x.var(dim=-1).sqrt().mean()
    ```

    ## Use instead
    ```python
    def spread_penalty(x):
        return (x.var(dim=-1) + 1e-8).sqrt().mean()
    ```

    ## Fix
    Adds the epsilon of the place to a variance or a sum of squares: 1e-8, or 1e-6 for rewards and
    advantages; an epsilon in reach is used instead when its size fits. Anything else is clamped to
    that epsilon, which changes no value above it; so is a difference that can be negative, and to
    0 where no gradient flows. A floor of 0 that is there is raised to the epsilon.

    ## Fix safety
    Bounded: sqrt(x + eps) - sqrt(x) is at most eps / (2 sqrt(x)), and sqrt(eps) at 0; a clamp
    changes nothing above eps. Float16, where the code shows it, gets 1e-4.

    ## References
    Measured on torch 2.13: `var().sqrt()` of a constant has a NaN gradient, `std()` has 0, and
    `clamp(min=0).sqrt()` at the bound an infinite one.
    """

    code = "EPS501"
    name = "sqrt-at-zero"
    severity = Severity.WARNING
    grade = Grade.BOUNDED
    ops = frozenset({Op.SQRT, Op.POW})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = root_of(site)
        if operand is None or is_chosen_away(site):
            return
        if can_be_negative(site, operand):
            yield _negative(site, operand)
        elif operand.fact.zeroable and not is_divided_by(site):
            shown = learned(site, operand)
            if not shown.evidence:
                return
            if (floor := zero_floor(site, operand)) is not None:
                # A discriminant is given a floor to keep the root real, and reaches it by chance.
                if not is_discriminant(floor.by.fact("x")):
                    yield lets_zero_through(site, operand, floor, shown)
            elif reaches_zero(operand.fact):
                yield _infinite_slope(site, operand, shown)


def _infinite_slope(site: Site, operand: Operand, shown: Shown) -> Diagnosis:
    fact = operand.fact
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Root of {quoted(site, operand.node)}, {noun(fact)} in {fact.range}: "
        f"{zero_when(fact)}, and the slope of a root is infinite there",
        confidence=of_gradient(site, _reached(fact), shown),
        why=(*chain(fact), *because(shown)),
        fix=with_epsilon(site, operand),
    )


def _reached(fact: Fact) -> Evidence:
    """How it is known that a root comes to 0: that a probability may underflow says not that it
    does.
    """
    return min(fact.zero, Evidence.NAMED) if fact.is_any(Kind.PROB) else fact.zero


def _negative(site: Site, operand: Operand) -> Diagnosis:
    return Diagnosis(
        span=site.unit.span(operand.node),
        message=f"Root of {quoted(site, operand.node)}, {_rounded(operand.fact)} that rounding can "
        "make negative: NaN",
        confidence=of_rounding(site, _below(operand.fact)),
        why=chain(operand.fact),
        fix=with_floor(site, operand),
    )


def _below(fact: Fact) -> Confidence:
    """A variance is 0 where all values are equal; k3's `exp(d) - 1 - d` is so near to it only where
    two policies are nearly, but not quite, the same.
    """
    return Confidence.NAMED if fact.is_any(Kind.KL) else at_its_edge(fact.zero)


def _rounded(fact: Fact) -> str:
    return noun(fact) if fact.is_any(Kind.SPECTRUM) else "a difference"
