"""DistilBERT: half of BERT's layers, taught by BERT itself.

Sanh et al. 2019 (arXiv:1910.01108). Against BERT: six layers, no segments, ReLU before a classifier's labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.heads import MultipleChoice, SequenceHead, WithHead
from anatomy_utils.zoo.bert import BertConfig, bert, with_head
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, read, require


def distilbert_config(config: Mapping[str, Any]) -> BertConfig:
    """Read the entries of a Hugging Face `config.json`.

    Raises:
        ValueError: an entry is missing, or the activation is another one than GELU.
    """
    require(config, "DistilBERT", activation="gelu")
    if config.get("sinusoidal_pos_embds"):
        raise ValueError("sinusoidal_pos_embds is set, but DistilBERT here reads its positions from the file.")
    vocab_size, d_model, num_layers, num_heads, d_ff, max_positions = read(
        config, "vocab_size", "dim", "n_layers", "n_heads", "hidden_dim", "max_position_embeddings"
    )
    return BertConfig(
        vocab_size,
        d_model,
        num_layers,
        num_heads,
        d_ff,
        max_positions,
        num_segments=0,
        dropout=config.get("dropout", 0.1),
        attention_dropout=config.get("attention_dropout", 0.1),
    )


def distilbert_with_head(config: BertConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A DistilBERT with the head of a task: BERT's, but for ReLU before a classifier's labels."""
    if task not in ("SequenceClassification", "MultipleChoice"):
        return with_head(config, task, num_labels)
    labels = 1 if task == "MultipleChoice" else num_labels
    head = SequenceHead(config.d_model, labels, activation=F.relu, dropout=config.dropout)
    return (MultipleChoice if task == "MultipleChoice" else WithHead)(bert(config), head)


_LAYER = r"(?:distilbert\.)?transformer\.layer\.(\d+)\."
_EMBEDDINGS = r"(?:distilbert\.)?embeddings\."
KEYS = KeyMap(
    rename=[
        (_EMBEDDINGS + r"word_embeddings\.weight", r"embeddings.tokens.weight"),
        (_EMBEDDINGS + r"position_embeddings\.weight", r"embeddings.positions.table.weight"),
        (_EMBEDDINGS + r"LayerNorm\.(weight|bias)", r"embeddings.norm.\1"),
        (_LAYER + r"attention\.q_lin\.(weight|bias)", r"layers.\1.self_attention.to_query.\2"),
        (_LAYER + r"attention\.k_lin\.(weight|bias)", r"layers.\1.self_attention.to_key.\2"),
        (_LAYER + r"attention\.v_lin\.(weight|bias)", r"layers.\1.self_attention.to_value.\2"),
        (_LAYER + r"attention\.out_lin\.(weight|bias)", r"layers.\1.self_attention.to_output.\2"),
        (_LAYER + r"sa_layer_norm\.(weight|bias)", r"layers.\1.self_attention_norms.after.\2"),
        (_LAYER + r"ffn\.lin1\.(weight|bias)", r"layers.\1.feed_forward.expand.\2"),
        (_LAYER + r"ffn\.lin2\.(weight|bias)", r"layers.\1.feed_forward.contract.\2"),
        (_LAYER + r"output_layer_norm\.(weight|bias)", r"layers.\1.feed_forward_norms.after.\2"),
    ],
)
_DENSE = (r"pre_classifier\.(weight|bias)", r"head.dense.\1")
_LABELS = (r"classifier\.(weight|bias)", r"head.labels.\1")
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "MaskedLM": KEYS.within(
        "body.",
        (r"vocab_transform\.(weight|bias)", r"head.dense.\1"),
        (r"vocab_layer_norm\.(weight|bias)", r"head.norm.\1"),
        (r"vocab_projector\.(weight|bias)", r"head.vocabulary.\1"),
    ),
    "SequenceClassification": KEYS.within("body.", _DENSE, _LABELS),
    "MultipleChoice": KEYS.within("body.", _DENSE, _LABELS),
    "TokenClassification": KEYS.within("body.", _LABELS),
    "QuestionAnswering": KEYS.within("body.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
}

FAMILY = Family("DistilBert", distilbert_config, distilbert_with_head, TASKS)
