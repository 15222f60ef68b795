"""The exercises of notebook 00, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = "mean".split()
