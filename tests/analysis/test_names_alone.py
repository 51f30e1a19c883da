"""Names alone: expressions as researchers write them, of which nothing else is known.

The table was written before looking at the vocabulary; what is silent is so for a reason, which
stands beside it.
"""

from __future__ import annotations

import textwrap

import pytest

from epslint import api

HEAD = """\
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch


"""


def codes(source: str) -> list[str]:
    found = api.check_source(HEAD + textwrap.dedent(source))
    assert not found.failures, found.failures
    return sorted(finding.code for finding in found.findings)


FLAGGED = (
    (
        "num_valid_tokens",
        """
        def f(per_token_loss, num_valid_tokens):
            return per_token_loss.sum() / num_valid_tokens
        """,
        ["EPS101"],
    ),
    (
        "n_valid",
        """
        def f(batch):
            n_valid = batch['n_valid']
            return batch['nll'].sum() / n_valid
        """,
        ["EPS101"],
    ),
    (
        "mask_count",
        """
        def f(loss, mask, mask_count):
            return (loss * mask).sum(-1) / mask_count
        """,
        ["EPS101"],
    ),
    (
        "attn_mask_sum",
        """
        def f(hidden, attn_mask, attn_mask_sum):
            return (hidden * attn_mask).sum(1) / attn_mask_sum
        """,
        ["EPS101"],
    ),
    (
        "mask_sum",
        """
        def f(x, mask_sum):
            return x.sum() / mask_sum
        """,
        ["EPS101"],
    ),
    (
        "num_pos",
        """
        def f(loss_cls, loss_box, num_pos):
            return (loss_cls.sum() + loss_box.sum()) / num_pos
        """,
        ["EPS101"],
    ),
    (
        "total_weight",
        """
        def f(loss, weights, total_weight):
            return (loss * weights).sum() / total_weight
        """,
        ["EPS101"],
    ),
    (
        "num_masked",
        """
        def f(loss, num_masked):
            return loss.sum() / num_masked
        """,
        ["EPS101"],
    ),
    (
        "denom jnp",
        """
        def f(loss, weights, denom):
            return jnp.sum(loss * weights) / denom
        """,
        ["EPS101"],
    ),
    (
        "degree",
        """
        def f(adj, degree):
            return adj / degree
        """,
        ["EPS101"],
    ),
    (
        "deg pow",
        """
        def f(adj, deg):
            d = deg.pow(-0.5)
            return d[:, None] * adj * d[None]
        """,
        ["EPS101"],
    ),
    (
        "num_neighbors",
        """
        def f(messages, num_neighbors):
            return messages.sum(1) / num_neighbors[:, None]
        """,
        ["EPS101"],
    ),
    (
        "std adv",
        """
        def f(advantages, adv_mean, adv_std):
            return (advantages - adv_mean) / adv_std
        """,
        ["EPS102"],
    ),
    (
        "vec_length norms",
        """
        def f(q, q_norm, k, k_norm):
            return (q @ k.T) / (q_norm * k_norm)
        """,
        ["EPS102"],
    ),
    (
        "tp fp",
        """
        def f(tp, fp, fn):
            return tp / (tp + fp), tp / (tp + fn)
        """,
        ["EPS101", "EPS101"],
    ),
    (
        "probs",
        """
        def f(probs):
            return -(probs * torch.log(probs)).sum(-1)
        """,
        ["EPS201"],
    ),
    (
        "attn_probs",
        """
        def f(attn_probs):
            return -(attn_probs * attn_probs.log()).sum(-1).mean()
        """,
        ["EPS201"],
    ),
    (
        "action_probabilities",
        """
        def f(action_probabilities, actions):
            return torch.log(action_probabilities.gather(1, actions))
        """,
        ["EPS201"],
    ),
    (
        "p_y",
        """
        def f(y, y_prob):
            return -(y * torch.log(y_prob) + (1 - y) * torch.log(1 - y_prob))
        """,
        ["EPS201", "EPS204"],
    ),
    (
        "camel",
        """
        def f(classProbs):
            return torch.log(classProbs)
        """,
        ["EPS201"],
    ),
    (
        "likelihood",
        """
        def f(likelihood):
            return -torch.log(likelihood).mean()
        """,
        ["EPS201"],
    ),
    (
        "softmax_out tf",
        """
        def f(softmax_output, labels):
            return -tf.reduce_sum(labels * tf.math.log(softmax_output), axis=-1)
        """,
        ["EPS201"],
    ),
    (
        "kl",
        """
        def f(p_old, p_new):
            return (p_old * torch.log(p_old / p_new)).sum(-1)
        """,
        ["EPS208"],
    ),
    (
        "d_real",
        """
        def f(d_real, d_fake):
            return -torch.mean(torch.log(d_real) + torch.log(1 - d_fake))
        """,
        ["EPS201", "EPS206"],
    ),
    (
        "mel",
        """
        def f(mel_spec):
            return torch.log(mel_spec)
        """,
        ["EPS207"],
    ),
    (
        "magnitude db",
        """
        def f(magnitude):
            return 20 * torch.log10(magnitude)
        """,
        ["EPS207"],
    ),
    (
        "tanh action",
        """
        def f(log_prob, action):
            return log_prob - torch.log(1 - action ** 2).sum(-1)
        """,
        ["EPS207"],
    ),
    (
        "ratio",
        """
        def f(new_log_probs, old_log_probs, adv):
            ratio = torch.exp(new_log_probs - old_log_probs)
            return -(ratio * adv).mean()
        """,
        ["EPS301"],
    ),
    (
        "logprobs ref",
        """
        def f(logprobs, ref_logprobs):
            return torch.exp(ref_logprobs - logprobs) - (ref_logprobs - logprobs) - 1
        """,
        ["EPS302"],
    ),
    (
        "log_likelihood is",
        """
        def f(log_likelihood, prev_log_likelihood, adv):
            return (torch.exp(log_likelihood - prev_log_likelihood) * adv).mean()
        """,
        ["EPS301"],
    ),
    (
        "neg_log_prob",
        """
        def f(neg_log_prob, old_neg_log_prob, adv):
            ratio = tf.exp(old_neg_log_prob - neg_log_prob)
            return -tf.reduce_mean(ratio * adv)
        """,
        ["EPS301"],
    ),
    (
        "logits exp",
        """
        def f(logits):
            e = torch.exp(logits)
            return e / e.sum(-1, keepdim=True)
        """,
        ["EPS305"],
    ),
    (
        "var",
        """
        def f(x, mean, var):
            return (x - mean) / torch.sqrt(var)
        """,
        ["EPS102"],
    ),
    (
        "variance numpy",
        """
        def f(x, running_var):
            return x / np.sqrt(running_var)
        """,
        ["EPS102"],
    ),
    (
        "dist2 loss",
        """
        def contrastive_loss(dist_sq, y, margin):
            d = torch.sqrt(dist_sq)
            return (y * d ** 2 + (1 - y) * torch.relu(margin - d) ** 2).mean()
        """,
        ["EPS501"],
    ),
    # Held by its loss, mostly: possible, and advice.
    (
        "logvar",
        """
        def f(mu, logvar):
            return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        """,
        ["EPS306"],
    ),
)

SILENT = (
    # Only its gradient is harmed, and a function that does not say that it is of tensors hardly
    # ever has one.
    (
        "sq_dist",
        """
        def f(sq_dist):
            return torch.sqrt(sq_dist).mean()
        """,
    ),
    # Tokens: of a whole batch there are some.
    (
        "number_of_tokens",
        """
        def f(losses, number_of_tokens):
            return losses.sum() / number_of_tokens
        """,
    ),
    # Nobody is of length 0.
    (
        "seq_lens",
        """
        def f(hidden, mask, seq_lens):
            return (hidden * mask[..., None]).sum(1) / seq_lens[:, None]
        """,
    ),
    # Who calls it has counted; a function that reduces is anybody's.
    (
        "avg_factor",
        """
        def f(loss, weight, avg_factor):
            loss = loss * weight
            return loss.sum() / avg_factor
        """,
    ),
    # Nobody is of length 0.
    (
        "lengths jax",
        """
        def f(x, mask, lengths):
            return jnp.sum(x * mask, axis=1) / lengths
        """,
    ),
    # A spread that is kept was given its floor where it was made.
    (
        "x_std",
        """
        def f(x, x_mean, x_std):
            return (x - x_mean) / x_std
        """,
    ),
    # Whose norm, is not said.
    (
        "row_norm",
        """
        def f(w, row_norm):
            return w / row_norm
        """,
    ),
    # Bounds that were handed over are chosen.
    (
        "minmax",
        """
        def f(x, x_min, x_max):
            return (x - x_min) / (x_max - x_min)
        """,
    ),
)


@pytest.mark.parametrize(
    ("source", "expected"), [row[1:] for row in FLAGGED], ids=[row[0] for row in FLAGGED]
)
def test_a_name_is_enough(source: str, expected: list[str]) -> None:
    assert codes(source) == expected


@pytest.mark.parametrize("source", [row[1] for row in SILENT], ids=[row[0] for row in SILENT])
def test_a_name_is_not_enough(source: str) -> None:
    assert codes(source) == []
