"""JUnit XML: a test suite for each file, a failed test for each finding that counts."""

from __future__ import annotations

import re
from xml.etree import ElementTree as Xml

from epslint.errors import Failure
from epslint.outcome import FileReport, Run
from epslint.report._machine import failure_text, repository_path
from epslint.report._text import findings
from epslint.rule import Finding
from epslint.source import Source

TALKS = False

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(run: Run) -> str:
    """One document; a file without findings is a test that passed."""
    root = Xml.Element("testsuites", name="epslint")
    for report in run.reports:
        _suite(root, report)
    for failure in run.failures:
        _suite(root, FileReport(failure.filename, failures=(failure,)))
    _count(root)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _suite(root: Xml.Element, report: FileReport) -> None:
    path = _clean(repository_path(report.filename))
    suite = Xml.SubElement(root, "testsuite", name=path)
    for source, finding in findings((report,)):
        _finding(_case(suite, path, finding.name), source, finding, counts=report.counts(finding))
    for failure in report.failures:
        _failure(_case(suite, path, "not-checked"), failure)
    if not len(suite):
        _case(suite, path, "epslint")
    _count(suite)


def _case(suite: Xml.Element, path: str, name: str) -> Xml.Element:
    module = path.removesuffix(".py").replace("/", ".")
    return Xml.SubElement(suite, "testcase", name=name, classname=module, file=path, time="0")


def _finding(case: Xml.Element, source: Source, finding: Finding, *, counts: bool) -> None:
    at = source.location(finding.span.start)
    case.set("name", f"{finding.code} {finding.name} at {at.row}:{at.column}")
    lines = [f"line {at.row}, column {at.column}: {finding.message}"]
    lines += [f"why: {reason.text}" for reason in finding.why]
    # Advice that does not fail the run must not fail a test either.
    told = {"message": _clean(finding.message), "type": finding.severity.value}
    place = Xml.SubElement(case, "failure", told) if counts else Xml.SubElement(case, "system-out")
    place.text = _clean("\n".join(lines))


def _failure(case: Xml.Element, failure: Failure) -> None:
    Xml.SubElement(case, "error", message=_clean(failure_text(failure)), type="not-checked")


def _count(element: Xml.Element) -> None:
    for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
        element.set(name, str(sum(1 for _ in element.iter(tag))))


def _clean(text: str) -> str:
    """Characters that XML cannot hold, not even escaped, become question marks."""
    return _NOT_XML.sub("\ufffd", text)
