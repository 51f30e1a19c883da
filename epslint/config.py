"""The settings: a frozen Config, and how a table of TOML or a command line becomes one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from epslint.epsilon import DEFAULT, Clamp, Hierarchy, Role, Style
from epslint.errors import EpslintError
from epslint.globs import Globs
from epslint.rule import Confidence, Severity

Table = Mapping[str, object]
Member = TypeVar("Member", bound=Enum)

DEFAULT_EXCLUDE = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache",
    ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox",
    ".venv", ".vscode", "__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist",
    "node_modules", "site-packages", "venv",
)  # fmt: skip


class ConfigError(EpslintError):
    """A setting that cannot be used; the message names the file and the key."""


@dataclass(frozen=True, slots=True)
class Selection:
    """One layer's say on which rules are on; a `select` forgets what the layers below said."""

    origin: str = field(compare=False)
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting of a run, for the files of one directory. Hashable: two equal ones check alike.

    `min_severity` None shows everything and lets advice pass; naming a severity hides what is
    below it and counts the rest.
    """

    origin: str = field(default="", compare=False)  # where it comes from, for messages
    selections: tuple[Selection, ...] = ()
    per_file_ignores: tuple[tuple[Globs, tuple[str, ...]], ...] = ()
    fixable: tuple[str, ...] = ("ALL",)
    unfixable: tuple[str, ...] = ()
    extend_safe_fixes: tuple[str, ...] = ()
    extend_unsafe_fixes: tuple[str, ...] = ()
    preview: bool = False
    exclude: Globs = field(default_factory=lambda: Globs.below(Path.cwd(), DEFAULT_EXCLUDE))
    extend_exclude: tuple[Globs, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool = True
    # What it holds is left out afterwards: it does not change how files are checked.
    baseline: Path | None = field(default=None, compare=False, repr=False)
    min_severity: Severity | None = None
    confidence: Confidence = Confidence.POSSIBLE
    guard_style: Style = Style.ADD
    epsilons: tuple[tuple[Role, float], ...] = ()
    clamps: tuple[tuple[Clamp, float], ...] = ()

    @property
    def hierarchy(self) -> Hierarchy:
        """The epsilon table with this config's values put in."""
        table = DEFAULT.override(dict(self.epsilons), dict(self.clamps))
        return replace(table, style=self.guard_style)

    def overlaid(self, table: Table, origin: str = "settings", root: Path | None = None) -> Config:
        """This config with a layer of settings on top; `root` is where its patterns start."""
        root = root or Path.cwd()
        origins = f"{self.origin}, {origin}" if self.origin else origin
        config = replace(self, origin=origins, selections=(*self.selections, Selection(origin)))
        for key, raw in table.items():
            put = _SETTINGS.get(key)
            if put is None:
                raise ConfigError(f"{origin}: unknown setting {key!r}{suggestion(key, _SETTINGS)}")
            config = put(config, Value(raw, key, origin, root))
        return replace(config, selections=_compact(config.selections))


@dataclass(frozen=True, slots=True)
class Value:
    """A value as it was written, and the readers that turn it into what a setting needs."""

    raw: object
    key: str
    origin: str
    root: Path

    def flag(self) -> bool:
        if isinstance(self.raw, bool):
            return self.raw
        raise self.wrong("true or false")

    def text(self) -> str:
        if isinstance(self.raw, str):
            return self.raw
        raise self.wrong("a string")

    def path(self) -> Path:
        return self.root / Path(self.text()).expanduser()

    def texts(self) -> tuple[str, ...]:
        if isinstance(self.raw, list | tuple):
            return tuple(self.inside(item).text() for item in self.raw)
        raise self.wrong("a list of strings")

    def positive(self) -> float:
        if isinstance(self.raw, bool) or not isinstance(self.raw, int | float):
            raise self.wrong("a number")
        if not (self.raw > 0 and math.isfinite(self.raw)):
            raise self.wrong("a positive number")
        return float(self.raw)

    def member(self, choices: type[Member]) -> Member:
        for choice in choices:
            if choice.value == self.raw:
                return choice
        raise self.wrong("one of " + ", ".join(str(choice.value) for choice in choices))

    def globs(self) -> Globs:
        return Globs.below(self.root, self.texts())

    def table(self) -> dict[str, Value]:
        if not isinstance(self.raw, dict):
            raise self.wrong("a table")
        return {str(key): self.inside(item, f"{self.key}.{key}") for key, item in self.raw.items()}

    def numbers(self, names: type[Member]) -> tuple[tuple[Member, float], ...]:
        """A table whose keys are members of `names` and whose values are positive numbers."""
        known = {str(name.value): name for name in names}
        values = self.table()
        for key, value in values.items():
            if key not in known:
                raise ConfigError(
                    f"{self.origin}: unknown setting {value.key!r}{suggestion(key, known)}"
                )
        return tuple((known[key], value.positive()) for key, value in values.items())

    def inside(self, raw: object, key: str | None = None) -> Value:
        return replace(self, raw=raw, key=key or self.key)

    def wrong(self, expected: str) -> ConfigError:
        return ConfigError(f"{self.origin}: {self.key}: expected {expected}, got {self.raw!r}")


def _top(config: Config, change: Callable[[Selection], Selection]) -> Config:
    *below, top = config.selections
    return replace(config, selections=(*below, change(top)))


def _per_file_ignores(value: Value) -> tuple[tuple[Globs, tuple[str, ...]], ...]:
    return tuple(
        (Globs.below(value.root, (pattern,)), codes.texts())
        for pattern, codes in value.table().items()
    )


# One line per setting: its name in a file (and, with --, on the command line), and what it changes.
_SETTINGS: Mapping[str, Callable[[Config, Value], Config]] = MappingProxyType(
    {
        "select": lambda c, v: _top(c, lambda s: replace(s, select=v.texts())),
        "extend-select": lambda c, v: _top(c, lambda s: replace(s, extend_select=v.texts())),
        "ignore": lambda c, v: _top(c, lambda s: replace(s, ignore=v.texts())),
        "per-file-ignores": lambda c, v: replace(c, per_file_ignores=_per_file_ignores(v)),
        "fixable": lambda c, v: replace(c, fixable=v.texts()),
        "unfixable": lambda c, v: replace(c, unfixable=v.texts()),
        "extend-safe-fixes": lambda c, v: replace(c, extend_safe_fixes=v.texts()),
        "extend-unsafe-fixes": lambda c, v: replace(c, extend_unsafe_fixes=v.texts()),
        "preview": lambda c, v: replace(c, preview=v.flag()),
        "exclude": lambda c, v: replace(c, exclude=v.globs()),
        "extend-exclude": lambda c, v: replace(c, extend_exclude=(*c.extend_exclude, v.globs())),
        "force-exclude": lambda c, v: replace(c, force_exclude=v.flag()),
        "respect-gitignore": lambda c, v: replace(c, respect_gitignore=v.flag()),
        "baseline": lambda c, v: replace(c, baseline=v.path()),
        "min-severity": lambda c, v: replace(c, min_severity=v.member(Severity)),
        "confidence": lambda c, v: replace(c, confidence=v.member(Confidence)),
        "guard-style": lambda c, v: replace(c, guard_style=v.member(Style)),
        "epsilon": lambda c, v: replace(c, epsilons=_merged(c.epsilons, v.numbers(Role))),
        "clamp": lambda c, v: replace(c, clamps=_merged(c.clamps, v.numbers(Clamp))),
    }
)

SETTINGS = tuple(_SETTINGS)


def _merged(
    below: tuple[tuple[Member, float], ...], above: tuple[tuple[Member, float], ...]
) -> tuple[tuple[Member, float], ...]:
    """Both tables in one, in one order, so that equal settings make equal configs."""
    return tuple(sorted({**dict(below), **dict(above)}.items(), key=lambda item: item[0].name))


def _compact(selections: tuple[Selection, ...]) -> tuple[Selection, ...]:
    """Drop the layers that say nothing and those that a later `select` makes the rules forget."""
    kept: tuple[Selection, ...] = ()
    for layer in selections:
        if layer.select is not None:
            kept = (layer,)
        elif layer.extend_select or layer.ignore:
            kept = (*kept, layer)
    return kept


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing when nothing is near."""
    import difflib  # noqa: PLC0415 - only for one who has misspelled something

    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
