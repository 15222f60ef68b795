"""The exercise card and the choice question, as a learner meets them: by mouse, by keyboard, light and dark."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from on_page import Show
from small import EVIL
from torch import Tensor

from anatomy_course.figures import canvas, palette
from anatomy_course.judge import exercise, find_exercise
from anatomy_course.judge.card import card, card_page, outcome_page, pointing
from anatomy_course.judge.commands import _choices
from anatomy_course.judge.judging.crash import SourceLine
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import State, Verdict
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.questions import question_page
from anatomy_course.judge.registry import find_question
from anatomy_course.judge.slips.search import find_repair
from anatomy_course.views import Card, ChoiceQuestion


def wrong(query: Tensor, key: Tensor) -> Tensor:
    print(EVIL)
    return query @ key.transpose(-2, -1) / 8


def right(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5


def crash(query: Tensor, key: Tensor) -> Tensor:
    return query @ key


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


def made(function: Any, name: str = "attention.scores", search: bool = False, **more: Any) -> Card:
    """The card of an answer, with the learner's line looked for if wanted."""
    found = find_exercise(name)
    verdict = function if isinstance(function, Verdict) else judge(found, function, search=search)
    return Card(card(found, verdict), page=card_page(found, verdict), **more)


def rgb(css: str) -> list[float]:
    return [float(number) / 255 for number in re.findall(r"[\d.]+", css)[:3]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_wrong_answer_is_drawn_beside_the_target(show: Show, theme: Any) -> None:
    shown = show(made(wrong), theme=theme)
    page = shown.page
    group = page.get_by_role("group", name="Exercise: Scaled scores")
    assert "Not right yet" in group.inner_text() and "the dot products times 0.125" in group.inner_text()
    assert shown.count("table") == 2 and shown.count("td.differs") == 12
    assert EVIL in shown.texts("pre")[-1] and page.evaluate("window.hit") is None
    assert "Not right yet" in shown.text("[aria-live]"), "a screen reader is told"
    looks = page.locator(".window td:not(:empty)").evaluate_all(
        """cells => cells.map((cell) => {
          const { color, backgroundColor, borderTopColor, backgroundClip } = getComputedStyle(cell);
          return [color, backgroundColor, borderTopColor, cell.className === "differs" ? backgroundClip : ""];
        })"""
    )
    for ink, cell, frame, clip in looks:
        assert canvas.contrast(rgb(ink), rgb(cell)) >= 4.5
        if clip:
            assert clip == "padding-box", "a line of the page's color parts the frame from the cell's"
            assert cell != "rgba(0, 0, 0, 0)" and canvas.contrast(rgb(frame), getattr(palette.PAGE, theme)) >= 4.5
    tops = "Math.round(document.querySelector('.row').getBoundingClientRect().top)"
    assert page.evaluate(f"{tops} - document.querySelector('.found').lastChild.getBoundingClientRect().bottom") > 8


@pytest.mark.parametrize(
    ("answer", "part", "says"),
    [
        (attends_with_two_slips, "value", "you return the scaled scores"),
        (attends_with_a_helper, "powers.sum(-1)", "when this call keeps the axis"),
    ],
)
def test_the_part_of_the_line_that_is_off_is_marked(
    show: Show, answer: Any, part: str, says: str, unchecked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = partial(find_repair, seconds=20.0)  # a busy machine must not decide what is found
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", patient)
    shown = show(made(answer, "attention.attention", search=True))
    mark = shown.page.locator("pre.code mark").last  # where it crashed comes before it
    assert mark.inner_text() == part
    assert mark.evaluate("mark => getComputedStyle(mark).borderBottomWidth") == "2px"
    assert says in shown.text(".sentence")
    shown.page.get_by_role("button", name="Hint 1 of 4").press("Enter")
    hint = shown.text(".hints li")
    assert hint.startswith("Line ") and " could read " in hint and "`" not in hint
    data, _ = shown.widget._repr_mimebundle_()
    assert f"<mark>{part}</mark>" in data["text/html"] and f", at {part}:" in data["text/plain"]
    assert says in data["text/plain"] and says in data["text/html"].replace("</code>", "").replace("<code>", "")


def test_a_class_that_lacks_a_bias(show: Show) -> None:
    shown = show(made(HeadWithoutABias, "encoder.classifier_head", search=True), theme="dark")
    sentence = shown.text(".sentence")
    assert "dense" in sentence and "bias" in sentence
    shown.page.get_by_role("button", name="Hint 1 of").press("Enter")
    assert shown.count(".hints li") == 1
    data, _ = shown.widget._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert sentence in data["text/plain"].replace("`", "") and "Hint 1" in data["text/html"]


def test_hints_come_one_by_one_and_the_solution_asks_first(show: Show) -> None:
    told: list[tuple[int, bool]] = []
    shown = show(made(crash, on_help=lambda hints, solved: told.append((hints, solved))), views=2)
    page = shown.page
    assert "query @ key" in shown.text("pre") and page.get_by_text("key: shape (2, 3)").count() == 2
    shown.click("button", "Hint 1 of 3")
    assert shown.count(".hints li") == 2, "two views of one card agree"
    shown.click("button", "Solution")
    left = page.get_by_text("There are hints left.").first
    assert left.is_visible() and shown.count(".solution pre") == 0
    shown.click("button", "Not yet")
    assert left.is_hidden()
    shown.click("button", "Hint 2 of 3")
    shown.click("button", "Hint 3 of 3")
    assert page.get_by_role("button", name="All 3 hints shown").first.get_attribute("aria-disabled") == "true"
    shown.click("button", "Solution", exact=True)
    assert "return query @ key.transpose(-2, -1)" in shown.text(".solution pre")
    shown.click("button", "Hide the solution")
    assert shown.count(".solution pre") == 0
    assert told == [(1, False), (2, False), (3, False), (3, True), (3, False)]


def test_by_keyboard_alone(show: Show) -> None:
    shown = show(made(crash))
    focused = "document.activeElement.textContent"
    for keys, there in (("Tab", "Hint 1 of 3"), ("Enter Tab Enter", "Show it"), ("Escape", "Solution")):
        shown.keys(*keys.split())
        assert shown.page.evaluate(focused) == there
    shown.keys("Enter", "Enter")
    assert shown.widget.hints_shown == 1 and shown.widget.solution_shown is True


def test_a_pass_says_why_it_works(show: Show) -> None:
    shown = show(made(right))
    text = shown.page.get_by_role("group").inner_text()
    assert "Passed" in text and "variance" in text and shown.page.get_by_role("button", name="Hint").count() == 0


@pytest.mark.parametrize(
    ("state", "headline", "after"),
    [
        ("emptied", "Empty again; it passed before", "It stays passed"),
        ("unreadable", "Python cannot read this cell", "the course's own version"),
    ],
)
def test_cards_that_no_judge_wrote(show: Show, state: State, headline: str, after: str) -> None:
    shown = show(made(Verdict(state, "Said here.", "untouched", line=SourceLine(2, "def f(query)"))))
    group = shown.page.get_by_role("group", name="Exercise: Scaled scores")
    assert headline in group.inner_text() and after in group.inner_text()
    assert group.evaluate("card => card.classList.contains('is-failed')") is (state == "unreadable")


def test_where_solutions_are_hidden_who_passed_reads_why(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANATOMY_SOLUTIONS", "hidden")
    shown = show(made(wrong))
    assert shown.page.get_by_role("button", name="Hint 1").count() == 1
    assert shown.page.get_by_role("button", name="Solution").count() == 0
    shown = show(made(right))
    assert shown.page.get_by_role("button").count() == 0
    assert find_exercise("attention.scores").explanation[:20] in shown.text("main")


def test_help_from_a_card_is_noted(tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.json")
    answer = exercise("attention.scores", record=record)(crash)
    assert answer.card.widget is not None
    live = answer.card.widget()
    live.set_state({"hints_shown": 2})
    live.set_state({"solution_shown": True})
    entry = record.entry("exercises", "attention.scores")
    assert (entry["hints"], entry["solution_seen"], entry["tries"]) == (2, True, 1)


def test_an_answer_that_never_ends_has_a_card_with_a_picture() -> None:
    def slow(query: Tensor, key: Tensor) -> Tensor:
        while True:
            torch.ones(1)

    scores = find_exercise("attention.scores")
    verdict = judge(scores, slow, seconds=0.1)
    assert verdict.state == "stopped" and card_page(scores, verdict).html
    html = made(wrong)._repr_mimebundle_()[0]["text/html"]
    assert "Not right yet" in html and "<script" not in html and "<img" not in html


# Questions -----------------------------------------------------------------------------------------------------------


def test_a_question_gives_a_reason_for_every_choice(show: Show) -> None:
    noted: list[int] = []
    found = find_question("attention.why_scale")
    shown = show(ChoiceQuestion(found.data(), page=question_page(found), on_choice=noted.append), theme="dark")
    radio = shown.page.get_by_role("group", name="A model's d_head grows").get_by_role("radio")
    assert radio.count() == 4
    shown.click("button", "Check")
    assert "Choose one first" in shown.text(".answer")
    radio.nth(0).check()
    shown.click("button", "Check")
    assert "That needs the divisor" in shown.text(".answer .wrong")
    radio.nth(0).press("ArrowDown")
    assert shown.text(".answer") == "", "a new choice clears the old verdict"
    radio.nth(1).press("ArrowDown")
    shown.keys("Enter")
    assert "Right." in shown.text(".answer .ok")
    assert shown.text("[aria-live]").startswith("Right.")
    assert noted == [0, 2]


def test_a_prediction_is_noted_and_not_judged(show: Show, tmp_path: Path) -> None:
    record = Progress(tmp_path / "progress.json")
    choices = partial(_choices, find_question("attention.predict_apple"), record)
    live = choices().widget()
    assert all(choice["reason"] == "" and not choice["right"] for choice in live.question["choices"])
    shown = show(live)
    covered = outcome_page(find_question("attention.predict_apple"), None).html
    shown.page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", covered)
    assert "banana" not in shown.text(".anatomy-card") and shown.count(".anatomy-card.is-open details:not([open])") == 1
    shown.page.get_by_label("About three.").check()
    shown.click("button", "Note my prediction")
    told = shown.text(".anatomy-card.is-other")
    said = "came out differently", "Your guess", "About three.\n", "By then the gap", "One layer is enough"
    assert all(words in told for words in said), told
    assert "All six." not in told, "hidden"
    assert "Noted: About three." in shown.text(".answer")
    assert record.entry("predictions", "attention.predict_apple") == {"choice": 2}
    shown.page.get_by_label("One.").check()
    shown.keys("Enter")
    assert "Your prediction was right" in shown.text(".anatomy-card.is-passed")
    assert choices().widget().chosen == 1, "it is still there after a restart"


def test_a_choice_holds_text_and_no_html(show: Show) -> None:
    choices = [
        {"text": f"`{EVIL}`", "reason": f"*{EVIL}*", "right": True},
        {"text": "b", "reason": "c", "right": False},
    ]
    shown = show(ChoiceQuestion({"id": "x", "kind": "question", "text": EVIL, "choices": choices}))
    shown.page.get_by_role("radio").first.check()
    shown.click("button", "Check")
    assert shown.page.evaluate("window.hit") is None and EVIL in shown.text(".answer em")


def by_the_wrong_axis(query: Tensor, key: Tensor) -> Tensor:
    products = query @ key.transpose(-2, -1)
    return products / query.shape[-2] ** 0.5


def test_a_place_is_said_once_and_columns_keep_their_width(
    show: Show, unchecked: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = partial(find_repair, seconds=20.0)
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", patient)
    shown = show(made(by_the_wrong_axis, search=True))
    assert re.fullmatch(r"In line \d+:", shown.text(".found > p")) and shown.text(".found mark") == "-2"
    assert shown.text(".sentence").startswith("Everything is right with")
    assert shown.widget._repr_mimebundle_()[0]["text/plain"].lower().count("line ") == 1
    assert shown.count(".differs") > 0
    padding = "cells => [...new Set(cells.map((cell) => getComputedStyle(cell).paddingLeft))]"
    assert shown.page.locator(".window td").evaluate_all(padding) == ["14px"]
    sign = "node => getComputedStyle(node).position"
    assert shown.page.locator(".window .sign").first.evaluate(sign) == "absolute"


def in_three_lines(query: Tensor, key: Tensor) -> Tensor:
    width = query.shape[-2]
    products = query @ key.mT
    return products / width**0.5


@pytest.fixture
def asking(unchecked: None, monkeypatch: pytest.MonkeyPatch) -> tuple[Card, dict[int, str], list[int]]:
    """A card that asks for the line, the lines' texts by number, and the numbers that were pointed at."""
    monkeypatch.setattr("anatomy_course.judge.judging.slips.find_repair", partial(find_repair, seconds=20.0))
    found, told = find_exercise("attention.scores"), []
    verdict = judge(found, in_three_lines, search=True)
    asked = pointing(verdict, in_three_lines, None)
    assert asked is not None
    shown = Card(card(found, verdict) | {"pointing": asked}, page=card_page(found, verdict), on_point=told.append)
    return shown, {line["number"]: line["text"] for line in asked["lines"]}, told


def test_the_line_is_asked_for_before_it_is_named(show: Show, asking: tuple[Card, dict[int, str], list[int]]) -> None:
    made, lines, told = asking
    assert [*lines.values()] == ["width = query.shape[-2]", "products = query @ key.mT", "return products / width**0.5"]
    off = min(lines)
    shown = show(made)
    assert shown.count(".sentence") == shown.count("mark") == 0 and shown.count(".window") == 2
    assert shown.count(".comparison .note") == shown.count(".found .note") - 1, (
        "no note tells it; the last says what follows"
    )
    assert "Which line would you change first?" in shown.text("[aria-live]")
    shown.click("button", f"Line {off + 1}: products = query @ key.mT")
    assert shown.text(".outcome") == f"You pointed at line {off + 1}." and shown.text("mark") == "-2"
    assert "everything is right" in shown.text(".sentence").lower() and told == [off + 1]
    assert shown.page.evaluate("document.activeElement.className") == "found", "the keyboard stays where it was"
    assert f"You pointed at line {off + 1}. In line {off}: " in shown.text("[aria-live]")


def test_the_right_line_and_one_key_to_skip(show: Show, asking: tuple[Card, dict[int, str], list[int]]) -> None:
    made, lines, told = asking
    off = min(lines)
    shown = show(made)
    shown.page.get_by_role("button", name=f"Line {off}: ").press("Enter")
    assert shown.text(".outcome") == f"Line {off}: that is the line." and told == [off]
    made.pointed = -1
    shown = show(made)
    shown.page.get_by_role("button", name="Just tell me").press("Escape")
    assert shown.count(".sentence") == 1 and shown.count(".outcome") == 0 and told == [off], "a skip counts as nothing"


def test_nothing_is_asked_where_there_is_no_choice() -> None:
    found = find_exercise("attention.scores")
    lines = (SourceLine(by_the_wrong_axis.__code__.co_firstlineno + 2, "", "-2"),)
    assert pointing(Verdict("wrong", "", "slip", slips=lines), by_the_wrong_axis, None) is None, "two lines of code"
    assert pointing(judge(found, wrong), in_three_lines, None) is None, "no line was found"
    left = Verdict(
        "wrong", "", "slip:axis:no_scale", slips=(SourceLine(in_three_lines.__code__.co_firstlineno + 2, "", "x"),)
    )
    assert pointing(left, in_three_lines, None) is None, "a mistake is left, and nobody knows its line"
    elsewhere = Verdict("wrong", "", "slip", slips=(SourceLine(1, "", "x"),))
    assert pointing(elsewhere, in_three_lines, None) is None, "the slip is in a helper"
    assert pointing(Verdict("wrong", "", "slip", slips=lines), len, None) is None, "its text is not known"


def test_two_slips_in_one_line_keep_the_parts_that_tell_them_apart() -> None:
    lines = tuple(SourceLine(4, "return vectors.sum(dim=0) / 3", part) for part in ("vectors.sum", "3"))
    told = "Line 4, `vectors.sum`: another function. Line 4, `3`: another number."
    assert card(find_exercise("start.mean"), Verdict("wrong", told, "slip", slips=lines))["sentence"] == told
