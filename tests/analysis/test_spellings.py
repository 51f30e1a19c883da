"""One operation under its many names, and names that are no operation."""

from __future__ import annotations

from collections import Counter

import pytest

from epslint.analysis import analyse
from epslint.analysis.fact import Form
from epslint.analysis.ops import Op
from epslint.analysis.words.full_names import EXACT
from epslint.analysis.words.libraries import NAMESAKES, NAMESPACES, function
from epslint.analysis.words.spellings import SPELLINGS, method
from epslint.source import Source
from tests.analysis.probe import codes


def ops(source: str) -> Counter[Op]:
    return Counter(site.op for site in analyse(Source("a.py", source)))


def op_of(imports: str, expression: str) -> tuple[Op, Form] | None:
    """The operation that an expression of `x` is, and the library that computes it."""
    # A function is read only where it holds something singular: the division is there for that.
    before = f"{imports}\n\n\ndef f(x, y):\n    z = {expression}\n"
    found = analyse(Source("a.py", f"{before}    return z / y\n"))
    sites = [site for site in found if site.span.end <= len(before)]
    if not sites:
        return None
    last = max(sites, key=lambda site: site.span.end - site.span.start)
    return last.op, last.result.form


T, N, J, F, M = Form.TORCH, Form.NUMPY, Form.JAX, Form.TENSORFLOW, Form.NUMBER

# -- import forms ------------------------------------------------------------------------------

IMPORTS: list[tuple[str, str, Op, Form]] = [
    ("import torch", "torch.log(x)", Op.LOG, T),
    ("import torch as th", "th.log(x)", Op.LOG, T),
    ("from torch import log", "log(x)", Op.LOG, T),
    ("from torch import log as L", "L(x)", Op.LOG, T),
    ("from torch import nn", "nn.functional.softmax(x, -1)", Op.SOFTMAX, T),
    ("import torch.nn as nn", "nn.functional.softmax(x, -1)", Op.SOFTMAX, T),
    ("import torch.nn.functional as F", "F.softmax(x, -1)", Op.SOFTMAX, T),
    ("from torch.nn import functional", "functional.softmax(x, -1)", Op.SOFTMAX, T),
    ("from torch.nn import functional as F", "F.softmax(x, -1)", Op.SOFTMAX, T),
    ("from torch.nn.functional import softmax", "softmax(x, -1)", Op.SOFTMAX, T),
    ("import torch", "torch.nn.functional.softmax(x, -1)", Op.SOFTMAX, T),
    ("import torch.nn.functional", "torch.nn.functional.softmax(x, -1)", Op.SOFTMAX, T),
    ("import torch", "torch.special.xlogy(x, y)", Op.XLOGY, T),
    ("import torch", "torch.linalg.norm(x)", Op.NORM, T),
    ("from torch import linalg as LA", "LA.vector_norm(x)", Op.NORM, T),
    ("import numpy", "numpy.log(x)", Op.LOG, N),
    ("import numpy as np", "np.log(x)", Op.LOG, N),
    ("import numpy as onp", "onp.linalg.norm(x)", Op.NORM, N),
    ("from numpy import log", "log(x)", Op.LOG, N),
    ("from numpy.linalg import norm", "norm(x)", Op.NORM, N),
    ("from scipy.special import expit", "expit(x)", Op.SIGMOID, N),
    ("import jax.numpy as jnp", "jnp.log(x)", Op.LOG, J),
    ("from jax import numpy as jnp", "jnp.log(x)", Op.LOG, J),
    ("from jax import numpy", "numpy.log(x)", Op.LOG, J),
    ("import jax", "jax.numpy.log(x)", Op.LOG, J),
    ("import jax", "jax.nn.softmax(x)", Op.SOFTMAX, J),
    ("from jax.nn import softmax", "softmax(x)", Op.SOFTMAX, J),
    ("from jax.scipy.special import logsumexp", "logsumexp(x)", Op.LOGSUMEXP, J),
    ("from brax import jumpy as jp", "jp.log(x)", Op.LOG, J),
    ("import tensorflow as tf", "tf.math.log(x)", Op.LOG, F),
    ("import tensorflow as tf", "tf.reduce_sum(x)", Op.SUM, F),
    ("import tensorflow as tf", "tf.nn.softmax(x)", Op.SOFTMAX, F),
    ("import tensorflow as tf", "tf.log(x)", Op.LOG, F),
    ("import tensorflow as tf", "tf.compat.v1.log(x)", Op.LOG, F),
    ("import tensorflow.compat.v1 as tf", "tf.log(x)", Op.LOG, F),
    ("from tensorflow.compat import v1 as tf", "tf.log(x)", Op.LOG, F),
    ("from tensorflow import math", "math.log(x)", Op.LOG, F),
    ("import tensorflow.keras.backend as K", "K.log(x)", Op.LOG, F),
    ("from tensorflow.keras import backend as K", "K.sum(x)", Op.SUM, F),
    # handed on by the project, under the name that everybody knows it by
    ("from project.torch_utils import torch", "torch.log(x)", Op.LOG, T),
    ("from .compat import tf", "tf.math.log(x)", Op.LOG, F),
    ("import project.compat as tf", "tf.reduce_sum(x)", Op.SUM, F),
    ("from project.backend import numpy as np", "np.log(x)", Op.LOG, N),
    ("import jax.numpy as np", "np.log(x)", Op.LOG, J),
    ("import math", "math.log(x)", Op.LOG, M),
    ("from math import sqrt", "sqrt(x)", Op.SQRT, M),
    ("from math import sqrt as root", "root(x)", Op.SQRT, M),
    ("import math as m", "m.exp(x)", Op.EXP, M),
]


@pytest.mark.parametrize(("imports", "call", "op", "form"), IMPORTS)
def test_import_forms(imports: str, call: str, op: Op, form: Form) -> None:
    assert op_of(imports, call) == (op, form)


def test_imports_inside_functions_and_guards() -> None:
    inside = "def f(x):\n    import torch as th\n    return th.log(x)\n"
    guarded = "try:\n    import torch as th\nexcept ImportError:\n    th = None\n"
    assert ops(inside)[Op.LOG] == 1
    assert ops("if TYPE_CHECKING:\n    pass\n" + inside)[Op.LOG] == 1
    assert guarded  # `th = None` hides the module only where it is executed: see below
    assert ops(guarded + "\n\ndef f(x):\n    return th.log(x)\n")[Op.LOG] == 1


# -- the same division in four libraries -------------------------------------------------------

SAME_HAZARD = [
    ("import torch", "x / torch.sum(y > 0)"),
    ("import torch as th", "x / th.sum(y > 0)"),
    ("import torch", "x / (y > 0).sum()"),
    ("import torch", "torch.div(x, (y > 0).sum())"),
    ("import torch", "torch.true_divide(x, torch.sum(y > 0))"),
    ("import torch", "torch.divide(input=x, other=torch.sum(y > 0))"),
    ("import torch", "x.div(torch.sum(y > 0))"),
    ("import torch", "x.div_(torch.sum(y > 0))"),
    ("import torch", "x.divide(torch.sum(input=y > 0))"),
    ("import torch", "x / torch.count_nonzero(y)"),
    ("import torch", "x * torch.sum(y > 0).reciprocal()"),
    ("import torch", "x * torch.reciprocal((y > 0).sum())"),
    ("import torch", "x * torch.sum(y > 0).pow(-1)"),
    ("import torch", "x * torch.pow(torch.sum(y > 0), -1)"),
    ("import torch", "x * torch.sum(y > 0) ** -1"),
    ("import torch", "x / y.gt(0).sum()"),
    ("import torch", "x / torch.gt(y, 0).sum()"),
    ("import torch", "x / y.bool().sum()"),
    ("import torch", "x / (y > 0).float().sum()"),
    ("import torch", "x / (y > 0).to(torch.float32).sum()"),
    ("import torch", "x / (y > 0).type(torch.float32).sum()"),
    ("import torch", "x / (y > 0).sum().item()"),
    ("import torch", "x / float((y > 0).sum())"),
    ("import numpy as np", "x / np.sum(y > 0)"),
    ("import numpy as np", "np.divide(x, np.sum(y > 0))"),
    ("import numpy as np", "np.true_divide(x, np.count_nonzero(y))"),
    ("import numpy as np", "x / np.asarray(y > 0).sum()"),
    ("import numpy as np", "x / (y > 0).astype(np.float32).sum()"),
    ("from numpy import sum as total", "x / total(y > 0)"),
    ("import jax.numpy as jnp", "x / jnp.sum(y > 0)"),
    ("import jax.numpy as jnp", "jnp.divide(x, jnp.sum(y > 0))"),
    ("import jax.numpy as jnp", "x / jnp.sum(y > 0, axis=-1, keepdims=True)"),
    ("import tensorflow as tf", "x / tf.reduce_sum(tf.cast(y > 0, tf.float32))"),
    ("import tensorflow as tf", "tf.divide(x, tf.math.count_nonzero(y))"),
    ("import tensorflow as tf", "tf.math.divide(x, tf.reduce_sum(input_tensor=y > 0))"),
    ("import tensorflow.compat.v1 as tf", "tf.div(x, tf.reduce_sum(tf.to_float(y > 0)))"),
    (
        "import tensorflow as tf",
        "x / tf.compat.v1.reduce_sum(tf.cast(tf.greater(y, 0), tf.float32))",
    ),
    ("import operator", "operator.truediv(x, (y > 0).sum())"),
    ("", "x / sum(v > 0 for v in y)"),
    ("", "x / len([v for v in y if v > 0])"),
]


@pytest.mark.parametrize(("imports", "expression"), SAME_HAZARD)
def test_the_same_hazard(imports: str, expression: str) -> None:
    found = codes(f"{imports}\n\n\ndef f(x, y):\n    return {expression}\n")
    assert found == ["EPS101"]


@pytest.mark.parametrize(("operator", "found"), [("/=", ["EPS101"]), ("//=", []), ("%=", [])])
def test_augmented_divisions(operator: str, found: list[str]) -> None:
    """Whole numbers raise an error at once: nothing is trained on."""
    assert codes(f"def f(x, mask):\n    x {operator} mask.sum()\n    return x\n") == found


SPREADS = [
    ("import torch", "x.std()"),
    ("import torch", "torch.std(x, dim=-1)"),
    ("import torch", "x.var(dim=-1, unbiased=False).sqrt()"),
    ("import torch", "torch.std_mean(x)[0]"),
    ("import torch", "x.norm(dim=-1)"),
    ("import torch", "torch.linalg.norm(x)"),
    ("import torch", "torch.linalg.vector_norm(x, dim=-1)"),
    ("import torch", "x.max() - x.min()"),
    ("import torch", "torch.max(x) - torch.min(x)"),
    ("import torch", "x.abs().max()"),
    ("import torch", "x.amax() - x.amin()"),
    ("import numpy as np", "np.std(x)"),
    ("import numpy as np", "np.sqrt(np.var(x, axis=0))"),
    ("import numpy as np", "np.linalg.norm(x, axis=-1, keepdims=True)"),
    ("import numpy as np", "np.ptp(x)"),
    ("import numpy as np", "x.max(axis=0) - x.min(axis=0)"),
    ("import numpy as np", "np.abs(x).max()"),
    ("import jax.numpy as jnp", "jnp.std(x)"),
    ("import jax.numpy as jnp", "jnp.linalg.norm(x)"),
    ("import tensorflow as tf", "tf.math.reduce_std(x)"),
    ("import tensorflow as tf", "tf.sqrt(tf.math.reduce_variance(x))"),
    ("import tensorflow as tf", "tf.norm(x)"),
    ("import tensorflow as tf", "tf.sqrt(tf.nn.moments(x, axes=[0])[1])"),
    ("import statistics", "statistics.pstdev(x)"),
    ("import math", "math.hypot(x, y)"),
]


@pytest.mark.parametrize(("imports", "expression"), SPREADS)
def test_spreads(imports: str, expression: str) -> None:
    found = codes(f"{imports}\n\n\ndef f(x, y, z):\n    return z / ({expression})\n")
    assert found == ["EPS102"]


# -- functions, methods, in place --------------------------------------------------------------

METHODS = sorted(name for name, spelling in SPELLINGS.items() if spelling.method)


def test_each_spelling_is_one_op_in_every_library() -> None:
    for namespace in NAMESPACES:
        for name, spelling in SPELLINGS.items():
            full = f"{namespace}.{name}"
            if full in NAMESAKES:
                assert function(full) is None
                continue
            found = function(full)
            assert found is not None
            assert found.spelling.op is EXACT.get(full, spelling).op


@pytest.mark.parametrize("name", METHODS)
def test_methods_and_their_in_place_forms(name: str) -> None:
    assert method(name) == (SPELLINGS[name], False)
    if not name.endswith("_"):
        assert method(f"{name}_") in ((SPELLINGS[name], True), (SPELLINGS.get(f"{name}_"), False))
    assert method(f"__{name}__") is None


@pytest.mark.parametrize("name", ["log", "exp", "sqrt", "abs", "clamp", "relu", "div", "sigmoid"])
def test_function_method_and_in_place_form_are_one_op(name: str) -> None:
    second = ", 1" if name in ("clamp", "div") else ""
    forms = [f"torch.{name}(x{second})", f"x.{name}({second[2:]})", f"x.{name}_({second[2:]})"]
    found = {op_of("import torch", form) for form in forms}
    assert len({pair[0] for pair in found if pair is not None}) == 1
    assert None not in found


def test_what_a_star_hides_is_not_guessed() -> None:
    head = "import torch\ndef f(parts, x, n):\n    "
    assert codes(head + "return torch.sum(*parts) / torch.add(*parts)\n") == []
    assert codes(head + "return x / (n + list(*parts))\n") == []
    assert (
        codes(head + "return torch.mul(*parts) / (torch.add(*parts) - torch.mul(*parts))\n") == []
    )


def test_keywords_find_their_parameter() -> None:
    source = "import torch\ndef f(x, m):\n    return torch.div(other=torch.sum(m > 0), input=x)\n"
    assert codes(source) == ["EPS101"]
    swapped = "import torch\ndef f(x, m):\n    return torch.div(other=x, input=torch.sum(m > 0))\n"
    assert codes(swapped) == []


# -- what looks alike and is not ---------------------------------------------------------------

LOOKALIKES = [
    ("import logging\nlogger = logging.getLogger()", "logger.log(logging.INFO, mask.sum())"),
    ("import logging", "logging.log(10, 'n = %s', mask.sum())"),
    ("import wandb", "wandb.log({'n': mask.sum()})"),
    ("import wandb", "wandb.log({'n': mask.sum()}, step=1)"),
    ("", "accelerator.log({'n': mask.sum()}, step=step)"),
    ("", "self.log('loss', mask.sum(), prog_bar=True)"),
    ("import mlflow", "mlflow.log(mask.sum())"),
    ("", "manifold.exp(mask.sum())"),
]


@pytest.mark.parametrize(("imports", "expression"), LOOKALIKES)
def test_loggers_are_no_logarithms(imports: str, expression: str) -> None:
    """No logarithm or exponential of the count: at most one of the thing that is called."""
    source = f"{imports}\n\n\ndef f(self, mask, accelerator, manifold, step):\n    {expression}\n"
    sites = [s for s in analyse(Source("a.py", source)) if s.op in (Op.LOG, Op.EXP)]
    assert not any(site.fact("x").zeroable for site in sites)
    assert codes(source) == []


NOT_DIVISIONS = [
    ("from pathlib import Path", "Path(root) / name"),
    ("from pathlib import Path", "Path(root) / 'masks' / f'{name}.png'"),
    ("from pathlib import Path", "Path(root) / mask"),
    ("import pathlib", "pathlib.Path(root) / mask"),
    ("from pathlib import Path", "Path(__file__).parent / mask"),
    ("from pathlib import Path", "Path.cwd() / mask"),
    ("", "root / 'mask.png'"),
    ("", "'%d of %d' % (name, mask.sum())"),
    ("", "f'{name}' % mask.sum()"),
]


@pytest.mark.parametrize(("imports", "expression"), NOT_DIVISIONS)
def test_paths_and_texts_are_not_divided(imports: str, expression: str) -> None:
    assert codes(f"{imports}\n\n\ndef f(root, name, mask):\n    return {expression}\n") == []


SHADOWED = [
    # a local value of a library's name: its methods are whatever they are
    ("import numpy as np", "np = load()\n    return np.divide(x, mask.sum())"),
    ("import torch", "torch = x.backend\n    return torch.div(x, mask.sum())"),
    ("", "return np.divide(x, mask.sum())"),
    ("from mylib import sum", "return x / sum(mask)"),
    ("from .torch import div", "return div(x, mask.sum())"),
    ("from mylib import div", "return div(x, mask.sum())"),
    ("from torch import div\nfrom mylib import div", "return div(x, mask.sum())"),
    ("import mylib as th", "return torch.div(x, mask.sum())"),
    ("def sum(values):\n    return 1", "return x / sum(mask)"),
    ("def len(values):\n    return 1", "return x / len([m for m in mask if m])"),
    ("", "len = lambda v: 1\n    return x / len([m for m in mask if m])"),
    ("", "for max in x:\n        y = x / max(mask.sum(), 0)\n    return y"),
]


@pytest.mark.parametrize(("head", "body"), SHADOWED)
def test_shadowed_names(head: str, body: str) -> None:
    assert codes(f"{head}\n\n\ndef f(x, mask):\n    {body}\n") == []


def test_a_parameter_hides_an_import() -> None:
    head = "import numpy as np\n\n\ndef f(x, mask, {}):\n    return np.divide(x, mask.sum())\n"
    assert codes(head.format("np")) == []
    assert codes(head.format("other")) == ["EPS101"]
