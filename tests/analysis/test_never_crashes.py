"""Whatever the code: an answer, never an exception, and fixes that change nothing else.

`slow`: the whole of the sampled packages; the default run takes a handful of files from each.
"""

from __future__ import annotations

import ast
import functools
import operator
import random
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epslint import api
from epslint.analysis import facts
from epslint.analysis.words.full_names import BUILTINS, EXACT
from epslint.analysis.words.spellings import SPELLINGS
from epslint.epsilon import spelled
from epslint.outcome import Repair
from epslint.source import Source
from tests.analysis.probe import CONFIG

# -- a small grammar of numeric code -----------------------------------------------------------

NAMES = st.sampled_from(["x", "y", "n", "mask", "probs", "logits", "std", "eps", "self.n", "items"])
TARGETS = st.sampled_from(
    ["x", "y", "n", "a, b", "self.n", "x[0]", "n[n == 0]", "x['k']", "(a, *b)"]
)
NUMBERS = st.sampled_from(["0", "1", "-1", "2.5", "1e-8", "0.0", "1e400", "10**3", "True", "None"])
BINARY = st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "<<"])
COMPARE = st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "is", "not in"])
CALLS = st.sampled_from(
    [
        "torch.sum({})",
        "{}.sum()",
        "{}.std(dim=-1)",
        "torch.where({},",
        "{},",
        "{})",
        "{}.clamp(min={})",
        "max({},",
        "{})",
        "len({})",
        "np.maximum({},",
        "{})",
        "torch.exp({})",
        "{}.log()",
        "F.softmax({},",
        "-1)",
        "abs({})",
        "helper({})",
        "torch.div({},",
        "{})",
        "{}.div_({})",
        "{}.masked_fill({},",
        "{})",
        "torch.nan_to_num({})",
        "{}.mean().item()",
        "{}.var(unbiased=False)",
        "{}.norm(dim=-1,keepdim=True)",
        "sum({})",
        "math.sqrt({})",
        "{}.to({})",
        "print(*{})",
        "{}.max(dim=1)[0]",
        "np.divide({},{},where={})",
        "{}.float()",
        "range({})",
        "sorted({},key={})",
        "f(**{})",
    ]
)


@st.composite
def filled(draw: st.DrawFn, template: str, parts: st.SearchStrategy[str]) -> str:
    return template.format(*(f"({draw(parts)})" for _ in range(template.count("{}"))))


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("({} {} {})".format, inner, BINARY, inner),
        st.builds("{} / {}".format, inner.map(lambda e: f"({e})"), inner.map(lambda e: f"({e})")),
        st.builds("({} {} {})".format, inner, COMPARE, inner),
        CALLS.flatmap(lambda template: filled(template, inner)),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("({} and {} or not {})".format, inner, inner, inner),
        st.builds("[{} for n in {} if {}]".format, inner, inner, inner),
        st.builds("({})[{}]".format, inner, inner),
        st.builds("({})[{}:, None]".format, inner, inner),
        st.builds("(lambda n, k=1: {})".format, inner),
        st.builds("(k := {})".format, inner),
        st.builds("-({})".format, inner),
        st.builds("({}, {},)".format, inner, inner),
        st.builds("{{'k': {}, **({})}}".format, inner, inner),
        st.builds("f'{{({})}}'".format, NAMES.filter(lambda n: "'" not in n)),
        st.builds("(  {}  # comment\n)".format, inner),
    )


EXPRESSIONS = st.recursive(NAMES | NUMBERS, compound, max_leaves=6)
SIMPLE = st.one_of(
    st.builds("{} = {}".format, TARGETS, EXPRESSIONS),
    st.builds("{} {}= {}".format, NAMES, st.sampled_from(["+", "-", "*", "/", "//"]), EXPRESSIONS),
    st.builds("n: int = {}".format, EXPRESSIONS),
    st.builds("return {}".format, EXPRESSIONS),
    st.builds("assert {}, {}".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("del x[{}]".format, EXPRESSIONS),
    st.builds("raise ValueError({})".format, EXPRESSIONS),
    st.sampled_from(["pass", "return", "global x", "import torch as th", "n.clamp_(min=1)"]),
)
HEADS = st.one_of(
    st.builds("if {}:".format, EXPRESSIONS),
    st.builds("while {}:".format, EXPRESSIONS),
    st.builds("for {} in {}:".format, st.sampled_from(["n", "a, b", "x[0]"]), EXPRESSIONS),
    st.builds("with {} as n:".format, EXPRESSIONS),
    st.sampled_from(["with torch.no_grad():", "with np.errstate(divide='ignore'):", "def g(n):"]),
    st.sampled_from(["class C:", "for n in x:", "while True:", "async def h(*n):"]),
)


def flattened(parts: list[list[str]]) -> list[str]:
    return [line for lines in parts for line in lines]


def indented(lines: list[str]) -> list[str]:
    """Deeper by one level, comments inside expressions included."""
    return [f"    {line}" for text in lines for line in text.split("\n")]


def blocks(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    bodies: st.SearchStrategy[list[str]] = st.lists(inner, min_size=1, max_size=3).map(
        lambda parts: functools.reduce(operator.iadd, parts, [])
    )
    return st.one_of(
        st.builds(lambda head, body: [head, *indented(body)], HEADS, bodies),
        st.builds(
            lambda test, body, other: [f"if {test}:", *indented(body), "else:", *indented(other)],
            EXPRESSIONS,
            bodies,
            bodies,
        ),
        st.builds(
            lambda body, other: [
                "try:",
                *indented(body),
                "except ZeroDivisionError as e:",
                *indented(other),
                "finally:",
                "    pass",
            ],
            bodies,
            bodies,
        ),
        st.builds(
            lambda subject, value, body, other: [
                f"match {subject}:",
                f"    case {value}:",
                *indented(indented(body)),
                "    case [n, *k] if n:",
                *indented(indented(other)),
            ],
            EXPRESSIONS,
            st.sampled_from(["0", "1.5", "_", "{'k': n}"]),
            bodies,
            bodies,
        ),
    )


STATEMENTS = st.recursive(SIMPLE.map(lambda line: line.split("\n")), blocks, max_leaves=5)
HEAD = """\
import math
import numpy as np
import torch
import torch.nn.functional as F

EPS = 1e-8


def helper(n):
    if n is None:
        return helper(n)
    return n.sum()


class A:
    def __init__(self):
        self.n = 0
"""


def is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


PROGRAMS = (
    st.lists(STATEMENTS, min_size=1, max_size=4)
    .map(lambda parts: functools.reduce(operator.iadd, parts, []))
    .map(
        lambda body: (
            HEAD
            + "\n    async def f(self, x, y, n, mask, items, eps=1e-6):\n"
            + "\n".join(indented(indented(body)))
            + "\n"
        )
    )
    .filter(is_python)
)

# -- what must hold ----------------------------------------------------------------------------


class Unguarded(ast.NodeTransformer):
    """Takes the guards of division fixes off: `n + eps`, `max(n, 1)` and `x.clamp(min=eps)` become
    `n` and `x`.
    """

    EPSILONS = frozenset({1e-4, 1e-6, 1e-8, 1e-9})

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add) and self._is_epsilon(node.right):
            return node.left
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = ast.unparse(node.func)
        if called == "max" and len(node.args) == 2 and self._is_floor(node.args[1]):
            return node.args[0]
        floors = [k.value for k in node.keywords if k.arg == "min"]
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "clamp":
            return node
        alone = len(floors) == len(node.keywords) == 1 and not node.args
        return node.func.value if alone and self._is_floor(floors[0]) else node

    def _is_floor(self, node: ast.expr) -> bool:
        return ast.unparse(node) == "1" or self._is_epsilon(node)

    def _is_epsilon(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return node.value in self.EPSILONS
        return ast.unparse(node) in ("eps", "self.eps", "EPS")


def without_guards(text: str) -> str:
    return ast.dump(Unguarded().visit(ast.parse(text)))


def check(text: str, filename: str = "a.py") -> Repair:
    """All that holds of every file."""
    found = api.check_source(text, filename)
    assert not found.failures, found.failures
    repair = api.fix_source(text, filename, CONFIG)
    assert not repair.report.failures, repair.report.failures
    after = repair.after.text
    ast.parse(after)
    assert without_guards(after) == without_guards(text), "a fix changed more than it should"
    again = api.fix_source(after, filename, CONFIG)
    assert again.after.text == after, "fixing twice is not fixing once"
    everything = api.fix_source(text, filename, unsafe=True)
    assert not everything.report.failures, everything.report.failures
    ast.parse(everything.after.text)
    return repair


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(PROGRAMS)
def test_generated_programs(program: str) -> None:
    check(program)
    facts(Source("a.py", program))


@pytest.mark.slow
@settings(
    max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(PROGRAMS)
def test_many_generated_programs(program: str) -> None:
    check(program)
    facts(Source("a.py", program))


@pytest.mark.parametrize("index", ["1e400", "-1e400", "0.5", "True", "None", "10**3"])
def test_odd_indices(index: str) -> None:
    check(f"def f(x, mask):\n    pair = (1, mask.sum())\n    return x / pair[{index}]\n")


def test_a_strangers_array_of_which_some_is_overwritten() -> None:
    body = "y = ma.array([x.sum()], mask=True)\n    y[m > 0] = 1\n    return x / y\n"
    check(f"def f(ma, x, m):\n    {body}")


SPELLED = sorted({*BUILTINS, *(f"torch.{name}" for name in SPELLINGS)} | EXACT.keys())


@pytest.mark.parametrize("arguments", ["", "*x", "**x", "x, *x", "dim=0"])
@pytest.mark.parametrize("part", range(8))
def test_every_operation_with_odd_arguments(part: int, arguments: str) -> None:
    """`tuple()` is no operation of anything, and `torch.sum(*x)` of nobody knows what."""
    modules = {name.partition(".")[0] for name in EXACT}
    head = "".join(f"import {name}\n" for name in sorted(modules | {"torch"}))
    body = (
        "    n = {name}({arguments})\n"
        "    y = x / (x + n) + n * (n == 0) + torch.log(n) - n.sum()\n"
        "    x[n > 0] = torch.where(n > 0, x / n, n)\n"
        "    if n > 0 and not n: x = x / n / n.sum()\n"
    )
    for name in SPELLED[part::8]:
        text = f"{head}def f(x, mask):\n{body.format(name=name, arguments=arguments)}    return x\n"
        repair = api.fix_source(text, "a.py", unsafe=True)
        assert not repair.report.failures, (name, repair.report.failures)
        ast.parse(repair.after.text)


def test_the_generator_makes_hazards() -> None:
    """A generator of harmless code would prove nothing."""
    hazards = "x / mask.sum() / (x / len([i for i in x if i]))"
    text = f"{HEAD}\n    def f(self, x, mask):\n        return {hazards}\n"
    repair = check(text)
    assert len(repair.applied) == 2
    assert spelled(1e-8) in repair.after.text or "EPS" in repair.after.text


# -- real code ---------------------------------------------------------------------------------


def files_of(module: str | None, most: int) -> list[Path]:
    assert module is not None
    found = sorted(Path(module).parent.rglob("*.py"))
    small = [path for path in found if path.stat().st_size < 20_000]
    return random.Random(0).sample(small, min(most, len(small)))


def readable(path: Path) -> str | None:
    text = path.read_bytes().decode("utf-8", errors="replace")
    return text if is_python(text) else None


PACKAGES = {"numpy": np.__file__, "torch": torch.__file__}
FEW = [path for module in PACKAGES.values() for path in files_of(module, 12)]
MANY = [path for module in PACKAGES.values() for path in files_of(module, 250)]


@pytest.mark.parametrize("path", FEW, ids=lambda path: "/".join(path.parts[-2:]))
def test_installed_code(path: Path) -> None:
    if (text := readable(path)) is not None:
        check(text, str(path))


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_much_installed_code(package: str) -> None:
    root = Path(str(PACKAGES[package])).parent
    chosen = [path for path in MANY if root in path.parents]
    assert chosen
    for path in chosen:
        if (text := readable(path)) is not None:
            check(text, str(path))


def test_an_attribute_that_is_made_of_itself() -> None:
    text = """
class Options:
    def finalize(self):
        self.jobs = int(self.jobs)

    def share(self, x):
        if self.jobs:
            return x / self.jobs
        return x / (self.jobs > 0).sum()
"""
    assert not api.check_source(text).failures


def test_a_division_by_several_things() -> None:
    method = "    def f(self, x):\n        x /= (x, self.n,)\n        self.n = x\n"
    check(f"class Mean:\n    def __init__(self):\n        self.n = 0\n\n{method}")


def test_a_product_that_has_a_name_of_its_own() -> None:
    product = "tf.multiply({}, {}, name='{}')"
    weighed = " + ".join((product.format("p", "y", "a"), product.format("1 - p", "1 - y", "b")))
    check(f"import tensorflow as tf\n\n\ndef f(p, y):\n    return tf.log({weighed})\n")
