"""An encoder–decoder's parts as functions of plain tensors: what its modules do, written out.

Notebook 05 teaches these functions. What training needs calls what stands in `training`; whole searches stand in
`decoding`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.attention import scaled_dot_product_attention
from anatomy_utils.functional.masks import padding
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.schedules import paper_schedule
from anatomy_utils.training.teacher_forcing import shift_right

Part = Callable[[Tensor], Tensor]
"""Hidden states in, hidden states of the same shape out: a sub-layer or a norm."""


def attend_to_memory(
    query: Float[Tensor, "batch heads query d_head"],
    key: Float[Tensor, "batch heads key d_head"],
    value: Float[Tensor, "batch heads key d_head"],
    attention_mask: Int[Tensor, "batch key"],
) -> Float[Tensor, "batch heads query d_head"]:
    """Cross-attention of all heads: queries from the decoder, keys and values from the encoder's output.

    Vaswani et al. 2017, section 3.2.3 (arXiv:1706.03762). No causal mask: the source has been read to its end.

    Args:
        query: of the positions that are being written.
        key, value: of the source's positions, the memory.
        attention_mask: of the source: 1 = real token, 0 = padding, which nobody may see.

    >>> one = torch.ones(1, 1, 1, 1)
    >>> value = torch.tensor([[[[2.0], [4.0], [90.0]]]])
    >>> attend_to_memory(one, torch.ones(1, 1, 3, 1), value, torch.tensor([[1, 1, 0]])).item()  # of the first two
    3.0
    """
    return scaled_dot_product_attention(query, key, value, padding(attention_mask)).context


def decoder_layer(
    hidden_states: Float[Tensor, "batch position d_model"],
    memory: Any,
    self_attention: Part,
    cross_attention: Callable[[Tensor, Any], Tensor],
    feed_forward: Part,
    self_attention_norm: Part,
    cross_attention_norm: Part,
    feed_forward_norm: Part,
) -> Float[Tensor, "batch position d_model"]:
    """Three sub-layers, each inside a residual connection with its norm in front of it.

    Vaswani et al. 2017, section 3.1 (arXiv:1706.03762), who had the norms behind the sums; in front of the sub-layers
    they stand in most models since (Xiong et al. 2020, arXiv:2002.04745).

    Args:
        hidden_states: the text that is being written.
        memory: the encoder's output, or what cross-attention remembers of it. It is not normed here: the encoder's
            last norm has done so.
        self_attention, feed_forward: functions of hidden states.
        cross_attention: (hidden states, memory) → hidden states.
        self_attention_norm, cross_attention_norm, feed_forward_norm: one for each sub-layer.

    >>> same, double, add = (lambda x: x), (lambda x: 2 * x), (lambda x, memory: x + memory)
    >>> decoder_layer(torch.ones(1, 1, 1), 10.0, double, add, double, same, same, same).item()  # 3, then 16, then 48
    48.0
    """
    hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))
    hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), memory)
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))


def decoder_inputs(labels: Int[Tensor, "batch position"], start_id: int, pad_id: int) -> Int[Tensor, "batch position"]:
    """What the decoder reads, when `labels` are what it should say: `training.teacher_forcing.shift_right`.

    >>> decoder_inputs(torch.tensor([[5, 6, 2, -100]]), start_id=1, pad_id=0).tolist()
    [[1, 5, 6, 2]]
    """
    return shift_right(labels, start_id, pad_id=pad_id)


def smoothed_cross_entropy(
    logits: Float[Tensor, "batch position vocab_size"], labels: Int[Tensor, "batch position"], epsilon: float | int
) -> Float[Tensor, ""]:
    """Cross-entropy with ε of the target spread evenly over the vocabulary: `training.cross_entropy` with smoothing.

    Szegedy et al. 2016, section 7 (arXiv:1512.00567).

    >>> sure = torch.tensor([[[0.0, -20.0]]])  # −log p is 0 for the first token and 20 for the second
    >>> round(smoothed_cross_entropy(sure, torch.tensor([[0]]), 0.1).item(), 4)  # half of 0.1 goes to the second
    1.0
    """
    return cross_entropy(logits, labels, label_smoothing=epsilon)


def learning_rates(steps: Int[Tensor, " step"], d_model: int, warmup: int) -> Float[Tensor, " step"]:
    """d_model^−0.5 · min(step^−0.5, step · warmup^−1.5) of many steps at once: `training.paper_schedule`.

    Vaswani et al. 2017, equation 3 (arXiv:1706.03762).

    >>> learning_rates(torch.tensor([1, 4, 16]), d_model=4, warmup=4).tolist()  # ½ · (⅛, ½, ¼)
    [0.0625, 0.25, 0.125]
    """
    schedule = paper_schedule(d_model, warmup=warmup)
    return torch.tensor([schedule(step) for step in steps.tolist()])


def translate(
    next_logits: Callable[[Tensor, Any], Tensor],
    memory: Any,
    start_id: int,
    stop_id: int,
    pad_id: int,
    max_new_tokens: int,
) -> Int[Tensor, "batch position"]:
    """Write a batch of texts, always with the likeliest token; each row ends with its own stop token.

    `decoding.generate` does the same with a cache, and for any prompt.

    Args:
        next_logits: (ids so far (batch, position), memory) → logits (batch, vocab_size) of what follows.
        memory: the encoder's output, one row for each text; computed once.
        start_id: what each text begins with.
        stop_id: ends a text, and belongs to it.
        pad_id: stands behind the end of a text while others go on.
        max_new_tokens: how many may be written.

    Returns:
        The start token and what follows it, as long as the longest text.

    >>> def count_up(ids: Tensor, memory: Tensor) -> Tensor:
    ...     return torch.nn.functional.one_hot(ids[:, -1] + memory, 9).float()
    >>> translate(count_up, torch.tensor([1, 2]), 1, 5, 0, 7).tolist()
    [[1, 2, 3, 4, 5], [1, 3, 5, 0, 0]]
    """
    ids = torch.full((len(memory), 1), start_id)
    ended = torch.zeros(len(memory), dtype=torch.bool)
    for _ in range(max_new_tokens):
        new_ids = next_logits(ids, memory).argmax(dim=-1).masked_fill(ended, pad_id)
        ids = torch.cat([ids, new_ids[:, None]], dim=1)
        ended = ended | (new_ids == stop_id)
        if ended.all():
            break
    return ids


class Kept(NamedTuple):
    """The texts that a beam search keeps, best first."""

    log_probabilities: Float[Tensor, " beams"]
    parents: Int[Tensor, " beams"]
    tokens: Int[Tensor, " beams"]


def beam_step(
    log_probabilities: Float[Tensor, " beams"], next_log_probabilities: Float[Tensor, "beams vocab_size"]
) -> Kept:
    """Continue each kept text with each token, and keep as many of the best as there were.

    `decoding.search.advance` does it for many prompts at once, and puts aside what has ended.

    Args:
        log_probabilities: log p of each kept text.
        next_log_probabilities: log p of each token behind each of them.

    Returns:
        log p of the new texts, which text each of them continues, and with which token.

    >>> beam_step(torch.tensor([-1.0, -2.0]), torch.tensor([[-3.0, -3.0, -0.5], [-0.25, -3.0, -3.0]])).parents.tolist()
    [0, 1]
    """
    vocab_size = next_log_probabilities.shape[1]
    sums = log_probabilities[:, None] + next_log_probabilities
    best = sums.flatten().topk(len(log_probabilities))
    return Kept(best.values, best.indices // vocab_size, best.indices % vocab_size)
