"""The exercises of notebook 06, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    attend_to_memory decoder_layer decoder_inputs translate swap smallest_swap repair smoothed_cross_entropy
    learning_rates beam_step
""".split()
