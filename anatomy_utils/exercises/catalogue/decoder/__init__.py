"""Exercises, questions and predictions of notebook 04, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.decoder import closing, predictions, questions

EXERCISES = """
    next_tokens vocabulary_logits cross_entropy perplexity next_probabilities top_k top_p repetition_penalty write
    attend_with_cache rms_norm gated_feed_forward repair
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
