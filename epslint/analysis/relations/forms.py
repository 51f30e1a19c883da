"""Forms: what an expression tells, by its form, of a value of which nothing else is known.

The log of `1 - x**2` is taken of what lies in [-1, 1]. What is logged as p and as 1 - p is a
probability, whatever it is called. The log of a magnitude is for spectra, and silence is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import Evidence, Fact, Form, Kind, replace
from epslint.analysis.keys import called, key_of, label_of, roots_of, words_of
from epslint.analysis.made.makers import AS_NUMBERS
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind
from epslint.analysis.words.labels import (
    tells_of_distance,
    tells_of_distribution_aimed_at,
    tells_of_filter_bank,
    tells_of_power,
    tells_of_prediction,
)
from epslint.analysis.words.names import tells_of_setting

_NAMED = Evidence.NAMED
_DEEP = 4  # factors of a term are looked for no further down than this


def is_unknown(fact: Fact) -> bool:
    """Whether nothing is known of a value but where it came from."""
    told = fact.kinds or fact.ground or fact.zero
    return not told and fact.range == ranges.TOP and fact.form not in (Form.OTHER, Form.LIST)


def is_handed(fact: Fact) -> bool:
    """Whether nothing is known of a value but its name: it was made elsewhere, on every path."""
    origin = behind(fact, KEEPING)
    made_elsewhere = origin is None or origin.op is Op.CALL
    return made_elsewhere and not fact.rivals and is_unknown(fact)


# What is still called the same: another type, shape or place.
KEEPING = AS_NUMBERS | {Op.ITEM, Op.DETACH, Op.PICK, Op.AS_TENSOR}


def as_probability(fact: Fact) -> Fact:
    return replace(fact, range=ranges.UNIT, kinds=Kind.PROB, ground=_NAMED, zero=_NAMED)


# -- one operation -------------------------------------------------------------------------------


def formed(op: Op, operands: Mapping[str, Operand]) -> Mapping[str, Operand]:
    """The operands of an operation, with what it tells of its first."""
    x = operands.get("x")
    fact = None if x is None else _TELLING[op](x, operands)
    return operands if x is None or fact is None else {**operands, "x": replace(x, fact=fact)}


def _of_log(x: Operand, operands: Mapping[str, Operand]) -> Fact | None:
    origin = x.fact.origin
    if origin is not None and origin.op is Op.SUB:
        told = _is_rest_of_square(origin) or _is_between_probabilities(origin)
        return replace(x.fact, range=ranges.UNIT, ground=_NAMED, zero=_NAMED) if told else None
    if x.fact.form is Form.NUMBER:
        return None
    if origin is not None and any(is_so(origin) for is_so in _NOT_NEGATIVE.get(origin.op, ())):
        return replace(x.fact, range=ranges.NONNEGATIVE, ground=_NAMED, zero=_NAMED)
    if not is_handed(x.fact):
        return None
    label = label_of(x.node) or called(x.node)
    if tells_of_power(label):
        return replace(
            x.fact, range=ranges.NONNEGATIVE, kinds=Kind.MAGNITUDE, ground=_NAMED, zero=_NAMED
        )
    return as_probability(x.fact) if tells_of_prediction(label) else None


def _is_rest_of_square(difference: Origin) -> bool:
    """`1 - x**2`."""
    return difference.fact("x").constant == 1 and _is_open_square(difference.fact("y"))


def _is_between_probabilities(difference: Origin) -> bool:
    """`cdf(b) - cdf(a)`, the probability of what lies between: both round to the same, far out."""
    sides = (difference.fact("x"), difference.fact("y"))
    return all(side.is_any(Kind.PROB) and side.constant is None for side in sides)


def _are_odds(quotient: Origin) -> bool:
    """`p / (1 - p)`, `(1 - p) / p` and `(1 + x) / (1 - x)`, of a p that was handed over: who takes
    the log of those was given one between 0 and 1.
    """
    above, below = quotient.operands.get("x"), quotient.operands.get("y")
    if above is None or below is None:
        return False
    for part, rest in ((above, below), (below, above)):
        taken = _taken_from_one(rest)
        if taken is None or not is_handed(taken.fact) or taken.fact.form is Form.NUMBER:
            continue
        if key_of(taken.node) in (key_of(part.node), _added_to_one(part)):
            return True
    return False


def _is_rest_of_square_scaled(product: Origin) -> bool:
    """`bound * (1 - x**2)`, the slope of a tanh that was stretched."""
    made = (factor.fact.origin for factor in product.operands.values())
    return any(each and each.op is Op.SUB and _is_rest_of_square(each) for each in made)


def _is_filtered(product: Origin) -> bool:
    """`mel_basis @ spectrum`: in silence nothing passes the filters."""
    words = (word for factor in product.operands.values() for word in words_of(factor.node))
    return any(map(tells_of_filter_bank, words))


_NOT_NEGATIVE: Mapping[Op, tuple[Callable[[Origin], bool], ...]] = MappingProxyType(
    {
        Op.DIV: (_are_odds,),
        Op.MUL: (_is_rest_of_square_scaled,),
        **dict.fromkeys((Op.MATMUL, Op.DOT, Op.EINSUM), (_is_filtered,)),
    }
)


def _taken_from_one(operand: Operand) -> Operand | None:
    """p of `1 - p`."""
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.SUB or origin.fact("x").constant != 1:
        return None
    return origin.operands["y"] if key_of(origin.operands["y"].node) is not None else None


def _added_to_one(operand: Operand) -> str | None:
    """The key of x in `1 + x`, and in `x + 1`."""
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.ADD:
        return None
    terms = tuple(origin.operands.values())
    others = [term for term in terms if term.fact.constant != 1]
    return key_of(others[0].node) if len(others) == 1 < len(terms) else None


def _of_log1p(x: Operand, operands: Mapping[str, Operand]) -> Fact | None:
    """`log1p(-x**2)`."""
    origin = x.fact.origin
    if origin is None or origin.op is not Op.NEG or not _is_open_square(origin.fact("x")):
        return None
    square = replace(origin.operands["x"], fact=_closed(origin.fact("x")))
    told = replace(origin, operands={"x": square})
    return replace(x.fact, range=-ranges.UNIT, ground=_NAMED, origin=told)


def _is_open_square(fact: Fact) -> bool:
    """`x**2` of an x that nothing has bounded: what is bounded was thought about."""
    origin = fact.origin
    if origin is None or fact.range.hi < ranges.INF or not fact.is_any(Kind.MAGNITUDE):
        return False
    if fact.form is Form.NUMBER:
        return False
    if origin.op is Op.SUM:  # of a vector in a ball
        return _is_open_square(origin.fact("x"))
    if origin.op is Op.MUL:
        return len({key_of(factor.node) for factor in origin.operands.values()} - {None}) == 1
    return origin.op is Op.SQUARE or (origin.op is Op.POW and origin.fact("y").constant == 2)


def _closed(square: Fact) -> Fact:
    return replace(square, range=ranges.UNIT, ground=_NAMED)


def _of_root(x: Operand, operands: Mapping[str, Operand]) -> Fact | None:
    """The root of a distance, which a perfect match has none of, and of `1 - x**2`."""
    exponent, origin = operands.get("y"), x.fact.origin
    if exponent is not None and exponent.fact.constant != 0.5:
        return None
    number = exponent is not None and not x.fact.form.tensor  # `(1 - rho**2) ** 0.5`
    if origin is not None and origin.op is Op.SUB and _is_rest_of_square(origin) and not number:
        return replace(x.fact, range=ranges.UNIT, ground=_NAMED, zero=_NAMED)
    label = label_of(x.node) or called(x.node)
    if not is_handed(x.fact) or not tells_of_distance(label):
        return None
    return replace(
        x.fact, range=ranges.NONNEGATIVE, kinds=Kind.MAGNITUDE, ground=_NAMED, zero=_NAMED
    )


def _of_exp(x: Operand, operands: Mapping[str, Operand]) -> Fact | None:
    """`exp(prob - old_prob)`: these are logs of probabilities, whatever they are called."""
    origin = x.fact.origin
    if origin is None or origin.op is not Op.SUB or x.fact.range.hi <= 0:
        return None  # less the largest of them
    sides = (origin.fact("x"), origin.fact("y"))
    if not all(side.is_any(Kind.PROB) and side.ground is _NAMED for side in sides):
        return None
    kinds = Kind.LOGRATIO | Kind.SIGNED
    return replace(x.fact, range=ranges.REAL, kinds=kinds, ground=_NAMED, huge=_NAMED)


_TELLING: Mapping[Op, Callable[[Operand, Mapping[str, Operand]], Fact | None]] = MappingProxyType(
    {Op.LOG: _of_log, Op.LOG1P: _of_log1p, Op.SQRT: _of_root, Op.POW: _of_root, Op.EXP: _of_exp}
)
TELLING = frozenset(_TELLING)


# -- p and 1 - p -----------------------------------------------------------------------------------


def is_complement(one: Operand, other: Operand) -> bool:
    """`1 - p`, and p."""
    taken = _taken_from_one(one)
    return taken is not None and key_of(taken.node) == key_of(other.node)


def chosen_either_way(test: Operand, met: Operand, unmet: Operand) -> Fact | None:
    """`where(y == 1, p, 1 - p)`: the probability of what happened; not the larger of the two."""
    for part, rest in ((met, unmet), (unmet, met)):
        if not is_unknown(part.fact) or not is_complement(rest, part):
            continue
        if set(roots_of(part.node)).isdisjoint(roots_of(test.node)):
            return as_probability(part.fact)
    return None


def weighed_either_way(x: Operand, y: Operand) -> Fact | None:
    """`p * y + (1 - p) * (1 - y)`: the same, written as a sum."""
    first, second = x.fact.origin, y.fact.origin
    if first is None or second is None or not first.op is second.op is Op.MUL:
        return None
    mine, theirs = ([made.operands[name] for name in ("x", "y")] for made in (first, second))
    for a, b in (theirs, theirs[::-1]):
        if all(_is_opposite(*pair) for pair in ((mine[0], a), (mine[1], b))):
            return as_probability(x.fact) if is_unknown(x.fact) else None
    return None


def _is_opposite(one: Operand, other: Operand) -> bool:
    return is_complement(one, other) or is_complement(other, one)


@dataclass(frozen=True, slots=True, eq=False)
class _Term:
    """A log of a value or a division by it, or by what the value leaves of 1."""

    origin: Origin
    name: str  # of the operand
    value: Operand
    rest: bool
    weights: tuple[Operand, ...]
    guarded: bool = False  # by an epsilon


# An operation, and operands of it of which more is known by now.
Told = tuple[Origin, Mapping[str, Operand]]


def opposed(x: Operand, y: Operand) -> Iterator[Told]:
    """The operations in a sum that show each other's operand to be a probability.

    `y * log(p) + (1 - y) * log(1 - p)`, and its slope `y / p - (1 - y) / (1 - p)`. Not the density
    of a beta distribution, whose weights have nothing to do with each other.
    """
    first = _term(x.fact.origin)
    second = None if first is None else _term(y.fact.origin)
    if first is None or second is None or first.rest is second.rest:
        return
    key = key_of(first.value.node)
    if key is None or key != key_of(second.value.node) or not is_unknown(first.value.fact):
        return
    if tells_of_setting(label_of(first.value.node)):
        return
    if key in map(key_of, (weight.node for weight in (*first.weights, *second.weights))):
        return  # an entropy, and its logs are weighed by what they are taken of
    if _share_out(first.weights, second.weights):
        for term in (first, second):
            if not term.guarded:
                yield term.origin, {term.name: _told(term)}


def weighed_by_target(x: Operand, y: Operand) -> Iterator[Told]:
    """The log in `target * log(p)`: who weighs it by what is true has a cross-entropy, of a p that
    was handed over, or given by a network that is somewhere else.
    """
    for weight, factor in ((x, y), (y, x)):
        term = _term(factor.fact.origin)
        if term is None or term.rest or term.guarded or term.origin.op is not Op.LOG:
            continue
        if not is_handed(term.value.fact) or term.value.fact.form is Form.NUMBER:
            continue
        if key_of(term.value.node) is None or not _tells_of_target(weight):
            continue
        yield term.origin, {term.name: _told(term)}


def taken_for_loss(x: Operand, target: Operand) -> Iterator[Told]:
    """The log in `kl_div(p.log(), q)` and `nll_loss(log(p), y)`, which is of a probability."""
    term = _term(x.fact.origin)
    if term is None or term.rest or term.guarded or term.origin.op is not Op.LOG:
        return
    if is_unknown(term.value.fact) and key_of(term.value.node) is not None:
        yield term.origin, {term.name: _told(term)}


def _tells_of_target(weight: Operand) -> bool:
    origin = weight.fact.origin
    inner = origin.operands["x"] if origin is not None and origin.op is Op.NEG else weight
    return tells_of_distribution_aimed_at(label_of(inner.node))


def _share_out(one: tuple[Operand, ...], other: tuple[Operand, ...]) -> bool:
    """Whether weights are a label and its complement, or two masks."""
    if all(any(w.fact.is_any(Kind.MASK) for w in weights) for weights in (one, other)):
        return True
    return any(_is_opposite(a, b) for a in one for b in other)


def _term(
    origin: Origin | None, weights: tuple[Operand, ...] = (), deep: int = _DEEP
) -> _Term | None:
    if origin is None or not deep:
        return None
    if origin.op in _TAKEN:
        return _taken(origin, weights)
    if origin.op not in _WEIGHING:
        return None
    for name, factor in origin.operands.items():
        others = tuple(o for other, o in origin.operands.items() if other != name)
        if (term := _term(factor.fact.origin, (*weights, *others), deep - 1)) is not None:
            return term
    return None


def _taken(origin: Origin, weights: tuple[Operand, ...]) -> _Term | None:
    name = _TAKEN[origin.op]
    operand = origin.operands.get(name)
    if operand is None:
        return None
    if origin.op is Op.DIV:
        weights = (*weights, origin.operands["x"])
    inner = _without_epsilon(operand)
    made, guarded = inner.fact.origin, inner is not operand
    minus = made is not None and made.op is Op.NEG
    if origin.op is Op.LOG1P:
        return _Term(origin, name, made.operands["x"], True, weights) if made and minus else None
    if made is not None and made.op is Op.SUB and made.fact("x").constant == 1:
        return _Term(origin, name, made.operands["y"], True, weights, guarded)
    return _Term(origin, name, inner, False, weights, guarded)


def _without_epsilon(operand: Operand) -> Operand:
    """p of `p + 1e-8`."""
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.ADD:
        return operand
    terms = [term for term in origin.operands.values() if not term.fact.is_any(Kind.EPSILON)]
    return terms[0] if len(terms) == 1 else operand


_TAKEN: Mapping[Op, str] = MappingProxyType({Op.LOG: "x", Op.LOG1P: "x", Op.DIV: "y"})
_WEIGHING = frozenset({Op.MUL, Op.NEG, Op.SUM, Op.MEAN})


def _told(term: _Term) -> Operand:
    """The operand of a term, once its value is known to be a probability."""
    operand = term.origin.operands[term.name]
    probability = replace(term.value, fact=as_probability(term.value.fact))
    made = operand.fact.origin
    if not term.rest or made is None:
        return replace(operand, fact=probability.fact)
    inner = "x" if term.origin.op is Op.LOG1P else "y"
    made = replace(made, operands={**made.operands, inner: probability})
    told = replace(as_probability(operand.fact), origin=made)
    if term.origin.op is Op.LOG1P:
        told = replace(told, range=-ranges.UNIT, kinds=Kind.NONE)
    return replace(operand, fact=told)
