"""Lessons: what the calls of a function have in common, and what becomes of its parameters then."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from epslint.analysis import bare
from epslint.analysis.env import Env, Mode
from epslint.analysis.fact import (
    PROMISED,
    UNKNOWN,
    DType,
    Evidence,
    Fact,
    Form,
    Kind,
    joined,
    replace,
)
from epslint.analysis.frame import Heard, Lesson
from epslint.analysis.keys import key_of
from epslint.analysis.made.makers import is_ceiling
from epslint.analysis.origin import Operand
from epslint.analysis.program.signature import parameters, passed
from epslint.analysis.transfer.arrangement import is_drawn_index

_SUM = ".sum()"
_LITERALS = (bare.SimpleString, bare.Integer)
_NAMED_LITERALS = frozenset({"None", "True", "False"})
_FALSE = frozenset({"None", "False", "0", "''"})


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a function is called."""

    # Whether nobody else calls it. What a public function is given here its branches are not only
    # for, and whether a gradient is taken of it others decide.
    private: bool
    settled: Collection[str]  # the parameters that are never bound again
    usual: Mode  # of the file


# -- learning ----------------------------------------------------------------------------------


def learned(node: bare.FunctionDef, heard: Sequence[Heard], terms: Terms) -> Lesson | None:
    """What all of these calls have in common; None if it is nothing worth a second reading."""
    if not heard or any(each.starred for each in heard):
        return None
    given = [passed(node, h.positional, h.keywords, bound=h.bound) for h in heard]
    known = {
        name: joined([each[name].fact for each in given])
        for name in (parameter.name.value for parameter in parameters(node.params))
        if all(name in each and _tells(each[name].fact, terms) for each in given)
    }
    lesson = Lesson(
        known,
        _agreed([dict(_conditions(h, each)) for h, each in zip(heard, given, strict=True)]),
        dict(_settings(node, given, terms.settled)) if terms.private else {},
        _common([each.mode for each in heard], terms),
        private=terms.private,
    )
    told = known or lesson.said or lesson.settings
    return lesson if told or lesson.mode != _common([terms.usual], terms) else None


def _tells(fact: Fact, terms: Terms) -> bool:
    """Whether a fact rules something out that could be a hazard."""
    if fact.form is Form.OTHER:
        return False
    if fact.is_any(PROMISED) or (terms.private and not fact.grad):
        return True
    return not fact.range.has_zero or fact.range.bounded or _is_capped(fact)


def _is_capped(fact: Fact) -> bool:
    """Whether a value was given an upper bound, whichever it is: `clip(log_std, *limits)`."""
    makers = (fact.origin, *fact.rivals)
    return not fact.huge and all(is_ceiling(made) for made in makers)


def _conditions(heard: Heard, given: Mapping[str, Operand]) -> Iterator[tuple[str, Fact]]:
    """What conditions say of the arguments, in the words of the function that is called."""
    for parameter, operand in given.items():
        key = key_of(operand.node) or ""
        name = re.compile(rf"(?<![\w.]){re.escape(key)}(?!\w)")
        for text, fact in heard.said.get(key, {}).items():
            there = name.sub(parameter, text)
            yield there, fact
            if there.endswith(_SUM):  # what does not add up to 0 has something in it
                yield there.removesuffix(_SUM) + ".any()", fact


def _agreed(said: Sequence[Mapping[str, Fact]]) -> dict[str, Fact]:
    everywhere = set(said[0]).intersection(*said[1:])
    return {key: replace(joined([each[key] for each in said]), origin=None) for key in everywhere}


def _settings(
    node: bare.FunctionDef, given: Sequence[Mapping[str, Operand]], settled: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The parameters that are the same literal in every call, given or by default."""
    for parameter in parameters(node.params):
        name = parameter.name.value
        if name not in settled:
            continue
        values = [each[name].node if name in each else parameter.default for each in given]
        literals = {None if value is None else _literal(value) for value in values}
        if len(literals) == 1 and (literal := literals.pop()) is not None:
            yield name, literal


def _literal(node: bare.BaseExpression) -> str | None:
    plain = isinstance(node, _LITERALS) or (
        isinstance(node, bare.Name) and node.value in _NAMED_LITERALS
    )
    return key_of(node) if plain else None


def _common(modes: Sequence[Mode], terms: Terms) -> Mode:
    return Mode(
        grad=not terms.private or any(mode.grad for mode in modes),
        division_errors_handled=all(mode.division_errors_handled for mode in modes),
        numpy_errors_silenced=all(mode.numpy_errors_silenced for mode in modes),
    )


# -- teaching ----------------------------------------------------------------------------------


def teach(lesson: Lesson, env: Env, tick: Callable[[], int]) -> None:
    """Let the parameters that are bound in `env` be what the callers pass."""
    env.mode = replace(
        env.mode,
        grad=env.mode.grad and lesson.mode.grad,
        division_errors_handled=lesson.mode.division_errors_handled,
        numpy_errors_silenced=lesson.mode.numpy_errors_silenced,
    )
    for name, shown in lesson.parameters.items():
        fact = _refined(env.fact(name) or UNKNOWN, shown)
        grad = fact.grad and (shown.grad or not lesson.private)
        env.assign(name, replace(fact, grad=grad), tick())
    for key, fact in lesson.said.items():
        env.refine(key, fact, re.findall(r"\w+", key))
    for name, literal in lesson.settings.items():
        env.refine(_setting_key(name), Fact(parts=((literal, UNKNOWN),)), [name])


def _refined(told: Fact, shown: Fact) -> Fact:
    """What a parameter's name tells, as far as what it is given agrees.

    Without the origin: its names are the caller's, and mean something else here.
    """
    promised = shown.kinds & PROMISED
    if is_drawn_index(shown):
        promised &= ~Kind.DRAWN  # by which probabilities, only the caller knows
    fact = told.within(shown.range).plus(promised)
    return replace(
        fact,
        huge=Evidence.NONE if _is_capped(shown) else fact.huge,
        form=shown.form if fact.form is Form.UNKNOWN else fact.form,
        dtype=shown.dtype if fact.dtype is DType.UNKNOWN else fact.dtype,
        size=shown.size,
    )


# -- branches that no caller takes -------------------------------------------------------------


def decided(test: bare.BaseExpression, env: Env) -> bool | None:
    """Whether a test holds in every call; None if that depends."""
    decide = _DECIDED.get(type(test))
    return None if decide is None else decide(test, env)


def _setting_key(name: str) -> str:
    return f"{name} is set"


def _setting(node: bare.BaseExpression, env: Env) -> str | None:
    found = env.fact(_setting_key(node.value)) if isinstance(node, bare.Name) else None
    return None if found is None else str(found.parts[0][0])


def _truth(test: bare.Name, env: Env) -> bool | None:
    value = _setting(test, env)
    return None if value is None else value not in _FALSE


def _negation(test: bare.UnaryOperation, env: Env) -> bool | None:
    truth = decided(test.expression, env) if isinstance(test.operator, bare.Not) else None
    return None if truth is None else not truth


def _connection(test: bare.BooleanOperation, env: Env) -> bool | None:
    sides = {decided(test.left, env), decided(test.right, env)}
    deciding = isinstance(test.operator, bare.Or)  # one true side makes an `or` true
    if deciding in sides:
        return deciding
    return None if None in sides else not deciding


def _comparison(test: bare.Comparison, env: Env) -> bool | None:
    """`axis is not None`, `reduction == "mean"`."""
    if len(test.comparisons) != 1:
        return None
    (target,) = test.comparisons
    value, other = _setting(test.left, env), _literal(target.comparator)
    alike = _COMPARED.get(type(target.operator))
    return None if None in (value, other, alike) else (value == other) is alike


_COMPARED: Mapping[type[bare.Node], bool] = MappingProxyType(
    {bare.Is: True, bare.Equal: True, bare.IsNot: False, bare.NotEqual: False}
)
_DECIDED: Mapping[type[bare.Node], Callable[..., bool | None]] = MappingProxyType(
    {
        bare.Name: _truth,
        bare.UnaryOperation: _negation,
        bare.BooleanOperation: _connection,
        bare.Comparison: _comparison,
    }
)
