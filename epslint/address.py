"""Where epslint lives on the web. It is not published yet; the first release says it here."""

from __future__ import annotations

HOME: str | None = None
RULES: str | None = None  # the folder of the rules' pages

OWN = "EPS"  # the letters of the rules that have a page there; other packs' rules have none


def page(code: str) -> str | None:
    """A rule's page."""
    return f"{RULES}/{code}.md" if RULES is not None and code.startswith(OWN) else None
