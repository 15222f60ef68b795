"""A verdict as a card: one dictionary that the card widget, the HTML page and the plain text are all made from."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Literal

from anatomy_course.figures import palette
from anatomy_course.figures.picture import Picture
from anatomy_course.judge.attempt import comparison
from anatomy_course.judge.attempt.program import numbered
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.location import solutions_hidden
from anatomy_course.judge.questions import Choice, Question
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
FEWEST = 3  # lines of code of which it is worthwhile to ask for one
EMPTIED = "It stays passed, and your earlier answer is kept. This notebook goes on with the course's own version."


def card(exercise: Exercise, verdict: Verdict, notice: str = "", after: str = "") -> dict[str, Any]:
    """Everything a card shows, as data that JSON can carry; `notice` is a sentence about the progress file, `after`
    what comes of the verdict, where that is not what it usually is."""
    sign, headline = HEADLINES[verdict.state]
    yours = f"our {exercise.kind}"
    lines = _lines(verdict)
    return {
        "id": exercise.id,
        "title": exercise.title,
        "state": verdict.state,
        "sign": sign,
        "headline": headline.replace("our function", yours),
        "about": f"{exercise.difficulty}, about {exercise.minutes} minutes",
        "task": exercise.task,
        "sentence": _without_the_place(verdict.sentence, lines),
        "lines": lines,
        "notes": list(verdict.notes),
        "after": after or {"passed": f"Later cells use y{yours}.", "emptied": EMPTIED}.get(verdict.state, FALLBACK),
        "comparison": asdict(verdict.comparison) if verdict.comparison else None,
        "printed": verdict.printed.rstrip(),
        "hints": [*filter(None, [verdict.hint]), *exercise.hints],
        "solution": "" if solutions_hidden() else solution_text(exercise),
        "explanation": exercise.explanation,
        "notice": notice,
        "pointing": None,
    }


def pointing(verdict: Verdict, function: Callable[..., Any], source: str | None) -> dict[str, Any] | None:
    """The learner's lines to choose from, and those that are off, for a card that asks before it names one. None where
    nothing was found in the code, where the error has a line already, where a known mistake is left that has none, or
    there is hardly a choice."""
    if verdict.line or not verdict.slips or verdict.found_by.count(":") > 1:
        return None
    try:
        definition, text = numbered(function, source)
    except ValueError:
        return None
    first = definition.body[1 if ast.get_docstring(definition) is not None else 0].lineno
    code = (node for node in ast.walk(definition) if isinstance(node, ast.stmt | ast.expr))
    numbers = sorted({node.lineno for node in code} - set(range(first)))
    right = sorted({slip.number for slip in verdict.slips})
    if len(numbers) < FEWEST or not set(right) <= set(numbers):
        return None
    lines = text.splitlines()
    margin = min(len(lines[n - 1]) - len(lines[n - 1].lstrip()) for n in numbers)
    return {"lines": [{"number": n, "text": lines[n - 1][margin:]} for n in numbers], "right": right}


def _lines(verdict: Verdict) -> list[dict[str, Any]]:
    """The learner's lines: where it stopped, and where a small edit helps."""
    lines = [verdict.line] if verdict.line else []
    lines += [slip for slip in verdict.slips if all((slip.number, slip.part) != (o.number, o.part) for o in lines)]
    return [
        {"number": line.number, "text": line.text, "part": line.part, "held": [f"{n}: {w}" for n, w in line.held]}
        for line in lines
    ]


def _without_the_place(sentence: str, lines: list[dict[str, Any]]) -> str:
    """The sentence without what the lines above it show: their marked parts, where a number stands for one part alone,
    and the number if there is only one."""
    numbers = [line["number"] for line in lines]
    for line in lines:
        number, place = line["number"], f"`{re.escape(line['part'])}`"
        if line["text"].count(line["part"]) == 1:
            place = f"(?:the )?{place}(?: in `[^`]+`)?"
        if numbers.count(number) == 1:
            sentence = re.sub(f"ine {number}, {place}: ", f"ine {number}: ", sentence)
    start = f"Line {numbers[0]}: " if len(numbers) == 1 else ""
    if start and sentence.startswith(start):
        rest = sentence.removeprefix(start)
        return rest[:1].upper() + rest[1:]
    return sentence


def card_page(exercise: Exercise, verdict: Verdict, notice: str = "", after: str = "") -> CellOutput:
    """The card for a page without a kernel. It holds nothing that changes from run to run."""
    data = card(exercise, verdict, notice, after)
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
    number, text, part, held = line["number"], line["text"], line["part"], line["held"]
    items = "".join(f"<li>{escape(each)}</li>" for each in held)
    marked = code_block(text, part) + (f"<ul>{items}</ul>" if held else "")
    where = f" at <code>{escape(part)}</code>" if part and text.count(part) != 1 else ""  # else it is marked
    heading = f"In line {number}{f', at {part}' if part else ''}:"
    return CellOutput(f"<p>In line {number}{where}:</p>{marked}", "\n    ".join([heading, text, *held]))


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
.anatomy-card p, .anatomy-card summary {margin: 0 0 8px}
.anatomy-card .beside {display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 10px}
.anatomy-card .beside > div {flex: 1 1 200px; background: rgba(128,128,128,.12); border-radius: 8px}
.anatomy-card .beside > div {padding: 8px 12px}
.anatomy-card .beside > .number {flex: 0 1 auto}
.anatomy-card .number strong {display: block; font-size: 24px; line-height: 1.2}
.anatomy-card .name {font-size: 13px; opacity: .8}
"""


def plain_card(state: State, headline: str, body: str) -> str:
    """A card with an edge and a headline in the state's color, which can be read in both themes; both texts are safe
    HTML.

    Boxes in a `<div class="beside">` of the body are side by side where there is room.
    """
    rules = [LOOK]
    for name, color in EDGES.items():
        card = f".anatomy-card.is-{name}"
        dark = ", ".join(f"{host} {card}" for host in palette.DARK_HOSTS)
        rules.append(f"{card} {{--state: {color.light}}}\n{dark} {{--state: {color.dark}}}\n")
    head = f'<p class="state"><strong>{headline}</strong></p>'
    return f'<style>{"".join(rules)}</style><div class="anatomy-card is-{state}">{head}{body}</div>'


Evidence = Picture | CellOutput | Mapping[str, object]


RIGHT, OTHER = "✓ Your prediction was right", "✗ It came out differently"


def outcome_page(question: Question, chosen: int | None, *shows: Evidence) -> CellOutput:
    """A prediction beside the choice that was made and what shows what happened.

    Where none was made all is folded, and the wrong choices wait in it, hidden: the view of the prediction unfolds it
    and shows the one that is noted.
    """
    right = question.choices[question.right]
    guess = None if chosen is None else question.choices[chosen]
    happened = f"What happened: {_sentence(right)}"
    state: State
    if guess is None:
        state, headline = "open", "○ What came out is covered until you guess"
        text = ["You made no prediction this time.", happened]
    elif guess is right:
        state, headline = "passed", RIGHT
        text = [f"Your prediction was right: {right.text}", right.reason]
    else:
        state, headline = "other", OTHER
        text = [f"Your prediction was: {_sentence(guess)}", happened]
    wrong = "".join(
        f'<div data-guess="{number}"{" hidden" if guess is None else ""}><p class="name">Your guess</p>'
        f"{in_code(choice.text)}<p>{in_code(choice.reason)}</p></div>"
        for number, choice in enumerate(question.choices)
        if choice is not right and (guess is None or choice is guess)
    )
    boxes = f'{wrong}<div><p class="name">What happened</p>{in_code(right.text)}</div>'
    evidence = stacked(*map(_evidence, shows))
    body = f'<div class="beside">{boxes}</div><p>{in_code(right.reason)}</p>{evidence.html}'
    if guess is None:
        fold = details("Show it without guessing", body)
        body = f'<div data-outcome="{escape(question.id)}" data-right="{RIGHT}" data-other="{OTHER}">{fold}</div>'
    return CellOutput(plain_card(state, headline, body), "\n".join(filter(None, [*text, evidence.text])))


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
