"""`pytest --epslint-watch`, run as pytest runs it."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest

import epslint
import epslint.runtime as er

# pytester takes modules that a run in this process imports out of `sys.modules` again: the runtime
# must be in before, or later tests would meet two of each class.
for name in er.__all__:
    getattr(er, name)

PLUGIN = "epslint.runtime.pytest_plugin"
# Installed, pytest finds the plugin by its entry point; in a bare checkout it is named.
INSTALLED = any(point.value == PLUGIN for point in entry_points(group="pytest11"))

TESTS = """
    import pytest
    import torch

    def test_fine():
        assert torch.ones(2).log().sum() == 0

    def test_birth():
        torch.zeros(2).log()

    def test_birth_in_the_backward_pass():
        x = torch.zeros(1, requires_grad=True)
        x.sqrt().sum().backward()
"""


def run(pytester: pytest.Pytester, source: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(source)
    plugin = () if INSTALLED else ("-p", PLUGIN)
    return pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", *options)


def test_without_the_option_nothing_is_watched(pytester: pytest.Pytester) -> None:
    run(pytester, TESTS).assert_outcomes(passed=3)


@pytest.mark.parametrize("option", ["--epslint-watch", "--epslint-watch=raise"])
def test_a_birth_fails_the_test(pytester: pytest.Pytester, option: str) -> None:
    result = run(pytester, TESTS, option)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*WatchError: Inf born in aten.log.default*", "*SqrtBackward0*"])
    result.stdout.fnmatch_lines(["*torch.zeros(2).log()*"])


def test_warn_only_warns(pytester: pytest.Pytester) -> None:
    result = run(pytester, TESTS, "--epslint-watch=warn")
    result.assert_outcomes(passed=3, warnings=2)
    result.stdout.fnmatch_lines(["*WatchWarning: Inf born in aten.log.default*"])


MARKED = """
    import pytest
    import torch

    @pytest.mark.epslint_watch(False)
    def test_left_alone():
        torch.zeros(2).log()

    @pytest.mark.epslint_watch
    def test_watched_in_any_case():
        torch.zeros(2).log()

    @pytest.mark.epslint_watch("warn")
    class TestWarned:
        def test_warned(self):
            torch.zeros(2).log()

        @pytest.mark.epslint_watch(how=False)
        def test_the_nearest_marker_counts(self):
            torch.zeros(2).log()
"""


@pytest.mark.parametrize("options", [(), ("--epslint-watch",)])
def test_markers(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    result = run(pytester, MARKED, "--strict-markers", *options)
    result.assert_outcomes(passed=3, failed=1, warnings=1)


def test_a_wrong_marker_is_an_error(pytester: pytest.Pytester) -> None:
    source = """
        import pytest

        @pytest.mark.epslint_watch("shout")
        def test_it():
            pass
    """
    result = run(pytester, source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*epslint_watch takes a bool or one of*shout*"])


def test_a_path_after_the_bare_option_is_told_apart(pytester: pytest.Pytester) -> None:
    result = run(pytester, TESTS, "--epslint-watch", "some/path")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*neither raise nor warn*--epslint-watch=raise*"])


def test_without_torch_the_run_ends_at_once(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(epslint.__file__).parents[1]))
    pytester.makeconftest("import sys; sys.modules['torch'] = None")
    pytester.makepyfile("def test_it(): pass")
    plugin = () if INSTALLED else ("-p", PLUGIN)
    result = pytester.runpytest_subprocess(*plugin, "--epslint-watch")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(['*pip install "epslint[[]torch]"*'])


def test_the_marker_is_documented(pytester: pytest.Pytester) -> None:
    run(pytester, "", "--markers").stdout.fnmatch_lines(["*epslint_watch(how=True)*"])
