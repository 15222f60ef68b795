"""Debugging: models and functions with one bug each, and the checks that find it. No bug raises an error.

Notebook 07 has eight broken models, trained beside a healthy baseline of the same architecture:

- `model`: the architecture; `pipeline`: how a model is built, trained, evaluated and deployed
- `bugs`: the wrong steps; `case`: what is known of a broken model; `cases`: all eight, with public reports of each bug
- `checks`: what can be measured; `samples`: what a model writes; `inspect_plots`: its loss curve and attention
- `broken_model`: one of the models; `overview`: all of them, and the table of their checks

Notebooks 01 to 06 each have a function that a colleague got wrong:

- `colleague`: these functions, what to run to see the bug, and what models learn with it
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
