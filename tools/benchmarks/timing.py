"""Clocks: calls that take turns in one process, their medians, and the row that a comparison becomes."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torch import nn

Call = Callable[[], object]
OURS = "ours"
LONGEST = 45.0
"""Seconds that one comparison may take: on a slow machine it makes fewer rounds, but never below `FEWEST`."""
FEWEST = 3


@dataclass(frozen=True)
class Row:
    """One comparison.

    Attributes:
        subject: which benchmark it belongs to.
        work: what was done.
        unit: of all figures: "seconds" or "bytes"; smaller is better.
        ours: our median; None when it could not be measured here, and the note says why.
        peers: whom we are compared with → their medians.
        at_least: the promised ratio of the best peer's figure to ours.
        at_most: the promised limit of our own figure.
        note: what else a reader should know.
    """

    subject: str
    work: str
    unit: str
    ours: float | None
    peers: dict[str, float] = field(default_factory=dict)
    at_least: float | None = None
    at_most: float | None = None
    note: str = ""

    @property
    def best(self) -> str | None:
        """The peer with the smallest figure."""
        return min(self.peers, key=lambda name: self.peers[name], default=None)

    @property
    def ratio(self) -> float | None:
        """The best peer's figure / ours: above 1 we are ahead."""
        if self.ours is None or self.best is None:
            return None
        return self.peers[self.best] / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the promise is kept; None where nothing was promised, or nothing measured."""
        if self.ours is None or (self.at_least is None and self.at_most is None):
            return None
        short = self.at_least is not None and (self.ratio is None or self.ratio < self.at_least)
        return not short and (self.at_most is None or self.ours <= self.at_most)


def interleaved(calls: Mapping[str, Call], rounds: int, *, warm_up: int = 2) -> dict[str, list[float]]:
    """Seconds of every call in every round, after `warm_up` rounds that do not count.

    The calls take turns, so that a busy machine slows all alike; each round begins with the next of them, so that none
    always runs behind the same neighbor. No new round begins after `LONGEST` seconds, once there are `FEWEST`.
    """
    names = list(calls)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    gc.freeze()  # what was there before need not be looked through after every round
    gc.disable()
    begun = time.perf_counter()
    try:
        for turn in range(-warm_up, rounds):
            if turn >= FEWEST and time.perf_counter() - begun > LONGEST:
                break
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                start = time.perf_counter()
                calls[name]()
                took = time.perf_counter() - start
                if turn >= 0:
                    seconds[name].append(took)
            gc.collect()
    finally:
        gc.enable()
        gc.unfreeze()
    return seconds


def medians(seconds: Mapping[str, list[float]]) -> dict[str, float]:
    """Name → median."""
    return {name: statistics.median(times) for name, times in seconds.items()}


def compared(subject: str, work: str, calls: Mapping[str, Call], rounds: int, **more: object) -> Row:
    """`OURS` against all other calls, as a row; `more` goes into it."""
    found = medians(interleaved(calls, rounds))
    return Row(subject, work, "seconds", found.pop(OURS), found, **more)  # type: ignore[arg-type]


def parameters(module: nn.Module) -> int:
    """How many numbers training changes; tied ones count once."""
    return sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)


def same_size(modules: Mapping[str, nn.Module], *, within: float = 0.01) -> str:
    """The numbers of parameters as a sentence.

    Raises:
        RuntimeError: one differs from ours by more than `within`, so that speeds would not compare.
    """
    counts = {name: parameters(module) for name, module in modules.items()}
    for name, count in counts.items():
        if abs(count / counts[OURS] - 1) > within:
            raise RuntimeError(f"{name} has {count:,} parameters and ours {counts[OURS]:,}; make them alike.")
    low, high = min(counts.values()), max(counts.values())
    return f"{low:,} parameters each" if low == high else f"{low:,} to {high:,} parameters"
