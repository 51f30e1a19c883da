"""The code of a proof: a fixture or an example, cut to one function, fixed, and made to run."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from epslint import api, docs, registry
from epslint.config import Config

FIXTURES = Path(__file__).parents[2] / "fixtures"

Namespace = dict[str, object]


@cache
def example(code: str) -> str:
    """The code under the heading Example of a rule's documentation."""
    rule = registry.load().find(code)
    assert rule is not None, f"no installed rule has the code {code}"
    return docs.documentation(rule).code("Example")[0]


@cache
def fixture(code: str, name: str) -> str:
    return (FIXTURES / code / f"{name}.py").read_text(encoding="utf-8")


@cache
def fixed(code: str, text: str, *, alone: bool = True) -> str:
    """The code after `--fix --unsafe-fixes` of this rule; other rules look on, if not `alone`."""
    table = {
        "select" if alone else "extend-select": [code],
        "fixable": [code],
        "preview": True,
        "confidence": "unlikely",
    }
    repair = api.fix_source(text, f"<{code}>", Config().overlaid(table, "the proof"), unsafe=True)
    assert not repair.report.failures, repair.report.failures
    return repair.after.text


def alone(text: str, function: str) -> str:
    """What a module needs for one of its functions: the imports, and what the function names."""
    body = ast.parse(text).body
    named = {name: node for node in body for name in _defined(node)}
    kept: set[ast.stmt] = {n for n in body if isinstance(n, ast.Import | ast.ImportFrom)}
    wanted = [function]
    while wanted:
        node = named.get(wanted.pop())
        if node is not None and node not in kept:
            kept.add(node)
            wanted.extend(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    assert function in named, f"there is no function {function}"
    lines = text.splitlines()
    return "\n".join(_text(lines, node) for node in body if node in kept) + "\n"


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _text(lines: list[str], node: ast.stmt) -> str:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(lines[first - 1 : node.end_lineno])


def declared(text: str, function: str, positions: Iterable[int], cast: str) -> str:
    """The same function, and its first lines say what dtype these parameters have."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    node = next(node for node in functions if node.name == function)
    first, names = node.body[0], [argument.arg for argument in node.args.args]
    indent = " " * first.col_offset
    casts = [f"{indent}{names[i]} = {names[i]}{cast}" for i in positions]
    lines = text.splitlines()
    return "\n".join([*lines[: first.lineno - 1], *casts, *lines[first.lineno - 1 :]]) + "\n"


def loaded(text: str, driver: str = "") -> Namespace:
    """The names of a module after it ran; imports of libraries that are not installed are left out.

    `driver` runs after it: code that calls what cannot be called as a function.
    """
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if not _is_absent(node)]
    names: Namespace = {"__name__": "proof"}
    for code in (compile(tree, "<proof>", "exec"), compile(driver, "<driver>", "exec")):
        exec(code, names)
    return names


def _is_absent(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import):
        return any(not _is_installed(item.name) for item in node.names)
    return isinstance(node, ast.ImportFrom) and not _is_installed(node.module or "")


@cache
def _is_installed(dotted: str) -> bool:
    return importlib.util.find_spec(dotted.partition(".")[0]) is not None
