"""Exercises, questions and predictions of notebook 06, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.taxonomy import closing, predictions, questions

EXERCISES = """
    encoder_parameters soft_loss replace_tokens disentangled_scores parallel_layer window_mask cache_bytes corrupt_spans
    prefix_mask leave_one_out repair
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
