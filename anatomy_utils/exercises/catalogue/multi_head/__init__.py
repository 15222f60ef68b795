"""Exercises, questions and predictions of notebook 02, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.multi_head import (
    closing,
    cross_attention,
    mixing,
    multi_head_attention,
    predictions,
    questions,
    repair,
    share_heads,
    splitting,
    stack_heads,
)

EXERCISES = (
    stack_heads.STACK_HEADS,
    splitting.SPLIT_HEADS,
    splitting.MERGE_HEADS,
    multi_head_attention.MULTI_HEAD_ATTENTION,
    mixing.HEAD_OUTPUTS,
    cross_attention.CROSS_ATTENTION,
    mixing.SWITCH_OFF,
    share_heads.SHARE_HEADS,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
