"""The settings of the hierarchy reach what a fix writes."""

from __future__ import annotations

import pytest

from epslint.api import Config, check_source, fix_source
from epslint.epsilon import Clamp, Role, Style

HEAD = "import torch\n\n\ndef f(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor, eps=1e-7):\n"
COUNT = "    n = (mask > 0).sum()\n    return x / n\n"

CASES = {
    "the hierarchy's own": (
        Config(),
        "    return x / mask.sum()\n",
        "x / (mask.sum() + eps)",
    ),
    "an epsilon at hand that is another by now": (
        Config(),
        "    eps = 0.5\n    return x / mask.sum()\n",
        "x / (mask.sum() + 1e-8)",
    ),
    "an epsilon of one's own, and one at hand that does not fit it": (
        Config(epsilons=((Role.REWARD, 1e-4),)),
        "    rewards = x.half()\n    return (rewards - rewards.mean()) / rewards.std()\n",
        "(rewards.std() + 1e-4)",
    ),
    "a clamp": (
        Config(guard_style=Style.CLAMP),
        "    return x / mask.sum()\n",
        "x / mask.sum().clamp(min=eps)",
    ),
    "a clamp of what is provably a count": (
        Config(guard_style=Style.CLAMP),
        COUNT,
        "x / n.clamp(min=1)",
    ),
    "a tighter policy ratio": (
        Config(clamps=((Clamp.POLICY, 5.0),)),
        "    return torch.exp(x.log_softmax(-1) - y.log_softmax(-1))\n",
        ".clamp(-5.0, 5.0))",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fix_writes_what_the_settings_say(name: str) -> None:
    config, body, expected = CASES[name]
    assert expected in fix_source(HEAD + body, config=config).after.text


@pytest.mark.parametrize(("epsilon", "codes"), [(1e-8, []), (1e-5, ["EPS603"])])
def test_the_settings_say_what_is_off_the_hierarchy(epsilon: float, codes: list[str]) -> None:
    config = Config(epsilons=((Role.MASKED, epsilon),)).overlaid({"select": ["EPS603"]})
    body = "    return x / (mask.sum() + 1e-8)\n"
    assert [f.code for f in check_source(HEAD + body, config=config).findings] == codes
