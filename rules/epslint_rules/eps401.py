"""EPS401: a raw ratio of probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.reasons import chain
from epslint.analysis.role import role_of
from epslint.analysis.site import Site
from epslint.epsilon import Clamp
from epslint.rewrite import epsilon_text, guard, rewritten
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._exponential import exponential_behind
from epslint_rules._wording import quoted


class RawProbabilityRatio(SiteRule):
    """A ratio of two probabilities, computed as a quotient.

    ## What it does
    Flags `new_prob / old_prob` where the denominator can be 0, also after indexing or gather and
    with a softmax in another method.

    ## Why is this bad
    An action that the old policy took with a probability that has since underflowed gives x / 0,
    and a tiny denominator gives a ratio that nothing bounds. The ratio of log-probabilities has
    neither problem.

    ## Example
    ```python
    def importance(new_probs, old_probs):
        return new_probs / old_probs
    ```

    ## Use instead
    ```python
    def importance(new_probs, old_probs):
        return new_probs / (old_probs + 1e-8)
    ```

    ## Fix
    `exp(clamp(new_logp - old_logp, -20, 20))` where both probabilities are exps of
    log-probabilities at hand; otherwise adds 1e-8 to the denominator (any epsilon in reach between
    1e-8 and 1e-5 is used instead).

    ## Fix safety
    Bounded: by eps / old_prob.

    ## References
    PPO computes its ratio from log-probabilities for this reason.
    """

    code = "EPS401"
    name = "raw-probability-ratio"
    severity = Severity.ERROR
    grade = Grade.BOUNDED
    supersedes = frozenset({"EPS605"})  # the log-probabilities need no floor at all
    ops = frozenset({Op.DIV})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        new, old = site.operand("x"), site.operand("y")
        if new is None or old is None or not old.fact.zeroable:
            return
        if not (new.fact.is_any(Kind.PROB) and old.fact.is_any(Kind.PROB)):
            return
        if old.fact.is_any(Kind.SUM | Kind.COUNT) or _is_repaired(site):
            return
        yield Diagnosis(
            span=site.unit.span(old.node),
            message=f"Raw probability ratio: {quoted(site, old.node)} can be 0 and the ratio is "
            "unbounded",
            confidence=Confidence.POSSIBLE,
            why=chain(old.fact),
            fix=_from_logs(site, new, old) or _with_epsilon(site, old),
        )


def _is_repaired(site: Site) -> bool:
    if site.chosen is None or site.chosen["y"].zeroable:
        return False
    return not site.learned.evidence


def _from_logs(site: Site, new: Operand, old: Operand) -> Fix | None:
    first, second = exponential_behind(new), exponential_behind(old)
    if first is None or second is None or not {"x", "y"} <= site.repeatable:
        return None
    unit = site.unit
    texts = [unit.source.slice(unit.outer_span(o.operands["x"].node)) for o in (first, second)]
    bound = f"{site.hierarchy.bound(Clamp.POLICY, new.fact.dtype.precision):.1f}"
    clipped = stable.call(site, "clip", x=f"{texts[0]} - {texts[1]}", min=f"-{bound}", max=bound)
    text = None if clipped is None else stable.call(site, "exp", x=clipped)
    if text is None or not isinstance(site.node, bare.BinaryOperation):
        return None
    edits = rewritten(unit, site.node, text)
    return None if edits is None else Fix("Use the log-probabilities", Grade.BOUNDED, edits)


def _with_epsilon(site: Site, old: Operand) -> Fix:
    role = role_of(site, old.fact)
    epsilon = epsilon_text(site, role, old.fact)
    message = f"Add {epsilon} to the divisor ({role.value})"
    return Fix(message, Grade.BOUNDED, guard(site, old, epsilon))
