"""The options of the command line, by what they are about. Nothing but click is loaded for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epslint import report
from epslint.rule import Confidence, Severity

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

NO_REASON = "not reviewed yet"  # what --add-ignore writes when it is given no reason
COLOURS = {"auto": None, "always": True, "never": False}


def _words(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    """`--select EPS1,EPS2 --select EPS301` as one list; None when the option was not given."""
    words = [word.strip() for value in values for word in value.split(",")]
    return [word for word in words if word] or None


def _pairs(
    _: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, list[str]] | None:
    """`--per-file-ignores 'tests/*:EPS101'`, several with commas or by repeating the option."""
    table: dict[str, list[str]] = {}
    for pair in (pair for value in values for pair in value.split(",")):
        pattern, colon, code = pair.rpartition(":")
        if not colon or not pattern.strip() or not code.strip():
            raise click.BadParameter(f"{pair!r} is not PATTERN:CODE", param=param)
        table.setdefault(pattern.strip(), []).append(code.strip())
    return table or None


def complete_rules(
    _: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Codes of rules, also after a comma."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only when a shell asks

    from epslint import docs, registry  # noqa: PLC0415

    before, comma, word = incomplete.rpartition(",")
    return [
        CompletionItem(
            before + comma + rule.code, help=docs.documentation(rule).summary.splitlines()[0]
        )
        for rule in registry.load().rules
        if rule.code.startswith(word.upper())
    ]


def _rules(name: str, text: str) -> click.Option:
    return click.Option(
        [name],
        multiple=True,
        callback=_words,
        metavar="RULES",
        help=text,
        shell_complete=complete_rules,
    )


def _patterns(name: str, text: str) -> click.Option:
    return click.Option([name], multiple=True, callback=_words, metavar="PATTERNS", help=text)


def _switch(name: str, text: str) -> click.Option:
    """A setting that the command line can turn on and off; None leaves it to the config file."""
    return click.Option([f"--{name}/--no-{name}", name.replace("-", "_")], default=None, help=text)


def _one_of(name: str, values: Sequence[str], text: str) -> click.Option:
    return click.Option([name], type=click.Choice(values), help=text)


def _flag(*names: str, text: str) -> click.Option:
    return click.Option(list(names), is_flag=True, help=text)


def _file(*names: str, text: str) -> click.Option:
    kind = click.Path(dir_okay=False, writable=True, path_type=Path)
    return click.Option(list(names), type=kind, metavar="FILE", help=text)


CACHE_DIR = click.Option(
    ["--cache-dir"],
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to keep what is known of files (default: .epslint_cache in the project).",
)


@dataclass(frozen=True, slots=True)
class Group:
    """Options that are about one thing; `settings` are those a configuration file has, too."""

    heading: str
    flags: tuple[click.Option, ...] = ()
    settings: tuple[click.Option, ...] = ()

    @property
    def options(self) -> tuple[click.Option, ...]:
        return (*self.flags, *self.settings)


CONFIGURATION = Group(
    "Configuration",
    flags=(
        click.Option(
            ["--config"],
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Use this configuration file, whatever lies near the files.",
        ),
        _flag("--isolated", text="Read no configuration file."),
    ),
)

GROUPS = (
    Group(
        "Fixes",
        flags=(
            _flag("--fix", text="Apply fixes that keep the meaning."),
            _flag("--unsafe-fixes", text="With --fix or --diff: also those that may change it."),
            _flag("--diff", text="Show what --fix would change, and change nothing."),
            _flag("--fix-only", text="Apply fixes and do not report what is left."),
            _flag("--show-fixes", text="List the fixes that were applied."),
        ),
        settings=(
            _rules("--fixable", "Rules whose fixes may be applied."),
            _rules("--unfixable", "Rules whose fixes may not be applied."),
            _one_of("--guard-style", ["add", "clamp"], "How fixes write a guard."),
        ),
    ),
    Group(
        "Rules",
        settings=(
            _rules("--select", "Rules to run: codes, prefixes (EPS1), names, or ALL."),
            _rules("--ignore", "Rules to leave out."),
            _rules("--extend-select", "Rules to run as well as the selected ones."),
            click.Option(
                ["--per-file-ignores"],
                multiple=True,
                callback=_pairs,
                metavar="PATTERN:RULE",
                help="Rules to leave out in some files.",
            ),
            _switch("preview", "Also run rules that are still being tried out."),
            _one_of(
                "--min-severity",
                [severity.value for severity in Severity],
                "Hide findings below this, and count all others, advice too.",
            ),
            _one_of(
                "--confidence",
                [confidence.value for confidence in Confidence],
                "named: leave out what depends on the data. proven: what rests on a name, too. "
                "unlikely: show also what would hurt nobody, as in tests.",
            ),
        ),
    ),
    Group(
        "Old findings",
        flags=(
            _file("--baseline", text="Leave out the old findings that FILE holds."),
            _flag("--no-baseline", text="Show them, whatever the configuration says."),
            _file(
                "--write-baseline",
                text="Write the findings there are to FILE, and drop from it those that are gone.",
            ),
            click.Option(
                ["--since"],
                metavar="REV",
                help="Only findings on lines changed since a git revision.",
            ),
            click.Option(
                ["--add-ignore"],
                is_flag=False,
                flag_value=NO_REASON,
                metavar="[REASON]",
                help="Put a comment that silences it, with the reason, behind every finding.",
            ),
        ),
    ),
    Group(
        "Files",
        flags=(
            _flag("--show-files", text="List the files that would be checked, and stop."),
            click.Option(
                ["--stdin-filename"],
                metavar="PATH",
                help="The name of what comes in through '-'.",
            ),
        ),
        settings=(
            _patterns("--exclude", "Paths to leave out, instead of the default ones."),
            _patterns("--extend-exclude", "Paths to leave out as well."),
            _switch("force-exclude", "Leave out excluded files even when they are named."),
            _switch("respect-gitignore", "Leave out what git ignores (the default)."),
        ),
    ),
    Group(
        "Output",
        flags=(
            click.Option(
                ["--output-format"],
                type=click.Choice(report.names()),
                default="full",
                show_default=True,
                help="How findings are shown.",
            ),
            _file("-o", "--output-file", text="Write the report there, not to the screen."),
            _flag("--statistics", text="Show counts per rule instead of findings."),
            click.Option(
                ["--color"],
                type=click.Choice(list(COLOURS)),
                default="auto",
                show_default=True,
                help="auto: on a terminal, unless NO_COLOR is set.",
            ),
            _flag("-q", "--quiet", text="Findings and errors only."),
            _flag("-v", "--verbose", text="Which files, and where an internal error happened."),
            _flag("--exit-zero", text="Exit with 0 even when there are findings."),
            _flag("--exit-non-zero-on-fix", text="Exit with 1 when something was fixed."),
        ),
    ),
    CONFIGURATION,
    Group(
        "Running",
        flags=(
            _flag("--watch", text="Check again whenever a file changes, until Ctrl-C."),
            click.Option(
                ["-j", "--jobs"],
                type=click.IntRange(min=1),
                metavar="N",
                help="Use up to N processes (default: one for each core).",
            ),
            _flag("--no-cache", text="Check every file anew, and keep nothing for the next run."),
            CACHE_DIR,
        ),
    ),
)

EVERYTHING = tuple(option for group in GROUPS for option in group.options)
SETTINGS = tuple(option for group in GROUPS for option in group.settings)


class Grouped(click.Command):
    """A command whose help shows its options under the headings of their groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for group in GROUPS:
            _section(ctx, formatter, group.heading, group.options)
        _section(ctx, formatter, "Other", [p for p in self.get_params(ctx) if p not in self.params])


def _section(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    heading: str,
    params: Sequence[click.Parameter],
) -> None:
    records = (param.get_help_record(ctx) for param in params)
    with formatter.section(heading):
        formatter.write_dl([record for record in records if record is not None])
