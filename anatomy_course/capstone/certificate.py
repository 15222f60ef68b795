"""A page that says what a learner has built, to be shown, saved and printed. It claims nothing that was not checked."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anatomy_course.capstone.body import Body, Examination, assemble
from anatomy_course.capstone.debugging_lab import diagnoses
from anatomy_course.capstone.program.own import pieces
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

    def save(self, path: str | Path) -> Path:
        """Write the page to a file; open that in a browser to print it.

        Raises:
            ValueError: the file cannot be written.
        """
        place = Path(path)
        try:
            place.write_text(self.page, encoding="utf-8")
        except OSError as error:
            raise ValueError(
                f"{place} cannot be written ({error.strerror}); give the name of a file in a folder of yours."
            ) from error
        return place

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        data = base64.b64encode(self.page.encode()).decode()
        link = f'<a download="certificate.html" href="data:text/html;base64,{data}">Download this page to print it</a>'
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
    sections = [
        (own, built or [("none yet", "the course's own ran instead")]),
        ("Models run by this body", ran or [("none yet", "examine a model first")]),
        *_program(notes, {"Trained": trained or {}, "Loaded": loaded or {}}),
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


def _program(notes: Progress, did: Mapping[str, Mapping[str, str]]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What notebook 10 adds; nothing for those who have not begun it."""
    passed = {name: notes.passed(exercise.id) for name, exercise in pieces().items()}
    rows = [(f"{done}: {what}", reached) for done, each in did.items() for what, reached in each.items()]
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
