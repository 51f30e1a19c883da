"""A world without the real analysis: divisions by words in capitals, and rules about the words.

`x / BAD` has a safe fix, `x / WORSE` an unsafe one, `x / MILD` is only advice, and so on; the table
of rules below says the rest. The tests of everything around the analysis live here, so that they
fail when the shell is wrong and not when a rule gets cleverer.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, cast

from epslint.analysis.env import Mode
from epslint.analysis.ops import Op
from epslint.epsilon import DEFAULT, Hierarchy
from epslint.registry import Catalogue, collect
from epslint.rule import (
    Confidence,
    Diagnosis,
    Edit,
    Fix,
    Grade,
    Reason,
    Severity,
    SiteRule,
)
from epslint.source import Source, SourceError, Span
from epslint_rules.eps001 import UnusedSuppression
from epslint_rules.eps002 import UnknownCode

if TYPE_CHECKING:
    from epslint.analysis.site import Site

_DIVISION = re.compile(r"/\s*\(?\s*(?P<word>[A-Z][A-Z_]+)(?! \+)")


@dataclass(frozen=True, slots=True)
class FakeSite:
    op: Op
    span: Span
    word: str
    mode: Mode = field(default_factory=Mode)
    rehearsed: bool = False
    pictured: bool = False
    overwritten: bool = False

    @property
    def as_called(self) -> FakeSite:
        return self


def analyse(
    source: Source, hierarchy: Hierarchy = DEFAULT, listening: frozenset[Op] = frozenset({Op.DIV})
) -> tuple[Site, ...]:
    return tuple(_sites(source)) if Op.DIV in listening else ()


def _sites(source: Source) -> Iterator[Site]:
    if source.text.count("ALONE") > 1:
        raise SourceError("holds more than one ALONE")
    try:
        ast.parse(source.text)
    except SyntaxError as error:
        raise SourceError(f"has a syntax error on line {error.lineno}: {error.msg}") from None
    for match in _DIVISION.finditer(source.text):
        site = FakeSite(Op.DIV, Span(*match.span("word")), match["word"])
        yield cast("Site", site)


class _WordRule(SiteRule):
    ops = frozenset({Op.DIV})
    word: ClassVar[str]

    def check(self, site: Site) -> Iterator[Diagnosis]:
        fake = cast("FakeSite", site)
        if fake.word == self.word:
            yield Diagnosis(
                fake.span,
                f"`{fake.word}` can be 0",
                Confidence.PROVEN,
                (Reason(1, f"{fake.word} is a fake"),),
                self.fix(fake.span),
            )

    def fix(self, span: Span) -> Fix | None:
        return None


class Bad(_WordRule):
    """Has a safe fix."""

    code, name, word = "FAK101", "bad-division", "BAD"
    grade = Grade.BOUNDED

    def fix(self, span: Span) -> Fix | None:
        edits = (
            Edit(Span(span.start, span.start), "("),
            Edit(Span(span.end, span.end), " + 1e-8)"),
        )
        return Fix("Add 1e-8", Grade.BOUNDED, edits)


class Worse(_WordRule):
    """Has an unsafe fix."""

    code, name, word = "FAK102", "worse-division", "WORSE"
    severity = Severity.ERROR
    grade = Grade.SEMANTIC

    def fix(self, span: Span) -> Fix | None:
        return Fix("Divide by 1", Grade.SEMANTIC, (Edit(span, "1.0"),))


class Mild(_WordRule):
    """Is only advice."""

    code, name, word = "FAK103", "mild-division", "MILD"
    severity = Severity.ADVICE


class Quiet(_WordRule):
    """Is off unless selected."""

    code, name, word = "FAK201", "quiet-division", "QUIET"
    default = False


class New(_WordRule):
    """Is in preview."""

    code, name, word = "FAK202", "new-division", "NEW"
    preview = True


class Named(_WordRule):
    """Is known from a name only."""

    code, name, word = "FAK203", "named-division", "NAMED"

    def check(self, site: Site) -> Iterator[Diagnosis]:
        for diagnosis in super().check(site):
            yield Diagnosis(diagnosis.span, diagnosis.message, Confidence.NAMED)


class Breaking(_WordRule):
    """Has a fix that breaks the syntax."""

    code, name, word = "FAK301", "breaking-fix", "BREAK"
    grade = Grade.EXACT

    def fix(self, span: Span) -> Fix | None:
        return Fix("Break it", Grade.EXACT, (Edit(span, "(("),))


class Idle(_WordRule):
    """Has a fix that does not silence its finding."""

    code, name, word = "FAK302", "idle-fix", "IDLE"
    grade = Grade.EXACT

    def fix(self, span: Span) -> Fix | None:
        return Fix("Do nothing of use", Grade.EXACT, (Edit(Span(span.end, span.end), " "),))


class Endless(_WordRule):
    """Has a fix that lays open another one."""

    code, name, word = "FAK303", "endless-fix", "PING"
    grade = Grade.EXACT

    def fix(self, span: Span) -> Fix | None:
        return Fix("Pong", Grade.EXACT, (Edit(span, "PONG"),))


class EndlessToo(_WordRule):
    """And this one lays the first open again."""

    code, name, word = "FAK304", "endless-fix-too", "PONG"
    grade = Grade.EXACT

    def fix(self, span: Span) -> Fix | None:
        return Fix("Ping", Grade.EXACT, (Edit(span, "PING"),))


class Tangled(_WordRule):
    """Has a fix whose edits overlap."""

    code, name, word = "FAK305", "tangled-fix", "TANGLE"
    grade = Grade.EXACT

    def fix(self, span: Span) -> Fix | None:
        edits = (Edit(span, "1"), Edit(Span(span.start + 1, span.end), "2"))
        return Fix("Cut twice", Grade.EXACT, edits)


class Jealous(_WordRule):
    """Has a fix that works only when no other is applied with it: it counts the lines."""

    code, name, word = "FAK306", "jealous-fix", "JEALOUS"
    grade = Grade.EXACT

    def fix(self, span: Span) -> Fix | None:
        return Fix("Be alone", Grade.EXACT, (Edit(span, "ALONE"),))


class Crashing(_WordRule):
    """Crashes."""

    code, name, word = "FAK401", "crashing-rule", "CRASH"

    def check(self, site: Site) -> Iterator[Diagnosis]:
        if cast("FakeSite", site).word == self.word:
            raise ZeroDivisionError("oh no")
        yield from ()


class Superseded(_WordRule):
    """Says about BETTER what another rule says better."""

    code, name, word = "FAK501", "vague-division", "BETTER"


class Superseding(_WordRule):
    """Says it better."""

    code, name, word = "FAK502", "better-division", "BETTER"
    supersedes = frozenset({"FAK501"})


RULES = (
    Bad, Worse, Mild, Quiet, New, Named, Breaking, Idle, Endless, EndlessToo, Tangled, Jealous,
    Crashing, Superseded, Superseding, UnusedSuppression, UnknownCode,
)  # fmt: skip


def catalogue() -> Catalogue:
    return collect(RULES)
