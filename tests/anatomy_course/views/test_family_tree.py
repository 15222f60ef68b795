"""The family tree and the comparison of two models: what they are told, and how they are used."""

from __future__ import annotations

from typing import Any

import pytest
from on_page import OnPage, Show
from small import compare_models, family_tree
from view_sizes import LAB

from anatomy_course import views
from anatomy_course.views._kit.model_card import told
from anatomy_course.views.compare_models.view import quantity_at
from anatomy_utils.taxonomy import TREE, find
from anatomy_utils.taxonomy.build import build
from anatomy_utils.taxonomy.costs import cache_bytes, work_per_token


def test_a_model_is_run_when_it_is_asked_for() -> None:
    widget = family_tree()
    for name, error in {"Writer": "", "Child": "out of memory", "Old": "no model 'Old'"}.items():
        widget.set_state({"question": {"name": name}})
        assert error in widget.error and (error or not widget.error)
        assert set(widget.runs) == {"Reader", "Writer"}
    still = family_tree(run=None)
    still.set_state({"question": {"name": "Writer"}})
    assert still.error == "Nothing can be run here." and not still.can_run


def test_costs_stop_growing_at_a_window() -> None:
    work = {"fixed": 10, "once": 60, "growing": [[2, None], [3, 4]]}
    assert quantity_at(work, 6) == 10 + 10 + 12 + 12


def test_a_model_beside_itself_is_told_twice() -> None:
    assert compare_models(second="Reader").still_picture().alt.count("Reader base") == 2


def test_two_models_on_one_sheet_say_what_differs_and_mark_its_blocks() -> None:
    sheet = views.compare_models("Llama", "Mistral").poster()
    assert sheet.alt.startswith("Llama and Mistral. What differs: sees: itself and its past against ")
    drawn = [text.get_text() for text in sheet.figure.axes[0].texts]
    assert drawn.count("≠ rotary causal\nself-attention") == 2 and drawn.count("RMSNorm") == 6 and "32 ×" in drawn
    same = views.compare_models("Llama", "Llama").poster()
    assert same.alt == "Llama and Llama. What differs: nothing."


def height(shown: OnPage) -> int:
    return shown.page.locator(".anatomy").evaluate("root => root.offsetHeight")


def test_walking_through_the_tree_with_keys(show: Show) -> None:
    shown = show(family_tree())
    page = shown.page
    chosen = page.get_by_role("tree").get_by_role("treeitem", selected=True)

    def press(*keys: str) -> str:
        for key in keys:
            chosen.press(key)
            shown.settle()
        return shown.widget.chosen

    assert press("ArrowDown") == "Writer" and page.evaluate("document.activeElement.textContent").startswith("Writer")
    assert press("ArrowRight") == "Child"
    shown.click("radio", "Parts")
    assert page.get_by_text("The same design: only training and numbers differ from Writer.").is_visible()
    assert press("ArrowLeft", "ArrowLeft", "Home", "ArrowUp") == "Old"
    assert page.get_by_text("Described only").is_visible()
    assert not page.get_by_role("button", name="Run it").is_visible()
    assert press("End") == "Child"


@pytest.mark.parametrize("width", LAB)
def test_years_go_to_the_right_and_lines_join_children_to_parents(show: Show, width: int) -> None:
    shown = show(family_tree(), width=width)
    names = ("Old", "First", "Reader", "Writer", "Child")
    dots = [shown.page.get_by_role("treeitem", name=name).locator(".ft-dot").bounding_box() for name in names]
    left = [dot["x"] for dot in dots]
    assert left == sorted(set(left)), "1999, 2001, 2002, 2004, 2005"
    lines = [
        [line.get_attribute(f"data-{end}") for end in ("from", "to")]
        for line in shown.page.locator(".ft-line[data-to]").all()
    ]
    assert sorted(lines) == [["First", "Reader"], ["First", "Writer"], ["Old", "First"], ["Writer", "Child"]]
    kinds = [line.get_attribute("class") for line in shown.page.locator(".ft-line[data-to]").all()]
    assert kinds[1:3] == ["ft-line encoder ancestry", "ft-line decoder"]
    years = shown.page.locator(".ft-year")
    assert years.all_text_contents()[:: years.count() - 1] == ["1999", "2005"]
    assert {line.evaluate("line => getComputedStyle(line).fontSize") for line in years.all()} == {"12px"}


def test_a_click_answers_on_the_same_screen_and_nothing_jumps(show: Show) -> None:
    shown = show(family_tree(), width=960)
    heights = set()
    for name in ("Old", "Writer", "Child", "Reader"):
        shown.click("treeitem", name)
        card = shown.page.locator(".ft-card").bounding_box()
        assert card["y"] < 100 and card["y"] + card["height"] < 700
        assert shown.text(".ft-name b") == name
        heights.add(height(shown))
    assert len(heights) == 1 and max(heights) <= 700


def test_what_differs_is_marked_in_words_and_costs_follow_the_length(show: Show) -> None:
    shown = show(family_tree(length=128))
    page, link = shown.page, shown.page.get_by_role("link")
    shown.click("treeitem", "Writer")
    marked = page.locator(".tx-block.changed")
    assert marked.count() == 1 and marked.inner_text().split("\n") == ["self-attention", "≠ sees"]
    shown.click("radio", "Parts")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="sees"))
    assert row.get_by_role("cell").all_inner_texts() == ["all", "the past"]
    assert link.count() == 0
    shown.click("radio", "Costs")
    sizes = page.get_by_role("group", name="Published sizes")
    assert "12.8 kB\t2\u202f024" in sizes.inner_text()  # 1000 + 8 · 128, and 100 · 128
    page.get_by_role("slider").press("End")
    shown.settle()
    assert shown.widget.length == 131_072
    assert "13.1 MB\t9\u202f000" in sizes.inner_text()  # the window ends at 1000
    assert "Its table of positions ends at 512." in sizes.inner_text()
    shown.click("radio", "Parts")
    shown.click("treeitem", "First")
    assert link.get_attribute("href") == "https://arxiv.org/abs/1234.56789"
    assert page.get_by_text("Trained on next token: What comes next?").is_visible()


def test_a_model_runs_and_its_heads_are_shown(show: Show) -> None:
    shown = show(family_tree())
    page, drawn = shown.page, shown.page.locator(".ft-map svg")
    shown.click("radio", "At work")
    assert "layer 0, head 0: the largest weight, 1.00" in drawn.get_attribute("aria-label")
    page.get_by_label("Head", exact=True).select_option("1")
    page.get_by_label("Layer", exact=True).select_option("1")
    assert "layer 1, head 1" in drawn.get_attribute("aria-label")
    shown.click("treeitem", "Writer")
    assert page.get_by_text("Not run yet.").is_visible() and drawn.count() == 0
    page.get_by_role("button", name="Run it").press("Enter")
    assert "Writer" in shown.follow().runs and drawn.count() == 1
    page.get_by_text("1 tensors and their shapes").press("Enter")
    assert page.get_by_text("(1, 2, 8)").is_visible()
    shown.click("treeitem", "Child")
    shown.click("button", "Run it")
    shown.follow()
    assert page.get_by_text("out of memory").is_visible()
    assert not page.evaluate("window.hit")


def test_two_models_are_compared(show: Show) -> None:
    shown = show(compare_models(length=2048), width=960)
    page = shown.page
    heights = {height(shown)}
    for radio in page.get_by_role("radio").all():
        radio.click()
        heights.add(height(shown))
    assert len(heights) == 1 and max(heights) <= 700, "every page is as high as the first"
    shown.click("radio", "What differs")
    parts, equal = (page.get_by_role("table").nth(place) for place in (0, 1))
    named = [" ".join(text.split()) for text in parts.get_by_role("rowheader").all_inner_texts()]
    assert named == ["≠ differs: sees", "≠ differs: number of layers"]
    assert not equal.is_visible(), "the rest is folded"
    assert shown.count(".tx-stacks:visible") == 2, "and both are drawn"
    page.get_by_text("2 parts are equal").press("Enter")
    assert equal.get_by_role("rowheader").all_inner_texts() == ["norm", "positions in a table"]
    shown.click("radio", "Cost of a token")
    said = shown.text(".cm-said")
    assert "Reader base 9\u202f192 operations per token, nothing kept" in said  # 1000 + 4 · 2048
    assert "Writer base 9\u202f000 operations per token, 205 kB kept" in said
    shown.click("radio", "Who sees whom")
    masks = [figure.get_attribute("aria-label") for figure in page.locator(".tx-mask svg").all()]
    assert masks == [f"layer 0: {count} of 16 pairs of a query and a key are seen" for count in (16, 10)]
    page.get_by_label("Right", exact=True).select_option("Reader")
    shown.click("radio", "Cost of a token")
    assert shown.widget.second == "Reader"
    assert [page.locator(".line-chart[role=img]").nth(i).is_visible() for i in (0, 1)] == [True, False]
    shown.click("radio", "What differs")
    assert page.get_by_text("No part differs.").is_visible()
    page.get_by_label("Size of the model on the left").select_option("1")
    shown.click("radio", "Parameters")
    assert shown.widget.sizes == [1, 0] and page.get_by_text("5\u202f000\u202f000").is_visible()
    shown.click("radio", "Cost of a token")
    page.get_by_role("slider").press("Home")
    shown.settle()
    assert shown.widget.length == 128


# With the real models ------------------------------------------------------------------------------------------------


def masks(name: str) -> dict[str, Any]:
    return {mask["name"]: mask["rows"] for mask in views.card(name).masks}


@pytest.mark.usefixtures("shapes_unchecked")
def test_every_row_has_a_card_and_only_those_that_run_have_parts() -> None:
    cards = {card.name: card for card in views.cards()}
    assert list(cards) == [model.name for model in TREE]
    assert len(told(list(cards.values()))) == len(TREE)
    for model in TREE:
        card = cards[model.name]
        assert bool(card.parts) == bool(card.stacks) == bool(card.sizes) == model.runs
        assert all(asks.endswith(("?", ".")) for _, asks in card.objectives)


@pytest.mark.parametrize("name", ["DeBERTa", "GPT-Neo", "T5"])
def test_the_page_computes_what_the_modules_cost(name: str) -> None:
    model = find(name)
    for size, told_size in zip(model.sizes, views.card(name).sizes, strict=True):
        module = build(model, size)
        for length in (1, 300, 131_072):
            assert quantity_at(told_size["work"], length) == work_per_token(module).at(length)
            assert quantity_at(told_size["cache"], length) == cache_bytes(module).at(length)
        assert sum(told_size["organs"].values()) == pytest.approx(told_size["parameters"], rel=0.001)


def test_masks_are_read_off_the_weights_of_a_run() -> None:
    full = [[1] * 16] * 16
    triangle = [[int(key <= query) for key in range(16)] for query in range(16)]
    window = [[int(query - 4 < key <= query) for key in range(16)] for query in range(16)]
    assert masks("BERT") == {"layer 0": full}
    assert masks("Llama") == {"layer 0": triangle}
    assert masks("Mistral") == {"layer 0": window}
    assert masks("GPT-Neo") == {"layer 0": triangle, "layer 1": window}
    decoder = {"decoder, layer 0": triangle, "decoder, layer 0, reading the source": full}
    assert masks("T5") == {"encoder, layer 0": full, **decoder}
    assert 16 * 4 < sum(map(sum, masks("BigBird")["layer 0"])) < 16 * 16
    assert masks("ELMo") == {}


def test_a_run_tells_shapes_and_maps() -> None:
    run = views.run("BART")
    source, target = run.texts
    assert target[0] == "<bos>" and len(source) != len(target)
    crossing = {each["label"]: each for each in run.maps}["decoder, layer 1, reading the source"]
    assert (crossing["queries"], crossing["keys"]) == (target, source)
    assert all(abs(sum(row) - 255) <= len(row) for head in crossing["weights"] for row in head)
    assert ("encoder.layers.0.self_attention.weights", f"(1, 4, {len(source)}, {len(source)})") in run.shapes
    assert not any(".layers.1." in name for name, _ in run.shapes)
    assert run == views.run("BART")


def test_what_reads_images_or_sounds_runs_too() -> None:
    (vit,) = views.run("ViT").texts
    assert vit[:2] + vit[-1:] == ["image", "1, 1", "3, 3"] and len(vit) == 10
    text, image = (runs := views.run("CLIP")).texts
    looking = {each["label"]: each for each in runs.maps}["image, layer 1"]
    assert image == vit and looking["queries"] == looking["keys"] == image != text
    sound, written = (runs := views.run("Whisper")).texts
    crossing = {each["label"]: each for each in runs.maps}["decoder, layer 0, reading the source"]
    assert sound[:2] == ["0.00 s", "0.02 s"] and written[0] == "<bos>"
    assert (crossing["queries"], crossing["keys"]) == (written, sound)
    assert [len(crossing["weights"][0]), len(crossing["weights"][0][0])] == [len(written), len(sound)]


def test_a_recurrent_writer_looks_back_and_elmo_has_no_attention() -> None:
    run = views.run("RNN with attention")
    (last,) = run.maps
    assert last["queries"] == ["."] and last["keys"] == run.texts[0]
    assert abs(sum(last["weights"][0][0]) - 255) <= len(last["keys"])
    assert views.run("ELMo").maps == []


def test_what_is_only_described_cannot_be_run() -> None:
    with pytest.raises(ValueError, match="XLNet is only described"):
        views.run("XLNet")
    assert views.family_tree("XLNet").runs == {}
