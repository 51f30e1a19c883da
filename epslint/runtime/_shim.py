from contextlib import nullcontext


class ShimReport: ...


def shim(**k):
    return nullcontext()
