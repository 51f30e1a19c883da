"""Elementwise functions: exp, log, activations, and the losses and distributions made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from epslint.analysis import ranges
from epslint.analysis.fact import DType, Evidence, Fact, Form, Kind, replace
from epslint.analysis.ops import Op
from epslint.analysis.ranges import Range
from epslint.analysis.transfer.call import TOPIC, WHOLE, Call, Transfer, result
from epslint.epsilon import FLOAT32


def absolute(call: Call) -> Fact:
    x = call.x
    kinds = (x.kinds & ~((WHOLE & ~Kind.NONZERO) | Kind.SIGNED)) | Kind.MAGNITUDE
    # A magnitude is taken of what has a sign, and so passes through 0; Python's own abs is most
    # often that of a setting.
    zero = x.zero or (Evidence.NONE if call.form is Form.NUMBER else Evidence.NAMED)
    return result(call, x.range.abs(), kinds, ground=max(x.ground, Evidence.NAMED), zero=zero)


def exponential(call: Call) -> Fact:
    return _exponential(call, math.exp, 1.0)


def power_of_two(call: Call) -> Fact:
    """exp2, which kernels compute with in place of exp."""
    return _exponential(call, lambda v: 2.0**v, math.log(2))


def _exponential(call: Call, function: Callable[[float], float], steepness: float) -> Fact:
    x = call.x
    limit = (x.dtype.precision or FLOAT32).exp_limit / steepness
    lo = 0.0 if x.range.lo < -limit else function(min(x.range.lo, limit))
    hi = ranges.INF if x.range.hi > limit else function(x.range.hi)
    ground = x.ground
    underflows = x.kinds & (Kind.LOGPROB | Kind.LOGRATIO | Kind.SHIFTED)
    return result(
        call,
        Range(lo, hi, nan=x.range.nan),
        _kinds_of_exp(x),
        ground=ground,
        zero=ground if underflows else Evidence.NONE,
        huge=x.huge,
    )


def _kinds_of_exp(x: Fact) -> Kind:
    kinds = Kind.EXP | (x.kinds & (TOPIC | Kind.PARAMETER | Kind.LOGSCALE))
    kinds |= Kind.PROB if x.is_any(Kind.LOGPROB) and x.range.hi <= 0 else Kind.NONE
    kinds |= Kind.RATIO if x.is_any(Kind.LOGRATIO) else Kind.NONE
    kinds |= Kind.SIMPLEX if x.is_any(Kind.NORMALISED) else Kind.NONE
    return kinds | (Kind.PEAKED if x.is_any(Kind.SHIFTED) else Kind.NONE)


def exp_minus_one(call: Call) -> Fact:
    x = call.x
    limit = (x.dtype.precision or FLOAT32).exp_limit
    hi = ranges.INF if x.range.hi > limit else math.expm1(x.range.hi)
    lo = math.expm1(min(x.range.lo, limit))
    return result(call, Range(lo, hi, nan=x.range.nan), huge=x.huge)


def hyperbolic_cosine(call: Call) -> Fact:
    return result(call, replace(ranges.at_least(1.0), nan=call.x.range.nan))


def logarithm(call: Call) -> Fact:
    x = call.x
    kinds = x.kinds & TOPIC
    kinds |= Kind.LOGPROB if x.is_any(Kind.PROB) else Kind.NONE
    kinds |= Kind.LOGRATIO if x.is_any(Kind.RATIO) else Kind.NONE
    kinds |= Kind.NORMALISED if x.is_any(Kind.SIMPLEX) else Kind.NONE
    huge = x.huge if x.is_any(Kind.RATIO) else Evidence.NONE
    range_ = ranges.TOP if call.get("base") else _of_any_base(_log_range(x.range))
    return result(call, range_, kinds, ground=x.ground, huge=huge)


def _of_any_base(natural: Range) -> Range:
    """log, log2 and log10 are one op: from the flattest of them to the steepest."""
    flat, steep = 1 / math.log(10), 1 / math.log(2)
    lo = natural.lo * (steep if natural.lo < 0 else flat)
    return replace(natural, lo=lo, hi=natural.hi * (flat if natural.hi < 0 else steep))


def log_one_plus(call: Call) -> Fact:
    shifted = call.x.range + ranges.point(1.0)
    return result(call, _log_range(shifted))


def _log_range(x: Range) -> Range:
    if x.hi < 0 or x.empty:
        return ranges.TOP
    inside = x.meet(ranges.NONNEGATIVE)
    lo = math.log(inside.lo) if inside.lo > 0 else -ranges.INF
    hi = (
        inside.hi
        if math.isinf(inside.hi)
        else (math.log(inside.hi) if inside.hi > 0 else -ranges.INF)
    )
    return Range(lo, hi, inside.lo_open and lo > -ranges.INF, inside.hi_open, nan=x.nan or x.lo < 0)


def probability(call: Call) -> Fact:
    """sigmoid: in exact arithmetic inside (0, 1), in floating point both ends are reached by what
    is far enough off.

    By one of them: that all underflow, so that their sum is 0, nobody has seen.
    """
    x, precision = _as_logit(call.x), call.x.dtype.precision or FLOAT32
    lo = _sigmoid(x.lo) if x.lo >= -precision.exp_limit else 0.0
    hi = _sigmoid(x.hi) if x.hi <= -math.log(precision.eps) else 1.0
    return _probability(call, Kind.PROB | Kind.DRAWN, Range(lo, hi))


def _as_logit(x: Fact) -> Range:
    """What is put into a sigmoid or a softmax is a logit, whatever it is called."""
    called = x.origin is None and x.ground is Evidence.NAMED
    return ranges.TOP if called and x.is_any(Kind.MASK | Kind.PROB) else x.range


def _sigmoid(x: float) -> float:
    return math.exp(min(x, 0.0)) / (1.0 + math.exp(-abs(x)))


def clipped_probability(call: Call) -> Fact:
    """hard_sigmoid: 0 and 1 beyond ±3."""
    return _probability(call, Kind.PROB | Kind.DRAWN, ranges.UNIT)


def distribution(call: Call) -> Fact:
    """softmax: probabilities that sum to 1, of which none underflows where all logits are near."""
    x, precision = _as_logit(call.x), call.x.dtype.precision or FLOAT32
    near = x.hi - x.lo <= precision.exp_limit - _LOG_OF_MANY
    unit = replace(ranges.UNIT, lo_open=near)
    return _probability(call, Kind.PROB | Kind.SIMPLEX, unit)


_LOG_OF_MANY = math.log(2**17)  # tokens of a vocabulary


def sparse_distribution(call: Call) -> Fact:
    """sparsemax: most are exactly 0."""
    return _probability(call, Kind.PROB | Kind.SIMPLEX, ranges.UNIT)


def _probability(call: Call, kinds: Kind, range_: Range) -> Fact:
    zero = Evidence.PROVEN if range_.has_zero else Evidence.NONE
    return result(call, range_, kinds, ground=Evidence.PROVEN, zero=zero)


def log_probability(call: Call) -> Fact:
    kinds = Kind.LOGPROB | (call.x.kinds & Kind.STRUCK)
    return result(call, ranges.NONPOSITIVE, kinds, ground=Evidence.PROVEN)


def log_distribution(call: Call) -> Fact:
    """log_softmax: the logs of probabilities that sum to 1."""
    return log_probability(call).plus(Kind.NORMALISED)


def log_density(call: Call) -> Fact:
    """`dist.log_prob(x)`: a density may exceed 1, so there is no upper bound."""
    return result(call, ranges.REAL, Kind.LOGPROB, ground=Evidence.PROVEN)


def cross_entropy(call: Call) -> Fact:
    """Minus the log-probability of the target; a mean of them unless reduction says none."""
    return result(call, ranges.NONNEGATIVE, Kind.LOGPROB, ground=Evidence.PROVEN)


def error(call: Call) -> Fact:
    """The mean of squared or absolute differences: 0 for what is learned by heart."""
    named = Evidence.NAMED
    kinds = Kind.MEAN | Kind.MAGNITUDE
    return result(call, ranges.NONNEGATIVE, kinds, ground=Evidence.PROVEN, zero=named)


def rectified(call: Call) -> Fact:
    x = call.x
    kinds = (x.kinds & ~(WHOLE | Kind.SIGNED | Kind.DRAWN)) | Kind.MAGNITUDE
    range_ = x.range.maximum(ranges.point(0.0))
    return result(
        call,
        range_.join(ranges.point(6.0)) if range_.lo > 6 else range_,  # relu6 stops there
        kinds,
        ground=Evidence.PROVEN,
        zero=Evidence.PROVEN,
    )


def soft_rectified(call: Call) -> Fact:
    return result(call, ranges.NONNEGATIVE)


def soft_plus(call: Call) -> Fact:
    """What a scale is made positive with: where it is small it is exp, and underflows."""
    limit = (call.x.dtype.precision or FLOAT32).exp_limit
    if call.x.range.lo >= -limit:
        return result(call, ranges.POSITIVE)
    return result(
        call,
        ranges.NONNEGATIVE,
        Kind.SOFTPLUS | Kind.DRAWN,  # that all underflow, nobody has seen
        ground=Evidence.PROVEN,
        zero=Evidence.NAMED,
    )


def signed_unit(call: Call) -> Fact:
    return result(call, ranges.SIGNED_UNIT, Kind.SIGNED, ground=Evidence.PROVEN)


def unit_vectors(call: Call) -> Fact:
    return signed_unit(call).plus(Kind.UNIT)


def standardised(call: Call) -> Fact:
    """Layer and batch normalisation, with an epsilon of their own."""
    return result(call, ranges.REAL, Kind.DRAWN)


def affine(call: Call) -> Fact:
    """Of what a layer gives nothing is known; that it is a layer's, its origin says."""
    return replace(result(call, ground=Evidence.NONE), grad=True)  # its weights learn


def wave(call: Call) -> Fact:
    return result(
        call,
        ranges.SIGNED_UNIT,
        Kind.SIGNED | Kind.DRAWN,
        ground=Evidence.PROVEN,
        zero=Evidence.NAMED,  # of some angles; of which ones is seldom seen
    )


def cosine(call: Call) -> Fact:
    """pi / 2 is no floating-point number, so no cosine is 0."""
    return replace(wave(call), zero=Evidence.NONE)


def sign(call: Call) -> Fact:
    return replace(wave(call).minus(Kind.DRAWN), zero=Evidence.PROVEN)


def rounded(call: Call) -> Fact:
    x = call.x
    widened = Range(_floor(x.range.lo), -_floor(-x.range.hi), nan=x.range.nan)
    return result(call, widened, x.kinds & ~WHOLE, ground=x.ground, zero=x.zero)


def _floor(value: float) -> float:
    return value if math.isinf(value) else float(math.floor(value))


def real(call: Call) -> Fact:
    return result(call, ranges.REAL)


def real_inside(call: Call) -> Fact:
    """acos, xlogy, logdet: a number in their domain and NaN outside."""
    return result(call, ranges.TOP)


def divergence(call: Call) -> Fact:
    return result(call, ranges.REAL, Kind.KL, ground=Evidence.PROVEN)


def log_sum_exp(call: Call) -> Fact:
    return result(call, ranges.REAL, call.x.kinds & Kind.LOGPROB)


def indices(call: Call) -> Fact:
    return result(call, ranges.NONNEGATIVE, dtype=DType.INT)


TABLE: Mapping[Op, Transfer] = MappingProxyType(
    {
        Op.ABS: absolute,
        Op.EXP: exponential,
        Op.EXP2: power_of_two,
        Op.EXPM1: exp_minus_one,
        Op.LOG: logarithm,
        Op.LOG1P: log_one_plus,
        Op.SIGMOID: probability,
        Op.HARD_SIGMOID: clipped_probability,
        Op.SOFTMAX: distribution,
        Op.SPARSEMAX: sparse_distribution,
        Op.LOG_SOFTMAX: log_distribution,
        Op.LOGSIGMOID: log_probability,
        Op.LOG_PROB: log_density,
        Op.CROSS_ENTROPY: cross_entropy,
        Op.NLL: cross_entropy,
        Op.ERROR: error,
        Op.RELU: rectified,
        Op.SOFTPLUS: soft_plus,
        Op.TANH: signed_unit,
        Op.COSH: hyperbolic_cosine,
        Op.NORMALIZE: unit_vectors,
        Op.AFFINE: affine,
        Op.STANDARDIZE: standardised,
        Op.COSINE: signed_unit,
        Op.SIN: wave,
        Op.COS: cosine,
        Op.SIGN: sign,
        Op.ROUND: rounded,
        Op.ARC: real_inside,
        Op.XLOGY: real_inside,
        Op.LOGADDEXP: real,
        Op.ENTROPY: real,
        Op.DET: real_inside,
        Op.BCE: soft_rectified,
        Op.BCE_WITH_LOGITS: soft_rectified,
        Op.KL_DIV: divergence,
        Op.LOGSUMEXP: log_sum_exp,
        Op.ARGREDUCE: indices,
    }
)
