"""Coordinates: points that are divided by the last of theirs, and rotations.

`p[..., :-1] / p[..., -1:]` takes a point out of homogeneous coordinates, `p[..., :2] / p[..., 2:3]`
onto the plane of a picture. Nothing is known of p; what it is divided by is 0 for a point at
infinity, or beside the camera.
"""

from __future__ import annotations

from typing import cast

from epslint.analysis import bare
from epslint.analysis.keys import evaluated, key_of, key_of_slice
from epslint.analysis.made.terms import ARRANGING, terms
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin, behind
from epslint.analysis.relations.forms import is_handed

_LAST = -1
_PLANE, _SPACE = 2, 3  # how many coordinates are left of one more
_LEFT = (_LAST, _PLANE, _SPACE)


def is_projected(x: Operand, y: Operand) -> bool:
    """Whether points that were handed over are divided by the last of their coordinates: of those
    that were transformed here it is known what the last one has become.
    """
    depth = _picked(y)
    node = _written(depth)
    if depth is None or node is None or not is_handed(depth.fact("x")):
        return False
    last = node.slice[-1].slice
    if key_of(x.node) == key_of(node.value) is not None:
        return len(node.slice) > 1 and _is_kept(last)
    point = x.node if isinstance(x.node, bare.Subscript) else _written(_picked(x))
    if point is None or not _are_of_one(point, node) or not _is_of_all(node):
        return False
    return _leaves(point.slice[-1].slice, last, alone=len(node.slice) == 1)


def _leaves(others: bare.BaseSlice, last: bare.BaseSlice, *, alone: bool) -> bool:
    """Whether these are all the coordinates but the last."""
    if alone and isinstance(last, bare.Index) and _place(last) == _LAST:
        return False  # a series, over the last of it
    end = _end(others)
    return end in _LEFT and _place(last) in (end, _LAST)


def is_trace(operand: Operand) -> bool:
    """`r[..., 0, 0] + r[..., 1, 1] + r[..., 2, 2]`, and that less a constant: of a rotation."""
    varying = [part.operand for part in terms(operand) if part.operand.fact.constant is None]
    return len(varying) == _SPACE and all(_is_on_diagonal(each.node) for each in varying)


def _is_on_diagonal(node: bare.BaseExpression) -> bool:
    if not isinstance(node, bare.Subscript) or len(node.slice) < _PLANE:
        return False
    row, column = (_place(element.slice) for element in node.slice[-2:])
    return row is not None and row == column


def is_of_coordinates(node: bare.Subscript) -> bool:
    """Whether what is picked may be some coordinates of points."""
    part = node.slice[-1].slice
    return _end(part) in _LEFT or _place(part) in _LEFT


def _picked(operand: Operand) -> Origin | None:
    """Where coordinates were picked: `p[..., 2:]`, under whatever name."""
    origin = behind(operand.fact, ARRANGING)
    picked = origin is not None and origin.op is Op.PICK and isinstance(origin.node, bare.Subscript)
    return origin if picked else None


def _written(picked: Origin | None) -> bare.Subscript | None:
    return None if picked is None else cast(bare.Subscript, picked.node)


def _are_of_one(some: bare.Subscript, others: bare.Subscript) -> bool:
    """Whether these are of the same points: `p[:, i]` and `p[:, j]`."""
    texts = [
        [key_of(each.value), *(key_of_slice(element.slice) for element in each.slice[:-1])]
        for each in (some, others)
    ]
    return None not in texts[0] and texts[0] == texts[1]


def _is_of_all(node: bare.Subscript) -> bool:
    """Whether it is of every point: `stats[0, -1]` is one number in one row."""
    rows = (element.slice for element in node.slice[:-1])
    return not any(isinstance(row, bare.Index) and _number(row.value) is not None for row in rows)


def _end(part: bare.BaseSlice) -> int | None:
    """k of `:k`."""
    if not isinstance(part, bare.Slice) or part.step is not None or part.upper is None:
        return None
    return None if part.lower is not None and _number(part.lower) != 0 else _number(part.upper)


def _is_kept(part: bare.BaseSlice) -> bool:
    """`-1:` and `2:3`: a column of its own, for all the others to be divided by."""
    return isinstance(part, bare.Slice) and _place(part) in (_LAST, _PLANE)


def _place(part: bare.BaseSlice) -> int | None:
    """k of `k`, `k:` and `k:k + 1`."""
    if isinstance(part, bare.Index):
        return _number(part.value)
    if not isinstance(part, bare.Slice) or part.lower is None or part.step is not None:
        return None
    place = _number(part.lower)
    alone = part.upper is None or (place is not None and _number(part.upper) == place + 1)
    return place if alone else None


def _number(node: bare.BaseExpression) -> int | None:
    if isinstance(node, bare.Integer):
        return int(str(evaluated(node.value)))
    if isinstance(node, bare.UnaryOperation) and isinstance(node.operator, bare.Minus):
        inner = _number(node.expression)
        return None if inner is None else -inner
    return None
