"""ACM101: dividing by a temperature."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis.ops import Op
from epslint.analysis.site import Site
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, SiteRule


class TemperatureDivision(SiteRule):
    """Division by a temperature that nothing keeps from being 0.

    ## What it does
    Flags `x / temperature` where no check or clamp before it keeps the temperature above 0.

    ## Why is this bad
    Users set a temperature of 0 and mean "greedy". The logits become infinite, their softmax NaN.

    ## Example
    ```python
    import torch


    def sample(logits: torch.Tensor, temperature: float) -> torch.Tensor:
        return torch.softmax(logits / temperature, dim=-1)
    ```

    ## Use instead
    ```python
    import torch


    def sample(logits: torch.Tensor, temperature: float) -> torch.Tensor:
        return torch.softmax(logits / max(temperature, 1e-4), dim=-1)
    ```

    ## Fix
    Puts `max(temperature, 1e-4)` in its place.

    ## Fix safety
    Semantic: temperatures below 1e-4 now mean 1e-4.

    ## References
    None.
    """

    code = "ACM101"
    name = "temperature-division"
    grade = Grade.SEMANTIC
    ops = frozenset({Op.DIV})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        """Look at what is divided by: what it is called, and whether its range holds 0."""
        divisor = site.operand("y")
        if divisor is None or not divisor.fact.range.has_zero:
            return
        text = site.unit.text(divisor.node)
        if text.rpartition(".")[2] == "temperature":
            span = site.unit.span(divisor.node)
            edit = Edit(span, f"max({text}, 1e-4)")
            yield Diagnosis(
                span,
                f"`{text}` can be 0: users set it so to sample greedily",
                Confidence.NAMED,
                fix=Fix("Keep it above 1e-4", Grade.SEMANTIC, (edit,)),
            )
