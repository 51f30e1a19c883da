"""Facts: what the analysis knows about one value, and how two such pieces of knowledge join.

Unknown is silent. A range says what *cannot* happen; it never says that something does. That 0 or
a huge value is really possible is kept apart, as evidence (`zero`, `huge`), and evidence is what
findings are made of: joining a guarded value with one that is not understood gives the widest
range and still no evidence, joining it with an unguarded one gives evidence.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from dataclasses import replace as replace  # noqa: PLC0414 - mypy knows the fields by this one
from enum import IntEnum, auto
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from epslint.analysis import ranges
from epslint.analysis.quick import QuickEnum, QuickFlag, both, either
from epslint.analysis.ranges import Range
from epslint.epsilon import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Precision

if TYPE_CHECKING:
    from epslint.analysis.origin import Origin


T = TypeVar("T")


class Kind(QuickFlag):
    """Where a value comes from. A set: `(p * mask).sum()` is a SUM of something MASKed."""

    __or__ = either
    __and__ = both

    NONE = 0
    COUNT = auto()
    MASK = auto()
    SUM = auto()
    STD = auto()
    VAR = auto()
    NORM = auto()
    SPAN = auto()  # max − min, or the largest magnitude
    MEAN = auto()
    PRODUCT = auto()
    MAGNITUDE = auto()  # abs, relu, squares: what is 0 wherever its input is
    PROB = auto()
    LOGPROB = auto()
    LOGRATIO = auto()
    RATIO = auto()
    LOGITS = auto()
    EXP = auto()
    SOFTPLUS = auto()
    REWARD = auto()
    ADVANTAGE = auto()
    KL = auto()
    PARAMETER = auto()
    EPSILON = auto()
    SHAPE = auto()
    LENGTH = auto()  # of a collection that is shown to be possibly empty
    TIME = auto()
    SIGNED = auto()  # seen to take both signs
    SHIFTED = auto()  # x − max(x): its largest element is exactly 0
    PEAKED = auto()  # exp of SHIFTED: its largest element is exactly 1
    HOLED = auto()  # one of its elements is exactly 0: zeros were put before the others
    UNEVEN = auto()  # as a whole, not all of it is equal: a test says so
    # In each of its rows something is not 0: a test of their norms says so. Which axis that is, is
    # not kept: who tests rows divides rows.
    NONZERO = auto()
    PADS = auto()  # a mask of padding, or the count of one: some of it is real
    SIMPLEX = auto()  # sums to 1 along some axis, or is what is left of that with its largest
    NORMALISED = auto()  # the log of such a one
    UNIT = auto()  # vectors of length 1, or 0: `normalize(x)`
    OFFSET = auto()  # a count less a constant: n − 1
    # From a continuous distribution or a network: as a whole neither 0 nor constant, almost surely,
    # whatever single elements are.
    DRAWN = auto()
    LOGSCALE = auto()  # the log of a scale that is learned: log_std, log_alpha, log_var
    STRUCK = auto()  # has entries set to −∞ to mask them out
    RUNNING = auto()  # an attribute that starts at 0 and is added to
    UNCLIPPED = auto()  # a gradient that nothing has clipped
    BELOW = auto()  # a quotient that is seen to be below something: neither infinite nor NaN
    # Eigenvalues of a symmetric matrix: whoever takes their root or log means a covariance, whose
    # are never negative but for rounding, and 0 where something depends on something else.
    SPECTRUM = auto()
    # The coordinate that a point is divided by to project it: 0 for what is infinitely far, or
    # in the plane of the camera.
    DEPTH = auto()
    CANCELLED = auto()  # E[x²] − E[x]²: never negative but for rounding, which is all of it near 0


# Kinds that keep a value away from 0, or a rule from silence: after a join they must hold on both
# paths.
PROMISED = Kind.SHIFTED | Kind.PEAKED | Kind.SIMPLEX | Kind.NORMALISED | Kind.UNIT
PROMISED |= Kind.HOLED | Kind.UNEVEN | Kind.DRAWN | Kind.UNCLIPPED | Kind.NONZERO | Kind.BELOW
# Kinds that a range without negative numbers contradicts; one that is bounded only STRUCK.
_SIGNED = Kind.SIGNED | Kind.CANCELLED | Kind.STRUCK
# Kinds that a range can contradict. A magnitude kept away from 0 is none: after a join with the
# unknown nobody could tell it from one that was never clamped.
_CONTRADICTED = _SIGNED | Kind.MAGNITUDE


REMEMBERED = 7  # how many other paths a joined value knows of


class Evidence(IntEnum):
    """How a possibility is known. The better ground of two paths wins, the weaker one on a path."""

    NONE = 0
    NAMED = 1
    PROVEN = 2


class DType(QuickEnum):
    """The type of an element, as far as the choice of an epsilon needs it."""

    UNKNOWN = "unknown"
    BOOL = "bool"
    INT = "int"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"

    @property
    def precision(self) -> Precision | None:
        return _PRECISION.get(self)

    @property
    def discrete(self) -> bool:
        return self in (DType.BOOL, DType.INT)


_PRECISION: Mapping[DType, Precision] = MappingProxyType(
    {
        DType.FLOAT16: FLOAT16,
        DType.BFLOAT16: BFLOAT16,
        DType.FLOAT32: FLOAT32,
        DType.FLOAT64: FLOAT64,
    }
)


class Form(QuickEnum):
    """What holds the value, which decides how a guard is spelled and how division by 0 shows."""

    UNKNOWN = "unknown"
    NUMBER = "number"
    TORCH = "torch"
    NUMPY = "numpy"
    JAX = "jax"
    TENSORFLOW = "tensorflow"
    LIST = "list"  # a Python collection; the fact tells of its elements, as with a tensor
    OTHER = "other"  # text, mappings, modules: not a number at all

    @property
    def tensor(self) -> bool:
        return self in (Form.TORCH, Form.NUMPY, Form.JAX, Form.TENSORFLOW)


LAST = -1  # the key of the last part of a list, where that alone is known
Part = tuple["int | str", "Fact"]


@dataclass(frozen=True)
class Fact:
    """What is known of one value. `range` covers each element of a tensor."""

    range: Range = ranges.TOP
    _: KW_ONLY
    kinds: Kind = Kind.NONE
    ground: Evidence = Evidence.NONE  # how the kinds are known
    zero: Evidence = Evidence.NONE  # that it can be 0
    huge: Evidence = Evidence.NONE  # that it can be large without bound
    dtype: DType = DType.UNKNOWN
    form: Form = Form.UNKNOWN
    grad: bool = True  # whether a gradient can flow through it
    size: Range = ranges.SOME  # how many elements; "some" unless it is shown to be empty
    parts: tuple[Part, ...] = ()  # of a tuple or a mapping
    function: str = ""  # which function of a library it is, by its full name
    origin: Origin | None = field(default=None, compare=False, repr=False)
    # Other paths made it otherwise: what uses the value uses what they made.
    rivals: tuple[Origin, ...] = field(default=(), compare=False, repr=False)
    elsewhere: bool = field(default=False, compare=False)  # on some path, made out of sight

    if not TYPE_CHECKING:
        # A hundred thousand are made in a run: what is not given is left to the class's defaults.
        def __init__(self, range: Range = ranges.TOP, **given: object) -> None:
            given["range"] = range
            self.__dict__.update(given)
            self.__post_init__()

    def __post_init__(self) -> None:
        """Drop what the range excludes: such evidence would come back to life in a later join."""
        limits, kinds = self.range, self.kinds
        if self.zero and not limits.has_zero:
            self.__dict__["zero"] = Evidence.NONE
        if self.huge and limits.hi < ranges.INF:
            self.__dict__["huge"] = Evidence.NONE
        if not kinds.meets(_CONTRADICTED):
            return
        if not limits.has_zero:
            kinds &= ~Kind.MAGNITUDE
        if limits.lo >= 0:
            kinds &= ~_SIGNED
        elif limits.lo > -ranges.INF:
            kinds &= ~Kind.STRUCK
        self.__dict__["kinds"] = kinds

    # -- questions that rules ask ------------------------------------------------------------

    @property
    def zeroable(self) -> bool:
        """0 is seen to be possible, not merely not excluded."""
        return self.zero is not Evidence.NONE

    @property
    def is_nested(self) -> bool:
        """Whether it is a list of lists: how many elements they have its length does not say."""
        return any(row.form is Form.LIST for _, row in self.parts)

    @property
    def is_random(self) -> bool:
        """Drawn from a distribution, and so never all equal, feature by feature; what a network
        gives may be.
        """
        return self.is_any(Kind.DRAWN) and self.ground is Evidence.PROVEN

    @property
    def can_be_empty(self) -> bool:
        return self.size.has_zero

    @property
    def unfilled(self) -> bool:
        """A list of which nothing is known: empty, and there to be filled."""
        return self.form is Form.LIST and self.range == ranges.TOP and not self.kinds

    @property
    def constant(self) -> float | None:
        return self.range.constant

    @property
    def whole(self) -> bool:
        """Whether it is a whole number: by its type, or because it counts."""
        if self.form is Form.NUMBER and (value := self.constant) is not None:
            return value == value // 1
        return self.dtype.discrete or (self.is_any(Kind.COUNT) and not self.is_any(Kind.SUM))

    def is_any(self, kinds: Kind) -> bool:
        return bool(self.kinds._value_ & kinds._value_)  # `meets`, which is asked here most

    # -- derived facts -----------------------------------------------------------------------

    def within(self, limits: Range) -> Fact:
        """The same value, now known to lie in `limits`; what contradicts them gives way."""
        met = self.range.meet(limits)
        return replace(self, range=limits if met.empty else met)

    def plus(self, kinds: Kind) -> Fact:
        return replace(self, kinds=self.kinds | kinds)

    def minus(self, kinds: Kind) -> Fact:
        return replace(self, kinds=self.kinds & ~kinds) if self.kinds & kinds else self

    def part(self, key: int | str) -> Fact | None:
        return next((fact for name, fact in self.parts if name == key), None)

    @property
    def last(self) -> Fact | None:
        """The last part of what has some in a row: a tuple, or a list that was added to."""
        places = [key for key, _ in self.parts if isinstance(key, int) and key >= 0]
        return self.part(LAST) or (self.part(max(places)) if places else None)

    # -- the lattice -------------------------------------------------------------------------

    def join(self, other: Fact) -> Fact:
        """What holds after either of two paths."""
        if self is other or self == other:
            return self._beside(other.origin)
        parts = _merged_parts(self.parts, other.parts, Fact.join)
        return self._merged(other, self.range.join(other.range), self.size.join(other.size), parts)

    def widen(self, later: Fact) -> Fact:
        """Like join, but a chain of widenings is short: for loops."""
        if self == later:
            return self
        parts = _merged_parts(self.parts, later.parts, Fact.widen)
        return self._merged(
            later, self.range.widen(later.range), self.size.widen(later.size), parts
        )

    def _beside(self, rival: Origin | None) -> Fact:
        """The same, made by `rival` on another path."""
        if rival is None:
            return self if self.origin is None or self.elsewhere else replace(self, elsewhere=True)
        if rival is self.origin or rival in self.rivals:
            return self
        return replace(self, rivals=(rival, *self.rivals)[:REMEMBERED])

    def _merged(self, other: Fact, range_: Range, size: Range, parts: tuple[Part, ...]) -> Fact:
        broken = (self.kinds ^ other.kinds) & PROMISED
        # The reason chain tells of the path that is the hazard.
        worse = other.zero > self.zero or other.huge > self.huge
        origin, rival = (other.origin, self.origin) if worse else (self.origin, other.origin)
        merged = Fact(
            range=range_,
            kinds=(self.kinds | other.kinds) & ~broken,
            ground=max(self.ground, other.ground),
            zero=max(self.zero, other.zero),
            huge=max(self.huge, other.huge),
            dtype=self.dtype if self.dtype is other.dtype else DType.UNKNOWN,
            form=self.form if self.form is other.form else Form.UNKNOWN,
            grad=self.grad or other.grad,
            size=size,
            parts=parts,
            function=self.function if self.function == other.function else "",
            origin=origin,
            rivals=self.rivals,
            elsewhere=self.elsewhere or other.elsewhere,
        )
        return merged._beside(rival)


def _merged_parts(
    mine: tuple[Part, ...], theirs: tuple[Part, ...], merge: Callable[[Fact, Fact], Fact]
) -> tuple[Part, ...]:
    others = dict(theirs)
    return tuple((key, merge(fact, others[key])) for key, fact in mine if key in others)


if not TYPE_CHECKING:
    # Fields that `__post_init__` does not look at.
    _INDIFFERENT = frozenset(
        {
            *("dtype", "elsewhere", "form", "function", "grad"),
            *("ground", "origin", "parts", "rivals", "size"),
        }
    )

    def replace(value: T, **changes: object) -> T:
        """`dataclasses.replace`, seven times as fast for what is replaced most."""
        if type(value) is not Fact:
            return dataclasses.replace(value, **changes)
        made = object.__new__(Fact)
        fields = made.__dict__
        fields.update(value.__dict__)
        fields.update(changes)
        if not _INDIFFERENT.issuperset(changes):
            made.__post_init__()
        return made


UNKNOWN = Fact()
NOT_A_NUMBER = Fact(form=Form.OTHER, grad=False)


def joined(facts: Sequence[Fact]) -> Fact:
    """What holds after any of several paths."""
    if not facts:
        return UNKNOWN
    result = facts[0]
    for fact in facts[1:]:
        result = result.join(fact)
    return result


def weakest(*grounds: Evidence) -> Evidence:
    """The evidence of what needs all of these at once."""
    return min(grounds)


def number(value: float, dtype: DType = DType.UNKNOWN) -> Fact:
    """A Python constant; one as small as 1e-3 is there to be an epsilon."""
    return Fact(
        range=ranges.point(float(value)),
        kinds=Kind.EPSILON if 0 < value <= 1e-3 else Kind.NONE,
        ground=Evidence.PROVEN,
        zero=Evidence.PROVEN,
        dtype=dtype,
        form=Form.NUMBER,
        grad=False,
    )
