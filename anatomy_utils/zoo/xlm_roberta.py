"""XLM-R: RoBERTa in a hundred languages.

Conneau et al. 2020 (arXiv:1911.02116). Against RoBERTa: the vocabulary, five times as large; nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from anatomy_utils.zoo.family import Family
from anatomy_utils.zoo.roberta import TASKS, RobertaConfig, with_head


@dataclass(frozen=True)
class XlmRobertaConfig(RobertaConfig):
    """The numbers of an XLM-R; the defaults are the base model's."""

    vocab_size: int = 250002


FAMILY = Family("XLMRoberta", XlmRobertaConfig.from_published, with_head, TASKS)
