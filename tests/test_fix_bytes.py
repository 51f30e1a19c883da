"""The real rules on text with every oddity: outside the edit not one byte moves."""

from __future__ import annotations

import pytest

from epslint import api

HEADER = "import torch\n\n\ndef f(x, mask, y):\n"


def fixed(body: str) -> str:
    """The body of a function after the fix, which must be silent and stay as it is."""
    repair = api.fix_source(HEADER + body)
    assert not repair.report.failures
    assert not [f.code for f in repair.report.findings if f.fix is not None and f.fix.grade.safe]
    again = api.fix_source(repair.after.text)
    assert not again.changed
    assert repair.after.text.startswith(HEADER)
    return repair.after.text[len(HEADER) :]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "    return x.sum()/mask.sum()  # why\n",
            "    return x.sum()/(mask.sum() + 1e-8)  # why\n",
            id="no spaces",
        ),
        pytest.param(
            "    return x . sum( )   /   mask . sum( )   # odd\n",
            "    return x . sum( )   /   (mask . sum( ) + 1e-8)   # odd\n",
            id="odd spaces",
        ),
        pytest.param(
            "    return x.sum() \\\n        / mask.sum()\n",
            "    return x.sum() \\\n        / (mask.sum() + 1e-8)\n",
            id="continuation",
        ),
        pytest.param(
            "    return x.sum() / (  # inside\n        mask.sum()  # here\n    )\n",
            "    return x.sum() / (  # inside\n        mask.sum() + 1e-8  # here\n    )\n",
            id="own parentheses with comments",
        ),
        pytest.param(
            "    return x.sum() / ((mask.sum()))\n",
            "    return x.sum() / ((mask.sum() + 1e-8))\n",
            id="double parentheses",
        ),
        pytest.param(
            "\treturn x.sum() / mask.sum()\n",
            "\treturn x.sum() / (mask.sum() + 1e-8)\n",
            id="tabs",
        ),
        pytest.param(
            "    s = '你好 é' ; return x.sum() / mask.sum()\n",
            "    s = '你好 é' ; return x.sum() / (mask.sum() + 1e-8)\n",
            id="wide characters",
        ),
        pytest.param(
            "    return x.sum() / mask.sum()",
            "    return x.sum() / (mask.sum() + 1e-8)",
            id="no last newline",
        ),
        pytest.param(
            "    return x / (mask / mask.sum()).sum() / y.norm()\n",
            "    return x / ((mask / (mask.sum() + 1e-8)).sum() + 1e-8) / (y.norm() + 1e-8)\n",
            id="nested",
        ),
        pytest.param(
            '    """/ mask.sum()"""\n    # / mask.sum()\n    return x / mask.sum()\n',
            '    """/ mask.sum()"""\n    # / mask.sum()\n    return x / (mask.sum() + 1e-8)\n',
            id="comments and strings",
        ),
        pytest.param(
            "    x /= mask.sum()\n    return x\n",
            "    x /= mask.sum() + 1e-8\n    return x\n",
            id="augmented",
        ),
        pytest.param(
            "    return f'{x.sum() / mask.sum():.3f}'\n",
            "    return f'{x.sum() / (mask.sum() + 1e-8):.3f}'\n",
            id="formatted",
        ),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_edit_changes(before: str, after: str, newline: str) -> None:
    repair = api.fix_source((HEADER + before).replace("\n", newline))
    assert repair.after.text == (HEADER + after).replace("\n", newline)
    assert fixed(before) == after


def test_the_fix_is_one_with_the_lines_around_it() -> None:
    body = "".join(f"    x.v{i} = x.sum() / mask.sum()  # {i}\n\n" for i in range(40))
    assert fixed(body) == body.replace("/ mask.sum()", "/ (mask.sum() + 1e-8)")
