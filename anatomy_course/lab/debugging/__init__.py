"""Debugging: models and functions with one bug each, and the checks that find it. No bug raises an error.

Notebook 09 has eight broken models, trained beside a healthy baseline of the same architecture:

- `pipeline`: how a model is built, trained, evaluated and deployed; `bugs`: the wrong steps
- `cases`: what is known of the eight, with public reports of each bug
- `checks`: what can be measured, and what a model writes; `inspect_plots`: its loss curve and attention
- `broken_model`: one of the models, all of them, and the table of their checks
- `mutants`: models with planted faults, for the learner's own check
- `lost_config`: a checkpoint of which only the tensors are left

Notebooks 01 to 07 each have a function that a colleague got wrong:

- `colleague`: these functions, what to run to see the bug, and what models learn with it
"""

from __future__ import annotations

from anatomy_course.lab.debugging import bugs as bugs, colleague as colleague
from anatomy_course.lab.debugging.broken_model import train_broken_models as train_broken_models
from anatomy_course.lab.debugging.bugs import (
    deploy_with_positions as deploy_with_positions,
    emils_positions as emils_positions,
)
from anatomy_course.lab.debugging.checks import CHECKS as CHECKS
from anatomy_course.lab.debugging.lost_config import PASSAGE as PASSAGE, with_guesses as with_guesses
from anatomy_course.lab.debugging.mutants import caught_by as caught_by
