"""Masks: what is chosen, stored or counted by one, with variants that look alike and do not work.

`r` is a row sum of magnitudes, `n` a norm per row, `s` a spread: all of them can be 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, indent

import pytest

from tests.analysis.probe import codes

HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch


def drawn(x):
    p = torch.sigmoid(x)
    chosen = torch.rand_like(p) < p
    chosen = chosen & (x > 0)
    return chosen, p


def f(x, y, mask, ids, other, k):
"""
FLAGGED, SILENT = True, False


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    body: str
    flagged: bool

    @property
    def source(self) -> str:
        return HEAD + indent(dedent(self.body).strip("\n"), "    ") + "\n"


def rows(start: str, *table: tuple[str, str, bool]) -> list[Row]:
    return [Row(id_, f"{start}{body}", flagged) for id_, body, flagged in table]


SELECTED = rows(
    "r = np.abs(x).sum(axis=1)\n",
    ("all", "return x / r", FLAGGED),
    ("mask", "ok = r > 0\nreturn x[ok] / r[ok]", SILENT),
    ("mask-wrong", "ok = r >= 0\nreturn x[ok] / r[ok]", FLAGGED),
    ("mask-squeezed", "ok = r.squeeze(-1) > 0\nreturn x[ok] / r[ok]", SILENT),
    ("mask-ravelled", "ok = np.ravel(r) > 0\nreturn x[ok] / r[ok]", SILENT),
    ("mask-squeezed-late", "ok = (r > 0).squeeze(-1)\nreturn x[ok] / r[ok]", SILENT),
    ("mask-flipped", "ok = (r > 0).flip(0)\nreturn x[ok] / r[ok]", FLAGGED),
    ("value-unsqueezed", "ok = r > 0\nr = r.unsqueeze(-1)\nreturn x[ok] / r[ok]", SILENT),
    ("value-other", "ok = r > 0\nr = np.abs(y).sum(axis=1)\nreturn x[ok] / r[ok]", FLAGGED),
    ("with-slices", "ok = r > 0\nreturn x[ok, :] / r[ok, None]", SILENT),
    ("with-slices-other", "ok = y > 0\nreturn x[ok, :] / r[ok, None]", FLAGGED),
    ("where", "at = np.where(r > 0)[0]\nreturn x[at] / r[at]", SILENT),
    ("where-tuple", "at = np.where(r > 0)\nreturn x[at] / r[at]", SILENT),
    ("where-unpacked", "(at,) = np.where(r > 0)\nreturn x[at] / r[at]", SILENT),
    ("where-wrong", "at = np.where(r >= 0)[0]\nreturn x[at] / r[at]", FLAGGED),
    ("where-other", "at = np.where(y > 0)[0]\nreturn x[at] / r[at]", FLAGGED),
    ("where-unused", "at = np.where(r > 0)[0]\nreturn x / r", FLAGGED),
    ("where-pair", "i, j = torch.where(r > 0)\nreturn x[i, j] / r[i, j]", SILENT),
    ("where-half-a-pair", "i, j = torch.where(r > 0)\nreturn x[i] / r[i]", FLAGGED),
    ("nonzero", "at = np.nonzero(r)[0]\nreturn x[at] / r[at]", SILENT),
    ("nonzero-method", "at = (r > 0).nonzero(as_tuple=True)[0]\nreturn x[at] / r[at]", SILENT),
    ("nonzero-some", "at = torch.nonzero(r > 0).squeeze(-1)[:9]\nreturn x[at] / r[at]", SILENT),
    ("argwhere", "at = np.argwhere(r > 0)[:, 0]\nreturn x[at] / r[at]", SILENT),
    ("masked-select", "return x / torch.masked_select(r, r > 0)", SILENT),
    ("masked-select-other", "return x / torch.masked_select(r, y > 0)", FLAGGED),
    ("mask-and", "ok = r > 0\nok = ok & (y > 0)\nreturn x[ok] / r[ok]", SILENT),
    ("mask-or", "ok = r > 0\nok = ok | (y > 0)\nreturn x[ok] / r[ok]", FLAGGED),
    ("mask-and-if", "ok = r > 0\nif k:\n    ok = ok & (y > 0)\nreturn x[ok] / r[ok]", SILENT),
    ("mask-new-if", "ok = r > 0\nif k:\n    ok = y > 0\nreturn x[ok] / r[ok]", FLAGGED),
    ("drawn", "chosen, q = drawn(x)\nreturn x[chosen] / q[chosen]", SILENT),
    ("drawn-all", "chosen, q = drawn(x)\nreturn (x - y) / q", FLAGGED),
)

NORMS = rows(
    "n = np.linalg.norm(x, axis=1)\n",
    ("rows", "x = x[n > 0]\nreturn x / np.linalg.norm(x, axis=1)", SILENT),
    ("rows-wrong", "x = x[n >= 0]\nreturn x / np.linalg.norm(x, axis=1)", FLAGGED),
    ("rows-all", "z = x[n > 0]\nreturn x / np.linalg.norm(x, axis=1)", FLAGGED),
    ("rows-at-once", "x = x[x.norm(dim=1) > 1e-6]\nreturn x / x.norm(dim=1, keepdim=True)", SILENT),
    ("rows-of-sums", "x = x[x.abs().sum(1) > 0]\nreturn x / x.norm(dim=1, keepdim=True)", SILENT),
    ("rows-summed", "x = x[(x ** 2).sum(1) > 0]\nreturn x / x.abs().sum(1)", SILENT),
    ("rows-moved", "x = x[n > 0] - 1\nreturn x / np.linalg.norm(x, axis=1)", FLAGGED),
    ("one-norm", "if x.norm() > 0:\n    return x / x.norm(dim=1, keepdim=True)", FLAGGED),
    ("replaced", "x[n < 1e-6] = y[n < 1e-6]\nreturn x / np.linalg.norm(x, axis=1)", SILENT),
    ("replaced-large", "x[n > 1e6] = y[n > 1e6]\nreturn x / np.linalg.norm(x, axis=1)", FLAGGED),
    ("replaced-with-0", "x[n < 1e-6] = 0\nreturn x / np.linalg.norm(x, axis=1)", FLAGGED),
    ("replaced-other", "y[n < 1e-6] = 1\nreturn y / np.linalg.norm(y, axis=1)", FLAGGED),
    ("replaced-in-place", "x[n < 1e-6] = 1\nx /= np.linalg.norm(x, axis=1)\nreturn x", SILENT),
    (
        "chosen",
        "x = torch.where((x.norm(dim=1) < 1e-6).unsqueeze(1), y, x)\nreturn x / x.norm(dim=1)",
        SILENT,
    ),
    (
        "chosen-wrong",
        "x = torch.where((x.norm(dim=1) > 1e-6).unsqueeze(1), y, x)\nreturn x / x.norm(dim=1)",
        FLAGGED,
    ),
)

STORED = rows(
    "s = np.std(x, 0)\n",
    ("store", "s[s < 1e-6] = 1\nreturn x / s", SILENT),
    ("store-wrong", "s[s < -1e-6] = 1\nreturn x / s", FLAGGED),
    ("store-close", "zero = np.isclose(s, 0)\ns[zero] = 1\nreturn x / s", SILENT),
    ("store-close-to-other", "zero = np.isclose(s, 1)\ns[zero] = 2\nreturn x / s", FLAGGED),
    ("store-at", "s[np.where(s == 0)] = 1\nreturn x / s", SILENT),
    ("store-at-other", "s[np.where(y == 0)] = 1\nreturn x / s", FLAGGED),
)

MARKED = rows(
    "d = mask.sum(-1)\n",
    ("plus-empty", "return x / (d + (d == 0))", SILENT),
    ("plus-full", "return x / (d + (d > 0))", FLAGGED),
    ("plus-scaled", "return x / (d + 1e-6 * (d == 0))", SILENT),
    ("plus-none", "return x / (d + 0 * (d == 0))", FLAGGED),
    ("plus-negative", "return x / (d + (d < 0))", FLAGGED),
    ("plus-cast", "return x / (d + (d == 0).to(x.dtype))", SILENT),
    ("plus-call", "return x / (d + torch.eq(d, 0).float())", SILENT),
    ("plus-named", "empty = (d == 0).float()\nreturn x / (d + empty)", SILENT),
    ("plus-stale", "empty = (d == 0).float()\nd = y.abs().sum()\nreturn x / (d + empty)", FLAGGED),
    ("plus-not", "return x / (d + np.logical_not(d))", SILENT),
    ("plus-inverted", "return x / (d + ~d.bool())", SILENT),
    ("plus-not-other", "return x / (d + np.logical_not(y))", FLAGGED),
    ("signed", "n = x.norm() * y\nreturn x / (n + 1e-6 * (n == 0))", SILENT),
)

COUNTED = rows(
    "",
    ("bincount", "return x / torch.bincount(ids)[ids].float()", SILENT),
    ("bincount-all", "return x / torch.bincount(ids)", FLAGGED),
    ("bincount-other", "c = torch.bincount(ids)\nreturn x / c[other]", FLAGGED),
    ("bincount-stale", "c = torch.bincount(ids)\nids = other\nreturn x / c[ids]", FLAGGED),
    ("bincount-weighted", "return x / np.bincount(ids, weights=y)[ids]", FLAGGED),
    ("bincount-take", "return x / np.take(np.bincount(ids), ids)", SILENT),
    (
        "scatter",
        "c = torch.zeros(k)\nc.scatter_add_(0, ids, torch.ones(9))\nreturn x / c.gather(0, ids)",
        SILENT,
    ),
    (
        "scatter-other",
        "c = torch.zeros(k)\nc.scatter_add_(0, ids, torch.ones(9))\nreturn x / c.gather(0, other)",
        FLAGGED,
    ),
    ("scatter-sum", "c = torch.zeros(k).index_add_(0, ids, y.abs())\nreturn x / c[ids]", FLAGGED),
    ("segment", "c = jax.ops.segment_sum(jnp.ones(9), ids)\nreturn x / c[ids]", SILENT),
    (
        "segment-gather",
        "c = tf.math.segment_sum(tf.ones(9), ids)\nreturn x / tf.gather(c, ids)",
        SILENT,
    ),
    (
        "added-to",
        "c = np.zeros(k)\nfor i in ids:\n    c[i] += 1\n    x = x / c[i]\nreturn x",
        SILENT,
    ),
    ("added-to-others", "c = np.zeros(k)\nfor i in ids:\n    c[i] += 1\nreturn x / c", FLAGGED),
)

EDGES = rows(
    "edges = x[1:] != x[:-1]\n",
    ("edges", "return k / edges.sum()", FLAGGED),
    ("first", "edges[0] = True\nreturn k / edges.sum()", SILENT),
    ("first-false", "edges[0] = False\nreturn k / edges.sum()", FLAGGED),
    (
        "first-and-rest",
        "edges[0] = True\nedges[1:] = y > 0\nreturn k / edges.astype(int).sum()",
        SILENT,
    ),
    ("first-overwritten", "edges[0] = True\nedges[0:] = y > 0\nreturn k / edges.sum()", FLAGGED),
    ("first-row", "edges[0] = True\nedges[1:] = y > 0\nreturn k / edges.sum(-1)", FLAGGED),
    ("first-of-each", "edges[:, 0] = True\nreturn k / edges.sum(-1)", SILENT),
    ("last-of-each", "edges[..., -1] = True\nreturn k / edges.sum(-1)", SILENT),
    ("ones-and-rest", "b = np.ones(k)\nb[1:] = y > 0\nreturn k / b.sum()", SILENT),
    ("some-and-rest", "b = x == 1\nb[1:] = y > 0\nreturn k / b.sum()", FLAGGED),
)

GROUPS = (SELECTED, NORMS, STORED, MARKED, COUNTED, EDGES)
TABLE = [row for group in GROUPS for row in group]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.id)
def test_mask(row: Row) -> None:
    assert bool(codes(row.source)) is row.flagged, row.source.removeprefix(HEAD)


def test_no_row_is_written_twice() -> None:
    assert len({row.id for row in TABLE}) == len(TABLE)
    assert len({row.source for row in TABLE}) == len(TABLE)


KEPT = """\
import numpy as np


class Scaler:
    def fit(self, data):
        self.std = np.std(data, axis=0)
        {change}

    def transform(self, x):
        return x / self.std
"""


@pytest.mark.parametrize(
    ("change", "flagged"),
    [
        ("self.mean = data.mean()", FLAGGED),
        ("self.std[self.std < 1e-12] = 1.0", SILENT),
        ("self.std[self.std > 1e12] = 1.0", FLAGGED),
        ("self.std[self.std == 0] = 0.0", FLAGGED),
        ("self.std.clamp_(min=1e-6)", SILENT),
        ("self.std.masked_fill_(self.std == 0, 1.0)", SILENT),
        ("self.other[self.std == 0] = 1.0", FLAGGED),
    ],
)
def test_what_is_changed_in_place_is_what_another_method_reads(change: str, flagged: bool) -> None:
    assert bool(codes(KEPT.format(change=change))) is flagged


def test_a_chain_of_masks_is_not_followed_for_ever() -> None:
    turns = "".join(f"    if k > {i}:\n        ok = ok & (y > {i})\n" for i in range(40))
    source = f"{HEAD}    ok = y > 0\n{turns}    return x[ok] / y[ok].abs().sum()\n"
    assert codes(source) == ["EPS101"]
