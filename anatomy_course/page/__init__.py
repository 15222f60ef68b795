"""Notebook: what a cell shows beside plots and widgets, and whether the course's requirements are installed.

- `page`: HTML for notebooks and text for terminals in one object; tables, folded details, code
- `source`: the code of a function or class, shown in a cell
- `setup_check`: what is installed and what is missing
- `earlier_names`: where a module of an older version is now
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
