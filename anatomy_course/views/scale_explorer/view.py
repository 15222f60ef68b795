"""The scale explorer: why attention divides its scores by √d_k, measured on random queries and keys.

For queries and keys with independent entries of mean 0 and variance 1 the score q · k has variance d_k; its softmax
saturates and hardly any gradient is left (Vaswani et al. 2017, section 3.2.1 and footnote 4, arXiv 1706.03762).
d_k is the paper's name for `d_head`. Notebook 01.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views._kit.checks import Whole

LARGEST = 512
NUM_QUERIES, NUM_KEYS, KEY_SETS = 256, 16, 8
"""The sample's size, the same in the browser: each eighth of the queries has 16 keys of its own."""
POWERS = [2**i for i in range(10)]
DEFAULT_LABEL = "Why the scores are divided by √dₖ"


class ScaleExplorer(AnatomyWidget):
    """A slider over d_k: the scores' variance and histogram, the weights, their entropy, the gradient that is left.

    Everything is measured in the browser on 256 random queries with 16 keys each. The entropy is the mean over the
    queries; the gradient is the Frobenius norm of the softmax's Jacobian ∂weights/∂scores, the median of the queries.

    Args:
        d_head: d_k to begin with, 1 to 512.
        scaled: whether to begin with the scores divided by √d_k.
        seed: which random sample to begin with.

    Raises:
        ValueError: d_head or seed is no whole number of that range.
    """

    drawn_height = 627
    d_head = Whole(LARGEST, low=1, default=64).tag(sync=True)
    scaled = traitlets.Bool(False).tag(sync=True)
    seed = Whole(2**31 - 1, default=1).tag(sync=True)

    def __init__(self, d_head: int = 64, *, scaled: bool = False, seed: int = 1, label: str = DEFAULT_LABEL) -> None:
        super().__init__(d_head=d_head, scaled=bool(scaled), seed=seed, label=label)

    def still_picture(self) -> Picture:
        """Scores and weights at d_k, and all three measures over d_k, with and without the division."""
        cases = (True, False)
        measured = {case: [measure(d, case, self.seed) for d in POWERS] for case in cases}
        samples = {case: sample(self.d_head, case, self.seed) for case in cases}
        first, last = measured[True][-1], measured[False][-1]
        return plots.scale_steps(
            POWERS,
            {case: {name: [m[name] for m in measured[case]] for name in measured[case][0]} for case in cases},
            self.d_head,
            {case: samples[case][0].ravel() for case in cases},
            {case: samples[case][1][0, 0] for case in cases},
            title=self.label,
            alt=f"Scores, weights and gradient for dₖ from 1 to {LARGEST}, divided by √dₖ or not. Divided, the entropy "
            f"of the weights over {NUM_KEYS} keys stays near {first['entropy']:.1f} bits; not divided it falls to "
            f"{last['entropy']:.1f}. At dₖ = {LARGEST} the scores' variance is {last['variance']:.0f} instead of "
            f"{first['variance']:.1f}, and the softmax's gradient norm {last['gradient']:.4f} instead of "
            f"{first['gradient']:.2f}.",
        )


def sample(d_head: int, scaled: bool, seed: int = 1) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Scores and weights of the random queries and keys, each (set, query, key)."""
    random = np.random.default_rng(seed)
    query = random.standard_normal((KEY_SETS, NUM_QUERIES // KEY_SETS, LARGEST))[..., :d_head]
    key = random.standard_normal((KEY_SETS, NUM_KEYS, LARGEST))[..., :d_head]
    scores = query @ key.swapaxes(-1, -2)
    scores = scores / np.sqrt(d_head) if scaled else scores
    weights: npt.NDArray[Any] = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return scores, weights


def measure(d_head: int, scaled: bool, seed: int = 1) -> dict[str, float]:
    """What the explorer shows, from a NumPy sample of the same size.

    Returns:
        `variance` of all scores; `entropy` in bits and `largest` weight, means over the queries; `gradient`, the
        median over the queries of ‖diag(w) − w wᵀ‖, the Frobenius norm of ∂weights/∂scores.
    """
    scores, weights = sample(d_head, scaled, seed)
    squares = (weights**2).sum(-1)
    gradient = np.sqrt(np.maximum(squares - 2 * (weights**3).sum(-1) + squares**2, 0))
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return {
        "variance": float(scores.var()),
        "entropy": float(-(weights * logs).sum(-1).mean()),
        "largest": float(weights.max(-1).mean()),
        "gradient": float(np.median(gradient)),
    }
