"""The exercises of notebook 08, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = "fill_in patches".split()
