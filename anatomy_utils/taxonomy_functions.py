"""What tells the families of Transformers apart, as functions of plain tensors.

Notebook 06 teaches these functions. Masks stand in `masks`, what models are trained on in `objectives`, and whole
families in `zoo`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.training.losses import IGNORE

Part = Callable[[Tensor], Tensor]
"""Hidden states in, hidden states of the same shape out: a sub-layer or a norm."""


class TwoCounts(NamedTuple):
    """Parameters of two encoders, one number for each depth."""

    own: Int[Tensor, " depth"]
    shared: Int[Tensor, " depth"]


def encoder_parameters(
    depths: Int[Tensor, " depth"], rows: int, d_embedding: int, d_model: int, layer_parameters: int
) -> TwoCounts:
    """How many parameters an encoder has whose layers are its own (BERT), and one whose layers are shared (ALBERT).

    Lan et al. 2020, sections 3.1 and 4.1 (arXiv:1909.11942): narrow embeddings with one linear layer behind them, and
    one layer that is used again and again.

    Args:
        depths: numbers of layers.
        rows: of all embedding tables together: tokens, positions and segments.
        d_embedding: width of ALBERT's tables; BERT's are d_model wide.
        d_model: width of the layers.
        layer_parameters: of one layer.

    Returns:
        Both counts, with the norm behind the tables (two numbers per feature), without heads.

    >>> encoder_parameters(torch.tensor([1, 12]), 100, 2, 10, 1000).own.tolist()  # 100 · 10 + 2 · 10 and the layers
    [2020, 13020]
    >>> encoder_parameters(torch.tensor([1, 12]), 100, 2, 10, 1000).shared.tolist()  # 100 · 2 + 2 · 2, 2 · 10 + 10
    [1234, 1234]
    """
    own = rows * d_model + 2 * d_model + depths * layer_parameters
    shared = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model + layer_parameters
    return TwoCounts(own, torch.full_like(depths, shared))


def disentangled_scores(
    query: Float[Tensor, "*batch position d_head"],
    key: Float[Tensor, "*batch position d_head"],
    offset_query: Float[Tensor, "*batch offset d_head"],
    offset_key: Float[Tensor, "*batch offset d_head"],
    rows: Int[Tensor, "position position"],
) -> Float[Tensor, "*batch position position"]:
    """What a word is and how far away it is, in three products: content–content, content–offset, offset–content.

    He et al. 2021, equation 4 (arXiv:2006.03654):
    (Q_i · K_j + Q_i · Kʳ_{δ(i, j)} + K_j · Qʳ_{δ(i, j)}) / √(3 d_head). There is no fourth product of two offsets. The
    paper writes δ(j, i) in the third product; its code, and so every published checkpoint, takes δ(i, j) in both.

    Args:
        query, key: of the words' contents.
        offset_query, offset_key: of the table of offsets.
        rows: δ: `rows[i, j]` is the offset table's row for position j as seen from position i.

    >>> one, offsets = torch.ones(2, 1), torch.tensor([[0.0], [10.0], [20.0]])
    >>> scores = disentangled_scores(one, one, offsets, 10 * offsets, torch.tensor([[1, 0], [2, 1]]))
    >>> (scores * 3**0.5).round().tolist()  # 1 + 100 + 10 with itself; 1 + 0 + 0; 1 + 200 + 20
    [[111.0, 1.0], [221.0, 111.0]]
    """
    content = query @ key.mT
    to_offset = (query @ offset_key.mT).gather(-1, rows.expand_as(content))
    from_offset = (key @ offset_query.mT).gather(-1, rows.mT.expand_as(content)).mT  # key query, then turned
    return (content + to_offset + from_offset) * (3 * query.shape[-1]) ** -0.5


def parallel_layer(
    hidden_states: Float[Tensor, "batch position d_model"], self_attention: Part, feed_forward: Part, norm: Part
) -> Float[Tensor, "batch position d_model"]:
    """Both sub-layers read the same normed states, and both results are added: the layer of GPT-J.

    Wang and Komatsuzaki 2021 (GPT-J-6B). The feed-forward network does not wait for attention, nor see what it found.

    Args:
        hidden_states: the residual stream.
        self_attention, feed_forward: functions of normed hidden states.
        norm: one for both.

    >>> parallel_layer(torch.ones(1, 1, 1), lambda x: 2 * x, lambda x: 3 * x, lambda x: x / 10).item()  # 1 + .2 + .3
    1.5
    """
    normed = norm(hidden_states)
    return hidden_states + self_attention(normed) + feed_forward(normed)


def cache_bytes(
    lengths: Int[Tensor, " text"],
    num_layers: int,
    num_kv_heads: int,
    d_head: int,
    window: int,
    bytes_per_number: int,
) -> Int[Tensor, " text"]:
    """How many bytes the keys and values of one text take, when no layer looks back further than its window.

    Jiang et al. 2023, section 2 (arXiv:2310.06825): what has left the window is overwritten.

    Args:
        lengths: tokens so far, one number for each text.
        num_layers: of the decoder.
        num_kv_heads: heads of keys and values, as many as query heads or fewer.
        d_head: width of one head.
        window: how many positions a layer may look at.
        bytes_per_number: 4 for float32, 2 for float16 and bfloat16.

    >>> cache_bytes(torch.tensor([1, 4096, 8192]), 32, 8, 128, 4096, 2).tolist()  # Mistral 7B
    [131072, 536870912, 536870912]
    """
    per_token = 2 * num_layers * num_kv_heads * d_head * bytes_per_number  # a key and a value
    return lengths.clamp(max=window) * per_token


def soft_loss(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    temperature: float | int,
) -> Float[Tensor, ""]:
    """T² · KL(teacher ‖ student) of softened logits, averaged over all positions.

    Hinton et al. 2015, section 2 (arXiv:1503.02531). `objectives.distillation.soft_loss` lets no gradient flow into the
    teacher; here each number can be asked what it is made of.

    Args:
        student_logits, teacher_logits: any real numbers.
        temperature: above 0; a high one shows more of the unlikely words.

    >>> soft_loss(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]]), 2.0).item()  # the same opinion
    0.0
    """
    teacher, student = ((logits / temperature).log_softmax(dim=-1) for logits in (teacher_logits, student_logits))
    return temperature**2 * (teacher.exp() * (teacher - student)).sum(dim=-1).mean()


def leave_one_out(
    read: Callable[[Int[Tensor, "text position"]], Float[Tensor, "text d_output"]], length: int
) -> Float[Tensor, " position"]:
    """How far the output moves when one position is hidden, for each position.

    Ablation, as Zeiler and Fergus 2014 did it for parts of a picture (arXiv:1311.2901) and Li, Monroe and Jurafsky 2016
    for words (arXiv:1612.08220). It asks what attention weights do not say: whether a word mattered.

    Args:
        read: (attention_mask) → one output for each of its rows: the same text with those positions hidden that are 0.
        length: of the text.

    Returns:
        The distance (Euclidean) from the output that has seen the whole text.

    >>> sums = lambda mask: mask @ torch.tensor([[0.0, 5.0], [0.0, 0.0], [3.0, 4.0]])  # a bag of three vectors
    >>> leave_one_out(lambda mask: sums(mask.float()), 3).tolist()
    [5.0, 0.0, 5.0]
    """
    whole, without = torch.ones(1, length, dtype=torch.long), 1 - torch.eye(length, dtype=torch.long)
    return torch.linalg.vector_norm(read(without) - read(whole), dim=-1)


class Twice(NamedTuple):
    """A batch in which each text stands twice, and only the second time something is asked."""

    input_ids: Int[Tensor, "batch twice"]
    attention_mask: Int[Tensor, "batch twice"]
    labels: Int[Tensor, "batch twice"]


def read_twice(
    input_ids: Int[Tensor, "batch position"],
    attention_mask: Int[Tensor, "batch position"],
    labels: Int[Tensor, "batch position"],
) -> Twice:
    """Give a causal model each text twice, and ask for the labels the second time, when it knows how the text ends.

    Springer et al. 2024 (arXiv:2402.15449) make sentence vectors so.

    Args:
        input_ids: texts, padded at the end.
        attention_mask: 1 = real token, 0 = padding.
        labels: one for each token, `IGNORE` where nothing is asked.

    >>> [part.tolist() for part in read_twice(*(torch.tensor([row]) for row in ([5, 6], [1, 1], [3, 4])))]
    [[[5, 6, 5, 6]], [[1, 1, 1, 1]], [[-100, -100, 3, 4]]]
    """
    return Twice(
        torch.cat([input_ids, input_ids], dim=1),
        torch.cat([attention_mask, attention_mask], dim=1),
        torch.cat([torch.full_like(labels, IGNORE), labels], dim=1),
    )
