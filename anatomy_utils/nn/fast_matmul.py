"""Faster matrix products on CPUs where torch's default route is slow: asked for, measured, told, and undone.

Nearly all of a transformer's time goes into matrix products. `torch.set_float32_matmul_precision("medium")` lets torch
send them to oneDNN. On some CPUs that is twice as fast at the same accuracy; on others it really computes in bfloat16,
and on others it is slower. So `fast_matmul` measures first, once per process, and switches only where the result is as
good as float32. It never lasts longer than its block.

torch's fused attention kernel can get slower by it on short sequences; `attention.MultiHeadAttention` does not use that
kernel there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

WORTHWHILE = 1.15
"""The speed-up from which on it is switched: less may be noise."""

FLOAT32_ERROR = 1e-5
"""The largest relative error of a product that passes for float32; bfloat16 has 2e-3, float32 here 4e-7."""

SHAPES = ((2048, 128, 512), (2048, 512, 128), (512, 2048, 128))
"""(rows, inner, columns) of a feed-forward layer's products in a training step: up, down, and a weight's gradient."""


@dataclass(frozen=True)
class MatmulCheck:
    """What was found out about the faster route.

    Attributes:
        on: whether `fast_matmul` uses it.
        sentence: what was found, and why it is used or not.
        speedup: seconds by the default route / seconds by the faster one; None when it was not measured.
        error: relative error of the faster route's products, ‖product − exact‖ / ‖exact‖; None when not measured.
    """

    on: bool
    sentence: str
    speedup: float | None = None
    error: float | None = None

    def __str__(self) -> str:
        return self.sentence


@contextmanager
def fast_matmul(device: torch.device | str = "cpu") -> Iterator[MatmulCheck]:
    """Use the faster route for float32 matrix products inside the `with` block, where it is safe and worthwhile.

    The setting is the whole process's, accelerators included; other threads see it too while the block lasts.

    Args:
        device: where the model is. Only on a CPU is anything done.

    Yields:
        What was found; `print` it.

    >>> with fast_matmul("meta") as probe:
    ...     print(probe)
    Nothing was switched: this is for CPUs, and the device is meta.
    """
    found = _decide(torch.device(device))
    if not found.on:
        yield found
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        yield found
    finally:
        torch.set_float32_matmul_precision(before)


def fast_matmul_is_on() -> bool:
    """Whether float32 products take the other route at the moment, whoever switched it."""
    try:
        return torch.get_float32_matmul_precision() == "medium"
    except RuntimeError:  # set through torch.backends, in parts
        return False


def _decide(device: torch.device) -> MatmulCheck:
    if device.type != "cpu":
        return MatmulCheck(False, f"Nothing was switched: this is for CPUs, and the device is {device.type}.")
    if not torch.backends.mkldnn.is_available():
        return MatmulCheck(False, "Nothing was switched: this torch was built without oneDNN.")
    try:
        precision = torch.get_float32_matmul_precision()
    except RuntimeError:
        return MatmulCheck(
            False,
            "Nothing was switched: precisions were set through torch.backends, which could not be put back.",
        )
    if precision != "highest":
        return MatmulCheck(False, f'Nothing was switched: this session has already set the precision to "{precision}".')
    return check_fast_matmul()


@cache
def check_fast_matmul() -> MatmulCheck:
    """Measure both routes on matrices like a training step's; once per process, about a tenth of a second.

    Returns:
        What was found. The setting is afterwards as before.
    """
    before = torch.get_float32_matmul_precision()
    try:
        return judge(*measure())
    finally:
        torch.set_float32_matmul_precision(before)


def judge(speedup: float, error: float) -> MatmulCheck:
    """Whether a route of this speed and error is to be used.

    >>> judge(2.2, 7e-7).sentence
    'Matrix products take another route: 2.2 times as fast here, relative error 7e-07 (float32).'
    >>> judge(2.2, 2e-3).on, judge(1.0, 7e-7).on
    (False, False)
    """
    if not error <= FLOAT32_ERROR:
        sentence = (
            f"Nothing was switched: the other route computes with a relative error of {error:.0e} here (bfloat16), "
            f"{speedup:.1f} times as fast."
        )
        return MatmulCheck(False, sentence, speedup, error)
    if speedup < WORTHWHILE:
        sentence = f"Nothing was switched: the default route is healthy, the other {speedup:.2f} times as fast."
        return MatmulCheck(False, sentence, speedup, error)
    sentence = (
        f"Matrix products take another route: {speedup:.1f} times as fast here, relative error {error:.0e} (float32)."
    )
    return MatmulCheck(True, sentence, speedup, error)


def measure(rounds: int = 9) -> tuple[float, float]:
    """Speed-up and largest relative error of the other route, over `SHAPES`.

    The two routes take turns, and the quickest turn of each counts: on a busy machine the rest is noise.
    """
    generator = torch.Generator().manual_seed(0)

    def matrices(rows: int, inner: int, columns: int) -> tuple[Tensor, Tensor]:
        return torch.randn(rows, inner, generator=generator), torch.randn(inner, columns, generator=generator)

    pairs = [matrices(*shape) for shape in SHAPES]
    seconds: dict[str, list[float]] = {"highest": [], "medium": []}
    error = 0.0
    with torch.no_grad():
        for turn in range(rounds + 1):
            for precision, times in seconds.items():
                torch.set_float32_matmul_precision(precision)
                took = _seconds(lambda: [left @ right for left, right in pairs])
                if turn:  # the first turn only warms up
                    times.append(took)
        for left, right in pairs:  # by the other route still
            exact = left.double() @ right.double()
            error = max(error, ((left @ right - exact).norm() / exact.norm()).item())
    return min(seconds["highest"]) / min(seconds["medium"]), error


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
