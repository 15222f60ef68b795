"""What marks a notebook's cells for the site and for the tests: titles of folded code, exercises."""

import re

TITLE = "#@title "
"""How a cell begins whose code is folded; the rest of the line stands for it."""
EXERCISE = re.compile(r"^@exercise\([\"']([\w.]+)[\"']\)", re.MULTILINE)
"""The line above an exercise's stub, with its id."""
