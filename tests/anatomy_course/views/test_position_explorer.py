"""The position explorer: what each real scheme knows of an offset, and what a reader sees when choosing and moving."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.views import PositionExplorer
from anatomy_course.views.position_explorer.view import SAME, Scheme, spread
from anatomy_utils import pretrained
from anatomy_utils.functional.positions import sinusoids


@pytest.fixture(scope="module")
def encoder() -> Any:
    return pretrained.load("minilm").model


def small(length: int = 5, **settings: Any) -> PositionExplorer:
    at = np.arange(length)
    offsets = Scheme("offsets", "how", "f", "s", -np.abs(at[:, None] - at)[None].astype(float))
    uneven = Scheme("uneven", "how", "f", "s", np.stack([np.outer(at, at), 2 * np.outer(at, at)]).astype(float),
                    ("head 1", "head 2"), vectors=np.ones((length, 3)))  # fmt: skip
    return PositionExplorer([offsets, uneven], **{"position": 1} | settings)


def test_spread_is_the_widest_gap_on_a_diagonal_as_a_share_of_the_range() -> None:
    # the diagonal 0 holds 0 and 3, the offsets ±1 hold one number each; all numbers lie between 0 and 6
    assert spread(np.array([[0.0, 6.0], [1.0, 3.0]])) == 0.5


def test_of_the_real_schemes_only_the_learned_table_knows_more_than_offsets(encoder: Any) -> None:
    widget = views.position_explorer(encoder)
    spreads = {scheme["name"]: spread(widget.scores(scheme["name"])[0]) for scheme in widget.schemes}
    assert len(spreads) == 8
    assert spreads.pop("learned") > 0.5
    assert max(spreads.values()) < SAME


def test_the_numbers_are_the_modules_own(encoder: Any) -> None:
    widget = views.position_explorer(encoder)
    table = encoder.embeddings.positions.table.weight[:64].detach()
    np.testing.assert_allclose(widget.scores("learned")[0], (table @ table.T).numpy(), atol=1e-5)
    assert widget.scores("ALiBi")[:, 3, 7].tolist() == [-4 * slope for slope in (0.25, 0.0625, 0.015625, 0.00390625)]
    shaw = widget.scores("Shaw")[0]
    assert (shaw[0, 17:] == shaw[0, 16]).all() and shaw[0, 15] != shaw[0, 16]
    t5 = widget.scores("T5")[0]
    assert len(np.unique(t5[0])) == 14  # 0, seven near offsets, and six wider buckets up to offset 63
    torch.testing.assert_close(
        torch.from_numpy(np.frombuffer(widget.data, "<f4")[-256:].copy()).view(64, 4), sinusoids(torch.arange(64), 4)
    )


def test_an_encoder_without_a_table_is_refused_in_one_sentence(encoder: Any) -> None:
    from anatomy_utils.nn.encoder import Encoder

    with pytest.raises(ValueError, match="positions are NoneType; give one with LearnedPositions"):
        views.position_explorer(Encoder(type(encoder.embeddings)(7, 4), []))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"scheme": "waves"}, "scheme='waves' was asked for; expected one of 'offsets', 'uneven'"),
        ({"position": 5}, "position is 5; expected a whole number from 0 to 4"),
        ({"length": 129}, "129 positions; the drawing has room for 2 to 128"),
        ({"waves": np.ones((4, 4))}, r"waves has shape \(4, 4\); expected .*here \(5, 4\)"),
    ],
)
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        small(**wrong)


def test_schemes_that_do_not_fit_each_other_get_one_sentence() -> None:
    one = Scheme("one", "", "", "", np.ones((1, 5, 5)))
    with pytest.raises(ValueError, match=r"scores of two has shape \(1, 4, 4\); expected .*here \(1, 5, 5\)"):
        PositionExplorer([one, Scheme("two", "", "", "", np.ones((1, 4, 4)))], position=0)
    with pytest.raises(ValueError, match="called one, one; give each a name of its own"):
        PositionExplorer([one, one], position=0)


def test_the_twin_tells_which_schemes_know_only_offsets() -> None:
    assert "knowing only the offset: offsets. Not so: uneven." in small().still_picture().alt


def verdict(shown: Shown) -> str:
    return shown.page.locator(".pe-verdict").inner_text()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_choosing_a_scheme_by_mouse_and_by_keys(browser: Browser, encoder: Any, theme: Any) -> None:
    shown = show(browser, views.position_explorer(encoder), theme=theme)
    assert verdict(shown).startswith("Depends only on the offset")
    shown.page.get_by_role("radio", name="learned").click()
    shown.settle()
    assert shown.widget.scheme == "learned"
    assert verdict(shown).startswith("Not only on the offset: at equal offsets the numbers differ by up to 5.4")
    example = shown.page.get_by_role("group", name="Worked example").inner_text()
    assert example.startswith("By hand: the numbers at the nearest offsets")
    shown.page.keyboard.press("ArrowRight")
    shown.settle()
    assert shown.widget.scheme == "Shaw"
    before = shown.page.locator(".pe-canvas").evaluate("node => node.toDataURL()")
    shown.page.get_by_label("Drawn for").select_option("content B")
    shown.settle()
    assert shown.widget.variant == 1
    assert shown.page.locator(".pe-canvas").evaluate("node => node.toDataURL()") != before
    shown.check()


@pytest.mark.browser
def test_the_worked_example_follows_the_position(browser: Browser, encoder: Any) -> None:
    shown = show(browser, views.position_explorer(encoder))
    place = shown.page.get_by_role("slider", name="reference position")
    place.focus()
    place.press("Home")
    for _ in range(3):
        place.press("ArrowRight")
    shown.settle()
    assert shown.widget.position == 3
    example = shown.page.get_by_role("group", name="Worked example")
    assert "position 3 → (0.14, −0.99, 0.03, 1.00)" in example.inner_text()
    assert "sin(3 / 10000^(2/4)) = sin(0.03) = 0.03" in example.inner_text()
    pair = shown.page.get_by_role("slider", name="pair of features")
    pair.press("End")
    assert pair.get_attribute("aria-valuetext") == "62, 63"
    assert "cos(3 / 10000^(62/64)) = cos(0.00) = 1.00" in example.inner_text()
    shown.check()


@pytest.mark.browser
def test_the_picture_is_read_by_pointer_and_by_keys(browser: Browser) -> None:
    shown = show(browser, small(scheme="uneven"), views=2)
    picture = shown.page.locator(".pe-canvas").first
    read = shown.page.locator(".pe-read").first
    shown.page.get_by_label("Picture").first.select_option("scores")
    shown.settle()
    picture.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowDown"):
        picture.press(key)
    assert read.inner_text() == "query at 2, key at 2, offset 0: 4.000"
    shown.settle()
    assert shown.widget.position == 2
    box = picture.bounding_box()
    assert box is not None
    shown.page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.7 * box["height"])
    shown.settle()
    assert shown.widget.position == 3
    assert read.inner_text() == "query at 3, key at 4, offset 1: 12.000"
    shown.update(position=0)
    assert re.search("from position\\s*0", shown.page.locator(".pe-key").last.inner_text())
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_keeps_its_height_and_its_text(browser: Browser, encoder: Any, width: int) -> None:
    shown = show(browser, views.position_explorer(encoder), size=(LAB[width], 900))
    heights = set()
    for scheme in ("sinusoidal", "learned", "DeBERTa", "ALiBi"):
        shown.page.get_by_role("radio", name=scheme).click()
        shown.settle()
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()


@pytest.mark.browser
def test_a_fast_wave_is_round_and_its_dot_lies_on_it(browser: Browser, encoder: Any) -> None:
    shown = show(browser, views.position_explorer(encoder))
    wave = shown.page.locator(".pe-pair .sine").first
    assert wave.get_attribute("d").count("L") >= 4 * 63  # type: ignore[union-attr]
    shown.check()


@pytest.mark.browser
def test_a_curve_tells_its_numbers_under_the_pointer_and_the_keys(browser: Browser) -> None:
    shown = show(browser, small(scheme="uneven", position=2))
    key = shown.page.locator(".pe-key")
    chart = shown.page.locator(".pe-curves")
    assert key.inner_text().startswith("from position")
    chart.focus()
    chart.press("ArrowRight")
    chart.press("ArrowRight")
    assert key.inner_text().split() == "at offset +1, from position 2 6.00 1 2.00 2 6.00 3 12.00".split()
    box = chart.bounding_box()
    assert box is not None
    shown.page.mouse.move(box["x"] + box["width"] / 2 + 16, box["y"] + 60)  # the plot's middle: offset 0
    assert key.inner_text().split()[:4] == ["at", "offset", "0,", "from"]
    shown.check()


@pytest.mark.browser
def test_any_text_is_shown_as_text(browser: Browser) -> None:
    nasty = "</script><img src=x onerror=window.hit=1>"
    widget = PositionExplorer([Scheme(nasty, nasty, nasty, nasty, np.eye(4)[None], measures=nasty)], position=0)
    shown = show(browser, widget)
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    shown.check()
