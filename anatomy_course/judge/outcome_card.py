"""Cards of HTML alone, in the looks of the live ones, where there is nothing to press; one of them is the outcome of a
prediction: your guess, what happened, and the picture or the numbers that show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from anatomy_course.figures import palette
from anatomy_course.figures.picture import Picture
from anatomy_course.judge.questions import Choice, Question
from anatomy_course.page.page import CellOutput, escape, in_code

State = Literal["passed", "failed", "other", "open"]

EDGES: dict[State, palette.Color] = {
    "passed": palette.PASS,
    "failed": palette.FAIL,
    "other": palette.ROLES["key"],
    "open": palette.ROLES["masked"],
}
"""A guess that came out differently is no failure, so its card is not red."""

LOOK = """
.anatomy-card {border: 1px solid rgba(128,128,128,.4); border-inline-start: 5px solid var(--state)}
.anatomy-card {border-radius: 10px; padding: 14px 18px; max-width: 720px; box-sizing: border-box}
.anatomy-card {font-size: 14px; line-height: 1.45}
.anatomy-card .state {color: var(--state); font-size: 15px}
.anatomy-card p {margin: 0 0 8px}
.anatomy-card .beside {display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 10px}
.anatomy-card .beside > div {flex: 1 1 200px; background: rgba(128,128,128,.12); border-radius: 8px}
.anatomy-card .beside > div {padding: 8px 12px}
.anatomy-card .beside > .number {flex: 0 1 auto}
.anatomy-card .number strong {display: block; font-size: 24px; line-height: 1.2}
.anatomy-card .name {font-size: 13px; opacity: .8}
"""


def plain_card(state: State, headline: str, body: str) -> str:
    """A card with an edge and a headline in the state's color, which can be read in both themes.

    Args:
        state: of what it tells; "other" is neither right nor wrong.
        headline: its first line, as safe HTML.
        body: the rest, as safe HTML. Boxes in a `<div class="beside">` stand side by side where there is room.
    """
    rules = [LOOK]
    for name, color in EDGES.items():
        card = f".anatomy-card.is-{name}"
        dark = ", ".join(f"{host} {card}" for host in palette.DARK_HOSTS)
        rules.append(f"{card} {{--state: {color.light}}}\n{dark} {{--state: {color.dark}}}\n")
    head = f'<p class="state"><strong>{headline}</strong></p>'
    return f'<style>{"".join(rules)}</style><div class="anatomy-card is-{state}">{head}{body}</div>'


Evidence = Picture | CellOutput | Mapping[str, object]


def outcome_page(question: Question, chosen: int | None, shows: Evidence | None = None) -> CellOutput:
    """A prediction beside what happened.

    Args:
        question: the prediction.
        chosen: the choice that was made; None for none.
        shows: what shows it: a picture, a table, or name → number.
    """
    right = question.choices[question.right]
    guess = None if chosen is None else question.choices[chosen]
    state: State
    if guess is None:
        state, headline = "open", "○ You made no prediction this time"
        boxes, reasons = {"What happened": right.text}, [right.reason]
        text = ["You made no prediction this time.", f"What happened: {_sentence(right)}"]
    elif guess is right:
        state, headline = "passed", "✓ Your prediction was right"
        boxes, reasons = {"Your guess, and what happened": right.text}, [right.reason]
        text = [f"Your prediction was right: {right.text}", right.reason]
    else:
        state, headline = "other", "✗ It came out differently"
        boxes, reasons = {"Your guess": guess.text, "What happened": right.text}, [guess.reason, right.reason]
        text = [f"Your prediction was: {_sentence(guess)}", f"What happened: {_sentence(right)}"]
    beside = "".join(f'<div><p class="name">{name}</p>{in_code(words)}</div>' for name, words in boxes.items())
    why, evidence = "".join(f"<p>{in_code(reason)}</p>" for reason in reasons), _evidence(shows or {})
    page = plain_card(state, headline, f'<div class="beside">{beside}</div>{why}{evidence.html}')
    return CellOutput(page, "\n".join(filter(None, [*text, evidence.text])))


def _sentence(choice: Choice) -> str:
    """A choice and its reason, which a choice without a full stop must not run into."""
    return f"{choice.text}{'' if choice.text.endswith(('.', '!', '?')) else '.'} {choice.reason}"


def _evidence(shows: Evidence) -> CellOutput:
    if isinstance(shows, CellOutput):
        return shows
    if isinstance(shows, Picture):
        return CellOutput(str(shows._repr_mimebundle_()["text/html"]), shows.alt)
    numbers = "".join(
        f'<div class="number"><strong>{escape(str(value))}</strong><span class="name">{in_code(name)}</span></div>'
        for name, value in shows.items()
    )
    text = "; ".join(f"{name}: {value}" for name, value in shows.items())
    return CellOutput(f'<div class="beside">{numbers}</div>' if numbers else "", text)
