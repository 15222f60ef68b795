"""The exercises of notebook 04, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    batch_of vocabulary_logits cross_entropy perplexity next_probabilities top_k top_p repetition_penalty
    attend_with_cache write share_heads repair rms_norm gated_feed_forward
""".split()
