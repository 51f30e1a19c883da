"""`python -m epslint`, for where the script is not on the path."""

from epslint.cli import main

main(prog_name="epslint")
