"""Exercises, questions and predictions of notebook 04, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.decoder import (
    attend_with_cache,
    closing,
    cross_entropy,
    gated_feed_forward,
    next_probabilities,
    next_tokens,
    perplexity,
    predictions,
    questions,
    repair,
    repetition_penalty,
    rms_norm,
    top_k,
    top_p,
    vocabulary_logits,
    write,
)

EXERCISES = (
    next_tokens.NEXT_TOKENS,
    vocabulary_logits.VOCABULARY_LOGITS,
    cross_entropy.CROSS_ENTROPY,
    perplexity.PERPLEXITY,
    next_probabilities.NEXT_PROBABILITIES,
    top_k.TOP_K,
    top_p.TOP_P,
    repetition_penalty.REPETITION_PENALTY,
    write.WRITE,
    attend_with_cache.ATTEND_WITH_CACHE,
    rms_norm.RMS_NORM,
    gated_feed_forward.GATED_FEED_FORWARD,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
