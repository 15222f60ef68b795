"""The depth lab: the same encoder trained at several depths, with the norm after or before, with and without warm-up.

Loss and the gradient that reaches each layer appear while it trains. Notebook 03. The class knows no model: it is
given `train`, which reports every step. Training runs beside the kernel's main thread, so that the page can stop it and
other cells can be run meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.experiments.norm_placement import STEPS, WARM_UP, DepthRun, depth_experiment, guessing_loss
from anatomy_course.views._kit.base import buffer_trait, float_bytes
from anatomy_course.views._kit.checks import OneOf
from anatomy_course.views._kit.request import Asking

MOST_RUNS = 24
PAUSE = 0.12
"""Seconds between two messages to the page while a run goes on."""
LEVEL = "guessing tags by how frequent they are"


@dataclass(frozen=True)
class Setting:
    """What the reader chose for one run."""

    depth: int
    norm: Literal["post", "pre"]
    warmup: bool
    seed: int
    steps: int


Report = Callable[[DepthRun], bool]
"""The run after one more step → whether to stop."""
_ids = count()


class DepthLab(Asking):
    """Choose depth, norm placement, warm-up and seed; train; compare the runs as overlaid curves.

    Args:
        train: (setting, report) → trains, calling `report` after each step, and ends when it answers True.
        depths: the depths to choose from.
        steps: of each run.
        runs: runs to begin with.
        levels: name → loss to compare with, drawn as a dashed line.
        depth, norm, warmup, seed: chosen at first.

    Raises:
        ValueError: a choice that is not offered, or a run whose gradient norms do not fit its depth and steps.
    """

    depths = traitlets.List(traitlets.Int()).tag(sync=True)
    steps = traitlets.Int().tag(sync=True)
    levels = traitlets.Dict().tag(sync=True)
    depth = traitlets.Int().tag(sync=True)
    norm = OneOf("post pre").tag(sync=True)
    warmup = traitlets.Bool(False).tag(sync=True)
    seed = traitlets.Int(0).tag(sync=True)
    stopping = traitlets.Bool(False).tag(sync=True)
    """Whether the run that is going on is to stop."""
    running = traitlets.Bool(False).tag(sync=True)
    shown = traitlets.List(traitlets.Dict()).tag(sync=True)
    """The finished runs, without their curves; the page may take some out."""
    curves = traitlets.List(buffer_trait()).tag(sync=True)
    """One buffer per finished run: (step, 1 + depth) as float32, the loss and the gradient norms."""
    live = traitlets.Dict().tag(sync=True)
    live_curve = buffer_trait()

    def __init__(
        self,
        train: Callable[[Setting, Report], object],
        *,
        depths: Sequence[int] = (2, 6, 10, 24),
        steps: int = 150,
        runs: Sequence[DepthRun] = (),
        levels: Mapping[str, float | int] | None = None,
        depth: int = 10,
        norm: str = "post",
        warmup: bool = False,
        seed: int = 0,
        label: str = "Depth lab: who learns when the stack grows tall?",
    ) -> None:
        if depth not in depths or any(each < 1 for each in depths):
            raise ValueError(f"depth is {depth}; expected one of the depths on offer, {list(depths)}, each at least 1.")
        if steps < 1:
            raise ValueError(f"steps is {steps}; a run needs at least 1.")
        self._train = train
        self._thread: threading.Thread | None = None
        super().__init__(
            depths=list(depths), steps=steps, depth=depth, norm=norm, warmup=warmup, seed=seed, label=label,
            levels={str(name): float(loss) for name, loss in (levels or {}).items()},
            shown=[_told(run, len(run.loss), stopped=run.stopped or "") for run in runs],
            curves=[_curve(run) for run in runs], question={"do": "nothing"},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Begin a run, or have the one that is going on stop."""
        if question.get("do") == "stop":
            return {"stopping": True}
        self.start()
        return {}

    def start(self) -> None:
        """Train with what is chosen now, beside whatever else the kernel does."""
        if self.running:
            raise ValueError("A run is going on already; wait for it or stop it.")
        if len(self.shown) >= MOST_RUNS:
            raise ValueError(f"There are {MOST_RUNS} runs already; take some out before you train another.")
        setting = Setting(self.depth, self.norm, self.warmup, self.seed, self.steps)
        with self.hold_sync():
            self.error, self.stopping, self.running = "", False, True
            self.live, self.live_curve = _told(setting), b""
        self._thread = threading.Thread(target=self._work, args=(setting,), daemon=True)
        self._thread.start()

    def wait(self, seconds: float | int | None = None) -> None:
        """Wait until the run is over; an interrupt from the keyboard ends the run and keeps what was seen of it."""
        if self._thread is None:
            return
        try:
            self._thread.join(seconds)
        except KeyboardInterrupt:
            self.stopping = True
            self._thread.join()

    def _work(self, setting: Setting) -> None:
        begun = sent = time.perf_counter()
        told, latest, error = self.live, None, ""

        def report(run: DepthRun) -> bool:
            nonlocal sent, told, latest
            now, latest = time.perf_counter(), run
            told = {**told, "steps": len(run.loss), "seconds": round(now - begun, 1)}
            if now - sent >= PAUSE:
                sent = now
                with self.hold_sync():
                    self.live, self.live_curve = told, _curve(run)
            return self.stopping

        try:
            self._train(setting, report)
        except Exception as problem:  # whatever goes wrong beside the main thread must be said on the page
            error = f"Training failed: {type(problem).__name__}: {problem}"[:300]
        if told["steps"] < self.steps and not error:
            told = {**told, "stopped": f"stopped after {told['steps']} of {self.steps} steps"}
        with self.hold_sync():
            if latest is not None:
                self.curves = [*self.curves, _curve(latest)]
                self.shown = [*self.shown, told]
            self.live, self.live_curve, self.error = {}, b"", error
            self.stopping = self.running = False

    @traitlets.observe("shown")
    def _forget_curves(self, change: Any) -> None:
        """A run that the page took out takes its curve along."""
        before, after = change["old"], change["new"]
        if isinstance(before, list) and len(after) < len(before) and len(self.curves) == len(before):
            kept = [run["id"] for run in after]
            self.curves = [c for c, run in zip(self.curves, before, strict=True) if run["id"] in kept]

    def curve(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """Loss (step) and gradient norms (step, layer) of a finished run, as the browser has them."""
        table = np.frombuffer(self.curves[index], "<f4").reshape(-1, 1 + self.shown[index]["depth"])
        return table[:, 0].copy(), table[:, 1:].copy()

    def still_picture(self) -> Picture:
        """The losses of the last six finished runs."""
        first = max(0, len(self.shown) - 6)
        losses = {}
        for i in range(first, len(self.shown)):
            loss, name = self.curve(i)[0], name_of(self.shown[i])
            smooth = np.convolve(loss, np.ones(5) / 5, "valid") if len(loss) >= 5 else loss
            losses[f"{name} ({i + 1})" if name in losses else name] = smooth
        if not losses:
            raise ValueError("No run is finished; there is nothing to draw yet.")
        length = max(map(len, losses.values()))
        steps = max(len(self.curve(i)[0]) for i in range(first, len(self.shown)))
        padded = {name: np.append(loss, [np.nan] * (length - len(loss))) for name, loss in losses.items()}
        told = "; ".join(f"{name}: {loss[-1]:.1f}" for name, loss in losses.items())
        return plots.lines(
            np.arange(length), padded, xlabel="step", ylabel="loss (mean of 5 steps)", title=self.label,
            alt=f"Loss over {steps} steps of {len(losses)} runs. At the end: {told}.",
        )  # fmt: skip


def name_of(run: dict[str, Any]) -> str:
    """A run in a few words."""
    return f"{run['depth']} layers, {run['norm']}-norm, {'' if run['warmup'] else 'no '}warm-up, seed {run['seed']}"


def _told(run: Setting | DepthRun, steps: int = 0, stopped: str = "") -> dict[str, Any]:
    return {
        "id": f"{next(_ids):x}", "depth": run.depth, "norm": run.norm, "warmup": bool(run.warmup), "seed": run.seed,
        "steps": steps, "seconds": 0.0, "stopped": stopped,
    }  # fmt: skip


def _curve(run: DepthRun) -> bytes:
    norms = np.asarray(run.gradient_norms, dtype=np.float64).reshape(len(run.loss), -1)
    if len(run.loss) and norms.shape[1] != run.depth:
        raise ValueError(f"A run of {run.depth} layers has {norms.shape[1]} gradient norms at each step.")
    return float_bytes(np.column_stack([np.asarray(run.loss, dtype=np.float64), norms])) if run.loss else b""


def depth_lab(runs: Sequence[DepthRun] = (), *, depths: Sequence[int] = (2, 6, 10, 24)) -> DepthLab:
    """Depth experiments at the press of a button; `runs` that are done already are shown at first."""

    def train(setting: Setting, report: Report) -> None:
        warmup = WARM_UP if setting.warmup else 0
        depth_experiment(setting.depth, setting.norm, warmup, setting.seed, setting.steps, on_step=report)

    return DepthLab(train, depths=depths, steps=STEPS, runs=runs, levels={LEVEL: guessing_loss()})
