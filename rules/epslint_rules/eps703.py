"""EPS703: a softmax over a row that can be masked out entirely."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.fact import Evidence, Form, Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.analysis.words.names import snake
from epslint.rule import Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint_rules._confidence import CONFIDENCE
from epslint_rules._logarithm import maker
from epslint_rules._wording import made_elsewhere, quoted, words_behind

# Where each operation has its condition, and what it writes where that holds or does not.
_MASKS: Mapping[Op, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {Op.MASKED_FILL: ("mask", ("value",)), Op.WHERE: ("cond", ("x", "y"))}
)
# Masks that leave something in every row, by what they are made of.
_LEAVING_SOME = re.compile(
    r"(^|_)(all|any|causal|tril|triu|subsequent|future|look_?ahead|eye|diag(onal)?|self|"
    r"pad(ding|ded)?|len(gth)?s?|top_?[kp]?|kth|nucleus|sorted|cutoff|thresh(old)?|min_?p|"
    r"remove|suppress|vocab|forbidden|banned|actions?|legal|illegal|invalid|kernel|window)(_|$)"
)
# What is done about the NaN afterwards.
_REPAIRING = frozenset({Op.MASKED_FILL, Op.NAN_TO_NUM, Op.WHERE, Op.ISNAN, Op.ISFINITE})
_FINFO: Mapping[Form, str] = MappingProxyType(
    {Form.TORCH: "torch", Form.UNKNOWN: "torch", Form.JAX: "jax.numpy", Form.NUMPY: "numpy"}
)


class SoftmaxOfAllMasked(SiteRule):
    """A softmax over scores of which a whole row can be masked with -inf.

    ## What it does
    Flags `softmax` and `log_softmax` of scores that a `masked_fill` or `where` has set to -inf by a
    mask that comes from outside or from the data. Silent for masks that leave something in every
    row (causal and padding masks, top-k filters, legal actions), and where the result is filled,
    checked or `nan_to_num`-ed afterwards.

    ## Why is this bad
    A softmax of nothing but -inf is 0/0: NaN for the whole row. It takes one empty sequence in a
    batch, or one left-padded row under a causal mask; from there the NaN spreads through every sum.

    ## Example
    ```python
    import torch


    def attend(scores, mask, values):
        weights = torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
        return weights @ values
    ```

    ## Use instead
    ```python
    import torch


    def attend(scores, mask, values):
        scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        return torch.softmax(scores, dim=-1) @ values
    ```

    ## Fix
    The least finite number of the dtype in place of -inf. The alternative, which is yours to write,
    is to zero the row afterwards: `weights.masked_fill(mask == 0, 0.0)`.

    ## Fix safety
    Exact: the same value in every row that is not masked out entirely. Such a row is now an average
    over what was masked: finite, and without meaning, so whatever reads it has to ignore it.

    ## References
    transformers and trl fill with `torch.finfo(dtype).min`.
    """

    code = "EPS703"
    name = "softmax-of-all-masked"
    severity = Severity.ADVICE
    preview = True  # fewer than four in five of its findings were agreed with
    grade = Grade.EXACT
    ops = frozenset({Op.SOFTMAX, Op.LOG_SOFTMAX})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not operand.fact.is_any(Kind.STRUCK):
            return
        filled = maker(operand.fact, through=True)
        mask = _mask(filled)
        if filled is None or mask is None or site.uses & _REPAIRING or site.chosen is not None:
            return
        evidence = _can_be_all(site, mask)
        if not evidence:
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Softmax of {quoted(site, operand.node)}: a row that "
            f"`{filled.unit.brief(mask.node)}` masks out entirely is NaN",
            confidence=CONFIDENCE[evidence],
            why=made_elsewhere(operand),
            fix=_fix(site, filled),
        )


def _mask(filled: Origin | None) -> Operand | None:
    names = None if filled is None else _MASKS.get(filled.op)
    return None if filled is None or names is None else filled.operands.get(names[0])


def _can_be_all(site: Site, mask: Operand) -> Evidence:
    """How it is known that a mask can leave nothing of a row."""
    if not mask.fact.is_any(Kind.MASK) or mask.fact.is_any(Kind.PEAKED):
        return Evidence.NONE
    words = [snake(word) for word in words_behind(mask, 4)]
    if any(_LEAVING_SOME.search(word) for word in words) or not any("mask" in w for w in words):
        return Evidence.NONE
    return Evidence.NAMED


def _fix(site: Site, filled: Origin) -> Fix | None:
    """The dtype's least number, where the scores have a name to ask for their dtype."""
    value = next((o for o in _written(filled) if o.fact.constant == float("-inf")), None)
    scores = filled.operands.get("x" if filled.op is Op.MASKED_FILL else "")
    scores = scores or next((o for o in _written(filled) if o is not value), None)
    library = site.scope.alias(_FINFO.get(site.result.form, "?"))
    if value is None or scores is None or library is None or filled.unit is not site.unit:
        return None
    if not isinstance(scores.node, bare.Name | bare.Attribute):
        return None
    text = f"{library}.finfo({filled.unit.text(scores.node)}.dtype).min"
    edit = Edit(filled.unit.outer_span(value.node), text)
    return Fix("Fill with the least finite number", Grade.EXACT, (edit,))


def _written(filled: Origin) -> Iterator[Operand]:
    for name in _MASKS[filled.op][1]:
        if (operand := filled.operands.get(name)) is not None:
            yield operand
