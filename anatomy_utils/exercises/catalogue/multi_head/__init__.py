"""Exercises, questions and predictions of notebook 02, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.multi_head import (
    closing,
    cross_attention,
    multi_head_attention,
    predictions,
    questions,
    repair,
    share_heads,
    stack_heads,
)
from anatomy_utils.exercises.catalogue.multi_head.head_outputs import HEAD_OUTPUTS
from anatomy_utils.exercises.catalogue.multi_head.merge_heads import MERGE_HEADS
from anatomy_utils.exercises.catalogue.multi_head.split_heads import SPLIT_HEADS
from anatomy_utils.exercises.catalogue.multi_head.switch_off import SWITCH_OFF

EXERCISES = (
    stack_heads.STACK_HEADS,
    SPLIT_HEADS,
    MERGE_HEADS,
    multi_head_attention.MULTI_HEAD_ATTENTION,
    HEAD_OUTPUTS,
    cross_attention.CROSS_ATTENTION,
    SWITCH_OFF,
    share_heads.SHARE_HEADS,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
