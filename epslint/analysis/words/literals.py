"""Literals: what numbers, collections and the constants of libraries are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from epslint.analysis import bare, ranges
from epslint.analysis.fact import (
    NOT_A_NUMBER,
    DType,
    Evidence,
    Fact,
    Form,
    Kind,
    Part,
    joined,
    number,
    replace,
)
from epslint.analysis.keys import called, evaluated
from epslint.analysis.words import names
from epslint.analysis.words.libraries import DTYPES, function

CONSTANTS: Mapping[str, Fact] = MappingProxyType(
    {
        "True": number(1, DType.BOOL),
        "False": number(0, DType.BOOL),
        "None": NOT_A_NUMBER,
        "int": replace(NOT_A_NUMBER, dtype=DType.INT),
        "math.pi": number(3.141592653589793),
        "numpy.pi": number(3.141592653589793),
        "torch.pi": number(3.141592653589793),
        "math.e": number(2.718281828459045),
        "numpy.e": number(2.718281828459045),
        "math.inf": number(ranges.INF),
        "numpy.inf": number(ranges.INF),
        "torch.inf": number(ranges.INF),
        "jax.numpy.inf": number(ranges.INF),
        "sys.float_info.epsilon": number(2.0**-52),
        "sys.float_info.min": number(2.0**-1022),
    }
)


def collection(facts: Sequence[Fact], elements: Sequence[bare.BaseElement]) -> Fact:
    if not facts:
        return Fact(form=Form.LIST, grad=False)  # empty now, and there to be filled
    starred = any(isinstance(element, bare.StarredElement) for element in elements)
    size = ranges.SOME if starred else ranges.point(float(len(facts)))
    # Of several things none is the count that the others are divided by.
    several = joined(facts).minus(Kind.RUNNING) if len(facts) > 1 else facts[0]
    found = replace(several, form=Form.LIST, size=size, parts=_positions(facts, starred))
    if found.constant is not None:
        return found
    shown = (f.zero for f in facts if not _is_written(f))
    return replace(found, zero=max(shown, default=Evidence.NONE))


def _is_written(fact: Fact) -> bool:
    """A 0 among other values is where it is meant to be: `cat([sigmas, zeros(1)])`."""
    return fact.constant is not None or fact.size.constant == 1


def _positions(facts: Sequence[Fact], starred: bool) -> tuple[Part, ...]:
    """The elements one by one, of a literal short enough to be taken apart again."""
    return () if starred or len(facts) > 12 else tuple(enumerate(facts))


@cache
def literal_number(literal: str) -> Fact:
    value = evaluated(literal)
    assert isinstance(value, int | float)
    try:
        return number(float(value), DType.INT if isinstance(value, int) else DType.UNKNOWN)
    except OverflowError:
        return number(ranges.INF, DType.INT)


def library_value(path: str) -> Fact:
    if (constant := CONSTANTS.get(path)) is not None:
        return constant
    name = path.rpartition(".")[2]
    if name in DTYPES and path.partition(".")[0] in ("torch", "numpy", "jax", "tensorflow"):
        return replace(NOT_A_NUMBER, dtype=DType(DTYPES[name]))
    if function(path) is not None:
        return replace(NOT_A_NUMBER, function=path)
    return names.named(name)


def entries(node: bare.BaseExpression) -> Iterator[tuple[str, bare.BaseExpression]]:
    """What stands under which name in `{"kl": kl}`, and in `dict(kl=kl)`."""
    if type(node) is bare.Dict:
        for element in node.elements:
            if type(element) is bare.DictElement and type(element.key) is bare.SimpleString:
                yield str(evaluated(element.key.value)), element.value
    elif type(node) is bare.Call and called(node) == "dict":
        yield from ((a.keyword.value, a.value) for a in node.args if a.keyword is not None)
