"""ELECTRA: a BERT that learns to tell which words were replaced.

Clark et al. 2020 (arXiv:2003.10555). Two models learn together: a small generator fills in masked words as BERT does
(task "MaskedLM"), and the discriminator, which is kept, says of every token whether it was in the text (task
"PreTraining"). Against BERT: the tables may be narrower than the stack, and classifiers have GELU where BERT has tanh.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.heads import ReplacedTokenHead, SequenceHead
from anatomy_utils.zoo import bert
from anatomy_utils.zoo.checkpoint import KeyMap, part
from anatomy_utils.zoo.family import Family, numbers, require
from anatomy_utils.zoo.heads import BY_TOKEN, LABELS, two_layers, under_heads


@dataclass(frozen=True)
class ElectraConfig(bert.BertConfig):
    """The numbers of an ELECTRA; the defaults are ELECTRA-small's discriminator's."""

    d_model: int = 256
    num_heads: int = 4
    d_ff: int = 1024
    d_embedding: int = 128
    """Width of the tables."""
    classifier_dropout: float = 0.1
    choice_dropout: float = 0.1
    """Before the label of a multiple-choice head."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> ElectraConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as ELECTRA has it."""
        require(config, "ELECTRA", summary_type="first", summary_use_proj=True, summary_activation="gelu")
        known = asdict(bert.BertConfig.from_published(config))
        optional = "classifier_dropout choice_dropout=summary_last_dropout"
        its_own = numbers(config, "d_embedding=embedding_size", optional)
        return cls(**known | {"classifier_dropout": known["dropout"]} | its_own)


def electra(config: ElectraConfig) -> Encoder:
    """An ELECTRA of the given size, with fresh weights: a BERT with tables of another width."""
    encoder, width = bert.bert(config), config.d_embedding
    encoder.embeddings = bert.tables(
        config, width, nn.Linear(width, config.d_model) if width != config.d_model else None
    )
    return encoder


def with_head(config: ElectraConfig, task: str, num_labels: int = 2) -> nn.Module:
    """An ELECTRA with the head of a task, with fresh weights; see `TASKS`."""
    width, dropout = config.d_model, config.classifier_dropout
    pooled = partial(SequenceHead, width, activation=F.gelu)
    return bert.with_head(
        config,
        task,
        num_labels,
        body=electra(config),
        text=partial(pooled, dropout=dropout, input_dropout=dropout),
        dropout=dropout,
        MultipleChoice=lambda: pooled(1, dropout=config.choice_dropout),
        PreTraining=lambda: ReplacedTokenHead(width),
    )


KEYS = KeyMap(
    rename=[*bert.KEYS.rename, part(r"(?:electra\.)?embeddings_project", "embeddings.projection")],
    ignore=[
        r"(?:electra\.)?embeddings\.position_ids",  # the numbers 0, 1, 2 … that old files stored
        r"(?:generator|discriminator)_\w+\..*",  # the pretraining heads
    ],
)
TASKS = under_heads(
    KEYS,
    MaskedLM=[
        part(r"generator_predictions\.dense", "head.dense"),
        part(r"generator_predictions\.LayerNorm", "head.norm"),
        part("generator_lm_head", "head.vocabulary"),
    ],
    PreTraining=[
        part(r"discriminator_predictions\.dense", "head.dense"),
        part(r"discriminator_predictions\.dense_prediction", "head.replaced"),
    ],
    SequenceClassification=two_layers("classifier"),
    MultipleChoice=[part(r"sequence_summary\.summary", "head.dense"), LABELS],
    **BY_TOKEN,
)

FAMILY = Family("Electra", ElectraConfig.from_published, with_head, TASKS)
