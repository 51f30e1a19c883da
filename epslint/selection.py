"""The one place that answers: is this rule on, and may its fix be applied?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from epslint.config import Config, ConfigError, Selection, suggestion
from epslint.registry import Catalogue
from epslint.rule import Fix, Grade, IgnoreRule, Rule, SiteRule

ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The rules that are on for a file, and what is known about all the others."""

    catalogue: Catalogue
    on: frozenset[str]
    fixable: frozenset[str]
    vouched: frozenset[str]  # the user takes their unsafe fixes as safe
    doubted: frozenset[str]  # and these safe fixes as unsafe

    @property
    def site_rules(self) -> Iterator[SiteRule]:
        return (r for r in self.catalogue.rules if r.code in self.on and isinstance(r, SiteRule))

    @property
    def ignore_rules(self) -> Iterator[IgnoreRule]:
        return (r for r in self.catalogue.rules if r.code in self.on and isinstance(r, IgnoreRule))

    @property
    def complete(self) -> bool:
        """Whether all that is on by default is on: else a blanket ignore may be for the rest."""
        return all(r.code in self.on for r in self.catalogue.rules if r.default and not r.preview)

    def offered(self, code: str, fix: Fix | None) -> Fix | None:
        """A rule's fix as the settings let it stand: as it is, regraded, or not at all."""
        if fix is None or code not in self.fixable:
            return None
        if code in self.doubted:
            return replace(fix, grade=Grade.SEMANTIC)
        if code in self.vouched and not fix.grade.safe:
            return replace(fix, grade=Grade.BOUNDED)
        return fix

    def without(self, codes: frozenset[str]) -> Ruleset:
        return replace(self, on=self.on - codes)


def choose(catalogue: Catalogue, config: Config) -> Ruleset:
    """The rules a config turns on; an unknown code in it is an error."""

    def codes(setting: str, words: Iterable[str]) -> frozenset[str]:
        return _codes(catalogue, words, setting, config.origin)

    for _, words in config.per_file_ignores:
        codes("per-file-ignores", words)
    return Ruleset(
        catalogue,
        on=_selected(catalogue, config),
        fixable=codes("fixable", config.fixable) - codes("unfixable", config.unfixable),
        vouched=codes("extend-safe-fixes", config.extend_safe_fixes),
        doubted=codes("extend-unsafe-fixes", config.extend_unsafe_fixes),
    )


def for_file(ruleset: Ruleset, config: Config, path: Path) -> Ruleset:
    """The ruleset without what per-file-ignores turns off for this file."""
    off = (
        _codes(ruleset.catalogue, words, "per-file-ignores", config.origin)
        for globs, words in config.per_file_ignores
        if globs.matches(path)
    )
    return ruleset.without(frozenset().union(*off))


def _selected(catalogue: Catalogue, config: Config) -> frozenset[str]:
    on = {rule.code for rule in catalogue.rules if rule.default}
    for layer in config.selections:
        if layer.select is not None:
            on = set()
        _apply(layer, catalogue, on)
    preview = {rule.code for rule in catalogue.rules if rule.preview}
    return frozenset(on if config.preview else on - preview)


def _apply(layer: Selection, catalogue: Catalogue, on: set[str]) -> None:
    """One layer, the vaguest words first: the most specific one has the last say, as in ruff."""
    spoken = [
        (_specificity(catalogue, word), wanted, _codes(catalogue, [word], setting, layer.origin))
        for wanted, setting, words in (
            (True, "select", layer.select or ()),
            (True, "extend-select", layer.extend_select),
            (False, "ignore", layer.ignore),
        )
        for word in words
    ]
    for _, wanted, codes in sorted(spoken, key=lambda item: (item[0], not item[1])):
        on.update(codes) if wanted else on.difference_update(codes)


def _specificity(catalogue: Catalogue, word: str) -> int:
    """ALL is vaguest, a longer prefix says more, a code or a name says all."""
    if word == ALL:
        return 0
    rule = catalogue.find(word)
    return len(rule.code if rule else word)


def _codes(catalogue: Catalogue, words: Iterable[str], setting: str, origin: str) -> frozenset[str]:
    return frozenset().union(*(_matched(catalogue, word, setting, origin) for word in words))


def _matched(catalogue: Catalogue, word: str, setting: str, origin: str) -> frozenset[str]:
    codes = {r.code for r in catalogue.rules if word == ALL or _speaks_of(word, r)}
    if not codes:
        known = [spelling for rule in catalogue.rules for spelling in (rule.code, rule.name)]
        raise ConfigError(
            f"{origin}: {setting}: no rule has the code, prefix or name {word!r}"
            f"{suggestion(word, known)}"
        )
    return frozenset(codes)


def _speaks_of(word: str, rule: Rule) -> bool:
    return bool(word) and (rule.code.startswith(word) or rule.name == word)
