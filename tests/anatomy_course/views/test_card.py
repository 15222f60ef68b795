"""The exercise card and the choice question, as a learner meets them: by mouse, by keyboard, light and dark."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from widget_page import Browser, Theme, show

from anatomy_course.judge import exercise, find_exercise
from anatomy_course.judge.card import card, card_page
from anatomy_course.judge.commands import _choices
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.questions import question_page
from anatomy_course.judge.registry import find_question
from anatomy_course.judge.slips.search import find_repair
from anatomy_course.views import Card, ChoiceQuestion

EVIL = '<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>'


def wrong(query: Tensor, key: Tensor) -> Tensor:
    print(EVIL)
    return query @ key.transpose(-2, -1) / 8


def right(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5


def crash(query: Tensor, key: Tensor) -> Tensor:
    return query @ key


def made(function: Any, **more: Any) -> Card:
    scores = find_exercise("attention.scores")
    verdict = judge(scores, function)
    return Card(card(scores, verdict), page=card_page(scores, verdict), **more)


def searched(name: str) -> Card:
    """The card of an answer from the file of answers with slips, with the learner's line looked for."""
    function, found = SLIPS[name]
    verdict = judge(find_exercise(found), function, search=True)
    return Card(card(find_exercise(found), verdict), page=card_page(find_exercise(found), verdict))


def attends_with_two_slips(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / value.shape[-1] ** 0.5
    return scores.softmax(dim=-1) @ value, scores


def shares(powers: Tensor) -> Tensor:
    total = powers.sum(-1)
    return powers / total


def attends_with_a_helper(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = shares((scores - scores.amax(dim=-1, keepdim=True)).exp())
    return weights @ value, weights


class HeadWithoutABias(torch.nn.Module):
    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__()
        self.dense = torch.nn.Linear(d_model, d_model, bias=False)
        self.dropout = torch.nn.Dropout(dropout)
        self.labels = torch.nn.Linear(d_model, num_labels)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.labels(self.dropout(self.dense(hidden_states[:, 0]).tanh()))


SLIPS = {
    "two slips": (attends_with_two_slips, "attention.attention"),
    "a helper": (attends_with_a_helper, "attention.attention"),
}


def question(id: str = "attention.why_scale", **more: Any) -> ChoiceQuestion:
    found = find_question(id)
    return ChoiceQuestion(found.data(), page=question_page(found), **more)


def test_the_twin_is_the_card_as_a_page() -> None:
    data, _ = made(wrong)._repr_mimebundle_()
    assert "Not right yet" in data["text/html"] and "Not right yet" in data["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "<script" not in data["text/html"] and "<img" not in data["text/html"]


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_wrong_answer_is_drawn_beside_the_target(browser: Browser, theme: Theme) -> None:
    shown = show(browser, made(wrong), theme=theme)
    page = shown.page
    group = page.get_by_role("group", name="Exercise: Scaled scores")
    assert "Not right yet" in group.inner_text() and "the dot products times 0.125" in group.inner_text()
    assert page.locator("table").count() == 2 and page.locator("td.differs").count() == 12
    cell = page.locator("td.differs").first
    assert cell.evaluate("cell => getComputedStyle(cell).backgroundColor") not in ("rgba(0, 0, 0, 0)", "")
    assert EVIL in page.locator("pre").last.inner_text() and page.evaluate("window.hacked") is None
    assert "Not right yet" in page.locator("[aria-live]").inner_text(), "a screen reader is told"
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "part", "says"),
    [
        ("two slips", "value", "you return the scaled scores"),
        ("a helper", "powers.sum(-1)", "when this call keeps the axis"),
    ],
)
def test_the_part_of_the_line_that_is_off_is_marked(
    browser: Browser, theme: Theme, name: str, part: str, says: str, unchecked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = partial(find_repair, seconds=20.0)  # a busy machine must not decide what is found
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", patient)
    made = searched(name)
    shown = show(browser, made, theme=theme)
    page = shown.page
    mark = page.locator("pre.code mark").last  # where it crashed comes before it
    assert mark.inner_text() == part
    assert mark.evaluate("mark => getComputedStyle(mark).borderBottomWidth") == "2px"
    assert says in page.locator(".sentence").inner_text()
    page.get_by_role("button", name="Hint 1 of 4").focus()
    page.keyboard.press("Enter")
    hint = page.locator(".hints li").first.inner_text()
    assert hint.startswith("Line ") and " could read " in hint and "`" not in hint
    data, _ = made._repr_mimebundle_()
    assert f"<mark>{part}</mark>" in data["text/html"] and f", at {part}:" in data["text/plain"]
    assert says in data["text/plain"] and says in data["text/html"].replace("</code>", "").replace("<code>", "")
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_class_that_lacks_a_bias(browser: Browser, theme: Theme) -> None:
    head = find_exercise("encoder.classifier_head")
    verdict = judge(head, HeadWithoutABias, search=True)
    made = Card(card(head, verdict), page=card_page(head, verdict))
    page = show(browser, made, theme=theme).page
    sentence = page.locator(".sentence").inner_text()
    assert "dense" in sentence and "bias" in sentence
    page.get_by_role("button", name="Hint 1 of").focus()
    page.keyboard.press("Enter")
    assert page.locator(".hints li").count() == 1
    data, _ = made._repr_mimebundle_()
    assert sentence in data["text/plain"].replace("`", "") and "Hint 1" in data["text/html"]


@pytest.mark.browser
def test_hints_come_one_by_one_and_the_solution_asks_first(browser: Browser) -> None:
    told: list[tuple[int, bool]] = []
    shown = show(browser, made(crash, on_help=lambda hints, solved: told.append((hints, solved))))
    page = shown.page
    assert (
        "query @ key" in page.locator("pre").first.inner_text() and page.get_by_text("key: shape (2, 3)").count() == 1
    )
    page.get_by_role("button", name="Hint 1 of 3").click()
    assert page.locator(".hints li").count() == 1
    page.get_by_role("button", name="Solution").click()
    assert page.get_by_text("There are hints left.").is_visible() and page.locator(".solution pre").count() == 0
    page.get_by_role("button", name="Not yet").click()
    assert page.get_by_text("There are hints left.").is_hidden()
    page.get_by_role("button", name="Hint 2 of 3").click()
    page.get_by_role("button", name="Hint 3 of 3").click()
    assert page.get_by_role("button", name="All 3 hints shown").get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="Solution", exact=True).click()
    assert "return query @ key.transpose(-2, -1)" in page.locator(".solution pre").inner_text()
    page.get_by_role("button", name="Hide the solution").click()
    assert page.locator(".solution pre").count() == 0
    shown.settle()
    assert told == [(1, False), (2, False), (3, False), (3, True), (3, False)]
    shown.check()


@pytest.mark.browser
def test_by_keyboard_alone(browser: Browser) -> None:
    shown = show(browser, made(crash))
    page = shown.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Hint 1 of 3"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Show it"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Solution"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    shown.settle()
    assert shown.widget.hints_shown == 1 and shown.widget.solution_shown is True
    shown.check()


@pytest.mark.browser
def test_a_pass_says_why_it_works(browser: Browser) -> None:
    shown = show(browser, made(right))
    text = shown.page.get_by_role("group").inner_text()
    assert "Passed" in text and "variance" in text and shown.page.get_by_role("button", name="Hint").count() == 0
    shown.check()


@pytest.mark.browser
def test_two_views_of_one_card_agree(browser: Browser) -> None:
    shown = show(browser, made(crash), views=2)
    shown.page.get_by_role("button", name="Hint 1 of 3").first.click()
    assert shown.page.locator(".hints li").count() == 2
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_question_gives_a_reason_for_every_choice(browser: Browser, theme: Theme) -> None:
    noted: list[int] = []
    shown = show(browser, question(on_choice=noted.append), theme=theme)
    page = shown.page
    group = page.get_by_role("group", name="A model's d_head grows")
    assert group.get_by_role("radio").count() == 4
    page.get_by_role("button", name="Check").click()
    assert "Choose one first" in page.locator(".answer").inner_text()
    page.get_by_role("radio").nth(0).check()
    page.get_by_role("button", name="Check").click()
    assert "That needs the divisor" in page.locator(".answer .wrong").inner_text()
    page.get_by_role("radio").nth(0).press("ArrowDown")
    assert page.locator(".answer").inner_text() == "", "a new choice clears the old verdict"
    page.get_by_role("radio").nth(1).press("ArrowDown")
    page.keyboard.press("Enter")
    assert "Right." in page.locator(".answer .ok").inner_text()
    assert page.locator("[aria-live]").inner_text().startswith("Right.")
    shown.settle()
    assert noted == [0, 2]
    shown.check()


@pytest.mark.browser
def test_a_prediction_is_noted_and_not_judged(browser: Browser, tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.json")
    found = find_question("attention.predict_apple")
    widget = _choices(found, record).widget
    assert widget is not None
    live = widget()
    assert all(choice["reason"] == "" and not choice["right"] for choice in live.question["choices"])
    shown = show(browser, live)
    shown.page.get_by_label("About three.").check()
    shown.page.get_by_role("button", name="Note my prediction").click()
    assert "Noted: About three." in shown.page.locator(".answer").inner_text()
    shown.settle()
    assert record.entry("predictions", "attention.predict_apple") == {"choice": 2}
    again = _choices(found, record).widget
    assert again is not None and again().chosen == 2, "it is still there after a restart"
    shown.check()


@pytest.mark.browser
def test_a_choice_holds_text_and_no_html(browser: Browser) -> None:
    data = {
        "id": "x",
        "kind": "question",
        "text": EVIL,
        "choices": [
            {"text": f"`{EVIL}`", "reason": f"*{EVIL}*", "right": True},
            {"text": "b", "reason": "c", "right": False},
        ],
    }
    shown = show(browser, ChoiceQuestion(data))
    shown.page.get_by_role("radio").first.check()
    shown.page.get_by_role("button", name="Check").click()
    assert shown.page.evaluate("window.hacked") is None and EVIL in shown.page.locator(".answer em").inner_text()
    shown.check()


def test_help_from_a_card_is_noted(tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.json")
    answer = exercise("attention.scores", record=record)(crash)
    assert answer.card.widget is not None
    live = answer.card.widget()
    live.set_state({"hints_shown": 2})
    live.set_state({"solution_shown": True})
    entry = record.entry("exercises", "attention.scores")
    assert (entry["hints"], entry["solution_seen"], entry["tries"]) == (2, True, 1)


def test_every_state_has_a_card_with_a_twin() -> None:
    def slow(query: Tensor, key: Tensor) -> Tensor:
        while True:
            torch.ones(1)

    scores = find_exercise("attention.scores")
    for state, verdict in (("crashed", judge(scores, crash)), ("stopped", judge(scores, slow, seconds=0.1))):
        assert verdict.state == state and card_page(scores, verdict).html


def test_where_solutions_are_hidden_who_passed_reads_why(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANATOMY_SOLUTIONS", "hidden")
    shown = show(browser, made(wrong))
    assert shown.page.get_by_role("button", name="Hint 1").count() == 1
    assert shown.page.get_by_role("button", name="Solution").count() == 0
    shown.check()
    shown = show(browser, made(right))
    assert shown.page.get_by_role("button").count() == 0
    assert find_exercise("attention.scores").explanation[:20] in shown.page.inner_text("main")
    shown.check()
