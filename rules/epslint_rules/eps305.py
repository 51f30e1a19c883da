"""EPS305: a softmax written out by hand."""

from __future__ import annotations

from collections.abc import Iterator

from epslint import stable
from epslint.analysis import bare
from epslint.analysis.fact import Form, Kind
from epslint.analysis.keys import key_of, words_of
from epslint.analysis.made.terms import factors
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind
from epslint.analysis.site import Site
from epslint.analysis.words.hints import tells_of_score
from epslint.rewrite import changes_in_place
from epslint.rule import Diagnosis, Fix, Grade, Severity, SiteRule
from epslint.source import Span
from epslint.stable import is_method, is_plain
from epslint_rules._confidence import of_overflow
from epslint_rules._exponential import (
    cannot_overflow,
    exponential_behind,
    is_chosen_small,
    is_clipped,
    is_of_same,
    same_value,
    terms_of,
    total_behind,
    weighed_exponential,
)
from epslint_rules._logarithm import maker, split_sum
from epslint_rules._wording import because, made_elsewhere, quoted


class HandRolledSoftmax(SiteRule):
    """A softmax written out by hand, without subtracting the maximum.

    ## What it does
    Flags `exp(x) / exp(x).sum()`, also with the exponentials in a variable or for one class alone,
    and the same over two classes: `exp(x) / (1 + exp(x))`, `exp(a) / (exp(a) + exp(b))`. Where
    a gradient is shown also `1 / (1 + exp(-x))`, which is right but for its gradient. Under weights
    or masks and beside an epsilon, `w * exp(x) / ((w * exp(x)).sum() + eps)`, where x is a score,
    by its name or because a model gives it. Silent where the maximum is subtracted first, or what
    is called it: the sum is then at least 1 and nothing overflows. Silent also where x was clipped.

    ## Why is this bad
    One logit above 88.7 makes it inf / inf = NaN in float32; in float16 11.1 is enough.

    ## Example
    ```python
    import torch


    def probabilities(logits):
        weights = torch.exp(logits)
        return weights / weights.sum(dim=-1, keepdim=True)
    ```

    ## Use instead
    ```python
    import torch


    def probabilities(logits):
        return torch.softmax(logits, dim=-1)
    ```

    ## Fix
    `softmax(x, dim=…)`, or `x.softmax(dim=…)` after `x.exp()`, where the sum names one dim and
    keeps it (or it is the first). `sigmoid(x)` for `exp(x) / (1 + exp(x))`. No fix for the rest: an
    epsilon beside the sum shows where all exponentials are as small.

    ## Fix safety
    Exact: the same value wherever the old one was finite, up to rounding.

    ## References
    `torch.softmax`, `jax.nn.softmax`, `tf.nn.softmax`.
    """

    code = "EPS305"
    name = "hand-rolled-softmax"
    severity = Severity.ERROR
    grade = Grade.EXACT
    ops = frozenset({Op.DIV})
    supersedes = frozenset({"EPS101", "EPS102", "EPS103", "EPS306", "EPS401"})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        numerator, denominator = site.operand("x"), site.operand("y")
        total = None if denominator is None else total_behind(denominator)
        if numerator is None or denominator is None or total is None:
            return
        if is_chosen_small(site):
            return
        if numerator.fact.constant == 1:
            yield from _inverse_of_odds(site, denominator, total)
        elif not numerator.fact.is_any(Kind.PEAKED):
            exponential = _exponential_in(numerator)
            if exponential is None or _is_bounded(exponential):
                return
            for share in _share(site, exponential, total):
                # Asked last: whether a model gives it is read off the whole function.
                if _is_bare(site, exponential, total) or _is_score(site, exponential.operands["x"]):
                    yield share


def _is_bare(site: Site, exponential: Origin, total: Origin) -> bool:
    """Whether nothing but the exponentials stands above and below: no weight, mask or epsilon."""
    if maker(site.operands["y"].fact) is not total:
        return False
    summed = total.operands.get("x") if total.op is Op.SUM else None
    whole = summed is None or exponential_behind(summed) is not None
    return whole and behind(site.operands["x"].fact, _CHOOSING) is exponential


def _is_score(site: Site, argument: Operand) -> bool:
    """Whether a model gives it, or its name tells. Weights of distances, of ranks and of places are
    weighed by others, too, and stay small.
    """
    shown = site.learned
    given = shown.firm and not shown.offered
    return given or any(map(tells_of_score, words_of(argument.node)))


def _is_bounded(exponential: Origin) -> bool:
    argument = exponential.operands["x"]
    return cannot_overflow(exponential) or is_clipped(argument) or _is_of_positions(argument)


def _is_of_positions(argument: Operand) -> bool:
    """`exp(-rate * arange(n))`: weights of places, by a rate that somebody chose."""
    made = (factor.fact.origin for factor in factors(argument))
    return any(origin is not None and origin.op in _PLACING for origin in made)


_PLACING = frozenset({Op.ARANGE, Op.LINSPACE})


def _share(site: Site, exponential: Origin, total: Origin) -> Iterator[Diagnosis]:
    """An exponential over the sum that it is a part of."""
    numerator, denominator = site.operands["x"], site.operands["y"]
    if total.op is Op.SUM and _same_exponentials(numerator, total, exponential):
        name, fix = "softmax", _fix(site, exponential, total)
    elif total.op is Op.ADD and _is_one_of_two(exponential, total):
        odds = split_sum(total, 1.0) is not None
        name = "sigmoid" if odds else "softmax"
        fix = _as_sigmoid(site, exponential) if odds else None
    else:
        return
    yield Diagnosis(
        span=site.unit.span(denominator.node),
        message=f"A {name} by hand, divided by {quoted(site, denominator.node)}: "
        f"exp overflows, {name} does not",
        confidence=of_overflow(site, exponential.fact("x")),
        formula=True,
        why=made_elsewhere(numerator),
        fix=fix,
        also=_exponents(exponential, total),
    )


def _exponents(exponential: Origin, total: Origin) -> tuple[Span, ...]:
    """What is exponentiated, above and below: a softmax needs no cap on it."""
    summed = weighed_exponential(total.operands["x"]) if total.op is Op.SUM else None
    made = (exponential,) if summed is None else (exponential, summed)
    return tuple(each.unit.span(each.operands["x"].node) for each in made)


def _inverse_of_odds(site: Site, denominator: Operand, total: Origin) -> Iterator[Diagnosis]:
    """`1 / (1 + exp(-x))`: 0 once exp overflows, as it should be; but its gradient is inf / inf."""
    term = split_sum(total, 1.0) if total.op is Op.ADD else None
    exponential = None if term is None else exponential_behind(term)
    if exponential is None or exponential.op is not Op.EXP or _is_bounded(exponential):
        return
    if not (shown := site.learned).evidence:
        return
    yield Diagnosis(
        span=site.unit.span(denominator.node),
        message=f"A sigmoid by hand, one over {quoted(site, denominator.node)}: where exp "
        "overflows its gradient is NaN",
        confidence=of_overflow(site, exponential.fact("x")),
        why=(*made_elsewhere(denominator), *because(shown)),
        fix=_as_sigmoid_of_minus(site, exponential),
    )


def _as_sigmoid_of_minus(site: Site, exponential: Origin) -> Fix | None:
    """`sigmoid(x)` of `1 / (1 + exp(-x))`."""
    negated = exponential.operands["x"].node
    if not isinstance(negated, bare.UnaryOperation) or not isinstance(negated.operator, bare.Minus):
        return None
    if "y" not in site.repeatable or not _is_rewritable(site) or not is_plain(exponential):
        return None
    text = site.unit.text(negated.expression)
    edits = stable.replaced(site, "sigmoid", method=False, x=text)
    return None if edits is None else Fix("Use sigmoid", Grade.EXACT, edits)


def _exponential_in(numerator: Operand) -> Origin | None:
    """The exponential of which some is divided: `e`, `e[picked]`, `mask * e`, `(e * x).sum()`."""
    origin = behind(numerator.fact, _CHOOSING)
    if origin is not None and origin.op in (Op.EXP, Op.EXPM1):
        return origin
    summed = None if origin is None or origin.op is not Op.SUM else origin.operands.get("x")
    return weighed_exponential(summed or numerator)


_CHOOSING = frozenset({Op.SAME, Op.PICK})


def _same_exponentials(numerator: Operand, total: Origin, exponential: Origin) -> bool:
    summed = total.operands.get("x")
    other = None if summed is None else weighed_exponential(summed)
    if summed is None or other is None:
        return False
    if other is exponential or same_value(summed, numerator):
        return True
    if (
        numerator.fact.origin is not exponential
        and behind(numerator.fact, _CHOOSING) is exponential
    ):
        return False  # some of others
    whole = other.operands["x"]
    return is_of_same(other, exponential) or _is_element(exponential.operands["x"], whole)


def _is_element(part: Operand, whole: Operand) -> bool:
    """`logits[:, k]` of `logits`."""
    if not isinstance(part.node, bare.Subscript):
        return False
    key = key_of(part.node.value)
    return key is not None and key == key_of(whole.node)


def _is_one_of_two(exponential: Origin, total: Origin) -> bool:
    """Whether an exponential is divided by itself and one other, or 1, which is that of 0."""
    terms = terms_of(total)
    others = [term for term in terms if not _is_exponential_of(term, exponential)]
    if len(terms) != 2 or len(others) != 1:
        return False
    return others[0].fact.constant == 1 or _is_exponential(others[0])


def _is_exponential(term: Operand) -> bool:
    """`exp(x)`, and `exp(xs).sum()`: of one against many."""
    origin = term.fact.origin
    summed = origin is not None and origin.op is Op.SUM
    return exponential_behind(origin.operands["x"] if origin and summed else term) is not None


def _is_exponential_of(term: Operand, exponential: Origin) -> bool:
    other = exponential_behind(term)
    return other is not None and same_value(other.operands["x"], exponential.operands["x"])


def _as_sigmoid(site: Site, exponential: Origin) -> Fix | None:
    if not {"x", "y"} <= site.repeatable or not _is_rewritable(site) or not is_plain(exponential):
        return None
    argument = exponential.operands["x"]
    method = is_method(exponential, argument)
    edits = stable.replaced(site, "sigmoid", method=method, x=site.unit.text(argument.node))
    return None if edits is None else Fix("Use sigmoid", Grade.EXACT, edits)


def _is_rewritable(site: Site) -> bool:
    """Whether the whole quotient may become a call: it is no `a /= b`."""
    quotient = isinstance(site.node, bare.BinaryOperation | bare.Call)
    return quotient and not changes_in_place(site, site.operands["x"])


def _fix(site: Site, exponential: Origin, total: Origin) -> Fix | None:
    dim = total.operands.get("dim")
    if dim is None or not {"x", "y"} <= site.repeatable or site.op is not Op.DIV:
        return None
    if not _is_rewritable(site) or not is_plain(exponential) or not is_plain(total):
        return None
    if maker(site.operands["y"].fact) is not total:
        return None  # an epsilon beside the sum shows where all of it is as small
    argument, summed = exponential.operands["x"], exponential_behind(total.operands["x"])
    whole = summed is not None and not _is_element(argument, summed.operands["x"])
    if not whole or not _lines_up(total, dim):
        return None
    edits = stable.replaced(
        site,
        "softmax",
        method=is_method(exponential, argument),
        x=site.unit.text(argument.node),
        dim=site.unit.source.slice(site.unit.outer_span(dim.node)),
    )
    return None if edits is None else Fix("Use softmax", Grade.EXACT, edits)


def _lines_up(total: Origin, dim: Operand) -> bool:
    """Whether the sum divides its own elements: it kept its dimension, or lost the first one. And
    softmax knows one dimension only.
    """
    one = dim.fact.form is not Form.LIST
    return one and (total.fact("keepdim").constant == 1 or dim.fact.constant == 0)
