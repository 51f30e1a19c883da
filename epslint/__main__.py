"""The program `epslint`, and `python -m epslint` for where it is not on the path."""

import gc
import sys

from epslint import __version__


def main() -> None:
    """Run the command line; what is quick to answer is answered without loading it."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        print(f"epslint, version {__version__}")
        return
    # The analysis leaves no cycles behind (a test sees to it); looking for some as often as Python
    # does by default takes a quarter of the time of a run.
    gc.set_threshold(1_000_000, 20, 100)
    try:
        from epslint.cli import main as command_line  # noqa: PLC0415 - see above

        command_line(prog_name="epslint")
    except KeyboardInterrupt:  # before or after the command line could have taken care of it
        sys.exit(130)
    finally:
        gc.freeze()  # nor in what is left: all of it ends with the process


if __name__ == "__main__":  # a process started by `spawn` imports this once more
    main()
