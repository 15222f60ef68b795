"""Exercises, questions and predictions of notebook 06, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.taxonomy import (
    caching,
    closing,
    counting,
    disentangling,
    distilling,
    hiding,
    predictions,
    questions,
    repair,
    replacing,
    side_by_side,
    spans,
    windows,
)

EXERCISES = (
    counting.ENCODER_PARAMETERS,
    distilling.SOFT_LOSS,
    replacing.REPLACE_TOKENS,
    disentangling.DISENTANGLED_SCORES,
    side_by_side.PARALLEL_LAYER,
    windows.WINDOW_MASK,
    caching.CACHE_BYTES,
    spans.CORRUPT_SPANS,
    windows.PREFIX_MASK,
    hiding.LEAVE_ONE_OUT,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
