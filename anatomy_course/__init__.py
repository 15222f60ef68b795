"""What makes the notebooks answer: exercises and their judge, live views, figures, and a lab of small models.

- `content`: exercises and questions, a folder a notebook
- `capstone`: the learner's own model, the debugging lab, the exported program, the final project, the certificate
- `judge`: the form of an exercise, attempts, checks, diagnosis, the search for the slip, cards, progress
- `views`: a folder a live view
- `lab`: `street` (the toy language), `small_models`, `experiments`, `debugging`, `transplant`, `objectives`
- `figures`: plots and diagrams; `page`: tables, sources, Colab, the table of contents

It builds on `anatomy_utils`, the transformer itself, which knows nothing of it. Importing this loads nothing else: the
names below are looked up when they are first used.
"""

PACKAGES = ("anatomy_utils", "anatomy_course")
"""The two packages of this course."""

TYPE_CHECKING = False  # importing typing would take longer than all the rest
if TYPE_CHECKING:
    from anatomy_course.capstone import project as project
    from anatomy_course.capstone.body import assemble as assemble
    from anatomy_course.capstone.certificate import certificate as certificate
    from anatomy_course.capstone.debugging_lab import (
        show_debugging_lab as show_debugging_lab,
        show_evidence as show_evidence,
    )
    from anatomy_course.capstone.parts_tried import (
        examined as examined,
        original_transformer as original_transformer,
        run_layers as run_layers,
    )
    from anatomy_course.capstone.program.export import export as export
    from anatomy_course.capstone.program.given.gated import GatedFeedForward as GatedFeedForward
    from anatomy_course.figures import diagrams as diagrams, plots as plots
    from anatomy_course.judge.alone import again as again, alone as alone, hand_in as hand_in
    from anatomy_course.judge.by_id import your_function as your_function
    from anatomy_course.judge.commands import (
        ask as ask,
        hint as hint,
        outcome as outcome,
        predict as predict,
        progress as progress,
        solution as solution,
    )
    from anatomy_course.judge.decorator import exercise as exercise
    from anatomy_course.lab.objectives.registry import OBJECTIVES as OBJECTIVES
    from anatomy_course.lab.transplant import reject as reject, transplant as transplant
    from anatomy_course.page import show_source as show_source, show_table as show_table
    from anatomy_course.page.page import cell_text as cell_text, while_it_runs as while_it_runs
    from anatomy_course.views.setup_check.check import check as check

_FROM = {
    "capstone.body": "assemble",
    "capstone.certificate": "certificate",
    "capstone.debugging_lab": "show_debugging_lab show_evidence",
    "capstone.parts_tried": "examined original_transformer run_layers",
    "capstone.program.export": "export",
    "capstone.project": "project",
    "capstone.program.given.gated": "GatedFeedForward",
    "judge.alone": "again alone hand_in",
    "judge.by_id": "your_function",
    "judge.commands": "ask hint outcome predict progress solution",
    "judge.decorator": "exercise",
    "lab.objectives.registry": "OBJECTIVES",
    "lab.transplant": "reject transplant",
    "page": "show_source show_table",
    "page.page": "cell_text while_it_runs",
    "views.setup_check.check": "check",
    "figures.diagrams": "diagrams",
    "figures.plots": "plots",
}
_HOME = {name: home for home, names in _FROM.items() for name in names.split()}
"""Name → the module that it is in; the two of figures are modules themselves."""


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{__name__}.{_HOME[name]}")
    return getattr(module, name, module)  # a module of figures is meant itself


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOME))
