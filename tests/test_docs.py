from __future__ import annotations

from pathlib import Path

import pytest

from epslint import docs, registry
from epslint.rule import Rule

ROOT = Path(__file__).parent.parent


def test_the_pages_are_current() -> None:
    folder = ROOT / "docs" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert written == docs.pages(registry.load().rules), "run: python -m epslint.docs docs/rules"


def test_pages_are_written_and_those_of_lost_rules_removed(tmp_path: Path) -> None:
    (tmp_path / "EPS999.md").touch()
    docs.main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(docs.pages(registry.load().rules))


class Documented(Rule):
    """The summary.

    ## What it does
    Something.

    ## Example
    ```python
    a = 1
    ```
    and
    ```python
    b = 2
    ```
    ```text
    no code
    ```
    """


def test_a_docstring_is_taken_apart() -> None:
    parts = docs.documentation(Documented)
    assert parts.summary == "The summary."
    assert [title for title, _ in parts.sections] == ["What it does", "Example"]
    assert parts.section("What it does") == "Something."
    assert parts.code("Example") == ("a = 1\n", "b = 2\n")
    assert parts.section("Fix") == ""


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "docs/configuration.md"])
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    links = [part.split(")")[0] for part in page.read_text().split("](")[1:]]
    local = [link.split("#")[0] for link in links if not link.startswith(("http", "#"))]
    assert [link for link in local if not (page.parent / link).exists()] == []
