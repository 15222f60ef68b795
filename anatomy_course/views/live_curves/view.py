"""Live curves: the loss while a model learns, drawn as it falls.

    with LiveCurves(ylabel="loss") as curves:
        history = fit(model, batches, loss, on_step=curves)

However many steps there are, the page gets a few messages a second and at most 400 points a curve; when the block ends,
the picture that the notebook keeps is drawn once more. Notebook 03.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

import numpy as np
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes

MOST_POINTS = 400
MOST_CURVES = 6
PAUSE = 0.15
"""Seconds between two messages to the page."""


@runtime_checkable
class Record(Protocol):
    """What `training.fit` hands to `on_step`."""

    loss: list[float]


class LiveCurves(AnatomyWidget):
    """One or more curves over steps that grow while something runs.

    Args:
        ylabel: what the curves show, with its unit.
        levels: name → height of a dashed line to compare with, such as {"guessing": 1.39}.
        steps: how many there will be; a history of `fit` tells its own.
    """

    drawn_height = 352
    ylabel = traitlets.Unicode().tag(sync=True)
    levels = traitlets.Dict().tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    counts = traitlets.List(traitlets.Int()).tag(sync=True)
    """How many points each curve has."""
    points = buffer_trait()
    """(step, value) of all curves one after the other, as float32."""
    reached = traitlets.List().tag(sync=True)
    """Of each curve [its last step, how many there are to be], the second 0 where nobody can say."""
    sample = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """[caption, text] of what the model wrote last."""
    done = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        *,
        ylabel: str = "loss",
        levels: Mapping[str, float | int] | None = None,
        label: str = "While it learns",
        steps: int | None = None,
    ) -> None:
        self._curves: dict[str, tuple[Sequence[float | int], Sequence[float | int]]] = {}
        self._steps = steps or 0
        self._planned: dict[str, int] = {}
        self._told = 0.0
        self._thread = threading.get_ident()
        self._handle: Any = None
        heights = {str(name): float(height) for name, height in (levels or {}).items()}
        super().__init__(ylabel=ylabel, levels=heights, label=label)

    def __call__(self, history: Record, name: str = "loss") -> None:
        """Draw a history's loss; for `fit(…, on_step=curves)`. It never ends the training."""
        self._planned[name] = getattr(history, "planned", None) or self._steps
        self.draw(name, range(1, len(history.loss) + 1), history.loss)

    def of(self, name: str) -> Callable[[Record], None]:
        """What draws a history's loss as the curve of that name; for `fit(…, on_step=curves.of("small"))`."""
        self._set(name, (), ())  # curves keep the order in which they were asked for
        return partial(self, name=name)

    def draw(self, name: str, steps: Sequence[float | int], values: Sequence[float | int]) -> None:
        """Set one curve: its values at these steps; the page hears of it when it is time.

        Of curves that grow in other threads (`training.side_by_side`), it hears with those of this one.

        Raises:
            ValueError: other numbers of steps and values, or too many curves.
        """
        if len(steps) != len(values):
            raise ValueError(f"The curve {name!r} has {len(steps)} steps and {len(values)} values; give equally many.")
        self._set(name, steps, values)
        if threading.get_ident() == self._thread and time.monotonic() - self._told >= PAUSE:
            self.publish()

    def wrote(self, caption: str, text: str) -> None:
        """Show below the chart what the model writes by now, in place of what it wrote before."""
        self.sample = [caption, text]

    def publish(self) -> None:
        """Send the curves as they are now."""
        thinned = self._thinned()
        with self.hold_sync():
            self.names = list(thinned)
            self.counts = [len(points) for points in thinned.values()]
            self.points = b"".join(float_bytes(points) for points in thinned.values())
            self.reached = [[int(self._curves[name][0][-1]), self._planned.get(name, self._steps)] for name in thinned]
        self._told = time.monotonic()

    def _set(self, name: str, steps: Sequence[float | int], values: Sequence[float | int]) -> None:
        if name not in self._curves and len(self._curves) >= MOST_CURVES:
            raise ValueError(f"There are {MOST_CURVES} curves already; a chart stays readable with so many.")
        self._curves[name] = (steps, values)

    def _thinned(self) -> dict[str, np.ndarray]:
        # values may have grown in another thread since they were drawn
        drawn = [(name, steps, values[: len(steps)]) for name, (steps, values) in dict(self._curves).items()]
        return {name: thin(steps, values) for name, steps, values in drawn if len(steps)}

    def __enter__(self) -> LiveCurves:
        from IPython.display import display

        self._handle = display(self, display_id=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.publish()
        self.done = True
        if self._handle is not None and self.names:
            self._handle.update(self)  # the stored picture shows the finished curves

    def still_picture(self) -> Picture:
        """The curves as they are now."""
        drawn = self._thinned()
        if not drawn:
            raise ValueError("Nothing has been drawn yet.")
        grid = np.unique(np.concatenate([points[:, 0] for points in drawn.values()]))
        series = {
            name: np.interp(grid, points[:, 0], points[:, 1], left=np.nan, right=np.nan)
            for name, points in drawn.items()
        }
        levels = {name: np.full(len(grid), height) for name, height in self.levels.items()}
        told = "; ".join(f"{name} from {points[0, 1]:.1f} to {points[-1, 1]:.1f}" for name, points in drawn.items())
        return plots.lines(
            grid, {**series, **levels}, xlabel="step", ylabel=self.ylabel, title=self.label,
            alt=f"{self.label}: {told}, over {grid[-1]:.0f} steps.",
        )  # fmt: skip


def thin(steps: Sequence[float | int], values: Sequence[float | int]) -> np.ndarray:
    """(point, 2): steps and values, averaged in groups where there are more than 400.

    >>> thin(range(3), [1.0, 2.0, 3.0]).tolist()
    [[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]]
    """
    points = np.column_stack([np.asarray(steps, dtype=np.float64), np.asarray(values, dtype=np.float64)])
    if len(points) <= MOST_POINTS:
        return points
    return np.stack([group.mean(axis=0) for group in np.array_split(points, MOST_POINTS)])
