"""A verdict as a card: one dictionary that the card widget, the HTML page and the plain text are all made from."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from anatomy_course.figures import palette
from anatomy_course.judge.attempt import comparison
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.location import solutions_hidden
from anatomy_course.judge.stub import solution_text
from anatomy_course.page.page import CellOutput, code_block, details, escape, in_code

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
    return CellOutput(_html(data, verdict), _text(data, verdict))


def _html(data: dict[str, Any], verdict: Verdict) -> str:
    quiet = palette.ROLES["masked"].light
    color = {"passed": palette.PASS.light, "not attempted": quiet, "emptied": quiet}.get(
        data["state"], palette.FAIL.light
    )
    pieces = [
        f"<p><strong>{data['sign']} {escape(data['headline'])}</strong> — {escape(data['title'])} "
        f"<small>({escape(data['about'])})</small></p>"
    ]
    pieces += [_line_html(line) for line in data["lines"]]
    pieces += [f"<p>{in_code(data['sentence'])}</p>"]
    pieces += [f"<p>{in_code(note)}</p>" for note in data["notes"]]
    pieces += [comparison.as_html(verdict.comparison)] if verdict.comparison else []
    pieces += [f"<p>Your code printed:</p>{code_block(data['printed'])}"] if data["printed"] else []
    pieces += [f"<p>{escape(data['after'])}</p>"]
    pieces += [f"<p>{escape(data['notice'])}</p>"] if data["notice"] else []
    if verdict.passed:
        pieces.append(details("Why it works", f"<p>{in_code(data['explanation'])}</p>"))
    else:
        pieces += [details(f"Hint {i}", f"<p>{in_code(hint)}</p>") for i, hint in enumerate(data["hints"], 1)]
    if data["solution"]:
        pieces.append(details("Solution", f"{code_block(data['solution'])}<p>{in_code(data['explanation'])}</p>"))
    return f'<div style="border-left:4px solid {color};padding-left:1em">{"".join(pieces)}</div>'


def _line_html(line: dict[str, Any]) -> str:
    held = "".join(f"<li>{escape(words)}</li>" for words in line["held"])
    where = f" at <code>{escape(line['part'])}</code>" if line["part"] else ""
    text = code_block(line["text"], line["part"])
    return f"<p>In line {line['number']}{where}:</p>{text}" + (f"<ul>{held}</ul>" if held else "")


def _text(data: dict[str, Any], verdict: Verdict) -> str:
    lines = [f"{data['sign']} {data['headline']}: {data['title']} ({data['id']}; {data['about']})"]
    for line in data["lines"]:
        where = f", at {line['part']}" if line["part"] else ""
        lines += [f"In line {line['number']}{where}:", f"    {line['text']}"]
        lines += [f"    {held}" for held in line["held"]]
    lines += [data["sentence"], *data["notes"]]
    lines += [comparison.as_text(verdict.comparison)] if verdict.comparison else []
    lines += ["Your code printed:", data["printed"]] if data["printed"] else []
    lines.append(data["after"])
    lines += [data["notice"]] if data["notice"] else []
    then = f', then solution("{data["id"]}")' if data["solution"] else ""
    lines += [] if verdict.passed else [f'Help: hint("{data["id"]}"){then}.']
    return "\n".join(line for line in lines if line)
