"""One element or none: which of EPS102 and EPS106 speaks, and what silences them."""

from __future__ import annotations

import textwrap

import pytest

from tests.analysis.probe import codes

SELECTED = "kept = rewards[mask]"


def found(body: str) -> list[str]:
    text = "import torch\n\n\ndef f(rewards: torch.Tensor, mask: torch.Tensor):\n"
    return codes(text + textwrap.indent(textwrap.dedent(body), "    "))


SPEAKING = {
    "an epsilon does not help": (
        f"{SELECTED}\nreturn (kept - kept.mean()) / (kept.std() + 1e-6)",
        ["EPS106"],
    ),
    "nor does a clamp": (f"{SELECTED}\nreturn kept / kept.std().clamp(min=1e-6)", ["EPS106"]),
    "nor is a variance better": (f"{SELECTED}\nreturn kept / (kept.var() + 1e-6)", ["EPS106"]),
    "without an epsilon both are possible": (
        f"{SELECTED}\nreturn (kept - kept.mean()) / kept.std()",
        ["EPS102", "EPS106"],
    ),
    "not empty is not two": (
        f"{SELECTED}\nif kept.numel() > 0:\n    return kept / (kept.std() + 1e-6)",
        ["EPS106"],
    ),
    "nor is `any`": (
        "if mask.any():\n    return rewards[mask].std() + 1e-6",
        ["EPS106"],
    ),
    "nor a sum that is positive": (
        "if mask.sum() > 0:\n    return rewards[mask].std() + 1e-6",
        ["EPS106"],
    ),
    "nor `if not mask.any(): return`": (
        f"if not mask.any():\n    return rewards\n{SELECTED}\nreturn kept.std() + 1e-6",
        ["EPS106"],
    ),
    "the biased estimate can still be 0": (
        f"{SELECTED}\nreturn kept / kept.std(correction=0)",
        ["EPS102"],
    ),
    "so can the deviation of two": (
        f"{SELECTED}\nif kept.numel() > 1:\n    return kept / kept.std()",
        ["EPS102"],
    ),
}


@pytest.mark.parametrize("name", SPEAKING)
def test_what_is_said(name: str) -> None:
    body, expected = SPEAKING[name]
    assert sorted(found(body)) == expected


SILENT = {
    "more than one": f"{SELECTED}\nif kept.numel() > 1:\n    return kept / (kept.std() + 1e-6)",
    "more than one, by length": f"{SELECTED}\nif len(kept) >= 2:\n    return kept.std() + 1e-6",
    "more than one, or 0": f"{SELECTED}\nreturn kept.std() if kept.numel() > 1 else 0.0",
    "more than one true": "if mask.sum() > 1:\n    return rewards[mask].std() + 1e-6",
    "at least two true": "if mask.sum() < 2:\n    return rewards\nreturn rewards[mask].std()",
    "no correction": f"{SELECTED}\nreturn kept / (kept.std(correction=0) + 1e-6)",
    "biased": f"{SELECTED}\nreturn kept / (kept.std(unbiased=False) + 1e-6)",
    "biased, by position": f"{SELECTED}\nreturn kept / (kept.std(0, False) + 1e-6)",
    "a batch of which nothing is known": "return rewards / (rewards.std() + 1e-6)",
    "a batch of a known size": "x = torch.randn(64, 8)\nreturn x / (x.std() + 1e-6)",
    "a list of a known size": "return torch.tensor([1.0, 2.0, 4.0]).std() + 1e-6",
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_not_said(name: str) -> None:
    assert found(SILENT[name]) == []
