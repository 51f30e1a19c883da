"""Names that were given their values by a test, where the same test comes again."""

from __future__ import annotations

import pytest

from tests.analysis.probe import codes

FLAGGED, SILENT = True, False
GIVEN = {
    "choice": "n = k if wanted else 0",
    "branches": "if wanted:\n        n = k\n    else:\n        n = 0",
    "turned": "n = 0 if not wanted else k",
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize(
    ("rest", "flagged"),
    [
        ("return x / n if wanted else 0", SILENT),
        ("if wanted:\n        return x / n", SILENT),
        ("if not wanted:\n        return 0\n    return x / n", SILENT),
        ("return x / n", FLAGGED),
        ("return x / n if not wanted else 0", FLAGGED),
        ("return x / n if other else 0", FLAGGED),
        ("wanted = other\n    return x / n if wanted else 0", FLAGGED),
        ("n = n * 2\n    return x / n if wanted else 0", FLAGGED),
    ],
)
def test_the_same_test_again(given: str, rest: str, flagged: bool) -> None:
    source = f"def f(x, k, wanted, other):\n    {given}\n    {rest}\n"
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("body", "flagged"),
    [
        ("return [x / n for i in range(n)]", SILENT),
        ("for i in range(n):\n        x = x / n\n    return x", SILENT),
        ("for i in range(1, n):\n        x = x / n\n    return x", SILENT),
        ("for i in range(n):\n        x = x + i\n    return x / n", FLAGGED),
        ("for i in range(m):\n        x = x / n\n    return x", FLAGGED),
        ("for i in range(-1, n):\n        x = x / n\n    return x", FLAGGED),
    ],
)
def test_inside_a_range_its_end_is_not_0(body: str, flagged: bool) -> None:
    source = f"def f(x, m, items):\n    n = len([i for i in items if i > 0])\n    {body}\n"
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("thinned", "flagged"),
    [
        ("mask[:, 1:] = mask[:, 1:] * (1 - done[:, :-1])", SILENT),
        ("mask[:, 1:] *= 1 - done[:, :-1]", SILENT),
        ("mask[:, :-1] *= 1 - done[:, 1:]", FLAGGED),
        ("mask[:, 1:] = 1 - done[:, :-1]", FLAGGED),
        ("mask = mask * (1 - done)", FLAGGED),
    ],
)
def test_an_episode_has_a_first_step(thinned: str, flagged: bool) -> None:
    source = f"def f(y, mask, done):\n    {thinned}\n    return (y * mask).sum() / mask.sum()\n"
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("update", "flagged"), [("self.tree[ids] = prob", SILENT), ("self.root = prob", FLAGGED)]
)
def test_zeros_that_another_method_fills(update: str, flagged: bool) -> None:
    source = f"""\
    import torch


    class Tree:
        def __init__(self, n):
            self.tree = torch.zeros(n)

        def update(self, ids, prob):
            {update}

        def weights(self, x):
            return x / self.tree.min()
    """
    assert bool(codes(source)) is flagged
