"""Libraries: what a full dotted name is, and which library speaks there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from epslint.analysis.fact import Form
from epslint.analysis.words.full_names import ANYBODYS, EXACT
from epslint.analysis.words.spellings import SPELLINGS, Spelling

# The namespaces whose functions the table is about, and what they compute with. The longest
# prefix of a dotted name decides.
NAMESPACES: Mapping[str, Form] = MappingProxyType(
    {
        "torch": Form.TORCH,
        "torch.nn.functional": Form.TORCH,
        "torch.special": Form.TORCH,
        "torch.linalg": Form.TORCH,
        "torch.sparse": Form.TORCH,
        "torch.Tensor": Form.TORCH,
        "torch.distributions": Form.TORCH,
        "torch.distributions.kl": Form.TORCH,
        "torch_scatter": Form.TORCH,
        "numpy": Form.NUMPY,
        "numpy.linalg": Form.NUMPY,
        "numpy.ma": Form.NUMPY,
        "scipy.special": Form.NUMPY,
        "scipy.linalg": Form.NUMPY,
        "cupy": Form.NUMPY,
        "cupy.linalg": Form.NUMPY,
        "autograd.numpy": Form.NUMPY,
        "jax": Form.JAX,
        "jax.numpy": Form.JAX,
        "jax.numpy.linalg": Form.JAX,
        "jax.nn": Form.JAX,
        "jax.lax": Form.JAX,
        "jax.ops": Form.JAX,
        "jax.random": Form.JAX,
        "jax.scipy.special": Form.JAX,
        "jax.scipy.linalg": Form.JAX,
        "flax.linen": Form.JAX,
        "tensorflow": Form.TENSORFLOW,
        "tensorflow.math": Form.TENSORFLOW,
        "tensorflow.nn": Form.TENSORFLOW,
        "tensorflow.linalg": Form.TENSORFLOW,
        "tensorflow.random": Form.TENSORFLOW,
        "tensorflow.compat.v1": Form.TENSORFLOW,
        "tensorflow.compat.v2": Form.TENSORFLOW,
        "tensorflow.keras.backend": Form.TENSORFLOW,
        "tensorflow.experimental.numpy": Form.TENSORFLOW,
        "tensorflow.python.ops.math_ops": Form.TENSORFLOW,
        "tensorflow.python.ops.array_ops": Form.TENSORFLOW,
        "tensorflow.python.ops.nn": Form.TENSORFLOW,
        "tensorflow.python.ops.nn_ops": Form.TENSORFLOW,
        "tensorflow.python.ops.linalg_ops": Form.TENSORFLOW,
        "keras.backend": Form.TENSORFLOW,
        "keras.ops": Form.TENSORFLOW,
        "keras.src.ops": Form.TENSORFLOW,
        "keras.src.backend": Form.TENSORFLOW,
        "triton.language": Form.TORCH,
        "triton.language.math": Form.TORCH,
        "math": Form.NUMBER,
        "operator": Form.UNKNOWN,
        "statistics": Form.NUMBER,
    }
)


@dataclass(frozen=True, slots=True)
class Function:
    """A resolved library function."""

    spelling: Spelling
    form: Form


@cache
def function(dotted: str) -> Function | None:
    """The operation behind a full dotted name such as `torch.nn.functional.softmax`."""
    dotted = dotted.replace("tensorflow.compat.v1.", "tensorflow.")
    namespace, _, name = dotted.rpartition(".")
    if not namespace or dotted in NAMESAKES:
        return None
    if exact := EXACT.get(dotted):
        return Function(exact, NAMESPACES.get(namespace, Form.UNKNOWN))
    form = NAMESPACES.get(namespace) or _relative(namespace)
    spelling = ANYBODYS.get(name) if form is None else SPELLINGS.get(name)
    return None if spelling is None else Function(spelling, form or Form.UNKNOWN)


# Functions whose name means something else everywhere else, and of which nothing is known:
# `np.select(tests, choices, default)`.
NAMESAKES = frozenset({"numpy.select", "jax.numpy.select"})


def _relative(namespace: str) -> Form | None:
    """Packages named after torch speak its language: `torch_complex.functional.trace`; and so do
    modules named after jax's: `brax.jumpy`.
    """
    if namespace.rpartition(".")[2] in _LIKE_JAX:
        return Form.JAX
    root = namespace.partition(".")[0]
    return Form.TORCH if root.startswith("torch_") else None


_LIKE_JAX = frozenset({"jumpy", "lax_numpy"})


# What libraries call the types of elements.
DTYPES: Mapping[str, str] = MappingProxyType(
    {
        "float16": "float16",
        "half": "float16",
        "bfloat16": "bfloat16",
        "float32": "float32",
        "float": "float32",
        "float64": "float64",
        "double": "float64",
        "bool": "bool",
        "bool_": "bool",
        "int": "int",
        "int8": "int",
        "int16": "int",
        "int32": "int",
        "int64": "int",
        "uint8": "int",
        "long": "int",
    }
)
