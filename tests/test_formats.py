"""Formats that programs read: against their schemas, and what those cannot say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from xml.etree import ElementTree as Xml

import jsonschema
import pytest
from click.testing import CliRunner

from epslint import address, report
from epslint.cli import main
from epslint.report.sarif import FINGERPRINT
from tests.conftest import Cli

ROOT = Path(__file__).parent.parent
SCHEMAS = Path(__file__).parent / "schemas"

Json = dict[str, object]

# Lines that are not all ASCII, in a file whose name needs quoting.
AWKWARD = "# 你好\r\nx = '𐐀'; a = x / BAD\r\nb = x / WORSE; c = x / MILD\r\n"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No service's checkout: these tests may themselves run in one."""
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def awkward(cli: Cli) -> Cli:
    cli.write("déjà vu/a 50%.py", AWKWARD)
    cli.write("broken.py", "a = (\n")
    return cli


def rendered(cli: Cli, name: str, *paths: str) -> str:
    return str(cli("check", "--output-format", name, *(paths or (".",))).stdout)


def schema(name: str) -> Json:
    return cast("Json", json.loads((SCHEMAS / f"{name}.json").read_text()))


def test_all_of_them_are_there() -> None:
    promised = {
        "full", "concise", "json", "json-lines", "junit", "grouped", "github", "gitlab", "pylint",
        "rdjson", "azure", "sarif",
    }  # fmt: skip
    assert promised <= set(report.names())


@pytest.mark.parametrize("name", ["sarif", "rdjson", "gitlab"])
class TestSchemas:
    def test_hold(self, awkward: Cli, name: str) -> None:
        jsonschema.validate(json.loads(rendered(awkward, name)), schema(name))

    def test_hold_for_nothing(self, cli: Cli, name: str) -> None:
        jsonschema.validate(json.loads(rendered(cli, name)), schema(name))

    def test_hold_for_the_real_rules(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        monkeypatch.chdir(ROOT)
        args = ["check", "--isolated", "--output-format", name, "fixtures/demo"]
        jsonschema.validate(json.loads(CliRunner().invoke(main, args).stdout), schema(name))

    def test_can_break(self, awkward: Cli, name: str) -> None:
        text = rendered(awkward, name).replace('"location', '"place')
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(text), schema(name))


@pytest.mark.skipif("EPSLINT_SARIF_SCHEMA" not in os.environ, reason="no schema of OASIS is named")
def test_sarif_against_the_published_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    published = json.loads(Path(os.environ["EPSLINT_SARIF_SCHEMA"]).read_text())
    monkeypatch.chdir(ROOT)
    args = ["check", "--isolated", "--output-format", "sarif", "fixtures"]
    jsonschema.validate(json.loads(CliRunner().invoke(main, args).stdout), published)


class TestSarif:
    def run(self, cli: Cli, *paths: str) -> Json:
        (run,) = json.loads(rendered(cli, "sarif", *paths))["runs"]
        return cast("Json", run)

    def results(self, cli: Cli) -> list[Json]:
        return cast("list[Json]", self.run(cli)["results"])

    def test_a_result(self, cli: Cli) -> None:
        cli.write("a b.py", "n = 1\na = x / BAD\n")
        (result,) = self.results(cli)
        place = {"uri": "a%20b.py", "uriBaseId": "SRCROOT"}
        region = {"startLine": 2, "startColumn": 9, "endLine": 2, "endColumn": 12}
        assert result["locations"] == [
            {"physicalLocation": {"artifactLocation": place, "region": region}}
        ]
        assert (result["ruleId"], result["level"]) == ("FAK101", "warning")
        assert result["message"] == {"text": "`BAD` can be 0"}
        assert result["relatedLocations"] == [
            {
                "id": 0,
                "message": {"text": "BAD is a fake"},
                "physicalLocation": {"artifactLocation": place, "region": {"startLine": 1}},
            }
        ]
        before = {"startLine": 2, "startColumn": 9, "endLine": 2, "endColumn": 9}
        after = {"startLine": 2, "startColumn": 12, "endLine": 2, "endColumn": 12}
        assert result["fixes"] == [
            {
                "description": {"text": "Add 1e-8 (bounded fix)"},
                "artifactChanges": [
                    {
                        "artifactLocation": place,
                        "replacements": [
                            {"deletedRegion": before, "insertedContent": {"text": "("}},
                            {"deletedRegion": after, "insertedContent": {"text": " + 1e-8)"}},
                        ],
                    }
                ],
            }
        ]

    def test_rules_are_described_and_pointed_to(self, cli: Cli) -> None:
        cli.write("a.py", "a = x / WORSE\n")
        run = cast("dict[str, dict[str, dict[str, list[dict[str, object]]]]]", self.run(cli))
        rules = run["tool"]["driver"]["rules"]
        (result,) = self.results(cli)
        rule = rules[cast("int", result["ruleIndex"])]
        assert rule["id"] == result["ruleId"] == "FAK102"
        assert rule["name"] == "worse-division"
        assert rule["shortDescription"] == {"text": "Has an unsafe fix."}
        assert rule["defaultConfiguration"] == {"enabled": True, "level": "error"}
        off = next(rule for rule in rules if rule["id"] == "FAK201")
        assert off["defaultConfiguration"] == {"enabled": False, "level": "warning"}

    def test_what_could_not_be_checked_is_told(self, cli: Cli) -> None:
        cli.write("a.py", "a = (\n")
        (invocation,) = cast("list[dict[str, object]]", self.run(cli, "a.py")["invocations"])
        assert invocation["executionSuccessful"] is False
        (told,) = cast("list[Json]", invocation["toolExecutionNotifications"])
        assert "syntax error" in str(told["message"])
        cli.write("a.py", "a = 1\n")
        assert self.run(cli, "a.py")["invocations"] == [
            {"executionSuccessful": True, "toolExecutionNotifications": []}
        ]

    def test_a_file_outside_has_a_full_address(self, cli: Cli) -> None:
        outside = cli.folder.parent / "outside of it.py"
        outside.write_text("a = x / BAD\n")
        (result,) = cast("list[Json]", self.run(cli, str(outside))["results"])
        assert "/outside%20of%20it.py" in str(result["locations"])
        assert "uriBaseId" not in str(result["locations"])


class TestFingerprints:
    def prints(self, cli: Cli, text: str) -> list[str]:
        cli.write("a.py", text)
        (run,) = json.loads(rendered(cli, "sarif"))["runs"]
        return [result["partialFingerprints"][FINGERPRINT] for result in run["results"]]

    def test_survive_moved_lines_formatters_and_comments(self, cli: Cli) -> None:
        before = self.prints(cli, "a = x / BAD\nb = x / BAD\n")
        after = self.prints(
            cli, "import os\n\nif a:\n    a  =  x/BAD  # soon\n\n\nb = x / BAD # it's ok\n"
        )
        assert after == before
        assert len(set(before)) == 2

    def test_tell_equal_lines_and_different_rules_apart(self, cli: Cli) -> None:
        found = self.prints(cli, "a = x / BAD\na = x / BAD\nb = x / BAD / WORSE\n")
        assert len(set(found)) == len(found) == 4

    def test_change_with_the_code(self, cli: Cli) -> None:
        assert self.prints(cli, "a = '#' + x / BAD\n") != self.prints(cli, "a = '#1' + x / BAD\n")

    def test_are_the_same_for_gitlab(self, cli: Cli) -> None:
        sarif = self.prints(cli, "a = x / BAD\n")
        assert [issue["fingerprint"] for issue in json.loads(rendered(cli, "gitlab"))] == sarif


class TestJunit:
    def suites(self, cli: Cli) -> Iterator[tuple[Json, list[tuple[str, list[str]]]]]:
        root = Xml.fromstring(rendered(cli, "junit"))
        assert root.tag == "testsuites"
        for suite in root:
            cases = [(case.attrib["name"], [child.tag for child in case]) for case in suite]
            yield dict(suite.attrib), cases

    def test_shape(self, cli: Cli) -> None:
        cli.write("a.py", "a = x / BAD\nb = x / MILD\n")
        cli.write("b.py", "a = 1\n")
        cli.write("c.py", "a = (\n")
        counts = {"tests": "2", "failures": "1", "errors": "0"}
        one = {"tests": "1", "failures": "0", "errors": "0"}
        assert list(self.suites(cli)) == [
            (
                {"name": "a.py", **counts},
                [
                    ("FAK101 bad-division at 1:9", ["failure"]),
                    ("FAK103 mild-division at 2:9", ["system-out"]),  # advice fails nothing
                ],
            ),
            ({"name": "b.py", **one}, [("epslint", [])]),
            ({"name": "c.py", **one, "errors": "1"}, [("not-checked", ["error"])]),
        ]

    def test_only_known_names_are_used(self, awkward: Cli) -> None:
        known = {
            "testsuites": {"name", "tests", "failures", "errors"},
            "testsuite": {"name", "tests", "failures", "errors"},
            "testcase": {"name", "classname", "time", "file"},
            "failure": {"message", "type"},
            "error": {"message", "type"},
            "system-out": set(),
        }
        for element in Xml.fromstring(rendered(awkward, "junit", ".", "gone")).iter():
            assert set(element.attrib) <= known[element.tag]

    def test_characters_that_xml_cannot_hold(self, cli: Cli) -> None:
        cli.write("\x01.py", "a = x / BAD\n")
        assert next(self.suites(cli))[0]["name"] == "\ufffd.py"


class TestCommands:
    def test_github(self, cli: Cli) -> None:
        cli.write("50%, a:b.py", "a = (x /\n BAD) / WORSE / MILD\n")
        cli.write("broken.py", "a = (\n")
        where = "file=50%25%2C a%3Ab.py,line=2,endLine=2"
        why = "%0Aline 1: {} is a fake\n"
        assert rendered(cli, "github") == (
            f"::warning title=epslint FAK101 (bad-division),{where},col=2,endColumn=5"
            "::`BAD` can be 0 [proven]" + why.format("BAD") +
            f"::error title=epslint FAK102 (worse-division),{where},col=9,endColumn=14"
            "::`WORSE` can be 0 [proven]" + why.format("WORSE") +
            f"::notice title=epslint FAK103 (mild-division),{where},col=17,endColumn=21"
            "::`MILD` can be 0 [proven]" + why.format("MILD") +
            "::error title=epslint,file=broken.py::could not be checked: has a syntax error on "
            "line 1: '(' was never closed\n"
        )  # fmt: skip

    def test_azure(self, cli: Cli) -> None:
        cli.write("50%;a].py", "a = x / BAD / WORSE\n")
        cli.write("broken.py", "a = (\n")
        where = "sourcepath=50%AZP25%3Ba%5D.py;linenumber=1"
        assert rendered(cli, "azure").splitlines() == [
            f"##vso[task.logissue type=warning;{where};columnnumber=9;code=FAK101;]`BAD` can be 0",
            f"##vso[task.logissue type=error;{where};columnnumber=15;code=FAK102;]`WORSE` can be 0",
            "##vso[task.logissue type=error;sourcepath=broken.py;]could not be checked: "
            "has a syntax error on line 1: '(' was never closed",
        ]

    def test_pylint(self, cli: Cli) -> None:
        cli.write("sub/a.py", "\na = x / BAD\n")
        assert rendered(cli, "pylint") == "sub/a.py:2: [FAK101] `BAD` can be 0\n"

    @pytest.mark.parametrize("name", ["github", "azure", "pylint"])
    def test_each_stands_on_a_line_of_its_own(self, awkward: Cli, name: str) -> None:
        shape = {"github": r"::\w+ .*::.+", "azure": r"##vso\[.*\].+", "pylint": r".+:\d+: \[.+"}
        for line in rendered(awkward, name).splitlines():
            assert re.fullmatch(shape[name], line)


def test_rdjson_counts_bytes_and_suggests_the_whole_fix(awkward: Cli) -> None:
    diagnostics = json.loads(rendered(awkward, "rdjson"))["diagnostics"]
    bad = next(d for d in diagnostics if d.get("code") == {"value": "FAK101"})
    span = {"start": {"line": 2, "column": 21}, "end": {"line": 2, "column": 24}}  # characters: 18
    assert bad["location"] == {"path": "déjà vu/a 50%.py", "range": span}
    assert bad["suggestions"] == [{"range": span, "text": "(BAD + 1e-8)"}]


def test_json_lines_are_the_objects_of_json(awkward: Cli) -> None:
    lines = rendered(awkward, "json-lines").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(rendered(awkward, "json"))
    assert len(lines) == 3


@pytest.mark.parametrize("name", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"])
def test_paths_start_at_the_checkout(cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    cli.write("python/a.py", "a = x / BAD\n")
    monkeypatch.chdir(cli.folder / "python")
    assert rendered(cli, "pylint").startswith("a.py:1:")
    monkeypatch.setenv(name, str(cli.folder))
    assert rendered(cli, "pylint").startswith("python/a.py:1:")
    monkeypatch.setenv(name, "/somewhere/else")
    assert rendered(cli, "pylint").startswith("a.py:1:")


def test_pages_are_named_once_they_are_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(address, "HOME", "https://example.org")
    monkeypatch.setattr(address, "RULES", "https://example.org/rules")
    (tmp_path / "a.py").write_text("import torch\n\n\ndef f(x, mask):\n    return x / mask.sum()\n")
    args = ["check", "--isolated", "--output-format"]
    page = "https://example.org/rules/EPS101.md"
    (found,) = json.loads(CliRunner().invoke(main, [*args, "json", str(tmp_path)]).stdout)
    assert found["url"] == page
    rdjson = json.loads(CliRunner().invoke(main, [*args, "rdjson", str(tmp_path)]).stdout)
    assert rdjson["source"]["url"] == "https://example.org"
    assert rdjson["diagnostics"][0]["code"]["url"] == page
    sarif = json.loads(CliRunner().invoke(main, [*args, "sarif", str(tmp_path)]).stdout)
    jsonschema.validate(sarif, schema("sarif"))
    rules = sarif["runs"][0]["tool"]["driver"]["rules"]
    assert page in [rule["helpUri"] for rule in rules]
    assert address.page("XYZ101") is None
