"""A rule's docstring as documentation: its sections, its examples, its page.

`python -m epslint.docs docs/rules` writes the pages of the installed rules.
"""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from epslint import registry
from epslint.rule import Rule

HEADINGS = (
    "What it does",
    "Why is this bad",
    "Example",
    "Use instead",
    "Fix",
    "Fix safety",
    "References",
)

_HEADING = re.compile(r"^#{2,3} (?P<title>.+?)\??$", re.MULTILINE)
_CODE = re.compile(r"^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Documentation:
    """A docstring taken apart: its first paragraph, and what stands under each heading."""

    summary: str
    sections: tuple[tuple[str, str], ...]

    def section(self, title: str) -> str:
        return dict(self.sections).get(title, "")

    def code(self, title: str) -> tuple[str, ...]:
        """The Python examples under a heading."""
        return tuple(match["code"] for match in _CODE.finditer(self.section(title)))


def documentation(rule: Rule | type[Rule]) -> Documentation:
    """What a rule's docstring says."""
    text = inspect.cleandoc(rule.__doc__ or "")
    headings = list(_HEADING.finditer(text))
    ends = [*(heading.start() for heading in headings[1:]), len(text)]
    return Documentation(
        summary=text[: headings[0].start() if headings else len(text)].strip(),
        sections=tuple(
            (heading["title"], text[heading.end() : end].strip())
            for heading, end in zip(headings, ends, strict=False)
        ),
    )


def facts(rule: Rule) -> str:
    """A rule's standing in one line."""
    parts = [f"severity {rule.severity.value}"]
    parts.append(f"{rule.grade.value} fix" if rule.grade else "no fix")
    if rule.preview:
        return " · ".join([*parts, "off by default, on with --preview"])
    return " · ".join([*parts, "on by default" if rule.default else "off by default"])


def _on(rule: Rule) -> str:
    if rule.preview:
        return "with `--preview`"
    return "yes" if rule.default else "no"


def page(rule: Rule) -> str:
    """A rule's page, in Markdown."""
    text = inspect.cleandoc(rule.__doc__ or "")
    return f"# {rule.name} ({rule.code})\n\n{facts(rule)}\n\n{text}\n"


def index(rules: tuple[Rule, ...]) -> str:
    """The page that lists all rules."""
    rows = "".join(
        f"| [{r.code}]({r.code}.md) | {r.name} | {documentation(r).summary.splitlines()[0]} "
        f"| {r.grade.value if r.grade else '–'} | {_on(r)} |\n"
        for r in rules
    )
    return (
        "# Rules\n\n"
        "Generated from the rules' docstrings by `python -m epslint.docs docs/rules`.\n\n"
        "| code | name | flags | fix | on |\n|---|---|---|---|---|\n" + rows
    )


def pages(rules: tuple[Rule, ...]) -> dict[str, str]:
    """File name → content, for the whole folder."""
    return {"index.md": index(rules), **{f"{rule.code}.md": page(rule) for rule in rules}}


def main(folder: Path) -> None:
    """Write the pages, and remove those of rules that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    current = pages(registry.load().rules)
    for path in folder.glob("*.md"):
        if path.name not in current:
            path.unlink()
    for name, text in current.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/rules"))
