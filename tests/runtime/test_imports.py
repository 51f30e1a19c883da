"""What `import epslint.runtime` may load, and what it says when something is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["libcst", "click", "torch", "numpy", "rich"]


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def loaded_after(statement: str) -> set[str]:
    done = run(f"import sys\n{statement}\nprint(*(x for x in {HEAVY!r} if x in sys.modules))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_the_runtime_loads_nothing_heavy() -> None:
    assert loaded_after("import epslint.runtime as er; dir(er)") == set()


def test_the_pytest_plugin_is_light_until_it_is_asked_for() -> None:
    """It is loaded in every pytest run of everyone who has epslint installed."""
    assert loaded_after("import epslint.runtime.pytest_plugin") == set()


def test_using_the_runtime_loads_torch_but_nothing_of_the_linter() -> None:
    loaded = loaded_after(
        "import torch, epslint.runtime as er\n"
        "with er.watch(), er.shim(): er.safe_log(torch.ones(1))"
    )
    assert "torch" in loaded
    assert not loaded & {"libcst", "click", "rich"}


def test_numpy_users_do_not_load_torch() -> None:
    assert "torch" not in loaded_after(
        "import numpy, epslint.runtime as er\n"
        "er.safe_log(numpy.ones(1)); er.RunningStats().update(numpy.ones(2))"
    )


@pytest.mark.parametrize("name", ["libcst", "torch"])
def test_the_test_above_can_fail(name: str) -> None:
    assert name in loaded_after(f"import epslint.runtime, {name}")


@pytest.mark.parametrize(
    ("library", "use"),
    [
        ("torch", "er.watch"),
        ("torch", "er.shim"),
        ("numpy", "er.safe_log(1.0)"),
    ],
)
def test_a_missing_library_names_the_extra(library: str, use: str) -> None:
    done = run(f"import sys; sys.modules[{library!r}] = None\nimport epslint.runtime as er\n{use}")
    assert done.returncode != 0
    assert f'pip install "epslint[{library}]"' in done.stderr
    assert "ImportError" in done.stderr


def test_unknown_names_are_attribute_errors() -> None:
    import epslint.runtime as er

    with pytest.raises(AttributeError, match="no attribute 'wach'"):
        _ = er.wach  # type: ignore[attr-defined]


def test_every_public_name_is_there() -> None:
    import epslint.runtime as er

    assert all(getattr(er, name) is not None for name in er.__all__)
