"""Work grows with the length of a function, not with its square: counted in calls, not seconds."""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from epslint import api

KINDS = {
    "guards": "    y{i} = x.sum() + {i}\n    if y{i}.sum() > {i}:\n        x = x / y{i}.sum()\n",
    "divisions": "    y{i} = x / mask.sum()\n    x = torch.log(y{i}) - y{i}\n",
    "exponentials": (
        "    y{i} = torch.exp(x - z)\n    if y{i}.sum() > {i}:\n        x = y{i} / mask.sum()\n"
    ),
    "choices": "    n{i} = x.sum() if wanted else 0\n    x = x / n{i} if wanted else x\n",
    "stores": "    x[:, {i}] = x[:, 1:].sum() / mask.sum()\n    z[{i}] = x.std()\n",
}

# One expression: what is put between its terms, and the terms.
CHAINS = {
    "sums": (" + ", "x[{i}].sum()"),
    "products": (" * ", "x.std({i})"),
    "differences": (" - ", "torch.exp(x[{i}] - z)"),
    "conditions": (" and ", "x[{i}].sum() > 0"),
    "choices": (" or ", "len(x[{i}])"),
    "methods": ("", ".add(mask.sum())"),
}

# Each is a caller of the one before, and has a finding that its callers are asked about.
HELPERS = "def _f{n}(x, w):\n    return _f{i}(x, w) / w.norm()\n\n\n"


def calls(body: str, number: int) -> int:
    return _calls("".join(body.format(i=i) for i in range(number)))


def calls_in_chain(between: str, term: str, number: int) -> int:
    chain = between.join(term.format(i=i) for i in range(number))
    chain = f"x{chain}" if chain.startswith(".") else chain
    return _calls(f"    y = {chain}\n    if y:\n        x = x / y\n")


def _calls(lines: str) -> int:
    return _calls_for(f"import torch\n\n\ndef f(x, z, mask, wanted):\n{lines}    return x\n")


def _calls_for(text: str) -> int:
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        api.check_source(text)
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("body", KINDS.values(), ids=KINDS)
def test_twice_the_function_is_twice_the_work(body: str) -> None:
    calls(body, 4)  # what is done once and kept
    assert calls(body, 160) < 2.5 * calls(body, 80)


@pytest.mark.slow
def test_a_very_long_function_with_findings() -> None:
    # What takes a glance at every statement for each finding shows only here.
    body = KINDS["divisions"]
    assert calls(body, 1000) < 2.2 * calls(body, 500)


@pytest.mark.parametrize(("between", "term"), CHAINS.values(), ids=CHAINS)
def test_twice_the_expression_is_twice_the_work(between: str, term: str) -> None:
    calls_in_chain(between, term, 4)
    assert calls_in_chain(between, term, 160) < 2.5 * calls_in_chain(between, term, 80)


def of_helpers(number: int) -> int:
    helpers = "".join(HELPERS.format(i=i, n=i + 1) for i in range(number))
    first, last = "def _f0(x, w):\n    return x\n\n\n", f"print(_f{number}(1, [2]))\n"
    return _calls_for(f"import torch\n\n\n{first}{helpers}{last}")


def test_each_caller_is_read_once() -> None:
    of_helpers(4)
    assert of_helpers(80) < 2.5 * of_helpers(40)
