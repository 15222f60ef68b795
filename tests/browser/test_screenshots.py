"""The README's pictures are what the course looks like today: one is taken again, and compared with what is stored."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
from lab_page import NotebookPage
from make_screenshots import IMAGES, file_name, stored
from PIL import Image
from shots import SHOTS, WINDOW, Posed, posed

SHOT = SHOTS[0]
FONTS = 0.04
"""By how much a view may be larger or smaller with another machine's fonts, as a part of its size."""
DIFFERENCE = 8
"""How far two pictures may be apart, 0 to 255 on average, because one has four times as many pixels."""


@pytest.fixture
def taken(attention: NotebookPage) -> Iterator[Posed]:
    """The first picture's view, posed as for the README; made again afterwards."""
    page, size = attention.page, attention.page.viewport_size
    assert size is not None
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": WINDOW[0], "height": WINDOW[1]})
    yield posed(attention, SHOT)
    page.set_viewport_size(size)
    page.emulate_media(reduced_motion="no-preference")
    attention.run_cell(attention.index(SHOT.cell))


def pixels(picture: Image.Image, size: tuple[int, int]) -> np.ndarray:
    """A picture's numbers at this size."""
    return np.asarray(picture.convert("RGB").resize(size, Image.Resampling.BOX), dtype=float)


def test_a_picture_taken_today_has_the_same_size_words_and_looks(taken: Posed) -> None:
    told = stored()[SHOT.name]
    assert taken.text == told["text"], "run `make screenshots`"
    assert taken.size == pytest.approx(told["size"], rel=FONTS), "run `make screenshots`"
    today = Image.open(io.BytesIO(taken.view.screenshot()))
    light, dark = (Image.open(IMAGES / file_name(SHOT.name, theme)) for theme in ("light", "dark"))
    now = pixels(today, today.size)
    assert np.abs(now - pixels(light, today.size)).mean() < DIFFERENCE, "run `make screenshots`"
    assert np.abs(now - pixels(dark, today.size)).mean() > DIFFERENCE, "a view in other colors would be noticed"
