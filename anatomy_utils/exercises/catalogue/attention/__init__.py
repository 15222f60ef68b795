"""Exercises, questions and predictions of notebook 01, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.attention import (
    attention,
    averages,
    closing,
    masks,
    one_word,
    predictions,
    questions,
    repair,
    scores,
    softmax,
)

EXERCISES = (
    averages.LOOKUP,
    averages.WEIGHTED_AVERAGE,
    averages.PROJECTION,
    softmax.SOFTMAX,
    one_word.ONE_WORD,
    scores.SCORES,
    attention.ATTENTION,
    masks.CAUSAL_MASK,
    masks.MASKED_SOFTMAX,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
