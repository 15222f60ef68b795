"""A class at a glance: many learners' progress files as one table and one page. Nothing is sent anywhere.

    python -m anatomy_utils.exercises.report FOLDER

FOLDER holds the progress files, each in its learner's folder (anna/progress.json) or under the learner's name
(anna.json). Written are `class.csv`, a row for each learner and exercise that was tried, and `class.html`, a picture of
who passed what, and which mistakes were met how often.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from anatomy_utils.exercises.definition import Exercise
from anatomy_utils.exercises.progress.record import checked
from anatomy_utils.exercises.registry import exercises_of, ids
from anatomy_utils.figures.contents import NOTEBOOKS
from anatomy_utils.notebook.page import escape, html_table, in_code

COLUMNS = ("learner", "exercise", "passed", "tries", "hints", "solution seen", "mistakes met")
SIDE = 15
"""Pixels of a square in the picture."""
MOST_MET = 3
STYLE = (
    "<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;"
    "padding:0 1rem}table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem .2rem 0;text-align:start;"
    "vertical-align:top;border-bottom:1px solid #8886}.scroll{overflow-x:auto}.passed{fill:#00795c}.tried{fill:#d98c2b}"
    ".open{fill:#8883}svg text{font-size:12px;fill:currentColor}</style>"
)


@dataclass(frozen=True)
class Learner:
    """One progress file.

    Attributes:
        name: what the file or its folder is called.
        exercises: id → its entry, those of this course that were tried.
    """

    name: str
    exercises: dict[str, dict[str, Any]]

    def tries(self, id: str) -> int:
        """How often one exercise was checked."""
        value = self.exercises.get(id, {}).get("tries", 0)
        return value if isinstance(value, int) else 0

    def passed(self, id: str) -> bool:
        """Whether it has passed."""
        return self.exercises.get(id, {}).get("passed") is True

    def mistakes(self, id: str) -> Counter[str]:
        """What the judge found (as `mistake:no_scale`) → in how many tries."""
        met = self.exercises.get(id, {}).get("met", {})
        counts = met.items() if isinstance(met, dict) else ()
        return Counter({str(name): count for name, count in counts if isinstance(count, int)})


def read_class(folder: Path) -> tuple[list[Learner], list[str]]:
    """The learners of a folder, in the order of their names, and a sentence for each file that is no progress file.

    Raises:
        ValueError: there is no such folder, or nothing in it that could be a progress file.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; name the one that holds the progress files.")
    files = sorted(path for path in folder.rglob("*.json") if not path.name.startswith("."))
    learners, refused, here = [], [], set(ids())
    for file in files:
        name = file.relative_to(folder)
        try:
            record = checked(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, RecursionError) as error:
            refused.append(f"{name} is left out: {type(error).__name__}, it is no progress file.")
            continue
        known = {id: entry for id, entry in record["exercises"].items() if id in here}
        of_folder = name.name == "progress.json" and name.parent != Path()
        learners.append(Learner(str(name.parent if of_folder else name.with_suffix("")), known))
    if not learners:
        raise ValueError(f"{folder} holds no progress file: they are called progress.json, or a learner's name.json.")
    return learners, refused


def rows(learners: list[Learner]) -> list[tuple[str, ...]]:
    """The table: see `COLUMNS`."""
    return [
        (
            learner.name,
            id,
            "yes" if learner.passed(id) else "no",
            str(learner.tries(id)),
            str(entry.get("hints", 0)),
            "yes" if entry.get("solution_seen") is True else "no",
            "; ".join(f"{name} × {count}" for name, count in learner.mistakes(id).most_common()),
        )
        for learner in learners
        for id, entry in learner.exercises.items()
    ]


def page(learners: list[Learner]) -> str:
    """The page: who passed what as a picture, then each exercise with its tries and the mistakes that were met most."""
    parts = [f"<h1>{len(learners)} learners</h1>", "<p>Green: passed. Orange: tried. Gray: not tried yet.</p>"]
    for notebook in NOTEBOOKS:
        exercises = list(exercises_of(notebook.prefix).values())
        if not exercises:
            continue
        parts += [f"<h2>{notebook.number} {escape(notebook.title)}</h2>", _picture(learners, exercises)]
        parts.append(_table(learners, exercises))
    head = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Class</title>{STYLE}</head>"
    return f"{head}<body>{''.join(parts)}</body></html>\n"


def _picture(learners: list[Learner], exercises: list[Exercise]) -> str:
    left = 8 * max(len(learner.name) for learner in learners) + 12
    squares = []
    for row, learner in enumerate(learners):
        squares.append(f'<text x="0" y="{(row + 0.8) * SIDE:.0f}">{escape(learner.name)}</text>')
        for column, each in enumerate(exercises):
            state = "passed" if learner.passed(each.id) else "tried" if learner.tries(each.id) else "open"
            words = f"{learner.name}, {each.title}: {state}, {learner.tries(each.id)} tries"
            squares.append(
                f'<rect class="{state}" x="{left + column * SIDE}" y="{row * SIDE}" width="{SIDE - 2}" '
                f'height="{SIDE - 2}" rx="2"><title>{escape(words)}</title></rect>'
            )
    passed = sum(learner.passed(each.id) for learner in learners for each in exercises)
    told = f"{passed} of {len(learners) * len(exercises)} exercises passed, a row for each learner"
    size = f'width="{left + len(exercises) * SIDE}" height="{len(learners) * SIDE}"'
    return f'<div class="scroll"><svg role="img" aria-label="{told}" {size}>{"".join(squares)}</svg></div>'


def _table(learners: list[Learner], exercises: list[Exercise]) -> str:
    cells = []
    for each in exercises:
        tried = [learner for learner in learners if learner.tries(each.id)]
        passed = sum(learner.passed(each.id) for learner in tried)
        met = sum((learner.mistakes(each.id) for learner in tried), Counter())
        often = f"{median(learner.tries(each.id) for learner in tried):g}" if tried else ""
        told = "<br>".join(f"{count} × {_in_words(each, name)}" for name, count in met.most_common(MOST_MET))
        cells.append((escape(each.title), f"{passed} of {len(tried)}", often, told))
    return html_table(("exercise", "passed, of those who tried", "tries (median)", "met most"), cells)


def _in_words(exercise: Exercise, found_by: str) -> str:
    """The sentence of a known mistake; for anything else what kind of finding it was."""
    name = found_by.removeprefix("mistake:")
    sentence = next((each.sentence for each in exercise.mistakes if each.name == name), "")
    return in_code(sentence or f"`{found_by}`")


def main(arguments: list[str] | None = None) -> int:
    """Write both files; 2 when there is nothing to read."""
    parser = argparse.ArgumentParser(
        prog="python -m anatomy_utils.exercises.report", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="holds the progress files, in folders or under the learners' names")
    parser.add_argument("--out", type=Path, default=Path(), help="where both files go; here when left out")
    options = parser.parse_args(arguments)
    try:
        learners, refused = read_class(options.folder)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "class.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows(learners)])
    (options.out / "class.html").write_text(page(learners), encoding="utf-8")
    passed = sum(learner.passed(id) for learner in learners for id in learner.exercises)
    told = f"Learners: {len(learners)}. Exercises passed: {passed}. class.csv and class.html are in {options.out}."
    sys.stdout.writelines(f"{line}\n" for line in (*refused, told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
