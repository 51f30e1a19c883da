"""EPS402: a product of probabilities along a sequence."""

from __future__ import annotations

from collections.abc import Iterator

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Evidence, Form, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.site import Site
from epslint.epsilon import Role, spelled
from epslint.rewrite import rewritten
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._exponential import exponential_behind
from epslint_rules._wording import made_elsewhere, quoted


class ProductOfProbabilities(SiteRule):
    """A product of probabilities or ratios along a sequence.

    ## What it does
    Flags `prod` and `cumprod` of probabilities and of probability ratios; not of complements, as in
    `1 - prod(1 - alpha)`: what is left of the light is 0 where it is dark; nor, where only a name
    tells of probabilities, of all there are: `np.prod(reach_probs)` is of a few players.

    ## Why is this bad
    A hundred tokens at probability 0.3 multiply to 5e-53, which is 0 in float32; a hundred ratios
    of 3 overflow. The gradient of a product with a 0 in it is 0 or NaN.

    ## Example
    ```python
    import torch


    def sequence_probability(probs):
        return torch.prod(probs, dim=-1)
    ```

    ## Use instead
    ```python
    import torch


    def sequence_probability(probs):
        return torch.exp(torch.log(probs + 1e-8).sum(dim=-1))
    ```

    ## Fix
    The exponential of the sum of logs, with the epsilon of probabilities. Better still is to keep
    the sum of logs and not to exponentiate, which is yours to decide.

    ## Fix safety
    Semantic: a probability of exactly 0 becomes 1e-8.

    ## References
    GSPO and sequence-level importance sampling work with sums of log-ratios.
    """

    code = "EPS402"
    name = "product-of-probabilities"
    severity = Severity.WARNING
    grade = Grade.SEMANTIC
    ops = frozenset({Op.PROD, Op.CUMPROD})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not operand.fact.is_any(Kind.PROB | Kind.RATIO):
            return
        if _is_complement(operand) or _is_joint(site, operand):
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Product of {quoted(site, operand.node)} along a sequence: it underflows, "
            "a sum of logs does not",
            confidence=_confidence(site, operand),
            why=made_elsewhere(operand),
            fix=_fix(site),
        )


def _confidence(site: Site, operand: Operand) -> Confidence:
    """Ratios multiply to what overflows. Probabilities only to 0, which hurts who learns from it: a
    score by which answers are ranked may well be 0.
    """
    hurts = operand.fact.is_any(Kind.RATIO) or site.learned.evidence
    return Confidence.NAMED if hurts else Confidence.POSSIBLE


def _is_complement(operand: Operand) -> bool:
    """What is left of the light behind many layers, `prod(1 - alpha)`, is 0 where it is dark."""
    origin = operand.fact.origin
    return origin is not None and origin.op is Op.SUB and origin.fact("x").constant == 1


def _is_joint(site: Site, operand: Operand) -> bool:
    """`np.prod(reach_probs)` over all there are: of a few players, for what only a name tells."""
    named = operand.fact.ground is Evidence.NAMED and not operand.fact.is_any(Kind.RATIO)
    whole = site.op is Op.PROD and site.operand("dim") is None
    return named and whole and site.result.form is Form.NUMPY


def _fix(site: Site) -> Fix | None:
    operand, dim = site.operands["x"], site.operand("dim")
    if (
        dim is None
        or stable.form_at(site) is not Form.TORCH
        or not isinstance(site.node, bare.Call)
    ):
        return None
    unit = site.unit
    epsilon = spelled(site.hierarchy.epsilon(Role.PROBABILITY, operand.fact.dtype.precision))
    axis = unit.source.slice(unit.outer_span(dim.node))
    kept = site.operand("keepdim")
    keepdim = f", keepdim={unit.text(kept.node)}" if kept is not None else ""
    reduce = "sum" if site.op is Op.PROD else "cumsum"
    library = site.scope.alias("torch")
    log = _log_at_hand(site, operand) or f"{library}.log({unit.text(operand.node)} + {epsilon})"
    text = f"{library}.exp({log}.{reduce}(dim={axis}{keepdim}))"
    if library is None or (edits := rewritten(unit, site.node, text)) is None:
        return None
    return Fix("Use the sum of logs", Grade.SEMANTIC, edits)


def _log_at_hand(site: Site, operand: Operand) -> str | None:
    """The argument of an exp that is written here: its log need not be taken again."""
    origin = exponential_behind(operand)
    if origin is None or origin.op is not Op.EXP or origin.node is not operand.node:
        return None
    argument = origin.operands["x"].node
    text = site.unit.source.slice(site.unit.outer_span(argument))
    primary = isinstance(argument, bare.Name | bare.Attribute | bare.Call | bare.Subscript)
    return text if primary or site.unit.parenthesised(argument) else f"({text})"
