"""A class at a glance: many learners' progress files as one table and one page. Nothing is sent anywhere.

    python -m anatomy_course.judge.report FOLDER

FOLDER holds the progress files, each in its learner's folder (anna/progress.json) or under the learner's name
(anna.json); /home will do as well, where the course puts them by itself. Written are `class.csv`, a row for each
learner and exercise that was tried, and `class.html`, a picture of who passed what, and which mistakes were met how
often. The files are the learners': no link is followed, no code in them runs, and nothing in one spoils the report.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.progress import files
from anatomy_course.judge.progress.record import DAMAGED, checked, count
from anatomy_course.judge.registry import exercises_of, ids
from anatomy_course.page.notebooks import NOTEBOOKS
from anatomy_course.page.page import escape, html_table, in_code

COLUMNS = ("learner", "exercise", "passed", "tries", "hints", "solution seen", "alone", "mistakes met")
SIDE = 15  # pixels of a square in the picture
MOST_MET = 3
PLACES = (Path("progress.json"), Path(".local/share/transformer-anatomy/progress.json"))
"""Where a learner's file is in the learner's folder."""
KINDS, LENGTH = 20, 80  # of findings in one exercise, and of characters in a name, no more are read
FORMULA = re.compile(r"(^|[;,|])(\s*)(?=[-=+@])")
"""Where a spreadsheet would begin to compute: at the start of a cell, whatever it takes for the end of one."""
STYLE = (
    "<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;"
    "padding:0 1rem}table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem .2rem 0;text-align:start;"
    "vertical-align:top;border-bottom:1px solid #8886}.scroll{overflow-x:auto}.passed{fill:#00795c}.tried{fill:#d98c2b}"
    ".open{fill:#8883}svg text{font-size:12px;fill:currentColor}</style>"
)


@dataclass(frozen=True)
class Learner:
    name: str  # what the file or its folder is called
    exercises: dict[str, dict[str, Any]]  # id → its entry, those of this course that were tried

    def tries(self, id: str) -> int:
        return count(self.exercises.get(id, {}), "tries")

    def passed(self, id: str) -> bool:
        return self.exercises.get(id, {}).get("passed") is True

    def alone(self, id: str) -> int:
        """How many of its siblings were right when they were handed in."""
        return count(self.exercises.get(id, {}), "alone")

    def mistakes(self, id: str) -> Counter[str]:
        """What the judge found (as `mistake:no_scale`) → in how many tries."""
        met = self.exercises.get(id, {}).get("met", {})
        counts = Counter({_plain(name): count(met, name) for name in met} if isinstance(met, dict) else {})
        return Counter(dict((+counts).most_common(KINDS)))


def read_class(folder: Path) -> tuple[list[Learner], list[str]]:
    """The learners of a folder, in the order of their names, and a sentence for each file that cannot be read.

    Raises:
        ValueError: there is no such folder, or no progress file in it that can be read.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; name the one that holds the progress files.")
    learners, refused, here = [], [], set(ids())
    for path, places in _candidates(folder):
        for place in places:
            try:
                exercises = _exercises(place, path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                refused.append(f"{_plain(path.name)} is left out: {error.strerror}.")
            except ValueError as error:
                refused.append(f"{_plain(path.name)} is left out: {error}.")
            else:
                known = {id: entry for id, entry in exercises.items() if id in here}
                learners.append(Learner(_plain(path.name if place != path else path.stem), known))
            break
    if not learners:
        lacks = f"{folder} holds no progress file: they are called progress.json, or a learner's name.json."
        raise ValueError("\n".join([*refused, lacks]))
    return learners, refused


def _candidates(folder: Path) -> Iterator[tuple[Path, list[Path]]]:
    """What may be a learner's, and where the progress would be: the first place that is there counts."""
    try:
        with os.scandir(folder) as entries:
            found = sorted((entry for entry in entries if entry.name[0] != "."), key=lambda entry: entry.name)
    except OSError as error:
        raise ValueError(f"{folder} cannot be read ({error.strerror}); ask its owner, or run this as root.") from error
    for entry in found:
        path = folder / entry.name
        if entry.is_dir(follow_symlinks=False):
            yield path, [path / place for place in PLACES]
        elif path.suffix == ".json" or entry.is_symlink():
            yield path, [path]


def _exercises(file: Path, learner: Path) -> dict[str, dict[str, Any]]:
    """The exercises in one file.

    Raises:
        ValueError: it is not to be read; the message says why.
    """
    content, status = files.read_of_others(file)
    if len(file.parts) > len(learner.parts) + 1 and status.st_uid != learner.stat().st_uid:
        raise ValueError("it belongs to somebody else")  # a folder on the way may be a link to theirs
    try:
        exercises: dict[str, dict[str, Any]] = checked(files.DECODE(content.decode("utf-8")))["exercises"]
    except DAMAGED:
        raise ValueError("it is no progress file") from None
    return exercises


def _plain(name: str) -> str:
    """A name as it can be written anywhere: on one line, without half characters, and not too long."""
    return "".join(each if each.isprintable() else "?" for each in name[:LENGTH])


def rows(learners: list[Learner]) -> list[tuple[str, ...]]:
    return [
        (
            learner.name,
            id,
            "yes" if learner.passed(id) else "no",
            str(learner.tries(id)),
            str(count(entry, "hints")),
            "yes" if entry.get("solution_seen") is True else "no",
            str(learner.alone(id)),
            "; ".join(f"{name} × {times}" for name, times in learner.mistakes(id).most_common()),
        )
        for learner in learners
        for id, entry in learner.exercises.items()
    ]


def page(learners: list[Learner], refused: list[str] | None = None) -> str:
    """The page: who passed what as a picture, then each exercise with its tries and the mistakes that were met most."""
    parts = [f"<h1>{len(learners)} learners</h1>", "<p>Green: passed. Orange: tried. Gray: not tried yet.</p>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in refused or []]
    for notebook in NOTEBOOKS:
        if exercises := list(exercises_of(notebook.prefix).values()):
            parts.append(f"<h2>{notebook.number} {escape(notebook.title)}</h2>")
            parts += [_picture(learners, exercises), _table(learners, exercises)]
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
        alone = sum(learner.alone(each.id) > 0 for learner in tried)
        told = "<br>".join(f"{times} × {_in_words(each, name)}" for name, times in met.most_common(MOST_MET))
        cells.append((escape(each.title), f"{passed} of {len(tried)}", str(alone), often, told))
    return html_table(("exercise", "passed, of those who tried", "again, alone", "tries (median)", "met most"), cells)


def _in_words(exercise: Exercise, found_by: str) -> str:
    """The sentence of a known mistake; for anything else what kind of finding it was."""
    name = found_by.removeprefix("mistake:")
    sentence = next((each.sentence for each in exercise.mistakes if each.name == name), "")
    return in_code(sentence or f"`{found_by}`")


def main(arguments: list[str] | None = None) -> int:
    """Write both files; 2 when there is nothing to read."""
    parser = argparse.ArgumentParser(
        prog="python -m anatomy_course.judge.report", description=(__doc__ or "").partition("\n")[0]
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
        csv.writer(file).writerows([FORMULA.sub(r"\1\2'", cell) for cell in row] for row in [COLUMNS, *rows(learners)])
    (options.out / "class.html").write_text(page(learners, refused), encoding="utf-8")
    passed = sum(learner.passed(id) for learner in learners for id in learner.exercises)
    told = f"Learners: {len(learners)}. Exercises passed: {passed}. class.csv and class.html are in {options.out}."
    if isinstance(sys.stdout, io.TextIOWrapper):  # a name may have letters that this terminal has not
        sys.stdout.reconfigure(errors="replace")
    sys.stdout.writelines(f"{line}\n" for line in (*refused, told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
