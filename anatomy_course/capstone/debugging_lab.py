"""The debugging lab as a view: broken models, their diagnoses as questions, and the learner's progress. Notebook 09."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.questions import Question
from anatomy_course.judge.registry import questions_of
from anatomy_course.lab.debugging.broken_model import BrokenModel, BrokenModels, CheckResult
from anatomy_course.lab.debugging.checks import CHECKS
from anatomy_course.page.page import CellOutput, escape, in_code, paragraph, stacked

if TYPE_CHECKING:
    from anatomy_course.views.debugging_lab import view


WARD = "capstone.ward_"  # how the ids of the ward's diagnoses begin


def diagnoses() -> list[Question]:
    """What is wrong with each broken model, as a question, in their order."""
    return [question for id, question in questions_of("capstone").items() if id.startswith(WARD)]


def show_debugging_lab(broken: BrokenModels, *, record: Progress | None = None) -> view.DebuggingLab:
    """All broken models, with checks that run in the kernel; examinations and diagnoses are remembered."""
    from anatomy_course.views.debugging_lab import view

    notes, models, questions = record or own_progress(), broken.models(), diagnoses()
    before, twin = [notes.entry("questions", question.id) for question in questions], broken.baseline

    def result(found: CheckResult) -> view.Result:
        show: Callable[[float], str] = CHECKS[found.check].show
        return view.Result(show(found.value), show(found.healthy), found.passed, found.sentence)

    def cure(bed: int) -> list[view.Result]:
        fixed = models[bed].fixed()
        return [result(fixed.check(name)) for name in CHECKS]

    def choose(bed: int, choice: int) -> None:
        question = questions[bed]
        notes.answered(question.id, choice, right=question.choices[choice].right)

    return view.DebuggingLab(
        [_bed(model, number) for number, model in enumerate(models)],
        view.Twin(twin.history.loss, twin.final_loss, twin.test_loss, twin.samples()),
        {name: f"{check.question} Not healthy: {check.fails}." for name, check in CHECKS.items()},
        view.LabFunctions(
            probe=lambda bed, name: result(models[bed].check(name)), write=lambda bed: models[bed].samples(), cure=cure
        ),
        chosen=[
            last if isinstance(last := entry.get("last"), int) and 0 <= last < len(question.choices) else -1
            for entry, question in zip(before, questions, strict=True)
        ],
        examined=[
            entry.get("examined") is True or model.was_examined for entry, model in zip(before, models, strict=True)
        ],
        on_choice=choose,
        on_probe=lambda bed: notes.change("questions", questions[bed].id, {"examined": True}),
    )


def show_evidence(broken: BrokenModels, *, record: Progress | None = None) -> CellOutput:
    """What speaks for each diagnosis that was found: the checks that fail, and a public report of the same bug.

    Nothing is shown of a model whose diagnosis is still open, and the table of all checks only when none is.
    """
    notes = record or own_progress()
    pairs = zip(broken.models(), diagnoses(), strict=True)
    found = [model for model, question in pairs if notes.entry("questions", question.id).get("right") is True]
    count = len(broken.models())
    caption = f"{len(found)} of {count} diagnosed."
    if len(found) < count:
        caption += " The evidence for a patient appears here once you have diagnosed it."
    pieces = [paragraph(caption), *map(_evidence, found)]
    if len(found) == count:
        whole = broken.table()
        pieces.append(CellOutput(whole._repr_html_(), repr(whole)))
    return stacked(*pieces)


def _evidence(model: BrokenModel) -> CellOutput:
    assert model.case is not None
    report = model.case.public_report
    failed = [result.sentence for result in map(model.check, CHECKS) if not result.passed]
    link = f'<a href="{escape(report.url)}">{escape(report.repository)}, {report.kind} {report.number}</a>'
    items = "".join(f"<li>✗ {escape(sentence)}</li>" for sentence in failed)
    return CellOutput(
        f"<p><b>{escape(model.name)}</b>: {in_code(report.summary)} {link}</p><ul>{items}</ul>",
        "\n".join([f"{model.name}: {report.summary}", f"    {report.url}", *(f"    ✗ {each}" for each in failed)]),
    )


def _bed(model: BrokenModel, number: int) -> view.Bed:
    from anatomy_course.views.debugging_lab import view

    assert model.case is not None
    head, report = model.head(), model.case.public_report
    return view.Bed(
        name=model.name,
        anamnesis=model.team_report,
        loss=model.history.loss,
        ends=model.final_loss,
        test_loss=model.test_loss,
        head=f"layer {head.layer}, head {head.head}",
        tokens=head.tokens,
        weights=head.weights,
        twin_weights=head.baseline,
        samples=model.samples(),
        question=diagnoses()[number].data(),
        cured_by=model.case.fix,
        report={
            "text": f"{report.repository}, {report.kind} {report.number}: {report.title}",
            "address": report.url,
            "says": report.summary,
        },
    )
