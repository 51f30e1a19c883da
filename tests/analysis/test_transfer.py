"""Soundness: what an operation gives, for values that its operands can have, its range can hold.

Every op of the table runs against numpy or torch in float64. The operands are finite and hold
members of their ranges: both ends where they are closed, what is next to them, 0, tiny and huge
values. Two tolerances, both in `strategies.holds`: one part in 1e12 at a finite end other than 0,
because the concrete op rounds; none at 0, ±∞ and NaN. Products and quotients of what is drawn stay
inside float64, so underflow shows only where an op underflows by nature (exp, softmax, sigmoid).
Infinite operands are left out: an infinite end stands for arbitrarily large numbers.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch.nn import functional

from epslint.analysis import ranges
from epslint.analysis.fact import DType, Evidence, Fact, Form, Kind, number
from epslint.analysis.ops import Op
from epslint.analysis.ranges import INF, Range
from epslint.analysis.transfer import TABLE, Call
from tests.analysis.strategies import grid, holds, members_of

Array = npt.NDArray[np.float64]
Run = Callable[..., object]

GRID = grid(-INF, -2.0, -0.5, 0.0, 0.5, 1.5, 3.0, INF)
FAR = (-1e3, -95.0, -7.0, -0.1, 0.1, 2.5, 7.0, 95.0, 1e3)
SAMPLES = 400  # of operand pairs and triples; single operands take the whole grid


@dataclass(frozen=True, slots=True)
class Domain:
    """What an operand may be: a concrete op is only defined, or only exact, on some numbers."""

    limits: Range = ranges.REAL
    step: float = 0.0  # only multiples of it
    dtype: DType = DType.FLOAT64

    def operands(self) -> list[tuple[Fact, Array]]:
        found = []
        for range_ in GRID:
            met = range_.meet(self.limits)
            inside = [v for v in {*members_of(met), *FAR} if met.contains(v)]
            kept = [v for v in inside if math.isfinite(v) and self._fits(v)]
            if kept and not met.empty:
                fact = Fact(met, zero=Evidence.PROVEN, dtype=self.dtype, form=Form.NUMPY)
                found.append((fact, np.array(sorted(kept))))
        return found

    def _fits(self, value: float) -> bool:
        return not self.step or (abs(value) < 1e4 and value % self.step == 0)


REAL = Domain()
UNIT = Domain(ranges.UNIT)
POSITIVE = Domain(ranges.POSITIVE)
NONPOSITIVE = Domain(ranges.NONPOSITIVE)
MODERATE = Domain(Range(-1e3, 1e3))  # sums and products of several must not overflow
HALVES = Domain(step=0.5, dtype=DType.UNKNOWN)  # exact in every floating-point format
WHOLE = Domain(step=1.0, dtype=DType.INT)
INDICES = Domain(Range(0.0, 3.0), step=1.0, dtype=DType.INT)
TRUTH = Domain(ranges.UNIT, step=1.0, dtype=DType.BOOL)


@dataclass(frozen=True, slots=True)
class Case:
    """One spelling of an op, and what it takes."""

    op: Op
    spelling: str
    run: Run
    operands: Mapping[str, Domain] = field(default_factory=lambda: {"x": REAL})
    constants: Mapping[str, float] = field(default_factory=dict)
    part: int | str | None = None  # of a result that is a tuple
    form: Form = Form.NUMPY

    def __str__(self) -> str:
        given = ",".join(f"{k}={v:g}" for k, v in self.constants.items())
        return f"{self.op.name}-{self.spelling}{'-' + given if given else ''}"


def tensors(run: Run) -> Run:
    """A torch function as one of arrays."""

    def converted(*arrays: Array) -> object:
        return run(*(torch.from_numpy(np.asarray(a, dtype=np.float64)) for a in arrays))

    return converted


def each(op: Op, runs: Mapping[str, Run], **operands: Domain) -> Iterator[Case]:
    for spelling, run in runs.items():
        yield Case(op, spelling, run, operands or {"x": REAL})


def sparsemax(x: torch.Tensor) -> torch.Tensor:
    """The nearest distribution: what lies below a threshold is exactly 0."""
    ordered, places = x.sort(descending=True).values, torch.arange(1, len(x) + 1)
    kept = (1 + places * ordered > ordered.cumsum(0)).sum()
    return (x - (ordered[:kept].sum() - 1) / kept).clamp(min=0)


XY = {"x": REAL, "y": REAL}
t = tensors

# -- one element in, one element out -----------------------------------------------------------

ELEMENTWISE: tuple[Case, ...] = (
    *each(Op.ADD, {"add": np.add}, **XY),
    *each(Op.SUB, {"subtract": np.subtract}, **XY),
    *each(Op.MUL, {"multiply": np.multiply}, **XY),
    *each(Op.DIV, {"divide": np.divide, "torch": t(torch.div)}, **XY),
    *each(Op.FLOORDIV, {"floor_divide": np.floor_divide}, x=HALVES, y=HALVES),
    *each(Op.MOD, {"remainder": np.remainder, "fmod": np.fmod}, **XY),
    *each(Op.NEG, {"negative": np.negative}),
    *each(Op.SQUARE, {"square": np.square}),
    *each(Op.SQRT, {"sqrt": np.sqrt}),
    *each(Op.RSQRT, {"rsqrt": t(torch.rsqrt)}),
    *each(Op.RECIPROCAL, {"reciprocal": np.reciprocal}),
    *each(
        Op.DIVIDE_NO_NAN,
        {"divide_no_nan": lambda x, y: np.where(y == 0, 0.0, x / np.where(y == 0, 1.0, y))},
        **XY,
    ),
    *(
        Case(Op.POW, "power", np.power, {"x": REAL}, {"y": exponent})
        for exponent in (-3.0, -2.0, -1.0, -0.5, 0.0, 1 / 3, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
    ),
    *each(Op.POW, {"power": np.power}, x=Domain(Range(-9.0, 9.0)), y=Domain(Range(-5.0, 5.0))),
    *each(Op.ABS, {"absolute": np.absolute, "fabs": np.fabs}),
    *each(Op.EXP, {"exp": np.exp}),
    *each(Op.EXP2, {"exp2": np.exp2}),
    *each(Op.EXPM1, {"expm1": np.expm1}),
    *each(Op.LOG, {"log": np.log, "log2": np.log2, "log10": np.log10}),
    *(
        Case(Op.LOG, "base", lambda x, b: np.log(x) / np.log(b), {"x": REAL}, {"base": base})
        for base in (0.5, 1.5, 2.0, 100.0)
    ),
    *each(Op.LOG1P, {"log1p": np.log1p}),
    *each(Op.SIGMOID, {"sigmoid": t(torch.sigmoid)}),
    *each(Op.HARD_SIGMOID, {"hardsigmoid": t(functional.hardsigmoid)}),
    *each(Op.LOGSIGMOID, {"logsigmoid": t(functional.logsigmoid)}),
    *each(
        Op.TANH,
        {
            "tanh": np.tanh,
            "hardtanh": t(functional.hardtanh),
            "softsign": t(functional.softsign),
            "erf": t(torch.erf),
        },
    ),
    *each(Op.SOFTPLUS, {"softplus": t(functional.softplus)}),
    *each(Op.RELU, {"relu": t(torch.relu), "relu6": t(functional.relu6)}),
    *each(Op.RELU, {"relu6-above": t(functional.relu6)}, x=Domain(ranges.at_least(6.5))),
    *each(Op.SIN, {"sin": np.sin}),
    *each(Op.COS, {"cos": np.cos}),
    *each(
        Op.ARC,
        {
            "acos": np.arccos,
            "asin": np.arcsin,
            "atanh": np.arctanh,
            "logit": t(torch.logit),
            "erfinv": t(torch.erfinv),
        },
    ),
    *each(Op.SIGN, {"sign": np.sign}),
    *each(
        Op.ROUND,
        {"round": np.round, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint},
    ),
    *each(Op.LOGADDEXP, {"logaddexp": np.logaddexp}, **XY),
    *each(Op.XLOGY, {"xlogy": t(torch.special.xlogy)}, **XY),
    *each(Op.HYPOT, {"hypot": np.hypot}, **XY),
    *each(Op.CLAMP, {"clip": lambda x, a: np.clip(x, a, None)}, x=REAL, min=REAL),
    *each(Op.CLAMP, {"clip": lambda x, b: np.clip(x, None, b)}, x=REAL, max=REAL),
    *each(Op.CLAMP, {"clamp": t(torch.clamp)}, x=REAL, min=REAL, max=REAL),
    *each(Op.CLAMP_MIN, {"clamp_min": t(torch.clamp_min)}, x=REAL, min=REAL),
    *each(Op.CLAMP_MAX, {"clamp_max": t(torch.clamp_max)}, x=REAL, max=REAL),
    *each(Op.MAXIMUM, {"maximum": np.maximum, "fmax": np.fmax}, **XY),
    *each(Op.MINIMUM, {"minimum": np.minimum, "fmin": np.fmin}, **XY),
    *each(Op.NAN_TO_NUM, {"nan_to_num": np.nan_to_num}),
    *each(Op.ISNAN, {"isnan": np.isnan}),
    *each(Op.ISINF, {"isinf": np.isinf}),
    *each(Op.ISFINITE, {"isfinite": np.isfinite}),
    *each(Op.COMPARE, {"eq": np.equal, "gt": np.greater, "le": np.less_equal}, **XY),
    *each(Op.LOGICAL, {"and": np.logical_and, "or": np.logical_or}, **XY),
    *each(
        Op.LOGICAL,
        {
            "&": lambda x, y: x.astype(int) & y.astype(int),
            "|": lambda x, y: x.astype(int) | y.astype(int),
        },
        x=TRUTH,
        y=TRUTH,
    ),
    Case(Op.LOGICAL, "bits", lambda x, y: x.astype(int) & int(y), {"x": WHOLE}, {"y": 7.0}),
    *each(Op.HALF, {"half": lambda x: x.astype(np.float16)}, x=HALVES),
    *each(Op.BFLOAT16, {"bfloat16": t(lambda x: x.bfloat16().double())}, x=Domain(step=32.0)),
    *each(Op.FLOAT, {"float": lambda x: x.astype(np.float32)}, x=HALVES),
    *each(Op.DOUBLE, {"double": lambda x: x.astype(np.float64)}),
    *each(Op.INT, {"long": np.trunc, "int": np.vectorize(int, otypes=[float])}),
    *each(Op.INT, {"whole": np.trunc}, x=WHOLE),
    *each(Op.BOOL, {"bool": lambda x: x.astype(bool)}),
    *each(Op.DETACH, {"detach": t(lambda x: x.detach())}),
    *each(Op.ITEM, {"item": lambda x: [v.item() for v in x]}),
    *each(Op.TO_NUMPY, {"numpy": t(lambda x: x.numpy())}),
    *each(Op.TO_LIST, {"tolist": lambda x: x.tolist()}),
    *each(Op.AS_TENSOR, {"array": np.array, "tensor": torch.tensor}),
    *each(
        Op.ERROR,
        {
            "mse_loss": t(functional.mse_loss),
            "l1_loss": t(functional.l1_loss),
            "smooth_l1_loss": t(functional.smooth_l1_loss),
            "huber_loss": t(functional.huber_loss),
        },
        x=MODERATE,
        target=MODERATE,
    ),
    *each(
        Op.BCE, {"binary_cross_entropy": t(functional.binary_cross_entropy)}, x=UNIT, target=UNIT
    ),
    *each(
        Op.BCE_WITH_LOGITS,
        {"with_logits": t(functional.binary_cross_entropy_with_logits)},
        x=REAL,
        target=UNIT,
    ),
    *each(Op.KL_DIV, {"kl_div": t(functional.kl_div)}, x=NONPOSITIVE, target=UNIT),
    *each(Op.LOG_PROB, {"normal": t(torch.distributions.Normal(0.0, 1e-3).log_prob)}, x=MODERATE),
    *each(Op.ONE_HOT, {"one_hot": lambda x: np.eye(4)[x.astype(int)]}, x=INDICES),
    *each(Op.FULL, {"full": lambda v: np.full(3, v[0])}, value=REAL),
)

# -- many elements in: arrays of one to all members, and of what can be empty ------------------


def repeated(x: Array) -> Array:
    return np.repeat(np.flip(x.reshape(1, -1)), 2)


def split_sum(x: Array) -> Array:
    """Along one dimension a sum has fewer terms than the array has elements."""
    return np.asarray(np.vstack([x, x]).sum(0))


def in_rows(run: Run) -> Run:
    return lambda x, dim: run(torch.from_numpy(x), dim)


def gaussian_entropy(x: Array) -> object:
    normal = torch.distributions.Normal(torch.from_numpy(x) * 0, 1e-3)
    return normal.entropy()


WHOLE_ARRAYS: tuple[Case, ...] = (
    *each(Op.SUM, {"sum": np.sum, "fsum": math.fsum, "nansum": np.nansum}, x=MODERATE),
    Case(Op.SUM, "dim", lambda x, dim: split_sum(x), {"x": MODERATE}, {"dim": 0.0}),
    *each(Op.CUMSUM, {"cumsum": np.cumsum}, x=MODERATE),
    Case(Op.SUM, "start", sum, {"x": MODERATE}, {"start": -3.5}),
    *each(Op.MEAN, {"mean": np.mean}, x=MODERATE),
    *each(Op.MEDIAN, {"median": np.median, "torch": t(torch.median)}, x=MODERATE),
    *each(Op.STD, {"std": np.std, "torch": t(torch.std)}, x=MODERATE),
    *each(Op.VAR, {"var": np.var, "torch": t(torch.var)}, x=MODERATE),
    *(
        replace(case, part=part)
        for part in (0, 1)
        for case in (
            Case(Op.STD_MEAN, "std_mean", t(torch.std_mean), {"x": MODERATE}, form=Form.TORCH),
            Case(Op.VAR_MEAN, "var_mean", t(torch.var_mean), {"x": MODERATE}, form=Form.TORCH),
        )
    ),
    *(
        Case(
            Op.VAR_MEAN,
            "moments",
            lambda x: (np.mean(x), np.var(x)),
            {"x": MODERATE},
            part=part,
            form=Form.TENSORFLOW,
        )
        for part in (0, 1)
    ),
    *each(Op.PEAK_TO_PEAK, {"ptp": np.ptp}),
    *each(Op.NORM, {"norm": np.linalg.norm, "p=1": lambda x: np.linalg.norm(x, 1)}),
    *each(Op.MAX, {"max": np.max, "cummax": np.maximum.accumulate}),
    *each(Op.MIN, {"min": np.min, "cummin": np.minimum.accumulate}),
    Case(Op.MAX, "dim", in_rows(torch.max), constants={"dim": 0.0}, part="values", form=Form.TORCH),
    Case(
        Op.MIN, "dim", in_rows(torch.min), constants={"dim": 0.0}, part="indices", form=Form.TORCH
    ),
    Case(Op.MAX, "two", np.maximum, {"x": REAL, "dim": REAL}),
    Case(Op.MIN, "two", np.minimum, {"x": REAL, "dim": REAL}),
    *each(Op.COUNT_NONZERO, {"count_nonzero": np.count_nonzero}),
    *each(Op.BINCOUNT, {"bincount": lambda x: np.bincount(x.astype(int))}, x=INDICES),
    *each(
        Op.BINCOUNT,
        {"weights": lambda x, w: np.bincount(x.astype(int), w)},
        x=INDICES,
        weights=MODERATE,
    ),
    *each(
        Op.SCATTER_SUM,
        {"segment_sum": lambda x, i: np.bincount(i.astype(int), x, minlength=5)},
        x=MODERATE,
        y=INDICES,
    ),
    *each(Op.TRACE, {"trace": lambda x: np.trace(np.diag(x))}, x=MODERATE),
    *each(Op.PROD, {"prod": lambda x: np.prod(x[:4])}),
    *each(Op.CUMPROD, {"cumprod": lambda x: np.cumprod(x[:4])}),
    *each(Op.ANY, {"any": np.any}),
    *each(Op.ALL, {"all": np.all}),
    *each(Op.MATMUL, {"matmul": np.matmul}, x=MODERATE, y=MODERATE),
    *each(Op.DOT, {"dot": np.dot}, x=MODERATE, y=MODERATE),
    *each(Op.EINSUM, {"einsum": lambda x, y: np.einsum("i,i", x, y)}, x=MODERATE, y=MODERATE),
    *each(Op.DET, {"det": lambda x: np.linalg.det(np.diag(x[:4]))}, x=MODERATE),
    *each(Op.DET, {"logdet": t(lambda x: torch.logdet(torch.diag(x[:4])))}, x=MODERATE),
    *each(
        Op.SOFTMAX,
        {
            "softmax": t(lambda x: torch.softmax(x, 0)),
            "softmin": t(lambda x: functional.softmin(x, 0)),
        },
        x=MODERATE,
    ),
    *each(Op.COSH, {"cosh": np.cosh}, x=MODERATE),
    *each(Op.LOG_SOFTMAX, {"log_softmax": t(lambda x: torch.log_softmax(x, 0))}, x=MODERATE),
    *each(Op.LOGSUMEXP, {"logsumexp": t(lambda x: torch.logsumexp(x, 0))}, x=MODERATE),
    *each(Op.SPARSEMAX, {"sparsemax": t(sparsemax)}, x=MODERATE),
    *each(Op.NORMALIZE, {"normalize": t(lambda x: functional.normalize(x, dim=0))}),
    *each(Op.STANDARDIZE, {"layer_norm": t(lambda x: functional.layer_norm(x, x.shape))}),
    *each(
        Op.COSINE,
        {"cosine_similarity": t(lambda x, y: functional.cosine_similarity(x, y, dim=0))},
        x=MODERATE,
        y=MODERATE,
    ),
    *each(
        Op.CROSS_ENTROPY,
        {"cross_entropy": t(lambda x: functional.cross_entropy(x[None], torch.tensor([0])))},
        x=MODERATE,
    ),
    *each(
        Op.NLL,
        {"nll_loss": t(lambda x: functional.nll_loss(x[None], torch.tensor([0])))},
        x=NONPOSITIVE,  # it is a loss of log-probabilities, and of nothing else
    ),
    *each(Op.ENTROPY, {"normal": gaussian_entropy}),
    *each(Op.ARGREDUCE, {"argmin": np.argmin, "argsort": np.argsort}),
    *each(Op.ARGMAX, {"argmax": np.argmax}),
    *each(Op.SAME, {"repeat": repeated, "roll": lambda x: np.roll(x, 1), "copy": np.copy}),
    *each(Op.PICK, {"take": lambda x: np.take(x, [0, -1])}),
    *each(Op.SELECT, {"compress": lambda x: x[::2], "none": lambda x: x[:0]}),
    *(
        Case(Op.TOP_K, "topk", t(lambda x: torch.topk(x, 1)), part=part, form=Form.TORCH)
        for part in (0, 1)
    ),
    *each(Op.SORT, {"sort": np.sort}),
    *(
        Case(Op.SORT, "sort", t(torch.sort), part=part, form=Form.TORCH)
        for part in (0, 1, "values", "indices")
    ),
    *each(Op.NONZERO, {"flatnonzero": np.flatnonzero}),
    *each(Op.STACK, {"stack": lambda x: np.stack([x, x]), "cat": lambda x: np.concatenate([x, x])}),
    *each(Op.LEN, {"len": len}),
    *each(Op.NUMEL, {"numel": np.size}),
    *each(Op.SIZE, {"size": t(lambda x: x.size(0))}),
    *each(Op.ZEROS, {"zeros_like": np.zeros_like}),
    *each(Op.ONES, {"ones_like": np.ones_like}),
    *each(Op.RAND, {"rand_like": t(torch.rand_like)}),
    *each(Op.RANDN, {"randn_like": t(torch.randn_like)}),
    *each(Op.INIT_NORMAL, {"normal_": t(lambda x: x.clone().normal_())}),
)

# Reductions that give a number for an empty array too.
OF_NOTHING = frozenset(
    {Op.SUM, Op.CUMSUM, Op.MEAN, Op.STD, Op.VAR, Op.NORM, Op.PROD, Op.ANY, Op.ALL}
)
OF_NOTHING |= {Op.COUNT_NONZERO, Op.LEN, Op.NUMEL, Op.SIZE, Op.NONZERO, Op.DOT}

# -- ops of another shape, each with its own test below ----------------------------------------

ELSEWHERE: Mapping[Op, str] = MappingProxyType(
    {
        Op.ARANGE: "test_arange",
        Op.EIGENVALUES: "test_eigenvalues",
        Op.EIGH: "test_eigenvalues",
        Op.EYE: "test_eye",
        Op.FINFO: "test_finfo",
        Op.FINFO_EPS: "test_machine_epsilon",
        Op.GAMMA: "test_gamma",
        Op.INVERSE: "test_inverse",
        Op.LINSPACE: "test_linspace",
        Op.MULTINOMIAL: "test_multinomial",
        Op.SOLVE: "test_solve",
        Op.TIME: "test_time",
        Op.UNIQUE: "test_unique",
    }
)

NO_COUNTERPART: Mapping[Op, str] = MappingProxyType(
    {
        Op.AFFINE: "its weights are whatever training makes of them: it is any number",
        Op.PARAMETER: "its value is whatever training makes of it: all numbers",
        Op.LOAD: "triton's, and what is in memory may be any number",
    }
)

# -- what is drawn -----------------------------------------------------------------------------

Given = dict[str, tuple[Fact, Array]]


def elementwise(case: Case, chance: random.Random) -> Iterator[Given]:
    """Each member of each operand beside each member of the others."""
    for facts_ in drawn(case, chance):
        names = list(facts_)
        combined = np.array(list(product(*(values for _, values in facts_.values()))))
        yield {name: (facts_[name][0], combined[:, column]) for column, name in enumerate(names)}


def whole_arrays(case: Case, chance: random.Random) -> Iterator[Given]:
    """The members of each operand together, some of them, one of them, and none."""
    sizes = [1, 2, 4] + ([0] if case.op in OF_NOTHING else [])
    for facts_ in drawn(case, chance):
        for size in sizes:
            chosen = {
                name: (_sized(fact, size), np.array(chance.choices(list(values), k=size)))
                for name, (fact, values) in facts_.items()
            }
            yield chosen


def _sized(fact: Fact, size: int) -> Fact:
    return replace(fact, size=ranges.point(float(size)) if size else ranges.NONNEGATIVE)


def drawn(case: Case, chance: random.Random) -> Iterator[Given]:
    pools = {name: domain.operands() for name, domain in case.operands.items()}
    if len(pools) == 1:
        ((name, pool),) = pools.items()
        yield from ({name: operand} for operand in pool)
        return
    for _ in range(SAMPLES):
        yield {name: chance.choice(pool) for name, pool in pools.items()}


def failures(case: Case, given: Given) -> list[str]:
    """The results outside the range that the table gives for these operands."""
    facts_ = {name: replace(fact, form=case.form) for name, (fact, _) in given.items()}
    facts_ |= {name: number(value) for name, value in case.constants.items()}
    told = TABLE[case.op](Call(case.op, facts_, case.form))
    arguments = [values for _, values in given.values()]
    constants = [
        int(v) if v == int(v) and "dim" in case.constants else v for v in case.constants.values()
    ]
    computed = case.run(*arguments, *constants)
    if case.part is not None:
        part = told.part(case.part)
        assert part is not None, f"{case} has no part {case.part!r}"
        told = part
        assert isinstance(computed, tuple)
        computed = (
            getattr(computed, case.part) if isinstance(case.part, str) else computed[case.part]
        )
    results = np.asarray(computed, dtype=np.float64).ravel()
    shown = {name: str(fact.range) for name, (fact, _) in given.items()}
    return [
        f"{case}: {shown} gave {value!r}, which is not in {told.range} (nan: {told.range.nan})"
        for value in map(float, results)
        if not holds(told.range, value)
    ]


CASES = [(case, elementwise) for case in ELEMENTWISE] + [
    (case, whole_arrays) for case in WHOLE_ARRAYS
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("case", "draw"), CASES, ids=[str(case) for case, _ in CASES])
def test_sound(case: Case, draw: Callable[[Case, random.Random], Iterator[Given]]) -> None:
    chance = random.Random(str(case))
    wrong = []
    checked = 0
    with np.errstate(all="ignore"):
        for given in draw(case, chance):
            wrong += failures(case, given)
            checked += 1
    assert checked
    assert not wrong[:5]


def test_every_op_of_the_table_is_exercised() -> None:
    exercised = {case.op for case, _ in CASES}
    accounted = [exercised, set(ELSEWHERE), set(NO_COUNTERPART)]
    assert set(TABLE) == set().union(*accounted)
    assert sum(map(len, accounted)) == len(TABLE), "an op stands in two places"
    assert all(name in globals() for name in ELSEWHERE.values())


def test_an_unsound_table_would_be_found() -> None:
    """The meta-test: a wrong answer does fail."""
    lie = Case(Op.EXP, "lie", lambda x: -np.exp(x))
    with np.errstate(all="ignore"):
        assert any(failures(lie, given) for given in elementwise(lie, random.Random(0)))


# -- ops of another shape ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "bounds",
    [
        {"start": (5.0, 5.0)},
        {"start": (1.0, 1.0), "end": (6.0, 9.0)},
        {"start": (-3.0, -3.0), "end": (6.0, 9.0)},
        {"start": (2.0, 3.0), "end": (6.0, 9.0)},
        {"start": (0.0, 0.0), "end": (6.0, 9.0), "step": (2.0, 2.0)},
        {"start": (9.0, 9.0), "end": (-3.0, -3.0), "step": (-2.0, -2.0)},
        {"start": (9.0, 9.0), "end": (-3.0, -3.0), "step": (-2.0, -1.0)},
    ],
    ids=str,
)
def test_arange(bounds: Mapping[str, tuple[float, float]]) -> None:
    facts_ = {name: Fact(Range(lo, hi)) for name, (lo, hi) in bounds.items()}
    told = TABLE[Op.ARANGE](Call(Op.ARANGE, facts_, Form.NUMPY))
    for values in product(*bounds.values()):
        assert all(holds(told.range, float(value)) for value in np.arange(*values))


@pytest.mark.parametrize("ends", [((0.0, 0.0), (1.0, 2.0)), ((-3.0, -1.0), (-4.0, 5.0))], ids=str)
def test_linspace(ends: tuple[tuple[float, float], tuple[float, float]]) -> None:
    facts_ = {name: Fact(Range(*end)) for name, end in zip(("start", "end"), ends, strict=True)}
    told = TABLE[Op.LINSPACE](Call(Op.LINSPACE, facts_, Form.NUMPY))
    assert told.is_any(Kind.DRAWN)  # not all of it is 0
    for start, end in product(*ends):
        assert all(holds(told.range, float(value)) for value in np.linspace(start, end, 7))


def test_unique() -> None:
    told = TABLE[Op.UNIQUE](Call(Op.UNIQUE, {"x": Fact(Range(0.0, 1.0))}, Form.NUMPY))
    _, counts = np.unique([0.0, 1.0, 1.0], return_counts=True)
    assert all(holds(told.range, float(count)) for count in counts)  # 2 is in no range of x


def squares_of_rows(op: Op, **matrices: Fact) -> Fact:
    """What is said of the sums of squares along the rows of what an operation gives."""
    matrix = TABLE[op](Call(op, matrices, Form.TORCH))
    squares = TABLE[Op.SQUARE](Call(Op.SQUARE, {"x": matrix}))
    return TABLE[Op.SUM](Call(Op.SUM, {"x": squares, "dim": number(-1)}))


def test_eye() -> None:
    told = TABLE[Op.EYE](Call(Op.EYE, {"x": number(3)}, Form.TORCH))
    assert all(holds(told.range, float(value)) for value in torch.eye(3).ravel())
    summed = TABLE[Op.SUM](Call(Op.SUM, {"x": told, "dim": number(-1)}))
    assert not summed.range.has_zero


def test_inverse() -> None:
    """No row of an inverse or of a triangular root is 0, whatever single elements are."""
    assert not squares_of_rows(Op.INVERSE, x=Fact()).zeroable
    positive = torch.randn(4, 4, dtype=torch.float64).cov() + torch.eye(4)
    for matrix in (torch.linalg.inv(positive), torch.linalg.cholesky(positive)):
        assert matrix.square().sum(-1).min() > 0


def test_eigenvalues() -> None:
    """Those of a singular covariance are 0, and a little less; not once `eye` is added to it."""
    told = TABLE[Op.EIGENVALUES](Call(Op.EIGENVALUES, {"x": Fact()}, Form.TORCH))
    values, _ = TABLE[Op.EIGH](Call(Op.EIGH, {"x": Fact()}, Form.TORCH)).parts[:2]
    assert told.zeroable
    assert values == (0, told)
    found = torch.linalg.eigvalsh(torch.ones(8, 3).T.cov())
    assert all(holds(told.range, float(value)) for value in found)
    assert found.min() < 1e-6


def test_solve() -> None:
    """What solves a system for `eye` is an inverse; for a row of zeros it is zeros."""
    assert not squares_of_rows(Op.SOLVE, by=Fact(), x=TABLE[Op.EYE](Call(Op.EYE, {}))).zeroable
    assert squares_of_rows(Op.SOLVE, by=Fact(), x=Fact()).zeroable
    solution = torch.linalg.solve_triangular(torch.eye(3), torch.zeros(3, 1), upper=True)
    assert solution.square().sum() == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_finfo(dtype: torch.dtype, known: bool) -> None:
    name = str(dtype).removeprefix("torch.")
    x = Fact(dtype=DType(name) if known else DType.UNKNOWN)
    told = TABLE[Op.FINFO](Call(Op.FINFO, {"x": x}, Form.TORCH))
    assert told.parts
    for key, fact in told.parts:
        assert fact.range.contains(getattr(torch.finfo(dtype), str(key))), key


def test_machine_epsilon() -> None:
    told = TABLE[Op.FINFO_EPS](Call(Op.FINFO_EPS, {}))
    assert told.range.contains(1e-7)  # keras.backend.epsilon()
    assert not told.range.has_zero
    assert told.is_any(Kind.EPSILON)


@pytest.mark.parametrize(("concentration", "vanishes"), [(1e-4, True), (2.0, False)])
def test_gamma(concentration: float, vanishes: bool) -> None:
    told = TABLE[Op.GAMMA](Call(Op.GAMMA, {"concentration": number(concentration)}))
    drawn = np.random.default_rng(0).gamma(concentration, size=100)
    assert all(told.range.contains(float(value)) for value in drawn)
    assert told.range.has_zero == (0.0 in drawn) == vanishes


def test_multinomial() -> None:
    told = TABLE[Op.MULTINOMIAL](Call(Op.MULTINOMIAL, {}))
    drawn = torch.multinomial(torch.tensor([0.0, 0.5, 0.5]), 100, replacement=True)
    assert all(told.range.contains(float(index)) for index in drawn)
    assert told.dtype is DType.INT


def test_time() -> None:
    clock = TABLE[Op.TIME](Call(Op.TIME, {}))
    assert clock.range.contains(time.time())
    begun = time.perf_counter()
    elapsed = TABLE[Op.SUB](Call(Op.SUB, {"x": clock, "y": clock}))
    time.sleep(1e-4)
    assert elapsed.range.contains(time.perf_counter() - begun)


# -- NaN and infinity --------------------------------------------------------------------------

BORN_NAN: tuple[tuple[Op, Mapping[str, float]], ...] = (
    (Op.DIV, {"x": 0.0, "y": 0.0}),
    (Op.SQRT, {"x": -1.0}),
    (Op.RSQRT, {"x": -1.0}),
    (Op.LOG, {"x": -1.0}),
    (Op.LOG1P, {"x": -2.0}),
    (Op.POW, {"x": -1.0, "y": 0.5}),
    (Op.POW, {"x": -1.0, "y": -0.5}),
    (Op.ARC, {"x": 2.0}),
    (Op.XLOGY, {"x": 1.0, "y": -1.0}),
)


@pytest.mark.parametrize(("op", "values"), BORN_NAN, ids=str)
def test_nan_that_is_born_is_told(op: Op, values: Mapping[str, float]) -> None:
    facts_ = {name: number(value) for name, value in values.items()}
    assert TABLE[op](Call(op, facts_, Form.NUMPY)).range.nan


@pytest.mark.parametrize("replacement", [None, 5.0])
def test_nan_to_num_puts_something_in_its_place(replacement: float | None) -> None:
    facts_ = {"x": Fact(Range(1.0, 2.0, nan=True))}
    if replacement is not None:
        facts_["nan"] = number(replacement)
    told = TABLE[Op.NAN_TO_NUM](Call(Op.NAN_TO_NUM, facts_, Form.NUMPY))
    for value in (math.nan, 1.0, 2.0):
        assert told.range.contains(float(np.nan_to_num(value, nan=replacement or 0.0)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_exp_underflows_and_overflows_as_its_dtype_does(dtype: torch.dtype) -> None:
    known = DType(str(dtype).removeprefix("torch."))
    for value in (-800.0, -110.0, -20.0, 20.0, 100.0, 800.0):
        result = torch.exp(torch.tensor(value, dtype=dtype)).item()
        told = TABLE[Op.EXP](Call(Op.EXP, {"x": Fact(Range(-abs(value), abs(value)), dtype=known)}))
        assert told.range.contains(result)
        assert told.range.bounded or math.isinf(result) or value < 0


@pytest.mark.parametrize("value", [-1e308, -1e3, -0.0, 1e3, 1e308, INF, -INF], ids=str)
@pytest.mark.parametrize("op", TABLE, ids=lambda op: op.name)
def test_no_constant_is_too_large(op: Op, value: float) -> None:
    """`math.exp(1e3)` is an OverflowError in Python; in the analysis it is just ∞."""
    facts_ = {name: number(value) for name in ("x", "y", "min", "start", "value")}
    assert not TABLE[op](Call(op, facts_, Form.NUMPY)).range.empty
