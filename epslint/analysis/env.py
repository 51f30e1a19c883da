"""Environments: what each name, attribute path or guarded expression is known to be, here.

Layered, so that a branch costs what it assigns and not what is in scope: a child holds only its
own changes, and a join looks at nothing else. A key is the text of an expression without spaces
(`n`, `self.eps`, `mask.sum()`); assigning a name forgets the keys that mention it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from epslint.analysis.fact import DType, Evidence, Fact, Kind, joined, replace
from epslint.analysis.made.makers import meaning_of


@dataclass(frozen=True, slots=True)
class Binding:
    """A fact and when it was bound; `fact` is None where a key was forgotten."""

    fact: Fact | None
    clock: int
    partly: Fact | None = None  # what it is on the paths that bound it, where others did not


_UNBOUND = Binding(None, 0)


@dataclass(frozen=True, slots=True)
class Case:
    """What a name was given where a test held, and where it did not."""

    name: str
    met: Fact
    unmet: Fact
    clock: int  # when it was bound; once it is bound again the case is closed
    roots: frozenset[str]  # of the test


@dataclass(frozen=True, slots=True)
class Mode:
    """What the surrounding `with`, `try` and decorators say."""

    grad: bool = True
    around: bool = False  # around the function that is differentiated: in it, all here is constant
    rehearsal: bool = False  # a test or a benchmark
    trains: bool = True  # nothing does in a file of numpy, and in an environment
    division_errors_handled: bool = False  # try/except ZeroDivisionError
    numpy_errors_silenced: bool = False  # np.errstate(divide="ignore")
    gathered: bool = False  # inside a loop over what the object has gathered
    turned: bool = False  # a loop has begun: what is learned may have moved since it was made
    double: bool = False  # float64 is the usual type in this file
    near: bool = False  # two policies are: somebody has left where their divergence is large
    autocast: DType = DType.UNKNOWN  # of the products of matrices, under torch.autocast


def _where_bound(paths: Sequence[Binding]) -> Fact | None:
    """What a key is on those of several paths that bound it, if none of them has forgotten it."""
    bound = [binding.fact or binding.partly for binding in paths if binding.clock]
    known = [fact for fact in bound if fact is not None]
    return joined(known) if known and len(known) == len(bound) else None


class Env:
    """One layer of bindings over a parent."""

    def __init__(self, parent: Env | None = None, mode: Mode | None = None) -> None:
        self._parent = parent
        self._bindings: dict[str, Binding] = {}
        # In order, as all that is gone through is: what is found out must not depend on hashes.
        self._mentions: dict[str, dict[str, None]] = {}
        self.mode: Mode = mode or (parent.mode if parent else Mode())
        # By what was asked. All branches share them: which of them hold, the clocks tell.
        self.cases: dict[str, list[Case]] = parent.cases if parent else {}
        # What was given to which names, by what it means: `n = mask.sum()`.
        self.meant: dict[str, dict[str, None]] = parent.meant if parent else {}
        # The executions whose names are the names here: this one, and those of functions around.
        self.frames: frozenset[int] = parent.frames if parent else frozenset()

    def child(self) -> Env:
        return Env(self)

    def turn(self) -> Env:
        """From here on what is learned may have moved: in a loop, and after one."""
        if not self.mode.turned:
            self.mode = replace(self.mode, turned=True)
        return self

    def enter(self, frame: int) -> None:
        self.frames |= {frame}

    # -- looking up --------------------------------------------------------------------------

    def binding(self, key: str) -> Binding | None:
        layer: Env | None = self
        while layer is not None:
            if (found := layer._bindings.get(key)) is not None:
                return found
            layer = layer._parent
        return None

    def fact(self, key: str) -> Fact | None:
        layer: Env | None = self  # as in `binding`, for this is what is asked most
        while layer is not None:
            if (found := layer._bindings.get(key)) is not None:
                return found.fact
            layer = layer._parent
        return None

    def left(self, key: str) -> Fact | None:
        """What a key is where it was bound: `if train: self.std = std` leaves it or changes it."""
        found = self.binding(key)
        return None if found is None else found.fact or found.partly

    def said_of(self, key: str) -> dict[str, Fact]:
        """What conditions say of things made of `key`: that they are not 0."""
        found = ((each, self.fact(each)) for each in self._keys_mentioning(key))
        return {each: fact for each, fact in found if fact is not None and not fact.range.has_zero}

    def assigned_after(self, name: str, clock: int) -> bool:
        """Whether the name was bound again after that moment."""
        found = self.binding(name)
        return found is not None and found.clock > clock

    # -- binding -----------------------------------------------------------------------------

    def assign(self, name: str, fact: Fact, clock: int) -> None:
        """A new value for a name or path: whatever was known through the old one is forgotten."""
        for key in self._keys_mentioning(name):
            self._bindings[key] = Binding(None, clock)
        self._bindings[name] = Binding(fact, clock)
        self._note(name)
        if (meaning := meaning_of(fact)) is not None:
            self.meant.setdefault(meaning, {})[name] = None

    def refine(self, key: str, fact: Fact, roots: Iterable[str] = ()) -> None:
        """More about the same value: nothing is forgotten."""
        old = self.binding(key)
        self._bindings[key] = Binding(fact, old.clock if old else 0)
        self._note(key, roots)

    def drop_zero(self, key: str, kinds: Kind = Kind.NONE, zero: Evidence = Evidence.NONE) -> None:
        """A 0 that was only where an accumulation begins is no evidence on any path, or a weaker
        one, nor does it break what is promised of all that takes its place.
        """
        layer: Env | None = self
        while layer is not None:
            found = layer._bindings.get(key)
            if found is not None and found.fact is not None and found.fact.constant == 0:
                fact = replace(found.fact, zero=zero, kinds=found.fact.kinds | kinds)
                layer._bindings[key] = Binding(fact, found.clock)
            layer = layer._parent

    def fill(self, key: str, filled: Fact) -> None:
        """What is put into an empty list it holds on every path: also where a loop begins."""
        layer: Env | None = self
        while layer is not None:
            found = layer._bindings.get(key)
            if found is not None and found.fact is not None and found.fact.unfilled:
                layer._bindings[key] = Binding(filled, found.clock)
            layer = layer._parent

    def _note(self, key: str, roots: Iterable[str] = ()) -> None:
        for root in (*roots, *_prefixes(key)):
            if root == key:
                continue
            if (noted := self._mentions.get(root)) is None:
                self._mentions[root] = {key: None}
            else:
                noted[key] = None

    def _keys_mentioning(self, name: str) -> dict[str, None]:
        keys: dict[str, None] = {}
        layer: Env | None = self
        while layer is not None:
            if (noted := layer._mentions.get(name)) is not None:
                keys |= noted
            layer = layer._parent
        return keys

    # -- branches ----------------------------------------------------------------------------

    def down_to(self, base: Env) -> Env:
        """All layers above `base` as one."""
        if self._parent is base:
            return self
        above: list[Env] = []
        layer: Env | None = self
        while layer is not None and layer is not base:
            above.append(layer)
            layer = layer._parent
        flat = Env(base, self.mode)
        for layer in reversed(above):
            flat._bindings.update(layer._bindings)
            for root, noted in layer._mentions.items():
                flat._mentions.setdefault(root, {}).update(noted)
        return flat

    def absorb(self, branches: Iterable[Env]) -> None:
        """Become what holds after any of these children, all of them living."""
        layers = list(branches)
        if not layers:
            return
        if all(layer.mode.near for layer in layers):
            self.mode = replace(self.mode, near=True)
        if any(layer.mode.turned for layer in layers):
            self.turn()
        keys = dict.fromkeys(key for layer in layers for key in layer._bindings)
        self._bindings.update({key: self._joined(key, layers) for key in keys})
        for layer in layers:
            for root, noted in layer._mentions.items():
                self._mentions.setdefault(root, {}).update(noted)

    def _joined(self, key: str, layers: list[Env]) -> Binding:
        found = [layer.binding(key) or _UNBOUND for layer in layers]
        clock = max([binding.clock for binding in found])
        known = [binding.fact for binding in found if binding.fact is not None]
        if len(known) < len(found):
            # Known on one path only: a guarded expression is unguarded on the other; a name that
            # is unbound there cannot be used after it.
            fact = known[0] if known and key.isidentifier() else None
            return Binding(fact, clock, _where_bound(found))
        return Binding(joined(known), clock)

    def widen(self, later: Env, *, first: bool) -> bool:
        """Take in one turn of a loop body that ran in a child; whether anything changed.

        After the first turn a share that is kept from 0 and 1 stays as it is: a loop that makes it
        anew in each turn makes it so again, `probs = net(x)` after `probs = 0.5`. And what no turn
        goes on with as 0 nobody begins with as 0: `if residual < tol: break`.
        """
        changed = False
        for key, binding in later._bindings.items():
            before = self.fact(key)
            if before is None or binding.fact is None:
                continue
            made_anew = first and _is_inner_share(binding.fact)
            widened = before.join(binding.fact) if made_anew else before.widen(binding.fact)
            if _is_kept_up(before, binding.fact):
                widened = replace(widened, zero=Evidence.NONE)
            if widened != before:
                changed = True
            self._bindings[key] = replace(binding, fact=widened)
        return changed

    def resume(self, earlier: Env, clock: int) -> None:
        """Take in what the same loop came to before, as if it were found out at this moment."""
        for key, binding in earlier._bindings.items():
            before, settled = self.fact(key), binding.fact
            if before is None or settled is None:
                continue
            # A 0 that was found to be where an accumulation begins is that again; so is `[]`.
            again = (before.constant == 0 and not settled.zero) or before.unfilled
            self._bindings[key] = Binding(settled if again else before.widen(settled), clock)

    def assigned(self) -> Iterator[tuple[str, Fact]]:
        """The bindings of this layer alone."""
        for key, binding in self._bindings.items():
            if binding.fact is not None:
                yield key, binding.fact


def _is_kept_up(before: Fact, after: Fact) -> bool:
    """Whether a turn puts another value in the place of one, made alike, that is not 0."""
    old, new = before.origin, after.origin
    if old is None or new is None or old is new or old.op is not new.op:
        return False
    return after.range.positive and before.constant is None


def _is_inner_share(fact: Fact) -> bool:
    return 0 < fact.range.lo <= fact.range.hi < 1


@lru_cache(maxsize=4096)
def _prefixes(key: str) -> tuple[str, ...]:
    """`self.a.b` mentions `self` and `self.a`; `x[0]` mentions `x`."""
    return tuple(key[:position] for position, sign in enumerate(key) if sign in ".[(")
