"""The flow: steps through the figure by mouse and keys, and rows that grow with what is written."""

from __future__ import annotations

import numpy as np
import pytest
from on_page import OnPage, Show
from playwright.sync_api import expect
from small import translation_flow, translation_run


def test_steps_are_counted_through_reader_and_writer() -> None:
    widget = translation_flow()
    assert len(widget) == 3 + 5 + 2 * 2, "the whole way once, then where each word looked and what was written"
    assert widget.where() == ("source_tokens", 0)
    widget.place = 3 + 5 + 2
    assert widget.where() == ("cross_attention", 3)
    assert translation_flow("softmax").place == 6


def test_tensors_travel_in_order_and_cut_to_their_first_features() -> None:
    widget = translation_flow()
    assert widget.tensor("memory").shape == (5, 16)
    np.testing.assert_allclose(widget.tensor("memory")[1, :3], [1.9, 2.0, 2.1], atol=1e-6)
    np.testing.assert_allclose(widget.tensor("cross.weights")[1], np.full((3, 5), 0.2), atol=1e-6)
    assert [widget.tensors[i]["name"] for i in widget.decoder[2]["tensors"]] == ["cross.weights", "read"]
    with pytest.raises(ValueError, match="no tensor 'soul'; there are input_ids"):
        widget.tensor("soul")


def test_the_picture_marks_the_part_at_work() -> None:
    first, cross = (translation_flow(place).still_picture() for place in ("source_tokens", "cross_attention"))
    assert first.png != cross.png
    drawn = [text.get_text() for text in cross.figure.axes[0].texts]
    assert [text for text in drawn if text.startswith("▸")] == ["▸ cross-attention"]


def title(shown: OnPage) -> str:
    shown.settle()
    return shown.text(".fl-told h4")


def target(shown: OnPage) -> list[str]:
    return shown.page.locator(".fl-track dd").nth(1).locator(".word:not(.fl-later)").all_inner_texts()


def test_going_through_by_mouse(show: Show) -> None:
    shown = show(translation_flow(), size=(1000, 1000), reduced_motion=True)
    page, widget = shown.page, shown.widget
    assert title(shown) == "Numbers" and target(shown) == []
    assert shown.texts(".fl-id") == ["⟨to french⟩\n7", "the\n3", "dog\n4", "barks\n5", ".\n6"]
    shown.click("button", "Next", exact=True)
    assert title(shown) == "Encoder attends"
    assert page.locator(".fl-now").all_text_contents() == ["self-attention", "heads"]
    shown.click("button", "Next word")
    assert title(shown) == "Shifted" and target(shown) == ["⟨start⟩"]
    page.locator(".tm-part", has_text="softmax").click()
    page.locator(".tm-part", has_text="cross-attention").click()
    assert title(shown) == "Cross" and widget.where() == ("cross_attention", 2)
    assert target(shown) == ["⟨start⟩", "le"]
    assert shown.texts(".fl-map .note") == ["head 0: le → the 1.00", "head 1: le → ⟨to french⟩ 0.20"]
    assert shown.text(".fl-name .shape") == "(batch 1, heads 2, target 2, source 5)"
    assert shown.count(".fl-lit") == 2  # the way up, and the way from the memory
    page.locator(".tm-part", has_text="memory").click()
    assert title(shown) == "Memory" and widget.where() == ("memory", 0)
    page.get_by_role("slider", name="Step").fill("12")
    assert title(shown) == "Next" and target(shown) == ["⟨start⟩", "le", "chien", "⟨end⟩"]
    expect(page.locator(".fl-chosen")).to_contain_text("the translation is done")
    assert page.get_by_role("button", name="Next", exact=True).is_disabled()
    page.locator(".fl-chip", has_text="chien").click()
    assert title(shown) == "Cross" and widget.where() == ("cross_attention", 3)
    for option, where in {"Masked": ("decoder_self_attention", 1), "Word 2: chien": ("cross_attention", 2)}.items():
        page.get_by_label("Go to").select_option(option)
        shown.settle()
        assert widget.where() == where


def test_words_of_a_run_without_end_can_be_told_apart(show: Show) -> None:
    shown = show(translation_flow(written=["le", "le", "le"]), reduced_motion=True)
    options = shown.page.get_by_label("Go to").locator("option").all_inner_texts()
    assert options[-2:] == ["Word 2: le", "Word 3: le"]
    assert len(set(options)) == len(options)


def test_going_through_by_keyboard(show: Show) -> None:
    shown = show(translation_flow(), views=2)
    page, widget = shown.page, shown.widget
    page.get_by_role("button", name="Next", exact=True).first.focus()
    for key, where in (
        ("ArrowRight", ("encoder_self_attention", 0)),
        ("PageDown", ("target_tokens", 1)),
        ("ArrowRight", ("decoder_self_attention", 1)),
        ("PageDown", ("cross_attention", 2)),
        ("ArrowLeft", ("next_token", 1)),
        ("PageUp", ("target_tokens", 1)),
        ("PageUp", ("source_tokens", 0)),
        ("End", ("next_token", 3)),
        ("PageDown", ("next_token", 3)),
        ("Home", ("source_tokens", 0)),
    ):
        shown.keys(key)
        assert widget.where() == where
    expect(page.locator("[aria-live=polite].visually-hidden").first).to_have_text("Reading the source. Numbers.")
    page.get_by_role("slider", name="Step").first.focus()
    shown.keys("ArrowRight")
    assert widget.place == 1
    shown.keys("PageDown")
    assert widget.where() == ("target_tokens", 1)


def test_masked_cells_are_hatched_and_rows_grow(show: Show) -> None:
    shown = show(translation_flow(3 + 2, decoder=translation_run().decoder[:2]))
    drawn = shown.page.locator(".fl-map canvas")
    two = drawn.bounding_box()
    shown.update(place=3 + 2 + 1)
    three = drawn.bounding_box()
    assert three["height"] - two["height"] == pytest.approx(12, abs=1)
    darkest = drawn.evaluate("""node => {
      const { data } = node.getContext("2d").getImageData(node.width - 12, node.height - 36, 6, 6);
      return Math.min(...Array.from({ length: 36 }, (_, i) => data[4 * i]));
    }""")
    assert darkest < 200, "the last cell of the first row is hatched, and not white for a weight of 0"
    expect(shown.page.locator(".fl-map .note")).to_have_text("head 0: chien → ⟨start⟩ 0.33")


def test_playing_goes_on_by_itself_until_it_is_told_to_stop(show: Show) -> None:
    shown = show(translation_flow(9))
    play = shown.page.get_by_role("button", name="Play")
    play.click()
    expect(shown.page.locator(".fl-told h4")).to_have_text("Next", timeout=30_000)
    expect(play).to_have_attribute("aria-pressed", "false", timeout=30_000)
    assert shown.widget.place == 11


def test_what_stands_beside_a_part_elsewhere_is_written_on_a_narrow_figure(show: Show) -> None:
    shown = show(translation_flow(), width=330)
    words = shown.page.locator(".fl-figure text").all_text_contents()
    assert "memory (K, V)" in words and {"encoder × 1", "decoder × 1"} <= set(words)
