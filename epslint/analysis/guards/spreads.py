"""Spreads: tests which say that not all elements of something are equal: its spread is not 0.

`x.max() > x.min() + 0.1`, `x.max() - x.min() > 0`, `np.ptp(x) > 0`, `len(set(x)) > 1`,
`not all(r == x[0] for r in x)`.
"""

from __future__ import annotations

from epslint.analysis import bare
from epslint.analysis.keys import called, key_of
from epslint.analysis.words.operators import Comparing, operator_of

_APART = (bare.GreaterThan, bare.NotEqual)
_MEASURING = frozenset({"ptp", "std", "var", "nanstd", "nanvar"})
_NUMBERING = frozenset({"len", "numel", "nelement"})
_DISTINCT = frozenset({"set", "unique"})


def apart(
    left: bare.BaseExpression, holding: Comparing, right: bare.BaseExpression
) -> bare.BaseExpression | None:
    """x of `x.max() > x.min() + 0.1`, and of `len(set(x)) != 1`."""
    if holding in _APART and isinstance(right, bare.Integer) and right.value == "1":
        return _numbered(left)
    base = _beside_margin(right)
    if holding in _APART or (holding is bare.GreaterThanEqual and base is not right):
        return _between(left, base)
    return None


def stretched(node: bare.BaseExpression) -> bare.BaseExpression | None:
    """x of `x.max() - x.min()`, of `np.ptp(x)` and of `x.var()`, which are above 0."""
    if isinstance(node, bare.Call) and called(node) in _MEASURING:
        return _subject(node)
    if isinstance(node, bare.BinaryOperation) and type(node.operator) is bare.Subtract:
        return _between(node.left, node.right)
    return None


def alike(test: bare.BaseExpression) -> bare.BaseExpression | None:
    """x of `x == x[0]` and of `r == x[0] for r in x`: what would make all of them equal."""
    if isinstance(test, bare.GeneratorExp):
        loop = test.for_in
        plain = not (loop.ifs or loop.inner_for_in)
        each = {key_of(loop.target)} if plain else set()
        return loop.iter if _is_compared_with_first(test.elt, each, key_of(loop.iter)) else None
    if not isinstance(test, bare.Comparison):
        return None
    whole = key_of(test.left)
    return test.left if _is_compared_with_first(test, {whole}, whole) else None


def _is_compared_with_first(
    test: bare.BaseExpression, each: set[str | None], whole: str | None
) -> bool:
    if (
        not isinstance(test, bare.Comparison)
        or operator_of(test) is not bare.Equal
        or whole is None
    ):
        return False
    first = test.comparisons[0].comparator
    element = isinstance(first, bare.Subscript) and key_of(first.value) == whole
    return element and key_of(test.left) in each


def _between(
    largest: bare.BaseExpression, least: bare.BaseExpression
) -> bare.BaseExpression | None:
    """What both are extremes of."""
    high, low = _extreme(largest, "max"), _extreme(least, "min")
    if high is None or low is None or key_of(high) is None:
        return None
    return high if key_of(high) == key_of(low) else None


def _extreme(node: bare.BaseExpression, which: str) -> bare.BaseExpression | None:
    if not isinstance(node, bare.Call):
        return None
    if called(node) in ("item", "float") and (inner := _subject(node)) is not None:
        return _extreme(inner, which)
    return _subject(node) if called(node) in (which, f"a{which}", f"reduce_{which}") else None


def _numbered(node: bare.BaseExpression) -> bare.BaseExpression | None:
    """x of `len(set(x))` and of `torch.unique(x).numel()`."""
    inner = _subject(node) if isinstance(node, bare.Call) and called(node) in _NUMBERING else None
    return _subject(inner) if isinstance(inner, bare.Call) and called(inner) in _DISTINCT else None


def _beside_margin(node: bare.BaseExpression) -> bare.BaseExpression:
    """y of `y + 0.1`."""
    if isinstance(node, bare.BinaryOperation) and type(node.operator) is bare.Add:
        return node.left if isinstance(node.left, bare.Call) else node.right
    return node


def _subject(node: bare.Call) -> bare.BaseExpression | None:
    """What the whole of a call is about: the only argument of a function, or who has the method.
    `x.max(1)` is about rows.
    """
    if not node.args and isinstance(node.func, bare.Attribute):
        return node.func.value
    if len(node.args) != 1 or node.args[0].keyword is not None:
        return None
    given = node.args[0].value
    return None if isinstance(given, bare.Integer | bare.UnaryOperation) else given
