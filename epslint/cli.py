"""The command line. Only click is imported here: `epslint --help` must not load the analysis."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from epslint import __version__, report
from epslint.errors import EpslintError
from epslint.flags import Flags
from epslint.rule import Confidence, Severity

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from epslint.config import Table
    from epslint.settings import Settings

Command = TypeVar("Command", bound=Callable[..., object])

_NO_REASON = "not reviewed yet"  # what --add-ignore writes when it is given no reason
_COLOURS = {"auto": None, "always": True, "never": False}


class _Epslint(click.Group):
    """A group whose command may be left out: `epslint --fix src` is `epslint check --fix src`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {name for param in self.get_params(ctx) for name in param.opts}
        if not args and ctx.resilient_parsing:  # a shell asks what the first word may be
            return super().parse_args(ctx, args)
        if not args or (args[0] not in self.commands and args[0] not in own):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The first word may be a command, or else what `check` takes: an option or a path."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only for a shell

        meant = click.Context(self.commands["check"], parent=ctx)
        options = self.commands["check"].shell_complete(meant, incomplete)
        path = [] if incomplete.startswith("-") else [CompletionItem(incomplete, type="file")]
        return [*path, *super().shell_complete(ctx, incomplete), *options]

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except EpslintError as error:
            _fail(str(error))
        except KeyboardInterrupt:
            sys.exit(130)  # click's own 1 would read as "findings"
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:  # the last line of defence: a message, not a traceback
            if ctx.obj == "verbose":
                traceback.print_exc()
            _fail(
                f"internal error: {type(error).__name__}: {error}\n"
                "This is a bug in epslint; `epslint check -v` shows where it happened."
            )


def _fail(message: str) -> NoReturn:
    click.echo(f"{click.style('error', fg='red', bold=True)}: {message}", err=True)
    sys.exit(2)


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


def _complete_rules(
    _: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Codes of rules, also after a comma."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    from epslint import docs, registry  # noqa: PLC0415

    before, comma, word = incomplete.rpartition(",")
    return [
        CompletionItem(
            before + comma + rule.code, help=docs.documentation(rule).summary.splitlines()[0]
        )
        for rule in registry.load().rules
        if rule.code.startswith(word.upper())
    ]


def _list(name: str, metavar: str, text: str) -> Callable[[Command], Command]:
    complete = _complete_rules if metavar == "RULES" else None
    return click.option(
        name, multiple=True, callback=_words, metavar=metavar, help=text, shell_complete=complete
    )


def _switch(name: str, text: str) -> Callable[[Command], Command]:
    """A setting that the command line can turn on and off; None leaves it to the config file."""
    return click.option(f"--{name}/--no-{name}", name.replace("-", "_"), default=None, help=text)


def _one_of(name: str, values: Sequence[str], text: str) -> Callable[[Command], Command]:
    return click.option(name, type=click.Choice(values), help=text)


def _flag(*names: str, text: str) -> Callable[[Command], Command]:
    return click.option(*names, is_flag=True, help=text)


def _all(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


# Options that set what a configuration file can set too, under the same names.
_SETTINGS = (
    _list("--select", "RULES", "Rules to run: codes, prefixes (EPS1), names, or ALL."),
    _list("--ignore", "RULES", "Rules to leave out."),
    _list("--extend-select", "RULES", "Rules to run as well as the selected ones."),
    click.option(
        "--per-file-ignores",
        multiple=True,
        callback=_pairs,
        metavar="PATTERN:RULE",
        help="Rules to leave out in some files.",
    ),
    _list("--fixable", "RULES", "Rules whose fixes may be applied."),
    _list("--unfixable", "RULES", "Rules whose fixes may not be applied."),
    _switch("preview", "Also run rules that are still being tried out."),
    _list("--exclude", "PATTERNS", "Paths to leave out, instead of the default ones."),
    _list("--extend-exclude", "PATTERNS", "Paths to leave out as well."),
    _switch("force-exclude", "Leave out excluded files even when they are named."),
    _switch("respect-gitignore", "Leave out what git ignores (the default)."),
    _one_of(
        "--min-severity",
        [severity.value for severity in Severity],
        "Hide findings below this, and count all others, advice too.",
    ),
    _one_of(
        "--confidence",
        [confidence.value for confidence in Confidence],
        "proven: leave out what is known only from the name of a variable.",
    ),
    _one_of("--guard-style", ["add", "clamp"], "How fixes write a guard."),
)

_SOURCES = (
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Use this configuration file, whatever lies near the files.",
    ),
    _flag("--isolated", text="Read no configuration file."),
)

_FILE = click.Path(dir_okay=False, writable=True, path_type=Path)

_CACHE_DIR = click.option(
    "--cache-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to keep what is known of files (default: .epslint_cache in the project).",
)

_FLAGS = (
    _flag("--fix", text="Apply fixes that keep the meaning."),
    _flag("--unsafe-fixes", text="With --fix or --diff: also fixes that may change the meaning."),
    _flag("--fix-only", text="Apply fixes and do not report what is left."),
    _flag("--diff", text="Show what --fix would change, and change nothing."),
    _flag("--show-fixes", text="List the fixes that were applied."),
    _flag("--show-files", text="List the files that would be checked, and stop."),
    click.option("--stdin-filename", metavar="PATH", help="The name of what comes in through '-'."),
    click.option(
        "--output-format",
        type=click.Choice(report.names()),
        default="full",
        show_default=True,
        help="How findings are shown.",
    ),
    click.option(
        "-o",
        "--output-file",
        type=_FILE,
        help="Write the report there instead of to the screen.",
    ),
    _flag("--statistics", text="Show counts per rule instead of findings."),
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Use up to N processes (default: one for each core).",
    ),
    click.option(
        "--baseline",
        type=_FILE,
        metavar="FILE",
        help="Leave out the old findings that FILE holds.",
    ),
    click.option(
        "--write-baseline",
        type=_FILE,
        metavar="FILE",
        help="Write the findings there are to FILE, and drop from it those that are gone.",
    ),
    click.option(
        "--since", metavar="REV", help="Only findings on lines changed since a git revision."
    ),
    click.option(
        "--add-ignore",
        is_flag=False,
        flag_value=_NO_REASON,
        metavar="[REASON]",
        help="Put a comment that silences it, with the reason, behind every finding.",
    ),
    _flag("--watch", text="Check again whenever a file changes, until Ctrl-C."),
    _flag("--no-cache", text="Check every file anew, and keep nothing for the next run."),
    _CACHE_DIR,
    _flag("--exit-zero", text="Exit with 0 even when there are findings."),
    _flag("--exit-non-zero-on-fix", text="Exit with 1 when something was fixed."),
    _flag("-q", "--quiet", text="Findings and errors only."),
)


@click.group(cls=_Epslint, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="epslint")
@click.pass_context
def main(ctx: click.Context, /) -> None:
    """Find and fix numerical hazards in machine-learning code.

    epslint PATHS checks, epslint --fix PATHS fixes; see epslint check --help for all options.
    """
    ctx.color = _colour("auto")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # an old encoding must not stop a report over a ∞
            stream.reconfigure(errors="replace")


@main.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_all(_SETTINGS)
@_all(_SOURCES)
@_all(_FLAGS)
@_flag("-v", "--verbose", text="Say more: which files, and where an internal error happened.")
@click.option("--color", type=click.Choice(list(_COLOURS)), default="auto", show_default=True)
@click.pass_context
def check(ctx: click.Context, /, **_: object) -> None:
    """Check PATHS (default: the current directory); with --fix, repair them.

    Exits with 0 when nothing is wrong, 1 when there are findings, 2 when something could not be
    checked.
    """
    from epslint import session  # noqa: PLC0415 - see the top of this file

    given = ctx.params
    ctx.color = _colour(given["color"])
    if given["verbose"]:
        ctx.find_root().obj = "verbose"
    given["add_ignore"], paths = _reason_apart(given["add_ignore"], given["paths"])
    flags = Flags(**{field.name: given[field.name] for field in fields(Flags)})
    start = session.watch if given["watch"] else session.run
    sys.exit(start(paths or (Path("."),), _settings(ctx), flags))


def _reason_apart(word: str | None, paths: tuple[Path, ...]) -> tuple[str | None, tuple[Path, ...]]:
    """`--add-ignore src` gives no reason: what names a file or a folder is one of the paths."""
    if word is None or not (word == "-" or Path(word).exists()):
        if word is not None and word.endswith(("/", ".py", ".pyi", ".ipynb")):
            raise click.UsageError(f"--add-ignore: no such file or directory: {word}")
        return word, paths
    return _NO_REASON, (Path(word), *paths)


def _colour(wish: str) -> bool | None:
    """Whether to colour; None leaves it to click, which looks whether this is a terminal."""
    if wish == "auto" and (os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"):
        return False
    return _COLOURS[wish]


def _settings(ctx: click.Context) -> Settings:
    """Where configuration comes from, with what the command line sets on top."""
    from epslint.config import SETTINGS  # noqa: PLC0415
    from epslint.settings import Settings  # noqa: PLC0415

    given = {name.replace("_", "-"): value for name, value in ctx.params.items()}
    overrides: Table = {key: given[key] for key in SETTINGS if given.get(key) is not None}
    return Settings(overrides, file=ctx.params["config"], isolated=ctx.params["isolated"])


@main.command()
@click.argument("words", metavar="[CODE|NAME]...", nargs=-1, shell_complete=_complete_rules)
@_flag("--all", "everything", text="Explain every rule.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def rule(words: tuple[str, ...], everything: bool, output_format: str) -> None:
    """Explain rules, by code or by name."""
    from epslint import explain  # noqa: PLC0415

    if not words and not everything:
        raise click.UsageError("name a rule, such as EPS101, or give --all")
    rules = explain.find(words)
    click.echo(explain.FORMATS[output_format](rules), nl=False)


@main.command()
@click.argument("place", metavar="FILE[:LINE]")
def facts(place: str) -> None:
    """Show what the analysis knows in FILE, line by line."""
    from epslint import explain  # noqa: PLC0415

    click.echo(explain.known_facts(place), nl=False)


@main.command()
@click.argument("path", type=click.Path(path_type=Path), default=".")
@_all(_SETTINGS)
@_all(_SOURCES)
@click.pass_context
def config(ctx: click.Context, /, path: Path, **_: object) -> None:
    """Show the settings that hold for PATH, and the rules they turn on."""
    from epslint import explain  # noqa: PLC0415

    folder = path if path.is_dir() else path.parent
    click.echo(explain.settings(_settings(ctx).of(folder)), nl=False)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what teaches a shell to complete epslint's words.

    \b
    bash, in ~/.bashrc:                     eval "$(epslint completion bash)"
    zsh, in ~/.zshrc:                       eval "$(epslint completion zsh)"
    fish, in ~/.config/fish/config.fish:    epslint completion fish | source
    """  # noqa: D301 - click reads the \b
    from click.shell_completion import get_completion_class  # noqa: PLC0415

    script = get_completion_class(shell)
    assert script is not None
    click.echo(script(main, {}, "epslint", "_EPSLINT_COMPLETE").source())


@main.command()
@_CACHE_DIR
def clean(cache_dir: Path | None) -> None:
    """Remove the cache."""
    from epslint import cache  # noqa: PLC0415

    folder = cache_dir or cache.home(Path.cwd())
    gone = cache.clean(folder)
    click.echo(f"Removed {folder}" if gone else f"There is no cache at {folder}", err=True)
