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
    rotary,
    run_layers,
    sinusoids,
)
from anatomy_utils.exercises.catalogue.encoder.post_norm import POST_NORM
from anatomy_utils.exercises.catalogue.encoder.pre_norm import PRE_NORM
from anatomy_utils.exercises.catalogue.encoder.repair_norm import REPAIR_NORM
from anatomy_utils.exercises.catalogue.encoder.repair_positions import REPAIR_POSITIONS

EXERCISES = (
    embed.EMBED,
    sinusoids.SINUSOIDS,
    rotary.ROTARY,
    offset_bias.OFFSET_BIAS,
    feed_forward.FEED_FORWARD,
    layer_norm.LAYER_NORM,
    POST_NORM,
    PRE_NORM,
    encoder_layer.ENCODER_LAYER,
    run_layers.RUN_LAYERS,
    dropout.DROPOUT,
    classify.CLASSIFY,
    best_span.BEST_SPAN,
    mask_words.MASK_WORDS,
    REPAIR_POSITIONS,
    REPAIR_NORM,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
