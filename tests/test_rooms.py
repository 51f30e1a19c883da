"""The walls of docs/architecture.md: which room may not import which."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from epslint import registry

ROOT = Path(__file__).parent.parent

# Whoever imports what stands on the right has broken a wall.
WALLS: Mapping[str, tuple[str, ...]] = {
    "epslint": ("epslint_rules", "torch", "numpy", "jax", "tensorflow"),
    "epslint/runtime": ("epslint_rules", "epslint.analysis", "epslint.rule", "libcst", "click"),
    "epslint/epsilon.py": ("epslint",),
    "epslint/source.py": ("epslint",),
    "epslint/globs.py": ("epslint",),
    **{
        f"epslint/{name}.py": ("epslint.analysis", "epslint.rule", "epslint.scout")
        for name in ("older", "spans", "depth")
    },
    "epslint/syntax.py": ("epslint.analysis", "epslint.rule", "epslint.scout", "libcst"),
    "epslint/config.py": ("epslint.analysis", "epslint.registry", "libcst"),
    "epslint/settings.py": ("epslint.analysis", "epslint.registry", "libcst"),
    "epslint/files.py": ("epslint.analysis", "epslint.registry", "libcst"),
    "epslint/scout.py": ("epslint.analysis", "epslint.rule", "libcst"),
    "epslint/sinks.py": ("epslint.analysis", "epslint.rule", "epslint.scout", "libcst"),
    "epslint/glance.py": ("epslint.analysis", "epslint.rule", "epslint.scout", "libcst"),
    "epslint/analysis": (
        "epslint.api",
        "epslint.cli",
        "epslint.config",
        "epslint.engine",
        "epslint.registry",
        "epslint.report",
    ),
    "epslint/engine.py": ("epslint.report", "epslint.cli", "click"),
    "epslint/suppress.py": ("epslint.report", "epslint.cli", "click"),
    "epslint/fixer.py": ("epslint.report", "epslint.cli", "click"),
    "epslint/pool.py": ("epslint",),
    "epslint/outcome.py": ("epslint.config", "epslint.registry", "libcst", "click"),
    "epslint/task.py": ("epslint.registry", "epslint.engine", "libcst", "click"),
    "epslint/packs.py": ("epslint",),
    "epslint/record.py": ("epslint.config", "epslint.registry", "pickle", "marshal"),
    "epslint/cache.py": ("epslint.registry", "epslint.engine", "libcst", "click", "pickle"),
    "epslint/linter.py": ("epslint.report", "epslint.cli", "click"),
    "epslint/runner.py": ("epslint.report", "epslint.cli", "click"),
    **{
        f"epslint/{name}.py": ("epslint.report", "epslint.cli", "epslint.analysis", "click")
        for name in ("baseline", "since", "scope", "add_ignore", "fingerprint", "address")
    },
    "epslint/api.py": ("epslint.report", "epslint.cli", "epslint.session", "click"),
    "epslint/report": ("epslint.analysis", "libcst"),
    "rules": ("epslint.cli", "epslint.session", "epslint.files", "epslint.engine", "click"),
}


# The rooms of the analysis, as docs/architecture.md lists them: each knows only those before it.
# The last two ask each other.
LAYERS = (
    ("bare",),
    ("words",),
    ("transfer",),
    ("learning",),
    ("uses",),
    ("made",),
    ("relations",),
    ("guards",),
    ("interpreter", "program"),
)
ANALYSIS = ROOT / "epslint" / "analysis"

# The one room that computes with tensors has a wall of its own.
APART = {"epslint": "epslint/runtime"}


def imports(path: Path) -> Iterator[str]:
    """What a module imports when it runs; imports for types alone may cross any wall."""
    for node in _executed(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{item.name}" for item in node.names)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _executed(child)


def breaches(path: Path, forbidden: tuple[str, ...]) -> list[str]:
    return [
        name
        for name in imports(path)
        if any(name == wall or name.startswith(f"{wall}.") for wall in forbidden)
    ]


@pytest.mark.parametrize("room", WALLS)
def test_walls_stand(room: str) -> None:
    place = ROOT / room
    assert place.exists()
    apart = ROOT / APART[room] if room in APART else None
    for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
        if apart is None or apart not in path.parents:
            assert breaches(path, WALLS[room]) == [], path


@pytest.mark.parametrize("height", range(len(LAYERS)))
def test_rooms_of_the_analysis_know_only_those_before_them(height: int) -> None:
    above = tuple(f"epslint.analysis.{room}" for layer in LAYERS[height + 1 :] for room in layer)
    for room in LAYERS[height]:
        for path in sorted((ANALYSIS / room).rglob("*.py")):
            assert breaches(path, above) == [], path


def test_every_room_of_the_analysis_has_its_layer() -> None:
    rooms = {path.parent.name for path in ANALYSIS.glob("*/__init__.py")}
    assert rooms == {room for layer in LAYERS for room in layer}


def test_walls_can_break(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("def f():\n    from epslint.cli import main\n    import torch.nn\n")
    assert breaches(path, ("epslint.cli", "torch")) == ["epslint.cli.main", "torch.nn"]
    path.write_text("import torchvision\nif TYPE_CHECKING:\n    import torch\n")
    assert breaches(path, ("torch",)) == []


def test_the_table_needs_the_standard_library_only() -> None:
    modules = {name.partition(".")[0] for name in imports(ROOT / "epslint" / "epsilon.py")}
    assert modules <= sys.stdlib_module_names


def test_one_rule_one_file() -> None:
    for rule in registry.load().rules:
        assert type(rule).__module__ == f"epslint_rules.{rule.code.lower()}"
