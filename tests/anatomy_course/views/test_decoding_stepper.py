"""The decoding stepper: it writes what `generate` writes, takes words back, and tells what it cannot do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from on_page import Show
from view_sizes import LAB, assert_fits, assert_stands_still, height_of

from anatomy_course import views
from anatomy_course.lab.street import street_vocabulary
from anatomy_utils.decoding import Filters, generate

VOCABULARY = street_vocabulary()
PROMPT = "The animal didn't cross"


@pytest.fixture
def stepper(gpt: Any) -> Callable[..., Any]:
    return partial(views.step_through, gpt, VOCABULARY)


def ask(widget: Any, **question: Any) -> Any:
    """What the page does: another question, with its turn."""
    widget.set_state({"question": {**widget.question, **question, "id": widget.answered + 1}})
    return widget


def written(widget: Any) -> list[str]:
    return [token["word"] for token in widget.written]


def generated(gpt: Any, count: int, seed: int | None = None, **options: Any) -> list[str]:
    ids = torch.tensor([VOCABULARY.ids(["<bos>", *PROMPT.lower().split()])])
    options["generator"] = None if seed is None else torch.Generator().manual_seed(seed)
    stop = [VOCABULARY.eos_id]
    made = generate(gpt.step, gpt.start(1, 33), ids, max_new_tokens=count, stop_ids=stop, **options)
    return VOCABULARY.tokens(made.rows()[0])


def test_the_rule_writes_what_generate_writes(gpt: Any, stepper: Any) -> None:
    widget = stepper(PROMPT)
    assert widget.prompt == ["<bos>", "the", "animal", "didn't", "cross"]
    ask(widget, do="next", count=1)
    ask(widget, do="next", count=6)
    assert written(widget) == generated(gpt, 7)
    filters = Filters(temperature=1.5, top_k=40, top_p=0.9)
    drawn = stepper(PROMPT, filters=filters, seed=4)
    for _ in range(2):  # the randomness begins anew
        ask(drawn, do="next", count=8)
        assert written(drawn) == generated(gpt, 8, 4, filters=filters)
        ask(drawn, do="restart")
        assert written(drawn) == [] and drawn.text == ""


def test_options_are_the_models_probabilities_before_and_after(gpt: Any, stepper: Any) -> None:
    widget = stepper(PROMPT, filters=Filters(top_k=3), seed=0, show=5)
    with torch.no_grad():
        logits = gpt(torch.tensor([VOCABULARY.ids(widget.prompt)]))[0, -1]
    likeliest = logits.softmax(-1).topk(5)
    assert [option["token_id"] for option in widget.options] == likeliest.indices.tolist()
    assert [option["before"] for option in widget.options] == pytest.approx(likeliest.values.tolist(), abs=1e-5)
    kept = logits.topk(3).values.softmax(-1).tolist()
    assert [option["after"] for option in widget.options] == pytest.approx([*kept, 0, 0], abs=1e-5)


def test_choosing_by_hand_going_back_and_another_rule(stepper: Any) -> None:
    widget = stepper(PROMPT)
    third = widget.options[2]
    ask(widget, do="choose", token_id=third["token_id"])
    ask(widget, do="next", count=3)
    assert widget.written[0] == {
        "word": third["word"], "probability": pytest.approx(third["before"]), "ends": False, "by_hand": True,
    }  # fmt: skip
    assert [token["by_hand"] for token in widget.written] == [True, False, False, False]
    ask(widget, do="back", count=4)
    assert widget.written == [] and widget.options[2]["word"] == third["word"]
    ask(widget, do="next", count=2)
    kept = written(widget)
    ask(widget, do="rule", rule={"sample": True, "temperature": 2, "top_k": 2, "top_p": 1, "seed": 3})
    assert written(widget) == kept and [option["after"] > 0 for option in widget.options[:3]] == [True, True, False]
    assert widget.rule["temperature"] == 2
    ask(widget, do="prompt", prompt="")
    assert (widget.prompt, widget.written, widget.rule["top_k"]) == (["<bos>"], [], 2)


def test_the_end_token_and_the_last_room_end_the_text(stepper: Any) -> None:
    widget = stepper(PROMPT, max_new_tokens=3)
    assert "“(nothing written yet)”. The likeliest next tokens: " in widget.still_picture().alt
    ask(widget, do="choose", token_id=VOCABULARY.ids(["street"])[0])
    ask(widget, do="choose", token_id=VOCABULARY.eos_id)
    assert widget.written[-1]["ends"] and widget.ended and widget.options == []
    assert widget.still_picture().alt == f"After “{PROMPT}” was written: “street”. The text has ended."
    ask(widget, do="next", count=1)
    assert widget.error == "The text has come to its end; go back to write another one."
    ask(widget, do="back", count=1)
    assert widget.error == "" and not widget.ended
    ask(widget, do="next", count=10)
    assert len(widget.written) == 3 and widget.ended and not widget.written[-1]["ends"]
    assert stepper("the animal " * 15).room == 2  # the model has 33 positions


def test_what_cannot_be_done_leaves_all_as_it_was(stepper: Any) -> None:
    widget = ask(stepper(PROMPT), do="next", count=2)
    names = "prompt prompt_text written options rule text room".split()
    before = widget.get_state(names)
    for question, said in (
        ({"do": "prompt", "prompt": "The animl"}, "animl"),
        ({"do": "prompt", "prompt": "the animal " * 20}, "41 tokens"),
        ({"do": "choose", "token_id": 9999}, "Token 9999 is outside the vocabulary"),
        ({"do": "back", "count": 7}, "7 tokens cannot be taken back: 2 are written"),
        ({"do": "rule", "rule": {"temperature": 0}}, "temperature is 0"),
        ({"do": "dance"}, "asked to 'dance'; it can next, choose"),
    ):
        ask(widget, **question)
        assert said in widget.error and widget.get_state(names) == before
    ask(widget, do="next", count=1)
    assert widget.error == "" and len(widget.written) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"filters": Filters(top_k=2)}, "add seed=0"),
        ({"filters": Filters(min_p=0.1), "seed": 0}, "without a slider"),
        ({"max_new_tokens": 0}, "max_new_tokens"),
    ],
)
def test_filters_need_a_seed_and_a_slider(stepper: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stepper(PROMPT, **options)


def test_writing_by_mouse(show: Show, gpt: Any, stepper: Any) -> None:
    shown = show(stepper(PROMPT))
    page = shown.page
    shown.click("button", "Next token")
    widget = shown.follow()
    first, second = written(widget), widget.options[3]["word"]
    assert first == generated(gpt, 1)
    page.get_by_role("group", name="Candidates").get_by_role("button").nth(3).click()
    assert written(shown.follow()) == [*first, second]
    token = page.get_by_role("group", name="The text").get_by_role("button")
    assert "chosen by hand" in token.nth(1).text_content()
    assert "2 written, log-probability −" in shown.text(".ds-sums")
    token.nth(0).click()
    assert written(shown.follow()) == []
    page.get_by_label("Choose").select_option("sample")
    page.get_by_role("slider", name="Top-k").press("Home")
    for _ in range(100):  # a moved slider counts after a moment
        if shown.follow().rule["top_k"] == 1:
            break
        page.wait_for_timeout(50)
    assert shown.follow().rule == {"sample": True, "temperature": 1, "top_k": 1, "top_p": 1, "seed": 0}
    assert shown.count(".ds-out") == shown.count(".masked-cell") == 9


def test_writing_by_keyboard_to_the_end(show: Show, stepper: Any) -> None:
    shown = show(stepper(PROMPT, show=400))
    candidates = shown.page.get_by_role("group", name="Candidates").get_by_role("button")
    candidates.first.focus()
    shown.keys("ArrowDown")
    word = shown.widget.options[1]["word"]
    shown.keys("Enter")
    assert written(shown.follow()) == [word]
    focused = shown.page.evaluate("document.activeElement.closest('.ds-rows') !== null")
    assert focused, "the keyboard stays at the candidates"
    shown.keys("Backspace")
    assert written(shown.follow()) == []
    end = next(i for i, option in enumerate(shown.widget.options) if option["word"] == "<eos>")
    candidates.nth(end).press("Enter")
    assert shown.follow().ended
    assert shown.page.get_by_text("the end").count() == 1
    assert shown.page.get_by_role("button", name="Next token").get_attribute("aria-disabled") == "true"
    shown.page.get_by_role("button", name="Take the last token back").press("Enter")
    assert not shown.follow().ended
    shown.type("Text to continue", "the <b>cat</b>")
    shown.follow()
    assert "<b>" in shown.text(".error")


@pytest.mark.parametrize("width", LAB)
def test_it_keeps_its_height_from_the_first_token_to_the_end(show: Show, stepper: Any, width: int) -> None:
    shown = show(stepper(PROMPT, max_new_tokens=30), width=width, views=2)
    heights = {height_of(shown.page)}
    for do, count in (("next", 1), ("next", 29), ("back", 1)):
        ask(shown.widget, do=do, count=count)
        shown.follow()
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    at_the_end = "node => node.scrollTop + node.clientHeight >= node.scrollHeight - 1"
    assert shown.page.locator(".ds-page").first.evaluate(at_the_end)
