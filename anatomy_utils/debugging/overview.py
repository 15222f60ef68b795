"""The ward itself: the healthy twin, eight patients, and the table of all findings."""

from __future__ import annotations

import torch
from tqdm.auto import tqdm

from anatomy_utils.debugging.broken_model import Finding, Patient
from anatomy_utils.debugging.cases import CASES
from anatomy_utils.debugging.checks import PROBES
from anatomy_utils.debugging.pipeline import HEALTHY, STEPS, School, new_books


class Table(dict[str, dict[str, Finding]]):
    """Patient → probe → finding, shown as a table: the number, and ✗ where it is not a healthy one."""

    def _cells(self) -> list[list[str]]:
        rows = [["", *PROBES]]
        for name, found in self.items():
            marked = [f"{'✓' if f.passed else '✗'} {PROBES[f.probe].show(f.value)}" for f in found.values()]
            rows.append([name, *marked])
        return rows

    def __repr__(self) -> str:
        columns = list(zip(*self._cells(), strict=True))  # a probe's name is long: patients stand side by side
        widths = [max(len(columns[i][j]) for i in range(len(columns))) for j in range(len(columns[0]))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in columns
        )

    def _repr_html_(self) -> str:
        head, *rows = zip(*self._cells(), strict=True)
        top = "".join(f'<th scope="col">{name}</th>' for name in head)
        body = "".join(
            f'<tr><th scope="row" style="text-align:left">{row[0]}</th>'
            + "".join(f"<td>{cell}</td>" for cell in row[1:])
            + "</tr>"
            for row in rows
        )
        return f"<table><tr>{top}</tr>{body}</table>"


class Ward:
    """Eight patients and their healthy twin. Make one with `admit`.

    Args:
        school: where all of them learn.
        progress: show a bar.
    """

    def __init__(self, school: School, *, progress: bool = False) -> None:
        patients = []
        with tqdm(total=1 + len(CASES), disable=not progress, unit="writer") as bar:
            bar.set_description("the healthy twin is taught")
            self.twin = Patient(None, HEALTHY, school)
            for case in CASES:
                bar.update()
                bar.set_description(f"{case.name} is taught")
                patients.append(Patient(case, case.care, school, self.twin))
            bar.update()
            bar.set_description("all are there")
        self._patients = tuple(patients)

    def patients(self) -> tuple[Patient, ...]:
        """All of them, bed by bed."""
        return self._patients

    def __getitem__(self, name: str) -> Patient:
        """The patient of that name.

        Raises:
            ValueError: nobody here is called so.
        """
        for patient in self._patients:
            if patient.name == name:
                return patient
        raise ValueError(f"Nobody here is called {name!r}; there are {', '.join(p.name for p in self._patients)}.")

    def table(self) -> Table:
        """Every probe of everybody, the twin first."""
        everybody = (self.twin, *self._patients)
        return Table({patient.name: {name: patient.probe(name) for name in PROBES} for patient in everybody})

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._patients))


def admit(seed: int = 0, *, steps: int = STEPS, progress: bool = True) -> Ward:
    """Train the healthy twin and the patients. Who only falls ill afterwards has learnt what the twin has.

    Args:
        seed: of weights, sentences and chance.
        steps: of 64 sentences each.
        progress: show a bar.
    """
    books = new_books(steps, torch.Generator().manual_seed(seed))
    return Ward(School(books, seed), progress=progress)
