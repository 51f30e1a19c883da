"""How sure findings are: ordinary values, a name, or data that nothing rules out."""

from __future__ import annotations

import pytest

from epslint import api
from epslint.config import Config
from epslint.rule import Confidence

HEAD = "import torch\n\n\n"
CASES = {
    # arithmetic alone
    "def f(x):\n    return torch.log(torch.softmax(x, -1))": Confidence.PROVEN,
    "def f(x):\n    return torch.exp(x) - 1": Confidence.PROVEN,
    "def f(x):\n    return (x - x.mean()) / x.std()": Confidence.PROVEN,
    # what a thing is called
    "def f(logp, old_logp):\n    return torch.exp(logp - old_logp)": Confidence.NAMED,
    "def f(advantages, adv_std):\n    return advantages / adv_std": Confidence.NAMED,
    # An action out of finitely many was drawn with a probability that is not 0.
    "def f(pi, action, old_logp):\n    return torch.exp(pi.log_prob(action) - old_logp)\n\n\n"
    "def policy(logits):\n    return torch.distributions.Categorical(logits=logits)": (
        Confidence.POSSIBLE
    ),
    # all masked, all 0, a probability of nothing; whether a name says so or the code
    "def f(x, labels):\n    return x.sum() / (labels != -100).sum()": Confidence.POSSIBLE,
    "def f(x, mask):\n    return (x * mask).sum() / mask.sum()": Confidence.POSSIBLE,
    "def f(x):\n    return x / x.norm()": Confidence.POSSIBLE,
    "import numpy as np\n\n\ndef f(x):\n    return x / np.std(x)": Confidence.POSSIBLE,
    # float64 has digits to spare
    "import numpy as np\n\n\ndef f(x):\n    return np.exp(x) - 1": Confidence.POSSIBLE,
    "def f(probs):\n    return torch.log(probs)": Confidence.POSSIBLE,
}


@pytest.mark.parametrize(("code", "confidence"), CASES.items())
def test_a_finding_says_how_sure_it_is(code: str, confidence: Confidence) -> None:
    assert [f.confidence for f in api.check_source(HEAD + code + "\n").findings] == [confidence]


@pytest.mark.parametrize("least", Confidence)
def test_what_is_less_sure_can_be_left_out(least: Confidence) -> None:
    surest_first = list(Confidence)
    functions = [code.replace("f(", f"f{i}(", 1) for i, code in enumerate(CASES)]
    text = HEAD + "\n\n\n".join(functions) + "\n"
    shown = {f.confidence for f in api.check_source(text, config=Config(confidence=least)).findings}
    assert shown == set(surest_first[: surest_first.index(least) + 1])
