"""Cases: what a name was given on each side of a test, to be told apart where the test comes again.

`n = len(x) if wanted else 0`, and later `if wanted: y / n`: the 0 is of the other case. The same of
attributes: what a constructor gave them, and the test that a method asks again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from epslint.analysis import bare
from epslint.analysis.env import Case, Env
from epslint.analysis.fact import UNKNOWN, Fact
from epslint.analysis.keys import key_of, roots_of

_KEPT = 8  # of one test; more are not used far apart, and each is looked at when it comes again


Sides = tuple[Fact, Fact]


def sides_of(names: Iterable[str], met: Env, unmet: Env) -> dict[str, Sides]:
    """What the names became on either side of a test, before the two become one again."""
    return {name: (met.fact(name) or UNKNOWN, unmet.fact(name) or UNKNOWN) for name in names}


def remember(test: bare.BaseExpression, sides: Mapping[str, Sides], env: Env) -> None:
    """Note what names became on either side of a test, now that both are behind."""
    key, truth = _asked(test)
    roots = frozenset(roots_of(test)) | {key or ""}
    for name, (met, unmet) in sides.items():
        bound = env.binding(name)
        if key is None or bound is None or name in roots or met == unmet:
            continue
        ordered = (met, unmet) if truth else (unmet, met)
        case = Case(name, *ordered, bound.clock, roots)
        noted = env.cases.setdefault(key, [])
        noted.append(case)
        del noted[:-_KEPT]


def recall(test: bare.BaseExpression, truth: bool, env: Env) -> None:
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


def decided_by(env: Env) -> Iterator[tuple[str, Case]]:
    """The cases that are still open where a function ends, each with the key of its test."""
    for key, noted in env.cases.items():
        for case in noted:
            bound = env.binding(case.name)
            if bound is not None and bound.clock == case.clock:
                yield key, case


def as_asked(key: str, case: Case, env: Env) -> Fact | None:
    """What a name is on this path, if its test has been asked on it."""
    answer = env.fact(key)
    if answer is None:
        return None
    if answer.constant == 0:
        return case.unmet
    return None if answer.range.has_zero else case.met


def covers_all(chain: bare.If) -> bool:
    """Whether an if and its elifs go through the values of one setting: `mode == "token"`, then
    `mode in ("sequence", "turn")`. Where there is no else, none is left that would need one.
    """
    subjects: list[str | None] = []
    branch: bare.If | bare.Else | None = chain
    while isinstance(branch, bare.If):
        subjects.append(_chosen_by_word(branch.test))
        branch = branch.orelse
    return branch is None and len(subjects) > 1 and len(set(subjects)) == 1 and None not in subjects


def _chosen_by_word(test: bare.BaseExpression) -> str | None:
    """The key of what is compared with words."""
    if not isinstance(test, bare.Comparison) or len(test.comparisons) != 1:
        return None
    (target,) = test.comparisons
    if not isinstance(target.operator, bare.Equal | bare.In):
        return None
    group, words = target.comparator, [target.comparator]
    if isinstance(group, bare.Tuple | bare.List | bare.Set):
        words = [each.value for each in group.elements]
    return key_of(test.left) if all(isinstance(w, bare.SimpleString) for w in words) else None


def all_replace(arms: Sequence[Env], env: Env) -> bool:
    """Whether every one of several branches gives the same name another value."""
    return any(name.isidentifier() and _replaces(name, arms, env) for name, _ in arms[0].assigned())


def _replaces(name: str, arms: Sequence[Env], env: Env) -> bool:
    before = env.binding(name)
    return before is not None and all(arm.assigned_after(name, before.clock) for arm in arms)


def _asked(test: bare.BaseExpression) -> tuple[str | None, bool]:
    """The key of what is asked, and whether as it is: `not x` asks for x."""
    truth = True
    while type(test) is bare.UnaryOperation and type(test.operator) is bare.Not:
        test, truth = test.expression, not truth
    return key_of(test), truth
