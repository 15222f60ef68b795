"""The pronoun heads' view: switches, the search, what is told of them, what is refused, and a real translator."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from made_up_pronoun_heads import view
from on_page import Show
from playwright.sync_api import expect

from anatomy_course.lab.experiments import pronoun_heads as culprits
from anatomy_course.lab.small_models.translator import small_transformer, translate
from anatomy_course.lab.street.batches import to_translate
from anatomy_course.lab.street.sampling import sample_minimal_pairs
from anatomy_course.views.pronoun_heads.view import pronoun_heads


def test_what_is_off_is_measured_beside_as_many_at_random() -> None:
    shown = view()
    assert (shown.intact, shown.right, shown.at_random, shown.off) == (1, 1, [], [])
    shown.question = {"off": [["cross", 1, 0], ["encoder", 0, 1], ["cross", 1, 0]], "pair": 1}
    assert shown.off == [["cross", 1, 0], ["encoder", 0, 1]]
    assert (shown.right, shown.at_random) == (0.5, [1, 0.92])
    assert shown.written == ["Cela, parce qu'il était trop."] * 2
    assert (shown.pair, shown.answered, shown.error) == (1, 1, "")


def test_a_search_tells_its_steps_and_leaves_what_it_found_off() -> None:
    shown = view()
    seen: list[int] = []
    shown.observe(lambda change: seen.append(len(change["new"])), "steps")
    shown.question = {"off": [], "pair": 0, "search": True}
    assert shown.steps == [
        {"off": [["encoder", 0, 1]], "right": 0.7},
        {"off": [["encoder", 0, 1], ["cross", 1, 0]], "right": 0.45},
    ]
    assert seen == [1, 2], "each step is told when it is done"
    assert (shown.off, shown.right) == (shown.steps[-1]["off"], 0.5)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"off": [["cross", 1, 1]], "pair": 0}, "no such layer"),
        ({"off": [["cross", 2, 0]], "pair": 0}, "There is no head ['cross', 2, 0]; give [organ, layer, head]"),
        ({"off": [["liver", 0, 0]], "pair": 0}, "encoder (1 × 3), cross (2 × 2)"),
        ({"off": [], "pair": 2}, "Pair 2 was asked for; there are pairs 0 to 1."),
    ],
)
def test_what_cannot_be_answered_leaves_the_rest_as_it_was(question: dict[str, Any], sentence: str) -> None:
    shown = view(off=[("encoder", 0, 1)])
    shown.question = question
    assert sentence in shown.error
    assert (shown.off, shown.right, shown.answered) == ([["encoder", 0, 1]], 0.75, 1)


@pytest.mark.usefixtures("unchecked")
def test_a_real_translator_is_run_without_its_heads() -> None:
    model = small_transformer(torch.Generator().manual_seed(0)).eval()
    pairs = [sample_minimal_pairs(4, torch.Generator().manual_seed(n), different_gender=True) for n in (1, 2)]
    tests = [culprits.new_pronoun_test(each) for each in pairs]
    shown = pronoun_heads(model, to_search=tests[0], to_judge=tests[1], sets=3)
    organs = [(organ["name"], organ["layers"], organ["heads"]) for organ in shown.organs]
    assert organs == [("encoder", 2, 4), ("decoder", 2, 4), ("cross", 2, 4)]
    head = culprits.AttentionHead("cross", 1, 2)
    alone = culprits.pronouns_right_in_reference(model, tests[1], [head])
    assert shown.shares_of("cross")[1, 2] == pytest.approx(alone)
    assert shown.pairs[0]["english"][0] == "The animal didn't cross the street because it was too tired."
    shown.question = {"off": [["cross", 1, 2]], "pair": 0}
    with culprits.without_heads(model, [head]):
        assert shown.written[1:] == translate(model, to_translate(shown.pairs[0]["english"][1], "french"))
    assert shown.error == "" and len(shown.at_random) == 3
    shown.question = {"off": [], "pair": 0, "search": True}
    found = [[culprits.AttentionHead(*place) for place in step["off"]] for step in shown.steps]
    assert [list(step.heads) for step in culprits.search_pronoun_heads(model, tests[0])] == found


def test_mouse_switches_searches_and_chooses_pairs(show: Show) -> None:
    shown = show(view())
    page = shown.page
    shown.click("button", "Switch Cross, layer 1, head 0 off")
    assert shown.follow().off == [["cross", 1, 0]]
    expect(page.locator(".ch-chosen .number")).to_have_text("75.0 %")
    expect(page.locator(".ch-random .number")).to_have_text("98.0 %")
    expect(page.locator(".ch-random .ch-dot")).to_have_count(2)
    expect(page.locator(".ch-pair")).to_contain_text("no pronoun; il would be right")
    shown.click("button", "Search")
    shown.follow()
    expect(page.locator(".ch-steps .button")).to_have_text(["Encoder 0·1", "Cross 1·0"])
    expect(page.locator(".ch-steps")).to_contain_text("Cross 1·0 as well: 45.0 %")
    expect(page.locator(".ch-right")).to_have_text("il")
    expect(page.locator(".ch-wrong")).to_have_text("il")
    page.get_by_label("Pair", exact=True).select_option("1")
    assert shown.follow().pair == 1
    expect(page.locator(".ch-english").first).to_have_text("<b>It</b> was too small.")
    shown.click("button", "Encoder 0·1", exact=True)
    assert shown.follow().off == [["encoder", 0, 1]]
    shown.click("button", "All heads on")
    assert shown.follow().off == []
    expect(page.locator(".ch-chosen")).to_be_hidden()
    expect(page.get_by_role("button", name="All heads on")).to_be_disabled()


def test_keys_walk_from_kind_to_kind_and_switch(show: Show) -> None:
    shown = show(view())
    page = shown.page
    page.locator(".ch-head").first.focus()
    shown.keys("End", "ArrowRight", "ArrowDown", "Space")
    assert shown.follow().off == [["cross", 1, 0]]
    expect(page.locator(".ch-head[tabindex='0']")).to_have_count(1)
    expect(page.locator(".ch-head[aria-pressed='true'] .ch-name")).to_have_text("1·0")
    expect(page.locator("[aria-live=polite].visually-hidden")).to_contain_text("1 head off: 75.0 %")
    shown.keys("ArrowLeft", "ArrowRight", "Enter")
    off = shown.follow().off
    assert off == [["cross", 1, 0], ["cross", 0, 0]], "the encoder has one layer: right leads to layer 0"


def test_a_quick_hand_is_ahead_of_the_answers(show: Show) -> None:
    shown = show(view())
    for head in ("Encoder, layer 0, head 1", "Cross, layer 1, head 0"):
        shown.click("button", re.compile(f"^Switch {head} off"))
    shown.update(off=[["encoder", 0, 1]], right=0.75, at_random=[1.0], answered=1)
    expect(shown.page.locator(".ch-head[aria-pressed='true']")).to_have_count(2)
    shown.click("button", re.compile("^Switch Encoder, layer 0, head 2 off"))
    assert len(shown.widget.question["off"]) == 3


def test_an_error_is_told_and_two_views_agree(show: Show) -> None:
    shown = show(view(), views=2)
    pressed = shown.page.locator(".ch-head[aria-pressed='true']")
    shown.click("button", "Switch Cross, layer 1, head 1 off")
    shown.follow()
    expect(shown.page.locator(".error").first).to_contain_text("no such layer")
    expect(pressed).to_have_count(0)
    shown.update(question={"off": [["encoder", 0, 1]], "pair": 0})
    shown.follow()
    expect(pressed).to_have_count(2)
