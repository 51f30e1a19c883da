"""The commands. Only click is imported here: `epslint --help` must not load the analysis."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from epslint import __version__, options
from epslint.errors import EpslintError, described
from epslint.flags import Flags

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from epslint.config import Table
    from epslint.settings import Settings


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
                sys.excepthook(type(error), error, error.__traceback__)
            _fail(
                f"internal error: {described(error)}\n"
                "This is a bug in epslint; `epslint check -v` shows where it happened."
            )


def _fail(message: str) -> NoReturn:
    click.echo(f"{click.style('error', fg='red', bold=True)}: {message}", err=True)
    sys.exit(2)


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


@main.command(
    cls=options.Grouped,
    params=[
        click.Argument(["paths"], nargs=-1, type=click.Path(path_type=Path)),
        *options.EVERYTHING,
    ],
)
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
    if word is None:
        return None, paths
    if word == "-" or Path(word).exists():
        return options.NO_REASON, (Path(word), *paths)
    if word.endswith(("/", ".py", ".pyi", ".ipynb")):
        raise click.UsageError(f"--add-ignore: no such file or directory: {word}")
    return word, paths


def _colour(wish: str) -> bool | None:
    """Whether to colour; None leaves it to click, which looks whether this is a terminal."""
    if wish == "auto" and (os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"):
        return False
    return options.COLOURS[wish]


def _settings(ctx: click.Context) -> Settings:
    """Where configuration comes from, with what the command line sets on top."""
    from epslint.settings import Settings  # noqa: PLC0415

    names = [option.name for option in options.SETTINGS if option.name]
    given = {name.replace("_", "-"): ctx.params[name] for name in names}
    overrides: Table = {key: value for key, value in given.items() if value is not None}
    return Settings(overrides, file=ctx.params["config"], isolated=ctx.params["isolated"])


@main.command()
@click.argument("words", metavar="[CODE|NAME]...", nargs=-1, shell_complete=options.complete_rules)
@click.option("--all", "everything", is_flag=True, help="Explain every rule.")
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


@main.command(
    params=[
        click.Argument(["path"], type=click.Path(path_type=Path), default="."),
        *options.SETTINGS,
        *options.CONFIGURATION.options,
    ]
)
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


@main.command(params=[options.CACHE_DIR])
def clean(cache_dir: Path | None) -> None:
    """Remove the cache."""
    from epslint import cache  # noqa: PLC0415

    folder = cache_dir or cache.home(Path.cwd())
    gone = cache.clean(folder)
    click.echo(f"Removed {folder}" if gone else f"There is no cache at {folder}", err=True)
