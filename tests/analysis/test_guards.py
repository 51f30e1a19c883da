"""Guards: one table of idioms, each with variants that look alike and do not work.

`n` is a count that can be 0, of a torch tensor, a numpy array or Python's own, as the group says.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

import pytest

from tests.analysis.probe import codes, places

HEAD = """\
import contextlib
import math
import sys
import numpy as np
import torch
import torch as th
import torch.nn.functional as F
import jax.numpy as jnp
import tensorflow as tf


def require_positive(value):
    if value <= 0:
        raise ValueError("must be positive")


def require_not_negative(value):
    if value < 0:
        raise ValueError("must not be negative")


def sometimes_positive(value, trusted):
    if trusted:
        return trusted.name()
    if value <= 0:
        raise ValueError("must be positive")
    return value


def at_least_one(value):
    return max(value, 1)


"""

TORCH = "def penalty(x, y, mask, other):\n    n = torch.sum(mask)\n    m = torch.sum(other > 0)\n"
NUMPY = "def f(x, y, mask, other):\n    n = np.sum(mask)\n    m = np.sum(other > 0)\n"
NUMBER = (
    "def f(x, y, items, others):\n"
    "    n = len([item for item in items if item > 0])\n"
    "    m = len([item for item in others if item > 0])\n"
)
PLAIN = "def penalty(x, y, mask, probs, items, eps=1e-8):\n"

FLAGGED, SILENT = True, False


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    head: str
    body: str
    flagged: bool

    @property
    def source(self) -> str:
        lines = dedent(self.body).strip("\n").splitlines()
        return HEAD + self.head + "".join(f"    {line}\n" for line in lines)


def rows(head: str, *table: tuple[str, str, bool]) -> list[Row]:
    names = {TORCH: "torch", NUMPY: "numpy", NUMBER: "number", PLAIN: "plain"}
    return [Row(f"{names[head]}-{id_}", head, body, flagged) for id_, body, flagged in table]


# What holds of a condition whatever it is a condition of: written with a Python number.
CONDITIONS = rows(
    NUMBER,
    ("unguarded", "return x / n", FLAGGED),
    # -- leaving early
    ("return", "if n == 0:\n    return 0\nreturn x / n", SILENT),
    ("return-other", "if m == 0:\n    return 0\nreturn x / n", FLAGGED),
    ("return-negative", "if n < 0:\n    return 0\nreturn x / n", FLAGGED),
    ("return-not-positive", "if n <= 0:\n    return 0\nreturn x / n", SILENT),
    ("return-below-one", "if n < 1:\n    return 0\nreturn x / n", SILENT),
    ("return-one", "if n == 1:\n    return 0\nreturn x / n", FLAGGED),
    ("return-falsy", "if not n:\n    return 0\nreturn x / n", SILENT),
    ("return-truthy", "if n:\n    return 0\nreturn x / n", FLAGGED),
    ("return-not-above", "if not n > 0:\n    return 0\nreturn x / n", SILENT),
    ("raise", "if n == 0:\n    raise ValueError\nreturn x / n", SILENT),
    ("exit", "if n == 0:\n    sys.exit(1)\nreturn x / n", SILENT),
    ("print-only", "if n == 0:\n    print('none')\nreturn x / n", FLAGGED),
    ("pass", "if n == 0:\n    pass\nreturn x / n", FLAGGED),
    ("mirrored", "if 0 == n:\n    return 0\nreturn x / n", SILENT),
    ("mirrored-less", "if 0 < n:\n    return x / n", SILENT),
    ("mirrored-at-most", "if 0 <= n:\n    return x / n", FLAGGED),
    ("one-at-most", "if 1 <= n:\n    return x / n", SILENT),
    # -- inside the branch
    ("if-positive", "if n > 0:\n    return x / n", SILENT),
    ("if-not-negative", "if n >= 0:\n    return x / n", FLAGGED),
    ("if-at-least-one", "if n >= 1:\n    return x / n", SILENT),
    ("if-above-minus-one", "if n > -1:\n    return x / n", FLAGGED),
    ("if-nonzero", "if n != 0:\n    return x / n", SILENT),
    ("if-not-one", "if n != 1:\n    return x / n", FLAGGED),
    ("if-truthy", "if n:\n    return x / n", SILENT),
    ("if-not-none", "if n is not None:\n    return x / n", FLAGGED),
    ("else", "if n == 0:\n    y = 0\nelse:\n    y = x / n\nreturn y", SILENT),
    ("wrong-else", "if n > 0:\n    y = 0\nelse:\n    y = x / n\nreturn y", FLAGGED),
    (
        "elif",
        "if n < 0:\n    y = 1\nelif n == 0:\n    y = 0\nelse:\n    y = x / n\nreturn y",
        SILENT,
    ),
    ("elif-less", "if n < 0:\n    y = 1\nelif y == 0:\n    y = 0\nelse:\n    y = x / n", FLAGGED),
    ("nested", "if x > 0:\n    if n > 0:\n        return x / n", SILENT),
    ("nested-outside", "if x > 0:\n    if n > 0:\n        y = 1\n    return x / n", FLAGGED),
    ("equal-to-positive", "if n == 4:\n    return x / n", SILENT),
    ("more-than-a-count", "if n > m:\n    return x / n", SILENT),
    ("as-much-as-a-count", "if n >= m:\n    return x / n", FLAGGED),
    # -- numbers that somebody chose
    ("more-than-a-setting", "if n > y:\n    return x / n", SILENT),
    ("as-much-as-a-setting", "if n >= y:\n    return x / n", FLAGGED),
    ("not-more-than-a-setting", "if n <= y:\n    return x / n", FLAGGED),
    ("less-than-a-tolerance", "tol = y.tol\nif n < tol:\n    return 0\nreturn x / n", SILENT),
    ("less-than-some-start", "if n < y.start:\n    return 0\nreturn x / n", FLAGGED),
    # -- one branch only
    ("one-branch", "if x > 0:\n    n = max(n, 1)\nreturn y / n", FLAGGED),
    ("both-branches", "if x > 0:\n    n = max(n, 1)\nelse:\n    n = n + 1\nreturn y / n", SILENT),
    ("repaired-in-branch", "if n == 0:\n    n = 1\nreturn x / n", SILENT),
    ("repaired-with-zero", "if n == 0:\n    n = 0\nreturn x / n", FLAGGED),
    ("other-repaired", "if n == 0:\n    m = 1\nreturn x / n", FLAGGED),
    # -- assigned again
    ("reassigned", "if n == 0:\n    return 0\nn = m\nreturn x / n", FLAGGED),
    ("reassigned-before", "n = m\nif n == 0:\n    return 0\nreturn x / n", SILENT),
    ("decremented", "if n == 0:\n    return 0\nn -= 1\nreturn x / n", FLAGGED),
    ("alias", "k = n\nif k == 0:\n    return 0\nreturn x / k", SILENT),
    ("deleted-and-new", "if n == 0:\n    return 0\ndel n\nn = m\nreturn x / n", FLAGGED),
    # -- assertions
    ("assert", "assert n > 0\nreturn x / n", SILENT),
    ("assert-message", "assert n > 0, f'{n} is bad'\nreturn x / n", SILENT),
    ("assert-truthy", "assert n\nreturn x / n", SILENT),
    ("assert-not-negative", "assert n >= 0\nreturn x / n", FLAGGED),
    ("assert-tuple", "assert (n > 0, 'always true')\nreturn x / n", FLAGGED),
    ("assert-after", "y = x / n\nassert n > 0\nreturn y", FLAGGED),
    ("assert-other", "assert m > 0\nreturn x / n", FLAGGED),
    ("assert-both", "assert n > 0 and m > 0\nreturn x / n / m", SILENT),
    ("assert-either", "assert n > 0 or m > 0\nreturn x / n", FLAGGED),
    # -- expressions
    ("ternary", "return x / n if n > 0 else 0", SILENT),
    ("ternary-truthy", "return x / n if n else 0", SILENT),
    ("ternary-reversed", "return 0 if n == 0 else x / n", SILENT),
    ("ternary-wrong", "return 0 if n else x / n", FLAGGED),
    ("ternary-not-negative", "return x / n if n >= 0 else 0", FLAGGED),
    ("ternary-not-none", "return x / n if n is not None else 0", FLAGGED),
    ("ternary-divisor", "return x / (n if n > 0 else 1)", SILENT),
    ("ternary-divisor-zero", "return x / (n if n > 0 else 0)", FLAGGED),
    ("and", "return n and x / n", SILENT),
    ("and-comparison", "return n > 0 and x / n > 1", SILENT),
    ("and-wrong-order", "return x / n > 1 and n > 0", FLAGGED),
    ("and-other", "return m and x / n", FLAGGED),
    ("or", "return n == 0 or x / n > 1", SILENT),
    ("or-wrong", "return n > 0 or x / n > 1", FLAGGED),
    ("if-and-divides", "if n > 0 and x / n > 1:\n    return 1", SILENT),
    ("if-or-divides", "if n == 0 or x / n > 1:\n    return 1", SILENT),
    ("or-one", "return x / (n or 1)", SILENT),
    ("or-zero", "return x / (n or 0)", FLAGGED),
    ("or-count", "return x / (n or m)", FLAGGED),
    ("or-one-assigned", "n = n or 1\nreturn x / n", SILENT),
    ("max", "return x / max(n, 1)", SILENT),
    ("max-mirrored", "return x / max(1, n)", SILENT),
    ("max-zero", "return x / max(n, 0)", FLAGGED),
    ("max-epsilon", "return x / max(n, 1e-8)", SILENT),
    ("max-negative", "return x / max(n, -1)", FLAGGED),
    ("max-three", "return x / max(n, m, 1)", SILENT),
    ("max-three-zero", "return x / max(n, m, 0)", FLAGGED),
    ("max-two-counts", "return x / max(n, m)", FLAGGED),
    ("min", "return x / min(n, 1)", FLAGGED),
    ("max-min", "return x / min(max(n, 1), 10)", SILENT),
    ("plus-one", "return x / (n + 1)", SILENT),
    ("plus-zero", "return x / (n + 0)", FLAGGED),
    ("minus-one", "return x / (n - 1)", FLAGGED),
    ("plus-epsilon", "return x / (n + 1e-8)", SILENT),
    ("epsilon-after", "return x / n + 1e-8", FLAGGED),
    ("times", "return x / (n * 2)", FLAGGED),
    ("sum-of-counts", "return x / (n + m)", FLAGGED),
    ("list-pick", "return [0, x / n][n > 0]", FLAGGED),
    ("walrus", "if (k := n) > 0:\n    return x / k", SILENT),
    ("walrus-zero", "if (k := n) >= 0:\n    return x / k", FLAGGED),
    ("walrus-early", "if (k := n) == 0:\n    return 0\nreturn x / k", SILENT),
    ("walrus-truthy", "if k := n:\n    return x / k", SILENT),
    ("walrus-not", "if not (k := n):\n    return 0\nreturn x / k", SILENT),
    # -- connectives
    ("de-morgan-or", "if n == 0 or m == 0:\n    return 0\nreturn x / n / m", SILENT),
    ("or-falls-through", "if n == 0 or m == 0:\n    y = 0\nreturn x / n", FLAGGED),
    ("not-and-falls-through", "if not (n > 0 and m > 0):\n    y = 0\nreturn x / n", FLAGGED),
    ("de-morgan-and", "if n == 0 and m == 0:\n    return 0\nreturn x / n", FLAGGED),
    ("not-or", "if not (n == 0 or m == 0):\n    return x / n / m", SILENT),
    ("not-and", "if not (n == 0 and m == 0):\n    return x / n", FLAGGED),
    ("not-not", "if not not n:\n    return x / n", SILENT),
    ("and-two", "if x > 0 and n > 0:\n    return x / n", SILENT),
    ("or-two", "if x > 0 or n > 0:\n    return x / n", FLAGGED),
    ("else-of-and", "if x > 0 and n == 0:\n    return 0\nreturn x / n", FLAGGED),
    ("chained", "if 0 < n < 10:\n    return x / n", SILENT),
    ("chained-closed", "if 0 <= n < 10:\n    return x / n", FLAGGED),
    ("chained-not", "if not 0 < n < 10:\n    return 0\nreturn x / n", SILENT),
    ("chained-late", "if 10 > n > 0:\n    return x / n", SILENT),
    ("chained-outside", "if 0 < n < 10:\n    y = 1\nreturn x / n", FLAGGED),
    ("any-of", "if any([n == 0, m == 0]):\n    return 0\nreturn x / n", SILENT),
    ("all-of", "if all([n, m]):\n    return x / n", SILENT),
    ("in", "if n in (1, 2, 3):\n    return x / n", SILENT),
    ("in-with-zero", "if n in (0, 1):\n    return x / n", FLAGGED),
    ("not-in", "if n not in (0, 1):\n    return x / n", SILENT),
    # -- stored conditions
    ("stored", "ok = n > 0\nif ok:\n    return x / n", SILENT),
    ("stored-negated", "empty = n == 0\nif not empty:\n    return x / n", SILENT),
    ("stored-early", "empty = n == 0\nif empty:\n    return 0\nreturn x / n", SILENT),
    ("stored-wrong", "ok = n >= 0\nif ok:\n    return x / n", FLAGGED),
    ("stored-other", "ok = m > 0\nif ok:\n    return x / n", FLAGGED),
    ("stored-stale", "ok = n > 0\nn = m\nif ok:\n    return x / n", FLAGGED),
    ("stored-overwritten", "ok = n > 0\nok = m > 0\nif ok:\n    return x / n", FLAGGED),
    ("stored-and", "ok = n > 0 and m > 0\nif ok:\n    return x / n", SILENT),
    ("stored-bool", "ok = bool(n)\nif ok:\n    return x / n", SILENT),
    # -- helpers
    ("helper-raises", "require_positive(n)\nreturn x / n", SILENT),
    ("helper-raises-less", "require_not_negative(n)\nreturn x / n", FLAGGED),
    ("helper-sometimes", "sometimes_positive(n, y)\nreturn x / n", FLAGGED),
    ("helper-other", "require_positive(m)\nreturn x / n", FLAGGED),
    ("helper-keyword", "require_positive(value=n)\nreturn x / n", SILENT),
    ("helper-then-assigned", "require_positive(n)\nn = m\nreturn x / n", FLAGGED),
    ("helper-returns", "return x / at_least_one(n)", SILENT),
    # -- loops
    ("continue", "for n in range(x):\n    if n == 0:\n        continue\n    y += x / n", SILENT),
    (
        "continue-filter",
        "for part in y:\n    k = len([i for i in part if i])\n    if k == 0:\n        continue\n"
        "    x = x / k",
        SILENT,
    ),
    (
        "continue-other",
        "for part in y:\n    k = len([i for i in part if i])\n    if m == 0:\n        continue\n"
        "    x = x / k",
        FLAGGED,
    ),
    (
        "continue-late",
        "for part in y:\n    k = len([i for i in part if i])\n    x = x / k\n    if k == 0:\n"
        "        continue",
        FLAGGED,
    ),
    ("break", "for part in y:\n    if n == 0:\n        break\n    x = x / n", SILENT),
    ("break-outside", "for part in y:\n    if n == 0:\n        break\nreturn x / n", FLAGGED),
    ("while", "while n > 0:\n    x = x / n\n    n -= 1", SILENT),
    ("while-after", "while n > 0:\n    n -= 1\nreturn x / n", FLAGGED),
    ("while-until", "while n == 0:\n    n = len([i for i in y if i])\nreturn x / n", SILENT),
    ("while-break", "while n == 0:\n    if y:\n        break\nreturn x / n", FLAGGED),
    (
        "while-else",
        "while n == 0:\n    n = len([i for i in y if i])\nelse:\n    x = x / n\nreturn x",
        SILENT,
    ),
    (
        "while-else-break",
        "while n == 0:\n    if y:\n        break\n    n = 2\nelse:\n    y = 1\nreturn x / n",
        FLAGGED,
    ),
    (
        "while-true-break",
        "while True:\n    if n > 0:\n        break\n    n += 1\nreturn x / n",
        SILENT,
    ),
    ("break-before", "for i in y:\n    if i:\n        break\n    n = 1\nreturn x / n", FLAGGED),
    (
        "continue-before",
        "for i in y:\n    if i:\n        continue\n    n = 1\nreturn x / n",
        FLAGGED,
    ),
    ("while-true-other", "while True:\n    if m > 0:\n        break\nreturn x / n", FLAGGED),
    ("for-else", "for i in y:\n    if n == 0:\n        return 0\nelse:\n    x = x / n", SILENT),
    # -- exceptions
    ("try", "try:\n    return x / n\nexcept ZeroDivisionError:\n    return 0", SILENT),
    ("try-arithmetic", "try:\n    return x / n\nexcept ArithmeticError:\n    return 0", SILENT),
    (
        "try-tuple",
        "try:\n    return x / n\nexcept (KeyError, ZeroDivisionError):\n    return 0",
        SILENT,
    ),
    ("try-bare", "try:\n    return x / n\nexcept:\n    return 0", SILENT),
    ("try-exception", "try:\n    return x / n\nexcept Exception:\n    return 0", SILENT),
    ("try-value-error", "try:\n    return x / n\nexcept ValueError:\n    return 0", FLAGGED),
    ("try-finally", "try:\n    return x / n\nfinally:\n    print(x)", FLAGGED),
    (
        "try-else",
        "try:\n    y = 1\nexcept ZeroDivisionError:\n    y = 0\nelse:\n    x / n",
        FLAGGED,
    ),
    ("try-handler", "try:\n    y = 1\nexcept ZeroDivisionError:\n    y = x / n", FLAGGED),
    ("try-after", "try:\n    y = 1\nexcept ZeroDivisionError:\n    y = 0\nreturn x / n", FLAGGED),
    ("suppress", "with contextlib.suppress(ZeroDivisionError):\n    x = x / n", SILENT),
    ("suppress-other", "with contextlib.suppress(KeyError):\n    x = x / n", FLAGGED),
    # -- match
    ("match", "match n:\n    case 0:\n        return 0\n    case _:\n        return x / n", SILENT),
    ("match-after", "match n:\n    case 0:\n        return 0\nreturn x / n", SILENT),
    ("match-one", "match n:\n    case 1:\n        return 0\nreturn x / n", FLAGGED),
    ("match-other", "match m:\n    case 0:\n        return 0\nreturn x / n", FLAGGED),
    ("match-guard", "match y:\n    case k if n > 0:\n        return x / n", SILENT),
    ("match-guard-other", "match y:\n    case k if m > 0:\n        return x / n", FLAGGED),
    # -- comprehensions and lambdas
    ("comprehension", "return [x / k for k in (n, m) if k > 0]", SILENT),
    ("comprehension-none", "return [x / k for k in (n, m)]", FLAGGED),
    ("comprehension-zero", "return [x / k for k in (n, m) if k >= 0]", FLAGGED),
    ("comprehension-truthy", "return {k: x / k for k in (n, m) if k}", SILENT),
    ("comprehension-ternary", "return [x / k if k else 0 for k in (n, m)]", SILENT),
    ("comprehension-outside", "return [x / n for k in (n, m) if k > 0]", FLAGGED),
    ("lambda", "return lambda: x / n if n else 0", SILENT),
    ("lambda-unguarded", "return lambda: x / n", FLAGGED),
    # -- the functional way
    ("isclose", "if math.isclose(n, 0):\n    return 0\nreturn x / n", SILENT),
    ("isclose-one", "if math.isclose(n, 1):\n    return 0\nreturn x / n", FLAGGED),
    ("abs", "if abs(n) > 1e-8:\n    return x / n", SILENT),
    ("abs-zero", "if abs(n) >= 0:\n    return x / n", FLAGGED),
    ("abs-less", "if abs(n) < 1e-8:\n    return 0\nreturn x / n", SILENT),
    ("float", "if float(n) > 0:\n    return x / n", SILENT),
    ("int", "if int(n):\n    return x / n", SILENT),
)

# Collections: the length is guarded through the collection, and the other way round.
LENGTHS = rows(
    PLAIN,
    ("filtered", "kept = [i for i in items if i]\nreturn x / len(kept)", FLAGGED),
    ("unfiltered", "kept = [2 * i for i in items]\nreturn x / len(kept)", SILENT),
    (
        "not",
        "kept = [i for i in items if i]\nif not kept:\n    return 0\nreturn x / len(kept)",
        SILENT,
    ),
    (
        "not-other",
        "kept = [i for i in items if i]\nif not items:\n    return 0\nreturn x / len(kept)",
        FLAGGED,
    ),
    ("if", "kept = [i for i in items if i]\nif kept:\n    return x / len(kept)", SILENT),
    ("len", "kept = [i for i in items if i]\nif len(kept) > 0:\n    return x / len(kept)", SILENT),
    (
        "len-ge",
        "kept = [i for i in items if i]\nif len(kept) >= 0:\n    return x / len(kept)",
        FLAGGED,
    ),
    (
        "len-early",
        "kept = [i for i in items if i]\nif len(kept) == 0:\n    return 0\nreturn x / len(kept)",
        SILENT,
    ),
    (
        "not-len",
        "kept = [i for i in items if i]\nif not len(kept):\n    return 0\nx / len(kept)",
        SILENT,
    ),
    ("len-max", "kept = [i for i in items if i]\nreturn x / max(len(kept), 1)", SILENT),
    ("len-or", "kept = [i for i in items if i]\nreturn x / (len(kept) or 1)", SILENT),
    (
        "len-two",
        "kept = [i for i in items if i]\nif len(kept) > 1:\n    return x / (len(kept) - 1)",
        SILENT,
    ),
    (
        "len-one",
        "kept = [i for i in items if i]\nif len(kept) > 0:\n    return x.sum() / (len(kept) - 1)",
        FLAGGED,
    ),
    (
        "stored-len",
        "kept = [i for i in items if i]\nn = len(kept)\nif n > 0:\n    return x / len(kept)",
        SILENT,
    ),
    (
        "guard-list-use-stored",
        "kept = [i for i in items if i]\nn = len(kept)\nif not kept:\n    return 0\nreturn x / n",
        SILENT,
    ),
    ("filled-again", "kept = [i for i in items if i]\nkept = items\nreturn x / len(kept)", SILENT),
    ("appended", "kept = [i for i in items if i]\nkept.append(x)\nreturn x / len(kept)", SILENT),
)

# Tensors of torch, where a gradient may flow.
TENSORS = rows(
    TORCH,
    ("unguarded", "return x / n", FLAGGED),
    # -- clamps
    ("clamp", "return x / n.clamp(min=1)", SILENT),
    ("clamp-positional", "return x / n.clamp(1)", SILENT),
    ("clamp-epsilon", "return x / n.clamp(min=1e-8)", SILENT),
    ("clamp-zero", "return x / n.clamp(min=0)", FLAGGED),
    ("clamp-negative", "return x / n.clamp(min=-1)", FLAGGED),
    ("clamp-max", "return x / n.clamp(max=10)", FLAGGED),
    ("clamp-both", "return x / n.clamp(1, 10)", SILENT),
    ("clamp-function", "return x / torch.clamp(n, min=1)", SILENT),
    ("clamp-min", "return x / n.clamp_min(1)", SILENT),
    ("clamp-min-zero", "return x / n.clamp_min(0)", FLAGGED),
    ("clamp-max-method", "return x / n.clamp_max(1)", FLAGGED),
    ("clamp-in-place", "n.clamp_(min=1)\nreturn x / n", SILENT),
    ("clamp-in-place-zero", "n.clamp_(min=0)\nreturn x / n", FLAGGED),
    ("clamp-dropped", "n.clamp(min=1)\nreturn x / n", FLAGGED),
    ("clamp-other", "m.clamp_(min=1)\nreturn x / n", FLAGGED),
    ("clamp-assigned", "n = n.clamp(min=1)\nreturn x / n", SILENT),
    ("clamp-numerator", "return x.clamp(min=1) / n", FLAGGED),
    ("clamp-after", "return (x / n).clamp(max=10)", FLAGGED),
    ("clip", "return x / n.clip(min=1)", SILENT),
    ("relu", "return x / F.relu(n)", FLAGGED),
    ("softplus", "return x / (F.relu(n) + 1e-6)", SILENT),
    ("maximum", "return x / torch.maximum(n, torch.ones_like(n))", SILENT),
    ("maximum-zeros", "return x / torch.maximum(n, torch.zeros_like(n))", FLAGGED),
    ("maximum-tensor", "return x / torch.maximum(n, torch.tensor(1.0))", SILENT),
    ("max-of-two", "return x / torch.max(n, torch.ones_like(n))", SILENT),
    ("max-of-two-zeros", "return x / torch.max(n, torch.zeros_like(n))", FLAGGED),
    ("python-max", "return x / max(n, 1)", SILENT),
    ("python-max-item", "return x / max(n.item(), 1)", SILENT),
    ("python-max-item-zero", "return x / max(n.item(), 0)", FLAGGED),
    ("epsilon", "return x / (n + 1e-8)", SILENT),
    ("epsilon-inside-sum", "return x / torch.sum(mask + 1e-8)", SILENT),
    ("epsilon-outside", "return x / n + 1e-8", FLAGGED),
    ("finfo", "return x / (n + torch.finfo(x.dtype).eps)", SILENT),
    ("finfo-tiny", "return x / n.clamp(min=torch.finfo(torch.float32).tiny)", SILENT),
    ("truth-added", "return x / (n + (n == 0))", SILENT),
    ("truth-added-turned-round", "return x / (n + (0.5 > n))", SILENT),
    ("wrong-truth-added-turned-round", "return x / (n + (0.5 < n))", FLAGGED),
    ("other-truth-added", "return x / (n + (m == 0))", FLAGGED),
    # -- selections before the operation
    ("where", "return x / torch.where(n == 0, torch.ones_like(n), n)", SILENT),
    ("where-number", "return x / torch.where(n == 0, 1, n)", SILENT),
    ("where-positive", "return x / torch.where(n > 0, n, 1)", SILENT),
    ("where-zero", "return x / torch.where(n == 0, 0, n)", FLAGGED),
    ("where-other", "return x / torch.where(m == 0, 1, n)", FLAGGED),
    ("where-swapped", "return x / torch.where(n == 0, n, 1)", FLAGGED),
    ("where-not-negative", "return x / torch.where(n >= 0, n, 1)", FLAGGED),
    ("where-stored", "ok = n > 0\nreturn x / torch.where(ok, n, 1)", SILENT),
    ("where-method", "return x / n.where(n > 0, torch.ones_like(n))", SILENT),
    ("where-method-wrong", "return x / n.where(n >= 0, torch.ones_like(n))", FLAGGED),
    ("where-functional", "return x / torch.where(torch.eq(n, 0), 1, n)", SILENT),
    ("where-method-condition", "return x / torch.where(n.gt(0), n, 1)", SILENT),
    ("where-method-ge", "return x / torch.where(n.ge(0), n, 1)", FLAGGED),
    ("where-not", "return x / torch.where(~(n == 0), n, 1)", SILENT),
    ("where-and", "return x / torch.where((n > 0) & (m > 0), n, 1)", SILENT),
    ("where-or", "return x / torch.where((n > 0) | (m > 0), n, 1)", FLAGGED),
    ("masked-fill", "return x / n.masked_fill(n == 0, 1)", SILENT),
    ("masked-fill-zero", "return x / n.masked_fill(n == 0, 0)", FLAGGED),
    ("masked-fill-other", "return x / n.masked_fill(m == 0, 1)", FLAGGED),
    ("masked-fill-in-place", "n.masked_fill_(n == 0, 1)\nreturn x / n", SILENT),
    ("masked-fill-stored", "empty = n == 0\nreturn x / n.masked_fill(empty, 1)", SILENT),
    ("masked-fill-negative", "return x / n.masked_fill(n < 0, 1)", FLAGGED),
    ("element-assignment", "n[n == 0] = 1\nreturn x / n", SILENT),
    ("element-assignment-zero", "n[n == 0] = 0\nreturn x / n", FLAGGED),
    ("element-assignment-negative", "n[n < 0] = 1\nreturn x / n", FLAGGED),
    ("element-assignment-other", "n[m == 0] = 1\nreturn x / n", FLAGGED),
    ("element-assignment-wrong-name", "m[n == 0] = 1\nreturn x / n", FLAGGED),
    ("element-assignment-at-most", "n[n <= 0] = 1\nreturn x / n", SILENT),
    ("index", "ok = n > 0\nreturn x[ok] / n[ok]", SILENT),
    ("index-closed", "ok = n >= 0\nreturn x[ok] / n[ok]", FLAGGED),
    ("index-other", "ok = m > 0\nreturn x[ok] / n[ok]", FLAGGED),
    ("index-one-side", "ok = n > 0\nreturn x[ok] / n", FLAGGED),
    ("index-written", "return x[n > 0] / n[n > 0]", SILENT),
    ("index-stale", "ok = n > 0\nn = m\nreturn x[ok] / n[ok]", FLAGGED),
    # -- after the operation: the gradient has gone through it
    ("where-after", "return torch.where(n > 0, x / n, torch.zeros_like(x))", FLAGGED),
    (
        "where-after-no-grad",
        "with torch.no_grad():\n    return torch.where(n > 0, x / n, 0)",
        SILENT,
    ),
    (
        "where-after-no-grad-wrong",
        "with torch.no_grad():\n    return torch.where(n >= 0, x / n, 0)",
        FLAGGED,
    ),
    ("where-after-named", "y = x / n\nreturn torch.where(n > 0, y, 0)", FLAGGED),
    (
        "where-after-detached",
        "n = n.detach()\nx = x.detach()\nreturn torch.where(n > 0, x / n, 0)",
        SILENT,
    ),
    ("nan-to-num", "return torch.nan_to_num(x / n)", FLAGGED),
    ("nan-to-num-no-grad", "with torch.no_grad():\n    return torch.nan_to_num(x / n)", SILENT),
    (
        "nan-to-num-other",
        "with torch.no_grad():\n    m = torch.nan_to_num(m)\n    return x / n",
        FLAGGED,
    ),
    ("times-truth", "return (x / n) * (n > 0)", FLAGGED),
    ("masked-fill-after", "return (x / n).masked_fill(n == 0, 0)", FLAGGED),
    ("no-grad-alone", "with torch.no_grad():\n    return x / n", FLAGGED),
    # -- conditions on tensors
    ("if", "if n > 0:\n    return x / n", SILENT),
    ("if-item", "if n.item() > 0:\n    return x / n", SILENT),
    ("if-item-ge", "if n.item() >= 0:\n    return x / n", FLAGGED),
    ("if-item-truthy", "if n.item():\n    return x / n", SILENT),
    ("if-float", "if float(n) > 0:\n    return x / n", SILENT),
    ("all", "if (n > 0).all():\n    return x / n", SILENT),
    ("any-of-them", "if (n > 0).any():\n    return x / n", FLAGGED),
    ("torch-all", "if torch.all(n > 0):\n    return x / n", SILENT),
    ("torch-all-alias", "if th.all(n > 0):\n    return x / n", SILENT),
    ("torch-any", "if torch.any(n == 0):\n    return 0\nreturn x / n", SILENT),
    ("not-any", "if not (n == 0).any():\n    return x / n", SILENT),
    ("not-all", "if not (n == 0).all():\n    return x / n", FLAGGED),
    ("all-ge", "if (n >= 0).all():\n    return x / n", FLAGGED),
    ("assert-all", "assert (n > 0).all()\nreturn x / n", SILENT),
    ("assert-torch-all", "assert torch.all(n > 0), 'empty'\nreturn x / n", SILENT),
    ("assert-any", "assert (n > 0).any()\nreturn x / n", FLAGGED),
    # -- through the mask itself
    ("mask-any", "if mask.any():\n    return x / mask.sum()", SILENT),
    ("mask-any-stored", "if mask.any():\n    return x / torch.sum(mask)", SILENT),
    ("torch-mask-any", "if torch.any(mask):\n    return x / mask.sum()", SILENT),
    ("torch-alias-any", "if th.any(mask):\n    return x / mask.sum()", SILENT),
    ("mask-not-any", "if not mask.any():\n    return 0\nreturn x / mask.sum()", SILENT),
    ("other-any", "if other.any():\n    return x / mask.sum()", FLAGGED),
    ("mask-any-branch", "if not mask.any():\n    return x / mask.sum()", FLAGGED),
    ("mask-any-dim", "if mask.any():\n    return x / mask.sum(-1)", FLAGGED),
    ("mask-any-then-new", "if mask.any():\n    mask = other\n    return x / mask.sum()", FLAGGED),
    ("mask-sum", "if mask.sum() > 0:\n    return x / mask.sum()", SILENT),
    ("mask-sum-zero", "if mask.sum() >= 0:\n    return x / mask.sum()", FLAGGED),
    ("mask-sum-early", "if mask.sum() == 0:\n    return 0\nreturn x / mask.sum()", SILENT),
    ("mask-sum-other", "if other.sum() > 0:\n    return x / mask.sum()", FLAGGED),
    ("mask-sum-item", "if mask.sum().item() == 0:\n    return 0\nreturn x / mask.sum()", SILENT),
    (
        "mask-sum-changed",
        "if mask.sum() > 0:\n    mask = other\n    return x / mask.sum()",
        FLAGGED,
    ),
    ("mask-in-place", "if mask.sum() > 0:\n    mask &= other\n    return x / mask.sum()", FLAGGED),
    ("mask-mul", "if mask.sum() > 0:\n    mask.mul_(other)\n    return x / mask.sum()", FLAGGED),
    # -- exceptions: a tensor does not raise
    ("try", "try:\n    return x / n\nexcept ZeroDivisionError:\n    return 0", FLAGGED),
    ("try-item", "try:\n    return 1 / n.item()\nexcept ZeroDivisionError:\n    return 0", SILENT),
    ("suppress", "with contextlib.suppress(ZeroDivisionError):\n    x = x / n", FLAGGED),
    ("errstate", "with np.errstate(divide='ignore', invalid='ignore'):\n    return x / n", FLAGGED),
    # -- augmented and functional divisions
    ("augmented", "x /= n\nreturn x", FLAGGED),
    ("augmented-guarded", "if n > 0:\n    x /= n\nreturn x", SILENT),
    ("div", "return torch.div(x, n)", FLAGGED),
    ("div-guarded", "return torch.div(x, n.clamp(min=1))", SILENT),
    ("div-method", "return x.div(n)", FLAGGED),
    ("div-in-place", "x.div_(n)\nreturn x", FLAGGED),
    ("div-in-place-guarded", "x.div_(n.clamp(min=1))\nreturn x", SILENT),
    ("reciprocal", "return n.reciprocal()", FLAGGED),
    ("reciprocal-guarded", "return (n + 1e-8).reciprocal()", SILENT),
    ("power", "return n ** -1", FLAGGED),
    ("power-guarded", "return n.clamp(min=1) ** -1", SILENT),
    ("power-positive", "return n ** 2", SILENT),
    ("rsqrt", "return torch.rsqrt(n)", FLAGGED),
    ("rsqrt-guarded", "return torch.rsqrt(n + 1e-8)", SILENT),
    ("normalize", "return F.normalize(x, dim=-1)", SILENT),
    ("norm", "return x / x.norm()", FLAGGED),
    ("norm-guarded", "return x / x.norm().clamp(min=1e-12)", SILENT),
    # -- what an epsilon does not help
    ("signed-epsilon", "d = x - x.mean()\nreturn y / (d + 1e-8)", FLAGGED),
    ("signed-abs", "d = x - x.mean()\nreturn y / (d.abs() + 1e-8)", SILENT),
    ("signed-abs-alone", "d = x - x.mean()\nreturn y / d.abs()", FLAGGED),
    ("zero-epsilon", "eps = 0.0\nreturn x / (n + eps)", FLAGGED),
    ("subtracted-epsilon", "return x / (n - 1e-8)", FLAGGED),
)

ARRAYS = rows(
    NUMPY,
    ("unguarded", "return x / n", FLAGGED),
    ("maximum", "return x / np.maximum(n, 1)", SILENT),
    ("maximum-mirrored", "return x / np.maximum(1, n)", SILENT),
    ("maximum-zero", "return x / np.maximum(n, 0)", FLAGGED),
    ("maximum-epsilon", "return x / np.maximum(n, np.finfo(float).eps)", SILENT),
    ("clip", "return x / np.clip(n, 1, None)", SILENT),
    ("clip-zero", "return x / np.clip(n, 0, None)", FLAGGED),
    ("clip-keyword", "return x / np.clip(n, a_min=1, a_max=None)", SILENT),
    ("clip-method", "return x / n.clip(1)", SILENT),
    ("where", "return x / np.where(n == 0, 1, n)", SILENT),
    ("where-zero", "return x / np.where(n == 0, 0, n)", FLAGGED),
    ("where-after", "return np.where(n > 0, x / n, 0)", SILENT),
    ("where-after-wrong", "return np.where(n >= 0, x / n, 0)", FLAGGED),
    ("where-after-other", "return np.where(m > 0, x / n, 0)", FLAGGED),
    ("where-after-equal", "return np.where(n == 0, 0, x / n)", SILENT),
    ("where-after-named", "y = x / n\nreturn np.where(n > 0, y, 0)", SILENT),
    ("divide-where", "return np.divide(x, n, where=n != 0)", SILENT),
    ("divide-where-out", "return np.divide(x, n, out=np.zeros_like(x), where=n > 0)", SILENT),
    ("divide-where-closed", "return np.divide(x, n, where=n >= 0)", FLAGGED),
    ("divide-where-other", "return np.divide(x, n, where=m > 0)", FLAGGED),
    ("divide-where-stored", "ok = n > 0\nreturn np.divide(x, n, where=ok)", SILENT),
    ("divide-out-only", "return np.divide(x, n, out=np.zeros_like(x))", FLAGGED),
    ("true-divide-where", "return np.true_divide(x, n, where=n != 0)", SILENT),
    ("errstate", "with np.errstate(divide='ignore', invalid='ignore'):\n    return x / n", SILENT),
    ("errstate-all", "with np.errstate(all='ignore'):\n    return x / n", SILENT),
    ("errstate-over", "with np.errstate(over='ignore'):\n    return x / n", FLAGGED),
    ("errstate-after", "with np.errstate(all='ignore'):\n    y = 1\nreturn x / n", FLAGGED),
    ("nan-to-num", "return np.nan_to_num(x / n)", SILENT),
    ("nan-to-num-named", "y = x / n\nreturn np.nan_to_num(y)", SILENT),
    ("nan-to-num-other", "y = x / n\nx = np.nan_to_num(x)\nreturn y", FLAGGED),
    ("isnan-repaired", "y = x / n\ny[np.isnan(y)] = 0\nreturn y", SILENT),
    ("not-finite-repaired", "y = x / n\ny[~np.isfinite(y)] = 0\nreturn y", SILENT),
    ("where-repaired", "y = x / n\ny[n == 0] = 0\nreturn y", SILENT),
    ("where-repaired-wrong", "y = x / n\ny[n < 0] = 0\nreturn y", FLAGGED),
    ("element-assignment", "n[n == 0] = 1\nreturn x / n", SILENT),
    ("element-assignment-epsilon", "n[n == 0] = 1e-8\nreturn x / n", SILENT),
    ("index", "return x[n > 0] / n[n > 0]", SILENT),
    ("index-nonzero", "ok = n.nonzero()\nreturn x[ok] / n[ok]", SILENT),
    ("index-nonzero-stale", "ok = n.nonzero()\nn = m\nreturn x[ok] / n[ok]", FLAGGED),
    ("index-nonzero-other", "ok = m.nonzero()\nreturn x[ok] / n[ok]", FLAGGED),
    ("all", "if np.all(n > 0):\n    return x / n", SILENT),
    ("any", "if np.any(n > 0):\n    return x / n", FLAGGED),
    ("mask-any", "if np.any(mask):\n    return x / np.sum(mask)", SILENT),
    ("count", "if np.count_nonzero(mask) > 0:\n    return x / np.count_nonzero(mask)", SILENT),
    (
        "count-other",
        "if np.count_nonzero(mask) > 0:\n    return x / np.count_nonzero(other)",
        FLAGGED,
    ),
    ("truth-added", "n += n == 0\nreturn x / n", SILENT),
    ("truth-added-stale", "empty = n == 0\nn = m\nreturn x / (n + empty)", FLAGGED),
    ("try", "try:\n    return x / n\nexcept ZeroDivisionError:\n    return 0", FLAGGED),
    ("size", "kept = x[mask > 0]\nreturn y / kept.size", FLAGGED),
    (
        "size-guarded",
        "kept = x[mask > 0]\nif kept.size == 0:\n    return 0\nreturn y / kept.size",
        SILENT,
    ),
    ("size-truthy", "kept = x[mask > 0]\nif kept.size:\n    return y / kept.size", SILENT),
    (
        "shape-guarded",
        "kept = x[mask > 0]\nif kept.shape[0] > 0:\n    return y / len(kept)",
        SILENT,
    ),
    ("shape-of-other", "kept = x[mask > 0]\nif x.shape[0] > 0:\n    return y / len(kept)", FLAGGED),
)

# The other libraries' words for the same.
OTHERS = rows(
    PLAIN,
    ("jax", "return x / jnp.sum(mask)", FLAGGED),
    ("jax-maximum", "return x / jnp.maximum(jnp.sum(mask), 1)", SILENT),
    ("jax-maximum-zero", "return x / jnp.maximum(jnp.sum(mask), 0)", FLAGGED),
    ("jax-where", "n = jnp.sum(mask)\nreturn x / jnp.where(n == 0, 1, n)", SILENT),
    ("jax-where-after", "n = jnp.sum(mask)\nreturn jnp.where(n == 0, 0, x / n)", FLAGGED),
    ("tf", "return x / tf.reduce_sum(mask)", FLAGGED),
    ("tf-maximum", "return x / tf.maximum(tf.reduce_sum(mask), 1.0)", SILENT),
    ("tf-no-nan", "return tf.math.divide_no_nan(x, tf.reduce_sum(mask))", SILENT),
    ("tf-clip", "return x / tf.clip_by_value(tf.reduce_sum(mask), 1.0, 9.0)", SILENT),
    ("tf-clip-zero", "return x / tf.clip_by_value(tf.reduce_sum(mask), 0.0, 9.0)", FLAGGED),
    ("tf-divide", "return tf.divide(x, tf.reduce_sum(mask))", FLAGGED),
    ("parameter-epsilon", "return x / (torch.sum(mask) + eps)", SILENT),
    ("parameter-clamp", "return x / torch.sum(mask).clamp(min=eps)", SILENT),
    ("parameter-max", "return x / max(torch.sum(mask).item(), eps)", SILENT),
    ("prob", "return x / probs", SILENT),
    ("propensity", "rewards = y\nreturn rewards / probs", FLAGGED),
    ("prob-positive", "return x / probs[probs > 0]", SILENT),
    ("prob-threshold", "return x / probs[probs > 0.5]", SILENT),
    ("prob-clamp", "return x / probs.clamp(1e-6, 1 - 1e-6)", SILENT),
)

TABLE = [*CONDITIONS, *LENGTHS, *TENSORS, *ARRAYS, *OTHERS]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.id)
def test_guard(row: Row) -> None:
    assert bool(codes(row.source)) is row.flagged, row.source.removeprefix(HEAD)


def test_no_row_is_written_twice() -> None:
    assert len({row.id for row in TABLE}) == len(TABLE)
    assert len({row.source for row in TABLE}) == len(TABLE)


def test_both_outcomes_are_in_every_group() -> None:
    for group in (CONDITIONS, LENGTHS, TENSORS, ARRAYS, OTHERS):
        assert {row.flagged for row in group} == {FLAGGED, SILENT}


def test_a_comparison_of_what_a_helper_made_speaks_of_the_helper_where_it_stands() -> None:
    # To learn from `share > 0` the guard looks into `float(…)`, which is written elsewhere: the
    # division there is a finding of that function, and must not be noted as one of this.
    source = """\
    import torch


    def share_of(x, mask):
        return float(torch.sum(x) / torch.sum(mask))


    def f(a, b, scale):
        share = share_of(a, b)
        return 1 / scale if share > 0 else None
    """
    assert places(source) == ["torch.sum(mask)"]


def test_a_flag_that_is_turned_round_is_not_followed_for_ever() -> None:
    source = """\
    import torch


    class Shown:
        def __init__(self):
            self.shown = False

        def turn(self):
            self.shown = not self.shown

        def mean(self, x, mask):
            if not self.shown:
                return x
            return x / torch.sum(mask)
    """
    assert places(source) == ["torch.sum(mask)"]


@pytest.mark.parametrize(
    ("test", "flagged"),
    [
        ("mask.sum() > 0", SILENT),
        ("mask.sum()", SILENT),
        ("mask.sum() == 0 and False", FLAGGED),
        ("mask.sum() >= 0", FLAGGED),
        ("other.sum() > 0", FLAGGED),
    ],
)
def test_a_test_of_the_expression_tells_of_the_name_it_was_given(test: str, flagged: bool) -> None:
    source = f"""\
    def mean(x, mask, other):
        n = mask.sum()
        return x / n if {test} else x
    """
    assert bool(codes(source)) is flagged


def test_not_once_the_mask_is_another() -> None:
    source = """\
    def mean(x, mask, other):
        n = mask.sum()
        mask = mask * other
        if mask.sum() > 0:
            return x / n
        return x
    """
    assert places(source) == ["n"]


@pytest.mark.parametrize(
    ("body", "flagged"),
    [
        ("if isinstance(n, torch.Tensor): return x\n    return x / n", SILENT),
        ("if torch.is_tensor(n): return x\n    return x / n", SILENT),
        ("if isinstance(n, (int, torch.Tensor)): return x\n    return x / n", SILENT),
        ("if isinstance(n, torch.Tensor): return x / n", FLAGGED),
        ("if isinstance(x, torch.Tensor): return x\n    return x / n", FLAGGED),
        ("if isinstance(n, str): return x\n    return x / n", FLAGGED),
        ("if not isinstance(n, torch.Tensor): n = torch.tensor(n)\n    return x / n", FLAGGED),
    ],
)
def test_what_is_no_tensor_is_not_the_sum_of_one(body: str, flagged: bool) -> None:
    source = f"import torch\ndef mean(x, mask):\n    n = mask.sum()\n    {body}\n"
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("test", "flagged"),
    [
        ("any(n == 0 for n in counts)", SILENT),
        ("not all(n > 0 for n in counts)", SILENT),
        ("all(n == 0 for n in counts)", FLAGGED),
        ("any(n == 0 for n in others)", FLAGGED),
        ("any(n == 0 for n in counts if n < 5)", FLAGGED),
    ],
)
def test_a_test_of_each_element(test: str, flagged: bool) -> None:
    source = f"""\
    import numpy as np


    def shares(x, masks, others):
        counts = [np.sum(mask) for mask in masks]
        if {test}:
            return None
        return [x / count for count in counts]
    """
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("test", "flagged"),
    [
        ("x == x.max()", SILENT),
        ("x >= np.max(x)", SILENT),
        ("x <= x.min()", SILENT),
        ("x == np.linalg.norm(x, np.inf)", SILENT),
        ("x > x.max()", FLAGGED),
        ("x <= y.min()", FLAGGED),
        ("x == y.max()", FLAGGED),
        ("x == y", FLAGGED),
    ],
)
def test_something_is_as_large_as_the_largest(test: str, flagged: bool) -> None:
    source = f"import numpy as np\ndef shares(x, y):\n    return 1 / np.sum({test})\n"
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("filtered", "flagged"),
    [
        ("for a in items if value[a] == max_value", SILENT),
        ("for a in items if best <= value[a]", SILENT),
        ("for a in items if value[a] == wanted", FLAGGED),
        ("for a in items if value[a] > max_value", FLAGGED),
        ("for a in model.parameters() if a.requires_grad", SILENT),
        ("for a in model.losses() if a.requires_grad", FLAGGED),
    ],
)
def test_a_filter_that_leaves_something(filtered: str, flagged: bool) -> None:
    source = f"def shares(items, value, wanted, model):\n    return 1 / len([a {filtered}])\n"
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("quotient", "flagged"),
    [
        ("r.mean() / r.std()", SILENT),
        ("(r - r.mean()) / r.std()", FLAGGED),
        ("s.mean() / r.std()", FLAGGED),
        ("r.mean() / r.var()", FLAGGED),
        ("r / torch.norm(r + 1e-8)", SILENT),
        ("r / torch.norm(r + s)", FLAGGED),
        ("r / 0.0", SILENT),
    ],
)
def test_what_is_divided_tells(quotient: str, flagged: bool) -> None:
    source = f"import torch\ndef f(r, s):\n    return {quotient}\n"
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("test", "flagged"),
    [
        ("np.sum(w) > 0", SILENT),
        ("w.sum() > 0", SILENT),
        ("sum(w) > 0", SILENT),
        ("np.sum(w, axis=0) > 0", SILENT),  # each of the rows
        ("np.mean(w) >= 0", FLAGGED),
        ("np.sum(x) > 0", FLAGGED),
    ],
)
def test_one_spelling_guards_the_other(test: str, flagged: bool) -> None:
    source = f"""\
    import numpy as np


    def shares(x, regrets):
        w = np.clip(regrets, 0.0, np.inf)
        return w / w.sum() if {test} else x
    """
    assert bool(codes(source)) is flagged


def test_a_condition_from_a_helper_is_of_its_own_names() -> None:
    source = """\
    def positive(n):
        return n > 0


    def mean(x, mask, m):
        n = mask.sum()
        ok = positive(m)
        return x / n if ok else x
    """
    assert places(source) == ["n"]


def test_a_running_total_does_not_tell_of_what_was_added_last() -> None:
    source = """\
    def mean(x, masks, mask):
        total = sum(m.sum() for m in masks)
        total += mask.sum()
        return x / mask.sum() if total > 0 else x
    """
    assert places(source) == ["mask.sum()"]
