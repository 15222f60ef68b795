"""What a learner asks for in words: hints, the solution, questions, predictions, and progress."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from anatomy_course.judge.again.schedule import all_due
from anatomy_course.judge.again.sibling import ROUNDS
from anatomy_course.judge.card import Evidence, outcome_page
from anatomy_course.judge.progress.location import own_progress, solutions_hidden
from anatomy_course.judge.progress.record import Progress, Record, count
from anatomy_course.judge.questions import Question, question_page
from anatomy_course.judge.registry import exercises_of, find_exercise, find_question, ids, questions_of
from anatomy_course.judge.slips.sentences import hint_for_your_line, last_checked
from anatomy_course.judge.stub import solution_text
from anatomy_course.page.notebooks import NOTEBOOKS, Notebook
from anatomy_course.page.page import CellOutput, code_block, details, escape, html_table, in_code, paragraph

MOST_OFFERED = 3  # exercises that are named as due once more


def _of_an_exercise(help: Callable[..., CellOutput]) -> Callable[..., CellOutput]:
    """Help for the exercise named, or for the one that was checked last; one sentence where there is none such."""

    @wraps(help)
    def shown(id: str | None = None, *, record: Progress | None = None) -> CellOutput:
        id = last_checked() if id is None else id
        if id is None:
            name = help.__name__
            return paragraph(f'Run the cell of an exercise first, or name one: {name}("{next(iter(ids()))}").')
        try:
            find_exercise(id)
        except ValueError as error:
            return paragraph(str(error))
        return help(id, record=record)

    return shown


@_of_an_exercise
def hint(id: str, *, record: Progress | None = None) -> CellOutput:
    """The next hint of an exercise: each call shows one more, with those before it.

    Where the last check found the learner's own line, how that could read comes first. Without an id, it is of the
    exercise that was checked last.
    """
    exercise = find_exercise(id)
    notes = record or own_progress()
    seen = notes.entry("exercises", id).get("hints", 0)
    count = min((seen if isinstance(seen, int) else 0) + 1, len(exercise.hints))
    notes.helped(id, hints=count)
    given = [*filter(None, [hint_for_your_line(id)]), *exercise.hints[:count]]
    left = len(exercise.hints) - count
    last = "That was the last one" + ("." if solutions_hidden() else f'; there is still solution("{id}").')
    more = f'{left} more: hint("{id}").' if left else last
    items = "".join(f"<li>{in_code(text)}</li>" for text in given)
    page = f"<div><p><strong>{escape(exercise.title)}</strong></p><ol>{items}</ol><p>{in_code(more)}</p></div>"
    lines = [exercise.title, *(f"  {i}. {text}" for i, text in enumerate(given, 1)), more]
    return CellOutput(page, "\n".join(lines))


@_of_an_exercise
def solution(id: str, *, record: Progress | None = None) -> CellOutput:
    """The solution of an exercise and why it works; one sentence where a teacher has hidden the solutions.

    Without an id, it is of the exercise that was checked last.
    """
    exercise = find_exercise(id)
    if solutions_hidden():
        return paragraph(f'Solutions are hidden in this class; hint("{id}") shows the next hint.')
    (record or own_progress()).helped(id, solution=True)
    text = solution_text(exercise)
    return CellOutput(
        f"<div>{code_block(text)}<p>{in_code(exercise.explanation)}</p></div>", f"{text}\n{exercise.explanation}"
    )


def ask(id: str, *, record: Progress | None = None) -> CellOutput:
    """A question with its choices.

    Raises:
        ValueError: there is no such question, or it is a prediction.
    """
    return _choices(_of_kind(id, "question"), record or own_progress())


def predict(id: str, *, record: Progress | None = None) -> CellOutput:
    """A prediction to be made before the next cell runs.

    Raises:
        ValueError: there is no such prediction, or it is a question.
    """
    return _choices(_of_kind(id, "prediction"), record or own_progress())


def outcome(id: str, *shows: Evidence, record: Progress | None = None) -> CellOutput:
    """The prediction that was made, beside what happened; covered until one is made.

    Args:
        id: of the prediction.
        shows: what shows it: pictures, tables, or a few numbers by name.
        record: where the prediction was noted; the learner's own file when left out.

    Raises:
        ValueError: there is no such prediction, or it is a question.
    """
    question = _of_kind(id, "prediction")
    chosen = (record or own_progress()).entry("predictions", id).get("choice")
    known = isinstance(chosen, int) and 0 <= chosen < len(question.choices)
    return outcome_page(question, chosen if known else None, *shows)


def _of_kind(id: str, kind: str) -> Question:
    question = find_question(id)
    if question.kind != kind:
        other = "predict" if question.kind == "prediction" else "ask"
        raise ValueError(f"{id!r} is a {question.kind}; show it with {other}({id!r}).")
    return question


def _choices(question: Question, notes: Progress) -> CellOutput:
    static = question_page(question)

    def note(choice: int) -> None:
        if question.kind == "prediction":
            notes.predicted(question.id, choice)
        else:
            notes.answered(question.id, choice, right=question.choices[choice].right)

    def live() -> Any:
        from anatomy_course.views.choice.view import ChoiceQuestion

        made = notes.entry("predictions", question.id).get("choice", -1) if question.kind == "prediction" else -1
        return ChoiceQuestion(question.data(), page=static, chosen=made, on_choice=note)

    return CellOutput(static.html, static.text, live)


def progress(notebook: str | None = None, *, record: Progress | None = None) -> CellOutput:
    """How many exercises have passed, notebook by notebook.

    Args:
        notebook: the prefix of one notebook's ids (`"attention"`), to see its exercises one by one.
        record: whose progress; the learner's own when left out.

    Raises:
        ValueError: there is no such notebook.
    """
    notes = record or own_progress()
    read = notes.read()
    known = {notebook.prefix: notebook for notebook in NOTEBOOKS}
    if notebook is not None and notebook not in known:
        raise ValueError(f"There is no notebook {notebook!r}; there are {', '.join(map(repr, known))}.")
    page, lines = _of_all(read) if notebook is None else _of_one(known[notebook], read)
    pointed = _pointed(read)
    offer = _offer(sorted(all_due(read), key=lambda id: id.partition(".")[0] != notebook))
    page, lines = page + pointed.html + offer.html, [*lines, *filter(None, [pointed.text, offer.text])]
    notice = notes.take_notice()
    said = f"<p>{escape(notice)}</p>" if notice else ""
    return CellOutput(f"<div>{page}{said}</div>", "\n".join([*lines, notice] if notice else lines))


def _of_all(record: Record) -> tuple[str, list[str]]:
    lines, cells = ["Your progress"], []
    for notebook in NOTEBOOKS:
        name, exercises = f"{notebook.number} {notebook.title}", list(exercises_of(notebook.prefix))
        questions = [q.id for q in questions_of(notebook.prefix).values() if q.kind == "question"]
        passed = sum(bool(record["exercises"].get(id, {}).get("passed")) for id in exercises)
        answered = sum(bool(record["questions"].get(id, {}).get("right")) for id in questions)
        alone = sum(count(record["exercises"].get(id, {}), "alone") > 0 for id in exercises)
        passed_alone = f" ({alone} alone)" if alone else ""
        words = f"{passed} of {len(exercises)} exercises{passed_alone}, {answered} of {len(questions)} questions"
        lines.append(f"  {name:<16} [{'#' * passed}{'.' * (len(exercises) - passed)}] {words}")
        bar = f'<progress value="{passed}" max="{len(exercises)}" aria-label="{escape(name)}"></progress>'
        cells.append((escape(name), bar, words))
    return html_table((), cells, "Your progress"), lines


def _of_one(notebook: Notebook, record: Record) -> tuple[str, list[str]]:
    exercises, entries = exercises_of(notebook.prefix).values(), record["exercises"]
    items = [
        (each.title, bool(entry.get("passed")), count(entry, "alone"))
        for each in exercises
        for entry in [entries.get(each.id, {})]
    ]
    headline = f"{sum(done for _, done, _ in items)} of {len(items)} exercises"
    lines, rows = [f"{notebook.number} {notebook.title}: {headline}"], ""
    for name, done, alone in items:
        times = f", alone {alone} of {ROUNDS} times" if alone else ""
        lines.append(f"  {'✓' if done else '○'} {name}{times}")
        rows += f"<li>{escape(name)}: {'✓ passed' if done else '○ open'}{times}</li>"
    return details(headline, f"<ul>{rows}</ul>"), lines


def _pointed(record: Record) -> CellOutput:
    """How often the learner pointed at the line that was off before a card named it; nothing where nobody was asked."""
    entries = record["exercises"].values()
    asked, right = (sum(count(entry, name) for entry in entries) for name in ("pointed", "pointed_right"))
    return paragraph(f"Lines that were off, found by yourself: {right} of {asked}.") if asked else CellOutput("", "")


def _offer(waiting: list[str]) -> CellOutput:
    """What is due once more, alone; nothing where nothing is."""
    if not waiting:
        return CellOutput("", "")
    names = ", ".join(f"*{find_exercise(id).title}*" for id in waiting[:MOST_OFFERED])
    more = f" and {len(waiting) - MOST_OFFERED} more" if len(waiting) > MOST_OFFERED else ""
    call = f'from anatomy_course import again; again("{waiting[0]}")'
    return paragraph(f"Due once more, alone: {names}{more}. In a cell of your own: `{call}`")
