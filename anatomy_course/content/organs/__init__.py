"""The exercises of notebook 08, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = "route sink_softmax fold_key delta_step quantize fill_in patches".split()
