"""Ordinary training gives no false alarm: what people run, under watch(on="raise")."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.checkpoint import checkpoint

import epslint.runtime as er


class _Last(nn.Module):
    """A recurrent network as a plain function of its input."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = self.network(x)[0]
        return output


class _Causal(nn.Module):
    """Attention with a mask of -inf, written out."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(8, 24)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.project(x).chunk(3, -1)
        mask = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), 1)
        scores = (q @ k.mT / 8**0.5).masked_fill(mask, float("-inf"))
        mixed: Tensor = F.dropout(scores.softmax(-1), 0.1) @ v
        return mixed


class _Fused(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(x, x, x, is_causal=True)


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "convolutions": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 4, 3),
            nn.BatchNorm2d(4),
            nn.GELU(),
            nn.MaxPool2d(2),
            nn.ConvTranspose2d(4, 4, 2),
            nn.GroupNorm(2, 4),
            nn.SiLU(),
            nn.AdaptiveAvgPool2d(1),
        ),
        (4, 3, 8, 8),
    ),
    "lstm": (lambda: _Last(nn.LSTM(8, 8, 2, batch_first=True, dropout=0.1)), (2, 5, 8)),
    "gru": (lambda: _Last(nn.GRU(8, 8, batch_first=True)), (2, 5, 8)),
    "transformer": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2),
        (2, 5, 8),
    ),
    "causal attention": (_Causal, (2, 5, 8)),
    "fused attention": (
        lambda: nn.Sequential(nn.Linear(8, 8), _Fused()),
        (2, 2, 5, 8),
    ),
    "norms": (
        lambda: nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.RMSNorm(8), nn.Softmax(-1)),
        (4, 8),
    ),
}


@pytest.mark.parametrize("every", [None, 50])
@pytest.mark.parametrize("name", MODELS)
def test_models(name: str, every: int | None) -> None:
    make, shape = MODELS[name]
    torch.manual_seed(0)
    with er.watch(check_every=every) as report:
        model = make()
        optimizer = torch.optim.AdamW(model.parameters())
        for _ in range(2):
            optimizer.zero_grad()
            output = model(torch.randn(shape))
            (output.square().mean() + output.std()).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    assert not report
    assert report.arrival is None


OPTIMIZERS: dict[str, Callable[[list[nn.Parameter]], torch.optim.Optimizer]] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda p: torch.optim.Adam(p, amsgrad=True),
    "adam, foreach": lambda p: torch.optim.Adam(p, foreach=True),
    "adam, fused": lambda p: torch.optim.Adam(p, fused=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, centered=True),
    "adagrad": torch.optim.Adagrad,
    "adadelta": torch.optim.Adadelta,
    "lbfgs": lambda p: torch.optim.LBFGS(p, max_iter=3),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name: str) -> None:
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    with er.watch() as report:
        optimizer = OPTIMIZERS[name](list(model.parameters()))

        def closure() -> float:
            optimizer.zero_grad()
            loss: Tensor = model(torch.ones(3, 4)).square().mean()
            loss.backward()
            return loss.item()

        for _ in range(3):
            optimizer.step(closure)
    assert not report


LOSSES: dict[str, Callable[[Tensor], Tensor]] = {
    "cross entropy": lambda x: F.cross_entropy(x, torch.tensor([0, 1, -100]), label_smoothing=0.1),
    "bce": lambda x: F.binary_cross_entropy_with_logits(x, torch.ones(3, 5)),
    "kl": lambda x: F.kl_div(x.log_softmax(-1), torch.full((3, 5), 0.2), reduction="batchmean"),
    "ctc": lambda x: F.ctc_loss(
        x.unsqueeze(1).log_softmax(-1), torch.tensor([[1, 2]]), torch.tensor([3]), torch.tensor([2])
    ),
    "huber": lambda x: F.huber_loss(x, torch.zeros(3, 5)),
    "cosine": lambda x: F.cosine_similarity(x, torch.zeros(3, 5)).sum(),
    "normalize": lambda x: F.normalize(x * 0).sum(),
    "norm": lambda x: (x * 0).norm() + (x * 0).norm(1) + (x * 0).norm(3),
    "std of equal numbers": lambda x: (x * 0).std(),
    "power": lambda x: ((x * 0) ** (x.abs() + 1)).sum(),
    "xlogy": lambda x: torch.xlogy(x * 0, x.detach().abs()).sum(),
    "product": lambda x: (x * 0).prod(),
    "atan2": lambda x: torch.atan2(x * 0, x * 0).sum(),
    "distance": lambda x: torch.cdist(x * 0, x * 0).sum(),
    "distribution": lambda x: torch.distributions.Categorical(logits=x).entropy().sum(),
    "normal": lambda x: torch.distributions.Normal(x, F.softplus(x)).rsample().sum(),
    "checkpoint": lambda x: checkpoint(torch.tanh, x, use_reentrant=False).sum(),
    "functional": lambda x: torch.func.vmap(torch.func.grad(lambda r: r.exp().sum()))(x).sum(),
    "bfloat16": lambda x: torch.nn.functional.gelu(x.bfloat16()).float().sum(),
    "double backward": lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0].sum(),
    "complex": lambda x: torch.fft.rfft(x).abs().sum(),
    "gather": lambda x: x.gather(1, torch.tensor([[0], [1], [2]])).sum() + x[x > 0].sum(),
}


@pytest.mark.parametrize("every", [None, 50])
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str, every: int | None) -> None:
    torch.manual_seed(0)
    x = torch.randn(3, 5, requires_grad=True)
    with er.watch(check_every=every) as report:
        LOSSES[name](x).backward()
    assert not report
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_initialisers() -> None:
    with er.watch() as report:
        for fill in (
            nn.init.xavier_uniform_,
            nn.init.kaiming_normal_,
            nn.init.orthogonal_,
            nn.init.trunc_normal_,
            nn.init.eye_,
            nn.init.dirac_,
        ):
            fill(torch.empty(4, 4, 3) if fill is nn.init.dirac_ else torch.empty(4, 4))
    assert not report


def test_autocast_and_a_gradient_scaler() -> None:
    model = nn.Linear(4, 4)
    with er.watch() as report:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(torch.ones(2, 4)).square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    assert not report
