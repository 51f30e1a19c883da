from __future__ import annotations

from hypothesis import settings

# No deadline: a busy machine is no bug. Where rare draws matter, the tests take all of a grid.
settings.register_profile("epslint", deadline=None, max_examples=60)
settings.load_profile("epslint")
