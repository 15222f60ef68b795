"""The family tree and the comparison of two models: what they are told, refuse, and how they are used."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import FloatRect, Page
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.views import CompareModels, FamilyTree
from anatomy_course.views._kit.model_card import ModelCard, ModelRun, told
from anatomy_course.views.compare_models.view import quantity_at
from anatomy_utils.taxonomy import TREE, find
from anatomy_utils.taxonomy.build import build
from anatomy_utils.taxonomy.costs import cache_bytes, work_per_token

HOSTILE = "</script><img/src=x/onerror=window.hit=1>"


# ---- made-up models


def block(label: str, *parts: str) -> dict[str, Any]:
    return {"label": label, "role": "weights", "parts": parts}


def card(name: str, parent: str, branch: str, sees: str, layers: int, **more: Any) -> ModelCard:
    rows = [[int(sees != "the past" or key <= query) for key in range(4)] for query in range(4)]
    size = {
        "name": "base", "parameters": 1000 * layers, "published": 1000 * layers, "exact": True, "counts": "all",
        "organs": {"embeddings": 400 * layers, "attention": 600 * layers},
        "work": {"fixed": 1000, "once": 0, "growing": [[2 * layers, more.pop("reach", None)]]},
        "cache": {"fixed": 0, "once": 0, "growing": [] if sees == "all" else [[100, None]]},
    }  # fmt: skip
    given: dict[str, Any] = {
        "parts": [
            {"name": "sees", "value": sees, "is_size": False},
            {"name": "norm", "value": "LayerNorm", "is_size": False},
            {"name": "number of layers", "value": str(layers), "is_size": True},
            {"name": "positions in a table", "value": "512", "is_size": True},
        ],
        "stacks": [{
            "name": "encoder", "repeats": layers, "below": [block("token table")], "above": [],
            "layer": [block("self-attention", "sees"), block("+"), block("norm", "norm")],
        }],
        "sizes": [size, size | {"name": "large", "parameters": 5_000_000, "exact": False}],
        "masks": [{"name": "layer 0", "rows": rows}],
    }  # fmt: skip
    return ModelCard(name, 2000 + layers, parent, branch, "a change", **(given | more))


CARDS = [
    ModelCard("Old", 1999, "", "root", "no attention", note=HOSTILE),
    card("First", "Old", "root", "all", 1, paper="1234.56789", objectives=[("next token", "What comes *next*?")]),
    card("Reader", "First", "encoder", "all", 2),
    card("Writer", "First", "decoder", "the past", 4, reach=1000),
    card("Child", "Writer", "decoder", "the past", 5),
]


def run(name: str) -> ModelRun:
    if name == "Child":
        raise RuntimeError("out of memory")
    weights = [[[100, 155], [0, 255]], [[255, 0], [127, 128]]]
    maps = [{"label": f"layer {i}", "queries": ["it", HOSTILE], "keys": ["it", HOSTILE], "weights": weights}
            for i in range(2)]  # fmt: skip
    return ModelRun([["it", HOSTILE]], [("embeddings.output", "(1, 2, 8)")], maps)


def tree(**settings: Any) -> FamilyTree:
    given: dict[str, Any] = {"cards": CARDS, "runs": {"Reader": run("Reader")}, "run": run, "chosen": "Reader"}
    given |= settings
    return FamilyTree(given.pop("cards"), given.pop("runs"), **given)


def pair(**settings: Any) -> CompareModels:
    return CompareModels(CARDS, settings.pop("first", "Reader"), settings.pop("second", "Writer"), **settings)


def answered(shown: Shown) -> None:
    """What the kernel has answered reaches the page."""
    shown.settle()
    shown.update(**{name: getattr(shown.widget, name) for name in ("runs", "error", "answered")})


# ---- Python


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(ValueError, match="each its own name"):
        tree(cards=[*CARDS, CARDS[0]])
    with pytest.raises(ValueError, match="parent 'First' has no card"):
        tree(cards=CARDS[2:])
    with pytest.raises(ValueError, match="branch 'twig'"):
        tree(cards=[ModelCard("A", 2000, "", "twig", "")])
    with pytest.raises(ValueError, match="no model 'Nobody'"):
        tree(chosen="Nobody")
    with pytest.raises(ValueError, match="no model 'Old' to show; choose one of First"):
        pair(first="Old")


def test_a_model_is_run_when_it_is_asked_for() -> None:
    widget = tree()
    widget.set_state({"question": {"name": "Writer"}})
    assert set(widget.runs) == {"Reader", "Writer"} and widget.error == ""
    widget.set_state({"question": {"name": "Child"}})
    assert "out of memory" in widget.error and set(widget.runs) == {"Reader", "Writer"}
    widget.set_state({"question": {"name": "Old"}})
    assert "no model 'Old'" in widget.error
    still = tree(run=None)
    still.set_state({"question": {"name": "Writer"}})
    assert still.error == "Nothing can be run here." and not still.can_run


def test_costs_stop_growing_at_a_window() -> None:
    work = {"fixed": 10, "once": 60, "growing": [[2, None], [3, 4]]}
    assert quantity_at(work, 6) == 10 + 10 + 12 + 12


def test_the_still_pictures_tell_what_they_show() -> None:
    assert "Reader 2002" in tree().still_picture().alt
    assert "Reader base: 2,000 parameters; Writer base: 4,000 parameters" in pair().still_picture().alt
    assert pair(second="Reader").still_picture().alt.count("Reader base") == 2


# ---- the page


def test_walking_through_the_tree_with_keys(browser: Browser) -> None:
    shown = show(browser, tree())
    page, tree_of = shown.page, shown.page.get_by_role("tree")
    chosen = tree_of.get_by_role("treeitem", selected=True)
    chosen.press("ArrowDown")
    shown.settle()
    assert shown.widget.chosen == "Writer" and page.evaluate("document.activeElement.textContent").startswith("Writer")
    chosen.press("ArrowRight")
    shown.settle()
    assert shown.widget.chosen == "Child"
    page.get_by_role("radio", name="Parts").click()
    assert page.get_by_text("The same design: only training and numbers differ from Writer.").is_visible()
    for key in ("ArrowLeft", "ArrowLeft", "Home", "ArrowUp"):
        chosen.press(key)
        shown.settle()
    assert shown.widget.chosen == "Old"
    assert page.get_by_text("Described only").is_visible()
    assert not page.get_by_role("button", name="Run it").is_visible()
    chosen.press("End")
    shown.settle()
    assert shown.widget.chosen == "Child"
    assert not page.evaluate("window.hit")
    shown.check()


def box(page: Page, name: str) -> FloatRect:
    found = page.get_by_role("treeitem", name=name).locator(".ft-dot").bounding_box()
    assert found is not None
    return found


@pytest.mark.parametrize("width", [960, 592, 330])
def test_years_go_to_the_right_and_lines_join_children_to_parents(browser: Browser, width: int) -> None:
    shown = show(browser, tree(), size=(width + 32, 900))
    left = [box(shown.page, name)["x"] for name in ("Old", "First", "Reader", "Writer", "Child")]
    assert left == sorted(set(left)), "1999, 2001, 2002, 2004, 2005"
    lines = shown.page.locator(".ft-line[data-to]")
    assert {(line.get_attribute("data-from"), line.get_attribute("data-to")) for line in lines.all()} == {
        ("Old", "First"), ("First", "Reader"), ("First", "Writer"), ("Writer", "Child"),
    }  # fmt: skip
    kinds = [line.get_attribute("class") for line in lines.all()]
    assert kinds[1:3] == ["ft-line encoder ancestry", "ft-line decoder"]
    years = shown.page.locator(".ft-year").all_text_contents()
    assert years[0] == "1999" and years[-1] == "2005"
    assert all(line.evaluate("line => getComputedStyle(line).fontSize") == "11.5px" for line in
               shown.page.locator(".ft-year").all())  # fmt: skip
    shown.check()


def test_a_click_answers_on_the_same_screen_and_nothing_jumps(browser: Browser) -> None:
    shown = show(browser, tree(), size=(992, 900))
    heights = []
    for name in ("Old", "Writer", "Child", "Reader"):
        shown.page.get_by_role("treeitem", name=name).click()
        shown.settle()
        card = shown.page.locator(".ft-card").bounding_box()
        assert card is not None and card["y"] < 100 and card["y"] + card["height"] < 700
        assert shown.page.locator(".ft-name b").inner_text() == name
        heights.append(shown.page.locator(".anatomy").evaluate("root => root.offsetHeight"))
    assert len(set(heights)) == 1 and heights[0] <= 700
    shown.check()


def test_what_differs_is_marked_in_words(browser: Browser) -> None:
    shown = show(browser, tree())
    page = shown.page
    page.get_by_role("treeitem", name="Writer").click()
    shown.settle()
    marked = page.locator(".tx-block.changed")
    assert marked.count() == 1 and marked.inner_text().split("\n") == ["self-attention", "≠ sees"]
    page.get_by_role("radio", name="Parts").click()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="sees"))
    assert row.get_by_role("cell").all_inner_texts() == ["all", "the past"]
    link = page.get_by_role("link")
    assert link.count() == 0
    page.get_by_role("treeitem", name="First").click()
    shown.settle()
    assert link.get_attribute("href") == "https://arxiv.org/abs/1234.56789"
    assert page.get_by_text("Trained on next token: What comes next?").is_visible()
    shown.check()


def test_costs_follow_the_length(browser: Browser) -> None:
    shown = show(browser, tree(chosen="Writer", length=128))
    page = shown.page
    page.get_by_role("radio", name="Costs").click()
    sizes = page.get_by_role("group", name="Published sizes")
    assert "2\u202f024\t12.8 kB" in sizes.inner_text()  # 1000 + 8 · 128, and 100 · 128
    page.get_by_role("slider").press("End")
    shown.settle()
    assert shown.widget.length == 131_072
    assert "9\u202f000\t13.1 MB" in sizes.inner_text()  # the window ends at 1000
    assert "Its table of positions ends at 512." in sizes.inner_text()
    shown.check()


def test_a_model_runs_and_its_heads_are_shown(browser: Browser) -> None:
    shown = show(browser, tree())
    page = shown.page
    drawn = page.locator(".ft-map svg")
    page.get_by_role("radio", name="At work").click()
    assert "layer 0, head 0: the largest weight, 1.00" in str(drawn.get_attribute("aria-label"))
    page.get_by_label("Head", exact=True).select_option("1")
    assert "head 1" in str(drawn.get_attribute("aria-label"))
    page.get_by_label("Layer", exact=True).select_option("1")
    assert "layer 1, head 1" in str(drawn.get_attribute("aria-label"))
    page.get_by_role("treeitem", name="Writer").click()
    shown.settle()
    assert page.get_by_text("Not run yet.").is_visible() and drawn.count() == 0
    page.get_by_role("button", name="Run it").press("Enter")
    answered(shown)
    assert drawn.count() == 1 and "Writer" in shown.widget.runs
    page.get_by_text("1 tensors and their shapes").press("Enter")
    assert page.get_by_text("(1, 2, 8)").is_visible()
    page.get_by_role("treeitem", name="Child").click()
    shown.settle()
    page.get_by_role("button", name="Run it").click()
    answered(shown)
    assert page.get_by_text("out of memory").is_visible()
    assert not page.evaluate("window.hit")
    shown.check()


def test_two_models_are_compared(browser: Browser) -> None:
    shown = show(browser, pair(length=2048))
    page = shown.page
    parts = page.get_by_role("table").first
    named = [" ".join(text.split()) for text in parts.get_by_role("rowheader").all_inner_texts()]
    assert named == ["≠ differs: sees", "≠ differs: number of layers"]
    equal = page.get_by_role("table").nth(1)
    assert not equal.is_visible(), "the rest is folded"
    assert page.locator(".tx-stacks:visible").count() == 2, "and both are drawn"
    page.get_by_text("2 parts are equal").press("Enter")
    assert equal.get_by_role("rowheader").all_inner_texts() == ["norm", "positions in a table"]
    page.get_by_role("radio", name="Cost of a token").click()
    said = page.locator(".cm-said").inner_text()
    assert "Reader base 9\u202f192 operations per token, nothing kept" in said  # 1000 + 4 · 2048
    assert "Writer base 9\u202f000 operations per token, 205 kB kept" in said
    page.get_by_role("radio", name="Who sees whom").click()
    assert [figure.get_attribute("aria-label") for figure in page.locator(".tx-mask svg").all()] == [
        "layer 0: 16 of 16 pairs of a query and a key are seen",
        "layer 0: 10 of 16 pairs of a query and a key are seen",
    ]
    page.get_by_label("Right", exact=True).select_option("Reader")
    shown.settle()
    assert shown.widget.second == "Reader"
    page.get_by_role("radio", name="Cost of a token").click()
    assert [page.locator(".line-chart[role=img]").nth(i).is_visible() for i in (0, 1)] == [True, False]
    page.get_by_role("radio", name="What differs").click()
    assert page.get_by_text("No part differs.").is_visible()
    page.get_by_label("Size of the model on the left").select_option("1")
    shown.settle()
    page.get_by_role("radio", name="Parameters").click()
    assert shown.widget.sizes == [1, 0] and page.get_by_text("5\u202f000\u202f000").is_visible()
    page.get_by_role("radio", name="Cost of a token").click()
    page.get_by_role("slider").press("Home")
    shown.settle()
    assert shown.widget.length == 128
    shown.check()


def test_every_page_of_a_comparison_is_as_high_as_the_first(browser: Browser) -> None:
    shown = show(browser, pair(), size=(992, 900))
    heights = set()
    for radio in shown.page.get_by_role("radio").all():
        radio.click()
        heights.add(shown.page.locator(".anatomy").evaluate("root => root.offsetHeight"))
    assert len(heights) == 1 and max(heights) <= 700
    shown.check()


# ---- with the real models


def masks(name):
    return {mask["name"]: mask["rows"] for mask in views.card(name).masks}


@pytest.mark.usefixtures("shapes_unchecked")
def test_every_row_has_a_card_and_only_those_that_run_have_parts():
    cards = {card.name: card for card in views.cards()}
    assert list(cards) == [model.name for model in TREE]
    assert len(told(list(cards.values()))) == len(TREE)
    for model in TREE:
        card = cards[model.name]
        assert bool(card.parts) == bool(card.stacks) == bool(card.sizes) == model.runs
        assert all(asks.endswith(("?", ".")) for _, asks in card.objectives)


@pytest.mark.parametrize("name", ["DeBERTa", "GPT-Neo", "T5"])
def test_the_page_computes_what_the_modules_cost(name):
    model = find(name)
    for size, told_size in zip(model.sizes, views.card(name).sizes, strict=True):
        module = build(model, size)
        for length in (1, 300, 131_072):
            assert quantity_at(told_size["work"], length) == work_per_token(module).at(length)
            assert quantity_at(told_size["cache"], length) == cache_bytes(module).at(length)
        assert sum(told_size["organs"].values()) == pytest.approx(told_size["parameters"], rel=0.001)


def test_masks_are_read_off_the_weights_of_a_run():
    assert masks("BERT") == {"layer 0": [[1] * 16] * 16}
    triangle = [[int(key <= query) for key in range(16)] for query in range(16)]
    assert masks("Llama") == {"layer 0": triangle}
    window = [[int(query - 4 < key <= query) for key in range(16)] for query in range(16)]
    assert masks("Mistral") == {"layer 0": window}
    assert masks("GPT-Neo") == {"layer 0": triangle, "layer 1": window}
    assert masks("T5") == {
        "encoder, layer 0": [[1] * 16] * 16,
        "decoder, layer 0": triangle,
        "decoder, layer 0, reading the source": [[1] * 16] * 16,
    }
    seen = sum(map(sum, masks("BigBird")["layer 0"]))
    assert 16 * 4 < seen < 16 * 16


def test_a_run_tells_shapes_and_maps():
    run = views.run("BART")
    source, target = run.texts
    assert target[0] == "<bos>" and len(source) != len(target)
    by_label = {each["label"]: each for each in run.maps}
    crossing = by_label["decoder, layer 1, reading the source"]
    assert (crossing["queries"], crossing["keys"]) == (target, source)
    assert all(abs(sum(row) - 255) <= len(row) for head in crossing["weights"] for row in head)
    assert ("encoder.layers.0.self_attention.weights", f"(1, 4, {len(source)}, {len(source)})") in run.shapes
    assert not any(".layers.1." in name for name, _ in run.shapes)
    assert run == views.run("BART")


def test_a_recurrent_writer_looks_back_and_elmo_has_no_attention():
    run = views.run("RNN with attention")
    (last,) = run.maps
    assert last["queries"] == ["."] and last["keys"] == run.texts[0]
    assert abs(sum(last["weights"][0][0]) - 255) <= len(last["keys"])
    assert views.run("ELMo").maps == []
    assert views.card("ELMo").masks == []


def test_what_is_only_described_cannot_be_run_or_compared():
    with pytest.raises(ValueError, match="XLNet is only described"):
        views.run("XLNet")
    with pytest.raises(ValueError, match="no model 'XLNet' to show"):
        views.compare_models("XLNet", "BERT")
    assert views.family_tree("XLNet").runs == {}
