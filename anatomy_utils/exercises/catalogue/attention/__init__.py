"""Exercises, questions and predictions of notebook 01, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.attention import (
    attention,
    closing,
    one_word,
    predictions,
    questions,
    repair,
    scores,
    softmax,
)
from anatomy_utils.exercises.catalogue.attention.causal_mask import CAUSAL_MASK
from anatomy_utils.exercises.catalogue.attention.lookup import LOOKUP
from anatomy_utils.exercises.catalogue.attention.masked_softmax import MASKED_SOFTMAX
from anatomy_utils.exercises.catalogue.attention.projection import PROJECTION
from anatomy_utils.exercises.catalogue.attention.weighted_average import WEIGHTED_AVERAGE

EXERCISES = (
    LOOKUP,
    WEIGHTED_AVERAGE,
    PROJECTION,
    softmax.SOFTMAX,
    one_word.ONE_WORD,
    scores.SCORES,
    attention.ATTENTION,
    CAUSAL_MASK,
    MASKED_SOFTMAX,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
