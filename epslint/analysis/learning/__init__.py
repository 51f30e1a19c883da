"""Learning: where the code shows that a gradient is taken, asked only by rules about gradients.

That nothing forbids a gradient shows none: most functions of a repository are never
differentiated and do not say so. So a gradient is evidence, as 0 and infinity are. It is shown by a
parameter or a submodule that a value came through, by `forward` of a module, by a loss that the
value goes into, by a public function of tensors. It is denied by the names of what only uses what
was learned.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from epslint.analysis.fact import Evidence
from epslint.analysis.keys import GIVING_PARAMETERS
from epslint.analysis.learning import words
from epslint.analysis.learning.flow import (
    NOT_SHOWN,
    PARAMETERS,
    Flow,
    Shown,
    Sources,
    better,
    parsed,
)
from epslint.analysis.learning.standing import is_for_anybody
from epslint.analysis.learning.weights import Weights
from epslint.glance import FunctionNode, children, descend, last_name, statements, walk
from epslint.outline import ClassOutline, FunctionOutline, Outline, Stretch

__all__ = ["NOT_SHOWN", "Learning", "Shown"]

_MAKING_PARAMETERS = PARAMETERS | GIVING_PARAMETERS
# A module that has nothing to learn hands on what it is given.
_STATELESS = re.compile(
    r"^(\w*(ReLU|ELU|Sigmoid|Softmax|Softplus|Tanh|Dropout\w*|Identity|Loss|Pool\w*|Flatten|Pad\w*))$"
)
_APPLIED = frozenset({"forward", "__call__", "call"})
_GRADIENT_TAKERS = frozenset(
    {"grad", "value_and_grad", "apply_gradient", "vjp", "jacrev", "jacfwd", "hessian"}
)


@dataclass(frozen=True, slots=True)
class _Place:
    """A function with the class that it is a method of."""

    function: FunctionNode
    owner: ClassOutline | None

    @property
    def me(self) -> str:
        given = [*self.function.args.posonlyargs, *self.function.args.args]
        return given[0].arg if self.owner is not None and given else ""


class Learning:
    """What one file shows of gradients; each function is read once, when somebody asks."""

    def __init__(self, outline: Outline, filename: str) -> None:
        self._outline = outline
        self._filename = filename
        self._beside = words.is_beside_learning(filename)
        self._of_losses = words.is_of_losses(filename)
        self._places: Mapping[int, _Place] = {}
        self._flows: dict[tuple[FunctionNode, int], Flow | None] = {}
        self._weights = Weights()
        self._sources: dict[ClassOutline, Sources] = {}
        self._taken: frozenset[str] | None = None
        self._calls: dict[str, list[tuple[_Place, ast.Call]]] | None = None

    def shown(self, stretch: Stretch, text: str, row: int) -> Shown:
        """How it is known that the expression `text`, on a line of a stretch, is learned."""
        place = self._place(stretch)
        if place is not None and self._is_denied(place):
            return NOT_SHOWN
        found = _flowing_into_loss(stretch, row)
        if found.evidence or place is None:
            return found
        flow = self._flow(place, row)
        return NOT_SHOWN if flow is None else flow.of(parsed(text))

    def is_denied(self, stretch: Stretch) -> bool:
        """Whether a function only uses what was learned, by its name or its class's: a scheduler, a
        sampler. A constructor makes what is learned later.
        """
        place = self._place(stretch)
        if place is None or place.function.name == "__init__":
            return False
        return self._is_denied(place)

    def is_constant(self, stretch: Stretch, text: str, row: int) -> bool:
        """Whether an expression has nothing in it of the weights that its function is handed."""
        place = self._place(stretch)
        return place is not None and not self._weights.are_in(place.function, text, row)

    def is_around(self, stretch: Stretch) -> bool:
        """Whether a function takes the gradient of one that is written in it: what it makes outside
        of that one is constant there.
        """
        place = self._place(stretch)
        if place is None:
            return False
        inner = {n.name for n in statements(place.function.body) if isinstance(n, FunctionNode)}
        return bool(inner) and not inner.isdisjoint(_handed_to_gradient(place.function))

    def _place(self, stretch: Stretch) -> _Place | None:
        if not self._places:
            self._places = {id(p.function): p for p in _places(self._outline)}
        return self._places.get(id(stretch.statements[0]))

    # -- what denies -------------------------------------------------------------------------

    def _is_denied(self, place: _Place) -> bool:
        name, owner = place.function.name, place.owner
        if words.tells_of_use(name) or name == "__init__":
            return True
        if words.tells_of_processing(name) and not self._of_losses:
            return True
        if owner is None:
            return False
        return any(words.tells_of_user(each) for each in (owner.name, *owner.bases))

    # -- what shows --------------------------------------------------------------------------

    def _flow(self, place: _Place, row: int) -> Flow | None:
        key = (place.function, row)
        if key not in self._flows:
            self._flows[key] = None  # what leads back to itself shows nothing
            flow = Flow(place.me, self._learned_by(place.owner), dict(self._start(place)))
            flow.run(place.function.body, row)
            self._flows[key] = flow
        return self._flows[key]

    def _start(self, place: _Place) -> Iterator[tuple[str, Shown]]:
        """The parameters that are learned when the function is called, nested ones too."""
        minimised = self._minimised(place)
        standing = minimised if minimised.evidence else self._standing(place)
        for node in walk(place.function):
            if not isinstance(node, FunctionNode):
                continue
            by_name = self._by_name(node)
            shown = better(standing, by_name)
            # A loss may be one of images; what a module is given as images is data.
            choosy = not (minimised.evidence or by_name.evidence)
            for name in _parameters(node):
                if words.tells_of_scale(name):
                    yield name, _named(f"`{name}` is learned, by its name", node)
                elif name != place.me and not (choosy and words.tells_of_data(name)):
                    yield name, shown
        yield from self._handed(place)

    def _minimised(self, place: _Place) -> Shown:
        """Whether a function is minimised, or its class is a loss."""
        by_name, owner = self._by_name(place.function), place.owner
        if by_name.evidence or owner is None:
            return by_name
        name = next((n for n in (owner.name, *owner.bases) if words.tells_of_loss(n)), None)
        return _named(f"`{name}` is minimised, by its name", place.function) if name else NOT_SHOWN

    def _standing(self, place: _Place) -> Shown:
        """What a function is by its class and its signature."""
        function, owner = place.function, place.owner
        if owner is not None and function.name in _APPLIED and self._is_module(owner):
            return _named(f"`{function.name}` of a module is differentiated", function)
        if owner is not None:
            formula = next((n for n in (owner.name, *owner.bases) if words.tells_of_formula(n)), "")
            text = f"`{formula}` is differentiated, by its name"
            return _named(text, function) if formula else self._of_file(function)
        at_large = not self._beside and not self._of_losses
        if at_large and is_for_anybody(function, self._filename):
            text = f"`{function.name}` maps tensors to tensors for anybody"
            untyped = function.returns is None
            return replace(_named(text, function), presumed=untyped, offered=True)
        return self._of_file(function)

    def _of_file(self, function: FunctionNode) -> Shown:
        """What a function is by its file: a helper of losses is differentiated with them."""
        text = f"`{function.name}` stands in a file of losses"
        return replace(_named(text, function), offered=True) if self._of_losses else NOT_SHOWN

    def _by_name(self, function: FunctionNode) -> Shown:
        if words.tells_of_loss(function.name):
            return _named(f"`{function.name}` is minimised, by its name", function)
        if function.name in self._differentiated():
            return Shown(Evidence.PROVEN, f"`{function.name}` is differentiated", function.lineno)
        return NOT_SHOWN

    def _differentiated(self) -> frozenset[str]:
        """The functions that are handed to `jax.grad` and its like."""
        if self._taken is None:
            self._taken = frozenset(_handed_to_grad(self._outline))
        return self._taken

    def _handed(self, place: _Place) -> Iterator[tuple[str, Shown]]:
        """What others in the file hand to a method of theirs, or to a function of the file's own.

        What is proven to be learned; of a function that nobody else can call, what is named too.
        """
        mine = place.owner is None
        if mine and not place.function.name.startswith("_"):
            return
        needed = Evidence.NAMED if mine else Evidence.PROVEN
        names = _parameters(place.function)[0 if mine else 1 :]
        for caller, call in self._calls_of(place.function.name):
            beside = caller.owner is place.owner or mine
            if not beside or caller.function is place.function or self._is_denied(caller):
                continue
            if (flow := self._flow(caller, call.lineno)) is not None:
                yield from _given(call, names, flow, needed)

    def _calls_of(self, name: str) -> list[tuple[_Place, ast.Call]]:
        """Where the functions of the file call one of this name, each of them read once."""
        if self._calls is None:
            self._calls = defaultdict(list)
            for place in self._places.values():
                for called, call in _calls_in(place):
                    self._calls[called].append((place, call))
        return self._calls.get(name, [])

    def _learned_by(self, owner: ClassOutline | None) -> Sources:
        if owner is None:
            return Sources()
        if owner not in self._sources:
            self._sources[owner] = self._read_class(owner)
        return self._sources[owner]

    def _read_class(self, owner: ClassOutline) -> Sources:
        parameters: dict[str, Shown] = {}
        submodules: dict[str, Shown] = {}
        module = self._is_module(owner)
        for each in self._outline.lineage(owner):
            for name, value in _attributes(each):
                made = last_name(value.func)
                if made in _MAKING_PARAMETERS or _asks_for_gradient(value):
                    text = f"`{name}` is a parameter of `{each.name}`"
                    parameters[name] = Shown(Evidence.PROVEN, text, value.lineno)
                elif module and _can_learn(made):
                    text = f"`{name}` is a submodule of `{each.name}`"
                    submodules[name] = Shown(Evidence.PROVEN, text, value.lineno)
        return Sources(parameters, submodules)

    def _is_module(self, owner: ClassOutline) -> bool:
        """A class with a `forward`; that of an `autograd.Function` has a `backward`."""
        lineage = list(self._outline.lineage(owner))
        if any("Function" in each.bases or "backward" in each.methods for each in lineage):
            return False
        named = any(base in ("Module", "Layer") for each in lineage for base in each.bases)
        return named or any("forward" in each.methods and each.bases for each in lineage)


def _asks_for_gradient(call: ast.Call) -> bool:
    """`torch.zeros(1, requires_grad=True)`, `torch.zeros(1).requires_grad_()`."""
    if last_name(call.func) == "requires_grad_":
        return True
    asked = (k.value for k in call.keywords if k.arg == "requires_grad")
    return any(isinstance(value, ast.Constant) and value.value is True for value in asked)


def _can_learn(made: str) -> bool:
    """Whether what a class of this name makes has something to learn."""
    return made[:1].isupper() and not _STATELESS.match(made) and not words.tells_of_user(made)


def _named(text: str, function: FunctionNode) -> Shown:
    return Shown(Evidence.NAMED, text, function.lineno)


def _places(outline: Outline) -> Iterator[_Place]:
    for function in outline.defined:
        yield from _place_of(function, None)
    for owner in outline.owners:
        for method in owner.defined:
            yield from _place_of(method, owner)


def _place_of(function: FunctionOutline, owner: ClassOutline | None) -> Iterator[_Place]:
    node = function.stretch.statements[0]
    if isinstance(node, FunctionNode):
        yield _Place(node, owner)


def _parameters(function: FunctionNode) -> list[str]:
    given = function.args
    return [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _handed_to_grad(outline: Outline) -> Iterator[str]:
    stretches = [*outline.body, *(f.stretch for f in outline.defined)]
    stretches += [m.stretch for c in outline.owners for m in c.defined]
    for stretch in stretches:
        for statement in stretch.statements:
            yield from _handed_to_gradient(statement)


_CALLS = frozenset({ast.Call})


def _handed_to_gradient(statement: ast.stmt) -> Iterator[str]:
    for node in descend(statement, _CALLS):
        if isinstance(node, ast.Call) and last_name(node.func) in _GRADIENT_TAKERS:
            yield from (last_name(a) for a in node.args[:1])


def _attributes(owner: ClassOutline) -> Iterator[tuple[str, ast.Call]]:
    """The attributes of a class that are given the result of a call."""
    for method in owner.defined:
        for node in walk(method.stretch.statements[0]):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        yield target.attr, node.value


def _calls_in(place: _Place) -> Iterator[tuple[str, ast.Call]]:
    """The calls of functions by their names, and of methods of its own self."""
    for node in walk(place.function):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            yield node.func.id, node
        elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            yield node.func.attr, node


def _given(
    call: ast.Call, names: list[str], flow: Flow, needed: Evidence
) -> Iterator[tuple[str, Shown]]:
    pairs = [*zip(names, call.args, strict=False)]
    pairs += [(k.arg, k.value) for k in call.keywords if k.arg in names]
    for name, value in pairs:
        shown = flow.of(value)
        if name is not None and shown.evidence >= needed:
            yield name, shown


def _flowing_into_loss(stretch: Stretch, row: int) -> Shown:
    """Whether the statement on a line makes a loss, or something that a loss is made of."""
    statement = _statement_on(stretch, row)
    targets = {n.id for n in _bound(statement)} if statement is not None else set()
    if not targets:
        return NOT_SHOWN
    nodes = [node for outer in stretch.statements for node in walk(outer)]
    for name in sorted(targets):
        if words.tells_of_loss(name) and not _is_recorded(name, nodes):
            return Shown(Evidence.NAMED, f"`{name}` is minimised, by its name", row)
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AugAssign) and _reads(node.value, targets):
            loss = next((n.id for n in _bound(node) if words.tells_of_loss(n.id)), None)
            if loss is not None and not _is_recorded(loss, nodes):
                return Shown(Evidence.NAMED, f"it goes into `{loss}`", node.lineno)
    return NOT_SHOWN


def _is_recorded(name: str, nodes: list[ast.AST]) -> bool:
    """Whether a loss is only written down: it is read out, and goes nowhere else."""
    asked = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
    }
    returned = any(isinstance(n, ast.Return) and n.value and _reads(n.value, {name}) for n in nodes)
    return "item" in asked and "backward" not in asked and not returned


def _statement_on(stretch: Stretch, row: int) -> ast.stmt | None:
    """The innermost statement on a line."""
    found: ast.stmt | None = None
    waiting: list[ast.AST] = list(stretch.statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt) and _is_on(row, node, found):
            found = node
        waiting.extend(children(node))
    return found


def _is_on(row: int, node: ast.stmt, outer: ast.stmt | None) -> bool:
    inside = outer is None or node.lineno >= outer.lineno
    return inside and node.lineno <= row <= (node.end_lineno or 0)


def _bound(node: ast.stmt) -> Iterator[ast.Name]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        yield from (n for n in walk(target) if isinstance(n, ast.Name))


def _reads(node: ast.expr, names: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in walk(node))
