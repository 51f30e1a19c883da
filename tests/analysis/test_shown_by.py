"""Issue 2, "Shown by": (a) to (g), each through the public API; (h) is the other files here.

(i), a rule pack that is missing or does not import, is about the command line: see
tests/test_registry.py and tests/test_cli.py.
"""

from __future__ import annotations

import ast
import textwrap

import pytest

from epslint import api


def codes(source: str) -> list[str]:
    report = api.check_source(textwrap.dedent(source))
    assert not report.failures
    return [finding.code for finding in report.findings]


def fixed(source: str) -> str:
    repair = api.fix_source(source)
    assert not repair.report.failures
    return repair.after.text


def test_a_count_with_an_early_return_is_silent() -> None:
    guarded = """
    def f(x, mask):
        n = mask.sum()
        if n == 0:
            return x
        return x / n
    """
    assert codes(guarded) == []


def test_a_count_without_it_is_flagged() -> None:
    assert codes("def f(x, mask):\n    n = mask.sum()\n    return x / n\n") == ["EPS101"]


NORMALIZER = """
class Normalizer:
    def __init__(self):
        self.eps = {eps}

    def __call__(self, x):
        den = x.std() + self.eps
        return x / den
"""


def test_b_epsilon_of_the_constructor_is_silent() -> None:
    assert codes(NORMALIZER.format(eps="1e-8")) == []


def test_b_epsilon_of_zero_is_flagged() -> None:
    assert codes(NORMALIZER.format(eps="0.0")) == ["EPS102"]


def test_c_a_guard_on_one_branch_only_is_flagged() -> None:
    one_branch = """
    def f(x, mask, flag):
        n = mask.sum()
        if flag:
            n = n.clamp(min=1)
        return x / n
    """
    assert codes(one_branch) == ["EPS101"]
    both = one_branch.replace(
        "    return x / n", "    else:\n            n = n + 1\n        return x / n"
    )
    assert codes(both) == []


@pytest.mark.parametrize(
    "expression",
    [
        "x / len(batch)",
        "x / x.shape[0]",
        "x / x.size(0)",
        "x / math.sqrt(d)",
        "x / math.sqrt(x.size(-1))",
        "x / self.num_heads",
        "x / 2",
        "x // 2",
        "x / 2.0 ** 3",
        "Path(root) / 'data' / name",
        "root / 'data'",
        "os.path.join(root, name) / x",
        "x / self.config.hidden_size",
        "x / temperature",
        "x / (time.time() - start)",
    ],
)
def test_d_sizes_settings_constants_and_paths_are_silent(expression: str) -> None:
    source = f"""
    import math
    import os
    import time
    from pathlib import Path


    class Attention:
        def __init__(self, num_heads, config):
            self.num_heads = num_heads
            self.config = config

        def forward(self, x, d, batch, root, name, temperature):
            start = time.time()
            return {expression}
    """
    assert codes(source) == []


def test_e_a_helper_is_seen_through() -> None:
    source = """
    def count(m):
        return m.sum()


    def mean(x, mask):
        return x / count(mask)
    """
    assert codes(source) == ["EPS101"]
    assert codes(source.replace("m.sum()", "m.sum().clamp(min=1)")) == []


NESTED = """\
import torch


def f(a, b, mask, other):
    return a / (b / (mask.sum()) / other.sum(0)) / (a / torch.std(b / mask.sum(-1)))
"""


def test_f_nested_divisions_are_all_fixed() -> None:
    assert len(codes(NESTED)) >= 4
    assert codes(fixed(NESTED)) == []


def test_f_fixing_twice_is_fixing_once() -> None:
    assert fixed(fixed(NESTED)) == fixed(NESTED)


ODD = [
    "def f(x, mask):\n    return x  /  mask . sum( )   # why not\n",
    "def f(x, mask):\n    return (  x\n        / # count\n        mask.sum()  # can be 0\n    )\n",
    "def f(x, mask):\n    return x \\\n        / mask.sum()\n",
    "def f(x, mask):\n    return ((x)) / ((mask.sum()))\n",
    "def f(x, mask):\r\n    # CRLF\r\n    n = mask.sum()\r\n    return x / n\r\n",
    "def f(x, mask):\n\tif x:\n\t\treturn x / mask.sum()  # tabs\n",
    "def f(x, mask): return x / mask.sum()",
    'def f(x, mask):\n    """Ünï\ncode at column 0"""\n    return x / mask.sum() ; y = "é"\n',
    "x = '''\n'''; y = a / mask.sum()\n",
    "# coding: utf-8\n\f\ndef f(x, mask):\n    return x / mask.sum()\n",
    "class A:\n    @property\n    # why\n    def f(self):\n        return 1 / self.mask.sum()\n",
]


@pytest.mark.parametrize("source", ODD)
def test_g_every_other_byte_survives_a_fix(source: str) -> None:
    repair = api.fix_source(source)
    assert repair.changed
    assert not repair.report.findings
    text, position = "", 0
    (finding,) = repair.applied
    assert finding.fix is not None
    for edit in sorted(finding.fix.edits, key=lambda edit: edit.span):
        assert edit.span.start == edit.span.end, "a guard is put in, nothing is taken out"
        text += source[position : edit.span.start] + edit.content
        position = edit.span.end
    assert repair.after.text == text + source[position:]
    assert repair.after.text.replace("(", "").replace(")", "").replace(" + 1e-8", "") == (
        source.replace("(", "").replace(")", "")
    )
    ast.parse(repair.after.text)


def test_the_reason_is_told() -> None:
    """What a user gets: the value, its range, and when it is 0."""
    (finding,) = api.check_source("def f(x, mask):\n    return x / mask.sum()\n").findings
    assert "`mask.sum()`" in finding.message
    assert "count" in finding.message
    assert "[0, ∞)" in finding.message
    assert "every element is masked" in finding.message
    assert finding.why


AT_HAND = """
import torch

EPS = {module}


class Norm:
    def __init__(self):
        self.eps = {own}

    def f(self, x, mask{parameter}):
        return x / mask.sum()
"""


@pytest.mark.parametrize(
    ("module", "own", "parameter", "written"),
    [
        ("1e-8", "None", "", "EPS"),
        ("0.5", "1e-8", "", "self.eps"),
        ("0.5", "0.0", ", eps=1e-8", "eps"),
        ("0.5", "1.0", "", "1e-8"),
        ("0.5", "1.0", ", eps=1e-2", "1e-8"),
    ],
)
def test_an_epsilon_at_hand_is_used(module: str, own: str, parameter: str, written: str) -> None:
    source = AT_HAND.format(module=module, own=own, parameter=parameter)
    assert f"(mask.sum() + {written})" in fixed(source)
