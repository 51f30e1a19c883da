"""The rules there are: packs found by entry point, walked module by module.

The built-in pack comes through the same door as any other: the entry point group `epslint.rules`. A
pack that is missing or broken is an error; a run without its rules would call bad code clean.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType

from epslint import packs
from epslint.errors import EpslintError
from epslint.packs import GROUP, Pack
from epslint.rule import CODE, IgnoreRule, Rule, SiteRule

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")


class PackError(EpslintError):
    """A rule pack that cannot be used; the message names the pack."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every rule of every installed pack, sorted by code."""

    rules: tuple[Rule, ...]

    def find(self, word: str) -> Rule | None:
        """The rule with this code or name."""
        return next((r for r in self.rules if word in (r.code, r.name)), None)

    @property
    def about_comments(self) -> frozenset[str]:
        """The codes of the rules that speak of suppression comments."""
        return frozenset(r.code for r in self.rules if isinstance(r, IgnoreRule))

    def owns(self, code: str) -> bool:
        """Whether a code, known or not, begins with the letters of one of these rules."""
        return code.rstrip("0123456789") in {r.code.rstrip("0123456789") for r in self.rules}


def load() -> Catalogue:
    """Import every installed pack and collect its rules."""
    packs.environment_as_loaded()
    found = packs.installed()
    if not found:
        raise PackError(
            f"no rule pack is installed (no entry point in the group {GROUP!r}), so nothing can "
            "be checked; install epslint with pip, also from a checkout: pip install -e ."
        )
    return collect(rule for pack in found for rule in _rules_of(pack))


def collect(rules: Iterable[type[Rule]]) -> Catalogue:
    """A catalogue of these rules, if they can live together."""
    classes = sorted(rules, key=lambda rule: rule.code)
    for attribute in ("code", "name"):
        owners = defaultdict(list)
        for rule in classes:
            owners[str(getattr(rule, attribute))].append(f"{rule.__module__}.{rule.__qualname__}")
        for word, several in owners.items():
            if len(several) > 1:
                raise PackError(f"{' and '.join(several)} have the same {attribute} {word!r}")
    return Catalogue(tuple(rule() for rule in classes))


def _rules_of(pack: Pack) -> Iterator[type[Rule]]:
    for module in _modules(pack):
        for value in vars(module).values():
            if _is_rule_of(value, module):
                flaw = flaw_of(value)
                if flaw is not None:
                    raise PackError(f"pack {pack.name!r}: {module.__name__}: {flaw}")
                yield value


def _modules(pack: Pack) -> Iterator[ModuleType]:
    """The pack's package and every module below it."""
    package = _imported(pack, pack.module)
    yield package
    for info in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{package.__name__}."):
        yield _imported(pack, info.name)


def _imported(pack: Pack, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever a pack does at import, it is the pack's failure
        reason = f"{type(error).__name__}: {error}"
        raise PackError(f"pack {pack.name!r} cannot be imported: {name}: {reason}") from error


def _is_rule_of(value: object, module: ModuleType) -> bool:
    """Rules belong to the module that defines them; a name with an underscore is a shared base."""
    return (
        isinstance(value, type)
        and issubclass(value, Rule)
        and value.__module__ == module.__name__
        and not value.__name__.startswith("_")
    )


def flaw_of(rule: type[Rule]) -> str | None:
    """What keeps a class from being a rule, in words; None when nothing does."""
    code, name = str(getattr(rule, "code", "")), str(getattr(rule, "name", ""))
    requirements = (
        (CODE.fullmatch(code), f"needs a code like EPS101, not {code!r}"),
        (NAME.fullmatch(name), f"needs a name in kebab-case, not {name!r}"),
        ((rule.__doc__ or "").strip(), "needs a docstring: it is the rule's documentation"),
        (issubclass(rule, SiteRule | IgnoreRule), "must be a SiteRule or an IgnoreRule"),
        (_has_own_check(rule), "needs a check method of its own"),
        (_has_ops(rule), "names no ops, so it would never be asked"),
    )
    return next((f"{rule.__name__} {text}" for met, text in requirements if not met), None)


def _has_own_check(rule: type[Rule]) -> bool:
    return getattr(rule, "check", None) not in (None, SiteRule.check, IgnoreRule.check)


def _has_ops(rule: type[Rule]) -> bool:
    return not issubclass(rule, SiteRule) or bool(getattr(rule, "ops", None))
