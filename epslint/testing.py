"""The fixture harness, for the built-in rules and for packs outside.

A folder is named after the code of the rule it tests and holds

- `hazard*.py`: every line on which a finding starts ends in a marker, `# EPS101`; several findings
  are separated by commas. No other line may have a finding.
- `hazard*.fixed.py`: the same file after this rule's fixes, unsafe ones too; only for rules that
  have fixes.
- `clean*.py`: code like it in which nothing may be found.

In a pack's tests:

    import pytest
    from epslint.testing import Case, assert_fixture, fixture_cases

    @pytest.mark.parametrize("case", fixture_cases(Path("fixtures")), ids=str)
    def test_fixture(case: Case) -> None:
        assert_fixture(case)

`python -m epslint.testing fixtures` writes the `hazard*.fixed.py` that are missing, for you to read
and keep; it never changes one that is there.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from epslint import api, docs, registry
from epslint.config import Config
from epslint.outcome import FileReport
from epslint.rule import CODE, Confidence, Rule
from epslint.source import Source

Expected = Counter[tuple[int, str]]

_MARKER = re.compile(r"#\s*(?P<codes>[A-Z]+[0-9]{3}(?:\s*,\s*[A-Z]+[0-9]{3})*)\s*$")
_FIXED = ".fixed.py"


@dataclass(frozen=True, slots=True)
class Case:
    """One file of a rule's folder."""

    code: str
    path: Path

    @property
    def clean(self) -> bool:
        return self.path.name.startswith("clean")

    @property
    def fixed(self) -> Path:
        """The file that says how this one looks after the fix."""
        return self.path.with_name(self.path.stem + _FIXED)

    def __str__(self) -> str:
        return f"{self.code}/{self.path.stem}"


def fixture_cases(root: Path) -> list[Case]:
    """The cases of every rule's folder below `root`; folders that are not named so are left out."""
    folders = sorted(f for f in root.iterdir() if f.is_dir() and CODE.fullmatch(f.name))
    return [case for folder in folders for case in _cases_in(folder)]


def _cases_in(folder: Path) -> Iterator[Case]:
    names = {path.name for path in folder.glob("*.py")}
    for name in sorted(names):
        if name.endswith(_FIXED):
            origin = name.removesuffix(_FIXED) + ".py"
            if origin not in names:
                raise ValueError(f"{folder / name}: there is no {origin} that it could come from")
        elif name.startswith(("hazard", "clean")):
            yield Case(folder.name, folder / name)
        else:
            raise ValueError(f"{folder / name}: is neither hazard*.py nor clean*.py")


def assert_fixture(case: Case) -> None:
    """Check a file against its markers, and its fix against the fixed file beside it."""
    source = Source.decode(case.path.read_bytes(), str(case.path))
    expected = markers(source)
    if case.clean and expected:
        raise AssertionError(f"{case.path}: a clean file has no markers")
    if not case.clean and not expected:
        raise AssertionError(f"{case.path}: a hazard file needs a marker such as # {case.code}")
    assert_findings(api.check_source(source.text, source.filename, _config(case.code)), expected)
    if not case.clean:
        _assert_fix(case, source)


def markers(source: Source) -> Expected:
    """What the markers of a file say: how often each code is found on each line."""
    found: Expected = Counter()
    for row in range(1, len(source.lines) + 1):
        match = _MARKER.search(source.line(row))
        if match:
            found.update((row, code.strip()) for code in match["codes"].split(","))
    return found


def assert_findings(report: FileReport, expected: Expected) -> None:
    """The findings are these and no others, each as often as it should be."""
    _assert_no_failures(report)
    actual = _found(report)
    lines = [
        *(
            f"  missing    {_times(n)}{code} on line {row}"
            for row, code, n in _rest(expected, actual)
        ),
        *(
            f"  unexpected {_times(n)}{code} on line {row}"
            for row, code, n in _rest(actual, expected)
        ),
    ]
    if lines:
        raise AssertionError("\n".join([f"{report.filename}:", *lines]))


def assert_documented(rule: Rule) -> None:
    """The docstring has every heading; its Example is flagged, and its Use instead is not."""
    written = docs.documentation(rule)
    titles = [title for title, _ in written.sections]
    if titles != list(docs.HEADINGS):
        raise AssertionError(f"{rule.code}: headings are {titles}, not {list(docs.HEADINGS)}")
    empty = [title for title, text in written.sections if not text]
    if empty or not written.summary:
        raise AssertionError(f"{rule.code}: nothing is written under {empty or 'the first line'}")
    for title, flagged in (("Example", True), ("Use instead", False)):
        examples = written.code(title)
        if not examples:
            raise AssertionError(f"{rule.code}: no ```python example under {title}")
        for example in examples:
            _assert_example(rule, title, example, flagged=flagged)


def _assert_example(rule: Rule, title: str, example: str, *, flagged: bool) -> None:
    report = api.check_source(example, f"<{rule.code} {title}>", _config(rule.code))
    _assert_no_failures(report)
    codes = {finding.code for finding in report.findings}
    if flagged and rule.code not in codes:
        raise AssertionError(f"{rule.code}: the example under {title} is not flagged:\n{example}")
    if not flagged and codes:
        raise AssertionError(f"{rule.code}: the code under {title} is flagged {codes}:\n{example}")


def _assert_fix(case: Case, source: Source) -> None:
    rule = registry.load().find(case.code)
    if rule is None:
        raise AssertionError(f"{case.path}: no installed rule has the code {case.code}")
    repair = _repaired(case, source)
    _assert_no_failures(repair.report)
    if rule.grade is None:
        _assert(not repair.applied and not case.fixed.exists(), f"{case.path}: fix without a grade")
        return
    _assert(case.fixed.exists(), f"{case.path}: {case.fixed.name} is missing")
    wanted = Source.decode(case.fixed.read_bytes(), str(case.fixed))
    _assert_same(repair.after, wanted)
    again = _repaired(case, repair.after)
    _assert(not again.changed, f"{case.path}: fixing twice is not fixing once")
    left = [f.code for f in repair.report.findings if f.fix is not None]
    _assert(not left, f"{case.fixed}: still has a fix to apply for {left}")


def _repaired(case: Case, source: Source) -> api.Repair:
    return api.fix_source(source.text, source.filename, _config(case.code), unsafe=True)


def write_missing(root: Path) -> list[Path]:
    """Write the fixed files that are not there yet; those that are stay what they are."""
    written = []
    for case in fixture_cases(root):
        source = Source.decode(case.path.read_bytes(), str(case.path))
        repair = _repaired(case, source)
        if repair.changed and not case.clean and not case.fixed.exists():
            case.fixed.write_bytes(source.encode(repair.after.text))
            written.append(case.fixed)
    return written


def _assert_same(actual: Source, wanted: Source) -> None:
    rows = range(1, max(len(actual.lines), len(wanted.lines)) + 1)
    for row in rows:
        is_now, should_be = actual.lines[row - 1 : row], wanted.lines[row - 1 : row]
        _assert(
            is_now == should_be,
            f"{wanted.filename}:{row}: the fix does not give what this file says\n"
            f"  fix:  {''.join(is_now)!r}\n  file: {''.join(should_be)!r}",
        )


def _assert_no_failures(report: FileReport) -> None:
    _assert(not report.failures, "\n".join(str(failure) for failure in report.failures))


def _assert(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)


def _found(report: FileReport) -> Expected:
    if report.source is None:
        return Counter()
    row = report.source.location
    return Counter((row(f.span.start).row, f.code) for f in report.findings)


def _rest(one: Expected, other: Expected) -> Iterable[tuple[int, str, int]]:
    return ((row, code, n) for (row, code), n in sorted((one - other).items()))


def _times(number: int) -> str:
    return f"{number} x " if number > 1 else ""


def _config(code: str) -> Config:
    """The defaults and the rule under test, of which alone the fixes are applied.

    With everything it has to say: a fixture in numpy is one of its findings, too.
    """
    table = {
        "extend-select": [code],
        "fixable": [code],
        "preview": True,
        "confidence": Confidence.UNLIKELY.value,
    }
    return Config().overlaid(table, "the test")


if __name__ == "__main__":
    for path in write_missing(Path(sys.argv[1])):
        print(path)
