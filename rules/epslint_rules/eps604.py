"""EPS604: running statistics whose count starts at 0."""

from __future__ import annotations

from collections.abc import Iterator

from epslint.analysis import bare
from epslint.analysis.fact import REMEMBERED, DType, Fact, Form, Kind
from epslint.analysis.interpreter.sizes import is_of_many
from epslint.analysis.keys import is_zero, words_of
from epslint.analysis.ops import Op
from epslint.analysis.origin import Operand, Origin
from epslint.analysis.site import Site
from epslint.analysis.words.hints import is_needed_whole, tells_of_weight
from epslint.epsilon import Role, spelled
from epslint.rewrite import floor, slot_of
from epslint.rule import Confidence, Diagnosis, Edit, Fix, Grade, Reason, Severity, SiteRule
from epslint_rules._division import diagnosis, divided_by
from epslint_rules._wording import quoted

_AT_FIRST = "before the first update there is nothing to divide by"


class ZeroInitialCount(SiteRule):
    """Running statistics whose count starts at 0 and divides.

    ## What it does
    Flags a division by an attribute that the class sets to 0 and adds to elsewhere, such as
    `self.total / self.count`; also by an entry of a dictionary (`self.stats["count"]`), and by
    totals that there is one of for each class (`zeros(num_classes)`, the state of a metric).
    Silent in a method that adds to it first, or checks it, and in a
    private one that is only called once it has been added to. Python's own tallies
    (`self.num_episodes`) are told of only with `--confidence unlikely`: readers of 10 such places
    found none worth a change.

    ## Why is this bad
    Before the first update the count is 0: the first call of the property divides by it, and a NaN
    that enters running statistics never leaves. Of totals per class that of a class that does not
    occur stays 0, and the mean over all of them is NaN.

    ## Example
    ```python
    class RunningMean:
        def __init__(self):
            self.total = 0.0
            self.count = 0

        def update(self, x):
            self.total += x.sum().item()
            self.count += x.numel()

        def mean(self):
            return self.total / self.count
    ```

    ## Use instead
    ```python
    class RunningMean:
        def __init__(self):
            self.total = 0.0
            self.count = 1e-24

        def update(self, x):
            self.total += x.sum().item()
            self.count += x.numel()

        def mean(self):
            return self.total / self.count
    ```

    ## Fix
    Lets the count start at 1e-24, in the constructor and wherever it is set back to 0. What is
    started at `0` and is called otherwise (`self.num_tokens`, `self.steps`) is printed and used as
    an index: there the division becomes one by `max(self.steps, 1)`. Totals in a tensor stay as
    they are, and 1e-8 is added where they divide.

    ## Fix safety
    Bounded: after the first update 1e-24 is lost in rounding. The count becomes a float: where the
    file is seen to need it whole (`range(self.count)`, `x[self.count]`, `f"{self.count:d}"`,
    `self.count == 0`) the fix is semantic, and a check is what you want instead.
    `max(self.steps, 1)` is exact where only whole numbers are seen to be added, and semantic where
    fractions might be.

    ## References
    1e-24 in ROLL and trlx, 1e-4 in SB3 and baselines.
    """

    code = "EPS604"
    name = "zero-initial-count"
    severity = Severity.WARNING
    grade = Grade.BOUNDED
    ops = frozenset({Op.DIV})

    def check(self, site: Site) -> Iterator[Diagnosis]:
        operand = divided_by(site)
        if operand is None or not operand.fact.zeroable or not operand.fact.is_any(Kind.RUNNING):
            return
        origin = operand.fact.origin
        row = origin.row if origin is not None else None
        yield Diagnosis(
            span=site.unit.span(operand.node),
            message=f"Division by {quoted(site, operand.node)}, which starts at 0: "
            + ("what is never met is still 0" if is_of_many(operand.fact) else _AT_FIRST),
            confidence=Confidence.UNLIKELY if _is_tally(operand) else Confidence.POSSIBLE,
            why=(Reason(row, f"{quoted(site, operand.node)} is set to 0 here"),) if row else (),
            fix=_fix(site, operand),
        )


def _fix(site: Site, operand: Operand) -> Fix | None:
    fact = operand.fact
    if fact.form.tensor or is_of_many(fact):
        return diagnosis(site, operand).fix
    if _is_tally(operand):
        edits = floor(site.unit, operand.node, "1", Form.NUMBER, slot_of(site, operand))
        # Who starts at `0` counts whole numbers; that nothing else is added must be seen.
        grade = Grade.EXACT if fact.dtype is DType.INT else Grade.SEMANTIC
        return Fix("Divide by 1 at the least", grade, edits)
    return _moved(site, operand)


def _is_tally(operand: Operand) -> bool:
    """Whether whole numbers of Python's are counted by what they are of: `self.num_episodes`. Who
    averages over them has had some, or Python says so at once.
    """
    fact, starts = operand.fact, _starts(operand.fact)
    if fact.form.tensor or is_of_many(fact) or not starts:
        return False
    whole = all(isinstance(start.node, bare.Integer) for start in starts)
    return whole and not any(map(tells_of_weight, words_of(operand.node)))


def _starts(fact: Fact) -> list[Origin]:
    return [o for o in (fact.origin, *fact.rivals) if o is not None and is_zero(o.node)]


def _moved(site: Site, operand: Operand) -> Fix | None:
    """Every start is moved: in the constructor and wherever the count is set back."""
    fact = operand.fact
    starts = _starts(fact)
    if fact.origin not in starts or len(fact.rivals) == REMEMBERED:
        return None  # there may be a start that nobody remembers
    epsilon = spelled(site.hierarchy.epsilon(Role.COUNT))
    spans = sorted({each.unit.span(each.node) for each in starts})
    edits = tuple(Edit(span, epsilon) for span in spans)
    whole = is_needed_whole(site.unit.text(operand.node), site.unit.source.text)
    grade = Grade.SEMANTIC if whole else Grade.BOUNDED
    return Fix(f"Start at {epsilon} (count)", grade, edits)
