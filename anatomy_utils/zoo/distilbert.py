"""DistilBERT: half of BERT's layers, taught by BERT itself.

Sanh et al. 2019 (arXiv:1910.01108). Against BERT: six layers, no segments, ReLU before a classifier's labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.zoo.bert import TABLES, BertConfig, with_head
from anatomy_utils.zoo.checkpoint import KeyMap, part, projections, sub_layers
from anatomy_utils.zoo.family import Family, numbers, require
from anatomy_utils.zoo.heads import BY_TOKEN, LABELS, under_heads


def distilbert_config(config: Mapping[str, Any]) -> BertConfig:
    """The numbers in a published `config.json`; ValueError where one is missing, or the activation is not GELU."""
    require(config, "DistilBERT", activation="gelu")
    if config.get("sinusoidal_pos_embds"):
        raise ValueError("sinusoidal_pos_embds is set, but DistilBERT here reads its positions from the file.")
    names = "vocab_size d_model=dim num_layers=n_layers num_heads=n_heads d_ff=hidden_dim"
    known = numbers(config, f"{names} max_positions=max_position_embeddings", "dropout attention_dropout")
    return BertConfig(**known, num_segments=0)


def distilbert_with_head(config: BertConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A DistilBERT with the head of a task: BERT's, but for ReLU before a classifier's labels."""
    text = partial(SequenceHead, config.d_model, activation=F.relu, dropout=config.dropout)
    return with_head(config, task, num_labels, text=text)


_LAYER = r"(?:distilbert\.)?transformer\.layer\.(\d+)\."
KEYS = KeyMap(
    rename=[
        *TABLES,
        *projections(_LAYER + r"attention\.", "q_lin k_lin v_lin out_lin"),
        *sub_layers(_LAYER, "after", r"sa_layer_norm output_layer_norm ffn\.lin1 ffn\.lin2"),
    ],
)
_POOLED = [part("pre_classifier", "head.dense"), LABELS]
TASKS = under_heads(
    KEYS,
    MaskedLM=[
        part("vocab_transform", "head.dense"),
        part("vocab_layer_norm", "head.norm"),
        part("vocab_projector", "head.vocabulary"),
    ],
    SequenceClassification=_POOLED,
    MultipleChoice=_POOLED,
    **BY_TOKEN,
)

FAMILY = Family("DistilBert", distilbert_config, distilbert_with_head, TASKS)
