"""A page that says what a learner has built, to be shown, saved and printed. It claims nothing that was not checked.

As a picture it carries a hash of all that it says. No server is asked to check it:

    python -m anatomy_course.capstone.certificate certificate.svg my_organ.plan.json my_organ.results.json

says whether the picture is as it was written, and whether these are the files whose hashes it lists. The hash shows
that a picture was changed; who made it, no hash can say.
"""

from __future__ import annotations

import base64
import datetime
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anatomy_course.capstone.body import Body, Examination, assemble
from anatomy_course.capstone.debugging_lab import diagnoses
from anatomy_course.capstone.program.own import pieces
from anatomy_course.capstone.project.page import ProjectPage
from anatomy_course.capstone.project.plan import sha256
from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import exercises_of
from anatomy_course.page.notebooks import NOTEBOOKS
from anatomy_course.page.page import CellOutput, escape, html_table

MONTHS = "January February March April May June July August September October November December".split()
"""In English, whatever the machine's locale."""
# Dark ink on paper in either theme: it is meant for a printer. The long selectors stand above JupyterLab's own.
STYLE = """
.anatomy-certificate { max-width: 46rem; margin: 1rem 0; padding: 2rem 2.5rem; border: 3px double #0b5c8c;
  background: #fffdf7; color: #1a1a1a; font: 1rem/1.45 Georgia, 'Times New Roman', serif; }
.anatomy-certificate h2, .anatomy-certificate h3 { color: #0b4a70; margin: 1.2rem 0 0.4rem; font-weight: normal; }
.anatomy-certificate h2 { font-size: 1.9rem; margin-top: 0; }
.anatomy-certificate .name { font-size: 1.5rem; border-bottom: 1px solid #6b6b6b; padding-bottom: 0.2rem; }
.anatomy-certificate table { border-collapse: collapse; width: 100%; color: inherit; font-size: 0.95rem; }
section.anatomy-certificate table tr:nth-child(n) :is(th, td) { text-align: left; color: inherit;
  padding: 0.15rem 0.6rem 0.15rem 0; background: none; border-bottom: 1px solid #d8d2c0; font-weight: normal; }
section.anatomy-certificate table tr:nth-child(n) { background: none; }
@page { margin: 1.5cm; }
@media print { .anatomy-certificate { border-color: #000; background: #fff; page-break-inside: avoid; } }
"""
EMPTY, COLUMNS, LINE = '<tspan id="hash"></tspan>', 100, 19
"""Where the hash goes; and of the picture, characters in a line and its height."""


@dataclass(frozen=True)
class Certificate:
    """The page; as the last expression of a cell it shows itself, with a link that downloads it."""

    heading: str
    body: str
    text: str

    @property
    def page(self) -> str:
        """A whole HTML document that needs nothing else."""
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{self.heading}</title>'
            f"<style>{STYLE}</style></head><body>{self.body}</body></html>"
        )

    @property
    def picture(self) -> str:
        """The page as an SVG drawing; its last line is the SHA-256 hash of the drawing with that line left empty."""
        lines = []
        for line in self.text.splitlines():
            indent = "    " if line.startswith(" ") else ""
            lines += textwrap.wrap(line, COLUMNS, initial_indent=indent, subsequent_indent=2 * indent)
        height = LINE * (len(lines) + 4)
        said = [
            f'<text x="{32 if line.startswith(" ") else 16}" y="{LINE * (row + 2)}">{escape(line.strip())}</text>'
            for row, line in enumerate(lines)
        ]
        drawn = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" font-family="Georgia, serif" '
                 f'font-size="13"><title>{self.heading}</title>',
                 f'<rect width="720" height="{height}" fill="#fffdf7" stroke="#0b5c8c" stroke-width="4"/>', *said,
                 f'<text x="16" y="{height - 16}" font-size="11">SHA-256 <tspan id="hash"></tspan></text></svg>\n',
                ]  # fmt: skip
        empty = "\n".join(drawn)
        return empty.replace(EMPTY, f"{EMPTY[:-8]}{sha256(empty.encode())}</tspan>")

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, to be opened in a browser and printed; or the picture where its name ends in .svg.

        Raises:
            ValueError: the file cannot be written.
        """
        place = Path(path)
        try:
            place.write_text(self.picture if place.suffix == ".svg" else self.page, encoding="utf-8")
        except OSError as error:
            raise ValueError(
                f"{place} cannot be written ({error.strerror}); give the name of a file in a folder of yours."
            ) from error
        return place

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        data = base64.b64encode(self.page.encode()).decode()
        drawn = base64.b64encode(self.picture.encode()).decode()
        link = f'<a download="certificate.html" href="data:text/html;base64,{data}">Download this page to print it</a>'
        link += f', or <a download="certificate.svg" href="data:image/svg+xml;base64,{drawn}">a picture with a hash</a>'
        shown = CellOutput(f"<style>{STYLE}</style>{self.body}<p>{link}</p>", self.text)
        return shown._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        return self.text


def certificate(
    name: str,
    *,
    body: Body | None = None,
    runs: Mapping[str, Examination] | None = None,
    trained: Mapping[str, str] | None = None,
    loaded: Mapping[str, str] | None = None,
    judged: Mapping[str, str] | None = None,
    taught: Mapping[str, str] | None = None,
    claimed: Sequence[ProjectPage] | ProjectPage = (),
    day: datetime.date | None = None,
    record: Progress | None = None,
) -> Certificate:
    """What was built, by whose hand, and what it runs.

    Args:
        name: whose certificate.
        body: the organs; those of the saved progress when left out.
        runs: model → what it said to the body, such as `{"MiniLM": body.examine(encoder, …)}`.
        trained: what the learner's program of notebook 10 was trained on → what it reached, such as
            `{"Python's own library": "63 of 100 functions parse"}`.
        loaded: whose weights that program runs → what it showed, such as `{"SmolLM2": "writes the same text"}`.
        judged: what judged a model of the learner's → what came of it, such as `{"the street's grammar": "91 of 100"}`.
        taught: what a model was taught → what came of it.
        claimed: final projects (`project.report`), each with its verdict, times and hashes.
        day: today when left out.
        record: whose progress; the learner's own when left out.

    Raises:
        ValueError: there is no name.
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f'name is {name!r}; write your name between quotes: certificate("Ada Lovelace").')
    notes = record or own_progress()
    body = body or assemble(record=notes)
    day = day or datetime.date.today()
    date = f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
    organs, lines = [part for part in body.parts.values() if part.whose == "yours"], _exercises(notes)
    built = [(part.notebook, f"{part.name}: {part.exercise.title}") for part in organs]
    ran = [(model, _said(examination)) for model, examination in (runs or {}).items()]
    own = f"Organs of their own: {len(organs)} of {len(body.parts)}"
    projects = [claimed] if isinstance(claimed, ProjectPage) else claimed
    sections = [
        (own, built or [("none yet", "the course's own ran instead")]),
        ("Models run by this body", ran or [("none yet", "examine a model first")]),
        *_program(notes, {"Trained": trained, "Loaded": loaded, "Judged": judged, "Taught": taught}),
        *((f"Claimed: {report.claim[0][0]}", report.claim) for report in projects),
        ("Exercises and diagnoses", lines),
    ]
    heading = f"Transformer Anatomy: {escape(name.strip())}"
    tables = ""
    for title, rows in sections:
        tables += f"<h3>{escape(title)}</h3>{html_table((), [(escape(left), escape(right)) for left, right in rows])}"
    page = (
        f'<section class="anatomy-certificate" aria-label="Certificate"><h2>Transformer Anatomy</h2>'
        f'<p>This page says what was built by</p><p class="name">{escape(name.strip())}</p>{tables}'
        f"<p>{escape(date)}</p></section>"
    )
    text = [f"Transformer Anatomy: what {name.strip()} built, {date}"]
    for title, rows in sections:
        text += [title, *(f"  {left}: {right}" for left, right in rows)]
    return Certificate(heading, page, "\n".join(text))


def _said(examination: Examination) -> str:
    accepted = [examination.body.parts[name] for name, rejection in examination.found.items() if rejection is None]
    yours = sum(part.whose == "yours" for part in accepted)
    together = "" if examination.difference is None else f", output within {examination.difference:.0e} of the original"
    return f"{len(accepted)} of {len(examination.found)} organs accepted, {yours} of them their own{together}"


def _program(notes: Progress, did: Mapping[str, Mapping[str, str] | None]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What notebook 10 adds; nothing for those who have not begun it."""
    passed = {name: notes.passed(exercise.id) for name, exercise in pieces().items()}
    rows = [(f"{done}: {what}", reached) for done, each in did.items() for what, reached in (each or {}).items()]
    if not any(passed.values()) and not rows:
        return []
    built = ", ".join(name for name, done in passed.items() if done) or "none yet"
    return [(f"A program of their own: {sum(passed.values())} of {len(passed)} pieces", [("Built", built), *rows])]


def _exercises(notes: Progress) -> list[tuple[str, str]]:
    """Those that passed, notebook by notebook, and the diagnoses of the ward."""
    passed, answers = (notes.read()[section] for section in ("exercises", "questions"))
    rows = []
    for notebook in NOTEBOOKS:
        ids = list(exercises_of(notebook.prefix))
        if ids:
            done = sum(bool(passed.get(id, {}).get("passed")) for id in ids)
            rows.append((f"{notebook.number} {notebook.title}", f"{done} of {len(ids)} exercises"))
    patients = [question.id for question in diagnoses()]
    right = sum(bool(answers.get(id, {}).get("right")) for id in patients)
    return [*rows, ("The ward", f"{right} of {len(patients)} broken Transformers diagnosed")]


def verify(path: str | Path, files: Sequence[str | Path] = ()) -> str:
    """Check a certificate's picture against its own hash, and files against the hashes that it lists.

    Returns:
        A sentence that says that all of it fits.

    Raises:
        ValueError: a file cannot be read, the picture has no hash or was changed, or a file is not one that it lists.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        hashes = {str(file): sha256(Path(file).read_bytes()) for file in files}
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} and its files cannot be read ({error}); give the .svg file and the files.") from error
    found = re.search(rf"{EMPTY[:-8]}([0-9a-f]{{64}})</tspan>", text)
    if found is None:
        raise ValueError(f'{path} carries no hash; save the picture again: certificate(…).save("certificate.svg").')
    if sha256(text.replace(found[0], EMPTY).encode()) != found[1]:
        raise ValueError(f"{path} was changed after it was written: its text does not have the hash that it carries.")
    for file, own in hashes.items():
        if own not in text:
            raise ValueError(f"{file} is not a file that {path} lists: none of its hashes is {own}.")
    return f"{path} is as it was written" + (f", and {len(hashes)} files are those that it lists." if hashes else ".")


def main(arguments: Sequence[str]) -> int:
    """What the command does; 1 where something does not fit, 2 where it is called without a file."""
    if not arguments:
        sys.stderr.write("python -m anatomy_course.capstone.certificate certificate.svg [files that it lists]\n")
        return 2
    try:
        sys.stdout.write(f"{verify(arguments[0], arguments[1:])}\n")
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
