"""The depth lab: runs beside the kernel, stops when asked, tells failures, and compares runs on the page."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from on_page import Show
from small import depth_lab, depth_run, falling, grow

from anatomy_course import views
from anatomy_course.lab.experiments.norm_placement import depth_experiment
from anatomy_course.views.depth_lab import view as module
from anatomy_course.views.depth_lab.view import Report, Setting, name_of


class Slow:
    """A run that goes on, one step each time `steps` is released, until it is stopped."""

    def __init__(self) -> None:
        self.steps = threading.Semaphore(0)

    def __call__(self, setting: Setting, report: Report) -> None:
        steps = (self.steps.acquire() for _ in range(setting.steps))
        grow(setting, report, (1.0 for _ in steps), [1.0] * setting.depth)


@pytest.fixture
def slow() -> Slow:
    return Slow()


def trained(widget: Any) -> Any:
    widget.start()
    widget.wait()
    return widget


def test_a_run_is_recorded_step_by_step_and_layer_by_layer() -> None:
    widget = trained(depth_lab(norm="pre", warmup=True, seed=4))
    assert not widget.running and widget.live == {} and widget.error == ""
    assert name_of(widget.shown[0]) == "3 layers, pre-norm, warm-up, seed 4"
    loss, norms = widget.curve(0)
    assert loss.tolist() == [1.0, 0.5, 0.25, 0.125, 0.0625] and norms.tolist() == [[1.0, 2.0, 3.0]] * 5


def test_the_page_starts_a_run_and_stops_it_and_what_was_learnt_is_kept(slow: Slow) -> None:
    widget = depth_lab(slow)
    widget.set_state({"question": {"do": "train", "id": 1}})
    assert widget.running and (widget.answered, widget.error) == (1, "")
    slow.steps.release(2)
    widget.set_state({"question": {"do": "stop", "id": 2}})
    slow.steps.release(5)
    widget.wait(10)
    assert widget.shown[0]["stopped"].startswith("stopped after ") and 1 <= widget.shown[0]["steps"] < 5
    assert not widget.running and not widget.stopping


def test_a_second_run_does_not_start_before_the_first_is_over(slow: Slow) -> None:
    widget = depth_lab(slow)
    widget.start()
    widget.set_state({"question": {"do": "train", "id": 1}})
    assert widget.error == "A run is going on already; wait for it or stop it."
    with pytest.raises(ValueError, match="A run is going on already"):
        widget.start()
    slow.steps.release(5)
    widget.wait(10)
    assert len(widget.shown) == 1


def test_an_interrupt_while_waiting_ends_the_run_and_keeps_it(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    widget = depth_lab(slow)
    widget.start()
    slow.steps.release(2)
    real = threading.Thread.join

    def interrupted(self: threading.Thread, timeout: float | None = None) -> None:
        monkeypatch.setattr(threading.Thread, "join", real)
        slow.steps.release(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "join", interrupted)
    widget.wait()
    assert widget.shown[0]["steps"] >= 1 and "of 5 steps" in widget.shown[0]["stopped"]


def test_messages_come_a_few_times_a_second_however_many_steps_there_are() -> None:
    widget = depth_lab(falling, depths=(1,), depth=1, steps=5000)
    sent: list[Any] = []
    widget.observe(lambda change: sent.append(change["new"]), "live_curve")
    begun = time.perf_counter()
    trained(widget)
    assert len(sent) <= 2 + (time.perf_counter() - begun) / 0.12
    assert widget.shown[0]["steps"] == 5000


def test_a_failure_is_told_in_one_sentence() -> None:
    def broken(setting: Setting, report: Report) -> None:
        grow(setting, report, [1.0], [1.0] * setting.depth)
        raise RuntimeError("out of memory")

    widget = trained(depth_lab(broken))
    assert widget.error == "Training failed: RuntimeError: out of memory"
    assert not widget.running and widget.shown[0]["steps"] == 1


def test_a_run_taken_out_takes_its_curve_along() -> None:
    widget = depth_lab(runs=[depth_run(2, "post", [1.0, 0.9]), depth_run(3, "pre", [1.0, 0.1])])
    widget.set_state({"shown": widget.shown[1:]})
    assert len(widget.curves) == 1 and widget.curve(0)[0].tolist() == pytest.approx([1.0, 0.1])


def test_real_encoders_in_the_lab() -> None:
    done = depth_experiment(2, "post", warmup=3, steps=4)
    widget = views.depth_lab([done], depths=(2, 10))
    assert widget.shown[0]["warmup"] is True
    np.testing.assert_allclose(widget.curve(0)[1], np.array(done.gradient_norms), rtol=1e-6)
    widget.depth, widget.steps, widget.warmup, widget.norm = 2, 4, True, "pre"
    expected = depth_experiment(2, "pre", warmup=100, steps=4)
    np.testing.assert_allclose(trained(widget).curve(1)[0], expected.loss, rtol=1e-5)


def test_training_live_and_stopping_on_the_page(show: Show, slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.0)  # told at every step, however slow the machine
    shown = show(depth_lab(slow))
    train = shown.page.get_by_role("button", name="Train")
    shown.page.get_by_role("radio", name="Post-norm").press("ArrowRight")
    shown.page.get_by_role("slider", name="Depth").press("Home")
    shown.click("button", "Warm-up")
    shown.page.get_by_label("Seed").select_option("2")
    train.click()
    shown.settle()
    assert shown.widget.running and (shown.widget.depth, shown.widget.norm, shown.widget.seed) == (2, "pre", 2)
    slow.steps.release(2)
    for _ in range(100):
        shown.follow()
        if "step 2 of 5" in shown.text(".anatomy"):
            break
        time.sleep(0.02)
    else:
        raise AssertionError("the page never told of step 2")
    assert train.is_disabled()
    shown.click("button", "Stop")
    slow.steps.release(3)
    shown.widget.wait(10)
    shown.follow()
    runs = shown.page.get_by_role("list", name="Runs").inner_text()
    assert "2 layers, pre-norm, warm-up, seed 2" in runs and "of 5 steps" in runs
    assert train.is_enabled()


def test_runs_are_compared_and_taken_out(show: Show) -> None:
    runs = [depth_run(3, "post", [2.0] * 5), depth_run(2, "pre", [2.0, 1.0, 0.5, 0.25, 0.125])]
    shown = show(depth_lab(runs=runs), views=2)
    chart = shown.page.get_by_role("img", name="Gradient norm per layer").first
    told = "3 layers, post-norm, no warm-up, seed 0: first layer 1.00, last layer 0.01"
    assert told in chart.get_attribute("aria-label")
    shown.page.get_by_role("slider", name="At step").first.press("Home")
    shown.settle()
    assert "at step 1." in chart.get_attribute("aria-label")
    shown.click("button", "Take out: 3 layers, post-norm")
    assert [each["depth"] for each in shown.follow().shown] == [2]
    assert shown.page.get_by_role("listitem").count() == 2  # one in each view
    losses = shown.page.get_by_role("img", name="Loss over steps").last.get_attribute("aria-label")
    assert losses == "Loss over steps. Last values: 2 layers, pre-norm, no warm-up, seed 0: 0.78."


ENDS = """nodes => nodes.map((node) => {
  const box = node.getBoundingClientRect();
  const frame = node.ownerSVGElement.getBoundingClientRect();
  return [node.textContent, box.top, box.bottom, frame.right - box.right];
}).sort((a, b) => a[1] - b[1])"""


def test_each_run_has_its_name_at_the_end_of_its_line(show: Show) -> None:
    runs = [depth_run(3, "post", [2.0, 1.0], seed) for seed in range(3)]
    runs += [replace(depth_run(3, "post", [2.0, 0.5]), warmup=100), depth_run(2, "post", [2.0, 1.0])]
    shown = show(depth_lab(runs=runs))
    ends = shown.page.locator(".end").evaluate_all(ENDS)
    assert {text for text, *_ in ends} == {"2", "3, warm-up", "3, seed 0", "3, seed 1", "3, seed 2"}
    assert all(one[2] <= other[1] + 2 for one, other in zip(ends, ends[1:], strict=False))
    assert min(room for *_, room in ends) >= 0
    assert shown.count(".lead") >= 2, "names that had to move are led back to their curves"
