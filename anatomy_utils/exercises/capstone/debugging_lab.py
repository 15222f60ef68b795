"""The ward as a view: patients, their diagnoses as questions, and the learner's progress, joined. Notebook 07."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anatomy_utils.debugging import PROBES, Finding, Patient, Ward
from anatomy_utils.exercises.catalogue.capstone.questions import QUESTIONS
from anatomy_utils.exercises.progress.location import own_progress
from anatomy_utils.exercises.progress.record import Progress

if TYPE_CHECKING:
    from anatomy_utils.widgets import debugging_lab as view


def ward_round(ward: Ward, *, record: Progress | None = None) -> view.DebuggingLab:
    """All beds, with probes that run in the kernel; what is examined and diagnosed is remembered.

    Args:
        ward: from `ward.admit`.
        record: whose progress; the learner's own when left out.
    """
    from anatomy_utils.widgets import debugging_lab as view

    notes, patients = record or own_progress(), ward.patients()
    before = [notes.entry("questions", question.id) for question in QUESTIONS]

    def result(finding: Finding) -> view.Result:
        show: Callable[[float], str] = PROBES[finding.probe].show
        return view.Result(show(finding.value), show(finding.healthy), finding.passed, finding.sentence)

    def cure(bed: int) -> list[view.Result]:
        cured = patients[bed].cured()
        return [result(cured.probe(name)) for name in PROBES]

    def choose(bed: int, choice: int) -> None:
        question = QUESTIONS[bed]
        notes.answered(question.id, choice, right=question.choices[choice].right)

    return view.DebuggingLab(
        [_bed(patient, number) for number, patient in enumerate(patients)],
        view.Twin(ward.twin.history.loss, ward.twin.exam, ward.twin.samples()),
        {name: probe.question for name, probe in PROBES.items()},
        view.LabFunctions(
            probe=lambda bed, name: result(patients[bed].probe(name)),
            write=lambda bed: patients[bed].samples(),
            cure=cure,
        ),
        chosen=[_choice(entry, len(q.choices)) for entry, q in zip(before, QUESTIONS, strict=True)],
        examined=[entry.get("examined") is True for entry in before],
        on_choice=choose,
        on_probe=lambda bed: notes.change("questions", QUESTIONS[bed].id, lambda entry: entry.update(examined=True)),
    )


def _choice(entry: dict[str, object], count: int) -> int:
    """The diagnosis made last, −1 for none."""
    last = entry.get("last")
    return last if isinstance(last, int) and 0 <= last < count else -1


def _bed(patient: Patient, number: int) -> view.Bed:
    from anatomy_utils.widgets import debugging_lab as view

    assert patient.case is not None
    head, report = patient.head(), patient.case.report
    return view.Bed(
        name=patient.name,
        anamnesis=patient.anamnesis,
        loss=patient.history.loss,
        exam=patient.exam,
        head=f"layer {head.layer}, head {head.head}",
        tokens=head.tokens,
        weights=head.weights,
        twin_weights=head.twin,
        samples=patient.samples(),
        question=QUESTIONS[number].data(),
        cured_by=patient.case.cured_by,
        report={
            "text": f"{report.repository}, {report.kind} {report.number}: {report.title}",
            "address": report.address,
            "says": report.says,
        },
    )
