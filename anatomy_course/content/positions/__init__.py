"""The exercises of notebook 04, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    sinusoids rotary scheme stretch best_span mask_words repair_positions
""".split()
