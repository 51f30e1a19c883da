"""EPS205: log of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from epslint import stable
from epslint.analysis.fact import Kind
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint.stable import is_method, is_plain
from epslint_rules._confidence import of_overflow
from epslint_rules._exponential import (
    cannot_overflow,
    terms_of,
    total_behind,
    weighed_exponential,
)
from epslint_rules._logarithm import is_replaceable, maker
from epslint_rules._wording import made_elsewhere, quoted


class LogOfSumOfExp(SiteRule):
    """Log of a sum of exponentials.

    ## What it does
    Flags `log(sum(exp(x)))`, also through variables; the log of a mean of exponentials, of a
    weighted sum, also beside an epsilon, and of `exp(a) + exp(b)`. Silent where the maximum is
    subtracted first: that is logsumexp by hand, and right.

    ## Why is this bad
    `exp` overflows at 88.7 in float32 and at 11.1 in float16; `logsumexp` has the same value and no
    such limit.

    ## Example
    ```python
    import torch


    def free_energy(logits):
        return torch.log(torch.exp(logits).sum(dim=-1))
    ```

    ## Use instead
    ```python
    import torch


    def free_energy(logits):
        return torch.logsumexp(logits, dim=-1)
    ```

    ## Fix
    `logsumexp` with the sum's dim and keepdim and the log's out, as a method after `x.exp()`;
    `logaddexp.reduce` for numpy. No fix where the sum has no dim, or a dtype of its own; none for a
    mean, which is `logsumexp(x) - log(n)`, none for weights, which belong inside as `x + log(w)`,
    and none for two terms, which are `logaddexp(a, b)`.

    ## Fix safety
    Exact: the same value wherever the old one was finite, up to rounding.

    ## References
    `torch.logsumexp`, `jax.nn.logsumexp`, `tf.reduce_logsumexp`.
    """

    code = "EPS205"
    name = "log-of-sum-of-exp"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({Op.LOG})
    supersedes = frozenset({"EPS207"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        total = _total(operand) if operand is not None else None
        if operand is None or total is None:
            return
        exponentials = _summed(total)
        if not exponentials or all(cannot_overflow(each) for each in exponentials):
            return
        what, stable_one = _SUMS[total.op]
        scaled = total is not operand.fact.origin
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Log of {what}, {quoted(site, operand.node)}: exp overflows, "
            f"{stable_one} does not",
            confidence=of_overflow(site, *(each.fact("x") for each in exponentials)),
            formula=True,
            why=made_elsewhere(operand),
            fix=None if scaled else _fix(site, operand, total, exponentials[0]),
        )


_SUMS: Mapping[Op, tuple[str, str]] = MappingProxyType(
    {
        Op.SUM: ("a sum of exponentials", "logsumexp"),
        Op.CUMSUM: ("running sums of exponentials", "logcumsumexp"),
        Op.MEAN: ("a mean of exponentials", "logsumexp less the log of how many"),
        Op.ADD: ("a sum of exponentials", "logaddexp"),
        Op.COSH: ("a mean of two exponentials", "|x| + softplus(-2 |x|) - log(2)"),
    }
)


def _total(operand: Operand) -> Origin | None:
    """The sum that a log is taken of, also where it is scaled: `exp(x).sum() / n`."""
    origin = total_behind(operand)
    if origin is None or origin.op not in (Op.DIV, Op.MUL):
        return origin
    scaled = origin.operands.items() if origin.op is Op.MUL else (("x", origin.operands["x"]),)
    sums = [made for _, operand in scaled if (made := maker(operand.fact)) and made.op in _SUMS]
    return sums[0] if len(sums) == 1 else origin


def _summed(total: Origin) -> tuple[Origin, ...]:
    """The exponentials that a sum is of, if it is of nothing else."""
    if total.op is Op.COSH:
        return (total,)
    if total.op is Op.ADD:
        made = tuple(weighed_exponential(term) for term in terms_of(total))
        return tuple(each for each in made if each is not None) if None not in made else ()
    if total.op not in _SUMS or total.fact("x").is_any(Kind.PEAKED):
        return ()
    exponential = weighed_exponential(total.operands["x"])
    return () if exponential is None else (exponential,)


def _fix(site: Site, operand: Operand, total: Origin, exponential: Origin) -> Fix | None:
    dim, keepdim = total.operands.get("dim"), total.operands.get("keepdim")
    argument = exponential.operands.get("x")
    inline = total.op is Op.SUM and total.operands["x"].node is exponential.node
    if dim is None or argument is None or not inline or "x" not in site.repeatable:
        return None
    if not is_plain(total) or not is_plain(exponential) or not is_replaceable(site, operand):
        return None
    if keepdim is not None and keepdim.fact.constant is None:
        return None  # by position it may be numpy's dtype
    unit = site.unit
    kept = unit.text(keepdim.node) if keepdim is not None else ""
    edits = stable.replaced(
        site,
        "logsumexp",
        method=is_method(exponential, argument) and "out" not in site.operands,
        x=unit.text(argument.node),
        dim=unit.source.slice(unit.outer_span(dim.node)),
        keepdim=f", keepdim={kept}" if kept else "",
        keepdims=f", keepdims={kept}" if kept else "",
    )
    return None if edits is None else Fix("Use logsumexp", Grade.EXACT, edits)
