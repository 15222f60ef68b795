"""RoBERTa: BERT trained longer, on more text, without the next-sentence task.

Liu et al. 2019 (arXiv:1907.11692). The body is BERT's with a single segment. A surprise in its checkpoints: positions
begin at row 2 of the table, one row after the id of the padding token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn

from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.zoo.bert import KEYS, BertConfig, with_head as bert_with_head
from anatomy_utils.zoo.family import Family, after_padding
from anatomy_utils.zoo.heads import BY_TOKEN, POOLED, masked, two_layers, under_heads


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """The numbers of a RoBERTa; the defaults are RoBERTa-base's."""

    vocab_size: int = 50265
    num_segments: int = 1
    norm_epsilon: float = 1e-5
    position_offset: int = 2

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> RobertaConfig:
        """As `BertConfig.from_published`; `max_position_embeddings` counts the unused rows too."""
        known, offset = BertConfig.from_published(config), after_padding(config)
        its_own = {"max_positions": known.max_positions - offset, "position_offset": offset}
        return cls(**asdict(known) | its_own)


def with_head(config: RobertaConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A BERT with the head of a task, but that the dense layer before a text's label reads dropped features too."""

    def label() -> SequenceHead:
        return SequenceHead(config.d_model, num_labels, dropout=config.dropout, input_dropout=config.dropout)

    return bert_with_head(config, task, num_labels, SequenceClassification=label)


TASKS = under_heads(
    KEYS,
    MaskedLM=masked("lm_head", "lm_head"),
    SequenceClassification=two_layers("classifier"),
    MultipleChoice=POOLED,
    **BY_TOKEN,
)

FAMILY = Family("Roberta", RobertaConfig.from_published, with_head, TASKS)
