"""Bugs as researchers write them: small functions over four libraries, each with its hazard.

They were written down before the linter was run on them, so that they tell what it misses. Three
are not here: what is said of them is said so seldom rightly that it is better not said.
"""

from __future__ import annotations

import textwrap

import pytest

from epslint import api
from epslint.config import Config
from epslint.rule import Confidence

EVERYTHING = Config(confidence=Confidence.UNLIKELY)

# What is wrong (the families of codes that may say so), and the code.
SNIPPETS: list[tuple[str, str, str]] = [
    (
        "adagrad without an epsilon",
        "EPS1",
        """
        import torch

        class Adagrad:
            def __init__(self, params, lr=0.1):
                self.params = list(params)
                self.lr = lr
                self.acc = [torch.zeros_like(p) for p in self.params]

            @torch.no_grad()
            def step(self):
                for p, a in zip(self.params, self.acc):
                    a += p.grad ** 2
                    p -= self.lr * p.grad / a.sqrt()
        """,
    ),
    (
        "adagrad of a state, in jax",
        "EPS1",
        """
        import jax.numpy as jnp

        def apply_gradient(param, state, grad, lr):
            accumulated = state.accumulated + jnp.square(grad)
            return param - lr * grad / jnp.sqrt(accumulated), accumulated
        """,
    ),
    (
        "rmsprop over a dictionary of state",
        "EPS1",
        """
        import numpy as np

        def rmsprop(w, dw, cache, lr=1e-3, decay=0.99):
            cache["v"] = decay * cache["v"] + (1 - decay) * dw ** 2
            w -= lr * dw / np.sqrt(cache["v"])
            return w
        """,
    ),
    (
        "a map over its own largest value",
        "EPS1",
        """
        import numpy as np

        def onset_strength(D):
            D = np.diff(D, axis=1)
            D = np.maximum(0.0, D)
            D = D.mean(axis=0)
            return D / np.max(D)
        """,
    ),
    (
        "grad-cam over its own largest value",
        "EPS1",
        """
        import torch
        import torch.nn.functional as F

        def grad_cam(activations, gradients):
            weights = gradients.mean(dim=(2, 3), keepdim=True)
            cam = F.relu((weights * activations).sum(dim=1))
            return cam / cam.amax(dim=(1, 2), keepdim=True)
        """,
    ),
    (
        "dirichlet as gammas over their sum",
        "EPS1",
        """
        import jax

        def sample_dirichlet(key, alpha, n):
            g = jax.random.gamma(key, alpha, (n,))
            return g / g.sum(axis=-1, keepdims=True)
        """,
    ),
    (
        "beta as two gammas",
        "EPS1",
        """
        import numpy as np

        def sample_beta(a, b, size):
            x = np.random.gamma(a, size=size)
            y = np.random.gamma(b, size=size)
            return x / (x + y)
        """,
    ),
    (
        "gumbel of torch.rand",
        "EPS2",
        """
        import torch

        def gumbel_like(logits):
            u = torch.rand_like(logits)
            return -torch.log(-torch.log(u))
        """,
    ),
    (
        "gumbel of uniform_",
        "EPS2",
        """
        import torch

        def sample_gumbel(shape, device):
            noise = torch.empty(shape, device=device).uniform_()
            return -(-noise.log()).log()
        """,
    ),
    (
        "gumbel in jax",
        "EPS2",
        """
        import jax
        import jax.numpy as jnp

        def gumbel_max(key, logits):
            u = jax.random.uniform(key, logits.shape)
            return jnp.argmax(logits - jnp.log(-jnp.log(u)), axis=-1)
        """,
    ),
    (
        "iou per class in a metric",
        "EPS604",
        """
        import torch
        from torchmetrics import Metric

        class MeanIoU(Metric):
            def __init__(self, num_classes):
                super().__init__()
                self.add_state("inter", default=torch.zeros(num_classes), dist_reduce_fx="sum")
                self.add_state("union", default=torch.zeros(num_classes), dist_reduce_fx="sum")

            def update(self, pred, target):
                for c in range(len(self.inter)):
                    p, t = pred == c, target == c
                    self.inter[c] += (p & t).sum()
                    self.union[c] += (p | t).sum()

            def compute(self):
                return (self.inter / self.union).mean()
        """,
    ),
    (
        "accuracy per class in numpy",
        "EPS604",
        """
        import numpy as np

        class ClassAccuracy:
            def __init__(self, n):
                self.n = n
                self.reset()

            def reset(self):
                self.hits = np.zeros(self.n)
                self.seen = np.zeros(self.n)

            def update(self, pred, label):
                self.hits += np.bincount(label[pred == label], minlength=self.n)
                self.seen += np.bincount(label, minlength=self.n)

            def report(self):
                return self.hits / self.seen
        """,
    ),
    (
        "counters in a dictionary",
        "EPS604",
        """
        class Metrics:
            def __init__(self):
                self.metrics = {"cnt": 0, "correct": 0, "f1": 0.0}

            def update(self, correct, f1):
                if correct is not None:
                    self.metrics["correct"] += int(correct)
                    self.metrics["cnt"] += 1
                self.metrics["f1"] += f1

            def report(self):
                return {"accuracy": self.metrics["correct"] / self.metrics["cnt"]}
        """,
    ),
    (
        "pitch of a quaternion",
        "EPS5",
        """
        import jax
        import jax.numpy as jnp

        def pitch(q):
            return jnp.arcsin(2 * (q[0] * q[2] - q[3] * q[1]))

        def tilt_loss(q, target):
            return jnp.mean((pitch(q) - target) ** 2)

        tilt_grad = jax.grad(tilt_loss)
        """,
    ),
    (
        "angle of unit vectors, clipped to 1",
        "EPS5",
        """
        import torch
        import torch.nn.functional as F

        def angular_loss(pred, target):
            p = F.normalize(pred, dim=-1)
            t = F.normalize(target, dim=-1)
            cos = (p * t).sum(-1).clamp(-1.0, 1.0)
            return torch.acos(cos).mean()
        """,
    ),
    (
        "local deviation from two filters",
        "EPS",
        """
        import numpy as np
        from scipy.ndimage import uniform_filter

        def local_std(image, size):
            m = uniform_filter(image, size)
            g2 = uniform_filter(image * image, size)
            return np.sqrt(g2 - m * m)
        """,
    ),
    (
        "distance from a Gram matrix",
        "EPS5",
        """
        import torch

        def pairwise_distance(x):
            sq = (x ** 2).sum(1)
            d2 = sq[:, None] + sq[None, :] - 2 * x @ x.t()
            return d2.sqrt()
        """,
    ),
    (
        "distance clamped to 0, then its root",
        "EPS5",
        """
        import torch

        def contrastive_loss(emb, label, margin=1.0):
            dot = emb @ emb.t()
            sq = dot.diagonal()
            d2 = sq[None] - 2 * dot + sq[:, None]
            d = torch.sqrt(torch.clamp(d2, min=0.0))
            return (label * d ** 2 + (1 - label) * torch.relu(margin - d) ** 2).mean()
        """,
    ),
    (
        "an rmse loss",
        "EPS5",
        """
        import torch
        import torch.nn as nn

        class RMSELoss(nn.Module):
            def forward(self, pred, target):
                return torch.sqrt(torch.mean((pred - target) ** 2))
        """,
    ),
    (
        "where around a root",
        "EPS5",
        """
        import jax.numpy as jnp

        def safe_norm(x):
            sq = jnp.sum(x ** 2, axis=-1)
            return jnp.where(sq > 0, jnp.sqrt(sq), 0.0)
        """,
    ),
    (
        "where around a quotient",
        "EPS5",
        """
        import torch

        def spherical_bessel(x):
            return torch.where(x == 0, torch.ones_like(x), torch.sin(x) / x)
        """,
    ),
    (
        "where around a log",
        "EPS",
        """
        import tensorflow as tf

        def entropy_loss(probs):
            plogp = tf.where(probs > 0, probs * tf.math.log(probs), tf.zeros_like(probs))
            return -tf.reduce_sum(plogp, axis=-1)
        """,
    ),
    (
        "softmax by hand",
        "EPS3",
        """
        import numpy as np

        def softmax(z, temperature=1.0):
            e = np.exp(z / temperature)
            return e / e.sum(axis=-1, keepdims=True)
        """,
    ),
    (
        "softplus by hand",
        "EPS2",
        """
        import torch

        def logistic_loss(scores, y):
            return torch.log(1 + torch.exp(-y * scores)).mean()
        """,
    ),
    (
        "a hard logsumexp",
        "EPS2",
        """
        import jax.numpy as jnp

        def log_partition(energies):
            return jnp.log(jnp.sum(jnp.exp(-energies), axis=-1))
        """,
    ),
    (
        "masked mean pooling",
        "EPS1",
        """
        import tensorflow as tf

        def masked_loss(y_true, y_pred):
            mask = tf.cast(tf.not_equal(y_true, 0), tf.float32)
            loss = tf.square(y_true - y_pred) * mask
            return tf.reduce_sum(loss) / tf.reduce_sum(mask)
        """,
    ),
    (
        "inverse document frequency",
        "EPS1",
        """
        import numpy as np

        def tfidf(counts):
            tf = counts / counts.sum(axis=1, keepdims=True)
            df = (counts > 0).sum(axis=0)
            idf = np.log(len(counts) / df)
            return tf * idf
        """,
    ),
]


@pytest.mark.parametrize(
    ("families", "code"),
    [pytest.param(families, code, id=name) for name, families, code in SNIPPETS],
)
def test_it_is_seen(families: str, code: str) -> None:
    found = api.check_source(textwrap.dedent(code), config=EVERYTHING)
    assert not found.failures, found.failures
    assert [f.code for f in found.findings if f.code.startswith(families)], found.findings
