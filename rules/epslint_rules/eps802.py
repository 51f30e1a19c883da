"""EPS802: a policy-gradient update whose gradient nothing clips."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.site import Site
from epslint.rewrite import line_before
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Reason, Severity, SiteRule
from epslint.stable import is_method
from epslint_rules._policy import is_policy_loss
from epslint_rules._wording import quoted


class UnclippedGradient(SiteRule):
    """A policy-gradient update that steps with a gradient that nothing has clipped.

    ## What it does
    Looks at functions in which a policy loss (one made of advantages, or called `policy_loss`,
    `actor_loss`, `surrogate` and the like) goes `backward` and an optimizer of torch's own then
    takes a `step`. Flags the step where nothing in between clips: no `clip_grad_norm_`,
    `clip_grad_value_`, `accelerator.clip_grad_norm_`, no function of this file that does so. A clip
    on one of two paths is enough. Silent for optimizers that are not made in this file: what wraps
    them may clip.

    ## Why is this bad
    The gradient of a policy loss is as large as the ratio and the advantage make it, and one batch
    with a rare action is enough for a step that ruins the policy. What it samples next is no
    better, so it does not recover.

    ## Example
    ```python
    import torch


    def train(policy, batches):
        optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
        for log_prob, advantages in batches:
            policy_loss = -(log_prob * advantages).mean()
            optimizer.zero_grad()
            policy_loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch


    def train(policy, batches):
        optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
        for log_prob, advantages in batches:
            policy_loss = -(log_prob * advantages).mean()
            optimizer.zero_grad()
            policy_loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
    ```

    ## Fix
    Clips the norm to 0.5 before the step, where the optimizer was given `….parameters()` that can
    be written here again.

    ## Fix safety
    Semantic: gradients of a norm above 0.5 become shorter. Most runs are better for it, and
    the right bound is yours to find.

    ## References
    0.5 in SB3 and CleanRL, 1.0 in TRL and OpenRLHF.
    """

    code = "EPS802"
    name = "unclipped-gradient"
    severity = Severity.WARNING
    grade = Grade.SEMANTIC
    default = False
    ops = frozenset({Op.STEP})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        gradient = site.fact("gradient")
        loss = gradient.origin.operands["x"] if gradient.origin is not None else None
        if loss is None or not gradient.is_any(Kind.UNCLIPPED) or not is_policy_loss(loss):
            return
        assert gradient.origin is not None
        yield Diagnosis(
            span=site.span,
            message=f"A step with the gradient of {quoted(site, loss.node)}, a policy loss, which "
            "nothing clips: one rare action is enough to ruin the policy",
            confidence=Confidence.NAMED,
            why=(Reason(gradient.origin.row, f"`{gradient.origin.text}` fills the gradient"),),
            fix=_fix(site, site.operands["x"]),
        )


def _fix(site: Site, optimizer: Operand) -> Fix | None:
    parameters, library = _parameters(site, optimizer), site.scope.alias("torch")
    if parameters is None or library is None or not is_method(site, optimizer):
        return None  # what a scaler steps with has to be unscaled before it is clipped
    statement = f"{library}.nn.utils.clip_grad_norm_({parameters}, 0.5)"
    edit = line_before(site.unit.source, site.span.start, statement)
    return None if edit is None else Fix("Clip the gradient", Grade.SEMANTIC, (edit,))


def _parameters(site: Site, optimizer: Operand) -> str | None:
    """What the optimizer was given, if it can be written here: a generator serves only once."""
    made = optimizer.fact.origin
    given = None if made is None else made.operands.get("0") or made.operands.get("params")
    if made is None or given is None:
        return None
    text = made.unit.text(given.node)
    within_reach = made.unit is site.unit or text.startswith("self.")
    return text if within_reach and text.endswith(".parameters()") else None
