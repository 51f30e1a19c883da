"""One file through the rules: Source + rules → FileReport. Pure, and everything in it pickles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from epslint.config import Config
from epslint.errors import Failure, described
from epslint.outcome import FileReport
from epslint.rule import Confidence, Diagnosis, Finding, Fix, Grade, Rule, Severity, SiteRule
from epslint.selection import Ruleset, for_file
from epslint.source import Source, SourceError
from epslint.suppress import Ignore, apply_ignores, covers_by_name, find_ignores

if TYPE_CHECKING:
    from epslint.analysis.ops import Op
    from epslint.analysis.site import Site

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.ADVICE)  # worst first
_CONFIDENCES = tuple(Confidence)  # surest first


def check(source: Source, ruleset: Ruleset, config: Config) -> FileReport:
    """Run the rules that are on for this file, and nothing that could stop the other files."""
    ruleset = for_file(ruleset, config, Path(source.filename))
    failures: list[Failure] = []
    hearing = _Hearing(source, ruleset, failures)
    try:
        found = _settle(hearing.about_sites(_sites(source, ruleset, config)), hearing)
        ignores = find_ignores(source)
    except SourceError as error:
        return FileReport(source.filename, source, failures=(Failure(source.filename, str(error)),))
    except Exception as error:  # a flaw of ours in one file must not hide the findings of others
        reason = f"internal error of the analysis: {described(error)}"
        return FileReport(source.filename, source, failures=(Failure(source.filename, reason),))
    verdict = apply_ignores(source, found, ignores, ruleset)
    about_comments = (
        finding
        for finding in hearing.about_ignores(verdict.ignores)
        if not any(covers_by_name(ignore, finding, source) for ignore in ignores)
    )
    everything = _ordered([*verdict.findings, *about_comments])
    findings = tuple(f for f in everything if shows(config, f.severity, f.confidence))
    counts_advice = config.min_severity is Severity.ADVICE
    return FileReport(source.filename, source, findings, tuple(failures), counts_advice)


def _sites(source: Source, ruleset: Ruleset, config: Config) -> Iterable[Site]:
    from epslint.analysis import analyse  # noqa: PLC0415 - libcst is slow to load: only when used

    listening = frozenset(op for rule in ruleset.site_rules for op in rule.ops)
    return analyse(source, config.hierarchy, listening)


@dataclass(frozen=True, slots=True)
class _Hearing:
    """The rules answering about one file; a crash of one of them goes into `failures`."""

    source: Source
    ruleset: Ruleset
    failures: list[Failure]
    withdrawn: list[Finding] = field(default_factory=list)  # because of what callers pass

    def about_sites(self, sites: Iterable[Site]) -> Iterator[Finding]:
        by_op: dict[Op, list[SiteRule]] = defaultdict(list)
        for rule in self.ruleset.site_rules:
            for op in rule.ops:
                by_op[op].append(rule)
        for site in sites:
            said = {rule: self._about(rule, site) for rule in by_op.get(site.op, ())}
            findings = list(chain.from_iterable(said.values()))
            objecting = [rule for rule, found in said.items() if found]
            if findings and not self._holds_as_called(site, objecting):
                self.withdrawn.extend(findings)
            else:
                yield from findings

    def _about(self, rule: SiteRule, site: Site) -> Sequence[Finding]:
        return tuple(self._answers(rule, partial(rule.check, site), site))

    def _holds_as_called(self, site: Site, objecting: Iterable[SiteRule]) -> bool:
        """Whether there is an objection left with what the callers of the function pass."""
        called = site.as_called
        if called is None or called is site:
            return called is site
        return any(self._about(rule, called) for rule in objecting)

    def about_ignores(self, ignores: Sequence[Ignore]) -> Iterator[Finding]:
        for rule in self.ruleset.ignore_rules:
            for ignore in ignores:
                yield from self._answers(rule, partial(rule.check, ignore), ignore)

    def _answers(
        self, rule: Rule, question: Callable[[], Iterable[Diagnosis]], about: Site | Ignore
    ) -> Iterator[Finding]:
        try:
            diagnoses = tuple(question())
        except Exception as error:  # one broken rule must not silence the others
            reason = f"rule {rule.code} ({rule.name}) crashed: {described(error)}"
            row = self.source.location(about.span.start).row
            self.failures.append(Failure(self.source.filename, reason, row))
        else:
            for diagnosis in diagnoses:
                worth = diagnosis if isinstance(about, Ignore) else _at(about, diagnosis)
                yield _finding(rule, worth, self.ruleset)


def _at(site: Site, diagnosis: Diagnosis) -> Diagnosis:
    """What a rule says, as it is worth where it is said."""
    if site.mode.rehearsal:
        diagnosis = replace(diagnosis, fix=_of_an_oracle(diagnosis.fix))
    if _harms_nobody(site, diagnosis):
        diagnosis = replace(diagnosis, confidence=Confidence.UNLIKELY)
    return diagnosis


def _harms_nobody(site: Site, diagnosis: Diagnosis) -> bool:
    """Where nothing is trained it takes unusual data, a picture is blank at worst, and a test fails
    at once: its numbers are chosen, and NaN is seen there. But what it compares with may lack
    digits. And nobody is harmed by what nobody reads.
    """
    if (site.rehearsed and not diagnosis.quiet) or site.overwritten:
        return True
    if diagnosis.formula:
        return False
    unusual = diagnosis.confidence is Confidence.POSSIBLE
    return (unusual and not site.mode.trains) or site.pictured


def _finding(rule: Rule, diagnosis: Diagnosis, ruleset: Ruleset) -> Finding:
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=diagnosis.severity or rule.severity,
        span=diagnosis.span,
        message=diagnosis.message,
        confidence=diagnosis.confidence,
        why=diagnosis.why,
        fix=ruleset.offered(rule.code, diagnosis.fix),
        also=diagnosis.also,
    )


def _of_an_oracle(fix: Fix | None) -> Fix | None:
    """The numbers of a test are what others are compared with: an epsilon would ask for others."""
    return fix if fix is None or fix.grade is Grade.EXACT else replace(fix, grade=Grade.SEMANTIC)


def _settle(findings: Iterable[Finding], hearing: _Hearing) -> tuple[Finding, ...]:
    """Say each thing once, and not what another finding on the same place says better, or would
    have said.
    """
    # The interpreter visits a loop more than once; of two tellings the surer one stays.
    surest_first = sorted(findings, key=lambda f: _CONFIDENCES.index(f.confidence))
    once = {(f.code, f.span): f for f in reversed(surest_first)}.values()
    supersedes = {rule.code: rule.supersedes for rule in hearing.ruleset.catalogue.rules}
    beaten = {
        (code, span)
        for f in (*surest_first, *hearing.withdrawn)
        for code in supersedes[f.code]
        for span in (f.span, *f.also)
    }
    return tuple(f for f in once if (f.code, f.span) not in beaten)


def _ordered(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.span, f.code))


def shows(config: Config, severity: Severity, confidence: Confidence) -> bool:
    """Whether a config lets findings of this kind be seen."""
    least = config.min_severity or Severity.ADVICE
    return _SEVERITIES.index(severity) <= _SEVERITIES.index(least) and (
        _CONFIDENCES.index(confidence) <= _CONFIDENCES.index(config.confidence)
    )
