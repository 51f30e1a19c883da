"""How often readers agreed, by confidence and by rule; prints Markdown.

    python benchmarks/by_rule.py MIRRORS [--places benchmarks/read.json] [--from ID] [--wrong]

MIRRORS is a folder of bare clones, OWNER+NAME/repo each. The files that the places name are taken
out of them, under the paths that they have there, and checked with the epslint at hand. Of what is
said on the lines of a place, by a family that is about its kind of operation, the surest counts: it
is *right* where readers called the place a hazard and *wrong* where they called it safe.

Most places are there because an earlier build spoke of them, and errors that they showed were
repaired: so this says what is left of those errors, not how right a build is on new code. `--from
ID` takes only the places from that one on, which is how the latest readings are counted alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

EPSLINT = (sys.executable, "-m", "epslint", "check", "--isolated", "--no-cache", "--exit-zero")
CONFIDENCES = ("proven", "named", "possible")
# Which codes speak of an operation, as RealFix's sites.py has it.
FAMILIES = {
    "div": ("EPS1", "EPS3", "EPS4", "EPS5", "EPS6"),
    "log": ("EPS2", "EPS5", "EPS6", "EPS7"),
    "exp": ("EPS2", "EPS3", "EPS5"),
    "sqrt": ("EPS1", "EPS5", "EPS6"),
}


@dataclass(frozen=True, slots=True)
class Place:
    """An operation in somebody's code, and what its readers called it."""

    name: str
    repository: str
    commit: str
    path: str
    first: int
    last: int
    kind: str
    hazard: bool

    @property
    def file(self) -> Path:
        return Path(self.repository.replace("/", "+", 1), self.commit[:12], self.path)


@dataclass(frozen=True, slots=True)
class Found:
    """A finding: which rule, how sure, and on which lines."""

    code: str
    confidence: str
    first: int
    last: int

    def is_about(self, place: Place) -> bool:
        meets = self.first <= place.last and self.last >= place.first
        return meets and self.code.startswith(FAMILIES[place.kind])


def places_in(manifest: Path, first: str | None) -> list[Place]:
    rows = json.loads(manifest.read_text(encoding="utf-8"))
    names = [row["id"] for row in rows]
    if first is not None and first not in names:
        raise SystemExit(f"{manifest}: no place is called {first}")
    return [_place(row) for row in rows[names.index(first) if first else 0 :]]


def _place(row: Mapping[str, str | int]) -> Place:
    return Place(
        name=str(row["id"]),
        repository=str(row["repo"]),
        commit=str(row["commit"]),
        path=str(row["path"]),
        first=int(row["row"]),
        last=int(row["end_row"]),
        kind=str(row["kind"]),
        hazard=row["label"] == "hazard",
    )


def laid_out(places: Iterable[Place], mirrors: Path, folder: Path) -> Iterator[Place]:
    """The places whose files can be had, with the files written where `Place.file` says."""
    for place in places:
        target = folder / place.file
        if not target.exists():
            content = _content(place, mirrors)
            if content is None:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        yield place


def _content(place: Place, mirrors: Path) -> bytes | None:
    base = mirrors / place.repository.replace("/", "+", 1) / "repo"
    git = base if (base / "HEAD").exists() else base / ".git"
    if not (git / "HEAD").exists():
        return None
    asked = ("git", "--git-dir", str(git), "show", f"{place.commit}:{place.path}")
    shown = subprocess.run(asked, capture_output=True, check=False)
    return shown.stdout if shown.returncode == 0 else None


def findings_in(folder: Path) -> Mapping[Path, Sequence[Found]]:
    said = subprocess.run(
        (*EPSLINT, "--output-format", "json", "."), cwd=folder, capture_output=True, check=False
    )
    found: defaultdict[Path, list[Found]] = defaultdict(list)
    for row in json.loads(said.stdout):
        place = Path(row["filename"]).relative_to(folder.resolve())
        lines = row["location"]["row"], row["end_location"]["row"]
        found[place].append(Found(row["code"], row["confidence"], *lines))
    return found


def surest(place: Place, found: Iterable[Found]) -> Found | None:
    about = [one for one in found if one.is_about(place)]
    return min(about, key=lambda one: CONFIDENCES.index(one.confidence), default=None)


def table(title: str, counts: Mapping[str, Counter[bool]]) -> str:
    lines = [f"| {title} | right | wrong | share |", "|---|---|---|---|"]
    for name, count in counts.items():
        share = count[True] / count.total()
        lines.append(f"| {name} | {count[True]} | {count[False]} | {share:.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--places", type=Path, default=Path(__file__).with_name("read.json"))
    parser.add_argument("--from", dest="first", metavar="ID", help="this place and those after it")
    parser.add_argument("--wrong", action="store_true", help="name the places that are wrong")
    options = parser.parse_args()
    named = places_in(options.places, options.first)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve()
        places = list(laid_out(named, options.mirrors, folder))
        found = findings_in(folder)
    by_confidence: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    by_rule: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for place in places:
        one = surest(place, found.get(place.file, ()))
        if one is None:
            continue
        by_confidence[one.confidence][place.hazard] += 1
        by_rule[f"{one.code} `[{one.confidence}]`"][place.hazard] += 1
        if options.wrong and not place.hazard:
            print(f"{place.name} {one.code} {one.confidence} {place.file}:{place.first}")
    print(f"{len(places)} of {len(named)} places could be had.\n")
    order = {name: by_confidence[name] for name in CONFIDENCES if by_confidence[name]}
    print(table("confidence", order), table("rule", dict(sorted(by_rule.items()))), sep="\n\n")


if __name__ == "__main__":
    main()
