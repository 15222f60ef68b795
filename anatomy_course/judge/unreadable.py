"""A cell that Python cannot read never reaches its decorator: seen before IPython compiles it, it gets its card too."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

from anatomy_course.judge.decorator import answered, without_exercise
from anatomy_course.judge.judging.crash import SourceLine
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.registry import find_exercise, ids
from anatomy_course.page.page import shell

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
        line = text.splitlines()[number - 1].strip() if number <= text.count("\n") + 1 else ""
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
