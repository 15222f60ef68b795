"""A verdict as a card: one dictionary that the card widget, the HTML page and the plain text are all made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from anatomy_course.figures import palette
from anatomy_course.judge.attempt import comparison
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.location import solutions_hidden
from anatomy_course.judge.stub import solution_text
from anatomy_course.page.page import CellOutput, code_block, details, escape, in_code, paragraph, stacked

HEADLINES = {
    "not attempted": ("○", "Not attempted yet"),
    "emptied": ("○", "Empty again; it passed before"),
    "passed": ("✓", "Passed"),
    "wrong": ("✗", "Not right yet"),
    "crashed": ("✗", "Your function stopped with an error"),
    "stopped": ("✗", "Stopped: it took too long"),
    "unreadable": ("✗", "Python cannot read this cell"),
    "unchecked": ("!", "This could not be checked"),
}

FALLBACK = "Until yours passes, later cells use the course's own version."
EMPTIED = "It stays passed, and your earlier answer is kept. This notebook goes on with the course's own version."


def card(exercise: Exercise, verdict: Verdict, notice: str = "") -> dict[str, Any]:
    """Everything a card shows, as data that JSON can carry.

    Args:
        exercise: whose card.
        verdict: what the judge found.
        notice: a sentence about the progress file; usually empty.
    """
    sign, headline = HEADLINES[verdict.state]
    yours = f"our {exercise.kind}"
    return {
        "id": exercise.id,
        "title": exercise.title,
        "state": verdict.state,
        "sign": sign,
        "headline": headline.replace("our function", yours),
        "about": f"{exercise.difficulty}, about {exercise.minutes} minutes",
        "task": exercise.task,
        "sentence": verdict.sentence,
        "lines": _lines(verdict),
        "notes": list(verdict.notes),
        "after": {"passed": f"Later cells use y{yours}.", "emptied": EMPTIED}.get(verdict.state, FALLBACK),
        "comparison": asdict(verdict.comparison) if verdict.comparison else None,
        "printed": verdict.printed.rstrip(),
        "hints": [*filter(None, [verdict.hint]), *exercise.hints],
        "solution": "" if solutions_hidden() else solution_text(exercise),
        "explanation": exercise.explanation,
        "notice": notice,
    }


def _lines(verdict: Verdict) -> list[dict[str, Any]]:
    """The learner's lines: where it stopped, and where a small edit helps."""
    lines = [verdict.line] if verdict.line else []
    lines += [slip for slip in verdict.slips if all((slip.number, slip.part) != (o.number, o.part) for o in lines)]
    return [
        {"number": line.number, "text": line.text, "part": line.part, "held": [f"{n}: {w}" for n, w in line.held]}
        for line in lines
    ]


def card_page(exercise: Exercise, verdict: Verdict, notice: str = "") -> CellOutput:
    """The card for a page without a kernel. It holds nothing that changes from run to run."""
    data = card(exercise, verdict, notice)
    page = stacked(*_pieces(data, verdict))
    quiet = palette.ROLES["masked"]
    edge = {"passed": palette.PASS, "not attempted": quiet, "emptied": quiet}.get(verdict.state, palette.FAIL).light
    return CellOutput(f'<div style="border-left:4px solid {edge};padding-left:1em">{page.html}</div>', page.text)


def _pieces(data: dict[str, Any], verdict: Verdict) -> Iterator[CellOutput]:
    """What the card says, from its headline to its folds; as text a line on how to ask is in their place."""
    sign, headline, title, about = (data[name] for name in ("sign", "headline", "title", "about"))
    yield CellOutput(
        f"<p><strong>{sign} {escape(headline)}</strong> — {escape(title)} <small>({escape(about)})</small></p>",
        f"{sign} {headline}: {title} ({data['id']}; {about})",
    )
    yield from map(_line, data["lines"])
    yield from map(paragraph, [data["sentence"], *data["notes"]])
    if verdict.comparison:
        yield CellOutput(comparison.as_html(verdict.comparison), comparison.as_text(verdict.comparison))
    if printed := data["printed"]:
        yield CellOutput(f"<p>Your code printed:</p>{code_block(printed)}", f"Your code printed:\n{printed}")
    for words in filter(None, [data["after"], data["notice"]]):
        yield CellOutput(f"<p>{escape(words)}</p>", words)
    folds = {f"Hint {i}": f"<p>{in_code(hint)}</p>" for i, hint in enumerate(data["hints"], 1)}
    why = f"<p>{in_code(data['explanation'])}</p>"
    if verdict.passed:
        folds = {"Why it works": why}
    if data["solution"]:
        folds["Solution"] = code_block(data["solution"]) + why
    then = f', then solution("{data["id"]}")' if data["solution"] else ""
    asked = "" if verdict.passed else f'Help: hint("{data["id"]}"){then}.'
    yield CellOutput("".join(details(name, body) for name, body in folds.items()), asked)


def _line(line: dict[str, Any]) -> CellOutput:
    """A line of the learner's with what its names held."""
    number, text, part, held = line["number"], line["text"], line["part"], line["held"]
    marked = code_block(text, part) + (
        f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in held)}</ul>" if held else ""
    )
    where = f" at <code>{escape(part)}</code>" if part else ""
    heading = f"In line {number}{f', at {part}' if part else ''}:"
    return CellOutput(f"<p>In line {number}{where}:</p>{marked}", "\n    ".join([heading, text, *held]))
