"""Spellings: the many ways in which four libraries and Python write the same operation.

A row of the table names an operation, its spellings and its parameters. A spelling holds as a
function of every numeric namespace (`torch.log`, `np.log`, `tf.math.log`, `math.log`) and, unless
the row says otherwise, as a method (`x.log()`, in place `x.log_()`). Parameter names differ between
libraries; `ALIASES` brings them to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from epslint.analysis.ops import Op

# Names under which the same parameter goes elsewhere.
ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "input": "x",
        "a": "x",
        "x1": "x",
        "self": "x",
        "input_tensor": "x",
        "logits": "x",
        "t": "x",
        "tensor": "x",
        "tensors": "x",
        "data": "x",
        "value": "x",
        "object": "x",
        "features": "x",
        "other": "y",
        "x2": "y",
        "b": "y",
        "axis": "dim",
        "dims": "dim",
        "keepdims": "keepdim",
        "keep_dims": "keepdim",
        "a_min": "min",
        "a_max": "max",
        "clip_value_min": "min",
        "clip_value_max": "max",
        "min_value": "min",
        "max_value": "max",
        "ddof": "correction",
        "denominator": "y",
        "numerator": "x",
        "divisor": "y",
        "dividend": "x",
        "exponent": "y",
        "fill_value": "value",
        "low": "min",
        "high": "max",
        "minval": "min",
        "maxval": "max",
        "reduction_indices": "dim",
        "axes": "dim",
        "ord": "p",
    }
)


@dataclass(frozen=True, slots=True)
class Spelling:
    """An operation under one of its names, with its parameters in order."""

    op: Op
    params: tuple[str, ...]
    method: bool = True
    # A method may be called on anything, `logger.log(...)` too: more arguments than the operation
    # has parameters, or a keyword that it lacks, says that this is something else.
    open_ended: bool = False

    def bind(self, positional: int, keywords: tuple[str, ...]) -> bool:
        """Whether a call with these arguments can be this operation."""
        if self.open_ended:
            return True
        if positional > len(self.params):
            return False
        return all(ALIASES.get(key, key) in self.params + _HARMLESS for key in keywords)


_HARMLESS = ("out", "name", "dtype", "device", "where", "initial", "key", "order", "is_causal")


@dataclass(frozen=True, slots=True)
class _Row:
    op: Op
    names: str
    params: str = "x"
    method: bool = True
    open_ended: bool = False

    def spellings(self) -> Iterator[tuple[str, Spelling]]:
        params = tuple(self.params.split())
        for name in self.names.split():
            yield name, Spelling(self.op, params, self.method, self.open_ended)


_REDUCE = "x dim keepdim dtype"

_ROWS = (
    _Row(Op.ADD, "add", "x y alpha"),
    _Row(Op.SUB, "sub subtract", "x y alpha"),
    _Row(Op.MUL, "mul multiply", "x y"),
    _Row(Op.DIV, "div divide true_divide truediv", "x y rounding_mode"),
    _Row(Op.FLOORDIV, "floor_divide floordiv floor_div", "x y"),
    _Row(Op.MOD, "remainder fmod mod", "x y"),
    _Row(Op.POW, "pow power float_power", "x y"),
    _Row(Op.NEG, "neg negative"),
    _Row(Op.MATMUL, "matmul mm bmm mv inner tensordot", "x y dim"),
    _Row(Op.DOT, "dot vdot", "x y dim"),
    _Row(Op.EINSUM, "einsum", "equation x y", method=False, open_ended=True),
    _Row(Op.ADDCDIV, "addcdiv", "acc x y value"),
    _Row(Op.DIVIDE_NO_NAN, "divide_no_nan div_no_nan", "x y", method=False),
    _Row(Op.SUM, "sum nansum reduce_sum fsum", _REDUCE),
    _Row(
        Op.SCATTER_SUM, "segment_sum unsorted_segment_sum scatter_sum", "x y dim", open_ended=True
    ),
    _Row(Op.BINCOUNT, "bincount histc", "x weights minlength", open_ended=True),
    _Row(Op.CUMSUM, "cumsum", "x dim"),
    _Row(Op.MEAN, "mean nanmean reduce_mean average", "x dim keepdim weights"),
    _Row(Op.MEDIAN, "median nanmedian quantile percentile", "x dim keepdim", open_ended=True),
    _Row(Op.STD, "std nanstd reduce_std", "x dim unbiased keepdim correction"),
    _Row(Op.VAR, "var nanvar reduce_variance", "x dim unbiased keepdim correction"),
    _Row(Op.STD_MEAN, "std_mean", "x dim unbiased keepdim correction", method=False),
    _Row(Op.VAR_MEAN, "var_mean moments", "x dim unbiased keepdim correction", method=False),
    _Row(Op.NORM, "norm vector_norm matrix_norm", "x p dim keepdim"),
    _Row(Op.NORM, "global_norm reduce_euclidean_norm", "x dim keepdim", method=False),
    _Row(Op.NORM, "cdist pdist", "x y p", method=False, open_ended=True),
    _Row(Op.PROD, "prod nanprod reduce_prod", _REDUCE),
    _Row(Op.CUMPROD, "cumprod", "x dim"),
    _Row(Op.MAX, "max amax reduce_max nanmax cummax", "x dim keepdim"),
    _Row(
        Op.MAX,
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d segment_max "
        "unsorted_segment_max",
        "x size",
        method=False,
        open_ended=True,
    ),
    _Row(Op.MIN, "min amin reduce_min nanmin cummin", "x dim keepdim"),
    _Row(Op.PEAK_TO_PEAK, "ptp", "x dim keepdim"),
    _Row(Op.ANY, "any reduce_any", "x dim keepdim"),
    _Row(Op.ALL, "all reduce_all", "x dim keepdim"),
    _Row(Op.COUNT_NONZERO, "count_nonzero", "x dim keepdim"),
    _Row(Op.LOGSUMEXP, "logsumexp reduce_logsumexp", "x dim keepdim"),
    _Row(Op.TRACE, "trace"),
    _Row(Op.DET, "det logdet slogdet"),
    _Row(Op.EIGENVALUES, "eigvalsh", "x", open_ended=True),
    _Row(Op.EIGH, "eigh symeig self_adjoint_eig", "x", open_ended=True),
    _Row(Op.INVERSE, "inv inverse cholesky cholesky_inverse", "x", open_ended=False),
    _Row(Op.SOLVE, "solve solve_triangular", "by x", method=False, open_ended=True),
    _Row(Op.SOLVE, "cholesky_solve", "x by", open_ended=True),
    _Row(Op.ARGMAX, "argmax", "x dim", open_ended=True),
    _Row(Op.ARGREDUCE, "argmin argsort searchsorted bucketize", "x y dim", open_ended=True),
    _Row(Op.ABS, "abs absolute fabs"),
    _Row(Op.SQUARE, "square"),
    _Row(Op.SQRT, "sqrt"),
    _Row(Op.RSQRT, "rsqrt"),
    _Row(Op.RECIPROCAL, "reciprocal"),
    _Row(Op.EXP, "exp"),
    _Row(Op.EXP2, "exp2"),
    _Row(Op.EXPM1, "expm1"),
    _Row(Op.LOG, "log log2 log10", "x base"),
    _Row(Op.LOG1P, "log1p"),
    _Row(Op.SIGMOID, "sigmoid expit"),
    _Row(Op.HARD_SIGMOID, "hard_sigmoid hardsigmoid", "x inplace"),
    _Row(Op.LOGSIGMOID, "logsigmoid log_sigmoid", "x", method=False),
    _Row(Op.TANH, "tanh hardtanh softsign erf"),
    _Row(Op.SOFTPLUS, "softplus", "x beta threshold"),
    _Row(Op.RELU, "relu relu6", "x inplace"),
    _Row(Op.SIN, "sin"),
    _Row(Op.COS, "cos"),
    _Row(Op.COSH, "cosh"),
    _Row(Op.ARC, "acos arccos asin arcsin atanh arctanh logit erfinv", "x eps"),
    _Row(Op.SIGN, "sign sgn"),
    _Row(Op.ROUND, "round floor ceil trunc rint", "x decimals"),
    _Row(Op.SOFTMAX, "softmax softmin gumbel_softmax", "x dim", open_ended=True),
    _Row(Op.SPARSEMAX, "sparsemax", "x dim", open_ended=True),
    _Row(Op.LOG_SOFTMAX, "log_softmax", "x dim", open_ended=True),
    _Row(Op.NORMALIZE, "normalize l2_normalize", "x p dim eps", method=False, open_ended=True),
    _Row(
        Op.STANDARDIZE,
        "layer_norm batch_norm group_norm instance_norm rms_norm",
        "x",
        method=False,
        open_ended=True,
    ),
    _Row(Op.COSINE, "cosine_similarity", "x y dim eps", method=False, open_ended=True),
    _Row(Op.LOGADDEXP, "logaddexp logaddexp2", "x y"),
    _Row(Op.XLOGY, "xlogy rel_entr", "x y"),
    _Row(Op.HYPOT, "hypot", "x y"),
    _Row(Op.CLAMP, "clamp clip clip_by_value", "x min max"),
    _Row(Op.CLAMP_MIN, "clamp_min", "x min"),
    _Row(Op.CLAMP_MAX, "clamp_max", "x max"),
    _Row(Op.MAXIMUM, "maximum fmax", "x y"),
    _Row(Op.MINIMUM, "minimum fmin", "x y"),
    _Row(Op.WHERE, "where", "cond x y"),
    _Row(Op.MASKED_FILL, "masked_fill", "x mask value"),
    _Row(Op.NAN_TO_NUM, "nan_to_num", "x nan posinf neginf", open_ended=True),
    _Row(Op.ISNAN, "isnan is_nan"),
    _Row(Op.ISINF, "isinf is_inf isposinf"),
    _Row(Op.ISFINITE, "isfinite is_finite"),
    _Row(
        Op.COMPARE, "eq ne gt ge lt le equal not_equal greater greater_equal less less_equal", "x y"
    ),
    _Row(Op.COMPARE, "isclose", "x y", open_ended=True),
    _Row(Op.LOGICAL, "logical_and logical_or logical_not logical_xor isin", "x y"),
    _Row(Op.ONE_HOT, "one_hot", "x", method=False, open_ended=True),
    _Row(Op.SIZE, "size", "x dim"),
    _Row(Op.NUMEL, "numel nelement"),
    _Row(
        Op.SAME,
        "view reshape flatten ravel squeeze unsqueeze expand expand_as repeat tile transpose "
        "permute contiguous clone copy swapaxes moveaxis movedim expand_dims broadcast_to "
        "broadcast_tensors "
        "repeat_interleave flip roll cpu cuda requires_grad_ view_as reshape_as unflatten "
        "block_until_ready atleast_1d atleast_2d identity all_reduce reduce pin_memory "
        "type_as T t to_dense to_sparse coalesce",
        "x",
        open_ended=True,
    ),
    _Row(
        Op.PICK,
        "gather index_select take take_along_dim take_along_axis",
        "x at by",
        open_ended=True,
    ),
    _Row(
        Op.PICK,
        "select narrow "
        "diagonal diag diag_part "
        "unfold chunk split unbind gather_for_metrics take_along gather_nd all_gather "
        "pad_across_processes tril triu pad pad_sequence kthvalue",
        "x",
        open_ended=True,
    ),
    _Row(Op.SELECT, "masked_select boolean_mask compress", "x mask", open_ended=True),
    _Row(Op.TOP_K, "topk top_k", "x", open_ended=True),
    _Row(Op.SORT, "sort", "x", open_ended=True),
    _Row(Op.NONZERO, "nonzero flatnonzero argwhere", "x", open_ended=True),
    _Row(
        Op.STACK, "stack cat concat concatenate hstack vstack", "x", method=False, open_ended=True
    ),
    _Row(Op.GRID, "meshgrid", "x y", method=False, open_ended=True),
    _Row(Op.DETACH, "detach stop_gradient"),
    _Row(Op.TO, "to astype type cast", "x y", open_ended=True),
    _Row(Op.HALF, "half"),
    _Row(Op.BFLOAT16, "bfloat16"),
    _Row(Op.FLOAT, "float to_float"),
    _Row(Op.DOUBLE, "double"),
    _Row(Op.INT, "long int short"),
    _Row(Op.BOOL, "bool"),
    _Row(Op.ITEM, "item"),
    _Row(Op.TO_NUMPY, "numpy asnumpy", "x", open_ended=True),
    _Row(Op.TO_LIST, "tolist"),
    _Row(
        Op.AS_TENSOR,
        "tensor as_tensor from_numpy array asarray ascontiguousarray convert_to_tensor constant",
        "x dtype",
        method=False,
        open_ended=True,
    ),
    _Row(Op.ZEROS, "zeros zeros_like new_zeros", "x", open_ended=True),
    _Row(Op.ONES, "ones ones_like new_ones", "x", open_ended=True),
    _Row(Op.FULL, "full full_like new_full", "shape value", open_ended=True),
    _Row(Op.ARANGE, "arange", "start end step", method=False, open_ended=True),
    _Row(Op.UNIQUE, "unique", "x", open_ended=True),
    _Row(Op.LINSPACE, "linspace", "start end", method=False, open_ended=True),
    _Row(Op.EYE, "eye", "x", method=False, open_ended=True),
    _Row(Op.RAND, "rand rand_like random_sample", "x", method=False, open_ended=True),
    _Row(Op.RANDN, "normal", "x", method=False, open_ended=True),
    _Row(Op.RANDN, "randn randn_like standard_normal", "x", method=False, open_ended=True),
    _Row(Op.MULTINOMIAL, "multinomial", "x", open_ended=True),
    _Row(Op.FINFO, "finfo", "x", method=False),
    _Row(Op.FINFO_EPS, "epsilon", "", method=False),
    _Row(
        Op.ERROR,
        "mse_loss l1_loss smooth_l1_loss huber_loss",
        "x target",
        method=False,
        open_ended=True,
    ),
    _Row(Op.CROSS_ENTROPY, "cross_entropy", "x target", method=False, open_ended=True),
    _Row(
        Op.CROSS_ENTROPY,
        # tensorflow has the labels first
        "sparse_softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits "
        "softmax_cross_entropy_with_logits_v2",
        "target x",
        method=False,
        open_ended=True,
    ),
    _Row(Op.BCE, "binary_cross_entropy", "x target", method=False, open_ended=True),
    _Row(
        Op.BCE_WITH_LOGITS,
        "binary_cross_entropy_with_logits",
        "x target",
        method=False,
        open_ended=True,
    ),
    _Row(
        Op.BCE_WITH_LOGITS,
        "sigmoid_cross_entropy_with_logits",
        "target x",
        method=False,
        open_ended=True,
    ),
    _Row(Op.NLL, "nll_loss", "x target", method=False, open_ended=True),
    _Row(Op.KL_DIV, "kl_div kl_divergence", "x target", method=False, open_ended=True),
    _Row(Op.LOG_PROB, "log_prob logprob", "x value", open_ended=True),
    _Row(Op.ENTROPY, "entropy", "x", open_ended=True),
)

SPELLINGS: Mapping[str, Spelling] = MappingProxyType(
    {name: spelling for row in _ROWS for name, spelling in row.spellings()}
)


def method(name: str) -> tuple[Spelling, bool] | None:
    """The operation behind a method name, and whether it works in place (`x.log_()`)."""
    spelling = SPELLINGS.get(name)
    if spelling is not None and spelling.method:
        return spelling, False
    if not name.endswith("_") or name.endswith("__"):
        return None
    spelling = SPELLINGS.get(name[:-1])
    if spelling is not None and spelling.method:
        return spelling, True
    return None
