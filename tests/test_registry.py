from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from epslint import packs, registry
from epslint.analysis.ops import Op
from epslint.packs import Pack
from epslint.registry import PackError, collect, flaw_of
from epslint.rule import Diagnosis, Rule, SiteRule
from tests import fake
from tests.conftest import Cli

RULE = '''
from epslint.analysis.ops import Op
from epslint.rule import SiteRule


class {name}(SiteRule):
    """Documented."""

    code = "{code}"
    name = "{kebab}"
    ops = frozenset({{Op.DIV}})

    def check(self, site):
        yield from ()
'''


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty package `somepack` that is the only installed pack."""
    folder = tmp_path / "packs" / "somepack"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.setattr(packs, "installed", lambda: (Pack("some", "somepack"),))
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "somepack"]:
        del sys.modules[name]


def test_the_built_in_rules_come_through_the_entry_point() -> None:
    codes = [rule.code for rule in registry.load().rules]
    assert {"EPS001", "EPS002"} <= set(codes)
    assert codes == sorted(codes)


def test_rules_are_found_in_every_module_below(pack: Path) -> None:
    (pack / "deep").mkdir()
    (pack / "deep" / "__init__.py").touch()
    (pack / "one.py").write_text(RULE.format(name="One", code="PAK002", kebab="one-rule"))
    (pack / "deep" / "two.py").write_text(
        RULE.format(name="Two", code="PAK001", kebab="two-rule")
        + "\n\nclass _Base(SiteRule):\n    pass\n\n\nfrom somepack.one import One\n"
    )
    assert [rule.code for rule in registry.load().rules] == ["PAK001", "PAK002"]


def test_no_pack_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "installed", lambda: ())
    with pytest.raises(PackError, match="no rule pack is installed"):
        registry.load()


def test_a_pack_that_fails_to_import_is_an_error_that_names_both(pack: Path) -> None:
    (pack / "broken.py").write_text("import numpyy\n")
    with pytest.raises(PackError) as caught:
        registry.load()
    assert str(caught.value) == (
        "pack 'some' cannot be imported: somepack.broken: "
        "ModuleNotFoundError: No module named 'numpyy'"
    )


def test_a_pack_that_is_gone_is_an_error(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "installed", lambda: (Pack("gone", "no_such_pack"),))
    with pytest.raises(PackError, match="pack 'gone' cannot be imported: no_such_pack"):
        registry.load()


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (("Two", "PAK001", "two-rule"), "have the same code 'PAK001'"),
        (("Two", "PAK002", "one-rule"), "have the same name 'one-rule'"),
    ],
)
def test_two_rules_cannot_share_a_code_or_a_name(
    pack: Path, second: tuple[str, str, str], message: str
) -> None:
    (pack / "one.py").write_text(RULE.format(name="One", code="PAK001", kebab="one-rule"))
    name, code, kebab = second
    (pack / "two.py").write_text(RULE.format(name=name, code=code, kebab=kebab))
    with pytest.raises(PackError) as caught:
        registry.load()
    assert message in str(caught.value)
    assert "somepack.one.One and somepack.two.Two" in str(caught.value)


class _Sound(SiteRule):
    """Documented."""

    code = "PAK001"
    name = "sound-rule"
    ops = frozenset({Op.DIV})

    def check(self, site: object) -> Iterator[Diagnosis]:
        yield from ()


class Codeless(_Sound):
    """Documented."""

    code = "pak1"


class Nameless(_Sound):
    """Documented."""

    name = "NotKebab"


class Undocumented(_Sound):
    __doc__ = "  "


class Opless(_Sound):
    """Documented."""

    ops = frozenset()


class Checkless(SiteRule):
    """Documented."""

    code = "PAK001"
    name = "checkless-rule"
    ops = frozenset({Op.DIV})


class Kindless(Rule):
    """Documented."""

    code = "PAK001"
    name = "kindless-rule"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Codeless, "Codeless needs a code like EPS101, not 'pak1'"),
        (Nameless, "Nameless needs a name in kebab-case, not 'NotKebab'"),
        (Undocumented, "Undocumented needs a docstring: it is the rule's documentation"),
        (Opless, "Opless names no ops, so it would never be asked"),
        (Checkless, "Checkless needs a check method of its own"),
        (Kindless, "Kindless must be a SiteRule or an IgnoreRule"),
        (_Sound, None),
    ],
)
def test_a_rule_that_could_never_work_is_refused(rule: type[Rule], message: str | None) -> None:
    assert flaw_of(rule) == message


def test_a_flawed_rule_in_a_pack_is_an_error_that_names_the_pack(pack: Path) -> None:
    (pack / "one.py").write_text(RULE.format(name="One", code="pak", kebab="one-rule"))
    with pytest.raises(PackError, match=r"pack 'some': somepack\.one: One needs a code"):
        registry.load()


@pytest.mark.parametrize("command", [["check", "."], ["--fix", "."], ["rule", "--all"], ["config"]])
def test_without_its_rules_no_command_says_clean(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    def fail() -> None:
        raise PackError("no rule pack is installed")

    cli.write("a.py", "a = x / BAD\n")
    monkeypatch.setattr(registry, "load", fail)
    result = cli(*command)
    assert result.exit_code == 2
    assert result.stderr == "error: no rule pack is installed\n"
    assert result.stdout == ""


def test_a_rule_is_found_by_code_or_name() -> None:
    catalogue = collect(fake.RULES)
    assert catalogue.find("FAK101") is catalogue.find("bad-division") is not None
    assert catalogue.find("FAK1") is None
