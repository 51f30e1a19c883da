"""Shares: quotients whose dividend is a part of the divisor, so that both are 0 at once.

`inter / (a + b - inter)` of two empty boxes, `2 * p * r / (p + r)` where nothing was found,
`2 * (x * y).sum() / (x.sum() + y.sum())` of two empty masks, `image / image.max()` of a black one.
Of the divisor alone nothing may be known; what it has in common with the dividend says what the
quotient is for, and that 0 / 0 is what it gives for nothing. The square of a length needs no such
help: `g / (dx**2 + dy**2)` is for slopes, and somewhere it is flat.
"""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.fact import Fact, Kind
from epslint.analysis.keys import key_of, label_of, words_of
from epslint.analysis.made.makers import is_one, is_some_of
from epslint.analysis.made.terms import ARRANGING, PRODUCTS, Term, arranged, factors, is_root, terms
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind, within
from epslint.analysis.relations.coordinates import is_projected
from epslint.analysis.relations.moments import base_of_square
from epslint.analysis.relations.sums import is_squared_length
from epslint.analysis.words.hints import tells_of_picture
from epslint.analysis.words.labels import tells_of_indicator, tells_of_term_of_loss

_TOTALS = frozenset({Op.SUM, Op.MEAN})


def kind_of_whole(x: Operand, y: Operand, env: Env) -> Kind:
    """What the divisor is if the dividend is a part of it, and NONE if it is not."""
    kind = _kind_of_whole(x, y, env)
    return kind if kind and not _is_kept_away(y, env) else Kind.NONE


def _kind_of_whole(x: Operand, y: Operand, env: Env) -> Kind:
    for is_whole, kind in _WHOLES:
        if is_whole(x, y):
            return kind
    whole = list(terms(y))
    if len(whole) < 2 or any(_is_kept_away(term.operand, env) for term in whole):
        return Kind.NONE
    parts = [factor for factor in factors(x) if factor.fact.constant is None]
    if _is_union([x, *parts], whole) or _is_dice(parts, whole):
        return Kind.SUM
    shared = _is_harmonic(x, parts, whole) or _is_part([x, *parts], whole)
    return Kind.SUM if shared else Kind.NONE


def _is_kept_away(term: Operand, env: Env) -> bool:
    """Whether a value is not 0, now: a constant, something positive, an epsilon, what a condition
    says so of (`where(a > 0, inter / union, 0)`), a quotient of something that is kept away.
    """
    if not term.fact.range.has_zero or term.fact.is_any(Kind.EPSILON):
        return True
    now = env.fact(key_of(term.node) or "")
    if now is not None and not now.range.has_zero:
        return True
    origin = arranged(term.fact)
    if origin is None or origin.op is not Op.DIV:
        return False
    return any(_is_kept_away(each.operand, env) for each in terms(origin.operands["x"]))


def _is_union(parts: list[Operand], whole: list[Term]) -> bool:
    """`inter / (a + b - inter)`: nothing, of nothing in all."""
    taken = [term.operand for term in whole if not term.added]
    return len(whole) == 3 and len(taken) == 1 and any(_is_same(p, taken[0]) for p in parts)


def _is_harmonic(x: Operand, parts: list[Operand], whole: list[Term]) -> bool:
    """`2 * p * r / (p + r)`, the terms weighted or not: both are 0 when neither finds anything.

    Not `delta**2 * n * m / (n + m)`, by which two variances become one: nobody is counted in vain.
    """
    if any(base_of_square(factor) for factor in factors(x, PRODUCTS)):
        return False
    keys = {_key(part) for part in parts} - {None}
    summed = [{_key(factor) for factor in factors(term.operand, PRODUCTS)} & keys for term in whole]
    paired = len(whole) == 2 and all(term.added for term in whole)
    return paired and all(len(each) == 1 for each in summed) and summed[0] != summed[1]


def _is_dice(parts: list[Operand], whole: list[Term]) -> bool:
    """`2 * (x * y).sum() / (x.sum() + y.sum())`, or of their squares."""
    overlap = arranged(parts[0].fact) if len(parts) == 1 else None
    if overlap is None or overlap.op not in _TOTALS or len(whole) != 2:
        return False
    both = {_key(factor) for factor in factors(overlap.operands["x"])} - {None}
    summed = {_key_of_total(term.operand, overlap.op) for term in whole if term.added}
    return len(both) == 2 and summed == both


def _is_part(parts: list[Operand], whole: list[Term]) -> bool:
    """`tp / (tp + a * fp + b * fn)` of what was added up, `s ** 2 / (s ** 2 + n ** 2)`: one of what
    is added over all of it, and none of it is anything else than 0 or more. Of two sums one is
    over what all the others are compared to: `positive / (positive + negative)`.
    """
    if not all(term.added and any(map(_is_amount, _summand(term))) for term in whole):
        return False
    added = [each for term in whole for each in _summand(term)]
    if len(whole) < _HITS_AND_MISSES and not all(map(_is_magnitude, added)):
        return False
    return any(_is_amount(part) and _is_same(part, each) for part in parts for each in added)


_HITS_AND_MISSES = 3  # what was found, what was not, and what was taken for it


def _summand(term: Term) -> list[Operand]:
    """A term, and what it is scaled by if it is."""
    return [term.operand, *factors(term.operand, PRODUCTS)]


def _is_amount(operand: Operand) -> bool:
    """What was added up, or a magnitude."""
    origin = arranged(operand.fact)
    return (origin is not None and origin.op in _TOTALS) or _is_magnitude(operand)


def _is_magnitude(operand: Operand) -> bool:
    origin = arranged(operand.fact)
    return origin is not None and origin.op in _MAGNITUDES and operand.fact.is_any(Kind.MAGNITUDE)


_MAGNITUDES = frozenset({Op.ABS, Op.SQUARE, Op.POW, Op.MUL, Op.RELU})


def _key_of_total(operand: Operand, op: Op) -> str | None:
    """What a sum is over; of squares, what was squared."""
    origin = arranged(operand.fact)
    if origin is None or origin.op is not op:
        return None
    keys = {_key(factor) for factor in factors(origin.operands["x"])}
    return keys.pop() if len(keys) == 1 else None


def _is_largest(x: Operand, y: Operand) -> bool:
    """`image / image.max()`, and `(high - low) / high`: black is 0 everywhere."""
    origin = arranged(y.fact)
    if origin is None or origin.op is not Op.MAX:
        return False
    key = _key(origin.operands["x"])
    if key is not None and key == _key(x):
        return any(map(tells_of_picture, words_of(x.node)))
    difference = arranged(x.fact)
    if difference is None or difference.op is not Op.SUB:
        return False
    return _is_same(difference.operands["x"], y)


def _is_drawn_share(x: Operand, y: Operand) -> bool:
    """`g / g.sum()` and `g / (g + h)` of gammas, as a Dirichlet and a beta are drawn: where the
    concentrations are small, all of them underflow at once.
    """
    total = arranged(y.fact)
    if total is None or not any(map(_is_gamma, factors(x))):
        return False
    if total.op is Op.SUM:
        return _is_gamma(total.operands["x"])
    return total.op is Op.ADD and all(term.added and _is_gamma(term.operand) for term in terms(y))


def _is_weighted_mean(x: Operand, y: Operand) -> bool:
    """`(loss * w).sum() / w.sum()`: who weighs losses can weigh all of them with 0, and of labels
    none may be set, `hits[labels].sum() / labels.sum()`. The weights of an expectation,
    `(scores * places).sum() / scores.sum()`, are probabilities by another name.
    """
    above, below = arranged(x.fact), arranged(y.fact)
    if above is None or below is None or not above.op is below.op is Op.SUM:
        return False
    weights, values = below.operands["x"], above.operands["x"]
    if isinstance(weights.node, bare.Attribute):
        return False  # a setting: `self.weight` of each task
    key = _key(weights)
    if key is None:
        return False
    labels = tells_of_indicator(label_of(weights.node))
    if labels and is_some_of(values, key):
        return True
    if not labels and not any(map(tells_of_term_of_loss, words_of(values.node))):
        return False
    weighed = [_key(factor) for factor in factors(values)]
    return len(weighed) > 1 and key in weighed


# What is 0 where its argument is.
_ODD = frozenset({Op.SIN, Op.TANH, Op.EXPM1, Op.LOG1P})


def _is_removable(x: Operand, y: Operand) -> bool:
    """`sin(t) / t`, `(1 - cos(t)) / t**2`: who writes these of an angle that comes from a caller
    has one that becomes 0; what comes out of something may have been kept from it there.
    """
    angle = within(base_of_square(y) or y, ARRANGING)
    key, above = key_of(angle.node), arranged(x.fact)
    if key is None or above is None or angle.fact.origin is not None:
        return False
    if above.op is Op.SUB and above.fact("x").constant == 1:
        above = arranged(above.fact("y"))
        return above is not None and above.op is Op.COS and _key(above.operands["x"]) == key
    return above.op in _ODD and _key(above.operands["x"]) == key


def _is_gamma(operand: Operand) -> bool:
    origin = behind(operand.fact, ARRANGING)
    return origin is not None and origin.op is Op.GAMMA and operand.fact.range.has_zero


def _is_accumulated(x: Operand, y: Operand) -> bool:
    """`g / sqrt(state.v + g * g)`: what gathers squares begins at 0, and stays there as long as
    all that is gathered is 0.
    """
    root = arranged(y.fact)
    if root is None or not is_root(root):
        return False
    gathered = root.operands["x"]
    parts = [(term, list(factors(term.operand, PRODUCTS))) for term in terms(gathered)]
    keys = {_key(factor) for factor in factors(x, PRODUCTS)} - {None}
    fresh = [term for term, made_of in parts if _squares_one_of(keys, made_of)]
    if len(fresh) != 1 or not all(term.added for term, _ in parts):
        return False
    kept = [made_of for term, made_of in parts if term is not fresh[0]]
    if not kept:  # `v += g * g`
        origin = fresh[0].operand.fact.origin
        return origin is not None and not origin.whole
    return all(any(_is_kept(factor, gathered) for factor in made_of) for made_of in kept)


def _squares_one_of(keys: set[str | None], made_of: list[Operand]) -> bool:
    """Whether one of what is divided is among these factors squared, or twice."""
    bases = filter(None, map(base_of_square, made_of))
    found = [_key(factor) for factor in made_of]
    return any(_key(base) in keys for base in bases) or any(found.count(key) > 1 for key in keys)


def _is_kept(factor: Operand, gathered: Operand) -> bool:
    """Whether it is what was gathered before: of an object, of a state, or under the same name."""
    if isinstance(factor.node, bare.Attribute | bare.Subscript):
        return factor.fact.range.has_zero
    key = key_of(factor.node)
    return key is not None and key == key_of(gathered.node)


def _is_response(x: Operand, y: Operand) -> bool:
    """`w / (v @ w)` of a w that was solved for or projected: a filter over how it answers to v,
    which is 0 where v is, or where v is at right angles to it.
    """
    solution, answer = arranged(x.fact), arranged(y.fact)
    if solution is None or solution.op not in _CONTRACTIONS or answer is None:
        return False
    return any(_is_same(x, each) for each in _contracted(answer))


_CONTRACTIONS = frozenset({Op.MATMUL, Op.DOT, Op.EINSUM, Op.SOLVE})


def _contracted(origin: Origin) -> Iterator[Operand]:
    """What is multiplied and added up."""
    if origin.op in _CONTRACTIONS:
        yield from (each for name, each in origin.operands.items() if name in ("x", "y"))
    elif origin.op is Op.SUM and len(made_of := list(factors(origin.operands["x"]))) > 1:
        yield from made_of


def _key(operand: Operand) -> str | None:
    """The key of what is rearranged."""
    return key_of(within(operand, ARRANGING).node)


def _is_same(one: Operand, other: Operand) -> bool:
    """Whether two operands are one value: made by the same operation, or written alike."""
    if is_one(one.fact, other.fact, ARRANGING):
        return True
    key = _key(one)
    return key is not None and key == _key(other)


def _is_squared_length(x: Operand, y: Operand) -> bool:
    return is_squared_length(y.fact)


_WHOLES = (
    (_is_largest, Kind.SPAN),
    (_is_squared_length, Kind.NORM),
    (is_projected, Kind.DEPTH),
    (_is_accumulated, Kind.MAGNITUDE),
    (_is_removable, Kind.MAGNITUDE),
    (_is_drawn_share, Kind.SUM),
    (_is_weighted_mean, Kind.SUM),
    (_is_response, Kind.SUM),
)


def is_share_of(path: str, fact: Fact) -> bool:
    """Whether it is `p / p.sum(-1)` of what goes by that name."""
    origin = fact.origin
    if origin is None or origin.op is not Op.DIV:
        return False
    total = origin.fact("y").origin
    return total is not None and total.op is Op.SUM and key_of(total.operands["x"].node) == path
