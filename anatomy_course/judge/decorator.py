"""`@exercise("attention.scores")`: running the cell checks the function in it and shows the card."""

from __future__ import annotations

import ast
import functools
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from anatomy_course.judge.again.ideas import idea_behind
from anatomy_course.judge.attempt.surroundings import as_usual
from anatomy_course.judge.card import FALLBACK, card, card_page, plain_card, pointing
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.judging.crash import SourceLine
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.answer_source import standing_alone
from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import earlier_exercises, earlier_pieces, exercises_of, find_exercise, ids
from anatomy_course.judge.slips.sentences import remember_hint
from anatomy_course.judge.stub import globals_of, is_untouched, names_reached, source_of
from anatomy_course.page.page import CellOutput, paragraph, shell, show, show_for_now, stacked


@dataclass(eq=False, repr=False)
class Answer:
    """What an exercise cell leaves under the function's name: callable like the function itself."""

    exercise: Exercise  # which one
    yours: Callable[..., Any]  # the function that the learner wrote, right or not
    used: Callable[..., Any]  # the function that a call runs: `yours` when it passed, the reference otherwise
    verdict: Verdict  # what the judge found
    card: CellOutput

    def __post_init__(self) -> None:
        facts = dict(vars(self))
        functools.update_wrapper(self, self.used)
        vars(self).update(facts)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.used(*args, **kwargs)

    @property
    def passed(self) -> bool:
        return self.verdict.passed

    def __repr__(self) -> str:
        whose = "yours" if self.passed else "the course's own version"
        return f"<{self.exercise.function_name}: {whose}>"


def exercise(id: object, *, record: Progress | None = None, seconds: float | None = None) -> Callable[[Any], Any]:
    """Check the decorated function or class, show its card, and leave one that works under its name.

    Args:
        id: such as `"attention.scores"`.
        record: where to note the attempt; the learner's own file when left out.
        seconds: a time limit other than the exercise's own.

    Returns:
        A decorator. What it returns runs the learner's function if that passed and the reference if not; the
        learner's own is at `.yours`. Of a class it returns a class.

    Raises:
        ValueError: there is no such exercise (in a notebook a card says so), or what is decorated is not what the
            exercise asks for.
    """
    if not isinstance(id, str):
        sentence = '@exercise needs an id in parentheses: @exercise("attention.scores").'
        return without_exercise(sentence, id)  # type: ignore[no-any-return]
    try:
        found = find_exercise(id)
    except ValueError as error:
        if shell() is None:
            raise
        return functools.partial(without_exercise, str(error))

    def check(function: Any) -> Any:
        if _is_answer(function):
            function = function.yours
        if not callable(function) or isinstance(function, type) is not (found.kind == "class"):
            word = "class" if found.kind == "class" else "def"
            raise ValueError(f"@exercise({id!r}) belongs directly above a `{word}`.")
        notes = record or own_progress()
        with as_usual() as not_usual:
            return checked(function, notes, not_usual)

    def checked(function: Any, notes: Progress, not_usual: tuple[str, ...]) -> Any:
        source = source_of(function)
        verdict = verdict_on(found, function, source, notes, not_usual, seconds)
        if behind := idea_behind(found.id, verdict.found_by, notes.read()):
            verdict = replace(verdict, notes=(*verdict.notes, behind))
        if verdict.state not in ("not attempted", "unchecked"):
            alone = standing_alone(function, source) if verdict.passed else None
            notes.attempted(found.id, passed=verdict.passed, source=alone, found_by=verdict.found_by)
        elif verdict.found_by == "untouched" and notes.passed(found.id):
            verdict = replace(verdict, state="emptied")
        return answered(found, function, verdict, notes)

    return check


def verdict_on(
    found: Exercise,
    function: Any,
    source: str | None,
    notes: Progress,
    not_usual: tuple[str, ...],
    seconds: float | None = None,
) -> Verdict:
    """What the judge finds, with a note on what was `not_usual` around the answer, and on pieces that it was lent."""
    with _naming_itself(function, found), _with_earlier_pieces(function, found) as said, notes.checking(found.id):
        verdict = _judged(found, function, source, seconds)
    return replace(verdict, notes=(*verdict.notes, *not_usual, *said))


def answered(found: Exercise, function: Any, verdict: Verdict, notes: Progress) -> Any:
    """Show the card, and give what the cell leaves under the function's name."""
    remember_hint(found.id, verdict.hint)
    for output in verdict.displayed:
        output.display()
    page = _page(found, function, verdict, notes)
    show(page)
    answer = Answer(found, function, function if verdict.passed else found.resolve(), verdict, page)
    return _as_class(answer) if found.kind == "class" else answer


def without_exercise(sentence: str, function: Any) -> Any:
    """Say in a card that the cell's id is that of no exercise; of a function that the course knows by its name, the
    course's own version is left.

    Raises:
        ValueError: there is no notebook to show a card in.
    """
    if shell() is None:
        raise ValueError(sentence)
    name = getattr(function, "__name__", "")
    meant = next((known for known in map(find_exercise, ids()) if known.function_name == name), None)
    said = [sentence, "Correct the id in the line that begins with `@exercise`, and run the cell again."]
    if meant is not None:
        said.append(f"The exercise whose function is `{name}` is `{meant.id}`. {FALLBACK}")
    headline, body = "✗ No such exercise", stacked(*map(paragraph, said))
    show(CellOutput(plain_card("failed", headline, body.html), f"{headline}\n{body.text}"))
    return function if meant is None else meant.resolve()


def _as_class(answer: Answer) -> type:
    """A class stays a class, so that it can be a base, be named in `super(…)` and have its instances pickled: the one
    that is used carries what the answer knows. What stands in for a class that failed is a child of the reference, so
    that this stays as it is."""
    facts = {name: getattr(answer, name) for name in ("exercise", "yours", "used", "verdict", "card", "passed")}
    if not answer.passed:
        name = answer.exercise.function_name
        origin = {"__module__": answer.yours.__module__, "__qualname__": name, "__doc__": answer.used.__doc__}
        return type(name, (answer.used,), {**origin, **facts})  # type: ignore[arg-type]
    for fact, value in facts.items():
        setattr(answer.yours, fact, value)
    return answer.yours  # type: ignore[return-value]


def _is_answer(value: Any, found: Exercise | None = None) -> bool:
    """Whether an exercise cell left this, or the cell of one exercise; a class's children and instances are others."""
    if not isinstance(value, Answer | type) or not isinstance(of := vars(value).get("exercise"), Exercise):
        return False
    return found is None or of is found


@contextmanager
def _naming_itself(function: Callable[..., Any], found: Exercise) -> Iterator[None]:
    """While it is judged, its name is the function's own, and so is every name under which an earlier run of the
    exercise left an `Answer`: that may run the course's version."""
    names = globals_of(function)
    own = {name for name, value in names.items() if _is_answer(value, found)}
    own.add(getattr(function, "__name__", found.function_name))
    before = {name: names[name] for name in own & names.keys()}
    names.update(dict.fromkeys(own, function))
    try:
        yield
    finally:
        for name in own:
            names.pop(name, None)
        names.update(before)


@contextmanager
def _with_earlier_pieces(function: Callable[..., Any], found: Exercise) -> Iterator[tuple[str, ...]]:
    """While it is judged, the pieces of earlier exercises that it may call are those that their cells left: right, or
    the course's own. A name that the notebook lacks stays with the course's own piece, for the answer needs it later.

    Gives the sentences that say where the course's own is used.
    """
    names, said = globals_of(function), []
    own = earlier_pieces(found)
    used = names_reached(function)
    before: dict[str, Any] = {}
    for piece in earlier_exercises(found):
        name = piece.function_name
        if _is_answer(names.get(name), piece) or name not in used:
            continue
        if name in names and names[name] is not own[name]:
            before[name] = names[name]
            said.append(
                f"`{name}` in your notebook did not come from `{piece.id}`; the course's own was used in this check."
            )
        else:
            said.append(f"The cell of `{piece.id}` was not run, so `{name}` is the course's own.")
        names[name] = own[name]
    try:
        yield tuple(said)
    finally:
        names.update(before)


def _judged(found: Exercise, function: Callable[..., Any], source: str | None, seconds: float | None) -> Verdict:
    if is_untouched(function, source):
        return Verdict("not attempted", found.task, "untouched")
    with ExitStack() as shown:

        def on_wait() -> None:
            shown.callback(show_for_now("Looking for the line"))

        try:
            return judge(found, function, source=source, seconds=seconds, search=True, on_wait=on_wait)
        except Exception as error:  # a failed check must not look like a wrong answer, nor stop the notebook
            sentence = (
                f"The check stopped with an error of its own, so it says nothing about your {found.kind}. "
                f"Please report it with your {found.kind} and this line."
            )
            return Verdict("unchecked", sentence, "unchecked", (f"{type(error).__name__}: {error}",))


def _page(found: Exercise, function: Any, verdict: Verdict, notes: Progress) -> CellOutput:
    notice = notes.take_notice()
    static = card_page(found, verdict, notice)

    def live() -> Any:
        from anatomy_course.views.card.view import Card

        data = card(found, verdict, notice) | {"pointing": pointing(verdict, function, source_of(function))}
        if verdict.passed:
            data["after"] += " " + _way_on(found, notes)
        right = {slip.number for slip in verdict.slips}
        return Card(
            data,
            page=static,
            on_help=lambda hints, solved: notes.helped(found.id, hints=hints, solution=solved),
            on_point=lambda line: notes.pointed(found.id, right=line in right),
        )

    return CellOutput(static.html, static.text, live)


def _way_on(found: Exercise, notes: Progress) -> str:
    """How many of the notebook's exercises have passed, and which comes next: after this one, where any is open."""
    every = exercises_of(found.id.partition(".")[0])
    passed = {id for id in every if id == found.id or notes.entry("exercises", id).get("passed")}
    order = list(every)
    place = order.index(found.id)
    still_open = [id for id in order[place:] + order[:place] if id not in passed]
    if not still_open:
        return "Every exercise in this notebook has passed."
    return f"Passed in this notebook: {len(passed)} of {len(every)}; next: {every[still_open[0]].title}."


DECORATOR = re.compile(r"^@(?:\w+\.)*exercise\(\s*(['\"])(.+?)\1", re.MULTILINE)
MAGIC = re.compile(r"^\s*[%!?]|^\s*[\w.]+\?+\s*$|=\s*[%!][^=]", re.MULTILINE)
"""What IPython makes Python of later: such a cell is left to it."""

PLAIN = {
    r"expected ':'": "a `:` is missing.",
    r"'(.)' was never closed": "the `{0}` is never closed.",
    r"unmatched '(.)'": "the `{0}` closes nothing.",
    r"closing parenthesis '(.)' does not match opening parenthesis '(.)'": "the `{0}` does not close the `{1}`.",
    r"unterminated triple-quoted": "a text in triple quotes begins here and never ends.",
    r"unterminated (?:f-)?string|EOL while scanning": "a text begins here, and its closing quote is missing.",
    r"expected an indented block": "it must be indented four spaces more than the line above, which ends in `:`.",
    r"unindent does not match": "its indent matches no line above; use four spaces a level.",
    r"unexpected indent": "it is indented more than the line above, which does not end in `:`.",
    r"'(\w+)' outside (?:async )?function": "this `{0}` is outside the function; indent it by four spaces.",
    r"Perhaps you forgot a comma": "perhaps a comma is missing.",
}


def watch_cells() -> None:
    """From now on an exercise's cell that cannot be read shows a card; done once, and only where IPython runs."""
    transformers = getattr(shell(), "input_transformers_cleanup", None)
    if transformers is not None and instead not in transformers:
        transformers.append(instead)


def instead(lines: list[str]) -> list[str]:
    """A cell's lines, or, of an exercise's cell that cannot be read, one line that shows why."""
    text = "".join(lines)
    decorator = DECORATOR.search(text)
    if decorator is None or MAGIC.search(text):
        return lines
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # IPython warns when it compiles the cell
            compile(text, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        id, number = decorator[2], error.lineno or 1
        line = "".join(text.splitlines()[number - 1 : number]).strip()
        name = f"{find_exercise(id).function_name} = " if id in ids() else ""
        module = f"__import__({__name__!r}, fromlist=['unreadable'])"
        return [f"{name}{module}.unreadable({id!r}, {number}, {line!r}, {error.msg!r})\n"]
    except ValueError:  # a null character
        pass
    return lines


def unreadable(id: str, number: int, line: str, message: str) -> Any:
    """Show why Python cannot read the cell, and give the course's own version."""
    try:
        found = find_exercise(id)
    except ValueError as error:
        without_exercise(str(error), None)
        return None
    sentence = f"Python stops at this line: {in_words(message)} Correct it and run the cell again."
    verdict = Verdict("unreadable", sentence, "syntax", line=SourceLine(number, line))
    return answered(found, found.resolve(), verdict, own_progress())


def in_words(message: str) -> str:
    """Python's message about a cell that it cannot read, in plain words.

    >>> in_words("'(' was never closed")
    'the `(` is never closed.'
    """
    for pattern, words in PLAIN.items():
        if match := re.search(pattern, message):
            return words.format(*match.groups())
    return f"“{message}”."
