"""What happened while a model learnt: numbers to plot, one per step."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class History:
    """The record of one `fit`; it grows while it runs, so that a callback can draw it live.

    Attributes:
        loss: the batch's loss before the step.
        learning_rate: the rate of the step.
        gradient_norm: the length of the gradient before it was clipped.
        seconds: since the start, when the step was done.
        stopped: why it ended before its time, as a sentence; None when it ran to the end.
        planned: how many steps there are to be; None where nobody can say.
    """

    loss: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    gradient_norm: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    stopped: str | None = None
    planned: int | None = None

    def __len__(self) -> int:
        """How many steps were made."""
        return len(self.loss)

    def __repr__(self) -> str:
        if not self.loss:
            return f"History(0 steps{_why(self.stopped)})"
        return (
            f"History({len(self)} steps in {self.seconds[-1]:.1f} s, loss {self.loss[0]:.3f} → {self.loss[-1]:.3f}"
            f"{_why(self.stopped)})"
        )

    def add(self, *, loss: float, learning_rate: float, gradient_norm: float, seconds: float) -> None:
        """Note one step."""
        self.loss.append(loss)
        self.learning_rate.append(learning_rate)
        self.gradient_norm.append(gradient_norm)
        self.seconds.append(seconds)


def _why(stopped: str | None) -> str:
    return "" if stopped is None else f"; {stopped}"
