"""`python -m epslint`, for where the script is not on the path."""

from epslint.cli import main

if __name__ == "__main__":  # a process started by `spawn` imports this once more
    main(prog_name="epslint")
