"""Exercises, questions and predictions of notebook 02, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.multi_head import (
    closing,
    elsewhere,
    mixing,
    predictions,
    projecting,
    questions,
    repair,
    sharing,
    splitting,
    whole,
)

EXERCISES = (
    projecting.STACK_HEADS,
    splitting.SPLIT_HEADS,
    splitting.MERGE_HEADS,
    whole.MULTI_HEAD_ATTENTION,
    mixing.HEAD_OUTPUTS,
    elsewhere.CROSS_ATTENTION,
    mixing.SWITCH_OFF,
    sharing.SHARE_HEADS,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
