"""Exercises, questions and predictions of notebook 02, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.multi_head import closing, predictions, questions

EXERCISES = """
    stack_heads split_heads merge_heads multi_head_attention head_outputs attention_at_offset switch_off repair
    cross_attention
""".split()
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
