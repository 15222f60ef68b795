"""The depth lab: runs beside the kernel, stops when asked, tells failures, and compares runs on the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.lab.experiments.norm_placement import DepthRun, depth_experiment
from anatomy_course.views import DepthLab
from anatomy_course.views.depth_lab import view as module
from anatomy_course.views.depth_lab.view import Report, Setting, name_of


def falling(setting: Setting, report: Report) -> None:
    """The loss halves at every step."""
    grow(setting, report, (2.0**-step for step in range(setting.steps)), [float(n + 1) for n in range(setting.depth)])


def grow(setting: Setting, report: Report, losses: Iterable[float], norms: list[float]) -> None:
    """A run with these losses and the same gradient norms at every step, until it is to stop."""
    growing = DepthRun(setting.depth, setting.norm, setting.warmup, setting.seed, 1.0)
    for loss in losses:
        growing.loss.append(loss)
        growing.gradient_norms.append(norms)
        if report(growing):
            return


class Slow:
    """A run that goes on, one step each time `go` is set, until it is stopped."""

    def __init__(self) -> None:
        self.steps = threading.Semaphore(0)

    def __call__(self, setting: Setting, report: Report) -> None:
        steps = (self.steps.acquire() for _ in range(setting.steps))
        grow(setting, report, (1.0 for _ in steps), [1.0] * setting.depth)


def run(depth: int, norm: Any, loss: list[float], seed: int = 0) -> DepthRun:
    return DepthRun(depth, norm, 0, seed, 1.0, loss, [[10.0**-layer for layer in range(depth)] for _ in loss])


def lab(train: Any = falling, **settings: Any) -> DepthLab:
    return DepthLab(train, **{"depths": (2, 3), "depth": 3, "steps": 5} | settings)


def test_a_run_is_recorded_step_by_step_and_layer_by_layer() -> None:
    widget = lab(norm="pre", warmup=True, seed=4)
    widget.start()
    widget.wait()
    assert not widget.running and widget.live == {} and widget.error == ""
    assert name_of(widget.shown[0]) == "3 layers, pre-norm, warm-up, seed 4"
    loss, norms = widget.curve(0)
    assert loss.tolist() == [1.0, 0.5, 0.25, 0.125, 0.0625] and norms.tolist() == [[1.0, 2.0, 3.0]] * 5


def test_the_page_starts_a_run_and_stops_it_and_what_was_learnt_is_kept() -> None:
    slow = Slow()
    widget = lab(slow)
    widget.set_state({"question": {"do": "train", "id": 1}})
    assert widget.running and (widget.answered, widget.error) == (1, "")
    slow.steps.release(2)
    widget.set_state({"question": {"do": "stop", "id": 2}})
    slow.steps.release(5)
    widget.wait(10)
    assert widget.shown[0]["stopped"].startswith("stopped after ") and 1 <= widget.shown[0]["steps"] < 5
    assert not widget.running and not widget.stopping


def test_a_second_run_does_not_start_before_the_first_is_over() -> None:
    slow = Slow()
    widget = lab(slow)
    widget.start()
    widget.set_state({"question": {"do": "train", "id": 1}})
    assert widget.error == "A run is going on already; wait for it or stop it."
    with pytest.raises(ValueError, match="A run is going on already"):
        widget.start()
    slow.steps.release(5)
    widget.wait(10)
    assert len(widget.shown) == 1


def test_an_interrupt_while_waiting_ends_the_run_and_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    widget = lab(slow)
    widget.start()
    thread, real = widget._thread, threading.Thread.join
    assert thread is not None
    slow.steps.release(2)

    def interrupted(self: threading.Thread, timeout: float | None = None) -> None:
        monkeypatch.setattr(threading.Thread, "join", real)
        slow.steps.release(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "join", interrupted)
    widget.wait()
    assert widget.shown[0]["steps"] >= 1 and "of 5 steps" in widget.shown[0]["stopped"]


def test_messages_come_a_few_times_a_second_however_many_steps_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = lab(falling, depths=(1,), depth=1, steps=5000)
    sent = []
    widget.observe(lambda change: sent.append(change["new"]), "live_curve")
    begun = time.perf_counter()
    widget.start()
    widget.wait()
    assert len(sent) <= 2 + (time.perf_counter() - begun) / 0.12
    assert widget.shown[0]["steps"] == 5000


def test_a_failure_is_told_in_one_sentence() -> None:
    def broken(setting: Setting, report: Report) -> None:
        grow(setting, report, [1.0], [1.0] * setting.depth)
        raise RuntimeError("out of memory")

    widget = lab(broken)
    widget.start()
    widget.wait()
    assert widget.error == "Training failed: RuntimeError: out of memory"
    assert not widget.running and widget.shown[0]["steps"] == 1


def test_a_run_taken_out_takes_its_curve_along() -> None:
    widget = lab(runs=[run(2, "post", [1.0, 0.9]), run(3, "pre", [1.0, 0.1])])
    widget.set_state({"shown": widget.shown[1:]})
    assert len(widget.curves) == 1 and widget.curve(0)[0].tolist() == pytest.approx([1.0, 0.1])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"depth": 7}, r"depth is 7; expected one of the depths on offer, \[2, 3\]"),
        ({"norm": "both"}, "norm='both' was asked for; expected 'post' or 'pre'"),
        ({"steps": 0}, "steps is 0"),
        ({"runs": [DepthRun(2, "post", 0, 0, 1.0, [1.0], [[1.0] * 3])]}, "2 layers has 3 gradient norms"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        lab(**wrong)


def test_the_twin_tells_the_ends() -> None:
    widget = lab(runs=[run(2, "post", [3.0, 2.0]), run(2, "pre", [3.0, 1.0, 0.5])])
    assert "2 layers, post-norm, no warm-up, seed 0: 2.0; 2 layers, pre-norm" in widget.still_picture().alt


def test_real_encoders_in_the_lab() -> None:
    done = depth_experiment(2, "post", warmup=3, steps=4)
    widget = views.depth_lab([done], depths=(2, 10))
    assert widget.shown[0]["warmup"] is True
    np.testing.assert_allclose(widget.curve(0)[1], np.array(done.gradient_norms), rtol=1e-6)
    widget.depth, widget.steps, widget.warmup, widget.norm = 2, 4, True, "pre"
    widget.start()
    widget.wait()
    expected = depth_experiment(2, "pre", warmup=100, steps=4)
    np.testing.assert_allclose(widget.curve(1)[0], expected.loss, rtol=1e-5)


def follow(shown: Shown) -> None:
    """Hand the page what Python set meanwhile, as a kernel would."""
    widget = shown.widget
    names = ("running", "stopping", "live", "live_curve", "curves", "shown", "error", "answered")
    shown.update(**{name: getattr(widget, name) for name in names})


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_training_live_and_stopping_on_the_page(browser: Browser, theme: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # told at every step, however slow the machine
    monkeypatch.setattr(module, "PAUSE", 0.0)
    slow = Slow()
    shown = show(browser, lab(slow), theme=theme)
    shown.page.get_by_role("radio", name="Post-norm").focus()
    shown.page.keyboard.press("ArrowRight")
    shown.page.get_by_role("slider", name="Depth").press("Home")
    shown.page.get_by_role("button", name="Warm-up").click()
    shown.page.get_by_label("Seed").select_option("2")
    shown.page.get_by_role("button", name="Train").click()
    shown.settle()
    assert shown.widget.running and (shown.widget.depth, shown.widget.norm, shown.widget.seed) == (2, "pre", 2)
    slow.steps.release(2)
    for _ in range(100):
        follow(shown)
        if "step 2 of 5" in shown.page.locator(".anatomy").inner_text():
            break
        time.sleep(0.02)
    else:
        raise AssertionError("the page never told of step 2")
    assert shown.page.get_by_role("button", name="Train").is_disabled()
    shown.page.get_by_role("button", name="Stop").click()
    shown.settle()
    slow.steps.release(3)
    shown.widget.wait(10)
    follow(shown)
    runs = shown.page.get_by_role("list", name="Runs")
    assert "2 layers, pre-norm, warm-up, seed 2" in runs.inner_text() and "of 5 steps" in runs.inner_text()
    assert shown.page.get_by_role("button", name="Train").is_enabled()
    shown.check()


@pytest.mark.browser
def test_runs_are_compared_and_taken_out(browser: Browser) -> None:
    shown = show(browser, lab(runs=[run(3, "post", [2.0] * 5), run(2, "pre", [2.0, 1.0, 0.5, 0.25, 0.125])]), views=2)
    chart = shown.page.get_by_role("img", name="Gradient norm per layer").first
    assert "3 layers, post-norm, no warm-up, seed 0: first layer 1.00, last layer 0.01" in (
        chart.get_attribute("aria-label") or ""
    )
    shown.page.get_by_role("slider", name="At step").first.press("Home")
    shown.settle()
    assert "at step 1." in (chart.get_attribute("aria-label") or "")
    shown.page.get_by_role("button", name="Take out: 3 layers, post-norm").first.click()
    shown.settle()
    follow(shown)
    assert [each["depth"] for each in shown.widget.shown] == [2]
    assert shown.page.get_by_role("listitem").count() == 2  # one in each view
    losses = shown.page.get_by_role("img", name="Loss over steps").last.get_attribute("aria-label") or ""
    assert losses == "Loss over steps. Last values: 2 layers, pre-norm, no warm-up, seed 0: 0.78."
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_keeps_its_height(browser: Browser, width: int) -> None:
    shown = show(
        browser,
        lab(runs=[run(3, norm, [2.0, 1.0 + seed / 9], seed) for norm in ("post", "pre") for seed in range(3)]),
        size=(LAB[width], 900),
    )
    heights = {height_of(shown.page)}
    for step in ({"norm": "pre", "depth": 2}, {"running": True}, {"running": False}):
        shown.update(**step)
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()


ENDS = """nodes => nodes.map((node) => {
  const box = node.getBoundingClientRect();
  const frame = node.ownerSVGElement.getBoundingClientRect();
  return [node.textContent, box.top, box.bottom, frame.right - box.right];
}).sort((a, b) => a[1] - b[1])"""


@pytest.mark.browser
def test_each_run_has_its_name_at_the_end_of_its_line(browser: Browser) -> None:
    runs = [run(3, "post", [2.0, 1.0], seed) for seed in range(3)]
    runs.append(replace(run(3, "post", [2.0, 0.5]), warmup=100))
    shown = show(browser, lab(runs=[*runs, run(2, "post", [2.0, 1.0])]))
    ends = shown.page.locator(".end").evaluate_all(ENDS)
    assert {text for text, *_ in ends} == {"2", "3, warm-up", "3, seed 0", "3, seed 1", "3, seed 2"}
    assert all(one[2] <= other[1] + 2 for one, other in zip(ends, ends[1:], strict=False))
    assert min(room for *_, room in ends) >= 0
    assert shown.page.locator(".lead").count() >= 2, "names that had to move are led back to their curves"
    shown.check()
