"""Exercises, questions and predictions of notebook 06, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.taxonomy import (
    cache_bytes,
    closing,
    corrupt_spans,
    disentangled_scores,
    encoder_parameters,
    leave_one_out,
    parallel_layer,
    predictions,
    questions,
    repair,
    replace_tokens,
    soft_loss,
)
from anatomy_utils.exercises.catalogue.taxonomy.prefix_mask import PREFIX_MASK
from anatomy_utils.exercises.catalogue.taxonomy.window_mask import WINDOW_MASK

EXERCISES = (
    encoder_parameters.ENCODER_PARAMETERS,
    soft_loss.SOFT_LOSS,
    replace_tokens.REPLACE_TOKENS,
    disentangled_scores.DISENTANGLED_SCORES,
    parallel_layer.PARALLEL_LAYER,
    WINDOW_MASK,
    cache_bytes.CACHE_BYTES,
    corrupt_spans.CORRUPT_SPANS,
    PREFIX_MASK,
    leave_one_out.LEAVE_ONE_OUT,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
