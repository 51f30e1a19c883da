"""EPS001: suppression comments that suppress nothing."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.rule import Confidence, Diagnosis, Fix, Grade, IgnoreRule
from epslint.suppress import Fate, Ignore


class UnusedSuppression(IgnoreRule):
    """An ignore comment that suppresses nothing.

    ## What it does
    Flags `# epslint: ignore[...]`, `# epslint: ignore-file[...]` and the epslint codes of a
    `# noqa: ...` when no finding of that rule is there to be suppressed.

    A code whose rule did not run is left alone, and so are a bare `# noqa` and the codes of other
    linters: they are not epslint's to judge.

    ## Why is this bad
    A comment that outlives its hazard hides the next one that moves in on its line.

    ## Example
    ```python
    import torch


    def loss(x: torch.Tensor) -> torch.Tensor:
        return x.mean() / 2.0  # epslint: ignore[EPS101]
    ```

    ## Use instead
    ```python
    import torch


    def loss(x: torch.Tensor) -> torch.Tensor:
        return x.mean() / 2.0
    ```

    ## Fix
    Removes the comment, or from a comment that names several codes only those that are unused.

    ## Fix safety
    Exact: only a comment changes.

    ## References
    ruff's RUF100 does the same for ruff, and deletes `# noqa: EPS101` as an unknown code unless
    its settings say `lint.external = ["EPS"]`. `# epslint: ignore[EPS101]` is safe from it.
    """

    code = "EPS001"
    name = "unused-suppression"
    grade = Grade.EXACT

    def check(self, ignore: Ignore) -> Iterator[Diagnosis]:
        unused = ignore.having(Fate.UNUSED)
        whole = not ignore.codes and ignore.fate is Fate.UNUSED
        if unused or whole:
            yield Diagnosis(
                span=ignore.span,
                message=_message([code.text for code in unused]),
                confidence=Confidence.PROVEN,
                fix=Fix("Remove what is unused", Grade.EXACT, ignore.without(unused)),
            )


def _message(unused: list[str]) -> str:
    if not unused:
        return "this comment suppresses nothing"
    return f"this comment suppresses no finding of {', '.join(unused)}"
