"""Callers: what the calls in this file show of a function's parameters.

A function is read on its own first, with what the names of its parameters tell. Only when a rule
has something to say of it are its callers asked: if every one of them is seen, and passes what is
known to be positive, bounded or drawn at random, the function is read once more with that, and the
rule is asked again. So callers take findings away and never add one, and a file without findings
pays nothing for them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from epslint.analysis import bare
from epslint.analysis.env import Env
from epslint.analysis.frame import Callee, Frame, Heard, Lesson
from epslint.analysis.keys import called
from epslint.analysis.program.lessons import Terms, learned, teach
from epslint.analysis.site import Site
from epslint.depth import with_room
from epslint.glance import called_by, descend, last_name
from epslint.outline import ClassOutline, FunctionOutline, Stretch

if TYPE_CHECKING:
    from epslint.analysis.model import Model

# Who tries a function out shows what it can be given, not what it is given.
_TRYING = re.compile(r"^_*(test|demo|example|bench|debug|check|try|sanity|profile|plot|vis)")
_LONGEST_DEMONSTRATION = 60  # lines; what is longer is a program
_SELVES = frozenset({"self", "cls", "super"})
# Decorators that hand a function to nobody else.
_KEEPING = re.compile(
    r"^(staticmethod|classmethod|jit|pjit|script|compile|no_grad|inference_mode|enable_grad|"
    r"cache|lru_cache|wraps|njit|function|nn_module|autocast|typechecked|torch_jit_\w+|"
    r"script_if_tracing|ignore|unused|checkpoint|named_call|record_function|disable|overload)$"
)


# Nodes that mention something, call it or bind it.
_SPEAKING = frozenset({ast.Name, ast.Attribute, ast.Call, ast.arg})


@dataclass(frozen=True, eq=False)
class _Home:
    """Where calls can stand: a function, or statements outside of all."""

    stretches: Sequence[Stretch]
    function: FunctionOutline | None
    owner: ClassOutline | None

    @property
    def trying(self) -> bool:
        """Whether a function is only tried out here."""
        name = "test" if self.function is None else self.function.name
        return _TRYING.match(name) is not None

    @cached_property
    def mentions(self) -> Counter[str]:
        """The names that are read here, and how often: called, or handed on."""
        return Counter(filter(None, map(_mentioned, self._nodes)))

    @cached_property
    def calls(self) -> Counter[str]:
        """The names that are called as functions here, or on `self` or a class."""
        return Counter(name for node in self._nodes if (name := _callee(node)))

    @cached_property
    def _nodes(self) -> Sequence[ast.AST]:
        written = [each for stretch in self.stretches for each in stretch.statements]
        return [node for each in written for node in descend(each, _SPEAKING)]

    @cached_property
    def settled(self) -> frozenset[str]:
        """The parameters, of the function and of those inside it, that are never bound again."""
        nodes = self._nodes
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return frozenset(n.arg for n in nodes if isinstance(n, ast.arg)) - bound


class Callers:
    """Knows the callers of one file's functions; each function is read for them once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._heard: dict[Stretch, Sequence[Heard]] = {}
        self._lessons: dict[FunctionOutline, Mapping[Callee, Lesson]] = {}
        self._frames: dict[FunctionOutline, Frame] = {}
        model.rooms.append(self)

    # -- what the interpreter tells and asks -------------------------------------------------

    def listen(self, frame: Frame) -> None:
        """Keep the calls that a frame makes."""
        self._heard[frame.unit.stretch] = tuple(frame.calls.values())

    def teach(self, node: Callee, frame: Frame, env: Env) -> None:
        """Let the parameters be what callers are seen to pass."""
        if frame.taught and (lesson := frame.taught.get(node)) is not None:
            teach(lesson, env, self._model.tick)

    def seen(self, site: Site) -> Site | None:
        """A site as it is when its function is called as this file calls it."""
        home = self._home_of.get(site.unit.stretch)
        if home is None or home.function is None:
            return site
        frame = with_room(lambda: self._frame_as_called(home, site.scope.function))
        if frame is None:
            return site
        found = frame.sites.get((site.node, site.op))
        return None if found is None else self._model.finished(found, frame)

    # -- homes -------------------------------------------------------------------------------

    @cached_property
    def _homes(self) -> Sequence[_Home]:
        return tuple(self._find_homes())

    def _find_homes(self) -> Iterator[_Home]:
        outline = self._model.outline
        yield _Home(outline.body, None, None)
        for function in outline.defined:
            yield _Home([function.stretch], function, None)
        for owner in outline.owners:
            yield _Home(owner.body, None, owner)
            for method in owner.defined:
                yield _Home([method.stretch], method, owner)

    @cached_property
    def _home_of(self) -> Mapping[Stretch, _Home]:
        return {stretch: home for home in self._homes for stretch in home.stretches}

    @cached_property
    def _mentioning(self) -> Mapping[str, Sequence[_Home]]:
        found: dict[str, list[_Home]] = defaultdict(list)
        for home in self._homes:
            for name in home.mentions:
                found[name].append(home)
        return found

    # -- calls -------------------------------------------------------------------------------

    def _calls_in(self, home: _Home) -> Sequence[Heard]:
        """The calls that are made there; what nobody was suspicious of is read now."""
        if any(stretch not in self._heard for stretch in home.stretches):
            if home.function is not None:
                self._model.function_frame(home.function, home.owner)
            else:
                for _ in self._model.body_frames(home.stretches, home.owner):
                    pass  # each is listened to as it is read
        return [heard for stretch in home.stretches for heard in self._heard[stretch]]

    def _frame_as_called(self, home: _Home, within: str) -> Frame | None:
        """A function read with what its callers pass; None where that tells nothing of what is
        `within` the function or one inside it.
        """
        function = home.function
        assert function is not None
        if function not in self._lessons:
            self._lessons[function] = {}  # what leads back to itself shows nothing
            self._lessons[function] = dict(self._taught(home))
        taught = self._lessons[function]
        if {within, function.name}.isdisjoint(map(_name_of, taught)):
            return None
        if function not in self._frames:
            self._frames[function] = self._model.function_frame(function, home.owner, taught)
        return self._frames[function]

    def _taught(self, home: _Home) -> Iterator[tuple[Callee, Lesson]]:
        assert home.function is not None
        node = self._model.definition(home.function)[1]
        if (lesson := self._lesson(node, home)) is not None:
            yield node, lesson
        calls = self._calls_in(home)
        callees = (heard.callee for heard in calls)
        for inner in dict.fromkeys(c for c in callees if isinstance(c, bare.FunctionDef)):
            mentioned = home.mentions[inner.name.value]
            mine = [heard for heard in calls if heard.callee is inner]
            if inner is node or len(mine) != mentioned or not _is_kept(inner):
                continue
            terms = Terms(True, home.settled, self._model.mode)
            if (lesson := learned(inner, mine, terms)) is not None:
                yield inner, lesson

    def _lesson(self, node: bare.FunctionDef, home: _Home) -> Lesson | None:
        """What all callers of a function of the module or of a class pass, if all are seen."""
        name = node.name.value
        if not _is_kept(node) or name.startswith("__") or name in ("forward", "call"):
            return None
        homes = self._mentioning.get(name, ())
        if not self._is_program and all(each.trying for each in homes):
            return None
        if any(each.calls[name] != each.mentions[name] for each in homes):
            return None  # handed on somewhere, or called on an object of whom nothing is known
        calls = [h for each in homes for h in self._calls_in(each) if _name_of(h.callee) == name]
        if len(calls) != sum(each.mentions[name] for each in homes):
            return None
        private = name.startswith("_") or self._is_program
        terms = Terms(private, home.settled, self._model.mode)
        heard = [each for each in calls if each.callee is node]
        lesson = learned(node, heard, terms)
        if lesson is not None and len(lesson.parameters) == len(heard[0].positional):
            return lesson  # all that there is to know
        return learned(node, list(self._heard_as_called(node, homes)), terms)

    @cached_property
    def _is_program(self) -> bool:
        """Whether the file is run and not imported: what stands outside its functions is long."""
        body = self._model.outline.body
        return sum(s.rows.last - s.rows.first + 1 for s in body) > _LONGEST_DEMONSTRATION

    def _heard_as_called(self, node: Callee, homes: Sequence[_Home]) -> Iterator[Heard]:
        """The same calls where their callers are read with what *their* callers pass."""
        for home in homes:
            function = home.function
            frame = None if function is None else self._frame_as_called(home, function.name)
            calls = self._calls_in(home) if frame is None else frame.calls.values()
            yield from (heard for heard in calls if heard.callee is node)


def _mentioned(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def _callee(node: ast.AST) -> str | None:
    if not isinstance(node, ast.Call):
        return None
    func = node.func
    if isinstance(func, ast.Attribute):
        owner = called_by(func.value)
        named = last_name(owner)
        known = isinstance(owner, ast.Name) and (named in _SELVES or named[:1].isupper())
        return func.attr if known else None
    return last_name(func)


def _name_of(callee: Callee) -> str:
    return callee.name.value if isinstance(callee, bare.FunctionDef) else ""


def _is_kept(node: bare.FunctionDef) -> bool:
    return all(_KEEPING.match(called(each.decorator)) for each in node.decorators)
