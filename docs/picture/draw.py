"""The README's picture: what epslint says about ppo.py, drawn as a terminal would show it.

python docs/picture/draw.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from xml.sax.saxutils import escape

from click.testing import CliRunner

from epslint.cli import main
from epslint.report._text import width

FOLDER = Path(__file__).parent
PICTURE = FOLDER / "terminal.svg"
COMMAND = ("epslint", "ppo.py")

COLUMN, LINE, MARGIN = 7.85, 18, 16  # pixels
BACKGROUND, INK = "#161b22", "#d6dde5"
COLOURS: Mapping[str, str] = MappingProxyType(
    {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#56d4dd"}
)
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

_ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one style, and the column it begins in."""

    column: int
    text: str
    colour: str
    bold: bool

    def svg(self, row: int) -> str:
        # The length is given, so that columns meet whatever font is at hand.
        weight = ' font-weight="bold"' if self.bold else ""
        return (
            f'<text x="{MARGIN + self.column * COLUMN:.1f}" y="{MARGIN + (row + 1) * LINE}" '
            f'textLength="{width(self.text) * COLUMN:.1f}" lengthAdjust="spacingAndGlyphs" '
            f'fill="{self.colour}"{weight}>{escape(self.text)}</text>'
        )


def runs(line: str) -> Iterator[Run]:
    """A line with its colour codes, taken apart."""
    column, colour, bold = 0, INK, False
    pieces = _ESCAPE.split(line)
    for text, code in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        bare = text.lstrip(" ")
        if bare:
            yield Run(column + len(text) - len(bare), bare, colour, bold)
        column += width(text)
        colour, bold = _styled(code, colour, bold=bold)


def _styled(code: str, colour: str, *, bold: bool) -> tuple[str, bool]:
    for number in code.split(";"):
        if number == "0":
            colour, bold = INK, False
        elif number == "1":
            bold = True
        else:
            colour = COLOURS.get(number, colour)
    return colour, bold


def said() -> str:
    """What epslint says, in colour."""
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        args = ["check", "--isolated", "--color", "always", *COMMAND[1:]]
        return CliRunner().invoke(main, args).stdout
    finally:
        os.chdir(before)


def svg() -> str:
    """The picture."""
    prompt = f"\x1b[32m$\x1b[0m \x1b[1m{' '.join(COMMAND)}\x1b[0m"
    lines = [prompt, *said().rstrip("\n").split("\n")]
    columns = max(width(_ESCAPE.sub("", line)) for line in lines)
    wide, high = columns * COLUMN + 2 * MARGIN, len(lines) * LINE + 2.5 * MARGIN
    texts = (run.svg(row) for row, line in enumerate(lines) for run in runs(line))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {high:.0f}" '
        f'width="{wide:.0f}" height="{high:.0f}" xml:space="preserve" '
        f'font-family="{FONT}" font-size="13">\n'
        f"<title>epslint finds four hazards in a PPO loss</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>\n' + "\n".join(texts)
    ) + "\n</svg>\n"


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
