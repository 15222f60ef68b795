"""Exercises, questions and predictions of notebook 06, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.taxonomy import closing, predictions, questions

EXERCISES = """
    replace_tokens encoder_parameters soft_loss disentangled_scores window_mask cache_bytes parallel_layer corrupt_spans
    prefix_mask repair leave_one_out
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
