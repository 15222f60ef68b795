"""The position explorer: what each real scheme knows of an offset, and what a reader sees when choosing and moving."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from on_page import Show
from small import position_explorer

from anatomy_course import views
from anatomy_course.views.position_explorer.view import SAME, spread
from anatomy_utils.functional.positions import sinusoids
from anatomy_utils.nn.encoder import Encoder


@pytest.fixture
def encoder(minilm: Any) -> Any:
    return minilm.model


def test_spread_is_the_widest_gap_on_a_diagonal_as_a_share_of_the_range() -> None:
    # the diagonal 0 holds 0 and 3, the offsets ±1 hold one number each; all numbers lie between 0 and 6
    assert spread(np.array([[0.0, 6.0], [1.0, 3.0]])) == 0.5


def test_of_the_real_schemes_those_that_add_to_the_word_know_more_than_offsets(encoder: Any) -> None:
    widget = views.position_explorer(encoder)
    spreads = {scheme["name"]: spread(widget.scores(scheme["name"])[0]) for scheme in widget.schemes}
    assert len(spreads) == 8
    assert spreads.pop("learned") > 0.5 and spreads.pop("sinusoidal") > 0.3
    assert max(spreads.values()) < SAME and spread(widget.scores("sinusoidal")[1]) < SAME
    table = encoder.embeddings.positions.table.weight[:64].detach()
    np.testing.assert_allclose(widget.scores("learned")[0], (table @ table.T).numpy(), atol=1e-5)
    assert widget.scores("ALiBi")[:, 3, 7].tolist() == [-4 * slope for slope in (0.25, 0.0625, 0.015625, 0.00390625)]
    shaw = widget.scores("Shaw")[0]
    assert (shaw[0, 17:] == shaw[0, 16]).all() and shaw[0, 15] != shaw[0, 16]
    assert len(np.unique(widget.scores("T5")[0][0])) == 14  # 0, seven near offsets, six wider buckets up to offset 63
    waves = torch.from_numpy(np.frombuffer(widget.data, "<f4")[-256:].copy()).view(64, 4)
    torch.testing.assert_close(waves, sinusoids(torch.arange(64), 4))


def test_an_encoder_without_a_table_is_refused_in_one_sentence(encoder: Any) -> None:
    with pytest.raises(ValueError, match="positions are NoneType; give one with LearnedPositions"):
        views.position_explorer(Encoder(type(encoder.embeddings)(7, 4), []))


def test_choosing_a_scheme_by_mouse_and_by_keys(show: Show, encoder: Any) -> None:
    shown = show(views.position_explorer(encoder))
    canvas = shown.page.locator(".pe-canvas")
    assert shown.page.locator(".pe-pair .sine").first.get_attribute("d").count("L") >= 4 * 63, "a fast wave is round"
    assert shown.text(".pe-verdict").startswith("Not only on the offset")
    shown.page.get_by_label("Drawn for").select_option("two bare waves")
    shown.settle()
    assert shown.text(".pe-verdict").startswith("Depends only on the offset")
    shown.click("radio", "learned")
    assert shown.widget.scheme == "learned"
    told = "Not only on the offset: at equal offsets the numbers differ by up to 5.4"
    assert shown.text(".pe-verdict").startswith(told)
    example = shown.page.get_by_role("group", name="Worked example").inner_text()
    assert example.startswith("By hand: the numbers at the nearest offsets")
    shown.keys("ArrowRight")
    assert shown.widget.scheme == "Shaw"
    before = canvas.evaluate("node => node.toDataURL()")
    shown.page.get_by_label("Drawn for").select_option("content B")
    shown.settle()
    assert shown.widget.variant == 1
    assert canvas.evaluate("node => node.toDataURL()") != before


def test_the_worked_example_follows_the_position(show: Show, encoder: Any) -> None:
    shown = show(views.position_explorer(encoder))
    shown.page.get_by_role("slider", name="reference position").focus()
    shown.keys("Home", "ArrowRight", "ArrowRight", "ArrowRight")
    assert shown.widget.position == 3
    example = shown.page.get_by_role("group", name="Worked example")
    assert "position 3 → (0.14, −0.99, 0.03, 1.00)" in example.inner_text()
    assert "sin(3/10000^(2/4)) = sin(0.03) = 0.03" in example.inner_text()
    pair = shown.page.get_by_role("slider", name="pair of features")
    pair.press("End")
    assert pair.get_attribute("aria-valuetext") == "62, 63"
    assert "cos(3/10000^(62/64)) = cos(0.00) = 1.00" in example.inner_text()


def test_the_picture_is_read_by_pointer_and_by_keys(show: Show) -> None:
    shown = show(position_explorer(scheme="uneven"), views=2)
    picture = shown.page.locator(".pe-canvas").first
    shown.page.get_by_label("Picture").first.select_option("scores")
    shown.settle()
    picture.focus()
    shown.keys("Home", "ArrowRight", "ArrowRight", "ArrowDown")
    assert shown.text(".pe-read") == "query at 2, key at 2, offset 0: 4.000"
    assert shown.widget.position == 2
    box = picture.bounding_box()
    shown.page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.7 * box["height"])
    shown.settle()
    assert shown.widget.position == 3
    assert shown.text(".pe-read") == "query at 3, key at 4, offset 1: 12.000"
    shown.update(position=0)
    assert re.search("from position\\s*0", shown.texts(".pe-key")[-1])


def test_a_curve_tells_its_numbers_under_the_pointer_and_the_keys(show: Show) -> None:
    shown = show(position_explorer(scheme="uneven", position=2))
    chart = shown.page.locator(".pe-curves")
    assert shown.text(".pe-key").startswith("from position")
    chart.focus()
    shown.keys("ArrowRight", "ArrowRight")
    assert shown.text(".pe-key").split() == "at offset +1, from position 2 6.00 1 2.00 2 6.00 3 12.00".split()
    box = chart.bounding_box()
    shown.page.mouse.move(box["x"] + box["width"] / 2 + 16, box["y"] + 60)  # the plot's middle: offset 0
    assert shown.text(".pe-key").split()[:4] == ["at", "offset", "0,", "from"]
