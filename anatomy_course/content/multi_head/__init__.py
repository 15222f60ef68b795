"""The exercises of notebook 02, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    stack_heads split_heads merge_heads multi_head_attention head_outputs attention_at_offset switch_off repair
    cross_attention
""".split()
