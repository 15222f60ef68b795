"""Experiments of notebook 08, one organ a module.

- `fill_in`: an encoder's body that writes by filling in, and its causal twin
- `icons`: scenes of the street as small pictures
"""

from __future__ import annotations

from anatomy_course.lab.organs import fill_in as fill_in, icons as icons
