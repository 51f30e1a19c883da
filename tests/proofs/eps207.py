"""EPS207: the epsilon of sums, norms and variances, inside the log."""

from __future__ import annotations

from epslint.epsilon import Role
from tests.proofs.proof import ABSORBED, Bound, Numpy, Proof, Torch, each

SILENT = [[0.0, 0.0], [1.0, 2.0]]
FRAMES = [[0.5, -1.0], [1.0, 2.0]]
BOUND = Bound(Role.GENERAL, over=0.5, value=10.0, gradient=10.0)  # 10 log10 among them
SUM = Torch(
    fixture="hazard_torch",
    adversarial=(SILENT,),
    ordinary=(FRAMES,),
    bound=BOUND,
    unseen_float16=ABSORBED,
)

PROOF = Proof(
    code="EPS207",
    documented="log(x + eps) - log(x) is below eps / x",
    trials=(
        Torch(
            function="log_energy",
            adversarial=(SILENT,),
            ordinary=(FRAMES,),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        *each(
            SUM,
            "energy",
            "energy_by_function",
            "norm",
            "norm_by_function",
            "magnitude",
            "in_place",
            "to_base_ten",
        ),
        *each(
            Torch(
                fixture="hazard_torch",
                adversarial=([[0.5, 1.0], [0.5, 2.0]],),
                ordinary=([[0.5, 1.0], [3.0, 2.0]],),
                bound=BOUND,
                unseen_float16=ABSORBED,
            ),
            "variance",
            "deviation",
        ),
        *each(
            Torch(
                fixture="hazard_torch",
                adversarial=([[0.5, 20.0], [-20.0, 0.0]],),
                ordinary=([[0.5, -1.0], [0.25, 0.75]],),
                bound=BOUND,
                unseen_float16=ABSORBED,
            ),
            "squashing",
            "squashing_by_product",
        ),
        *each(
            Torch(
                fixture="hazard_forms",
                adversarial=([[-0.5], [-1.0]], [[1.0, 0.5], [-1.0, 0.0]]),
                ordinary=([[-0.5], [-1.0]], [[0.5, -0.25], [0.25, 0.75]]),
                bound=BOUND,
                unseen_float16=ABSORBED,
            ),
            "squashed",
            "squashed_by_method",
            "squashed_by_product",
        ),
        Torch(
            function="mel",
            fixture="hazard_forms",
            adversarial=(SILENT,),
            ordinary=([[0.5, 1.0], [1.0, 2.0]],),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="magnitudes",
            fixture="hazard_forms",
            adversarial=(SILENT, SILENT),
            ordinary=([[0.5, 1.0], [1.0, 2.0]], [[1.0, 0.5], [2.0, 1.0]]),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        Numpy(
            function="decibels",
            fixture="hazard_forms",
            adversarial=(SILENT,),
            ordinary=([[0.5, 1.0], [1.0, 2.0]],),
            bound=BOUND,
        ),
        Torch(
            function="log_error",
            fixture="hazard_torch",
            adversarial=(FRAMES, FRAMES),
            ordinary=(FRAMES, SILENT),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        Torch(
            function="psnr",
            fixture="hazard_torch",
            adversarial=(FRAMES, FRAMES),
            ordinary=(FRAMES, SILENT),
            bound=BOUND,
            unseen_float16=ABSORBED,
        ),
        *each(
            Numpy(fixture="hazard_numpy", adversarial=(SILENT,), ordinary=(FRAMES,), bound=BOUND),
            "with_numpy",
            "with_numpy_magnitude",
        ),
    ),
)
