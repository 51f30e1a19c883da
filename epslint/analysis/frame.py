"""Frames: one execution of one function body by the interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from epslint.analysis import bare
from epslint.analysis.env import Env, Mode
from epslint.analysis.fact import Fact
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.site import Choice, Scope, Site
from epslint.analysis.unit import Unit
from epslint.outline import ClassOutline

Callee = bare.FunctionDef | bare.Lambda
Found = tuple[Unit, Callee, ClassOutline | None]  # a function of this file, and where it is


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """A call of a function of this file, as its caller makes it."""

    callee: Callee
    positional: Sequence[Operand]
    keywords: Mapping[str, Operand]
    bound: bool  # whether the callee is a method, and its self is not among these
    starred: bool  # whether `*args` hides which of them goes where
    mode: Mode
    # What conditions have said of things made of an argument: `if mask.any(): f(mask)`.
    said: Mapping[str, Mapping[str, Fact]]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What every visible caller of a function passes, and the mode they call it in."""

    parameters: Mapping[str, Fact]
    said: Mapping[str, Fact]  # of expressions with parameters in them
    settings: Mapping[str, str]  # parameters that are one and the same literal in every call
    mode: Mode
    private: bool  # whether nobody else calls it


@dataclass
class Frame:
    """What the execution of a body needs to know, and what it leaves behind."""

    unit: Unit
    scope: Scope
    owner: ClassOutline | None = None
    self_name: str = ""
    recording: bool = True  # a summary is computed without leaving sites
    # A `where` evaluates its branches twice: as they are, and as they are where they are chosen.
    choosing: Choice | None = None
    depth: int = 0
    serial: int = 0  # tells executions apart
    inner: bare.FunctionDef | None = None  # the function inside a function that is executed
    sites: dict[tuple[bare.Node, Op], Site] = field(default_factory=dict)
    uses: dict[bare.Node, dict[bare.Node, Op]] = field(default_factory=dict)
    functions: dict[str, Callee] = field(default_factory=dict)
    watched: tuple[str, ...] = ()  # the parameters whose facts are asked for at each return
    returns: list[tuple[Fact, dict[str, Fact | None]]] = field(default_factory=list)
    attributes: dict[str, Fact] = field(default_factory=dict)  # what was assigned to self.*
    calls: dict[bare.Call, Heard] = field(default_factory=dict)  # of functions of this file
    # What callers are seen to pass: to the function that is executed, and to those inside it.
    taught: Mapping[Callee, Lesson] = field(default_factory=dict)
    known: dict[tuple[int, str], Fact] = field(default_factory=dict)  # for `epslint facts`

    def leave(self, fact: Fact, env: Env) -> None:
        """Return: what is known now is noted now, for the environment is not done changing."""
        self.returns.append((fact, {name: env.left(name) for name in self.watched}))


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call of a function gives, and what is known of its arguments once it returned."""

    value: Fact
    arguments: Mapping[str, Fact]
