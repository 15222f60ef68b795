"""Exercises, questions and predictions of notebook 03, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.encoder import (
    classifying,
    closing,
    dropping,
    embedding,
    feeding,
    layers,
    masking,
    norms,
    offsets,
    predictions,
    questions,
    repair,
    residuals,
    spanning,
    stacking,
    turning,
    waves,
)

EXERCISES = (
    embedding.EMBED,
    waves.SINUSOIDS,
    turning.ROTARY,
    offsets.OFFSET_BIAS,
    feeding.FEED_FORWARD,
    norms.LAYER_NORM,
    residuals.POST_NORM,
    residuals.PRE_NORM,
    layers.ENCODER_LAYER,
    stacking.RUN_LAYERS,
    dropping.DROPOUT,
    classifying.CLASSIFY,
    spanning.BEST_SPAN,
    masking.MASK_WORDS,
    repair.REPAIR_POSITIONS,
    repair.REPAIR_NORM,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
