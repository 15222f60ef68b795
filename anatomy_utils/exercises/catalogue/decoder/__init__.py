"""Exercises, questions and predictions of notebook 04, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.decoder import (
    choosing,
    closing,
    cutting,
    gating,
    losing,
    nucleus,
    predictions,
    questions,
    remembering,
    repair,
    repeating,
    rms,
    shifting,
    surprise,
    vocabulary,
    writing,
)

EXERCISES = (
    shifting.NEXT_TOKENS,
    vocabulary.VOCABULARY_LOGITS,
    losing.CROSS_ENTROPY,
    surprise.PERPLEXITY,
    choosing.NEXT_PROBABILITIES,
    cutting.TOP_K,
    nucleus.TOP_P,
    repeating.REPETITION_PENALTY,
    writing.WRITE,
    remembering.ATTEND_WITH_CACHE,
    rms.RMS_NORM,
    gating.GATED_FEED_FORWARD,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
