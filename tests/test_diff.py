from __future__ import annotations

import subprocess
from pathlib import Path

from click import unstyle
from hypothesis import given, settings
from hypothesis import strategies as st

from epslint.diff import unified
from epslint.source import Source

LINES = st.lists(st.sampled_from(["", "a", "b", "  c", "é"]), max_size=12)


def diff(before: str, after: str) -> str:
    return unstyle(unified(Source("a.py", before), Source("a.py", after), "a.py"))


def test_nothing_changed_is_no_diff() -> None:
    assert diff("a\n", "a\n") == ""


def test_blank_lines_around_a_change_stay_out_of_it() -> None:
    before = "".join(f"x{i} = y / n\n\n" for i in range(300))
    after = before.replace("x100 = y / n", "x100 = y / m").replace("x101 = y / n", "x101 = y / m")
    changed = [line for line in diff(before, after).splitlines()[2:] if line[0] in "+-"]
    assert changed == ["-x100 = y / n", "+x100 = y / m", "-x101 = y / n", "+x101 = y / m"]


@settings(max_examples=25, deadline=None)
@given(LINES, LINES, st.booleans(), st.booleans())
def test_patch_turns_before_into_after(
    old: list[str], new: list[str], old_ends: bool, new_ends: bool
) -> None:
    before = "\n".join(old) + ("\n" if old_ends and old else "")
    after = "\n".join(new) + ("\n" if new_ends and new else "")
    assert patched(before, diff(before, after)) == after


def patched(text: str, patch: str) -> str:
    """Apply a unified diff by its own word, with no tolerance."""
    if not patch:
        return text
    lines, result, position = text.splitlines(keepends=True), [], 0
    body = patch.splitlines(keepends=True)[2:]
    for index, line in enumerate(body):
        unended = index + 1 < len(body) and body[index + 1].startswith("\\")
        content = line[1:].rstrip("\n") if unended else line[1:]
        if line.startswith("@@"):
            first, _, length = line.split()[1][1:].partition(",")
            start = int(first) - (length != "0")
            result += lines[position:start]
            position = start
        elif line[0] in " -":
            assert lines[position] == content
            position += 1
        if line[0] in " +":
            result.append(content)
    return "".join([*result, *lines[position:]])


def test_the_real_patch_agrees(tmp_path: Path) -> None:
    before, after = "a\nb\nc\nd", "a\nB\nc\nd\n"
    (tmp_path / "a.py").write_text(before)
    run = subprocess.run(
        ["git", "apply", "-p0", "-"], input=diff(before, after).encode(), cwd=tmp_path, check=False
    )
    assert run.returncode == 0
    assert (tmp_path / "a.py").read_text() == after
