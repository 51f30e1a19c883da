"""Full names: functions that are spelled in one way only, and Python's own.

What has the same name in every library is in `spellings`; these have a name to themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from epslint.analysis.ops import Op
from epslint.analysis.words.spellings import Spelling

# Of a list these make a tensor, of numbers an empty one of that shape.
OLD_TENSORS = tuple(
    f"torch.{kind}Tensor" for kind in ("", "Float", "Double", "Half", "Long", "Int")
)

# jax's primitives that bear a name which means something else elsewhere, or take their operands in
# another order.
_LAX: Mapping[str, Spelling] = MappingProxyType(
    {
        "max": Spelling(Op.MAXIMUM, ("x", "y")),
        "min": Spelling(Op.MINIMUM, ("x", "y")),
        "clamp": Spelling(Op.CLAMP, ("min", "x", "max")),
        "select": Spelling(Op.WHERE, ("cond", "x", "y")),
        "select_n": Spelling(Op.WHERE, ("cond", "y", "x")),
        "integer_pow": Spelling(Op.POW, ("x", "y")),
    }
)

# Functions that exist under only one full name.
EXACT: Mapping[str, Spelling] = MappingProxyType(
    {
        "torch.nn.Parameter": Spelling(Op.PARAMETER, ("x", "requires_grad")),
        "torch.nn.parameter.Parameter": Spelling(Op.PARAMETER, ("x", "requires_grad")),
        "torch.nn.ParameterDict": Spelling(Op.PARAMETER, ("x",)),
        "torch.nn.ParameterList": Spelling(Op.PARAMETER, ("x",)),
        "torch.nn.functional.linear": Spelling(Op.AFFINE, ("x", "weight", "bias")),
        "torch.nn.init.normal_": Spelling(Op.INIT_NORMAL, ("x", "mean", "std"), open_ended=True),
        "torch.nn.init.trunc_normal_": Spelling(
            Op.INIT_NORMAL, ("x", "mean", "std"), open_ended=True
        ),
        "typing.cast": Spelling(Op.SAME, ("type", "x")),
        "typing_extensions.cast": Spelling(Op.SAME, ("type", "x")),
        "time.time": Spelling(Op.TIME, ()),
        "time.perf_counter": Spelling(Op.TIME, ()),
        "time.monotonic": Spelling(Op.TIME, ()),
        "timeit.default_timer": Spelling(Op.TIME, ()),
        "math.prod": Spelling(Op.PROD, ("x",), open_ended=True),
        "math.dist": Spelling(Op.NORM, ("x",), open_ended=True),
        "statistics.mean": Spelling(Op.MEAN, ("x",)),
        "statistics.stdev": Spelling(Op.STD, ("x",), open_ended=True),
        "statistics.pstdev": Spelling(Op.STD, ("x",), open_ended=True),
        "statistics.variance": Spelling(Op.VAR, ("x",), open_ended=True),
        "numpy.size": Spelling(Op.NUMEL, ("x", "dim")),
        "numpy.float32": Spelling(Op.FLOAT, ("x",)),
        "numpy.float64": Spelling(Op.DOUBLE, ("x",)),
        "numpy.random.rand": Spelling(Op.RAND, ("x",), open_ended=True),
        "numpy.random.randn": Spelling(Op.RANDN, ("x",), open_ended=True),
        "numpy.random.normal": Spelling(Op.RANDN, ("x",), open_ended=True),
        "numpy.random.multivariate_normal": Spelling(Op.RANDN, ("mean", "cov"), open_ended=True),
        "jax.random.truncated_normal": Spelling(Op.RANDN, ("key", "min", "max"), open_ended=True),
        "random.gauss": Spelling(Op.RANDN, ("mean", "std"), open_ended=True),
        "numpy.random.uniform": Spelling(Op.RAND, ("min", "max", "x"), open_ended=True),
        "jax.random.uniform": Spelling(
            Op.RAND, ("key", "shape", "dtype", "min", "max"), open_ended=True
        ),
        "jax.random.categorical": Spelling(Op.MULTINOMIAL, ("key", "x"), open_ended=True),
        "tensorflow.random.categorical": Spelling(Op.MULTINOMIAL, ("x",), open_ended=True),
        "tensorflow.random.uniform": Spelling(Op.RAND, ("x", "min", "max"), open_ended=True),
        "tensorflow.random_uniform": Spelling(Op.RAND, ("x", "min", "max"), open_ended=True),
        "numpy.random.gamma": Spelling(Op.GAMMA, ("concentration",), open_ended=True),
        "numpy.random.standard_gamma": Spelling(Op.GAMMA, ("concentration",), open_ended=True),
        "jax.random.gamma": Spelling(Op.GAMMA, ("key", "concentration"), open_ended=True),
        "numpy.random.random": Spelling(Op.RAND, ("x",), open_ended=True),
        "random.random": Spelling(Op.RAND, ("x",), open_ended=True),
        "tensorflow.shape": Spelling(Op.SHAPE, ("x",), open_ended=True),
        "triton.language.load": Spelling(Op.LOAD, ("x", "mask", "other"), open_ended=True),
        **dict.fromkeys(OLD_TENSORS, Spelling(Op.AS_TENSOR, ("x",), open_ended=True)),
        "torch.distributed.all_reduce": Spelling(Op.SAME, ("x",), open_ended=True),
        **{f"jax.lax.{name}": spelling for name, spelling in _LAX.items()},
        "jax.lax.psum": Spelling(Op.SAME, ("x",), open_ended=True),
        "jax.lax.pmean": Spelling(Op.SAME, ("x",), open_ended=True),
        "einx.get_at": Spelling(Op.PICK, ("pattern", "x"), open_ended=True),
        "einops.rearrange": Spelling(Op.SAME, ("x",), open_ended=True),
        "einops.repeat": Spelling(Op.SAME, ("x",), open_ended=True),
        "einops.reduce": Spelling(Op.REDUCE, ("x", "dim", "reduction"), open_ended=True),
        "optax.global_norm": Spelling(Op.NORM, ("x",)),
        "copy.deepcopy": Spelling(Op.SAME, ("x",), open_ended=True),
        "optax.softmax_cross_entropy": Spelling(Op.CROSS_ENTROPY, ("x", "target"), open_ended=True),
        "optax.softmax_cross_entropy_with_integer_labels": Spelling(
            Op.CROSS_ENTROPY, ("x", "target"), open_ended=True
        ),
        "torch_scatter.scatter_add": Spelling(Op.SCATTER_SUM, ("x",), open_ended=True),
        "torch_scatter.scatter": Spelling(Op.SCATTER_SUM, ("x",), open_ended=True),
        "torch_geometric.utils.scatter": Spelling(Op.SCATTER_SUM, ("x",), open_ended=True),
    }
)

# Functions that are what their name says in whatever package. Tensorflow's own `random_gamma` gives
# the smallest float in place of 0, as torch does; that of tensorflow_probability does not.
ANYBODYS: Mapping[str, Spelling] = MappingProxyType(
    {"random_gamma": Spelling(Op.GAMMA, ("shape", "concentration"), open_ended=True)}
)

# Python's own functions.
BUILTINS: Mapping[str, Spelling] = MappingProxyType(
    {
        "abs": Spelling(Op.ABS, ("x",)),
        "len": Spelling(Op.LEN, ("x",)),
        "sum": Spelling(Op.SUM, ("x", "start")),
        "pow": Spelling(Op.POW, ("x", "y")),
        "round": Spelling(Op.ROUND, ("x", "decimals")),
        "float": Spelling(Op.ITEM, ("x",)),
        "int": Spelling(Op.INT, ("x",)),
        "bool": Spelling(Op.BOOL, ("x",)),
        "list": Spelling(Op.SAME, ("x",)),
        "tuple": Spelling(Op.SAME, ("x",)),
        "set": Spelling(Op.UNIQUE, ("x",)),
        "sorted": Spelling(Op.SAME, ("x",), open_ended=True),
        "reversed": Spelling(Op.SAME, ("x",)),
        "any": Spelling(Op.ANY, ("x",)),
        "all": Spelling(Op.ALL, ("x",)),
    }
)
