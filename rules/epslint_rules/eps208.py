"""EPS208: an entropy term at a probability of 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from epslint.analysis.fact import Fact, Form, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rewrite import clamped_below
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._confidence import CONFIDENCE
from epslint_rules._exponential import exponential_behind, same_value
from epslint_rules._guarded import guard_of
from epslint_rules._logarithm import with_epsilon
from epslint_rules._wording import quoted

# Far below any log-probability that float32 can tell from 0, and finite in every precision.
_FLOOR = "-1e4"


class EntropyOfZero(SiteRule):
    """An entropy term `p * log(p)` or `exp(lp) * lp` where the log can be -inf.

    ## What it does
    Flags `lp.exp() * lp` and `probs * logprobs` where entries of the log-probabilities were struck
    out with -inf before the log_softmax, and `p * log(p)`, `p * log(p / q)` or `y * (log(y) - z)`
    of a tensor of which nothing else is known: what is multiplied by its own log is a probability
    or a weight.
    Where p is known to be one, the log itself is the finding (EPS201, EPS202, EPS207).

    ## Why is this bad
    The masked action has probability 0 and log-probability -inf, and 0 * -inf is NaN.

    ## Example
    ```python
    import torch


    def entropy(logits, legal):
        logprobs = torch.log_softmax(logits.masked_fill(legal == 0, float("-inf")), dim=-1)
        return -(logprobs.exp() * logprobs).sum(-1)
    ```

    ## Use instead
    ```python
    import torch


    def entropy(logits, legal):
        logprobs = torch.log_softmax(logits.masked_fill(legal == 0, float("-inf")), dim=-1)
        return -(logprobs.exp() * logprobs.clamp(min=-1e4)).sum(-1)
    ```

    ## Fix
    Clamps a log-probability that was struck out to -1e4: 0 times that is 0, and its gradient is 0
    too. Adds the epsilon of the place inside a log: `p * log(p + 1e-8)`; `xlogy(p, p)` would do for
    the value, but has a NaN gradient at 0.

    ## Fix safety
    Exact for the clamp: no finite log-probability of a token that matters is below -1e4. Bounded
    for the epsilon: p * log(p + eps) - p * log(p) is below eps.

    ## References
    `torch.distributions.Categorical.entropy` clamps in the same place.
    """

    code = "EPS208"
    name = "entropy-of-zero"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({Op.MUL})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        x, y = site.operand("x"), site.operand("y")
        if x is None or y is None:
            return
        if (log := _struck_log(x, y) or _struck_log(y, x)) is not None:
            if not _is_repaired(site):
                yield _masked_out(site, log)
            return
        own = _own_log(x, _unsigned(y)) or _own_log(y, _unsigned(x))
        if own is not None and own.unit is site.unit and not _is_repaired(site):
            yield _underflowed(site, own)


def _masked_out(site: Site, log: Operand) -> Diagnosis:
    return Diagnosis(
        span=site.unit.span(log.node),
        message=f"0 * -inf: {quoted(site, log.node)} is -inf where it was masked out, and its "
        "probability is 0 there",
        confidence=CONFIDENCE[log.fact.ground],
        why=chain(log.fact),
        fix=Fix(f"Clamp to {_FLOOR}", Grade.EXACT, clamped_below(site.unit, log.node, _FLOOR)),
    )


def _underflowed(site: Site, log: Origin) -> Diagnosis:
    argument = log.operands["x"]
    within = replace(site, op=Op.LOG, node=log.node, operands=log.operands)
    return Diagnosis(
        span=log.unit.span(argument.node),
        message=f"0 * -inf: {quoted(within, argument.node)} is multiplied by its own log, as a "
        "probability is, and nothing keeps it from 0",
        confidence=Confidence.POSSIBLE,
        fix=with_epsilon(within, argument),
    )


def _is_repaired(site: Site) -> bool:
    return site.chosen is not None and not site.learned.evidence


def _own_log(factor: Operand, value: Operand) -> Origin | None:
    """The log of `value` that is in the other factor, alone or in a sum: `log(y) - z`.

    Of a value that is seen to reach 0 the log itself is a finding.
    """
    origin = factor.fact.origin
    terms = [origin]
    if origin is not None and origin.op in (Op.ADD, Op.SUB):
        terms = [operand.fact.origin for operand in origin.operands.values()]
    for log in terms:
        if log is None or log.op is not Op.LOG or log.fact("base").kinds:
            continue
        argument = log.operands["x"]
        own = same_value(argument, value) or same_value(_dividend(argument), value)
        if own and _is_unguarded(argument, factor):
            return log
    return None


def _unsigned(factor: Operand) -> Operand:
    """p of `-p * log(p)`."""
    origin = factor.fact.origin
    return origin.operands["x"] if origin is not None and origin.op is Op.NEG else factor


def _dividend(argument: Operand) -> Operand:
    """p of `log(p / q)`, which is -inf where p is 0, whatever q is."""
    origin = argument.fact.origin
    return argument if origin is None or origin.op is not Op.DIV else origin.operands["x"]


def _is_unguarded(argument: Operand, log: Operand) -> bool:
    fact = argument.fact
    known = fact.zeroable or not fact.range.has_zero or fact.whole or _is_inverse(fact)
    if guard_of(fact) is not None:
        return False  # who writes `p + 1e-6` knows that p is not negative
    return not known and Form.NUMBER not in (fact.form, log.fact.form)


def _is_inverse(fact: Fact) -> bool:
    """`1 / n`: one of n, all as probable."""
    origin = fact.origin
    return origin is not None and origin.op is Op.DIV and origin.fact("x").constant is not None


def _struck_log(log: Operand, probability: Operand) -> Operand | None:
    if not (log.fact.is_any(Kind.LOGPROB) and log.fact.is_any(Kind.STRUCK)):
        return None
    exponential = exponential_behind(probability)
    paired = exponential is not None and same_value(exponential.operands["x"], log)
    return log if paired or probability.fact.is_any(Kind.PROB) else None
