"""Statements: what each of them does to what is known, and that none of them costs too much."""

from __future__ import annotations

import time
from collections.abc import Callable
from textwrap import indent

import pytest

from epslint import api
from epslint.analysis.interpreter.expressions import Expressions
from tests.analysis.probe import CONFIG, codes, function, places

FLAGGED, SILENT = True, False

# -- statements --------------------------------------------------------------------------------

STATEMENTS: list[tuple[str, str, bool]] = [
    # accumulation
    ("loader", "n = 0\nfor b in loader:\n    n += len(b)\nreturn x / n", SILENT),
    ("masks", "n = 0\nfor b in loader:\n    n += mask.sum()\nreturn x / n", FLAGGED),
    ("masks-plain", "n = 0\nfor b in loader:\n    n = n + mask.sum()\nreturn x / n", FLAGGED),
    ("from-one", "n = 1\nfor b in loader:\n    n += mask.sum()\nreturn x / n", SILENT),
    ("from-epsilon", "n = 1e-8\nfor b in loader:\n    n += mask.sum()\nreturn x / n", SILENT),
    ("reset", "n = 1\nfor b in loader:\n    n = mask.sum()\nreturn x / n", FLAGGED),
    ("loop-carried", "n = 1\nfor b in loader:\n    x = x / n\n    n = mask.sum()", FLAGGED),
    (
        "twice-carried",
        "a = n = 1\nfor b in loader:\n    x /= n\n    n = a\n    a = mask.sum()",
        FLAGGED,
    ),
    ("halved", "n = 8.0\nwhile n > 1:\n    x = x / n\n    n = n / 2\nreturn x", SILENT),
    ("counted-down", "for i in range(9):\n    x = x / (i + 1)\nreturn x", SILENT),
    ("enumerate", "for i, b in enumerate(loader, 1):\n    x = x / i", SILENT),
    ("nested-loops", "for a in x:\n    for b in a:\n        y = b / mask.sum()", FLAGGED),
    ("for-else", "for a in x:\n    pass\nelse:\n    y = x / mask.sum()", FLAGGED),
    ("while-body", "while x:\n    y = x / mask.sum()", FLAGGED),
    ("after-return", "return x\ny = x / mask.sum()", SILENT),
    ("after-raise", "raise x\ny = x / mask.sum()", SILENT),
    ("after-continue", "for a in x:\n    continue\n    y = x / mask.sum()", SILENT),
    ("after-forever", "while True:\n    y = 1\nreturn x / mask.sum()", SILENT),
    # comprehensions, lambdas, inner functions and classes
    ("list", "return [a / mask.sum() for a in x]", FLAGGED),
    ("set", "return {a / mask.sum() for a in x}", FLAGGED),
    ("dict-value", "return {a: a / mask.sum() for a in x}", FLAGGED),
    ("dict-key", "return {a / mask.sum(): a for a in x}", FLAGGED),
    ("generator", "return sum(a / mask.sum() for a in x)", FLAGGED),
    ("condition", "return [a for a in x if loader(a / mask.sum())]", FLAGGED),
    ("source", "return [a for a in x / mask.sum()]", FLAGGED),
    ("nested", "return [[b / mask.sum() for b in a] for a in x]", FLAGGED),
    ("two-fors", "return [b / mask.sum() for a in x for b in a]", FLAGGED),
    ("own-variable", "return [a / mask for mask in (1, 2) for a in x]", SILENT),
    ("of-counts", "return [1 / n for n in [m.sum() for m in (mask, mask)]]", FLAGGED),
    ("lambda", "return lambda a: a / mask.sum()", FLAGGED),
    ("lambda-argument", "n = mask.sum()\nreturn lambda n=1: x / n", SILENT),
    ("lambda-called", "count = lambda m: m.sum()\nreturn x / count(mask)", FLAGGED),
    ("lambda-guarded", "count = lambda m: m.sum() + 1\nreturn x / count(mask)", SILENT),
    ("function", "def g(a):\n    return a / mask.sum()\nreturn g", FLAGGED),
    ("function-called", "def g(m):\n    return m.sum()\nreturn x / g(mask)", FLAGGED),
    ("closure", "n = mask.sum()\ndef g(a):\n    return a / n\nreturn g", FLAGGED),
    ("closure-guarded", "n = mask.sum() + 1\ndef g(a):\n    return a / n\nreturn g", SILENT),
    ("decorated", "@cache\ndef g(a):\n    return a / mask.sum()\nreturn g", FLAGGED),
    ("class", "class A:\n    def g(self, a):\n        return a / mask.sum()\nreturn A", FLAGGED),
    ("class-body", "class A:\n    y = x / mask.sum()\nreturn A", FLAGGED),
    (
        "class-attribute",
        "class A:\n    def __init__(self):\n        self.n = mask.sum()\n"
        "    def g(self):\n        return 1 / self.n\nreturn A",
        FLAGGED,
    ),
    # assignment
    ("chain", "a = b = mask.sum()\nreturn x / a / b", FLAGGED),
    ("pair", "a, n = 1, mask.sum()\nreturn x / n", FLAGGED),
    ("pair-other", "n, a = 1, mask.sum()\nreturn x / n", SILENT),
    ("swap", "a, n = mask.sum(), 1\na, n = n, a\nreturn x / n", FLAGGED),
    ("swap-back", "a, n = mask.sum(), 1\na, n = n, a\na, n = n, a\nreturn x / n", SILENT),
    ("list-target", "[a, n] = [1, mask.sum()]\nreturn x / n", FLAGGED),
    ("nested-target", "(a, (b, n)) = (1, (2, mask.sum()))\nreturn x / n", FLAGGED),
    ("nested-target-other", "(a, (b, n)) = (mask.sum(), (2, 3))\nreturn x / n", SILENT),
    ("starred", "a, *n = x\nreturn a / mask.sum()", FLAGGED),
    ("through-tuple", "pair = (1, mask.sum())\na, n = pair\nreturn x / n", FLAGGED),
    ("through-tuple-other", "pair = (mask.sum(), 1)\na, n = pair\nreturn x / n", SILENT),
    ("index-of-tuple", "pair = (1, mask.sum())\nreturn x / pair[1]", FLAGGED),
    ("index-of-tuple-other", "pair = (1, mask.sum())\nreturn x / pair[0]", SILENT),
    ("dict-entry", "d = {'n': mask.sum()}\nreturn x / d['n']", FLAGGED),
    ("dict-entry-guarded", "d = {'n': mask.sum() + 1}\nreturn x / d['n']", SILENT),
    ("dict-entry-set", "d = {}\nd['n'] = mask.sum()\nreturn x / d['n']", FLAGGED),
    ("annotated", "n: int = mask.sum()\nreturn x / n", FLAGGED),
    ("annotated-only", "n: int\nreturn x / mask.sum()", FLAGGED),
    ("augmented", "n = mask.sum()\nn += 1\nreturn x / n", SILENT),
    ("augmented-zero", "n = mask.sum()\nn += 0\nreturn x / n", FLAGGED),
    ("augmented-times", "n = mask.sum()\nn *= 2\nreturn x / n", FLAGGED),
    ("augmented-attribute", "x.n = mask.sum()\nx.n += 1\nreturn 1 / x.n", SILENT),
    ("attribute", "x.n = mask.sum()\nreturn 1 / x.n", FLAGGED),
    ("attribute-of-new", "x.n = mask.sum()\nx = make()\nreturn 1 / x.n", SILENT),
    ("walrus", "return x / (n := mask.sum())", FLAGGED),
    ("walrus-later", "y = (n := mask.sum())\nreturn x / n", FLAGGED),
    ("walrus-in-comprehension", "y = [n := mask.sum() for a in x]\nreturn x / n", FLAGGED),
    ("deleted", "n = mask.sum()\ndel n\nn = 1\nreturn x / n", SILENT),
    ("global", "global n\nn = mask.sum()\nreturn x / n", FLAGGED),
    # blocks
    ("with", "with x as y:\n    n = mask.sum()\nreturn x / n", FLAGGED),
    ("with-expression", "with x / mask.sum() as y:\n    pass", FLAGGED),
    ("try", "try:\n    n = mask.sum()\nexcept KeyError:\n    n = 1\nreturn x / n", FLAGGED),
    (
        "try-guarded",
        "try:\n    n = mask.sum() + 1\nexcept KeyError:\n    n = 2\nreturn x / n",
        SILENT,
    ),
    ("handler", "try:\n    n = 1\nexcept KeyError:\n    n = mask.sum()\nreturn x / n", FLAGGED),
    ("handler-leaves", "try:\n    n = 1\nexcept KeyError:\n    return 0\nreturn x / n", SILENT),
    ("finally", "try:\n    n = 1\nfinally:\n    n = mask.sum()\nreturn x / n", FLAGGED),
    (
        "try-else",
        "try:\n    n = 1\nexcept KeyError:\n    n = 2\nelse:\n    n = mask.sum()\nx / n",
        FLAGGED,
    ),
    (
        "match",
        "match x:\n    case 1:\n        n = mask.sum()\n    case _:\n        n = 1\nx / n",
        FLAGGED,
    ),
    (
        "match-all",
        "match x:\n    case 1:\n        n = 2\n    case _:\n        n = 1\nx / n",
        SILENT,
    ),
    ("match-subject", "match x / mask.sum():\n    case _:\n        pass", FLAGGED),
    ("if-expression", "if loader(x / mask.sum()):\n    pass", FLAGGED),
    ("while-expression", "while loader(x / mask.sum()):\n    pass", FLAGGED),
    ("assert-expression", "assert loader(x / mask.sum())", FLAGGED),
    ("return-tuple", "return x, x / mask.sum()", FLAGGED),
    ("raise-expression", "raise ValueError(x / mask.sum())", FLAGGED),
    ("delete-element", "del x[y / mask.sum()]", FLAGGED),
    ("f-string", "return f'{x / mask.sum():.3f}'", FLAGGED),
    ("star-argument", "return print(*[x / mask.sum()], **{'a': 1})", FLAGGED),
    ("keyword-argument", "return print(end=x / mask.sum())", FLAGGED),
    ("subscript", "return x[1 / mask.sum()]", FLAGGED),
    ("slice", "return x[1 / mask.sum() :]", FLAGGED),
    ("yield", "yield x / mask.sum()", FLAGGED),
    ("yield-from", "yield from [x / mask.sum()]", FLAGGED),
    ("conditional", "return 1 if x / mask.sum() else 2", FLAGGED),
    ("boolean", "return x or 1 / mask.sum()", FLAGGED),
    ("not", "return not x / mask.sum()", FLAGGED),
    ("comparison", "return 0 < 1 < x / mask.sum()", FLAGGED),
    ("one-line-if", "if x: y = x / mask.sum()", FLAGGED),
]


@pytest.mark.parametrize(
    ("body", "flagged"), [row[1:] for row in STATEMENTS], ids=[r[0] for r in STATEMENTS]
)
def test_statement(body: str, flagged: bool) -> None:
    source = "def f(x, y, mask, loader):\n" + indent(body, "    ") + "\n"
    assert bool(codes(source)) is flagged


def test_async() -> None:
    source = """
    async def f(x, mask):
        async with x as y:
            n = mask.sum()
        async for a in x:
            y = await a / n
        return [b / n async for b in x]
    """
    assert places(source) == ["n", "n"]


def test_module_level_code_and_class_bodies() -> None:
    assert codes("mask = load()\nx = 1 / mask.sum()\n") == ["EPS101"]
    assert codes("class A:\n    x = 1 / mask.sum()\n") == ["EPS101"]
    assert codes("if x:\n    y = 1 / mask.sum()\n") == ["EPS101"]


# -- parameters, constants, attributes ---------------------------------------------------------

SCOPES: list[tuple[str, str, bool]] = [
    ("module-constant", "N = 4\ndef f(x):\n    return x / N\n", SILENT),
    ("module-zero", "N = 0\ndef f(x):\n    return x / N\n", FLAGGED),
    ("module-constant-later", "def f(x):\n    return x / N\nN = 0\n", FLAGGED),
    ("module-two", "N = 0\nN = 3\ndef f(x):\n    return x / N\n", FLAGGED),
    (
        "module-conditional",
        "if a:\n    N = 1\nelse:\n    N = 2\ndef f(x):\n    return x / N\n",
        SILENT,
    ),
    ("local-hides", "N = 0\ndef f(x):\n    N = 2\n    return x / N\n", SILENT),
    ("parameter-hides", "N = 0\ndef f(x, N):\n    return x / N\n", SILENT),
    ("default-epsilon", "def f(x, mask, eps=1e-8):\n    return x / (mask.sum() + eps)\n", SILENT),
    ("default-zero", "def f(x, mask, eps=0.0):\n    return x / (mask.sum() + eps)\n", FLAGGED),
    ("default-positive", "def f(x, steps=10):\n    return x / steps\n", SILENT),
    ("keyword-only", "def f(x, mask, *, eps=1e-8):\n    return x / (mask.sum() + eps)\n", SILENT),
    (
        "positional-only",
        "def f(x, mask, eps=1e-8, /):\n    return x / (mask.sum() + eps)\n",
        SILENT,
    ),
    ("star-args", "def f(*mask, **kwargs):\n    return 1 / kwargs['n']\n", SILENT),
    ("unknown", "def f(x, y):\n    return x / y\n", SILENT),
    ("unknown-call", "def f(x, y):\n    return x / y.compute()\n", SILENT),
    ("named", "def f(rewards, probs):\n    return rewards / probs\n", FLAGGED),
    ("setting", "def f(x, dropout_prob):\n    return x / (1 - dropout_prob)\n", SILENT),
]

METHODS: list[tuple[str, str, bool]] = [
    ("init", "def __init__(self):\n    self._n = 0", FLAGGED),
    ("init-one", "def __init__(self):\n    self._n = 1", SILENT),
    (
        "any-method",
        "def __init__(self):\n    self._n = 1\ndef g(self, m):\n    self._n = (m > 0).sum()",
        FLAGGED,
    ),
    ("class-attribute", "_n = 0", FLAGGED),
    ("class-attribute-positive", "_n = 4", SILENT),
    ("dataclass-field", "_n: int = 8", SILENT),
    ("dataclass-field-zero", "_n: int = 0", FLAGGED),
    ("property", "@property\ndef _n(self):\n    return self.mask.sum()", FLAGGED),
    ("property-guarded", "@property\ndef _n(self):\n    return self.mask.sum() + 1", SILENT),
    ("cached-property", "@cached_property\ndef _n(self):\n    return self.mask.sum()", FLAGGED),
    ("unknown-attribute", "def __init__(self, n):\n    self._n = n", SILENT),
    ("default-of-init", "def __init__(self, n=0.0):\n    self._n = n", SILENT),
    (
        "none-then-count",
        "def __init__(self):\n    self._n = None\ndef g(self, m):\n    self._n = (m > 0).sum()",
        FLAGGED,
    ),
    ("buffer", "def __init__(self):\n    self.register_buffer('_n', torch.zeros(1))", FLAGGED),
    ("buffer-ones", "def __init__(self):\n    self.register_buffer('_n', torch.ones(1))", SILENT),
]


@pytest.mark.parametrize(
    ("source", "flagged"), [row[1:] for row in SCOPES], ids=[r[0] for r in SCOPES]
)
def test_scope(source: str, flagged: bool) -> None:
    assert bool(codes(source)) is flagged


@pytest.mark.parametrize(
    ("members", "flagged"), [row[1:] for row in METHODS], ids=[r[0] for r in METHODS]
)
@pytest.mark.parametrize("inherited", [False, True], ids=["own", "inherited"])
def test_attribute(members: str, flagged: bool, inherited: bool) -> None:
    use = "    def use(self, x):\n        return x / self._n\n"
    owner = f"class A:\n{indent(members, '    ')}\n\n"
    source = (
        f"import torch\n\n\n{owner}\nclass B(A):\n{use}"
        if inherited
        else f"import torch\n\n\n{owner}{use}"
    )
    assert bool(codes(source)) is flagged


def test_what_is_public_and_always_0_here_is_set_by_others() -> None:
    timer = (
        "class Timer:\n    def __init__(self):\n        self.steps = 0\n        self._runs = 0\n\n"
    )
    report = "    def report(self, x):\n        return x / self.{}\n"
    assert not codes(timer + report.format("steps"))
    assert codes(timer + report.format("_runs"))


# -- functions of libraries ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "flagged"),
    [
        pytest.param("count = torch.sum\nreturn x / count(mask)", FLAGGED, id="named"),
        pytest.param("f = torch.sum if x else torch.exp\nreturn x / f(mask)", SILENT, id="either"),
        pytest.param("f = torch.clamp\nreturn x / f(mask.sum(), min=1)", SILENT, id="a guard"),
        pytest.param("f = torch.sum\nf = x\nreturn x / f(mask)", SILENT, id="bound again"),
    ],
)
def test_function_under_another_name(body: str, flagged: bool) -> None:
    assert bool(codes(function(body))) is flagged


# -- helpers -----------------------------------------------------------------------------------

HELPERS: list[tuple[str, str, str, bool]] = [
    ("direct", "def g(m):\n    return m.sum()", "g(mask)", FLAGGED),
    ("guarded", "def g(m):\n    return m.sum().clamp(min=1)", "g(mask)", SILENT),
    ("chain", "def h(m):\n    return m.sum()\ndef g(m):\n    return h(m)", "g(mask)", FLAGGED),
    (
        "two-returns",
        "def g(m):\n    if m:\n        return 1\n    return m.sum()",
        "g(mask)",
        FLAGGED,
    ),
    ("both-positive", "def g(m):\n    if m:\n        return 1\n    return 2", "g(mask)", SILENT),
    ("argument", "def g(n):\n    return n", "g(mask.sum())", FLAGGED),
    ("argument-guarded", "def g(n):\n    return n", "g(mask.sum() + 1)", SILENT),
    ("keyword", "def g(a, n):\n    return n", "g(n=mask.sum(), a=1)", FLAGGED),
    ("keyword-other", "def g(a, n):\n    return a", "g(n=mask.sum(), a=1)", SILENT),
    ("default", "def g(m, eps=1e-8):\n    return m.sum() + eps", "g(mask)", SILENT),
    ("default-given", "def g(m, eps=1e-8):\n    return m.sum() + eps", "g(mask, 0.0)", FLAGGED),
    ("tuple", "def g(m):\n    return 1, m.sum()", "g(mask)[1]", FLAGGED),
    ("tuple-other", "def g(m):\n    return 1, m.sum()", "g(mask)[0]", SILENT),
    ("star", "def g(*m):\n    return m", "g(*mask)", SILENT),
    ("nothing", "def g(m):\n    print(m)", "g(mask)", SILENT),
    ("generator", "def g(m):\n    yield m.sum()", "next(g(mask))", SILENT),
    ("recursion", "def g(m):\n    return g(m) + 1", "g(mask)", SILENT),
    ("recursion-base", "def g(m):\n    return m.sum() if len(m) > 3 else g(m)", "g(mask)", FLAGGED),
    ("mutual", "def g(m):\n    return h(m)\ndef h(m):\n    return g(m)", "g(mask)", SILENT),
    ("defined-later", "", "later(mask)", FLAGGED),
    (
        "staticmethod",
        "class A:\n    @staticmethod\n    def g(m):\n        return m.sum()",
        "A.g(mask)",
        FLAGGED,
    ),
    (
        "classmethod",
        "class A:\n    @classmethod\n    def g(cls, m):\n        return m.sum()",
        "A.g(mask)",
        FLAGGED,
    ),
    ("unknown", "", "stranger(mask)", SILENT),
]


@pytest.mark.parametrize(
    ("helper", "call", "flagged"), [r[1:] for r in HELPERS], ids=[r[0] for r in HELPERS]
)
def test_helper(helper: str, call: str, flagged: bool) -> None:
    later = "def later(m):\n    return m.sum()\n"
    source = f"{helper}\n\n\ndef f(x, mask):\n    return x / {call}\n\n\n{later}"
    assert bool(codes(source)) is flagged


def test_methods_call_each_other() -> None:
    source = """
    class A:
        def count(self, m):
            return m.sum()

        def safe(self, m):
            return self.count(m) + 1

        def f(self, x, mask):
            return x / self.count(mask) + x / self.safe(mask)
    """
    assert places(source) == ["self.count(mask)"]


def test_attributes_of_each_other() -> None:
    source = """
    class A:
        def __init__(self):
            self.a = self.b
            self.b = self.a

        def f(self, x):
            return x / self.a
    """
    assert codes(source) == []


# -- no blow-up --------------------------------------------------------------------------------

# Counted, not timed: expressions evaluated per line of source. Loops are run to a fixed point, so
# each level of nesting may multiply the work by its turns, and nothing else may.
WORK_PER_LINE = 60


def work(monkeypatch: pytest.MonkeyPatch, source: str) -> int:
    """How many expressions are evaluated for a file."""
    count = 0
    original: Callable[..., object] = Expressions.eval

    def counting(*args: object) -> object:
        nonlocal count
        count += 1
        return original(*args)

    monkeypatch.setattr(Expressions, "eval", counting)
    begun = time.monotonic()
    codes(source)
    assert time.monotonic() - begun < 60, "a very generous limit"
    return count


def straight(lines: int) -> str:
    body = "".join(f"    a{i % 50} = a{(i + 7) % 50} / (x.sum() + {i})\n" for i in range(lines))
    return f"def f(x, {', '.join(f'a{i}' for i in range(50))}):\n{body}"


def elifs(count: int) -> str:
    arms = "".join(f"    elif n == {i}:\n        y = x / n\n" for i in range(1, count))
    head = "def f(x, mask):\n    n = mask.sum()\n    if n == 0:\n        y = 0\n"
    return f"{head}{arms}    return x / n\n"


def ifs(count: int) -> str:
    arms = "".join(f"    if n > {i}:\n        y = x / n\n" for i in range(count))
    return f"def f(x, mask):\n    n = mask.sum()\n    y = 0\n{arms}    return y\n"


def chained_helpers(count: int) -> str:
    head = "def g0(m):\n    return m.sum()\n"
    return head + "".join(
        f"def g{i}(m):\n    return g{i - 1}(m) / g{i - 1}(m + 1)\n" for i in range(1, count)
    )


def nested_loops(depth: int) -> str:
    """Each of the loops counts its turns, from the start each time."""
    tabs = ["    " * (i + 1) for i in range(depth + 1)]
    outer = [f"{tabs[i]}n{i} = 0\n{tabs[i]}for i{i} in x:" for i in range(depth)]
    counting = [f"{tabs[i + 1]}n{i} = n{i} + 1" for i in reversed(range(depth))]
    return "\n".join(
        [
            "def f(x, mask):",
            *outer,
            f"{tabs[depth]}x = x / mask.sum()",
            *counting,
            "    return x",
            "",
        ]
    )


def nested_calls(depth: int) -> str:
    return f"def f(x, mask):\n    return {'abs(' * depth}x / mask.sum(){')' * depth}\n"


def nested_where(depth: int) -> str:
    expression = "x / n"
    for i in range(depth):
        expression = f"torch.where(n > {i}, {expression}, y)"
    return f"import torch\n\n\ndef f(x, y, n):\n    return {expression}\n"


def nested_ternaries(depth: int) -> str:
    expression = "x / n"
    for i in range(depth):
        expression = f"({expression} if n > {i} else {i})"
    return f"def f(x, mask):\n    n = mask.sum()\n    return {expression}\n"


def booleans(count: int) -> str:
    return f"def f(x, n):\n    return {' and '.join(f'n > {i}' for i in range(count))} and x / n\n"


def sums(count: int) -> str:
    return f"def f(x, mask):\n    return x / ({' + '.join(['mask.sum()'] * count)})\n"


@pytest.mark.parametrize(
    ("make", "small", "large"),
    [
        (straight, 250, 1000),
        (elifs, 100, 400),
        (ifs, 100, 400),
        (chained_helpers, 25, 100),
        (nested_calls, 10, 40),
        (nested_ternaries, 5, 20),
        (booleans, 20, 80),
        (sums, 20, 80),
    ],
)
def test_four_times_the_code_is_about_four_times_the_work(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[int], str], small: int, large: int
) -> None:
    before = work(monkeypatch, make(small))
    monkeypatch.undo()
    assert work(monkeypatch, make(large)) < 8 * before


def test_nested_loops_add_up_and_do_not_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop met again starts from what it came to before: two turns more, not twice as many."""
    before = work(monkeypatch, nested_loops(4))
    monkeypatch.undo()
    assert work(monkeypatch, nested_loops(8)) < 4 * before


def test_nested_where_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert work(monkeypatch, nested_where(8)) < 50_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(straight(10_000), id="10,000 statements"),
        pytest.param(elifs(1_000), id="1,000 elifs"),
        pytest.param(ifs(3_000), id="3,000 ifs"),
        pytest.param(chained_helpers(200), id="200 chained helpers"),
        pytest.param(nested_loops(6), id="6 nested loops"),
        pytest.param(booleans(500), id="500 ands"),
    ],
)
def test_large_code_takes_seconds(source: str) -> None:
    begun = time.monotonic()
    codes(source)
    assert time.monotonic() - begun < 120


@pytest.mark.slow
def test_elifs_beyond_what_python_reads_are_told_at_once() -> None:
    """Python's own parser may refuse 3,000 elifs; then so do we, in one sentence."""
    begun = time.monotonic()
    found = api.check_source(elifs(3_000), config=CONFIG)
    assert time.monotonic() - begun < 120
    assert all("nested too deeply" in failure.message for failure in found.failures)
    assert len(found.failures) <= 1


def test_the_norm_of_what_is_nowhere_0() -> None:
    assert codes(function("return x / x.clamp(min=1).norm()")) == []
    # Positive by its name is a number; this may be a vector.
    by_name = function("return x / concentration.norm()", params="x, concentration")
    assert codes(by_name) == ["EPS102"]
