"""RoBERTa: BERT trained longer, on more text, without the next-sentence task.

Liu et al. 2019 (arXiv:1907.11692). The body is BERT's with a single segment. A surprise in its checkpoints: positions
begin at row 2 of the table, because rows 0 and 1 belonged to special tokens where it was trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import Tensor, nn

from anatomy_utils.nn.dropout import dropout_or_nothing
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.zoo.bert import KEYS, BertConfig, with_head
from anatomy_utils.zoo.checkpoint import KeyMap, load_published, number_of_labels, task_of, unfilled

OFFSET = 2
"""padding_idx + 1: the first row of the position table that a real token uses."""


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """The numbers of a RoBERTa; the defaults are RoBERTa-base's."""

    vocab_size: int = 50265
    num_segments: int = 1
    norm_epsilon: float = 1e-5
    position_offset: int = OFFSET

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> RobertaConfig:
        """Read the entries of a Hugging Face `config.json`; its `max_position_embeddings` counts the unused rows too.

        Raises:
            ValueError: as `BertConfig.from_published`.
        """
        known = BertConfig.from_published(config)
        its_own = {"max_positions": known.max_positions - OFFSET, "position_offset": OFFSET}
        return cls(**asdict(known) | its_own)


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
"""Task, as published architectures name it → where each tensor goes."""


def load(config: Mapping[str, Any], tensors: Mapping[str, Tensor], *, family: str = "Roberta") -> nn.Module:
    """A RoBERTa, with the head its configuration names, ready to use (dropout off)."""
    task = task_of(config, family, TASKS)
    known = RobertaConfig.from_published(config)
    with unfilled():
        model = with_head(known, task, number_of_labels(config))
    if task == "SequenceClassification" and isinstance(model.head, SequenceHead):
        model.head.input_dropout = dropout_or_nothing(known.dropout)
    load_published(model, tensors, TASKS[task])
    return model.eval()
