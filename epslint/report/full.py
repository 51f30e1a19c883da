"""The whole story: the place, the source with a caret, the reasons, and the fix as a diff."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice

import click

from epslint import address
from epslint.edits import apply_edits
from epslint.outcome import Run
from epslint.report._text import expanded, findings, headline, place, width
from epslint.rule import Edit, Finding, Fix
from epslint.source import Source, Span

TALKS = True

_CONTEXT = 1  # lines shown before and after
_LONGEST = 6  # lines of a finding that spans many
_WIDEST = 200  # characters of a line, those around the operand


def render(run: Run) -> str:
    """A block of lines per cause: `n = mask.sum()` that is divided by five times is told once."""
    causes: dict[Hashable, list[tuple[Source, Finding]]] = {}
    for source, finding in findings(run.reports):
        causes.setdefault(_cause(source, finding), []).append((source, finding))
    return "".join(_block(*found[0], found[1:]) + "\n" for found in causes.values())


def _cause(source: Source, finding: Finding) -> Hashable:
    """What is the same of findings that go back to the same lines of a file."""
    traced = any(reason.row is not None for reason in finding.why)
    repair = None if finding.fix is None else finding.fix.message
    cause = (finding.code, finding.message, finding.confidence, finding.why, repair)
    return source.filename, cause if traced else finding


def _block(source: Source, finding: Finding, others: Sequence[tuple[Source, Finding]]) -> str:
    rows = source.rows(finding.span)
    margin = len(str(min(rows[-1] + _CONTEXT, len(source.lines))))
    cut = _cut(source, finding)
    lines = [
        f"{place(source, finding)}: {headline(finding)}",
        *_excerpt(source, finding, rows, margin, cut),
        *_reasons(finding, margin),
    ]
    if finding.fix is not None:
        lines += _help(source, finding.fix, margin, cut)
    lines += [*_also(others, margin), _more(finding, margin)]
    return "\n".join(lines) + "\n"


def _cut(source: Source, finding: Finding) -> int:
    """How many characters are left out on the left: none, unless the operand is far out."""
    at = source.location(finding.span.start)
    line = source.line(at.row)
    if len(expanded(line)) <= _WIDEST:
        return 0
    return max(len(expanded(line[: at.column - 1])) - _WIDEST // 2, 0)


def _shown(text: str, cut: int) -> str:
    """What is shown of a line, with dots where some of it is left out."""
    left = expanded(text)[cut:]
    begun = f"…{left[1:]}" if cut and left else left
    return begun if len(begun) <= _WIDEST else f"{begun[: _WIDEST - 1]}…"


def _excerpt(source: Source, finding: Finding, rows: range, margin: int, cut: int) -> Iterator[str]:
    """The lines of the finding, underlined, between the lines around them."""
    yield _bar(margin)
    around = range(max(rows.start - _CONTEXT, 1), min(rows.stop + _CONTEXT, len(source.lines) + 1))
    for row in islice(around, _LONGEST):
        number = click.style(f"{row:>{margin}}", fg="blue", bold=True)
        yield f"{number} {_rule()} {_shown(source.line(row), cut)}".rstrip()
        if row in rows:
            yield _underline(source, finding, row, margin, cut)
    if len(around) > _LONGEST:
        yield f"{'':>{margin}} {_rule()} ... {len(around) - _LONGEST} more lines"
    yield _bar(margin)


def _underline(source: Source, finding: Finding, row: int, margin: int, cut: int) -> str:
    line, begin = source.line(row), source.offset(row)
    indent = len(line) - len(line.lstrip())
    start = max(finding.span.start - begin, indent)
    end = min(finding.span.end - begin, len(line))
    left = width(expanded(line[:start])[cut:])
    right = width(expanded(line[:end])[cut : cut + _WIDEST])
    carets = "^" * max(right - left, 1)
    return f"{_bar(margin)} {' ' * left}{click.style(carets, fg='red', bold=True)}"


def _reasons(finding: Finding, margin: int) -> Iterator[str]:
    label = click.style("why", bold=True)
    for reason in finding.why:
        where = "" if reason.row is None else f"line {reason.row}: "
        yield f"{'':>{margin}} = {label}: {where}{reason.text}"


def _help(source: Source, fix: Fix, margin: int, cut: int) -> Iterator[str]:
    flag = "--fix" if fix.grade.safe else "--fix --unsafe-fixes"
    label = click.style("help", fg="cyan", bold=True)
    yield f"{'':>{margin}} = {label}: {fix.message} ({fix.grade.value} fix, {flag})"
    yield from _diff(source, fix, margin, cut)


def _also(others: Sequence[tuple[Source, Finding]], margin: int) -> Iterator[str]:
    """Where else the same is wrong for the same reason."""
    places = [source.location(finding.span.start) for source, finding in others]
    if places:
        label = click.style("also", bold=True)
        where = ", ".join(f"{at.row}:{at.column}" for at in places)
        yield f"{'':>{margin}} = {label}: the same at {where}"


def _more(finding: Finding, margin: int) -> str:
    """Where the rule is explained: its page, or else the command that shows it."""
    label = click.style("more", bold=True)
    return (
        f"{'':>{margin}} = {label}: {address.page(finding.code) or f'epslint rule {finding.code}'}"
    )


def _diff(source: Source, fix: Fix, margin: int, cut: int) -> Iterator[str]:
    """The lines the fix takes out and those it puts in."""
    for rows, edits in _touched(source, fix.edits):
        begin, end = source.offset(rows.start), source.offset(rows.stop)
        inside = [
            Edit(Span(edit.span.start - begin, edit.span.end - begin), edit.content)
            for edit in edits
        ]
        after = Source(source.filename, apply_edits(source.text[begin:end], inside))
        old = source.lines[rows.start - 1 : rows.stop - 1]
        for sign, text in _changes(_bare(old), _bare(after.lines)):
            colour = "red" if sign == "-" else "green"
            line = f"{sign} {_shown(text, cut)}"
            yield f"{'':>{margin}} {click.style(line, fg=colour)}".rstrip()


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Whole lines only: to look inside of them, as ndiff does, takes minutes on a long one."""
    import difflib  # noqa: PLC0415 - a run that finds nothing need not load it

    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag != "equal":
            yield from (("-", line) for line in old[a1:a2])
            yield from (("+", line) for line in new[b1:b2])


def _touched(source: Source, edits: Iterable[Edit]) -> list[tuple[range, list[Edit]]]:
    """The lines that edits touch, with those edits; the file between them is of no interest."""
    touched: list[tuple[range, list[Edit]]] = []
    for edit in sorted(edits, key=lambda edit: edit.span):
        first = source.location(edit.span.start).row
        last = source.location(edit.span.end).row
        if touched and first < touched[-1][0].stop:
            rows, others = touched.pop()
            touched.append((range(rows.start, max(rows.stop, last + 1)), [*others, edit]))
        else:
            touched.append((range(first, last + 1), [edit]))
    return touched


def _bare(lines: tuple[str, ...]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def _bar(margin: int) -> str:
    return f"{'':>{margin}} {_rule()}"


def _rule() -> str:
    return click.style("|", fg="blue", bold=True)
