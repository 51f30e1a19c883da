"""How sure findings are: ordinary values, a name, or data that nothing rules out."""

from __future__ import annotations

import pytest

from epslint import api
from epslint.config import Config
from epslint.rule import Confidence

HEAD = "import torch\n\n\n"
CASES = {
    # arithmetic alone
    "def loss(x):\n    return torch.log(1 - torch.sigmoid(x)).mean()": Confidence.PROVEN,
    # the same, of logits that are a hundred apart
    "def f(x):\n    return torch.log(torch.softmax(x, -1))": Confidence.POSSIBLE,
    # what a thing is called
    "def f(rewards):\n    return (rewards - rewards.mean()) / rewards.std()": Confidence.NAMED,
    "def f(logp, old_logp):\n    return torch.exp(logp - old_logp)": Confidence.NAMED,
    # Who asks whether it is finite reckons with its not being.
    "def f(logp, old_logp, adv):\n    ratio = torch.exp(logp - old_logp)\n"
    "    if not torch.isfinite(ratio).all():\n        return None\n"
    "    return (ratio * adv).mean()": Confidence.POSSIBLE,
    "def f(advantages, adv_std):\n    return advantages / adv_std": Confidence.NAMED,
    # Rounding takes k3 below 0 where two policies are nearly, but not quite, the same.
    "@torch.no_grad()\ndef f(logp, ref):\n    d = (logp - ref).clamp(-10, 10)\n"
    "    return torch.sqrt((torch.exp(d) - 1 - d).mean())": Confidence.NAMED,
    # Who leaves where the policies have drifted apart does not take the ratio there; and who asks
    # afterwards has taken it.
    "def f(logp, old_logp, kl, limit):\n    for _ in range(9):\n        if kl > 1.5 * limit:\n"
    "            break\n        ratio = torch.exp(logp - old_logp)\n"
    "    return ratio": Confidence.POSSIBLE,
    "def f(logp, old_logp, kl, limit):\n    for _ in range(9):\n"
    "        ratio = torch.exp(logp - old_logp)\n        if kl > 1.5 * limit:\n"
    "            break\n    return ratio": Confidence.NAMED,
    # Who caps it on one path may cap it wherever it matters.
    "def f(logp, old_logp, cap=None):\n    d = logp - old_logp\n    if cap is not None:\n"
    "        d = d.clamp(-cap, cap)\n    return torch.exp(d)": Confidence.POSSIBLE,
    # what was measured of data, and kept by who may have put a floor to it
    "def f(returns, stats):\n    return returns / stats['return_std']": Confidence.POSSIBLE,
    # of a whole data set, as it is loaded
    "def load_data(rewards):\n    return rewards / rewards.std()": Confidence.POSSIBLE,
    # who writes it normalises by it; elsewhere a variance is what somebody made it
    "def f(x, mean, variance):\n    return (x - mean) * torch.rsqrt(variance)": Confidence.POSSIBLE,
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
    "def f(x):\n    return (x - x.mean()) / x.std()": Confidence.POSSIBLE,
    # How many a mask leaves the data say; how large a group is, is a setting.
    "def f(x, mask):\n    return x[mask].std()": Confidence.POSSIBLE,
    "def f(group_rewards):\n    return group_rewards.std() + 1e-8": Confidence.UNLIKELY,
    # A floor of 0 under what is never below is there for the other bound.
    "def loss(u, eps):\n    norm = u.pow(2).sum(-1)\n    norm.clamp_(min=0, max=1 - eps)\n"
    "    return ((1 - norm) / norm).mean()": Confidence.POSSIBLE,
    "def loss(x, y):\n    return (x / y.clamp(min=0)).mean()": Confidence.NAMED,
    # What is left of a square is rounded below 0 now and then.
    "import torch.nn.functional as F\n\n\nclass Margin(torch.nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n"
    "        self.w = torch.nn.Parameter(torch.randn(2, 2))\n\n    def forward(self, x):\n"
    "        cosine = F.linear(F.normalize(x), F.normalize(self.w))\n"
    "        return torch.sqrt((1 - cosine.pow(2)).clamp(0, 1))": Confidence.PROVEN,
    # a gradient that somebody may take, of a function that is there for anybody
    "def f(x: torch.Tensor) -> torch.Tensor:\n    return (x * x).sum().sqrt()": Confidence.POSSIBLE,
    # It does not say that it is of tensors; jax's functions are there to be differentiated.
    "def length(x):\n    return torch.sqrt(torch.sum(x ** 2, dim=-1))": Confidence.UNLIKELY,
    "import jax.numpy as jnp\n\n\ndef length(x):\n    return jnp.sqrt(jnp.sum(x ** 2, axis=-1))": (
        Confidence.POSSIBLE
    ),
    # The rewards of a group may be nearly equal, and rounding makes their variance negative; what
    # is in a data set is not.
    "@torch.no_grad()\ndef f(rewards):\n    mean = rewards.mean()\n"
    "    return ((rewards ** 2).mean() - mean ** 2).sqrt()": Confidence.PROVEN,
    "@torch.no_grad()\ndef f(voxels):\n    mean = voxels.mean()\n"
    "    return ((voxels ** 2).mean() - mean ** 2).sqrt()": Confidence.POSSIBLE,
    # digits that nobody may miss
    "def f(x: torch.Tensor) -> torch.Tensor:\n    return torch.exp(x) - 1": Confidence.POSSIBLE,
    "@torch.no_grad()\ndef f(x):\n    return torch.exp(x) - 1": Confidence.POSSIBLE,
    # Of a sigmoid one that is a hundred from 0, and there is nothing beside it to hold it.
    "def loss(x):\n    return -torch.log(torch.sigmoid(x)).mean()": Confidence.NAMED,
    # A probability that is small enough underflows, whoever says that it is one.
    "def f(probs):\n    return torch.log(probs)": Confidence.POSSIBLE,
    "def f(a, b):\n    return torch.log(0.5 * (torch.softmax(a, -1) + torch.softmax(b, -1)))": (
        Confidence.POSSIBLE
    ),
    # In a ranking -inf is the least, as it should be; who only computes it may do anything with it.
    "def beam_step(x):\n    return torch.log(torch.sigmoid(x))": Confidence.POSSIBLE,
    "@torch.no_grad()\ndef f(x):\n    return torch.log(torch.sigmoid(x))": Confidence.NAMED,
    # What is 0 in the type that the code shows; in the one of habit, if it is that.
    "def f(x, y):\n    return x / (y.half() + 1e-8)": Confidence.PROVEN,
    "def f(x):\n    return x / (x.abs() + 1e-78)": Confidence.NAMED,
    # Who puts a floor to something has seen it below: a loss is hurt by it, a ranking is not.
    "def loss(x):\n    return torch.log(x.clamp(min=0)).mean()": Confidence.NAMED,
    "@torch.no_grad()\ndef rank(x):\n    return torch.log(x.clamp(min=0))": Confidence.POSSIBLE,
    # A product of ratios overflows; one of probabilities is 0 at worst, which hurts who learns.
    "@torch.no_grad()\ndef f(x):\n    return torch.softmax(x, -1).prod(-1)": Confidence.POSSIBLE,
    "def loss(x):\n    return torch.softmax(x, -1).prod(-1).mean()": Confidence.NAMED,
    # A variance over another says how much is explained.
    "def f(returns, values):\n    return 1 - (returns - values).var() / returns.var()": (
        Confidence.POSSIBLE
    ),
    # What a scale is the log of is learned; who hands it over may have bounded it.
    "class Actor(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.log_std = torch.nn.Parameter(torch.zeros(2))\n\n"
    "    def forward(self, x):\n        return x * torch.exp(-2 * self.log_std)": Confidence.NAMED,
    # Who has put a floor to a parameter has looked at where it goes.
    "class Actor(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.log_std = torch.nn.Parameter(torch.zeros(2))\n\n"
    "    def forward(self, x):\n        log_std = torch.clamp(self.log_std, min=-5).unsqueeze(0)\n"
    "        return x * torch.exp(log_std)": Confidence.POSSIBLE,
    # The softplus of a weight moves the slower the smaller it is; what a network gives does not.
    "import torch.nn.functional as F\n\n\ndef dual(q, raw):\n    temperature = F.softplus(raw)\n"
    "    return torch.logsumexp(q / temperature, 0)": Confidence.UNLIKELY,
    "import torch.nn.functional as F\n\n\ndef loss(net, x):\n    width = F.softplus(net(x))\n"
    "    return (x / width).mean()": Confidence.POSSIBLE,
    # A parameter that weighs losses is brought back by its own.
    "class Head(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.log_var = torch.nn.Parameter(torch.zeros(1))\n\n"
    "    def forward(self, loss):\n"
    "        return torch.exp(-self.log_var) * loss + self.log_var": Confidence.POSSIBLE,
    # A floor that is put to it elsewhere; one of two bounds may be for another path.
    "class Actor(torch.nn.Module):\n    def __init__(self, min_log_std):\n"
    "        super().__init__()\n        self.min_log_std = min_log_std\n"
    "        self.log_std = torch.nn.Parameter(torch.zeros(2))\n\n"
    "    def forward(self, x):\n        return x * torch.exp(self.log_std)": Confidence.POSSIBLE,
    "class Actor(torch.nn.Module):\n    def __init__(self, min_log_std, max_log_std):\n"
    "        super().__init__()\n        self.bounds = min_log_std, max_log_std\n"
    "        self.log_std = torch.nn.Parameter(torch.zeros(2))\n\n"
    "    def forward(self, x):\n        return x * torch.exp(self.log_std)": Confidence.NAMED,
    # Bounded softly, in another file.
    "def loss(net, x):\n    mean, logvar = net(x)\n    bounds = net.max_logvar - net.min_logvar\n"
    "    return (mean * torch.exp(-logvar)).mean() + bounds.mean()": Confidence.UNLIKELY,
    "def loss(logvar):\n    return logvar.exp().mean()": Confidence.POSSIBLE,
    "def loss(logvar):\n    return (-0.5 * logvar).exp().mean()": Confidence.POSSIBLE,
    "def loss(batch):\n    return batch.log_std.exp().mean()": Confidence.POSSIBLE,
    # The part of an object has made it and may have bounded it; the weight of an entropy is learned
    # by who uses it, wherever it is kept.
    "class Agent:\n    def loss(self, x):\n"
    "        return x * self.model.log_std.exp()": Confidence.POSSIBLE,
    "class Agent:\n    def loss(self, x):\n"
    "        return x * self.model.log_alpha.exp()": Confidence.NAMED,
    # That what takes both signs is minus the epsilon, to the last digit.
    "def f(x, y):\n    return x / (y - y.mean() + 1e-8)": Confidence.POSSIBLE,
    # Who makes shares of something has something; of masks and counts there may be none.
    "def f(x):\n    return x.abs() / x.abs().sum()": Confidence.UNLIKELY,
    "def f(mask):\n    return mask / mask.sum()": Confidence.POSSIBLE,
    "def f(x):\n    return x / x.pow(2).sum(-1, keepdim=True)": Confidence.POSSIBLE,
    # Who averages over episodes has had some, or Python says so at once; statistics start at none.
    "class Log:\n    def __init__(self):\n        self.num_episodes = 0\n\n"
    "    def add(self):\n        self.num_episodes += 1\n\n"
    "    def mean(self, total):\n        return total / self.num_episodes": Confidence.UNLIKELY,
    "class Running:\n    def __init__(self):\n        self.count = 0\n\n"
    "    def add(self):\n        self.count += 1\n\n"
    "    def mean(self, total):\n        return total / self.count": Confidence.POSSIBLE,
    # Data, of which somebody knows what is in them; and a variance that had its floor elsewhere.
    "import numpy as np\n\n\ndef f(x, a):\n    a = np.asarray(a)\n"
    "    return x / (a.max() - a.min())": Confidence.UNLIKELY,
    "def f(x, variance):\n    return x / variance": Confidence.UNLIKELY,
    # A schedule that somebody laid out; a number for the log; the returns of a whole data set.
    "def f(x, a, i):\n    sigmas = (1 - a**2).sqrt()\n    return x / sigmas[i]": (
        Confidence.UNLIKELY
    ),
    "def f(x, mask):\n    n = mask.sum().item()\n    return (x * mask).sum().item() / n": (
        Confidence.UNLIKELY
    ),
    "def f(rewards, x):\n    return rewards / (x.max() - x.min())": Confidence.UNLIKELY,
    # Python says so at once; and hardly one of random numbers is 0, or angle on its pole.
    "def f(x, theta):\n    return x / torch.sin(theta)": Confidence.UNLIKELY,
    "def f(x, keep):\n    return x.sum() / len(x[x > keep])": Confidence.UNLIKELY,
    "import tensorflow as tf\n\n\ndef f(x):\n    noise = tf.random_uniform(tf.shape(x))\n"
    "    return x - tf.log(-tf.log(noise))": Confidence.UNLIKELY,
}


@pytest.mark.parametrize(("code", "confidence"), CASES.items())
def test_a_finding_says_how_sure_it_is(code: str, confidence: Confidence) -> None:
    config = Config(confidence=Confidence.UNLIKELY)
    report = api.check_source(HEAD + code + "\n", config=config)
    assert [f.confidence for f in report.findings] == [confidence]


# The same sum, where the mask's emptiness would be on its way into a loss, and where not.
SUM = "def f(x, mask):\n    return (x * mask).sum() / mask.sum()\n"
WORLD = """class Pole:
    def reset(self):
        return self.start

    def step(self, state, action):
        return state + action
"""
PLACES = {
    ("import numpy as np", "returns.py"): Confidence.UNLIKELY,
    ("import numpy as np\nimport torch", "returns.py"): Confidence.POSSIBLE,
    ("import numpy as np\nfrom jax import numpy as jnp", "returns.py"): Confidence.POSSIBLE,
    # What is handed to a function may be a tensor, as long as nothing speaks against it.
    ("import math", "returns.py"): Confidence.POSSIBLE,
    # A metric is for anybody's data.
    ("import numpy as np", "project/metrics.py"): Confidence.POSSIBLE,
    ("import numpy as np", "project/metrics/overlap.py"): Confidence.POSSIBLE,
    # The world that an agent acts in; what is made of its rewards is no part of it.
    ("import torch", "project/envs/grid/maps.py"): Confidence.UNLIKELY,
    ("import torch", "project/environments/maps.py"): Confidence.UNLIKELY,
    ("import torch", "project/envs/wrappers/normalize.py"): Confidence.POSSIBLE,
    ("import torch", "/opt/conda/envs/py311/lib/project/losses.py"): Confidence.POSSIBLE,
    ("import torch", "project/environment_model.py"): Confidence.POSSIBLE,
    # The same by what it does: it is reset, and takes actions.
    (f"import torch\n\n{WORLD}", "project/task.py"): Confidence.UNLIKELY,
    (f"import torch\n\n{WORLD.replace('Pole', 'PoleWrapper')}", "task.py"): Confidence.POSSIBLE,
    (f"import torch\n\n{WORLD.replace('action', 'action, reward')}", "a.py"): Confidence.POSSIBLE,
    (f"import torch\n\n{WORLD}\n\nloss.backward()", "task.py"): Confidence.POSSIBLE,
}


@pytest.mark.parametrize(("place", "confidence"), PLACES.items())
def test_what_depends_on_data_is_unlikely_where_nothing_is_trained(
    place: tuple[str, str], confidence: Confidence
) -> None:
    imports, filename = place
    everything = Config(confidence=Confidence.UNLIKELY)
    (finding,) = api.check_source(f"{imports}\n\n\n{SUM}", filename, everything).findings
    assert finding.confidence is confidence
    shown = api.check_source(f"{imports}\n\n\n{SUM}", filename).findings
    assert bool(shown) is (confidence is not Confidence.UNLIKELY)


def test_where_a_gradient_is_taken_somebody_learns() -> None:
    step = "\n\ndef step(loss):\n    loss.backward()\n"
    (finding,) = api.check_source(f"import torch\n\n\n{SUM}{step}", "envs/trainer.py").findings
    assert finding.confidence is Confidence.POSSIBLE


def unlikely(code: str, filename: str = "losses.py") -> bool:
    """Whether there is something to say that is not said unasked."""
    everything = Config(confidence=Confidence.UNLIKELY)
    asked = api.check_source(code, filename, everything).findings
    return bool(asked) and not api.check_source(code, filename).findings


def test_a_step_of_a_schedule_is_not_small() -> None:
    method = "    def moved(self, h):\n        return torch.exp(-h) - 1\n"
    assert unlikely(f"{HEAD}class DiffusionScheduler:\n{method}")
    assert not unlikely(f"{HEAD}class Flow:\n{method}")


def test_pythons_own_exp_raises_an_error() -> None:
    code = "import math\nimport torch\n\n\ndef f(x):\n    r = {}.exp(x)\n    return r / (1 + r)\n"
    assert unlikely(code.format("math"))
    assert not unlikely(code.format("torch"))


def test_a_picture_may_be_blank() -> None:
    code = "import torch\n\n\n@torch.no_grad()\ndef {}(x):\n    return x / x.abs().max()\n"
    assert unlikely(code.format("log_images"))
    assert unlikely(code.format("to_colormap"))
    assert not unlikely(code.format("normalized"))


def test_a_direction_is_not_null() -> None:
    code = "import numpy as np\nimport torch\n\n\ndef f(x):\n    return x / {}.linalg.norm(x)\n"
    assert unlikely(code.format("np"))
    assert not unlikely(code.format("torch"))


def test_numpy_has_digits_to_spare() -> None:
    code = "import torch\nimport numpy as np\n\n\ndef f(x):\n    return {}.exp(x) - 1\n"
    assert unlikely(code.format("np"))
    assert not unlikely(code.format("torch"))


DOUBLE = {
    "torch.set_default_dtype(torch.float64)": True,
    "torch.set_default_dtype(d=torch.double)": True,
    "torch.set_default_tensor_type(torch.DoubleTensor)": True,
    "torch.set_default_tensor_type('torch.cuda.DoubleTensor')": True,
    "torch.set_default_dtype(torch.float32)": False,
    "# torch.set_default_dtype(torch.float64)": False,
    "torch.set_default_device('cuda')": False,
}


@pytest.mark.parametrize(("switch", "double"), DOUBLE.items())
def test_an_exp_takes_709_where_a_file_computes_in_float64(switch: str, double: bool) -> None:
    ratio = "def f(logp, old_logp):\n    return torch.exp(logp - old_logp){}\n"
    surer, less = Confidence.NAMED, Confidence.POSSIBLE
    (finding,) = api.check_source(f"import torch\n\n{switch}\n\n\n{ratio.format('')}").findings
    assert finding.confidence is (less if double else surer)
    cast = ratio.format("").replace("logp - old_logp", "(logp - old_logp).float()")
    (finding,) = api.check_source(f"import torch\n\n{switch}\n\n\n{cast}").findings
    assert finding.confidence is surer


def test_rounding_hardly_goes_below_0_in_float64() -> None:
    code = "import torch\nimport numpy as np\n\n\ndef f(x):\n    m = {0}.mean(x)\n"
    code += "    return {0}.sqrt({0}.mean({0}.square(x)) - {0}.square(m))\n"
    found = {lib: api.check_source(code.format(lib)).findings for lib in ("torch", "np")}
    assert {finding.confidence for finding in found["torch"]} == {Confidence.PROVEN}
    assert {finding.confidence for finding in found["np"]} == {Confidence.POSSIBLE}


def test_what_is_cast_to_float64_takes_709_too() -> None:
    code = f"{HEAD}def f(logp, old_logp):\n    return (logp - old_logp).double().exp()\n"
    (finding,) = api.check_source(code).findings
    assert finding.confidence is Confidence.POSSIBLE


IN_TESTS = {
    # NaN and inf are seen at once.
    "torch.log(torch.softmax(x, -1))": True,
    "torch.exp(x).sum(-1).log()": True,
    "x / x.norm()": True,
    "torch.exp(logp - old_logp)": True,
    # That the numbers to compare with are not exact is not.
    "torch.exp(x) - 1": False,
    "torch.log(1 + x.abs())": False,
}


@pytest.mark.parametrize(("formula", "silent"), IN_TESTS.items())
def test_a_test_shows_nan_but_not_lost_digits(formula: str, silent: bool) -> None:
    function = f"def expected(x, logp, old_logp):\n    return {formula}\n"
    assert unlikely(HEAD + function, "tests/test_losses.py") is silent
    method = function.replace("(x,", "(self, x,").replace("\n", "\n    ")
    model = f"{HEAD}class Model(torch.nn.Module):\n    {method.rstrip()}\n"
    assert api.check_source(model, "tests/test_losses.py").findings  # code like any other


def test_what_a_test_trains_it_trains_for_a_few_steps() -> None:
    made = "        super().__init__()\n        self.log_std = torch.nn.Parameter(torch.zeros(2))\n"
    used = "    def forward(self, x):\n        return x * self.log_std.exp()\n"
    actor = f"{HEAD}class Actor(torch.nn.Module):\n    def __init__(self):\n{made}\n{used}"
    assert unlikely(actor, "tests/test_actor.py")
    assert not unlikely(actor, "actor.py")


def test_what_is_kept_nowhere_hurts_nobody() -> None:
    code = "class Batch:\n    def scale(self):\n        {}self.rewards / self.rewards.std()\n"
    assert unlikely(HEAD + code.format(""))
    assert not unlikely(HEAD + code.format("self.rewards = "))
    assert not unlikely(HEAD + code.format("return "))


def test_what_goes_wrong_on_ordinary_values_does_so_anywhere() -> None:
    code = "import torch\n\n\ndef f(x):\n    return torch.log(torch.sigmoid(x))\n"
    (finding,) = api.check_source(code, "project/envs/maps.py").findings
    assert finding.confidence is Confidence.NAMED


def test_an_unlikely_finding_still_justifies_its_ignore_comment() -> None:
    code = f"import numpy as np\n\n\n{SUM}".replace(
        "mask.sum()\n", "mask.sum()  # epslint: ignore[EPS101]\n"
    )
    assert api.check_source(code, "returns.py").findings == ()


@pytest.mark.parametrize("least", Confidence)
def test_what_is_less_sure_can_be_left_out(least: Confidence) -> None:
    surest_first = list(Confidence)
    functions = [code.replace("f(", f"f{i}(", 1) for i, code in enumerate(CASES)]
    files = {
        "losses.py": HEAD + "\n\n\n".join(functions) + "\n",
        "returns.py": f"import numpy\n\n\n{SUM}",
    }
    shown = {
        finding.confidence
        for name, text in files.items()
        for finding in api.check_source(text, name, Config(confidence=least)).findings
    }
    assert shown == set(surest_first[: surest_first.index(least) + 1])
