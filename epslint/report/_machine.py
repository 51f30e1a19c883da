"""What several formats for programs share: paths as a repository knows them, failures, one edit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from epslint.edits import apply_edits
from epslint.errors import Failure
from epslint.fingerprint import fingerprints
from epslint.outcome import FileReport, Run
from epslint.rule import Edit, Finding, Fix
from epslint.source import Source, Span

# Where the services of this world say that they have checked the repository out.
_CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")


def repository_path(filename: str) -> str:
    """A path from the root of the checkout, or else from here, with slashes."""
    return inside(filename, checkout()) or filename.replace(os.sep, "/")


def inside(filename: str, folder: Path) -> str | None:
    """The path of a file from a folder that holds it, with slashes."""
    try:
        return Path(os.path.abspath(filename)).relative_to(folder).as_posix()
    except ValueError:
        return None


def checkout() -> Path:
    """The root of the checkout if a service names one and we are in it, else where we are."""
    here = Path.cwd()
    roots = (Path(os.environ[name]) for name in _CHECKOUTS if os.environ.get(name))
    return next((root for root in roots if here.is_relative_to(root)), here)


def fingerprinted(run: Run) -> Iterator[tuple[Source, Finding, str]]:
    """Every finding with its text and what it is known by from run to run."""
    for report in run.reports:
        yield from _of_file(report)


def _of_file(report: FileReport) -> Iterator[tuple[Source, Finding, str]]:
    source = report.source
    if source is not None:
        prints = fingerprints(repository_path(report.filename), source, report.findings)
        for finding, known in zip(report.findings, prints, strict=True):
            yield source, finding, known


def failure_text(failure: Failure) -> str:
    return f"could not be checked: {failure.message}"


def one_edit(source: Source, fix: Fix) -> Edit:
    """A fix as one replacement, for those who cannot make several that belong together."""
    spans = [edit.span for edit in fix.edits]
    hull = Span(min(span.start for span in spans), max(span.end for span in spans))
    moved = (
        Edit(Span(edit.span.start - hull.start, edit.span.end - hull.start), edit.content)
        for edit in fix.edits
    )
    return Edit(hull, apply_edits(source.slice(hull), moved))
