"""Cases: what a name was given on each side of a test, to be told apart where the test comes again.

`n = len(x) if wanted else 0`, and later `if wanted: y / n`: the 0 is of the other case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from epslint.analysis.env import Case, Env
from epslint.analysis.fact import UNKNOWN
from epslint.analysis.keys import key_of, roots_of

_KEPT = 8  # of one test; more are not used far apart, and each is looked at when it comes again


def remember(
    test: cst.BaseExpression, names: Iterable[str], met: Env, unmet: Env, env: Env
) -> None:
    """Note what the names became on either side of a test, now that both are behind."""
    key, truth = _asked(test)
    roots = frozenset(roots_of(test)) | {key or ""}
    for name in names:
        first, second, bound = met.fact(name), unmet.fact(name), env.binding(name)
        if key is None or bound is None or name in roots or first == second:
            continue
        sides = (first or UNKNOWN, second or UNKNOWN)
        case = Case(name, *(sides if truth else sides[::-1]), bound.clock, roots)
        noted = env.cases.setdefault(key, [])
        noted.append(case)
        del noted[:-_KEPT]


def recall(test: cst.BaseExpression, truth: bool, env: Env) -> None:
    """Put into `env` what follows for names that were given their values by the same test."""
    if not env.cases:
        return
    key, meant = _asked(test)
    for case in env.cases.get(key or "", ()):
        bound = env.binding(case.name)
        if bound is None or bound.clock != case.clock:
            continue
        if not any(env.assigned_after(root, case.clock) for root in case.roots):
            env.refine(case.name, case.met if truth == meant else case.unmet)


def covers_all(chain: cst.If) -> bool:
    """Whether an if and its elifs go through the values of one setting: `mode == "token"`, then
    `mode in ("sequence", "turn")`. Where there is no else, none is left that would need one.
    """
    subjects: list[str | None] = []
    branch: cst.If | cst.Else | None = chain
    while isinstance(branch, cst.If):
        subjects.append(_chosen_by_word(branch.test))
        branch = branch.orelse
    return branch is None and len(subjects) > 1 and len(set(subjects)) == 1 and None not in subjects


def _chosen_by_word(test: cst.BaseExpression) -> str | None:
    """The key of what is compared with words."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    (target,) = test.comparisons
    if not isinstance(target.operator, cst.Equal | cst.In):
        return None
    group, words = target.comparator, [target.comparator]
    if isinstance(group, cst.Tuple | cst.List | cst.Set):
        words = [each.value for each in group.elements]
    return key_of(test.left) if all(isinstance(w, cst.SimpleString) for w in words) else None


def all_replace(arms: Sequence[Env], env: Env) -> bool:
    """Whether every one of several branches gives the same name another value."""
    return any(name.isidentifier() and _replaces(name, arms, env) for name, _ in arms[0].assigned())


def _replaces(name: str, arms: Sequence[Env], env: Env) -> bool:
    before = env.binding(name)
    return before is not None and all(arm.assigned_after(name, before.clock) for arm in arms)


def _asked(test: cst.BaseExpression) -> tuple[str | None, bool]:
    """The key of what is asked, and whether as it is: `not x` asks for x."""
    truth = True
    while isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        test, truth = test.expression, not truth
    return key_of(test), truth
