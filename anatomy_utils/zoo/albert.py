"""ALBERT: a BERT of a single layer, run many times.

Lan et al. 2020 (arXiv:1909.11942). Against BERT: all layers share one layer's weights (or a few groups of layers do),
the tables are narrow and a projection widens their vectors, and the second task while learning is the order of two
sentences instead of whether they belong together. Its checkpoints disagree on GELU: some have the exact one, some its
tanh approximation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation, gelu_tanh
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.zoo import bert
from anatomy_utils.zoo.checkpoint import KeyMap, part, sub_layers
from anatomy_utils.zoo.family import Family, numbers
from anatomy_utils.zoo.heads import BY_TOKEN, POOLED, masked, under_heads

ACTIVATIONS: dict[str, Activation] = {"gelu": F.gelu, "gelu_new": gelu_tanh}


@dataclass(frozen=True)
class AlbertConfig(bert.BertConfig):
    """The numbers of an ALBERT; the defaults are ALBERT-base's in its second version."""

    vocab_size: int = 30000
    dropout: float | int = 0.0
    attention_dropout: float | int = 0.0
    d_embedding: int = 128
    """Width of the tables."""
    num_groups: int = 1
    """How many different layers the stack is made of; neighbors share one."""
    layers_per_group: int = 1
    """How many layers a group has; each of `num_layers` runs them all."""
    activation: str = "gelu_new"
    classifier_dropout: float | int = 0.1

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> AlbertConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as ALBERT has it."""
        names = "d_embedding=embedding_size num_groups=num_hidden_groups layers_per_group=inner_group_num"
        optional = "classifier_dropout=classifier_dropout_prob"
        known = cls(**numbers(config, f"{bert.PUBLISHED} {names} activation=hidden_act", optional))
        if known.activation not in ACTIVATIONS:
            raise ValueError(f"hidden_act is {known.activation!r}, but ALBERT here has {' or '.join(ACTIVATIONS)}.")
        if not 1 <= known.num_groups <= known.num_layers:
            raise ValueError(
                f"num_hidden_groups is {known.num_groups}, but {known.num_layers} layers can be put into 1 to "
                f"{known.num_layers} groups."
            )
        return known


def order(config: AlbertConfig) -> list[tuple[int, int]]:
    """Which layer runs when, from the bottom up: its group, and its place within the group.

    >>> order(AlbertConfig(num_layers=3, num_groups=2))
    [(0, 0), (0, 0), (1, 0)]
    """
    groups = [i * config.num_groups // config.num_layers for i in range(config.num_layers)]
    return [(group, place) for group in groups for place in range(config.layers_per_group)]


def albert(config: AlbertConfig) -> Encoder:
    """An ALBERT of the given size, with fresh weights; the same layer stands at several places of its stack."""

    places = order(config)
    body = bert.bert(replace(config, num_layers=len(set(places))), activation=ACTIVATIONS[config.activation])
    different = dict(zip(dict.fromkeys(places), cast("list[EncoderLayer]", body.layers), strict=True))
    projection = nn.Linear(config.d_embedding, config.d_model)
    return Encoder(bert.tables(config, config.d_embedding, projection), [different[place] for place in places])


def with_head(config: AlbertConfig, task: str, num_labels: int = 2) -> nn.Module:
    """An ALBERT with the head of a task, with fresh weights; see `TASKS`.

    "PreTraining" answers for the masked words and, in `next_sentence`, whether the two sentences stand in their order
    (0) or were swapped (1).
    """
    dropout = config.classifier_dropout
    return bert.with_head(
        config,
        task,
        num_labels,
        body=albert(config),
        activation=ACTIVATIONS[config.activation],
        text=partial(SequenceHead, config.d_model, dropout=dropout),
        dropout=dropout,
    )


_ENCODER = r"(?:albert\.)?encoder\."
_LAYER = _ENCODER + r"layers\.(\d+)\."  # see `by_place`
KEYS = KeyMap(
    rename=[
        part(_ENCODER + r"embedding_hidden_mapping_in", "embeddings.projection"),
        part(_LAYER + r"attention\.(query|key|value)", r"layers.\1.self_attention.to_\2"),
        part(_LAYER + r"attention\.dense", r"layers.\1.self_attention.to_output"),
        *sub_layers(_LAYER, "after", r"attention\.LayerNorm full_layer_layer_norm ffn ffn_output"),
        *bert.TABLES,
    ],
    ignore=[
        *bert.KEYS.ignore[:2],  # positions that old files stored, and part of the sentence-order head
        r"(?:predictions|sop_classifier)\..*",  # the pretraining heads
    ],
)
TASKS = under_heads(
    KEYS,
    MaskedLM=masked("predictions", "predictions"),
    PreTraining=[
        *masked("predictions", "predictions", "head.masked."),
        part(r"albert\.pooler", "head.next_sentence.dense"),
        part(r"sop_classifier\.classifier", "head.next_sentence.labels"),
    ],
    SequenceClassification=POOLED,
    MultipleChoice=POOLED,
    **BY_TOKEN,
)


def by_place(config: AlbertConfig, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The published tensors, those of layers named by the first place of the stack at which the layer stands."""
    places = order(config)

    def first(match: re.Match[str]) -> str:
        return f"layers.{places.index((int(match[1]), int(match[2])))}."

    published = r"albert_layer_groups\.(\d+)\.albert_layers\.(\d+)\."
    return {re.sub(published, first, name): tensor for name, tensor in tensors.items()}


FAMILY = Family("Albert", AlbertConfig.from_published, with_head, TASKS, prepare=by_place)
