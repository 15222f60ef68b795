"""The exercises of notebook 09, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = "first_difference llama_layer lost_config repair tenth_probe".split()
