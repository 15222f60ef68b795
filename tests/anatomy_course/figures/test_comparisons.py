"""Booleans as yes and no, cells without a number, two charts beside each other."""

import numpy as np
import pytest
import torch

from anatomy_course.figures import plots


def texts(drawn):
    return [text.get_text() for axes in drawn.figure.axes for text in axes.texts]


def test_booleans_are_marks_without_numbers_and_without_a_color_bar():
    mask = torch.ones(3, 3, dtype=torch.bool).tril()
    drawn = plots.heatmap(mask, list("abc"), list("abc"), title="mask", marks=("may attend", "may not"))
    assert {"may attend", "may not"} <= set(texts(drawn))
    assert not any(text.replace(".", "").isdigit() for text in texts(drawn)), "neither 1.00 nor a scale"
    assert drawn.alt == "mask (3 queries × 3 keys): 6 of 9 cells: may attend."
    assert "1.00" in texts(plots.heatmap(mask.float(), list("abc"), list("abc"))), "numbers keep theirs"


def test_values_may_stand_in_some_cells_only():
    numbers = np.array([[0.25, 0.75], [0.0, 1.0]])
    said = texts(plots.heatmap(numbers, values=numbers > 0.5))
    assert "0.75" in said and "1.00" in said and "0.25" not in said and "0.00" not in said


def test_two_charts_are_wide_and_stand_beside_each_other_with_one_scale():
    charts = {name: {"one": [3.0, 2.0, 1.0], "other": [3.0, 1.0, top]} for name, top in (("a", 2.0), ("b", 4.0))}
    drawn = plots.curve_grid(charts, x=[0, 1, 2], xlabel="layer")
    left, right = (axes.get_position() for axes in drawn.figure.axes)
    assert left.y0 == right.y0 and left.x1 < right.x0
    assert left.width * drawn.width > 250 and drawn.width <= 720
    assert {axes.get_ylim() for axes in drawn.figure.axes} == {(0.0, 4.0 * 1.06)}
    assert [text.get_text() for text in drawn.figure.axes[0].get_xticklabels()] == ["0", "1", "2"]
    assert {line.get_marker() for line in drawn.figure.axes[0].lines} == {"o", "s"}
    with pytest.raises(ValueError, match="'one' has 3 points and x has 2"):
        plots.curve_grid(charts, x=[0, 1])


def test_a_bar_may_have_a_whole_phrase_as_its_name():
    phrase = "without 36 heads, those that count least"
    drawn = plots.bars([phrase, "b"], [0.93, 0.5])
    assert drawn.figure.axes[0].get_yticklabels()[0].get_text() == phrase
    assert drawn.figure.axes[0].get_position().width * drawn.width > 200


def test_a_line_that_ends_early_has_its_name_there():
    nan = float("nan")
    drawn = plots.lines([8, 16, 32, 64], {"ends": [1.0, 1.0, nan, nan], "goes on": [1.0, 1.0, 0.9, 0.8]}, log="x")
    axes = drawn.figure.axes[0]
    places = {text.get_text(): text.get_position()[0] * drawn.figure.bbox.width for text in drawn.figure.texts}
    assert places["ends"] == pytest.approx(axes.transData.transform((16, 1.0))[0], abs=60)
    assert places["goes on"] > axes.bbox.x1
    name = next(text for text in drawn.figure.texts if text.get_text() == "ends").get_window_extent()
    at = np.linspace(8, 16, 400)
    passing = axes.transData.transform(np.column_stack([at, np.ones(400)]))
    assert not any(name.contains(*place) for place in passing)


def test_images_stand_in_rows_with_their_words_and_lines_between_patches():
    pixels = torch.rand(5, 3, 4, 6, generator=torch.Generator().manual_seed(0))
    drawn = plots.images(pixels, [f"image {number}" for number in range(5)], title="five", grid=2)
    assert drawn.alt == "five: image 0; image 1; image 2; image 3; image 4."
    sheet = drawn.figure.axes[0]
    assert [image.get_array().shape for image in sheet.images] == [(4, 6, 3)] * 5
    lefts = [image.get_extent()[0] for image in sheet.images]
    assert lefts[0] == lefts[2] == lefts[4] < lefts[1] == lefts[3]
    assert len(sheet.collections) == 10, "lines across and down for each"
    with pytest.raises(ValueError, match="3 channels"):
        plots.images(pixels[:, :2], ["a"] * 5)
