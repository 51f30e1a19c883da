"""Glances: nothing in a tree stops them, and nothing that matters escapes them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from epslint.glance import descend, walk

EVERYTHING = '''
@decorated
async def f(a, /, b: int = 1, *c, d=2, **e) -> int:
    """Text."""
    global g
    nonlocal_ = lambda x, *y, z=1, **w: (yield x)
    async for i in a: continue
    async with a as (b, *c), d: await e
    while a: break
    else: pass
    try: raise a from b
    except A as e: del a[0]
    except (B, C): pass
    else: assert a, b
    finally: return f"{a!r:>{b}} {{}}"

class A(B, metaclass=C):
    x: int
    y: float = 1j
    z += 1; z -= b"b" @ ...

import a.b as c
from . import *
for a[1:2:3, ...], (b.c, *d) in e: pass
[a for b in c if d if e]; {a: b for c in d}; {a for b in c}; (a async for b in c)
{**a, "b": 1}; {1, *a}; f(*a, b=1, **c); (a := 1); a if b else c; not a; a and b or c; a < b <= c
match x:
    case True | None | -1.5 | "a": pass
    case {"a": 1, **rest} if y: pass
    case [a, *b] | (c, *_): pass
    case A(1, b=2) as c: pass
    case A.b: pass
    case _: pass
'''
UNSEEN = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.alias)
LIBRARY = Path(ast.__file__).parent


def visited(tree: ast.AST) -> tuple[set[int], set[int]]:
    seen = {id(node) for node in descend(tree) if node is not None}
    return seen, {id(node) for node in ast.walk(tree) if not isinstance(node, UNSEEN)}


def test_a_walk_is_in_breadth_as_by_ast() -> None:
    tree = ast.parse(EVERYTHING)
    assert walk(tree) == [node for node in ast.walk(tree) if not isinstance(node, UNSEEN)]


def test_every_kind_of_node_is_entered() -> None:
    seen, there = visited(ast.parse(EVERYTHING))
    assert seen == there


@pytest.mark.parametrize("name", ["ast.py", "typing.py", "asyncio/base_events.py"])
def test_the_whole_of_a_file_is_seen(name: str) -> None:
    seen, there = visited(ast.parse((LIBRARY / name).read_text(encoding="utf-8")))
    assert seen == there


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are Python 3.12's")
def test_type_parameters_are_entered() -> None:
    seen, there = visited(ast.parse("def f[T: int, *A, **P](): ...\ntype X[T] = list[T]\n"))
    assert seen == there
