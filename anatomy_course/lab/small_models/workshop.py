"""What is around the program of notebook 10: its size, its loss on held-out windows, and the loop that writes texts.

The program itself is the learner's: classes and functions of `content.workshop`, ours where one is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.training.losses import cross_entropy


@dataclass(frozen=True)
class GptSize:
    """How large a model is trained, and for how long.

    Attributes:
        vocabulary_size: 256 bytes and the merged pairs.
        length: the most tokens that it reads at once.
        d_model: features of a token's vector.
        num_layers: blocks.
        num_heads: in each block.
        batch_size: windows of `length` tokens in a step.
        steps: of training.
        warmup: steps in which the learning rate rises.
        peak: the highest learning rate.
    """

    vocabulary_size: int
    length: int
    d_model: int
    num_layers: int
    num_heads: int
    batch_size: int
    steps: int
    warmup: int
    peak: float


ON_CPU = GptSize(1024, 96, 128, 4, 4, batch_size=24, steps=1000, warmup=50, peak=3e-3)
"""About two minutes on two cores."""
ON_GPU = GptSize(1024, 192, 384, 6, 6, batch_size=64, steps=600, warmup=60, peak=1e-3)
"""Half a minute on an H100. With more steps the loss on unseen functions would rise."""


def gpt_size(device: torch.device | str) -> GptSize:
    """The size that a device trains in two minutes or less.

    >>> gpt_size("cpu").num_layers, gpt_size("cuda").num_layers
    (4, 6)
    """
    return ON_CPU if torch.device(device).type == "cpu" else ON_GPU


@torch.no_grad()
def loss_on(
    model: nn.Module, windows: Sequence[tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]]
) -> float:
    """The mean loss of a model on windows that are always the same, in nats per token.

    Args:
        model: ids (batch, position) → logits (batch, position, vocabulary).
        windows: batches of one size, inputs and labels.

    Raises:
        ValueError: there is no batch.
    """
    if not windows:
        raise ValueError("There are no windows to measure the loss on; give at least one batch.")
    device = next((weight.device for weight in model.parameters()), torch.device("cpu"))
    losses = [cross_entropy(model(inputs.to(device)), labels.to(device)) for inputs, labels in windows]
    return torch.stack(losses).mean().item()


@torch.no_grad()
def write_texts(
    model: nn.Module,
    choose: Callable[[Float[Tensor, " vocabulary"]], int],
    count: int,
    *,
    length: int,
    most: int = 160,
    end_id: int = 0,
) -> list[list[int]]:
    """Write texts from nothing but the end mark, token by token, all of them side by side.

    There is no cache: each step reads the last `length` tokens of every text again. A text that has ended is not read
    any more.

    Args:
        model: ids (batch, position) → logits (batch, position, vocabulary).
        choose: logits of one text's next token → its id.
        count: how many texts.
        length: the most tokens that the model reads at once.
        most: tokens after which a text is cut off.
        end_id: what ends a text, and is before its first token.

    Returns:
        The ids of each text, without the end mark.

    Raises:
        ValueError: a number is below 1.
    """
    for name, number in (("count", count), ("length", length), ("most", most)):
        if number < 1:
            raise ValueError(f"{name} is {number}, but it must be at least 1.")
    device = next((weight.device for weight in model.parameters()), torch.device("cpu"))
    texts: list[list[int]] = [[end_id] for _ in range(count)]
    open_texts = list(range(count))
    for _ in range(most):
        read = torch.tensor([texts[number][-length:] for number in open_texts], device=device)
        logits = model(read)[:, -1].float().cpu()
        for number, row in zip(open_texts, logits, strict=True):
            texts[number].append(int(choose(row)))
        open_texts = [number for number in open_texts if texts[number][-1] != end_id]
        if not open_texts:
            break
    return [text[1:-1] if text[-1] == end_id else text[1:] for text in texts]
