"""The decoding stepper: it writes what `generate` writes, takes words back, and tells what it cannot do."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views import DecodingStepper
from anatomy_course.views.decoding_stepper.view import Rule
from anatomy_utils.decoding import Filters, generate
from anatomy_utils.nn.heads import LanguageModel

VOCABULARY = street_vocabulary()
PROMPT = "The animal didn't cross"
NAMES = ("prompt", "prompt_text", "written", "options", "rule", "text", "room", "error", "answered")


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return train_small_gpt(1, steps=30, progress=False)[0].eval()


def ask(widget: Any, **question: Any) -> Any:
    """What the page does: another question, with its turn."""
    widget.set_state({"question": {**widget.question, **question, "id": widget.answered + 1}})
    return widget


def written(widget: Any) -> list[str]:
    return [token["word"] for token in widget.written]


def generated(model: LanguageModel, count: int, filters: Filters = Filters(), seed: int | None = None) -> list[str]:  # noqa: B008
    ids = torch.tensor([VOCABULARY.ids(["<bos>", *"the animal didn't cross".split()])])
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    made = generate(
        model.step, model.start(1, 33), ids, max_new_tokens=count, stop_ids=[VOCABULARY.eos_id], filters=filters,
        generator=generator,
    )  # fmt: skip
    return VOCABULARY.tokens(made.rows()[0])


def test_the_rule_writes_what_generate_writes(model: LanguageModel) -> None:
    widget = views.step_through(model, VOCABULARY, PROMPT)
    assert widget.prompt == ["<bos>", "the", "animal", "didn't", "cross"]
    ask(widget, do="next", count=1)
    ask(widget, do="next", count=6)
    assert written(widget) == generated(model, 7)
    filters = Filters(temperature=1.5, top_k=40, top_p=0.9)
    drawn = views.step_through(model, VOCABULARY, PROMPT, filters=filters, seed=4)
    ask(drawn, do="next", count=8)
    assert written(drawn) == generated(model, 8, filters, 4)
    ask(drawn, do="restart")
    assert written(drawn) == [] and drawn.text == ""
    ask(drawn, do="next", count=8)
    assert written(drawn) == generated(model, 8, filters, 4)  # the randomness begins anew


def test_options_are_the_models_probabilities_before_and_after(model: LanguageModel) -> None:
    widget = views.step_through(model, VOCABULARY, PROMPT, filters=Filters(top_k=3), seed=0, show=5)
    with torch.no_grad():
        logits = model(torch.tensor([VOCABULARY.ids(widget.prompt)]))[0, -1]
    likeliest = logits.softmax(-1).topk(5)
    assert [option["token_id"] for option in widget.options] == likeliest.indices.tolist()
    assert [option["before"] for option in widget.options] == pytest.approx(likeliest.values.tolist(), abs=1e-5)
    kept = logits.topk(3).values.softmax(-1).tolist()
    assert [option["after"] for option in widget.options] == pytest.approx([*kept, 0, 0], abs=1e-5)


def test_choosing_by_hand_going_back_and_another_rule(model: LanguageModel) -> None:
    widget = views.step_through(model, VOCABULARY, PROMPT)
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


def test_the_end_token_and_the_last_room_end_the_text(model: LanguageModel) -> None:
    widget = views.step_through(model, VOCABULARY, PROMPT, max_new_tokens=3)
    ask(widget, do="choose", token_id=VOCABULARY.eos_id)
    assert widget.written[-1]["ends"] and widget.ended and widget.options == []
    ask(widget, do="next", count=1)
    assert widget.error == "The text has come to its end; go back to write another one."
    ask(widget, do="back", count=1)
    assert widget.error == "" and not widget.ended
    ask(widget, do="next", count=10)
    assert len(widget.written) == 3 and widget.ended and not widget.written[-1]["ends"]
    long = views.step_through(model, VOCABULARY, "the animal " * 15)  # the model has 33 positions
    assert long.room == 2


def test_what_cannot_be_done_leaves_all_as_it_was(model: LanguageModel) -> None:
    widget = ask(views.step_through(model, VOCABULARY, PROMPT), do="next", count=2)
    before = widget.get_state()
    for question, said in (
        ({"do": "prompt", "prompt": "The animl"}, "animl"),
        ({"do": "prompt", "prompt": "the animal " * 20}, "41 tokens"),
        ({"do": "choose", "token_id": 9999}, "Token 9999 is outside the vocabulary"),
        ({"do": "back", "count": 7}, "7 tokens cannot be taken back: 2 are written"),
        ({"do": "rule", "rule": {"temperature": 0}}, "temperature is 0"),
        ({"do": "dance"}, "asked to 'dance'; it can next, choose"),
    ):
        ask(widget, **question)
        assert said in widget.error
        assert {name: getattr(widget, name) for name in NAMES[:-2]} == {name: before[name] for name in NAMES[:-2]}
    ask(widget, do="next", count=1)
    assert widget.error == "" and len(widget.written) == 3


@pytest.mark.parametrize(("wrong", "said"), [
    ({"temperature": 0.0}, "temperature is 0"), ({"top_k": -2}, "top_k is -2"), ({"top_p": 0.0}, "top_p is 0"),
])  # fmt: skip
def test_a_wrong_rule_gets_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Rule(**wrong)


def test_filters_need_a_seed(model: LanguageModel) -> None:
    with pytest.raises(ValueError, match="add seed=0"):
        views.step_through(model, VOCABULARY, PROMPT, filters=Filters(top_k=2))
    with pytest.raises(ValueError, match="without a slider"):
        views.step_through(model, VOCABULARY, PROMPT, filters=Filters(min_p=0.1), seed=0)
    with pytest.raises(ValueError, match="max_new_tokens"):
        views.step_through(model, VOCABULARY, PROMPT, max_new_tokens=0)


def test_the_twin_tells_text_and_candidates(model: LanguageModel) -> None:
    widget = views.step_through(model, VOCABULARY, PROMPT)
    assert "“(nothing written yet)”. The likeliest next tokens: " in widget.still_picture().alt
    ask(widget, do="choose", token_id=VOCABULARY.ids(["street"])[0])
    ask(widget, do="choose", token_id=VOCABULARY.eos_id)
    assert widget.still_picture().alt == f"After “{PROMPT}” was written: “street”. The text has ended."


def answer(shown: Shown) -> Any:
    """What the kernel has computed reaches the page."""
    shown.settle()
    assert isinstance(shown.widget, DecodingStepper)
    shown.update(**{name: getattr(shown.widget, name) for name in NAMES})
    return shown.widget


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_writing_by_mouse(browser: Browser, model: LanguageModel, theme: Any) -> None:
    shown = show(browser, views.step_through(model, VOCABULARY, PROMPT), theme=theme)
    page = shown.page
    page.get_by_role("button", name="Next token").click()
    widget = answer(shown)
    first = written(widget)
    assert first == generated(model, 1)
    second = widget.options[3]["word"]
    page.get_by_role("group", name="Candidates").get_by_role("button").nth(3).click()
    widget = answer(shown)
    assert written(widget) == [*first, second]
    token = page.get_by_role("group", name="The text").get_by_role("button")
    assert "chosen by hand" in (token.nth(1).text_content() or "")
    assert "2 written, log-probability −" in page.locator(".ds-sums").inner_text()
    token.nth(0).click()
    assert written(answer(shown)) == []
    page.get_by_label("Choose").select_option("sample")
    page.get_by_role("slider", name="Top-k").press("Home")
    for _ in range(100):  # a moved slider counts after a moment
        if answer(shown).rule["top_k"] == 1:
            break
        page.wait_for_timeout(50)
    assert answer(shown).rule == {"sample": True, "temperature": 1, "top_k": 1, "top_p": 1, "seed": 0}
    assert page.locator(".ds-out").count() == 9 and page.locator(".masked-cell").count() == 9
    shown.check()


@pytest.mark.browser
def test_writing_by_keyboard_to_the_end(browser: Browser, model: LanguageModel) -> None:
    shown = show(browser, views.step_through(model, VOCABULARY, PROMPT, show=400), views=2)
    page = shown.page
    candidates = page.get_by_role("group", name="Candidates").first
    candidates.get_by_role("button").first.focus()
    page.keyboard.press("ArrowDown")
    word = shown.widget.options[1]["word"]
    page.keyboard.press("Enter")
    assert written(answer(shown)) == [word]
    assert page.evaluate("document.activeElement.closest('.ds-rows') !== null"), "the keyboard stays at the candidates"
    page.keyboard.press("Backspace")
    assert written(answer(shown)) == []
    end = next(i for i, option in enumerate(shown.widget.options) if option["word"] == "<eos>")
    candidates.get_by_role("button").nth(end).focus()
    page.keyboard.press("Enter")
    assert answer(shown).ended
    assert page.get_by_text("the end").count() == 2
    assert page.get_by_role("button", name="Next token").first.get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="Take the last token back").first.press("Enter")
    assert not answer(shown).ended
    field = page.get_by_label("Text to continue").first
    field.fill("the <b>cat</b>")
    field.press("Enter")
    answer(shown)
    assert "<b>" in page.locator(".error").first.inner_text()
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_keeps_its_height_from_the_first_token_to_the_end(
    browser: Browser, model: LanguageModel, width: int
) -> None:
    widget = views.step_through(model, VOCABULARY, PROMPT, max_new_tokens=30)
    shown = show(browser, widget, size=(LAB[width], 900))
    heights = {height_of(shown.page)}
    for do, count in (("next", 1), ("next", 29), ("back", 1)):
        ask(widget, do=do, count=count)
        answer(shown)
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    page = shown.page.locator(".ds-page")
    assert page.evaluate("node => node.scrollTop + node.clientHeight >= node.scrollHeight - 1")
    shown.check()
