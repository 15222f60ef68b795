"""The exercises of notebook 01, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    weighted_average projection softmax one_word scores attention causal_mask masked_softmax
    follows_meaning add_block accepts repair
""".split()
