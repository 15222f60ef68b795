"""Live curves: they follow a fit without flooding the page, and leave a finished picture behind."""

from __future__ import annotations

from threading import Thread
from typing import Any

import IPython.display
import numpy as np
import pytest
import torch
from on_page import Show

from anatomy_course.views import LiveCurves
from anatomy_course.views.live_curves import view as module
from anatomy_course.views.live_curves.view import MOST_POINTS, thin
from anatomy_utils.training import History, fit


def points(curves: LiveCurves) -> dict[str, list[list[float]]]:
    cuts = np.cumsum(curves.counts)[:-1]
    parts = np.split(np.frombuffer(curves.points, "<f4").reshape(-1, 2), cuts)
    return {name: part.tolist() for name, part in zip(curves.names, parts, strict=True)}


def fitted(steps: int, on_step: Any) -> History:
    def loss(model: Any, batch: Any) -> Any:
        return model(batch).square().mean()

    return fit(torch.nn.Linear(2, 1), [torch.ones(3, 2)], loss, steps=steps, on_step=on_step, progress=False)


def test_a_fit_is_followed_to_its_last_step_and_two_are_two_curves() -> None:
    with LiveCurves() as curves:
        history = fitted(7, curves)
    assert history.stopped is None and curves.done
    drawn = points(curves)["loss"]
    assert [step for step, _ in drawn] == [1, 2, 3, 4, 5, 6, 7]
    assert [loss for _, loss in drawn] == pytest.approx(history.loss)
    curves = LiveCurves()
    for name, steps in {"small": 3, "large": 5}.items():
        fitted(steps, curves.of(name))
    curves.publish()
    assert {name: len(drawn) for name, drawn in points(curves).items()} == {"small": 3, "large": 5}


def test_the_page_hears_no_more_than_a_few_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    curves, history, sent = LiveCurves(), History(), []
    curves.observe(lambda change: sent.append(change["new"]), "points")
    for step in range(1000):
        now += 0.001
        history.add(loss=float(step), learning_rate=0.1, gradient_norm=1.0, seconds=0.0)
        curves(history)
    assert 6 <= len(sent) <= 8  # one second


def test_many_steps_become_400_points_that_are_means() -> None:
    thinned = thin(range(4000), list(np.arange(4000.0)))
    assert thinned.shape == (MOST_POINTS, 2)
    assert thinned[0].tolist() == [4.5, 4.5] and thinned[-1].tolist() == [3994.5, 3994.5]


def test_an_interrupted_block_still_shows_what_there_was() -> None:
    curves = LiveCurves()

    def interrupted() -> None:
        with curves:
            curves.draw("loss", [1], [3.0])
            curves.draw("loss", [1, 2], [3.0, 2.0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert points(curves) == {"loss": [[1, 3], [2, 2]]} and curves.done


def test_the_stored_picture_is_that_of_the_finished_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Handle:
        def update(self, widget: LiveCurves) -> None:
            shown.append(widget._repr_mimebundle_()[0]["text/plain"])

    monkeypatch.setattr(IPython.display, "display", lambda widget, display_id: Handle())
    with LiveCurves(label="Tagging") as curves:
        curves.draw("loss", [1, 2, 3], [3.0, 2.0, 1.0])
    assert shown == ["Tagging: loss from 3.0 to 1.0, over 3 steps."]


def test_wrong_input_gets_one_sentence() -> None:
    curves = LiveCurves()
    with pytest.raises(ValueError, match="'loss' has 2 steps and 1 values; give equally many"):
        curves.draw("loss", [1, 2], [1.0])
    for name in "abcdef":
        curves.draw(name, [1], [1.0])
    with pytest.raises(ValueError, match="6 curves already"):
        curves.draw("g", [1], [1.0])
    curves = LiveCurves(label="Many")
    for name in "abcdef":
        curves.of(name)
    with pytest.raises(ValueError, match="6 curves already"):
        curves.of("one more")


def test_curves_of_other_threads_wait_for_this_one_and_keep_the_order_asked_for() -> None:
    curves, loss = LiveCurves(label="Two at once"), [3.0, 2.0]
    curves.of("first")
    another = Thread(target=curves.draw, args=("second", range(1, 3), loss))
    another.start()
    another.join()
    assert curves.names == [], "only the thread that made it speaks to the page"
    loss.append(1.0)  # it grows on after it was drawn
    curves.draw("first", [1], [5.0])
    assert curves.names == ["first", "second"] and curves.counts == [1, 2]


def test_the_chart_grows_on_the_page(show: Show) -> None:
    shown = show(LiveCurves(levels={"guessing": 1.5}, label="<b>Tagging</b>"), views=2)
    curves = shown.widget
    assert shown.page.get_by_text("waiting for the first step").count() == 2
    curves.draw("loss", [1, 2], [4.0, 3.0])
    curves.draw("validation", [2], [3.5])
    curves.publish()
    shown.follow()
    label = shown.page.get_by_role("img").first.get_attribute("aria-label")
    assert label == "loss over steps: loss 4.00 at first, 3.00 now; validation 3.50 at first, 3.50 now."
    assert shown.text(".lc-key").split() == "loss 3.00 validation 3.50 guessing 1.50".split()
    curves.draw("loss", [1, 2, 3], [4.0, 3.0, 2.0])
    curves.publish()
    curves.done = True
    shown.follow()
    assert shown.page.get_by_text("step 3, done").count() == 2


def test_what_the_model_writes_by_now_is_below_the_chart(show: Show) -> None:
    shown = show(LiveCurves())
    assert shown.page.locator(".lc-writing").is_hidden(), "nothing yet"
    shown.widget.wrote("after 50 steps", "def <b>f</b>(self):")
    shown.follow()
    assert shown.text(".lc-writing") == "after 50 steps\ndef <b>f</b>(self):"


def test_the_page_knows_how_far_it_is_and_a_stop_is_not_the_end(show: Show) -> None:
    curves, history = LiveCurves(), History(planned=1200)
    fitted(400, curves.of("small"))
    for _ in range(900):
        history.add(loss=1.0, learning_rate=0.1, gradient_norm=1.0, seconds=0.0)
    curves(history, "large")
    curves.publish()
    shown = show(curves)
    assert shown.text(".note") == "step 900 of 1\u202f200", "the last of 400 means is not the last step"
    assert "1200" in (shown.page.locator(".line-chart").first.text_content() or ""), "the axis ends where it will"
    curves.done = True
    shown.follow()
    assert curves.reached == [[400, 400], [900, 1200]]
    assert shown.text(".note") == "step 900 of 1\u202f200, stopped"
    curves = LiveCurves(steps=3)
    curves.draw("loss", range(1, 4), [3.0, 2.0, 1.0])
    curves.publish()
    assert curves.reached == [[3, 3]]


def test_a_curve_is_read_by_keys_and_under_the_pointer(show: Show) -> None:
    curves = LiveCurves(levels={"guessing": 3.0})
    curves.draw("train", range(1, 5), [4.0, 2.0, 1.0, 0.5])
    curves.draw("held out", range(1, 5), [4.0, 3.0, 2.5, 0.001])
    curves.publish()
    shown = show(curves)
    chart, read = shown.page.locator(".line-chart[role=img]"), shown.page.locator(".reading text")
    chart.focus()
    chart.press("ArrowLeft")
    assert read.text_content() == "train: 0.50 at 4"
    chart.press("ArrowUp")
    live = shown.page.locator(".anatomy > [aria-live]")
    assert read.text_content() == live.text_content() == "held out: 1e−3 at 4"
    chart.press("Tab")
    assert not read.is_visible()
    x, y = chart.locator("path.line.one").evaluate(
        """path => { const box = path.ownerSVGElement.getBoundingClientRect(); const at = path.getPointAtLength(0);
        return [box.left + at.x, box.top + at.y]; }"""
    )
    shown.page.mouse.move(x + 3, y + 2)
    assert read.text_content() == "train: 4.00 at 1" and read.is_visible()
