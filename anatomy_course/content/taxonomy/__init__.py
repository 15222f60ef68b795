"""The exercises of notebook 07, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    replace_tokens encoder_parameters soft_loss disentangled_scores window_mask cache_bytes parallel_layer corrupt_spans
    prefix_mask repair leave_one_out
""".split()
