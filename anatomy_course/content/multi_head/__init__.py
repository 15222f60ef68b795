"""The exercises of notebook 02, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    split_heads merge_heads multi_head_attention head_outputs disguise attention_at_offset forge_values
    switch_off repair pick_heads
""".split()
