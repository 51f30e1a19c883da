"""Where epslint lives on the web, as far as `[project.urls]` of its package says."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata

OWN = "EPS"  # the letters of the rules whose pages lie under the address of this package


def home() -> str | None:
    """The project's page."""
    return _urls().get("Homepage")


def page(code: str) -> str | None:
    """A rule's page; none for the rules of other packs."""
    folder = _urls().get("Rules")
    return f"{folder}/{code}.md" if folder and code.startswith(OWN) else None


@lru_cache(maxsize=1)
def _urls() -> dict[str, str]:
    try:
        lines = metadata.metadata("epslint").get_all("Project-URL", [])
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        return {}
    pairs = (line.partition(", ") for line in lines)
    return {label: url.rstrip("/") for label, _, url in pairs}
