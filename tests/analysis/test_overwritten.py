"""Results that nobody reads."""

from __future__ import annotations

import pytest

from epslint import api

HEAD = "import torch\n\n\ndef entropy(logits, flag):\n    p = torch.softmax(logits, -1)\n"
LOG = "    logp = torch.log(p)\n"

UNREAD = {
    "at once": "    logp = torch.log(p + 1e-8)\n    return logp\n",
    "nowhere": "    return p\n",
    "only by itself": "    logp = -logp\n    return p\n",
    "after something else": "    print(p)\n    logp = torch.log(p + 1e-8)\n    return logp\n",
}
READ = {
    "in what replaces it": "    logp = logp.clamp(min=-10)\n    return logp\n",
    "under a condition": "    if flag:\n        return logp\n    logp = p * 2\n    return logp\n",
    "by a function": "    late = lambda: logp\n    logp = p * 2\n    return late\n",
    "in place": "    logp += 1\n    logp = p\n    return logp\n",
    "of an element": "    logp[0] = 1\n    logp = p\n    return logp\n",
    "by name": "    return p, locals()\n",
    "by an inner function": "    def late():\n        return logp\n    return late\n",
    "in the end": "    return logp\n",
    "on one path": "    if flag:\n        logp = p * 2\n    return logp\n",
}


@pytest.mark.parametrize("rest", UNREAD.values(), ids=UNREAD)
def test_what_nobody_reads_harms_nobody(rest: str) -> None:
    assert [f.code for f in api.check_source(HEAD + LOG + rest).findings] == []


@pytest.mark.parametrize("rest", READ.values(), ids=READ)
def test_what_is_read_does(rest: str) -> None:
    found = api.check_source(HEAD + LOG + rest).findings
    assert [f.code for f in found] == ["EPS202"]
