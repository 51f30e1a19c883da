"""Stable functions in the style of the code around them: arguments, methods, imports."""

from __future__ import annotations

import pytest

from epslint import api
from epslint.config import Config

TORCH = "import torch\n"
FUNCTIONAL = "import torch\nimport torch.nn.functional as F\n"


def fixed(code: str, imports: str, before: str) -> str:
    """The expression after the fix, with the imports where they changed."""
    table = {"select": [code], "fixable": [code], "confidence": "unlikely"}
    config = Config().overlaid(table)
    text = f"{imports}\n\ndef f(x, buf, m, kw):\n    return {before}\n"
    repair = api.fix_source(text, config=config)
    assert not repair.report.failures, repair.report.failures
    head, _, after = repair.after.text.partition("    return ")
    added = head.removesuffix("\n\ndef f(x, buf, m, kw):\n").removeprefix(imports)
    return added + after.strip()


# code, imports, before, after
ARGUMENTS = [
    # dtype
    (
        "EPS202",
        TORCH,
        "torch.log(torch.softmax(x, dim=1, dtype=torch.float32))",
        "torch.log_softmax(x, dim=1, dtype=torch.float32)",
    ),
    (
        "EPS202",
        FUNCTIONAL,
        "F.softmax(x, -1, dtype=torch.float64).log()",
        "F.log_softmax(x, -1, dtype=torch.float64)",
    ),
    ("EPS205", TORCH, "torch.log(torch.exp(x).sum(-1, dtype=torch.float64))", ...),
    ("EPS305", TORCH, "torch.exp(x) / torch.exp(x).sum(0, dtype=torch.float64)", ...),
    # dim and keepdim
    (
        "EPS205",
        TORCH,
        "torch.log(torch.sum(torch.exp(x), dim=(1, 2), keepdim=True))",
        "torch.logsumexp(x, dim=(1, 2), keepdim=True)",
    ),
    (
        "EPS205",
        TORCH,
        "torch.log(torch.sum(torch.exp(x), -1, True))",
        "torch.logsumexp(x, dim=-1, keepdim=True)",
    ),
    (
        "EPS205",
        "import numpy as np\n",
        "np.log(np.sum(np.exp(x), axis=-1, keepdims=True))",
        "np.logaddexp.reduce(x, axis=-1, keepdims=True)",
    ),
    ("EPS205", "import numpy as np\n", "np.log(np.sum(np.exp(x), 0, np.float64))", ...),
    ("EPS205", TORCH, "torch.log(torch.exp(x).sum())", ...),
    (
        "EPS305",
        TORCH,
        "torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)",
        "torch.softmax(x, dim=-1)",
    ),
    ("EPS305", TORCH, "torch.exp(x) / torch.exp(x).sum(0)", "torch.softmax(x, dim=0)"),
    ("EPS305", TORCH, "torch.exp(x) / torch.exp(x).sum(-1)", ...),
    ("EPS305", TORCH, "torch.exp(x) / torch.exp(x).sum((1, 2), keepdim=True)", ...),
    # out
    (
        "EPS205",
        TORCH,
        "torch.log(torch.exp(x).sum(-1), out=buf)",
        "torch.logsumexp(x, dim=-1, out=buf)",
    ),
    ("EPS206", TORCH, "torch.log(1 + x, out=buf)", "torch.log1p(x, out=buf)"),
    ("EPS206", "import numpy as np\n", "np.log(1 + x, out=buf)", "np.log1p(x, out=buf)"),
    ("EPS206", TORCH, "torch.log(1 + torch.exp(x), out=buf)", ...),
    ("EPS304", TORCH, "torch.sub(torch.exp(x), 1, out=buf)", "torch.expm1(x, out=buf)"),
    ("EPS205", TORCH, "torch.log(torch.exp(x, out=buf).sum(-1))", ...),
    (
        "EPS202",
        TORCH,
        "torch.log(torch.softmax(x, -1), out=buf)",
        "torch.log(torch.softmax(x, -1) + 1e-8, out=buf)",
    ),
    (
        "EPS203",
        TORCH,
        "torch.log(torch.sigmoid(x), out=buf)",
        "torch.log(torch.sigmoid(x) + 1e-8, out=buf)",
    ),
    # what would be lost
    ("EPS206", "import numpy as np\n", "np.log(1 + x, where=m)", ...),
    ("EPS304", TORCH, "torch.sub(torch.exp(x), 1, alpha=2)", ...),
    ("EPS205", TORCH, "torch.log(torch.sum(torch.exp(x), -1, **kw))", ...),
    ("EPS305", TORCH, "torch.div(torch.exp(x), torch.exp(x).sum(0), rounding_mode='floor')", ...),
]

STYLES = [
    ("EPS202", TORCH, "x.softmax(-1).log()", "x.log_softmax(-1)"),
    ("EPS202", TORCH, "torch.softmax(x, -1).log()", "torch.log_softmax(x, -1)"),
    ("EPS205", TORCH, "x.exp().sum(-1, keepdim=True).log()", "x.logsumexp(dim=-1, keepdim=True)"),
    ("EPS205", TORCH, "(x + m).exp().sum(-1).log()", "(x + m).logsumexp(dim=-1)"),
    ("EPS205", TORCH, "torch.exp(x).sum(-1).log()", "torch.logsumexp(x, dim=-1)"),
    ("EPS206", TORCH, "(1 + torch.relu(x)).log()", "torch.relu(x).log1p()"),
    ("EPS206", TORCH, "torch.log(1 + x.abs())", "torch.log1p(x.abs())"),
    ("EPS304", TORCH, "x.exp() - 1", "x.expm1()"),
    ("EPS304", TORCH, "(x * 2).exp() - 1", "(x * 2).expm1()"),
    ("EPS305", TORCH, "x.exp() / x.exp().sum(1, keepdim=True)", "x.softmax(dim=1)"),
]

IMPORTS = [
    ("EPS203", TORCH, "torch.log(torch.sigmoid(x))", "torch.nn.functional.logsigmoid(x)"),
    ("EPS203", FUNCTIONAL, "torch.log(torch.sigmoid(x))", "F.logsigmoid(x)"),
    (
        "EPS203",
        "import torch\nfrom torch.nn import functional as nnf\n",
        "torch.log(torch.sigmoid(x))",
        "nnf.logsigmoid(x)",
    ),
    (
        "EPS203",
        "import torch\nfrom torch import nn\n",
        "x.sigmoid().log()",
        "nn.functional.logsigmoid(x)",
    ),
    (
        "EPS203",
        "from torch import log, sigmoid\n",
        "log(1 - sigmoid(x))",
        "import torch.nn.functional as F\nF.logsigmoid(-x)",
    ),
    (
        "EPS203",
        "from torch import log, sigmoid\nF = 2\n",
        "log(sigmoid(x))",
        "log(sigmoid(x) + 1e-8)",
    ),
    (
        "EPS206",
        "from torch import exp, log\n",
        "log(1 + exp(x))",
        "import torch.nn.functional as F\nF.softplus(x)",
    ),
    (
        "EPS206",
        "from torch import exp, log\n",
        "log(1 + exp(x) * 2)",
        "import torch\ntorch.log1p(exp(x) * 2)",
    ),
    (
        "EPS205",
        "from torch import exp, log\n",
        "log(exp(x).sum(0))",
        "import torch\ntorch.logsumexp(x, dim=0)",
    ),
    ("EPS304", "from numpy import exp\n", "exp(x) - 1", "import numpy as np\nnp.expm1(x)"),
    ("EPS304", "from math import exp\n", "exp(x) - 1", "import math\nmath.expm1(x)"),
    ("EPS304", "from numpy import exp\nnp = 2\n", "exp(x) - 1", ...),
    (
        "EPS202",
        "import torch\nfrom torch.nn.functional import softmax\n",
        "torch.log(softmax(x, dim=-1))",
        "torch.nn.functional.log_softmax(x, dim=-1)",
    ),
    (
        "EPS202",
        "import torch\nfrom torch.nn.functional import log_softmax as ls, softmax\n",
        "torch.log(softmax(x, dim=-1))",
        "ls(x, dim=-1)",
    ),
]


@pytest.mark.parametrize(("code", "imports", "before", "after"), ARGUMENTS + STYLES + IMPORTS)
def test_fix(code: str, imports: str, before: str, after: object) -> None:
    wanted = before if after is ... else after
    assert fixed(code, imports, before) == wanted


HEAD = '"""Doc."""\n\nfrom torch import log, sigmoid\n'
IMPORT = "import torch.nn.functional as F\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_import_goes_after_the_others_and_keeps_the_newlines(newline: str) -> None:
    body = "\n\ndef f(x):\n    return {}\n"
    before = (HEAD + body.format("log(sigmoid(x))")).replace("\n", newline)
    after = (HEAD + IMPORT + body.format("F.logsigmoid(x)")).replace("\n", newline)
    assert api.fix_source(before).after.text == after


def test_two_fixes_share_an_import() -> None:
    body = "\n\ndef f(x, y):\n    return {} + {}\n"
    before = HEAD + body.format("log(sigmoid(x))", "log(sigmoid(y))")
    after = HEAD + IMPORT + body.format("F.logsigmoid(x)", "F.logsigmoid(y)")
    assert api.fix_source(before).after.text == after
