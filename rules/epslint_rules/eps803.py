"""EPS803: weights drawn with a scale of 1 or more."""

from __future__ import annotations

import re
from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand
from epslint.analysis.site import Site
from epslint.analysis.words.names import snake
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Severity, SiteRule
from epslint.source import Span
from epslint_rules._wording import quoted

# What is not multiplied with an input and summed: a scale of 1 is theirs by custom.
_NO_WEIGHTS = re.compile(
    r"(^|_)(emb|embs|embed|embeds|embeddings?|tok|tokens?|pos|positions?|positional|cls|query|"
    r"queries|latents?|prototypes?|centroids?|centers?|codebook|codes?|memory|prompts?|noise|freqs?|"
    r"frequenc(y|ies)|fourier|anchors?|slots?|masks?|scales?|bias|biases|alpha|beta|gamma|delta|"
    r"temperature|style|input|states?|h0|c0|lookup|eps|mean|loc|mu)\d*(_|$)"
)
# What is multiplied with an input: a parameter can be anything, and `normal_` makes noise, too.
_WEIGHTS = re.compile(
    r"(^|_)(w\d*|weights?\d*|kernels?|matrix|proj(ection)?|linear|params?|p)(_|$)"
)
# A class that scales its weights where it uses them, and functions that draw them again.
_SCALED_LATER = re.compile(r"equal|modulated", re.IGNORECASE)
_DRAWN_AGAIN = re.compile(r"def _?(re)?(set|init(ialize)?)_(parameters|weights?|params)\b")


class LargeWeightInit(SiteRule):
    """Weights that are drawn with a standard deviation of 1 or more.

    ## What it does
    Flags `nn.Parameter(torch.randn(n, m))` with nothing that scales it, and `normal_` with a
    standard deviation of 1 or more, which is its default, where what is drawn is called a weight, a
    kernel or the like. Silent for vectors, for embeddings, tokens, queries, scales and biases, for
    what is not learned, and where the weights are drawn again or scaled elsewhere in the file.

    ## Why is this bad
    A layer of n inputs multiplies the spread of its input by sqrt(n) times that of its weights:
    with n = 512 and a standard deviation of 1 that is 23 times, per layer. Ten such layers overflow
    float16 in the first step, and softmaxes and sigmoids are saturated long before.

    ## Example
    ```python
    import torch
    from torch import nn


    class Projection(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(inputs, outputs))
    ```

    ## Use instead
    ```python
    import torch
    from torch import nn


    class Projection(nn.Module):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.weight = nn.Parameter(nn.init.xavier_normal_(torch.empty(inputs, outputs)))
    ```

    ## Fix
    `xavier_normal_`, which takes the scale from the shape; for `w.normal_(…)` a standard deviation
    of 0.02.

    ## Fix safety
    Semantic: training starts elsewhere, and takes another course.

    ## References
    Glorot and Bengio, 2010. 0.02 is GPT-2's and BERT's.
    """

    code = "EPS803"
    name = "large-weight-init"
    severity = Severity.WARNING
    grade = Grade.SEMANTIC
    default = False
    ops = frozenset({Op.PARAMETER, Op.INIT_NORMAL})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = site.operand("x")
        if operand is None or not isinstance(site.node, bare.Call):
            return
        parameter = site.op is Op.PARAMETER
        weights = _target(site) if parameter else site.unit.text(operand.node)
        large = _is_drawn(operand) if parameter else _is_wide(site)
        embedding = _has_word(_NO_WEIGHTS, site.scope.owner)
        if not large or embedding or _is_other(weights) or _is_settled(site, weights):
            return
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"{quoted(site, operand.node)} is drawn with a standard deviation of "
            f"{_spread(site)}: each layer multiplies its input's by that and by sqrt(n)",
            confidence=Confidence.PROVEN,
            fix=_redrawn(site, operand) if parameter else _narrowed(site, site.node),
        )


def _is_drawn(operand: Operand) -> bool:
    """Whether it is `randn(n, m)` itself, with two dimensions at least."""
    origin = operand.fact.origin
    if origin is None or origin.op is not Op.RANDN or origin.node is not operand.node:
        return False
    node = origin.node
    if not isinstance(node, bare.Call) or not isinstance(node.func, bare.Attribute):
        return False
    sizes = [argument.value for argument in node.args if argument.keyword is None]
    if len(sizes) == 1 and isinstance(sizes[0], bare.Tuple | bare.List):
        sizes = [element.value for element in sizes[0].elements]
    wide = [s for s in sizes if not (isinstance(s, bare.Integer) and s.value == "1")]
    return node.func.attr.value == "randn" and len(wide) >= 2


def _is_wide(site: Site) -> bool:
    if (std := site.operand("std")) is None:
        return True
    return std.fact.constant is not None and std.fact.constant >= 1


def _spread(site: Site) -> str:
    std = site.operand("std")
    return "1" if std is None else site.unit.text(std.node)


def _target(site: Site) -> str:
    """What a parameter is assigned to, as it is written."""
    before = site.unit.source.text[: site.span.start]
    found = re.search(r"([\w.]+)\s*(:[^=\n]*)?=\s*$", before)
    return "" if found is None else found[1]


def _is_other(weights: str) -> bool:
    return _has_word(_NO_WEIGHTS, weights) or not _has_word(_WEIGHTS, weights)


def _has_word(words: re.Pattern[str], path: str) -> bool:
    return any(words.search(snake(part)) for part in path.split("."))


def _is_settled(site: Site, weights: str) -> bool:
    """Whether the draw is not the last word: nothing is learned, or it is drawn again or scaled."""
    if (learned := site.operand("requires_grad")) is not None and learned.fact.constant == 0:
        return True
    if site.op is Op.INIT_NORMAL:
        return False
    text, name = site.unit.source.text, re.escape(weights)
    again = rf"init\w*\.\w+\(\s*{name}\b|{name}(\.data)?\.\w+_\(|{name}\s*[*/]|[*/]\s*{name}\b"
    if Op.CALL in site.uses or re.search(again, text) or _DRAWN_AGAIN.search(text):
        return True
    return _SCALED_LATER.search(site.scope.owner) is not None


def _redrawn(site: Site, operand: Operand) -> Fix | None:
    library, node = site.scope.alias("torch.nn"), operand.node
    if (
        library is None
        or not isinstance(node, bare.Call)
        or not isinstance(node.func, bare.Attribute)
    ):
        return None
    whole, name = site.unit.span(node), site.unit.span(node.func.attr)
    edits = (
        Edit(Span(whole.start, whole.start), f"{library}.init.xavier_normal_("),
        Edit(name, "empty"),
        Edit(Span(whole.end, whole.end), ")"),
    )
    return Fix("Draw by Xavier's scale", Grade.SEMANTIC, edits)


def _narrowed(site: Site, node: bare.Call) -> Fix | None:
    """`xavier_normal_(w)` in place of `normal_(w)`; `w.normal_(std=0.02)` of `w.normal_()`."""
    unit, operand = site.unit, site.operands["x"]
    if not isinstance(node.func, bare.Attribute):
        return None
    if node.func.value is not operand.node:
        end = unit.outer_span(operand.node).end
        settings = Edit(Span(end, unit.span(node).end - 1), "")
        return Fix(
            "Draw by Xavier's scale",
            Grade.SEMANTIC,
            (Edit(unit.span(node.func.attr), "xavier_normal_"), settings),
        )
    if (std := site.operand("std")) is not None:
        edit = Edit(unit.outer_span(std.node), "0.02")
    else:
        end = unit.span(node).end - 1
        edit = Edit(Span(end, end), ", std=0.02" if node.args else "std=0.02")
    return Fix("Draw with a standard deviation of 0.02", Grade.SEMANTIC, (edit,))
