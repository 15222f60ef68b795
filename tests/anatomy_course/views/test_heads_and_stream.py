"""What heads match and write, and streams with one part out: as given, chosen by mouse and keys."""

from __future__ import annotations

from on_page import Show
from small import head_words, residual_stream


def test_numbers_arrive_as_given() -> None:
    stream = residual_stream()
    assert stream.left().shape == (5, 4) and stream.left()[1, 2] == 0.5
    assert (stream.part, stream.place, stream.words) == (0, 3, ["b", "c", "d"])
    assert head_words().listed == ["x", "y", "z"]


def test_a_part_is_chosen_by_slider_and_position(show: Show) -> None:
    shown = show(residual_stream())
    assert "embedding adds 0.50 to the lead of “b” over “c”" in shown.text(".rs-panel .note")
    shown.page.get_by_label("Out", exact=True).press("ArrowRight")
    shown.page.get_by_label("at", exact=True).select_option("2")
    shown.settle()
    assert (shown.widget.part, shown.widget.place) == (1, 2)
    assert "“b” has 50 % left" in shown.text(".rs-panel .note")
    box = shown.page.locator(".rs-streams").bounding_box()
    shown.page.mouse.click(box["x"] + 70, box["y"] + 44)  # the highest part of the first line
    shown.settle()
    assert (shown.widget.part, shown.widget.place) == (4, 0)
    assert shown.page.locator(".rs-mark.out").count() == 1


def test_a_head_and_a_word_are_chosen(show: Show) -> None:
    shown = show(head_words())
    assert shown.texts(".hw-list")[0].split() == ["x", "y"]
    shown.page.get_by_label("Head", exact=True).select_option("1")
    shown.page.get_by_label("word", exact=True).select_option("1")
    shown.settle()
    assert (shown.widget.head, shown.widget.word) == (1, 1)
    assert [text.split() for text in shown.texts(".hw-list")] == [["z", "y"], ["x", "z"]]
    box = shown.page.locator(".hw-chart").bounding_box()
    shown.page.mouse.click(box["x"] + 60, box["y"] + 280)
    shown.settle()
    assert shown.widget.heads[shown.widget.head] == "random 0"
