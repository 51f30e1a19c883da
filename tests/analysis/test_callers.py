"""What the callers of a function pass: read when there would be a finding, and only against it."""

from __future__ import annotations

import textwrap

import pytest

from epslint import api
from epslint.analysis import analyse
from epslint.analysis.ops import Op
from epslint.analysis.program.callers import Callers
from epslint.source import Source
from tests.analysis.probe import codes

FLAGGED, SILENT = True, False


def asked(helper: str, *callers: str) -> bool:
    """Whether a division in a helper is flagged beside these callers."""
    parts = ["import torch", helper, *callers]
    return bool(codes("\n\n\n".join(textwrap.dedent(part).strip("\n") for part in parts) + "\n"))


SHARE = "def _share(x, base):\n    return x / base.norm()"


@pytest.mark.parametrize(
    ("arguments", "flagged"),
    [
        ("x, y.clamp(min=1)", SILENT),
        ("x, base=y.clamp(min=1)", SILENT),
        ("base=y.abs() + 1e-6, x=x", SILENT),
        ("x, torch.ones(4)", SILENT),
        ("x, y.relu()", FLAGGED),
        ("x, y", FLAGGED),  # unknown: as good as no caller
        ("x, torch.zeros(4)", FLAGGED),
        ("*y", FLAGGED),
        ("x, **y", FLAGGED),
    ],
)
def test_one_caller(arguments: str, flagged: bool) -> None:
    caller = f"def use(x, y):\n    return _share({arguments})"
    assert asked(SHARE, caller) is flagged


GUARDED = "def guarded(x, y):\n    return _share(x, y.clamp(min=1))"
OPEN = "def bare(x, y):\n    return _share(x, y.relu())"


@pytest.mark.parametrize(
    ("callers", "flagged"),
    [
        ([], FLAGGED),
        ([GUARDED], SILENT),
        ([GUARDED, "def again(x, n):\n    return _share(x, torch.full((3,), 2.0))"], SILENT),
        ([GUARDED, OPEN], FLAGGED),
        ([OPEN, GUARDED], FLAGGED),
        ([GUARDED, "def hand_on(xs):\n    return map(_share, xs)"], FLAGGED),
        ([GUARDED, "KINDS = {'share': _share}"], FLAGGED),
        ([GUARDED, "def through(xs, tools):\n    return tools._share(xs, 0)"], FLAGGED),
    ],
)
def test_every_caller_counts(callers: list[str], flagged: bool) -> None:
    assert asked(SHARE, *callers) is flagged


@pytest.mark.parametrize(
    ("head", "flagged"),
    [
        ("def _share(x, base):", SILENT),
        ("def share(x, base):", SILENT),
        ("@torch.no_grad()\ndef _share(x, base):", SILENT),
        ("@register('share')\ndef _share(x, base):", FLAGGED),
    ],
)
def test_who_else_may_call(head: str, flagged: bool) -> None:
    name = "_share" if "_share(" in head else "share"
    caller = f"def use(x, mask):\n    return {name}(x, mask.clamp(min=1))"
    assert asked(f"{head}\n    return x / base.norm()", caller) is flagged


@pytest.mark.parametrize(
    "home", ["def test_share(x):", "def demo(x):", "if __name__ == '__main__':"]
)
def test_trying_out_is_no_evidence(home: str) -> None:
    caller = f"{home}\n    print(share(torch.rand(3), torch.ones(3)))"
    assert asked("def share(x, base):\n    return x / base.norm()", caller) is FLAGGED


def test_callers_of_callers() -> None:
    middle = "def _outer(x, n):\n    return _share(x, n)"
    inner = "def use(x, mask):\n    return _outer(x, mask.clamp(min=1))"
    assert asked(SHARE, middle, inner) is SILENT
    assert (
        asked(SHARE, middle, inner, "def more(x, mask):\n    return _outer(x, mask.relu())")
        is FLAGGED
    )


def test_recursion_ends() -> None:
    helper = """
        def _share(x, base):
            if x.dim() > 1:
                return _share(x[0], base)
            return x / base.norm()
    """
    assert asked(helper, GUARDED) is FLAGGED
    assert asked(helper.replace("[0], base", "[0], torch.ones(3)"), GUARDED) is SILENT


def test_functions_inside_functions() -> None:
    source = """
        def f(x, y):
            def share(x, base):
                return x / base.norm()
            n = {base}
            return share(x, n) + share(2 * x, n)
    """
    assert asked(source.format(base="y.clamp(min=1)")) is SILENT
    assert asked(source.format(base="y.relu()")) is FLAGGED
    handed_on = source.replace("share(2 * x, n)", "apply(share)")
    assert asked(handed_on.format(base="y.clamp(min=1)")) is FLAGGED


METHODS = """
    class A:
        def _share(self, x, base):
            return x / base.norm()

        @staticmethod
        def _part(x, base):
            return x / base.norm()

        def use(self, x, mask):
            n = {base}
            return self._share(x, n) + A._part(x, n)

    class B:
        def _share(self, x, n):
            return x

        def use(self, x):
            return self._share(x, 0)
"""


def test_methods() -> None:
    assert asked(METHODS.format(base="mask.exp().clamp(min=1)")) is SILENT
    assert asked(METHODS.format(base="mask.relu()")) is FLAGGED


@pytest.mark.parametrize(
    ("test", "flagged"),
    [
        ("if mask.any():", SILENT),
        ("if mask.sum() > 0:", SILENT),
        ("if other.any():", FLAGGED),
        ("if x.sum() > 0:", FLAGGED),
    ],
)
def test_what_a_caller_has_asked(test: str, flagged: bool) -> None:
    helper = (
        "def _mean(values, loss_mask):\n    return (values * loss_mask).sum() / loss_mask.sum()"
    )
    caller = f"def use(x, mask, other):\n    {test}\n        return _mean(x, mask)"
    assert asked(helper, caller) is flagged
    assert asked(helper, caller, "def bare(x, mask):\n    return _mean(x, mask)") is FLAGGED


@pytest.mark.parametrize(
    ("argument", "flagged"),
    [
        ("torch.randn(3, 4)", SILENT),
        ("initializers.lecun_normal()(key, (3, 4))", SILENT),
        ("kernel_init(key, (3, 4))", SILENT),
        ("initializers.zeros()(key, (3, 4))", FLAGGED),
        ("torch.zeros(3, 4)", FLAGGED),
        ("w", FLAGGED),
    ],
)
def test_fresh_weights(argument: str, flagged: bool) -> None:
    helper = "def _unit(x):\n    return x / x.norm()"
    caller = f"def use(w, key, initializers, kernel_init):\n    return _unit({argument})"
    assert asked(helper, caller) is flagged


BRANCHES = {
    "name": "if wide:",
    "not": "if not wide:\n        return x\n    else:",
    "comparison": "if wide == True:",
    "and": "if wide and x.dim() > 1:",
    "or": "if not (not wide or x.dim() > 1):",
}


@pytest.mark.parametrize("branch", BRANCHES.values(), ids=BRANCHES)
def test_branches_that_no_caller_takes(branch: str) -> None:
    helper = (
        f"def _mean(x, mask, wide=False):\n    {branch}\n        x = x / mask.sum()\n    return x"
    )
    narrow = "def use(x, mask):\n    return _mean(x, mask)"
    assert asked(helper, narrow) is SILENT
    assert asked(helper, narrow, "def more(x, m):\n    return _mean(x, m, wide=False)") is SILENT
    assert asked(helper, narrow, "def more(x, m):\n    return _mean(x, m, True)") is FLAGGED
    assert asked(helper, narrow, "def more(x, m, w):\n    return _mean(x, m, wide=w)") is FLAGGED


def test_branches_of_public_functions_are_for_others() -> None:
    helper = "def mean(x, mask, axis=None):\n    return x / mask.sum() if axis is not None else x"
    caller = "def use(x, mask):\n    return mean(x, mask)"
    assert asked(helper, caller) is FLAGGED
    assert asked(helper.replace("mean", "_mean"), caller.replace("mean", "_mean")) is SILENT
    program = "\n".join(f"print(use(torch.ones({n}), torch.ones({n})))" for n in range(1, 70))
    assert asked(helper, caller, program) is SILENT


def test_a_setting_that_is_bound_again() -> None:
    helper = """
        def _each(xs, mask, first=True):
            for x in xs:
                if not first:
                    x = x / mask.sum()
                first = False
    """
    assert asked(helper, "def use(xs, mask):\n    return _each(xs, mask)") is FLAGGED


def test_how_callers_call() -> None:
    helper = "def _ratio(hits, mask):\n    return hits / int(mask.sum())"
    handled = """
        def use(x, mask):
            try:
                return _ratio(x, mask)
            except ZeroDivisionError:
                return 0.0
    """
    assert asked(helper, handled) is SILENT
    assert asked(helper, handled, "def bare(x, mask):\n    return _ratio(x, mask)") is FLAGGED


def test_names_of_the_caller_mean_nothing_here() -> None:
    """`m` there is the largest of another x."""
    source = """
        import torch

        def _weights(x, m):
            return torch.exp(x - m)

        def use(x, y):
            m = x.max().clamp(min=0, max=1)
            return _weights(y * 1000, m)
    """
    (site,) = [s for s in analyse(Source("a.py", textwrap.dedent(source))) if s.op is Op.EXP]
    assert site.operands["x"].fact.origin is not None


def test_nothing_is_added() -> None:
    """What a caller passes may be worse than the name says: it is the caller's own finding."""
    helper = "def _part(x, y):\n    return x / y"
    assert asked(helper, "def use(x, mask):\n    return _part(x, mask.sum())") is SILENT


def test_only_for_what_would_be_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    seen = Callers.seen

    def noted(self: Callers, site: object) -> object:
        read.append("asked")
        return seen(self, site)  # type: ignore[arg-type]

    monkeypatch.setattr(Callers, "seen", noted)
    api.check_source("def f(x, n):\n    return x / n\n\n\ndef g(x):\n    return f(x, 2)\n")
    assert not read
    api.check_source(f"{SHARE}\n\n\n{GUARDED}\n")
    assert read


@pytest.mark.parametrize(
    ("made", "flagged"),
    [
        ("net()", SILENT),
        ("torch.sigmoid(net.raw)", FLAGGED),
    ],
)
def test_what_a_loop_makes_anew(made: str, flagged: bool) -> None:
    source = f"""
        import torch

        class Net(torch.nn.Module):
            def forward(self):
                return (torch.sigmoid(self.raw) - 0.5) * 0.6 + 0.5

        def _odds(probs):
            return (1 - probs) / probs

        def train(steps):
            net = Net()
            current = torch.zeros(8) + 0.5
            for _ in range(steps):
                print(_odds(current))
                current = {made}
    """
    found = api.check_source(textwrap.dedent(source)).findings
    assert bool([f for f in found if f.code == "EPS401"]) is flagged
