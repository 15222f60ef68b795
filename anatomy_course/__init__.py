"""What makes the notebooks answer: exercises and their judge, live views, figures, and a lab of small models.

- `content`: exercises and questions, a folder a notebook
- `capstone`: the learner's own model, the debugging lab, the certificate, the exported program
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
    from anatomy_course.capstone.program.export import export as export
    from anatomy_course.figures import diagrams as diagrams, plots as plots
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

_FROM = {
    **dict.fromkeys("ask hint outcome predict progress solution".split(), "judge.commands"),
    "diagrams": "figures.diagrams",
    "exercise": "judge.decorator",
    "export": "capstone.program.export",
    "plots": "figures.plots",
    "your_function": "judge.by_id",
}


def __getattr__(name: str) -> object:
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{__name__}.{_FROM[name]}")
    return getattr(module, name, module)  # a module of figures is meant itself


def __dir__() -> list[str]:
    return sorted((*globals(), *_FROM))
