"""The safe operations as one table, with the plain operation each stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

import epslint.runtime as er

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]

Operation = Callable[..., Tensor]


def _mask(x: Tensor) -> Tensor:
    """Every third entry out, by position: a constant under every transform."""
    return (torch.arange(x.shape[-1], device=x.device) % 3 != 1).expand(x.shape)


def _masked(operation: Operation) -> Operation:
    return lambda x, **options: operation(x, _mask(x), **options)


def _plain_masked_mean(x: Tensor) -> Tensor:
    mask = _mask(x)
    return (x * mask).sum() / mask.sum()


def _plain_masked_var(x: Tensor) -> Tensor:
    return x[_mask(x)].var()


def _plain_masked_whiten(x: Tensor) -> Tensor:
    kept = x[_mask(x)]
    return torch.where(_mask(x), (x - kept.mean()) / kept.std(), 0)


@dataclass(frozen=True, slots=True)
class Case:
    """One safe operation, what it replaces, and by how much it may differ (in units of eps)."""

    safe: Operation
    plain: Operation
    arity: int = 1
    ulps: float = 0.0


# 0 ulps is bit for bit. Reductions sum in another order, and k3 uses expm1.
CASES: dict[str, Case] = {
    "div": Case(er.safe_div, torch.div, 2),
    "log": Case(er.safe_log, torch.log),
    "exp": Case(er.safe_exp, torch.exp),
    "sqrt": Case(er.safe_sqrt, torch.sqrt),
    "rsqrt": Case(er.safe_rsqrt, torch.rsqrt),
    "prob_ratio": Case(er.prob_ratio, torch.div, 2),
    "logprob_ratio": Case(er.logprob_ratio, lambda a, b: (a - b).exp(), 2, ulps=8),
    "k1": Case(partial(er.kl_estimate, kind="k1"), lambda a, b: a - b, 2, ulps=2),
    "k2": Case(partial(er.kl_estimate, kind="k2"), lambda a, b: (a - b) ** 2 / 2, 2, ulps=8),
    "k3": Case(er.kl_estimate, lambda a, b: (b - a).exp() - (b - a) - 1, 2, ulps=8),
    "masked_mean": Case(_masked(er.masked_mean), _plain_masked_mean, ulps=8),
    "masked_var": Case(_masked(er.masked_var), _plain_masked_var, ulps=16),
    "masked_whiten": Case(_masked(er.masked_whiten), _plain_masked_whiten, ulps=16),
    "normalize": Case(er.normalize, lambda x: (x - x.mean()) / x.std(), ulps=16),
}

# The same operations with the options that move a guard.
VARIANTS: dict[str, Case] = {
    **CASES,
    "div_count": Case(partial(er.safe_div, role="count"), torch.div, 2),
    "log_divergence": Case(partial(er.safe_log, role="divergence"), torch.log),
    "rsqrt_count": Case(partial(er.safe_rsqrt, role="count"), torch.rsqrt),
    "normalize_count": Case(partial(er.normalize, role="count"), CASES["normalize"].plain),
    "normalize_biased": Case(partial(er.normalize, correction=0), CASES["normalize"].plain),
    "whiten_unshifted": Case(
        _masked(partial(er.masked_whiten, shift_mean=False)), CASES["masked_whiten"].plain
    ),
}
