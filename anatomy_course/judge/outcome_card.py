"""The outcome of a prediction as a card: your guess, what happened, and the picture or the numbers that show it."""

from __future__ import annotations

from collections.abc import Mapping

from anatomy_course.figures.picture import Picture
from anatomy_course.judge.plain_card import State, plain_card
from anatomy_course.judge.questions import Choice, Question
from anatomy_course.page.page import CellOutput, escape, in_code

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
    page = "".join(
        [f'<div class="beside">{beside}</div>', *(f"<p>{in_code(reason)}</p>" for reason in reasons), _evidence(shows)]
    )
    if isinstance(shows, Picture | CellOutput):
        text.append(shows.alt if isinstance(shows, Picture) else shows.text)
    elif shows:
        text.append("; ".join(f"{name}: {value}" for name, value in shows.items()))
    return CellOutput(plain_card(state, headline, page), "\n".join(text))


def _sentence(choice: Choice) -> str:
    """A choice and its reason, which a choice without a full stop must not run into."""
    return f"{choice.text}{'' if choice.text.endswith(('.', '!', '?')) else '.'} {choice.reason}"


def _evidence(shows: Evidence | None) -> str:
    if isinstance(shows, CellOutput):
        return shows.html
    if isinstance(shows, Picture):
        return str(shows._repr_mimebundle_()["text/html"])
    numbers = "".join(
        f'<div class="number"><strong>{escape(str(value))}</strong><span class="name">{in_code(name)}</span></div>'
        for name, value in (shows or {}).items()
    )
    return f'<div class="beside">{numbers}</div>' if numbers else ""
