"""Exercises, questions and predictions of notebook 03, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.encoder import (
    best_span,
    classify,
    closing,
    dropout,
    embed,
    encoder_layer,
    feed_forward,
    layer_norm,
    mask_words,
    offset_bias,
    predictions,
    questions,
    repair,
    residuals,
    rotary,
    run_layers,
    sinusoids,
)

EXERCISES = (
    embed.EMBED,
    sinusoids.SINUSOIDS,
    rotary.ROTARY,
    offset_bias.OFFSET_BIAS,
    feed_forward.FEED_FORWARD,
    layer_norm.LAYER_NORM,
    residuals.POST_NORM,
    residuals.PRE_NORM,
    encoder_layer.ENCODER_LAYER,
    run_layers.RUN_LAYERS,
    dropout.DROPOUT,
    classify.CLASSIFY,
    best_span.BEST_SPAN,
    mask_words.MASK_WORDS,
    repair.REPAIR_POSITIONS,
    repair.REPAIR_NORM,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
