"""Masks that always leave the largest of what they filter, and their neighbours that may not."""

from __future__ import annotations

import pytest

from tests.analysis.probe import codes, function

STRIKING = {
    "masked_fill": ("scores.masked_fill(mask == 0, float('-inf'))", "mask"),
    "inverted": ("scores.masked_fill(~mask, -torch.inf)", "mask"),
    "padding": ("scores.masked_fill(padding, float('-inf'))", "(~padding).float()"),
    "complement": ("torch.where(mask == 1, float('-inf'), scores)", "(1 - mask)"),
    "where": ("torch.where(mask, scores, float('-inf'))", "mask.float()"),
    "as numbers": (
        "scores.masked_fill(mask.logical_not(), float('-inf'))",
        "mask.to(scores.dtype)",
    ),
}


def renormalised(struck: str, kept: str, softmax: str = "torch.softmax(scores, -1)") -> str:
    body = f"""
        scores = {struck}
        weights = {softmax} * {kept}
        return weights / weights.sum(-1, keepdim=True)
    """
    return function(body, params="scores, mask, padding, loss_mask")


class TestStruckOut:
    """What was −∞ before the softmax is 0 already, and where all of it was, the softmax is NaN."""

    @pytest.mark.parametrize(("struck", "kept"), STRIKING.values(), ids=STRIKING.keys())
    def test_the_same_mask_takes_nothing_more(self, struck: str, kept: str) -> None:
        assert codes(renormalised(struck, kept)) == []

    @pytest.mark.parametrize(("struck", "kept"), STRIKING.values(), ids=STRIKING.keys())
    def test_another_mask_does(self, struck: str, kept: str) -> None:
        assert codes(renormalised(struck, "loss_mask")) == ["EPS101"]

    def test_by_hand(self) -> None:
        softmax = "torch.exp(scores - scores.amax(-1, keepdim=True))"
        assert codes(renormalised(*STRIKING["where"], softmax)) == []

    def test_the_other_side_of_the_mask(self) -> None:
        assert codes(renormalised("scores.masked_fill(mask.bool(), float('-inf'))", "mask")) == [
            "EPS101"
        ]

    @pytest.mark.parametrize("number", ["-1e9", "torch.finfo(scores.dtype).min"])
    def test_a_large_number_leaves_a_softmax_over_nothing(self, number: str) -> None:
        assert codes(renormalised(f"scores.masked_fill(mask == 0, {number})", "mask")) == ["EPS101"]


class TestSelected:
    def test_what_is_not_less_than_the_smallest_of_the_best_is_some(self) -> None:
        body = """
            least = probs.topk(k).values.min()
            best = probs[probs >= least]
            return best / best.sum()
        """
        assert codes(function(body, params="probs, k")) == []

    def test_what_is_more_may_be_none(self) -> None:
        body = """
            least = probs.topk(k).values.min()
            best = probs[probs > least]
            return best / best.sum()
        """
        assert codes(function(body, params="probs, k")) == ["EPS101"]

    def test_a_threshold_of_another_value_is_none_of_its_own(self) -> None:
        body = """
            probs = torch.softmax(logits, -1)
            least = probs.topk(k).values[..., -1:]
            probs = torch.softmax(other, -1)
            probs = probs * (probs >= least)
            return probs / probs.sum(-1, keepdim=True)
        """
        assert codes(function(body, params="logits, other, k")) == ["EPS101"]
