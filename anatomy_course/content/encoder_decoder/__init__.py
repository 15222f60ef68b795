"""Exercises, questions and predictions of notebook 05, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.encoder_decoder import closing, predictions, questions

EXERCISES = """
    attend_to_memory decoder_layer decoder_inputs smoothed_cross_entropy learning_rates translate beam_step repair
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
