"""Compiling the analysis with mypyc: `python -m compiling FOLDER`, from the root of the project.

The build of the wheel runs this (hatch_build.py); epslint itself knows nothing of it. Why it is
done, and what to know of it, is in docs/architecture.md.
"""
