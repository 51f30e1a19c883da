"""A run over files: which ones, what is known of them already, and the rest over processes."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence, Sized
from contextlib import closing
from pathlib import Path

from epslint.cache import Cache
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
    cache = None if effort.cache is None else Cache.at(effort.cache)
    visits = _recalled(targets, task, cache)
    new = [number for number in range(len(targets)) if number not in visits]
    _tell(effort, visits, targets)
    try:
        with closing(_visits([targets[number] for number in new], task, effort)) as coming:
            for index, visit in coming:
                visits[new[index]] = visit
                if cache is not None and task.amend is None:
                    cache.remember(targets[new[index]], visit)
                _tell(effort, visits, targets)
    finally:
        warnings = tuple(_saved(cache))  # also after Ctrl-C: the next run goes on from there
    ordered = [visits[number] for number in range(len(targets))]
    return Run(
        tuple(visit.report for visit in ordered),
        found.failures,
        (*found.warnings, *warnings),
        tuple(visit.repair for visit in ordered if visit.repair is not None),
    )


def _recalled(targets: Sequence[Target], task: Task, cache: Cache | None) -> dict[int, Visit]:
    """What an earlier run has found out, for the files about which nothing else is to be done."""
    if cache is None:
        return {}
    known = ((number, cache.recall(target)) for number, target in enumerate(targets))
    reports = ((number, task.amended(report)) for number, report in known if report is not None)
    return {number: Visit(report) for number, report in reports if task.settles(report)}


def _saved(cache: Cache | None) -> Iterator[str]:
    """Keep what is new, or say in one line why that was not possible."""
    try:
        if cache is not None:
            cache.save()
    except OSError as error:
        yield f"the cache cannot be written to {error.filename}: {error.strerror}; see --cache-dir"


def _tell(effort: Effort, visits: Sized, targets: Sized) -> None:
    if effort.progress is not None:
        effort.progress(len(visits), len(targets))


def _visits(
    targets: Sequence[Target], task: Task, effort: Effort
) -> Generator[tuple[int, Visit], None, None]:
    """Each target's number and what came of it, as soon as it is known."""
    if not targets:
        return
    from epslint.linter import Linter, failed  # noqa: PLC0415 - slow to load, and often not needed

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
