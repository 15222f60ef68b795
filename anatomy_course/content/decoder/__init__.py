"""Exercises, questions and predictions of notebook 04, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.decoder import closing, predictions, questions

EXERCISES = """
    batch_of vocabulary_logits cross_entropy perplexity next_probabilities top_k top_p repetition_penalty
    attend_with_cache write share_heads repair rms_norm gated_feed_forward
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
