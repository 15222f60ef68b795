"""Exercises, questions and predictions of notebook 03, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.encoder import closing, predictions, questions

EXERCISES = """
    embed feed_forward layer_norm post_norm pre_norm encoder_layer run_layers classifier_head train_step dropout
    classify sinusoids offset_bias rotary best_span mask_words repair_positions repair_norm
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
