"""SARIF 2.1.0, which code scanning on GitHub, Azure DevOps and many viewers read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from epslint import __version__, address, docs, registry
from epslint.errors import Failure
from epslint.outcome import Run
from epslint.report._machine import checkout, failure_text, fingerprinted, inside
from epslint.rule import Finding, Fix, Reason, Rule, Severity
from epslint.source import Source, Span

TALKS = False

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "epslintFinding/v1"
_ROOT = "SRCROOT"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
# What GitHub calls the severity of a problem that is no security hole.
_PROBLEMS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.ADVICE: "recommendation",
}

Object = dict[str, object]


def render(run: Run) -> str:
    """One run with its rules, results, and what could not be checked."""
    rules = registry.load().rules
    index = {rule.code: number for number, rule in enumerate(rules)}
    driver = {
        "name": "epslint",
        "version": __version__,
        "semanticVersion": __version__,
        **_uri("informationUri", address.HOME),
        "rules": [_rule(rule) for rule in rules],
    }
    failures = [_notification(failure) for failure in run.all_failures]
    told = {
        "tool": {"driver": driver},
        "invocations": [
            {"executionSuccessful": not failures, "toolExecutionNotifications": failures}
        ],
        "originalUriBaseIds": {_ROOT: {"uri": f"{checkout().as_uri()}/"}},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(source, finding, known, index[finding.code])
            for source, finding, known in fingerprinted(run)
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [told]}, indent=2) + "\n"


def _rule(rule: Rule) -> Object:
    page = docs.page(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": docs.documentation(rule).summary.splitlines()[0]},
        "fullDescription": {"text": docs.documentation(rule).summary},
        "help": {"text": page, "markdown": page},
        **_uri("helpUri", address.page(rule.code)),
        "defaultConfiguration": {
            "enabled": rule.default and not rule.preview,
            "level": _LEVELS[rule.severity],
        },
        "properties": {
            "tags": ["numerics", "correctness"],
            "problem.severity": _PROBLEMS[rule.severity],
            "fix": rule.grade.value if rule.grade else "none",
        },
    }


def _result(source: Source, finding: Finding, fingerprint: str, index: int) -> Object:
    fixes = {} if finding.fix is None else {"fixes": [_fix(source, finding.fix)]}
    return {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _place(source.filename, _region(source, finding.span))}],
        "relatedLocations": list(_related(source, finding.why)),
        "partialFingerprints": {FINGERPRINT: fingerprint},
        **fixes,
        "properties": {"confidence": finding.confidence.value},
    }


def _related(source: Source, why: tuple[Reason, ...]) -> Iterator[Object]:
    """The chain of reasons; one without a line of its own is about the file."""
    for number, reason in enumerate(why):
        yield {
            "id": number,
            "message": {"text": reason.text},
            "physicalLocation": _place(source.filename, _line(reason.row)),
        }


def _fix(source: Source, fix: Fix) -> Object:
    replacements = [
        {"deletedRegion": _region(source, edit.span), "insertedContent": {"text": edit.content}}
        for edit in fix.edits
    ]
    change = {"artifactLocation": _artifact(source.filename), "replacements": replacements}
    return {
        "description": {"text": f"{fix.message} ({fix.grade.value} fix)"},
        "artifactChanges": [change],
    }


def _notification(failure: Failure) -> Object:
    return {
        "level": "error",
        "message": {"text": failure_text(failure)},
        "locations": [{"physicalLocation": _place(failure.filename, _line(failure.row))}],
    }


def _place(filename: str, region: Object | None) -> Object:
    place: Object = {"artifactLocation": _artifact(filename)}
    return place if region is None else {**place, "region": region}


def _artifact(filename: str) -> Object:
    """From the root of the checkout when the file lies below it, else by its full address."""
    path = inside(filename, checkout())
    if path is not None:
        return {"uri": quote(path), "uriBaseId": _ROOT}
    return {"uri": Path(filename).absolute().as_uri()}


def _line(row: int | None) -> Object | None:
    return None if row is None else {"startLine": row}


def _region(source: Source, span: Span) -> Object:
    start, end = source.location(span.start), source.location(span.end)
    return {
        "startLine": start.row,
        "startColumn": start.column,
        "endLine": end.row,
        "endColumn": end.column,
    }


def _uri(key: str, address: str | None) -> Object:
    return {} if address is None else {key: address}
