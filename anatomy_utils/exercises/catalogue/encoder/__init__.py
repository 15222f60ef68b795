"""Exercises, questions and predictions of notebook 03, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.encoder import closing, predictions, questions

EXERCISES = """
    embed sinusoids rotary offset_bias feed_forward layer_norm post_norm pre_norm encoder_layer run_layers dropout
    classify classifier_head train_step best_span mask_words repair_positions repair_norm
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
