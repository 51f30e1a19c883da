"""A run over files: which ones, what is known of them already, and the rest over processes."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence, Sized
from contextlib import closing
from pathlib import Path

from epslint.files import discover
from epslint.outcome import Run
from epslint.settings import Settings
from epslint.task import Effort, Target, Task, Visit

_Visits = Generator[tuple[int, Visit], None, None]

# Below this there is not enough to do for one more process to pay for itself.
_WORTH_A_PROCESS = 100_000  # bytes of source


def run(paths: Sequence[Path], settings: Settings, task: Task, effort: Effort) -> Run:
    """Visit every file; what comes of it is in the order of the files, whoever was done first."""
    found = discover(paths, settings)
    targets = [Target(str(file), settings.of(file.parent)) for file in found.files]
    visits: dict[int, Visit] = {}
    with closing(_visits(targets, task, effort)) as coming:
        _tell(effort, visits, targets)
        for number, visit in coming:
            visits[number] = visit
            _tell(effort, visits, targets)
    ordered = [visits[number] for number in range(len(targets))]
    return Run(
        tuple(visit.report for visit in ordered),
        found.failures,
        found.warnings,
        tuple(visit.repair for visit in ordered if visit.repair is not None),
    )


def _tell(effort: Effort, visits: Sized, targets: Sized) -> None:
    if effort.progress is not None:
        effort.progress(len(visits), len(targets))


def _visits(
    targets: Sequence[Target], task: Task, effort: Effort
) -> Generator[tuple[int, Visit], None, None]:
    """Each target's number and what came of it, as soon as it is known."""
    from epslint.linter import Linter, failed  # noqa: PLC0415 - slow to load, and often not needed

    if not targets:
        return
    linter = Linter.of(task)
    linter.prepare({target.config for target in targets})
    weights = [_size(target) for target in targets]
    jobs = min(effort.jobs, sum(weights) // _WORTH_A_PROCESS)
    if jobs < 2:
        yield from enumerate(map(linter.visit, targets))
        return
    from epslint import pool  # noqa: PLC0415 - the same

    for number, answer in pool.spread(linter.visit, targets, weights, jobs):
        if isinstance(answer, pool.Died):
            yield number, failed(targets[number], answer.reason)
        else:
            yield number, answer


def _size(target: Target) -> int:
    try:
        return os.stat(target.filename).st_size
    except OSError:  # whoever reads it will tell
        return 0
