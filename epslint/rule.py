"""What a rule is and what it says: the words that cross between the rooms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from epslint.source import Span

if TYPE_CHECKING:
    from epslint.analysis.ops import Op
    from epslint.analysis.site import Site
    from epslint.suppress import Ignore


class Severity(Enum):
    """How bad a finding is; advice is shown and does not fail a run."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


class Confidence(Enum):
    """How sure a finding is.

    The first two go wrong on ordinary values: the operations say so, or only what a thing is
    called. The third takes data that the code neither shows nor rules out, and the last is the
    third where nothing is trained: it is told to those who ask.
    """

    PROVEN = "proven"
    NAMED = "named"
    POSSIBLE = "possible"
    UNLIKELY = "unlikely"


class Grade(Enum):
    """How far a fix may move a value that was finite before."""

    EXACT = "exact"
    BOUNDED = "bounded"
    SEMANTIC = "semantic"

    @property
    def safe(self) -> bool:
        return self is not Grade.SEMANTIC


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters of `span` by `content`; an empty span inserts."""

    span: Span
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together: all of them are applied or none."""

    message: str
    grade: Grade
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """One link of the chain that says why: what is known, and on which line it became so."""

    row: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a rule says about a place; the engine adds who said it."""

    span: Span
    message: str
    confidence: Confidence
    why: tuple[Reason, ...] = ()
    fix: Fix | None = None
    # Other places that it speaks for: a root here, the division by that root there.
    also: tuple[Span, ...] = ()
    severity: Severity | None = None  # where it is not the rule's
    quiet: bool = False  # only digits are lost: no NaN tells of it
    formula: bool = False  # there is a stable one for it, whether anything is trained or not


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnosis with the rule's name on it: what reports print."""

    code: str
    name: str
    severity: Severity
    span: Span
    message: str
    confidence: Confidence
    why: tuple[Reason, ...] = ()
    fix: Fix | None = None
    also: tuple[Span, ...] = ()


CODE = re.compile(r"[A-Z]+[0-9]{3}")


class Rule:
    """A rule: one class in one file, its docstring is its documentation.

    Subclasses are `SiteRule` (asked about each operation it names) and `IgnoreRule` (asked about
    each suppression comment).
    """

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.WARNING
    grade: ClassVar[Grade | None] = None  # of its fix; None: it offers none
    default: ClassVar[bool] = True  # in the selection when the user names none
    preview: ClassVar[bool] = False  # only with --preview
    # Codes of the findings that this rule's finding makes redundant on the places it speaks for.
    supersedes: ClassVar[frozenset[str]] = frozenset()


class SiteRule(Rule):
    """A rule about operations: it names its ops and asks facts; it never walks the tree."""

    ops: ClassVar[frozenset[Op]]

    def check(self, site: Site) -> Iterator[Diagnosis]:
        raise NotImplementedError  # abstract: the registry refuses a rule without its own


class IgnoreRule(Rule):
    """A rule about the suppression comments themselves."""

    def check(self, ignore: Ignore) -> Iterator[Diagnosis]:
        raise NotImplementedError  # abstract: the registry refuses a rule without its own
