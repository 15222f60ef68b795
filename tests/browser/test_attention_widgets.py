"""The live views of notebook 01 in JupyterLab: each driven by mouse and by keyboard, and asked what it then shows."""

from __future__ import annotations

import re

import pytest
from driving import drag_slider, numbers_in, pixels, point_at, press, printed, wait_until
from lab_page import NotebookPage
from playwright.sync_api import Locator, expect

STREET = "The animal didn't cross the street because it was too tired."
HEBREW = "שלום עולם"
EMOJI = "so happy 🙂👩‍🔬"


# ---- the mixer


def mixer_weights(mixer: Locator) -> list[float]:
    """The weights as the mixer prints them, in the order of its sliders."""
    return [numbers_in(slider.get_attribute("aria-valuetext") or "")[0] for slider in mixer.get_by_role("slider").all()]


def test_mixer_keeps_the_weights_at_one_by_mouse_and_keyboard(attention: NotebookPage) -> None:
    mixer = attention.widget("views.mixer(")
    mixer.get_by_role("button", name="time flies", exact=True).click()
    wait_until(lambda: mixer_weights(mixer)[0] == 0.5, mixer, "the preset moves the sliders")
    fruit = mixer.get_by_role("slider").nth(1)
    result = mixer.locator(".result").get_attribute("transform")

    drag_slider(fruit, 0.7)
    attention.settle()
    dragged = mixer_weights(mixer)
    assert dragged[1] == pytest.approx(0.7, abs=0.03)
    assert sum(dragged) == pytest.approx(1)
    assert dragged[0] == pytest.approx(dragged[2], abs=0.011), "the others keep their proportions"
    assert mixer.locator(".result").get_attribute("transform") != result, "the new vector moves on the map"

    press(fruit, "ArrowLeft", "ArrowLeft", "ArrowLeft")
    attention.settle()
    pressed = mixer_weights(mixer)
    assert pressed[1] == pytest.approx(dragged[1] - 0.03, abs=0.0051)
    assert sum(pressed) == pytest.approx(1)
    expect(mixer).to_contain_text("1.00")


# ---- the scale explorer


def scale_measures(scale: Locator) -> dict[str, float]:
    """What the three measures show in large print."""
    cards = scale.locator(".measure")
    return {
        title: numbers_in(value)[0]
        for title, value in zip(
            cards.locator(".measure-title").all_inner_texts(), cards.locator(".big").all_inner_texts(), strict=True
        )
    }


def test_scale_explorer_shows_that_variance_grows_with_the_width(attention: NotebookPage) -> None:
    scale = attention.widget("ScaleExplorer()")
    width, divide = scale.get_by_role("slider"), scale.get_by_role("button", name="divide by")
    variance, entropy, gradient = "Variance of the scores", "Entropy of the weights", "Gradient through the softmax"

    press(width, "Home")
    attention.settle()
    assert width.get_attribute("aria-valuetext") == "1"
    narrow = scale_measures(scale)
    drag_slider(width, 1.0)
    attention.settle()
    wide = scale_measures(scale)
    assert width.get_attribute("aria-valuetext") == "512"
    assert wide[variance] == pytest.approx(512, rel=0.25)
    assert wide[variance] > 100 * narrow[variance]
    assert wide[entropy] < 0.5 < narrow[entropy]
    assert wide[gradient] < 0.1 * narrow[gradient]

    divide.click()
    attention.settle()
    assert divide.get_attribute("aria-pressed") == "true"
    calm = scale_measures(scale)
    assert calm[variance] == pytest.approx(1, rel=0.25)
    assert calm[entropy] > 3
    assert calm[gradient] > 0.1

    press(divide, "Space")
    press(width, "ArrowLeft")
    attention.settle()
    assert int(width.get_attribute("aria-valuetext") or 0) < 512
    assert scale_measures(scale)[variance] > 100


# ---- the mask painter


def painter_grids(painter: Locator) -> tuple[Locator, Locator]:
    return painter.get_by_role("grid"), painter.get_by_role("table", name="weights")


def test_mask_painter_repaints_the_weights_and_tells_python(attention: NotebookPage) -> None:
    index = attention.index("views.mask_painter(")
    painter = attention.widget("views.mask_painter(")
    name = f"_{attention.cells()[index]['execution_count']}.mask.tolist()"
    grid, weights = painter_grids(painter)
    painter.get_by_role("radio", name="all open").click()
    attention.settle()
    row = weights.get_by_role("row").nth(3)
    before = printed(row.locator("td.cell"))

    grid.get_by_role("row").nth(3).get_by_role("gridcell").nth(1).click()
    attention.settle()
    after = printed(row.locator("td.cell"))
    assert after[1] == 0 < before[1]
    assert sum(after) == pytest.approx(1, abs=0.03)
    assert after[0] > before[0], "what one key loses, the others gain"
    wait_until(lambda: attention.ask_kernel(name)[2][1] is False, painter, "Python's mask has the painted cell")

    cell = grid.get_by_role("row").nth(3).get_by_role("gridcell").nth(1)
    press(cell, "ArrowRight", "Space")
    attention.settle()
    assert printed(row.locator("td.cell"))[2] == 0
    wait_until(lambda: attention.ask_kernel(name)[2][2] is False, painter, "Python's mask has the second cell")
    expect(grid.get_by_role("row").nth(3).get_by_role("gridcell").nth(2)).to_be_focused()

    painter.get_by_role("radio", name=re.compile("causal$")).click()
    attention.settle()
    assert printed(weights.get_by_role("row").nth(1).locator("td.cell"))[0] == 1, "the first word sees only itself"
    wrong = painter.get_by_role("button", name="0 after the softmax")
    press(wrong, "Space")
    attention.settle()
    expect(painter.locator(".verdict")).to_contain_text("no longer sum to 1")
    press(wrong, "Space")
    painter.get_by_role("radio", name=re.compile("none$")).click()
    attention.settle()
    expect(painter.locator(".verdict")).to_contain_text("all weights are 0")
    painter.get_by_role("radio", name="all open").click()


def test_mask_painter_paints_a_stroke(attention: NotebookPage) -> None:
    painter = attention.widget("views.mask_painter(")
    grid, _ = painter_grids(painter)
    painter.get_by_role("radio", name="all open").click()
    row = grid.get_by_role("row").nth(2).get_by_role("gridcell")
    point_at(row.nth(0), 0.5, 0.5)
    painter.page.mouse.down()
    for cell in row.all()[1:4]:
        point_at(cell, 0.5, 0.5)
    painter.page.mouse.up()
    attention.settle()
    assert [text == "−∞" for text in row.all_inner_texts()][:5] == [True, True, True, True, False]
    painter.get_by_role("radio", name="all open").click()


# ---- the stepper


def stepper_words(stepper: Locator) -> list[str]:
    words = stepper.get_by_role("listbox", name="Query word").get_by_role("option")
    return [text.strip() for text in words.all_inner_texts()]


def type_sentence(stepper: Locator, sentence: str) -> None:
    """Put a sentence into the field and press Enter; wait for the kernel's answer."""
    field = stepper.get_by_label("Sentence", exact=True)
    field.fill(sentence)
    field.press("Enter")
    expect(stepper.get_by_role("button", name="Compute")).to_be_enabled(timeout=20_000)
    stepper.page.wait_for_timeout(100)


def current_step(stepper: Locator) -> str:
    return stepper.locator("[aria-current=step]").get_attribute("aria-label") or ""


def test_stepper_goes_through_the_six_steps(attention: NotebookPage) -> None:
    stepper = attention.widget("views.attention_stepper(")
    forward, back = stepper.get_by_role("button", name="Next"), stepper.get_by_role("button", name="Back")
    stepper.get_by_role("button", name="Step 1").click()
    seen = [stepper.locator(".as-equation").inner_text()]
    for step in range(2, 7):
        forward.click() if step % 2 else press(forward, "Enter")
        attention.settle()
        assert current_step(stepper).startswith(f"Step {step}")
        seen.append(stepper.locator(".as-equation").inner_text())
    assert len(set(seen)) == 6, "each step shows an equation of its own"
    expect(forward).to_be_disabled()
    press(back, "Enter")
    assert current_step(stepper).startswith("Step 5")
    back.click()
    assert current_step(stepper).startswith("Step 4")


def test_stepper_shows_another_word_and_all_words(attention: NotebookPage) -> None:
    stepper = attention.widget("views.attention_stepper(")
    stepper.get_by_role("button", name="Step 4").click()
    words = stepper.get_by_role("listbox", name="Query word")
    words.get_by_role("option", name="animal").click()
    attention.settle()
    animal = stepper.locator(".as-equation").inner_text()
    assert "animal" in animal
    press(words, "ArrowRight")
    attention.settle()
    assert words.locator("[aria-selected=true]").inner_text() == "didn"
    assert stepper.locator(".as-equation").inner_text() != animal

    press(stepper.get_by_role("radio", name="One word"), "ArrowRight")
    attention.settle()
    expect(stepper.get_by_role("radio", name="All words at once")).to_be_checked()
    matrices = stepper.locator(".as-body:not([inert]) .as-matrices")
    expect(matrices).to_be_visible()
    weights = matrices.locator("canvas").last
    point_at(weights, 0.5, 0.5)
    attention.settle()
    assert numbers_in(stepper.locator(".as-foot").inner_text()), "pointing at a cell reads its number"
    stepper.get_by_role("radio", name="One word").click()
    attention.settle()
    expect(matrices).to_have_count(0)


def test_stepper_computes_a_sentence_of_the_readers_own(attention: NotebookPage) -> None:
    stepper = attention.widget("views.attention_stepper(")
    type_sentence(stepper, "fruit flies like a banana")
    assert stepper_words(stepper) == ["[CLS]", "fruit", "flies", "like", "a", "banana", "[SEP]"]
    stepper.get_by_label("Sentence", exact=True).fill("bees buzz")
    stepper.get_by_role("button", name="Compute").click()
    wait_until(lambda: "bees" in stepper_words(stepper), stepper, "the button computes, too")


@pytest.mark.parametrize(
    ("sentence", "said"),
    [("", "empty"), ("   ", "empty"), ("word " * 500, "shorten"), (" ".join("abcdefghijklmnopqrstuvwxyz"), "tokens")],
    ids=["empty", "blank", "500 words", "too many tokens"],
)
def test_stepper_refuses_in_one_sentence_and_keeps_its_picture(
    attention: NotebookPage, sentence: str, said: str
) -> None:
    stepper = attention.widget("views.attention_stepper(")
    type_sentence(stepper, "bees buzz")
    words = stepper_words(stepper)
    type_sentence(stepper, sentence)
    error = stepper.locator(".error")
    expect(error).to_contain_text(said)
    assert "Traceback" not in error.inner_text()
    assert error.inner_text().count("\n") == 0
    assert stepper_words(stepper) == words
    type_sentence(stepper, "bees buzz")
    expect(error).to_be_empty()


@pytest.mark.parametrize(
    "sentence", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", EMOJI, HEBREW], ids=ascii
)
def test_stepper_shows_any_text_as_text(attention: NotebookPage, sentence: str) -> None:
    stepper = attention.widget("views.attention_stepper(")
    dialogs: list[str] = []

    def dismiss(dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    stepper.page.on("dialog", dismiss)
    try:
        type_sentence(stepper, sentence)
        expect(stepper.locator(".error")).to_be_empty()
        assert stepper_words(stepper)[0] == "[CLS]"
        assert stepper.locator("script, img").count() == 0
        if sentence.startswith("<script"):
            assert "script" in stepper_words(stepper)
        assert dialogs == []
    finally:
        stepper.page.remove_listener("dialog", dismiss)
        type_sentence(stepper, "bees buzz")


# ---- the viewer


def test_viewer_shows_the_head_that_is_chosen(attention: NotebookPage) -> None:
    viewer = attention.widget("views.attention_viewer(")
    overview, large = viewer.locator("canvas").first, viewer.locator("canvas").last
    expect(viewer).to_contain_text("Layer 3, head 1")
    before = pixels(large)

    press(overview, "ArrowRight", "ArrowUp")
    attention.settle()
    expect(viewer).to_contain_text("Layer 2, head 2")
    assert pixels(large) != before
    expect(viewer.get_by_label("Head", exact=True)).to_have_value("2")

    viewer.get_by_label("Layer", exact=True).select_option("3")
    viewer.get_by_label("Head", exact=True).select_option("1")
    attention.settle()
    assert pixels(large) == before, "the same head gives the same picture"

    box = overview.bounding_box()
    assert box is not None
    overview.click(position={"x": box["width"] - 8, "y": box["height"] - 8})
    attention.settle()
    expect(viewer).to_contain_text("Layer 5, head 11")
    mean = viewer.get_by_role("button", name="Mean over heads")
    press(mean, "Space")
    attention.settle()
    expect(viewer).to_contain_text("Layer 5, mean over 12 heads")
    mean.click()
    viewer.get_by_label("Layer", exact=True).select_option("3")
    viewer.get_by_label("Head", exact=True).select_option("1")
    attention.settle()
    assert pixels(large) == before


def test_viewer_reads_exact_weights_under_pointer_and_keys(attention: NotebookPage) -> None:
    viewer = attention.widget("views.attention_viewer(")
    large, read = viewer.locator("canvas").last, viewer.locator(".av-read")
    viewer.get_by_label("Layer", exact=True).select_option("3")
    viewer.get_by_label("Head", exact=True).select_option("1")
    tokens = viewer.get_by_role("listbox", name="Query token")
    tokens.get_by_role("option", name="it", exact=False).filter(has_text="it").first.click()
    attention.settle()
    seen_by = f"interpret.read_activations(encoder, tokenizer, {STREET!r})[1]"
    weights = attention.ask_kernel(f"{seen_by}['layers.3.self_attention.weights'][0, 1].tolist()")
    press(large, "Home", "ArrowRight", "ArrowRight")
    attention.settle()
    row = [text.strip() for text in tokens.get_by_role("option").all_inner_texts()].index("it")
    assert weights[row][2] == pytest.approx(weight_read(read), abs=0.003), "the weight from it to animal"
    press(large, "ArrowDown")
    attention.settle()
    assert weights[row + 1][2] == pytest.approx(weight_read(read), abs=0.003)

    seen = set()
    for across in (0.4, 0.6, 0.8):
        point_at(large, across, 0.8)
        attention.settle()
        seen.add(read.inner_text())
        assert 0 <= weight_read(read) <= 1
    assert len(seen) == 3


def weight_read(read: Locator) -> float:
    """The weight in the viewer's read-out."""
    return numbers_in(read.locator(".number").inner_text())[0] if "below" not in read.inner_text() else 0.0
