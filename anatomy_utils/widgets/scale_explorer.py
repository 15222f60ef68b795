"""The scale explorer: why attention divides its scores by √d_k, measured on random queries and keys.

For queries and keys with independent entries of mean 0 and variance 1 the score q · k has variance d_k; its softmax
saturates and hardly any gradient is left (Vaswani et al. 2017, section 3.2.1 and footnote 4, arXiv 1706.03762).
d_k is the paper's name for `d_head`. Notebook 01.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from anatomy_utils.widgets.base import AnatomyWidget

if TYPE_CHECKING:
    import numpy.typing as npt

    from anatomy_utils.figures.picture import Picture

LARGEST = 512
NUM_QUERIES, NUM_KEYS, KEY_SETS = 256, 16, 8
"""The sample's size, the same in the browser: each eighth of the queries has 16 keys of its own."""
POWERS = [2**i for i in range(10)]
DEFAULT_LABEL = "Why the scores are divided by √dₖ"


class ScaleExplorer(AnatomyWidget, module="scale_explorer.js"):
    """A slider over d_k: the scores' variance and histogram, the weights, their entropy, the gradient that is left.

    Everything is measured in the browser on 256 random queries with 16 keys each. The entropy is the mean over the
    queries; the gradient is the Frobenius norm of the softmax's Jacobian ∂weights/∂scores, the median of the queries.

    Args:
        d_head: d_k to begin with, 1 to 512.
        scaled: whether to begin with the scores divided by √d_k.
        seed: which random sample to begin with.
        label: heading and accessible name.

    Raises:
        ValueError: d_head or seed is no whole number of that range.
    """

    d_head = traitlets.Int(64).tag(sync=True)
    scaled = traitlets.Bool(False).tag(sync=True)
    seed = traitlets.Int(1).tag(sync=True)

    def __init__(self, d_head: int = 64, *, scaled: bool = False, seed: int = 1, label: str = DEFAULT_LABEL) -> None:
        super().__init__(d_head=_whole(d_head, "d_head", 1, LARGEST), scaled=bool(scaled),
                         seed=_whole(seed, "seed", 0, 2**31 - 1), label=label)  # fmt: skip

    @traitlets.validate("d_head")
    def _check_d_head(self, proposal: Any) -> int:
        return _whole(proposal["value"], "d_head", 1, LARGEST)

    def static_twin(self) -> Picture:
        """The weights' entropy over d_k, with and without the division."""
        from anatomy_utils.figures import plots

        measured = {scaled: [measure(d, scaled, self.seed) for d in POWERS] for scaled in (True, False)}
        with_scale, without = ([m["entropy"] for m in measured[scaled]] for scaled in (True, False))
        last = measured[False][-1], measured[True][-1]
        return plots.lines(
            POWERS,
            {"divided by √dₖ": with_scale, "not divided": without},
            xlabel="dₖ",
            ylabel=f"entropy of the weights, bits (at most {np.log2(NUM_KEYS):.0f})",
            title=self.label,
            log="x",
            roles={"divided by √dₖ": "value", "not divided": "key"},
            alt=f"Entropy of softmax weights over {NUM_KEYS} keys, for dₖ from 1 to {LARGEST}. Divided by √dₖ it stays "
            f"near {with_scale[-1]:.1f} bits; not divided it falls to {without[-1]:.1f}. At dₖ = {LARGEST} the "
            f"scores' variance is {last[0]['variance']:.0f} instead of {last[1]['variance']:.1f}, and the softmax's "
            f"gradient norm {last[0]['gradient']:.4f} instead of {last[1]['gradient']:.2f}.",
        )


def measure(d_head: int, scaled: bool, seed: int = 1) -> dict[str, float]:
    """What the explorer shows, from a NumPy sample of the same size.

    Returns:
        `variance` of all scores; `entropy` in bits and `largest` weight, means over the queries; `gradient`, the
        median over the queries of ‖diag(w) − w wᵀ‖, the Frobenius norm of ∂weights/∂scores.
    """
    random = np.random.default_rng(seed)
    query = random.standard_normal((KEY_SETS, NUM_QUERIES // KEY_SETS, LARGEST))[..., :d_head]
    key = random.standard_normal((KEY_SETS, NUM_KEYS, LARGEST))[..., :d_head]
    scores = query @ key.swapaxes(-1, -2)
    scores = scores / np.sqrt(d_head) if scaled else scores
    weights: npt.NDArray[Any] = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    squares = (weights**2).sum(-1)
    gradient = np.sqrt(np.maximum(squares - 2 * (weights**3).sum(-1) + squares**2, 0))
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return {
        "variance": float(scores.var()),
        "entropy": float(-(weights * logs).sum(-1).mean()),
        "largest": float(weights.max(-1).mean()),
        "gradient": float(np.median(gradient)),
    }


def _whole(value: Any, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"{name} is {value!r}; expected a whole number from {low} to {high}.")
    return int(value)
