"""Purpose: what a file is for, by its name and its imports. A training loop, a test, a world."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# Libraries that compute with numbers and keep no gradients, and those that do.
_PLAIN = frozenset({"numpy", "scipy", "math", "statistics", "pandas", "cupy", "sklearn"})
_DIFFERENTIATING = re.compile(
    r"^(torch\w*|functorch|pytorch_\w+|lightning|jax\w*|flax|haiku|optax|equinox|tensorflow\w*|keras|"
    r"autograd|mxnet|paddle|theano|pyro|numpyro|gpytorch|botorch|triton|tinygrad|chainer)$"
)

# Files that watch what others learn. The name of the file alone: folders are anybody's.
_UNLEARNED = re.compile(
    r"(^|[/\\])(test_\w*|\w*_tests?|conftest|(\w*_)?(metrics|eval|benchmark|diagnostics)|"
    r"(eval|benchmark)_\w*|evaluate|evaluation)\.py$"
)

_REHEARSAL = re.compile(
    r"(^|[/\\])(test_\w*|\w*_tests?|conftest|(\w*_)?benchmark(_\w*)?)\.py$|"
    # Near by: further up they are anybody's.
    r"(^|[/\\])(tutorials?|exercises?|tests)[/\\]([^/\\]+[/\\]){0,2}[^/\\]+$"
)

# The worlds that agents act in: their geometry is their author's, and nobody learns in there. But
# wrappers normalise what goes into a loss. Near by: further up, `envs` is where conda keeps Python.
_WORLD = re.compile(
    r"(^|[/\\])(env(s|ironments?)?|actuators?|sensors?|terrains?|scenarios?|simulat(ors?|ions?))[/\\]"
    r"(?!.*(wrapper|vec_|normali[sz]))([^/\\]+[/\\]){0,2}[^/\\]+$|"
    r"(^|[/\\])(?!\w*(wrapper|vec_|normali[sz]|train|test|run_|eval))\w+_env\.py$"
)

# What draws for people to look at. Near by, too; neural renderers are called otherwise.
_DRAWING = re.compile(
    r"(^|[/\\])(vi[sz]|plot(s|ting)?|visuali[sz](ation|er|ers)?)[/\\][^/\\]+$|"
    r"(^|[/\\])((\w*_)?(plot(s|ting|ter)?|visuali[sz](e|er|ation)|rendering)|plot_\w+)\.py$"
)

# And what makes a world by what it does: it is reset, and takes an action.
_RESET = re.compile(r"^\s+def reset\(", re.MULTILINE)
_STEP = re.compile(r"^\s+def step\(\s*self,\s*(\w+[^,()]*,\s*)?actions?\b[^()]*\)", re.MULTILINE)

_WRAPS = re.compile(r"^class [^\n]*(wrapper|normali[sz]|vec_?env)", re.IGNORECASE | re.MULTILINE)

_LEARNS = re.compile(r"\.backward\(|\bvalue_and_grad\(|\bjax\.grad\(|\.gradient\(")

# A metric is there for anybody's data, whichever library it is written with.
_METRIC = re.compile(r"(^|[/\\])(\w*_)?metrics?(_\w*)?([/\\]\w+)?\.py$")

# The switches that make float64 the usual type of what is not told its own.
_DOUBLE = re.compile(
    r"^[^#\n]*("
    r"\bset_default_dtype\(\s*(d\s*=\s*)?torch\.(float64|double)\b|"
    r"\bset_default_tensor_type\(\s*(t\s*=\s*)?[\"']?torch\.(cuda\.)?DoubleTensor\b|"
    r"\bconfig\.update\(\s*[\"']jax_enable_x64[\"'],\s*True\b|"
    r"\bset_floatx\(\s*[\"']float64[\"'])",
    re.MULTILINE,
)
_SWITCHES = ("set_default_", "jax_enable_x64", "set_floatx")

# Who solves for a step by conjugate gradients has a trust region, and tries the step; and so does
# who goes back from one that was too long.
_TRUSTING = re.compile(r"conjugate_?grad|back_?track(ing)?[_ ]", re.IGNORECASE)


def tries_its_steps(text: str) -> bool:
    """Whether a file takes only steps within a trust region that it has tried."""
    return _TRUSTING.search(text) is not None


def computes_in_double(text: str) -> bool:
    """Whether a file makes float64 the usual type: an exp of 700 is finite there."""
    return any(word in text for word in _SWITCHES) and _DOUBLE.search(text) is not None


def rehearses(filename: str) -> bool:
    """Whether a file tries things out on made-up numbers, and fails at once where they are not
    finite.
    """
    return _REHEARSAL.search(filename) is not None


def differentiates(imports: Mapping[str, str], filename: str, text: str = "") -> bool:
    """Whether something can learn in a file: not in a test, an evaluation or an environment, nor
    with numpy only.
    """
    if _UNLEARNED.search(filename) or _is_world(filename, text) or draws(filename, text):
        return False
    roots = _roots(imports)
    return not roots & _PLAIN or _keeps_gradients(roots)


def trains(imports: Mapping[str, str], filename: str, text: str = "") -> bool:
    """Whether what a file computes may be on its way into a loss, or measure one."""
    if _is_world(filename, text):
        return False
    roots = _roots(imports)
    # `math` is imported beside anything.
    return not roots & (_PLAIN - {"math"}) or _keeps_gradients(roots) or _is_metric(filename)


def _is_world(filename: str, text: str) -> bool:
    """By its place, or by what it does; but where a gradient is taken somebody learns."""
    return (_WORLD.search(filename) is not None or _acts(text)) and _LEARNS.search(text) is None


def draws(filename: str, text: str) -> bool:
    """Whether a file is there to draw what others compute, and no gradient is taken in it."""
    return _DRAWING.search(filename) is not None and _LEARNS.search(text) is None


def _acts(text: str) -> bool:
    """Whether something is reset and takes actions. Who is told of rewards is an agent."""
    if "def reset(" not in text or "def step(" not in text:
        return False  # at once, of nearly every file
    step = _STEP.search(text) if _RESET.search(text) else None
    return step is not None and "reward" not in step.group() and _WRAPS.search(text) is None


def _roots(imports: Mapping[str, str]) -> set[str]:
    return {full.partition(".")[0] for full in imports.values()}


def _keeps_gradients(roots: Iterable[str]) -> bool:
    return any(_DIFFERENTIATING.match(root) for root in roots)


def _is_metric(filename: str) -> bool:
    return _METRIC.search(filename) is not None
