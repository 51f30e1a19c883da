"""EPS702: a cross-entropy that is fed probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint.analysis.fact import Fact, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.reasons import chain
from epslint.analysis.site import Site
from epslint.rule import Confidence, Diagnosis, Fix, Grade, Severity, SiteRule
from epslint_rules._confidence import CONFIDENCE
from epslint_rules._logarithm import as_log_softmax, maker
from epslint_rules._losses import activation, argument_text, fed_with
from epslint_rules._wording import made_elsewhere, quoted

_PROBABILITIES = frozenset({Op.SOFTMAX, Op.SIGMOID})
_EXPECTED: Mapping[Op, str] = MappingProxyType(
    {
        Op.CROSS_ENTROPY: "logits: it is nearly flat, and cannot come near 0",
        Op.NLL: "log-probabilities: it takes no log itself",
    }
)


class CrossEntropyOnSoftmax(SiteRule):
    """A cross-entropy or negative log-likelihood that is fed probabilities.

    ## What it does
    Flags `cross_entropy` and `CrossEntropyLoss` of a softmax or sigmoid, and `nll_loss` and
    `NLLLoss` of a softmax: inline, through variables, modules, and the `forward` of a class in the
    same file; also of something called `probs`, with less confidence. Silent for log-probabilities,
    and for probabilities that are the target.

    ## Why is this bad
    `cross_entropy` takes a log-softmax itself. Of probabilities, which lie between 0 and 1, that is
    nearly flat: with ten classes the loss cannot fall below 1.46, and a sample that is wrong and
    sure of it has hardly any gradient. `nll_loss` takes no log at all: of probabilities it is
    minus their mean, from -1 to 0. Neither raises an error, and both train, badly.

    ## Example
    ```python
    import torch
    import torch.nn.functional as F


    def loss(logits, labels):
        return F.cross_entropy(torch.softmax(logits, dim=-1), labels)
    ```

    ## Use instead
    ```python
    import torch
    import torch.nn.functional as F


    def loss(logits, labels):
        return F.cross_entropy(logits, labels)
    ```

    ## Fix
    Feeds `cross_entropy` what went into the softmax, and turns the softmax into `log_softmax` for
    `nll_loss`. No fix where the softmax is in another function, or a module of which only the name
    is at hand.

    ## Fix safety
    Semantic: the loss becomes the one that its name says, another number with another gradient. A
    learning rate that was tuned for the flat loss is too large for it.

    ## References
    `torch.nn.CrossEntropyLoss` expects logits, `torch.nn.NLLLoss` log-probabilities.
    """

    code = "EPS702"
    name = "cross-entropy-on-softmax"
    severity = Severity.ERROR
    grade = Grade.SEMANTIC
    ops = frozenset({Op.CROSS_ENTROPY, Op.NLL})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        made = activation(operand, _PROBABILITIES) if operand is not None else None
        if operand is None or (made is None and not _is_called_so(operand.fact)):
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"{quoted(site, operand.node)} is a probability, and this loss expects "
            f"{_EXPECTED[site.op]}",
            # What is called so may be what a network gives, before anything is made of it.
            confidence=Confidence.POSSIBLE if made is None else CONFIDENCE[operand.fact.ground],
            why=made_elsewhere(operand) or chain(operand.fact),
            fix=None if made is None else _fix(site, operand, made),
        )


def _is_called_so(fact: Fact) -> bool:
    """Whether a name says that they are probabilities; nothing may have been computed of them."""
    return fact.is_any(Kind.PROB) and maker(fact, through=True) is None


def _fix(site: Site, operand: Operand, made: Origin) -> Fix | None:
    if site.op is Op.CROSS_ENTROPY:
        content, message = argument_text(made), "Feed it the logits"
    else:
        content, message = as_log_softmax(site, made), "Feed it log-probabilities"
    edits = None if content is None else fed_with(site, operand, made, content)
    return None if edits is None else Fix(message, Grade.SEMANTIC, edits)
