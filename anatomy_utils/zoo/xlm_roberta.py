"""XLM-R: RoBERTa in a hundred languages.

Conneau et al. 2020 (arXiv:1911.02116). Against RoBERTa: the vocabulary, five times as large; nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from anatomy_utils.zoo import roberta
from anatomy_utils.zoo.bert import with_head
from anatomy_utils.zoo.roberta import TASKS, RobertaConfig

__all__ = ["TASKS", "XlmRobertaConfig", "load", "with_head"]


@dataclass(frozen=True)
class XlmRobertaConfig(RobertaConfig):
    """The numbers of an XLM-R; the defaults are the base model's."""

    vocab_size: int = 250002


load = partial(roberta.load, family="XLMRoberta")
"""An XLM-R, with the head its configuration names, ready to use (dropout off)."""
