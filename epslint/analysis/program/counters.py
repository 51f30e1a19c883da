"""Counters: attributes that are added to before a method is entered, or by a method that is called.

Asked only where a count that starts at 0 is divided by, and read off `ast`: what is added on every
path is a matter of order, not of values.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from epslint.attributes import self_of
from epslint.glance import FunctionNode, children, descend, last_name, suites
from epslint.outline import ClassOutline, FunctionOutline, Outline

_RUNNING_THROUGH = (ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)  # a loop runs once


_WINDOW = re.compile(r"slice|window|region|patch|crop|roi")


@dataclass(frozen=True, slots=True)
class _Mention:
    """A place where a method is spoken of, and what has been added to by then."""

    caller: str
    own: bool  # of the object itself
    called: bool  # else it is handed to somebody
    moved: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Addition:
    """`self.to += …`, and `self.to[place] += …`."""

    to: str
    place: ast.expr | None = None


class Counters:
    """Answers for the classes of one file."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._moves: dict[FunctionOutline, frozenset[str]] = {}
        self._words: dict[FunctionOutline, frozenset[str]] = {}
        self._added: dict[FunctionOutline, tuple[_Addition, ...]] = {}

    def moved_by(self, function: FunctionOutline) -> frozenset[str]:
        """The attributes that a method adds to, whatever path it takes."""
        if function not in self._moves:
            node, moved = _definition(function), set[str]()
            if (me := self_of(node)) and (function.assigns or self._added_by(function)):
                deque(_Walk(function.name, me).through(node.body, moved), maxlen=0)
            self._moves[function] = frozenset(moved)
        return self._moves[function]

    def is_filled(self, owner: ClassOutline, attribute: str) -> bool:
        """Whether some method puts something into it: `self.tree[i] = p`."""
        methods = (m for each in self._outline.lineage(owner) for m in each.defined)
        if any(_puts_into(method, attribute) for method in methods):
            return True
        places = (each.place for each in self._additions(owner, attribute))
        return any(place is not None and _is_window(place) for place in places)

    def grows(self, owner: ClassOutline, attribute: str) -> bool:
        """Whether some method adds to it."""
        return any(each.place is None for each in self._additions(owner, attribute))

    def grows_here_and_there(self, owner: ClassOutline, attribute: str) -> bool:
        """Whether some method adds to single elements of it: `self.seen[label] += 1`."""
        places = (each.place for each in self._additions(owner, attribute))
        return any(place is not None and not _is_window(place) for place in places)

    def entries_added_to(self, owner: ClassOutline, attribute: str) -> frozenset[str]:
        """The entries of a mapping that some method adds to: `self.metrics["seen"] += 1`."""
        places = (each.place for each in self._additions(owner, attribute))
        return frozenset(text for text in map(_text, places) if text is not None)

    def _additions(self, owner: ClassOutline, attribute: str) -> Iterator[_Addition]:
        for each in self._outline.lineage(owner):
            for method in each.defined:
                yield from (found for found in self._added_by(method) if found.to == attribute)

    def _added_by(self, method: FunctionOutline) -> tuple[_Addition, ...]:
        if method not in self._added:
            self._added[method] = tuple(_additions_in(_definition(method)))
        return self._added[method]

    def moved_before(
        self, owner: ClassOutline, method: str, attribute: str, seen: frozenset[str] = frozenset()
    ) -> bool:
        """Whether everybody who calls a private method has added to the attribute first, or what
        comes before it by protocol has.
        """
        if self._is_opened(owner, method, attribute):
            return True
        if not _is_private(method) or method in seen:
            return False
        mentions = list(self._mentions(owner, method))
        return bool(mentions) and all(
            mention.own
            and mention.called
            and (
                attribute in mention.moved
                or self.moved_before(owner, mention.caller, attribute, seen | {method})
            )
            for mention in mentions
        )

    def _is_opened(self, owner: ClassOutline, method: str, attribute: str) -> bool:
        """Callbacks come in pairs: `pre_step` has run before `post_step` does."""
        openings = set(_opening(method))
        return any(
            attribute in self.moved_by(function)
            for each in (self._outline.lineage(owner) if openings else ())
            for function in each.defined
            if function.name in openings
        )

    def _mentions(self, owner: ClassOutline, method: str) -> Iterator[_Mention]:
        """Where a method is called or handed on, in the file; another class may have one that is
        called the same.
        """
        for each in self._outline.owners:
            related = self._is_related(owner, each)
            for function in each.defined:
                for mention in self._mentions_in(function, method):
                    if related or not mention.own:
                        yield mention
        for function in self._outline.defined:
            yield from self._mentions_in(function, method)

    def _mentions_in(self, function: FunctionOutline, method: str) -> Iterator[_Mention]:
        node = _definition(function)
        if function not in self._words:  # most functions never speak of it
            attributes = (n.attr for n in descend(node) if isinstance(n, ast.Attribute))
            self._words[function] = frozenset(attributes)
        if method in self._words[function]:
            yield from _Walk(function.name, self_of(node) or "", method).through(node.body, set())

    def _is_related(self, one: ClassOutline, other: ClassOutline) -> bool:
        lineage = self._outline.lineage
        return other in lineage(one) or one in lineage(other)


def moved_key(path: str) -> str:
    """Under which key an environment knows that a count has been added to by a call."""
    return f"{path}+"


@dataclass(frozen=True, slots=True)
class _Walk:
    """Goes through a method in the order of execution, looking for another one."""

    caller: str
    me: str
    method: str = ""

    def through(self, body: Sequence[ast.stmt], moved: set[str]) -> Iterator[_Mention]:
        for statement in body:
            for part in children(statement):
                if not isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
                    yield from self._spoken_of(part, frozenset(moved))
            for suite in suites(statement):
                branch = set(moved)
                yield from self.through(suite, branch)
                if isinstance(statement, _RUNNING_THROUGH) and suite is statement.body:
                    moved |= branch
            self._note(statement, moved)

    def _spoken_of(self, node: ast.AST, moved: frozenset[str]) -> Iterator[_Mention]:
        if not self.method:
            return
        called = {id(n.func) for n in descend(node) if isinstance(n, ast.Call)}
        for each in descend(node):
            if isinstance(each, ast.Attribute) and each.attr == self.method:
                own = isinstance(each.value, ast.Name) and each.value.id == self.me
                yield _Mention(self.caller, own, id(each) in called, moved)

    def _note(self, statement: ast.stmt, moved: set[str]) -> None:
        if isinstance(statement, ast.AugAssign):
            if (name := self._own(statement.target)) and isinstance(statement.op, ast.Add):
                moved.add(name)
        elif isinstance(statement, ast.Assign):
            for name in filter(None, map(self._own, statement.targets)):
                (moved.add if self._adds_to(name, statement.value) else moved.discard)(name)

    def _own(self, node: ast.expr) -> str:
        """What is the object's own: `n` of `self.n`, `stats['n']` of `self.stats["n"]`."""
        if isinstance(node, ast.Subscript) and (entry := _text(node.slice)) is not None:
            holder = self._own(node.value)
            return f"{holder}['{entry}']" if holder else ""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return ""
        return node.attr if node.value.id == self.me else ""

    def _adds_to(self, name: str, value: ast.expr) -> bool:
        """`self.n + 1`, to be put into `self.n`."""
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Add):
            return False
        return name in (self._own(value.left), self._own(value.right))


def _puts_into(function: FunctionOutline, attribute: str) -> bool:
    """`self.std[i] = x`, `self.std.data = x`, `self.std.data.copy_(x)`."""
    nodes = descend(_definition(function), _CHANGING)
    return any(last_name(place) == attribute for node in nodes for place in _put_into(node))


_CHANGING = frozenset({ast.Assign, ast.Attribute})
_STORING = frozenset({"copy_", "set_", "lerp_", "fill_"})


def _put_into(node: ast.AST) -> Iterator[ast.expr]:
    """What an assignment or a method gives another content."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                yield _holder(target.value)
            elif last_name(target) == "data":
                yield _holder(target)
    elif isinstance(node, ast.Attribute) and node.attr in _STORING:
        yield _holder(node.value)


def _holder(node: ast.expr) -> ast.expr:
    """`self.std` of `self.std.data`."""
    return node.value if isinstance(node, ast.Attribute) and node.attr == "data" else node


# The ends of what is called back in pairs, and what they are at the beginning.
_PAIRED = (("post_", "pre_"), ("after_", "before_"), ("_end", "_start"), ("_end", "_begin"))


def _opening(method: str) -> Iterator[str]:
    """`pre_step` of `post_step`, `on_train_batch_start` of `on_train_batch_end`."""
    for end, beginning in _PAIRED:
        if method.startswith(end) or (method.startswith("on_") and method.endswith(end)):
            yield method.replace(end, beginning)


_ADDING = frozenset({ast.AugAssign})


def _additions_in(node: FunctionNode) -> Iterator[_Addition]:
    me = self_of(node)
    for each in descend(node, _ADDING):
        target: ast.expr | None = each.target if isinstance(each, ast.AugAssign) else None
        place = target.slice if isinstance(target, ast.Subscript) else None
        holder = target.value if isinstance(target, ast.Subscript) else target
        if not isinstance(holder, ast.Attribute) or not isinstance(holder.value, ast.Name):
            continue
        if holder.value.id == me:
            yield _Addition(holder.attr, place)


def _is_window(place: ast.expr) -> bool:
    """Whether many elements are added to at once: windows are laid so that they cover all."""
    named = isinstance(place, ast.Name) and _WINDOW.search(place.id) is not None
    return named or isinstance(place, ast.Slice | ast.Tuple)


def _text(node: ast.expr | None) -> str | None:
    written = node.value if isinstance(node, ast.Constant) else None
    return written if isinstance(written, str) else None


def _is_private(method: str) -> bool:
    return method.startswith("_") and not method.endswith("__")


def _definition(function: FunctionOutline) -> ast.FunctionDef | ast.AsyncFunctionDef:
    (node,) = function.stretch.statements
    assert isinstance(node, FunctionNode)
    return node
