"""Findings as plain tuples of numbers and words, as the cache keeps them, and back again.

JSON and not pickle: a cache may come with a repository that somebody else has made, and reading it
must not be able to run anything.
"""

from __future__ import annotations

from epslint.rule import Confidence, Edit, Finding, Fix, Grade, Reason, Severity
from epslint.source import Span

SpanRecord = tuple[int, int]
FixRecord = tuple[str, str, list[tuple[SpanRecord, str]]]
ReasonRecord = tuple[int | None, str]
FindingRecord = tuple[
    str,
    str,
    str,
    SpanRecord,
    str,
    str,
    list[ReasonRecord],
    FixRecord | None,
    list[SpanRecord],
]


def packed(finding: Finding) -> FindingRecord:
    """A finding in a form that JSON can hold."""
    return (
        finding.code,
        finding.name,
        finding.severity.value,
        _packed_span(finding.span),
        finding.message,
        finding.confidence.value,
        [(reason.row, reason.text) for reason in finding.why],
        None if finding.fix is None else _packed_fix(finding.fix),
        [_packed_span(span) for span in finding.also],
    )


def _packed_span(span: Span) -> SpanRecord:
    return span.start, span.end


def _packed_fix(fix: Fix) -> FixRecord:
    edits = [(_packed_span(edit.span), edit.content) for edit in fix.edits]
    return fix.message, fix.grade.value, edits


def unpacked(record: FindingRecord) -> Finding:
    """The finding of a record; raises TypeError or ValueError when it is none."""
    code, name, severity, span, message, confidence, why, fix, also = record
    return Finding(
        code,
        name,
        Severity(severity),
        Span(*span),
        message,
        Confidence(confidence),
        tuple(Reason(row, text) for row, text in why),
        None if fix is None else _unpacked_fix(fix),
        tuple(Span(*span) for span in also),
    )


def _unpacked_fix(record: FixRecord) -> Fix:
    message, grade, edits = record
    return Fix(message, Grade(grade), tuple(Edit(Span(*span), text) for span, text in edits))
