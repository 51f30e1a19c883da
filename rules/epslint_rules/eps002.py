"""EPS002: suppression comments that name no rule."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.rule import Confidence, Diagnosis, IgnoreRule
from epslint.suppress import Fate, Ignore, Reach


class UnknownCode(IgnoreRule):
    """An ignore comment that names no rule, or that cannot be read.

    ## What it does
    Flags a code or name inside `# epslint: ignore[...]`, and an `EPS...` code inside
    `# noqa: ...`, that belongs to no installed rule; also an `# epslint: ...` comment that is no
    ignore at all. An unknown code in a setting or on the command line is an error.

    ## Why is this bad
    A mistyped code suppresses nothing. The finding stays, or worse, it comes back on the day the
    code around it changes, and the comment looks as if someone had thought about it.

    ## Example
    ```python
    import torch


    def loss(x: torch.Tensor) -> torch.Tensor:
        return x.mean() / 2.0  # epslint: ignore[EPS999]
    ```

    ## Use instead
    ```python
    import torch


    def loss(x: torch.Tensor) -> torch.Tensor:
        return x.mean() / 2.0
    ```

    ## Fix
    None: only you know which rule was meant. `epslint rule --all` lists them.

    ## Fix safety
    There is no fix.

    ## References
    Codes that other linters know are not reported. ruff in turn deletes `# noqa: EPS101` as
    unknown unless its settings say `lint.external = ["EPS"]`.
    """

    code = "EPS002"
    name = "unknown-code"

    def check(self, ignore: Ignore) -> Iterator[Diagnosis]:
        if ignore.reach is Reach.UNCLEAR:
            text = "not an epslint comment: write `# epslint: ignore[CODE]` or `ignore-file[CODE]`"
            yield Diagnosis(ignore.span, text, Confidence.PROVEN)
        for code in ignore.having(Fate.UNKNOWN):
            yield Diagnosis(
                code.span, f"`{code.text}` is no rule's code or name", Confidence.PROVEN
            )
