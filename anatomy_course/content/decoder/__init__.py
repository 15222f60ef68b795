"""The exercises of notebook 05, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    batch_of cross_entropy top_k top_p repetition_penalty
    attend_with_cache write share_heads whose_prompt induction induction_heads repair accept_draft rms_norm
    gated_feed_forward
""".split()
