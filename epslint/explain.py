"""What epslint can say about itself: its rules, its settings, and what it knows about a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import MappingProxyType

import click

from epslint import docs, registry
from epslint.config import Config, suggestion
from epslint.epsilon import Clamp, Role, spelled
from epslint.errors import EpslintError
from epslint.rule import Rule
from epslint.selection import choose
from epslint.source import Source, SourceError


def find(words: Sequence[str]) -> tuple[Rule, ...]:
    """The rules with these codes or names; all of them when none is named."""
    catalogue = registry.load()
    return tuple(_found(catalogue, word) for word in words) or catalogue.rules


def _found(catalogue: registry.Catalogue, word: str) -> Rule:
    rule = catalogue.find(word) or catalogue.find(word.upper())
    if rule is None:
        known = [spelling for r in catalogue.rules for spelling in (r.code, r.name)]
        raise EpslintError(f"no rule has the code or name {word!r}{suggestion(word, known)}")
    return rule


def _as_text(rules: Iterable[Rule]) -> str:
    return "\n".join(_terminal_page(docs.page(rule)) for rule in rules)


def _as_json(rules: Iterable[Rule]) -> str:
    return json.dumps([_entry(rule) for rule in rules], indent=2, ensure_ascii=False) + "\n"


FORMATS: Mapping[str, Callable[[Iterable[Rule]], str]] = MappingProxyType(
    {"text": _as_text, "json": _as_json}
)


def _entry(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": docs.documentation(rule).summary,
        "severity": rule.severity.value,
        "fix": rule.grade.value if rule.grade else None,
        "default": rule.default,
        "preview": rule.preview,
        "explanation": docs.page(rule),
    }


def _terminal_page(markdown: str) -> str:
    """Markdown as a terminal shows it best: headings bold, code set in and coloured, no fences."""
    lines, in_code = [], False
    for line in markdown.splitlines():
        if line.startswith("```"):
            in_code = not in_code
        elif in_code:
            lines.append(click.style(f"    {line}", fg="cyan") if line else "")
        else:
            lines.append(_styled(line))
    return "\n".join(lines) + "\n"


def _styled(line: str) -> str:
    heading = re.fullmatch(r"#+ (.*)", line)
    if heading:
        return click.style(heading[1], bold=True, underline=True)
    return re.sub(r"`([^`]+)`", lambda match: click.style(match[1], fg="cyan"), line)


def settings(config: Config) -> str:
    """Every setting with its value, in the shape of a configuration file."""
    hierarchy = config.hierarchy
    per_file = {", ".join(globs.patterns): codes for globs, codes in config.per_file_ignores}
    excluded = [p for globs in config.extend_exclude for p in globs.patterns]
    return "".join(
        [
            f"# from {config.origin or 'the defaults'}\n",
            _table(
                {
                    "select": sorted(choose(registry.load(), config).on),
                    "preview": config.preview,
                    "min-severity": config.min_severity,
                    "confidence": config.confidence,
                    "fixable": config.fixable,
                    "unfixable": config.unfixable,
                    "extend-safe-fixes": config.extend_safe_fixes,
                    "extend-unsafe-fixes": config.extend_unsafe_fixes,
                    "guard-style": config.guard_style,
                    "exclude": config.exclude.patterns,
                    "extend-exclude": excluded,
                    "force-exclude": config.force_exclude,
                    "respect-gitignore": config.respect_gitignore,
                    "baseline": config.baseline and str(config.baseline),
                }
            ),
            "\n[per-file-ignores]\n" + _table({_toml(k): v for k, v in per_file.items()}),
            "\n[epsilon]\n" + _table({r.value: hierarchy.epsilon(r) for r in Role}),
            "\n[clamp]\n" + _table({c.value: hierarchy.bound(c) for c in Clamp}),
        ]
    )


def _table(values: Mapping[str, object]) -> str:
    return "".join(
        f"# {key} is not set\n" if value is None else f"{key} = {_toml(value)}\n"
        for key, value in values.items()
    )


def _toml(value: object) -> str:
    """A value as TOML writes it; for strings, numbers and lists that is how JSON does."""
    if isinstance(value, float):
        return spelled(value)
    return json.dumps(value.value if isinstance(value, Enum) else value, ensure_ascii=False)


def known_facts(place: str) -> str:
    """`FILE` or `FILE:LINE` → one line for each thing the analysis knows there."""
    from epslint.analysis import facts  # noqa: PLC0415 - libcst is slow to load: only when used

    path, row = _place(place)
    try:
        source = Source.decode(path.read_bytes(), str(path))
        known = [fact for fact in facts(source) if row in (None, fact.row)]
    except OSError as error:
        raise EpslintError(f"{path}: cannot be read: {error.strerror}") from None
    except SourceError as error:
        raise EpslintError(f"{path}: {error}") from None
    if not known:
        return "Nothing is known here.\n"
    width = max(len(fact.subject) for fact in known)
    return "".join(
        f"{click.style(f'{fact.row:>5}', fg='blue')}  {fact.subject:<{width}}  {fact.description}\n"
        for fact in sorted(known, key=lambda fact: fact.row)
    )


def _place(place: str) -> tuple[Path, int | None]:
    match = re.fullmatch(r"(.+):(\d+)", place)
    if match and not Path(place).exists():
        return Path(match[1]), int(match[2])
    return Path(place), None
