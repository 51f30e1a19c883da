"""EPS302: the k3 estimator of the KL divergence without a cap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.analysis.uses.ends import ARRANGING, CAPPING, ends
from epslint.epsilon import Clamp
from epslint.rule import Diagnosis, Fix, Grade, Reason, Severity, SiteRule
from epslint_rules._exponential import (
    capped,
    confidence,
    doubts,
    exponential_behind,
    is_no_ratio,
    is_uncapped,
    same_value,
)
from epslint_rules._wording import quoted


class UncappedKlEstimator(SiteRule):
    """The k3 estimator exp(d) - d - 1 without a cap on d.

    ## What it does
    Flags `exp(d) - d - 1` in all its spellings: the terms in any order, `(exp(d) - 1) - d`,
    `expm1(d) - d`, `ratio - 1 - log_ratio` with `ratio = exp(log_ratio)`. Where nothing is
    differentiated (a logged KL under no_grad) only the overflow is left, which is EPS301's.

    ## Why is this bad
    The estimator grows like exp(d): one token on which the policies disagree by 30 nats outweighs
    the rest of the batch by ten orders of magnitude, at 89 nats the loss is inf. A clamp of the
    result leaves the gradient NaN.

    ## Example
    ```python
    import torch


    def k3(logprobs, ref_logprobs):
        d = ref_logprobs - logprobs
        return torch.exp(d) - d - 1
    ```

    ## Use instead
    ```python
    import torch


    def k3(logprobs, ref_logprobs):
        d = (ref_logprobs - logprobs).clamp(-10.0, 10.0)
        return torch.exp(d) - d - 1
    ```

    ## Fix
    Clamps d to ±10, where it is defined if it has a name; to ±20 where the same ratio weighs
    advantages, too.

    ## Fix safety
    Bounded: nothing changes while the two log-probabilities are within 10 nats of each other.

    ## References
    ROLL clamps to ±10. Schulman, "Approximating KL divergence" (2020), names the estimator.
    """

    code = "EPS302"
    name = "uncapped-kl-estimator"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    ops = frozenset({Op.SUB, Op.ADD})
    supersedes = frozenset({"EPS301", "EPS304"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        found = _estimated(site, _terms(site))
        if found is None or not site.differentiated or not is_uncapped(found.argument):
            return
        argument = found.argument
        if is_no_ratio(site, argument) or site.read_out:
            return
        yield Diagnosis(
            span=site.unit.span(argument.node),
            message=f"k3 estimator of {quoted(site, argument.node)}, a log-ratio without a cap: "
            "it grows like exp",
            confidence=confidence(site, argument.fact),
            why=(
                *_where(site, argument),
                *chain(argument.fact),
                *doubts(site, argument.fact),
            ),
            fix=_fix(site, found),
        )


@dataclass(frozen=True, slots=True)
class _Term:
    sign: int
    operand: Operand


@dataclass(frozen=True, slots=True)
class _Estimator:
    """exp(argument) - linear - 1, both of them the same log-ratio.

    There is no `linear` where the log of the ratio is taken: `r - 1 - log(r)`.
    """

    argument: Operand
    linear: Operand | None
    ratio: Origin


def _fix(site: Site, found: _Estimator) -> Fix | None:
    clamp = Clamp.POLICY if _is_policy_ratio(site, found.ratio) else Clamp.K3
    # Of `exp(-d) + d - 1` it is d that has a place where it is defined.
    if found.linear is None:
        return capped(site, found.argument, clamp)
    return capped(site, found.linear, clamp, twins=(found.argument,))


def _where(site: Site, argument: Operand) -> Iterator[Reason]:
    """Where the estimator is, if the exp is not on its line: `ratio = exp(d)`, and then `ratio - 1
    - d`.
    """
    row = site.unit.row(site.node)
    if row != site.unit.row(argument.node):
        yield Reason(row, f"{quoted(site, site.node)} is exp(d) - 1 - d, which estimates a KL")


def _is_policy_ratio(site: Site, ratio: Origin) -> bool:
    """`ratio * advantages` beside `(ratio - 1) - log_ratio`: a bound for the estimator would stop
    the policy, so that the wider one serves both.
    """
    return not ends(site.flow, ratio.node, ARRANGING).isdisjoint(_WEIGHING)


_WEIGHING = CAPPING | {Op.MUL, Op.CLAMP_MIN, Op.MAXIMUM}


def _terms(site: Site) -> list[_Term]:
    """The terms of a sum, its inner sums opened; none of a sum that has too many."""
    x, y = site.operand("x"), site.operand("y")
    if x is None or y is None:
        return []
    terms: list[_Term] = []
    waiting = [_Term(-1 if site.op is Op.SUB else 1, y), _Term(1, x)]
    while waiting and len(waiting) + len(terms) <= _MOST_TERMS:
        inner = _opened(term := waiting.pop())
        waiting += reversed(inner)
        if not inner:
            terms.append(term)
    return [] if waiting else terms


# The estimator has three. A sum of thousands must not be opened again for each of its terms.
_MOST_TERMS = 8


def _opened(term: _Term) -> tuple[_Term, ...]:
    """What a term is the sum of; nothing where it is none."""
    sign, origin = term.sign, term.operand.fact.origin
    if origin is None or origin.node is not term.operand.node:
        return ()
    if origin.op is Op.NEG:
        return (_Term(-sign, origin.operands["x"]),)
    if origin.op not in (Op.ADD, Op.SUB) or _is_difference(term.operand.fact, origin):
        return ()
    second = -sign if origin.op is Op.SUB else sign
    return (_Term(sign, origin.operands["x"]), _Term(second, origin.operands["y"]))


def _is_difference(fact: Fact, origin: Origin) -> bool:
    """Whether this is a log-ratio itself, `new - old`, and not one that is moved: `d + 1`."""
    moved = any(operand.fact.constant is not None for operand in origin.operands.values())
    return fact.is_any(Kind.LOGRATIO) and not moved


def _estimated(site: Site, terms: list[_Term]) -> _Estimator | None:
    """A sum that is exp(d) - d - 1, and in which the exp is not that of a helper."""
    for term in terms:
        exponential = exponential_behind(term.operand) if term.sign > 0 else None
        if exponential is None or exponential.unit is not site.unit:
            continue
        argument = exponential.operands["x"]
        rest = [t for t in terms if t is not term]
        linear: list[Operand | None] = [t.operand for t in rest if _is_minus(t, argument)]
        linear += [None for t in rest if _is_log_of(t, term.operand)]
        less_one = any(t.sign < 0 and t.operand.fact.constant == 1 for t in rest)
        if linear and (less_one or exponential.op is Op.EXPM1):
            return _Estimator(argument, linear[0], exponential)
    return None


def _is_log_of(term: _Term, ratio: Operand) -> bool:
    """Whether a term is `- log(ratio)`, an epsilon or a floor inside or not."""
    origin = term.operand.fact.origin
    if term.sign > 0 or origin is None or origin.op is not Op.LOG:
        return False
    inside = origin.operands["x"]
    guard = inside.fact.origin
    guarded = guard.operands.values() if guard is not None and guard.op in _GUARDS else ()
    return any(same_value(each, ratio) for each in (inside, *guarded))


_GUARDS = frozenset({Op.ADD, Op.CLAMP, Op.CLAMP_MIN, Op.MAXIMUM})


def _is_minus(term: _Term, argument: Operand) -> bool:
    """Whether a term is -d: `- d`, or `+ e` where the exponential is of `-e`."""
    if term.sign < 0:
        return same_value(term.operand, argument)
    origin = argument.fact.origin
    negated = origin is not None and origin.op is Op.NEG and origin.node is argument.node
    return negated and origin is not None and same_value(term.operand, origin.operands["x"])
