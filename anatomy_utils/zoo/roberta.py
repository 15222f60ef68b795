"""RoBERTa: BERT trained longer, on more text, without the next-sentence task.

Liu et al. 2019 (arXiv:1907.11692). The body is BERT's with a single segment. A surprise in its checkpoints: positions
begin at row 2 of the table, one row after the id of the padding token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn

from anatomy_utils.nn.dropout import dropout_or_nothing
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.zoo.bert import KEYS, BertConfig, with_head as bert_with_head
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, after_padding


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """The numbers of a RoBERTa; the defaults are RoBERTa-base's."""

    vocab_size: int = 50265
    num_segments: int = 1
    norm_epsilon: float = 1e-5
    position_offset: int = 2

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> RobertaConfig:
        """Read the entries of a Hugging Face `config.json`; its `max_position_embeddings` counts the unused rows too.

        Raises:
            ValueError: as `BertConfig.from_published`.
        """
        known, offset = BertConfig.from_published(config), after_padding(config)
        its_own = {"max_positions": known.max_positions - offset, "position_offset": offset}
        return cls(**asdict(known) | its_own)


def with_head(config: RobertaConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A BERT with the head of a task, but that the dense layer before a text's label reads dropped features too."""
    model = bert_with_head(config, task, num_labels)
    if task == "SequenceClassification" and isinstance(model.head, SequenceHead):
        model.head.input_dropout = dropout_or_nothing(config.dropout)
    return model


_HEAD = [
    (r"classifier\.dense\.(weight|bias)", r"head.dense.\1"),
    (r"classifier\.out_proj\.(weight|bias)", r"head.labels.\1"),
]
_MASKED = [
    (r"lm_head\.dense\.(weight|bias)", r"head.dense.\1"),
    (r"lm_head\.layer_norm\.(weight|bias)", r"head.norm.\1"),
    (r"lm_head\.decoder\.(weight|bias)", r"head.vocabulary.\1"),
    (r"lm_head\.(bias)", r"head.vocabulary.\1"),
]
_LABELS = (r"classifier\.(weight|bias)", r"head.labels.\1")
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "MaskedLM": KEYS.within("body.", *_MASKED),
    "SequenceClassification": KEYS.within("body.", *_HEAD),
    "TokenClassification": KEYS.within("body.", _LABELS),
    "QuestionAnswering": KEYS.within("body.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
    "MultipleChoice": KEYS.within(
        "body.", (r"roberta\.pooler\.dense\.(weight|bias)", r"head.dense.\1"), _LABELS, ignore=KEYS.ignore[:1]
    ),
}

FAMILY = Family("Roberta", RobertaConfig.from_published, with_head, TASKS)
