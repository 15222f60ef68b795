"""The flow: steps through the figure by mouse and keys, rows that grow with what is written, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from widget_page import Browser, Shown, show

from anatomy_course.views import TranslationFlow
from anatomy_course.views.translation_flow.view import DrawnTensor as Drawn, Moment, TranslationRun


def vectors(name: str, axis: str, rows: int) -> Drawn:
    return Drawn(name, np.arange(rows * 19).reshape(rows, 19) / 10, ("batch", axis, "d_model"), (1, rows, 19))


def run() -> TranslationRun:
    """Five source tokens, three written ones; cross-attention's row i looks at source token i."""
    cross = np.stack([np.eye(3, 5), np.full((3, 5), 0.2)])
    causal = np.tril(np.ones((3, 3)))[None] / np.arange(1, 4)[:, None]
    return TranslationRun(
        source=["<french>", "the", "dog", "barks", "."],
        target=["<bos>", "le", "chien"],
        written=["le", "chien", "<eos>"],
        encoder=[
            Moment("source_tokens", "Numbers", "Each token *is* a number.",
                   [Drawn("input_ids", [[7], [3], [4], [5], [6]], ("batch", "source"), (1, 5), kind="ids")]),
            Moment("encoder_self_attention", "Encoder attends", "All look at all.", [vectors("x", "source", 5)]),
            Moment("memory", "Memory", "Done.", [vectors("memory", "source", 5)]),
        ],
        decoder=[
            Moment("target_tokens", "Shifted", "Shifted by one.",
                   [Drawn("decoder_input_ids", [[1], [8], [9]], ("batch", "target"), (1, 3), kind="ids")]),
            Moment("decoder_self_attention", "Masked", "No future.",
                   [Drawn("own.weights", causal, ("batch", "heads", "target", "target"), (1, 1, 3, 3),
                          kind="weights", causal=True)]),
            Moment("cross_attention", "Cross", "Looks at the source.",
                   [Drawn("cross.weights", cross, ("batch", "heads", "target", "source"), (1, 2, 3, 5),
                          kind="weights"), vectors("read", "target", 3)]),
            Moment("softmax", "Softmax", "Sums to 1.", [vectors("probabilities", "target", 3)]),
            Moment("next_token", "Next", "Appended."),
        ],
        choices=[[(word, 2.5, 0.75), ("other", -1.0, 0.25)] for word in ("le", "chien", "<eos>")],
    )  # fmt: skip


# ---- Python


def test_steps_are_counted_through_reader_and_writer() -> None:
    widget = TranslationFlow(run())
    assert len(widget) == 3 + 5 + 2 * 2, "the whole way once, then where each word looked and what was written"
    assert widget.where() == ("source_tokens", 0)
    widget.place = 3 + 5 + 2
    assert widget.where() == ("cross_attention", 3)
    assert TranslationFlow(run(), place="softmax").place == 6
    with pytest.raises(ValueError, match="place=12 was asked for; expected a whole number from 0 to 11"):
        widget.place = 12


def test_tensors_travel_in_order_and_cut_to_their_first_features() -> None:
    widget = TranslationFlow(run())
    assert widget.tensor("memory").shape == (5, 16)
    np.testing.assert_allclose(widget.tensor("memory")[1, :3], [1.9, 2.0, 2.1], atol=1e-6)
    np.testing.assert_allclose(widget.tensor("cross.weights")[1], np.full((3, 5), 0.2), atol=1e-6)
    assert [widget.tensors[i]["name"] for i in widget.decoder[2]["tensors"]] == ["cross.weights", "read"]
    with pytest.raises(ValueError, match="no tensor 'soul'; there are input_ids"):
        widget.tensor("soul")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"target": ["<bos>"]}, "There are 1 target tokens, 3 written ones and choices for 3"),
        ({"encoder": []}, "no steps for the encoder"),
        ({"encoder": [Moment("soul", "", "")]}, "'soul' names no part of the figure"),
        ({"encoder": [Moment("memory", "", "", [vectors("m", "source", 4)])]},
         r"m has shape \(4, 19\); expected .*here \(5, 19\)"),
        ({"encoder": [Moment("memory", "", "", [Drawn("m", [[1.0]] * 5, ("source", "d"), (5,))])]},
         "give one size for each axis"),
        ({"source": ["a"] * 33}, "source has 33 words"),
    ],
)  # fmt: skip
def test_wrong_input_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TranslationFlow(replace(run(), **wrong))


def test_the_twin_tells_the_translation_and_marks_the_part_at_work() -> None:
    twins = [TranslationFlow(run(), place=place).still_picture() for place in ("source_tokens", "cross_attention")]
    assert "“<french> the dog barks .” flows through it in 12 steps and becomes “le chien”" in twins[0].alt
    assert twins[0].png != twins[1].png
    drawn = [text.get_text() for text in twins[1].figure.axes[0].texts]
    assert [text for text in drawn if text.startswith("▸")] == ["▸ cross-attention"]


# ---- the page


def title(shown: Shown) -> str:
    shown.settle()
    return shown.page.locator(".fl-told h4").first.inner_text()


def target(shown: Shown) -> list[str]:
    return shown.page.locator(".fl-track dd").nth(1).locator(".word:not(.fl-later)").all_inner_texts()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_going_through_by_mouse(browser: Browser, theme: Any) -> None:
    shown = show(browser, TranslationFlow(run()), theme=theme, size=(1000, 1000), reduced_motion=True)
    page, widget = shown.page, shown.widget
    assert title(shown) == "Numbers" and target(shown) == []
    assert page.locator(".fl-id").all_inner_texts() == ["⟨to french⟩\n7", "the\n3", "dog\n4", "barks\n5", ".\n6"]
    page.get_by_role("button", name="Next", exact=True).click()
    assert title(shown) == "Encoder attends"
    assert page.locator(".fl-now").all_text_contents() == ["self-attention", "heads"]
    page.get_by_role("button", name="Next word").click()
    assert title(shown) == "Shifted" and target(shown) == ["⟨start⟩"]
    page.locator(".tm-part", has_text="softmax").click()
    page.locator(".tm-part", has_text="cross-attention").click()
    assert title(shown) == "Cross" and widget.where() == ("cross_attention", 2)
    assert target(shown) == ["⟨start⟩", "le"]
    maps = page.locator(".fl-map")
    assert maps.locator(".note").all_inner_texts() == ["head 0: le → the 1.00", "head 1: le → ⟨to french⟩ 0.20"]
    assert page.locator(".fl-name .shape").first.inner_text() == "(batch 1, heads 2, target 2, source 5)"
    assert page.locator(".fl-lit").count() == 2  # the way up, and the way from the memory
    page.locator(".tm-part", has_text="memory").click()
    assert title(shown) == "Memory" and widget.where() == ("memory", 0)
    page.get_by_role("slider", name="Step").fill("12")
    assert title(shown) == "Next" and target(shown) == ["⟨start⟩", "le", "chien", "⟨end⟩"]
    expect(page.locator(".fl-chosen")).to_contain_text("the translation is done")
    assert page.get_by_role("button", name="Next", exact=True).is_disabled()
    page.locator(".fl-chip", has_text="chien").click()
    assert widget.where() == ("cross_attention", 3) and title(shown) == "Cross"
    page.get_by_label("Go to").select_option("Masked")
    assert title(shown) == "Masked" and widget.where() == ("decoder_self_attention", 1)
    page.get_by_label("Go to").select_option("Word 2: chien")
    assert widget.where() == ("cross_attention", 2)
    shown.check()


@pytest.mark.browser
def test_words_of_a_run_without_end_can_be_told_apart(browser: Browser) -> None:
    made = replace(run(), written=["le", "le", "le"])
    shown = show(browser, TranslationFlow(made), size=(1000, 1000), reduced_motion=True)
    options = shown.page.get_by_label("Go to").locator("option").all_inner_texts()
    assert options[-2:] == ["Word 2: le", "Word 3: le"]
    assert len(set(options)) == len(options)
    shown.check()


@pytest.mark.browser
def test_going_through_by_keyboard(browser: Browser) -> None:
    shown = show(browser, TranslationFlow(run()), views=2)
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
        page.keyboard.press(key)
        shown.settle()
        assert widget.where() == where
    expect(page.locator("[aria-live=polite].visually-hidden").first).to_have_text("Reading the source. Numbers.")
    slider = page.get_by_role("slider", name="Step").first
    slider.focus()
    page.keyboard.press("ArrowRight")
    shown.settle()
    assert widget.place == 1
    page.keyboard.press("PageDown")
    shown.settle()
    assert widget.where() == ("target_tokens", 1)
    shown.check()


@pytest.mark.browser
def test_masked_cells_are_hatched_and_rows_grow(browser: Browser) -> None:
    made = run()
    shown = show(browser, TranslationFlow(replace(made, decoder=made.decoder[:2]), place=3 + 2))
    page = shown.page
    drawn = page.locator(".fl-map canvas")
    two = drawn.bounding_box()
    shown.update(place=3 + 2 + 1)
    three = drawn.bounding_box()
    assert two and three and three["height"] - two["height"] == pytest.approx(12, abs=1)
    darkest = drawn.evaluate("""node => {
      const { data } = node.getContext("2d").getImageData(node.width - 12, node.height - 36, 6, 6);
      return Math.min(...Array.from({ length: 36 }, (_, i) => data[4 * i]));
    }""")
    assert darkest < 200, "the last cell of the first row is hatched, and not white for a weight of 0"
    expect(page.locator(".fl-map .note")).to_have_text("head 0: chien → ⟨start⟩ 0.33")
    shown.check()


@pytest.mark.browser
def test_playing_goes_on_by_itself_until_it_is_told_to_stop(browser: Browser) -> None:
    shown = show(browser, TranslationFlow(run(), place=9))
    play = shown.page.get_by_role("button", name="Play")
    play.click()
    expect(shown.page.locator(".fl-told h4")).to_have_text("Next", timeout=30_000)
    expect(play).to_have_attribute("aria-pressed", "false", timeout=30_000)
    assert shown.widget.place == 11
    shown.check()


@pytest.mark.browser
def test_words_are_text_and_never_markup(browser: Browser) -> None:
    evil = "</script><img/src=x/onerror=window.hit=1>"
    made = run()
    shown = show(browser, TranslationFlow(replace(made, source=[evil, *made.source[1:]]), place="cross_attention"))
    shown.settle()
    assert shown.page.evaluate("window.hit === undefined && document.querySelectorAll('.anatomy img').length === 0")
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", [960, 592, 330])
def test_no_step_jumps_and_every_label_can_be_read(browser: Browser, width: int) -> None:
    shown = show(browser, TranslationFlow(run()), size=(width + 32, 900))
    heights = set()
    for place in range(12):
        shown.update(place=place)
        heights.add(shown.page.locator(".anatomy").evaluate("root => root.offsetHeight"))
        letters = shown.page.locator(".fl-figure text").evaluate_all(
            "all => all.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"
        )
        assert min(letters) >= 11 and max(letters) <= 16
    words = shown.page.locator(".fl-figure text").all_text_contents()
    if width == 330:  # what stands beside a part or a block elsewhere
        assert "memory: key, value" in words and {"encoder × 1", "decoder × 1"} <= set(words)
    assert len(heights) == 1 and (width < 960 or max(heights) <= 700)
    shown.check()
