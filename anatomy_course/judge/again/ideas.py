"""The idea behind two mistakes in two exercises, said when the second one is made."""

from __future__ import annotations

import importlib

from anatomy_course.judge.progress.record import Record, count
from anatomy_course.judge.registry import find_exercise

KNOWN = "mistake:"  # what the record puts before the name of a catalogued mistake


def idea_behind(id: str, found_by: str, record: Record) -> str:
    """What a mistake has in common with one that this learner made in another exercise; empty where nothing is known.

    Args:
        id: the exercise in which it was made.
        found_by: what found it, as the record has it: `"mistake:no_root"`.
        record: what the learner has done so far.
    """
    name = found_by.removeprefix(KNOWN)
    for idea in importlib.import_module("anatomy_course.content.ideas").IDEAS:
        exercises, mistakes = idea.exercises.split(), idea.mistakes.split()
        if name == found_by or id not in exercises or name not in mistakes:
            continue
        for other in exercises:
            met = record["exercises"].get(other, {}).get("met")
            if other != id and isinstance(met, dict) and any(count(met, KNOWN + each) for each in mistakes):
                return f"It is the idea that was missing in *{find_exercise(other).title}*, too. {idea.sentence}"
    return ""
