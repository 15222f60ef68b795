"""A crash in one or two sentences: first from what was on the line, then from the error's own message."""

from __future__ import annotations

import re

from anatomy_course.judge.judging import index_words, python_words, shape_words
from anatomy_course.judge.judging.error_messages import plain_words, str_of
from anatomy_course.judge.judging.place import Place


def crash_words(error: BaseException, place: Place | None, own_names: tuple[str, ...]) -> str:
    """What went wrong.

    Args:
        error: what was raised.
        place: where; None when the call itself did not fit.
        own_names: what the learner's function is called.
    """
    if place is None:
        return plain_words(error)
    called = [name for name in own_names if re.search(rf"\b{re.escape(name)}\b", place.text)]
    if isinstance(error, RecursionError) and called:
        return (
            f"Your function calls itself and never ends: `{called[0]}` in line {place.number} is your own function, "
            "not the course's."
        )
    if words := python_words.says_itself(place, error, own_names):
        return words
    message = str_of(error)
    for look in (*index_words.WORDS, *shape_words.WORDS, *python_words.WORDS):
        if words := look(place, message):
            return words
    return plain_words(error)
