from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from epslint.config import SETTINGS, Config, ConfigError
from epslint.epsilon import Clamp, Role, Style
from epslint.rule import Confidence, Severity
from epslint.settings import Settings
from tests.conftest import Cli


def overlaid(**table: object) -> Config:
    kebab = {key.replace("_", "-"): value for key, value in table.items()}
    return Config().overlaid(kebab, "x.toml", Path())


def test_every_setting_is_read(cli: Cli) -> None:
    cli.write(
        "epslint.toml",
        """
        select = ["FAK1"]
        extend-select = ["FAK201"]
        ignore = ["FAK102"]
        fixable = ["FAK101"]
        unfixable = ["FAK103"]
        extend-safe-fixes = ["FAK102"]
        extend-unsafe-fixes = ["FAK101"]
        preview = true
        exclude = ["old"]
        extend-exclude = ["gen"]
        force-exclude = true
        respect-gitignore = false
        min-severity = "advice"
        confidence = "proven"
        guard-style = "clamp"
        [per-file-ignores]
        "tests/*" = ["FAK101"]
        [epsilon]
        reward = 1e-5
        log-ratio = 1e-7
        [clamp]
        k3 = 8
        """,
    )
    config = Settings().of(cli.folder)
    (selection,) = config.selections
    assert selection.select == ("FAK1",)
    assert selection.extend_select == ("FAK201",)
    assert selection.ignore == ("FAK102",)
    assert (config.fixable, config.unfixable) == (("FAK101",), ("FAK103",))
    assert (config.extend_safe_fixes, config.extend_unsafe_fixes) == (("FAK102",), ("FAK101",))
    assert (config.preview, config.force_exclude, config.respect_gitignore) == (True, True, False)
    assert config.exclude.patterns == ("old",)
    assert [globs.patterns for globs in config.extend_exclude] == [("gen",)]
    assert (config.min_severity, config.confidence) == (Severity.ADVICE, Confidence.PROVEN)
    assert [(g.patterns, c) for g, c in config.per_file_ignores] == [(("tests/*",), ("FAK101",))]
    hierarchy = config.hierarchy
    assert hierarchy.style is Style.CLAMP
    assert hierarchy.epsilon(Role.REWARD) == 1e-5
    assert hierarchy.epsilon(Role.LOG_RATIO) == 1e-7
    assert hierarchy.epsilon(Role.MASKED) == 1e-8
    assert hierarchy.bound(Clamp.K3) == 8.0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"selct": []}, "x.toml: unknown setting 'selct'; did you mean 'select'?"),
        ({"zzz": 1}, "x.toml: unknown setting 'zzz'"),
        ({"select": "EPS1"}, "x.toml: select: expected a list of strings, got 'EPS1'"),
        ({"select": [1]}, "x.toml: select: expected a string, got 1"),
        ({"preview": 1}, "x.toml: preview: expected true or false, got 1"),
        (
            {"min-severity": "bad"},
            "x.toml: min-severity: expected one of error, warning, advice, got 'bad'",
        ),
        ({"guard-style": "sub"}, "x.toml: guard-style: expected one of add, clamp, got 'sub'"),
        ({"epsilon": 1}, "x.toml: epsilon: expected a table, got 1"),
        (
            {"epsilon": {"rewards": 1e-6}},
            "x.toml: unknown setting 'epsilon.rewards'; did you mean 'reward'?",
        ),
        (
            {"epsilon": {"reward": 0.0}},
            "x.toml: epsilon.reward: expected a positive number, got 0.0",
        ),
        (
            {"clamp": {"k3": float("inf")}},
            "x.toml: clamp.k3: expected a positive number, got inf",
        ),
        ({"clamp": {"k3": True}}, "x.toml: clamp.k3: expected a number, got True"),
        ({"per-file-ignores": ["a"]}, "x.toml: per-file-ignores: expected a table, got ['a']"),
        (
            {"per-file-ignores": {"a": "EPS1"}},
            "x.toml: per-file-ignores.a: expected a list of strings, got 'EPS1'",
        ),
    ],
)
def test_what_cannot_be_used_is_an_error_that_names_it(
    table: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        Config().overlaid(table, "x.toml", Path())
    assert str(caught.value) == message


def test_a_config_is_a_key_and_travels() -> None:
    one = overlaid(epsilon={"reward": 1e-5, "masked": 1e-7}, select=["EPS1"])
    other = overlaid(select=["EPS1"], epsilon={"masked": 1e-7, "reward": 1e-5})
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != overlaid(select=["EPS1"])


def test_every_setting_is_documented() -> None:
    text = Path(__file__).parent.parent.joinpath("docs/configuration.md").read_text()
    for key in (*SETTINGS, "extend"):
        assert f"`{key}`" in text or f"[tool.epslint.{key}]" in text
    roles = [member.value for member in (*Role, *Clamp) if f"`{member.value}`" not in text]
    assert not roles


class TestDiscovery:
    def test_the_nearest_file_wins_and_does_not_inherit(self, cli: Cli) -> None:
        cli.write("pyproject.toml", "[tool.epslint]\nselect = ['FAK101']\npreview = true\n")
        cli.write("sub/epslint.toml", "select = ['FAK102']\n")
        cli.write("sub/deep/pyproject.toml", "[project]\nname = 'not about epslint'\n")
        settings = Settings()
        top, sub = settings.of(cli.folder), settings.of(cli.folder / "sub")
        assert (top.selections[0].select, top.preview) == (("FAK101",), True)
        assert (sub.selections[0].select, sub.preview) == (("FAK102",), False)
        assert settings.of(cli.folder / "sub" / "deep") == sub

    def test_in_one_folder_the_dotted_file_comes_first(self, cli: Cli) -> None:
        cli.write("pyproject.toml", "[tool.epslint]\nselect = ['FAK101']\n")
        cli.write("epslint.toml", "select = ['FAK102']\n")
        assert Settings().of(cli.folder).selections[0].select == ("FAK102",)
        cli.write(".epslint.toml", "select = ['FAK103']\n")
        assert Settings().of(cli.folder).selections[0].select == ("FAK103",)

    def test_each_file_is_checked_with_its_own(self, cli: Cli) -> None:
        cli.write("epslint.toml", "select = ['FAK101']\n")
        cli.write("sub/epslint.toml", "select = ['FAK103']\n")
        for name in ("a.py", "sub/b.py"):
            cli.write(name, "a = x / BAD\nb = x / MILD\n")
        assert cli.codes(".") == ["FAK101", "FAK103"]

    def test_extend_builds_on_another_file(self, cli: Cli) -> None:
        cli.write("base.toml", "select = ['FAK101']\nexclude = ['gen']\n[epsilon]\nreward = 1e-5\n")
        cli.write("sub/epslint.toml", "extend = '../base.toml'\nignore = ['FAK101']\n")
        config = Settings().of(cli.folder / "sub")
        assert [s.select or s.ignore for s in config.selections] == [("FAK101",), ("FAK101",)]
        assert config.hierarchy.epsilon(Role.REWARD) == 1e-5
        assert config.exclude.root == str(cli.folder)

    def test_a_circle_of_extends_is_an_error(self, cli: Cli) -> None:
        cli.write("epslint.toml", "extend = 'b.toml'\n")
        cli.write("b.toml", "extend = 'epslint.toml'\n")
        with pytest.raises(ConfigError, match="extends itself"):
            Settings().of(cli.folder)

    def test_the_command_line_comes_on_top(self, cli: Cli) -> None:
        cli.write("epslint.toml", "select = ['FAK101']\nignore = ['FAK103']\n")
        cli.write("a.py", "a = x / BAD\nb = x / MILD\nc = x / WORSE\n")
        assert cli.codes("a.py") == ["FAK101"]
        assert cli.codes("--select", "FAK103", "a.py") == ["FAK103"]
        assert cli.codes("--extend-select", "FAK103,FAK102", "a.py") == [
            "FAK101",
            "FAK103",
            "FAK102",
        ]
        assert cli.codes("--ignore", "FAK101", "a.py") == []

    def test_isolated_reads_no_file_and_config_reads_this_one(self, cli: Cli) -> None:
        cli.write("epslint.toml", "this is not TOML")
        cli.write("other/mine.toml", "select = ['FAK103']\n")
        cli.write("a.py", "a = x / BAD\nb = x / MILD\n")
        assert cli.codes("--isolated", "a.py") == ["FAK101", "FAK103"]
        assert cli.codes("--config", "other/mine.toml", "a.py") == ["FAK103"]
        assert cli("a.py").exit_code == 2

    def test_an_error_names_the_file_also_when_the_command_line_adds_to_it(self, cli: Cli) -> None:
        cli.write("epslint.toml", "unfixable = ['FAK999']\n")
        cli.write("a.py", "a = x / BAD\n")
        result = cli("--ignore", "FAK102", "a.py")
        assert "epslint.toml, command line: unfixable: no rule has" in result.stderr

    def test_a_bad_file_further_down_stops_the_run_before_anything_is_written(
        self, cli: Cli
    ) -> None:
        first = cli.write("a.py", "a = x / BAD\n")
        cli.write("z/b.py", "a = x / BAD\n")
        cli.write("z/epslint.toml", "select = ['FAK999']\n")
        assert cli("--fix", ".").exit_code == 2
        assert first.read_text() == "a = x / BAD\n"

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("epslint.toml", "a = [", "epslint.toml: is not valid TOML"),
            ("epslint.toml", b"\xff", "epslint.toml: is not valid TOML"),
            ("pyproject.toml", "[tool]\nepslint = 1\n", "tool.epslint: expected a table"),
            ("epslint.toml", "extend = 1\n", "extend: expected a path, got 1"),
            ("epslint.toml", "extend = 'gone.toml'\n", "gone.toml: cannot be read: No such file"),
            ("epslint.toml", "select = ['FAK9']\n", "no rule has the code, prefix or name 'FAK9'"),
            ("epslint.toml", "unfixable = ['bad-divison']\n", "did you mean 'bad-division'?"),
            ("epslint.toml", "[per-file-ignores]\n'*' = ['X1']\n", "per-file-ignores: no rule has"),
        ],
    )
    def test_a_bad_file_is_an_error_before_anything_is_checked(
        self, cli: Cli, name: str, text: str | bytes, message: str
    ) -> None:
        cli.write(name, text)
        cli.write("a.py", "a = x / BAD\n")
        result = cli("--fix", "a.py")
        assert result.exit_code == 2
        assert message in result.stderr
        assert name in result.stderr or "gone.toml" in message
        assert (cli.folder / "a.py").read_text() == "a = x / BAD\n"
