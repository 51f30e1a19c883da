from __future__ import annotations

from pathlib import Path

import pytest

from epslint import api
from epslint.config import Config
from epslint.rule import Confidence
from epslint.settings import Settings
from tests.conftest import Cli

BAD = "a = x / BAD\n"
FIXED = "a = x / (BAD + 1e-8)\n"


@pytest.fixture(autouse=True)
def silent(capfd: pytest.CaptureFixture[str]) -> object:
    """Nothing in the API prints, ever."""
    yield
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("fake_world")
class TestText:
    def test_check(self) -> None:
        report = api.check_source(BAD, filename="train.py")
        (finding,) = report.findings
        assert (report.filename, finding.code, report.fails) == ("train.py", "FAK101", True)
        assert report.source is not None
        assert report.source.slice(finding.span) == "BAD"

    def test_check_with_settings(self) -> None:
        config = Config().overlaid({"ignore": ["FAK101"]})
        assert api.check_source(BAD, config=config).findings == ()

    def test_fix(self) -> None:
        repair = api.fix_source(BAD)
        assert (repair.before.text, repair.after.text) == (BAD, FIXED)
        assert not repair.report.findings

    def test_a_byte_order_mark_is_no_code_and_comes_back_with_the_bytes(self) -> None:
        assert [each.code for each in api.check_source("\ufeff" + BAD).findings] == ["FAK101"]
        after = api.fix_source("\ufeff" + BAD).after
        assert after.text == FIXED
        assert after.encode(after.text) == b"\xef\xbb\xbf" + FIXED.encode()

    def test_text_that_is_not_python(self) -> None:
        report = api.check_source("a = (\n", filename="train.py")
        assert not report.findings
        assert report.failures[0].filename == "train.py"
        assert api.fix_source("a = (\n").after.text == "a = (\n"


class TestPaths:
    def test_check_writes_nothing(self, cli: Cli) -> None:
        path = cli.write("a.py", BAD)
        run = api.check_paths([cli.folder])
        assert [len(report.findings) for report in run.reports] == [1]
        assert path.read_text() == BAD

    def test_fix_writes_unless_told_not_to(self, cli: Cli) -> None:
        path = cli.write("a.py", BAD)
        dry = api.fix_paths([path], write=False)
        assert (dry.repairs[0].after.text, path.read_text()) == (FIXED, BAD)
        api.fix_paths([path])
        assert path.read_text() == FIXED

    def test_what_cannot_be_checked_is_told(self, cli: Cli) -> None:
        cli.write("a.py", "a = (\n")
        run = api.check_paths([Path("a.py"), Path("gone.py")])
        assert [failure.filename for failure in run.all_failures] == ["gone.py", "a.py"]

    def test_settings_and_progress(self, cli: Cli) -> None:
        for name in ("a.py", "b.py", "c.py"):
            cli.write(name, BAD)
        seen: list[tuple[int, int]] = []
        run = api.check_paths(
            [cli.folder],
            Settings({"select": ["FAK102"]}, isolated=True),
            api.Effort(progress=lambda done, total: seen.append((done, total))),
        )
        assert not any(report.findings for report in run.reports)
        assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_test_is_not_given_an_epsilon_unasked() -> None:
    """What it expects is what others are compared with; an exact repair changes nothing of that."""
    text = (
        "import torch\n\n\n"
        "def angle_loss(x):\n"
        "    return torch.atanh(torch.tanh(x)) + torch.log(torch.softmax(x, -1))\n"
    )
    assert "1e-6" in api.fix_source(text, "losses.py").after.text
    everything = Config(confidence=Confidence.UNLIKELY)
    after = api.fix_source(text, "tests/test_losses.py", everything).after.text
    assert "1e-6" not in after
    assert "log_softmax" in after
    unsafe = api.fix_source(text, "tests/test_losses.py", everything, unsafe=True)
    assert "1e-6" in unsafe.after.text


@pytest.mark.parametrize("line", ["x / x.norm()", "x / mask.sum()", "mask.sum().reciprocal()"])
def test_the_numbers_of_a_test_are_chosen(line: str) -> None:
    """NaN fails it at once: nobody would repair its formulas, but those of a model in it."""
    text = f"import torch\n\n\ndef expected(x, mask):\n    return {line}\n"
    model = (
        "from torch import nn\n\n\nclass M(nn.Module):\n"
        f"    def forward(self, x, mask):\n        return {line}\n"
    )
    assert api.check_source(model, "tests/test_losses.py").findings
    assert api.check_source(text, "losses.py").findings
    for name in (
        "tests/test_losses.py",
        "losses_test.py",
        "docs/tutorials/basics/losses.py",
        "exercises/torch/one/losses.py",
    ):
        assert not api.check_source(text, name).findings
    assert api.check_source(text, "tutorials/my/own/code/losses.py").findings
