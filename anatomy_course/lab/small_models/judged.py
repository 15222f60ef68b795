"""Texts that a model has written, judged: as a batch to learn from, in numbers, and with the loop that does both.

A judge says of a whole text whether it is good; no token has a label. The notebook's loop is the learner's own; the one
here makes the runs that are recorded (`docs/record_judged.py`) and the ones on Python. Notebook 10.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.small_models.workshop import write_texts

RECORDED = Path(__file__).with_name("judged.json")
Choose = Callable[[Float[Tensor, " vocabulary"]], int]


class WrittenTexts(NamedTuple):
    """Texts as a batch.

    Attributes:
        inputs: (batch, position), the end mark and then the text; what the model has read when it writes the next one.
        ids: (batch, position), what it writes there: the text and the end mark, which is repeated.
        counted: (batch, position), True for a text and the end mark after it.
    """

    inputs: Int[Tensor, "batch position"]
    ids: Int[Tensor, "batch position"]
    counted: Bool[Tensor, "batch position"]


def as_batch(texts: Sequence[Sequence[int]], *, most: int, end_id: int = 0) -> WrittenTexts:
    """Texts without their end marks, as a batch.

    Args:
        texts: the ids of each, as from `write_texts`.
        most: tokens after which a text was cut off; one of as many has no end.
        end_id: what ends a text, and is before its first token.

    Raises:
        ValueError: there is no text, or one is longer than `most`.

    >>> as_batch([[7, 8, 9], [5]], most=3).ids.tolist()
    [[7, 8, 9], [5, 0, 0]]
    """
    longest = max(map(len, texts), default=most + 1)
    if longest > most:
        said = f"a text has {longest} tokens" if texts else "there is no text"
        raise ValueError(f"Texts of at most {most} tokens are wanted, but {said}; give others, or a larger `most`.")
    ids = torch.full((len(texts), most), end_id)
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = torch.tensor(text, dtype=torch.long)
    inputs = F.pad(ids[:, :-1], (1, 0), value=end_id)
    lengths = torch.tensor([len(text) for text in texts])
    return WrittenTexts(inputs, ids, torch.arange(most) <= lengths[:, None])


@torch.no_grad()
def loss_on_texts(model: nn.Module, texts: WrittenTexts) -> float:
    """The mean cross-entropy of the counted tokens, in nats: how well a model foresees texts that others wrote."""
    return F.cross_entropy(model(texts.inputs)[texts.counted], texts.ids[texts.counted]).item()


@dataclass(frozen=True)
class Judgment:
    """What 400 texts of a model are like.

    Attributes:
        accepted: the share, from 0 to 1, that the judge accepts.
        different: how many different texts there are.
        words: the mean number of words in a text.
        held_out: loss on texts that others wrote, in nats a token.
    """

    accepted: float
    different: int
    words: float
    held_out: float


def judge(texts: Sequence[str], accepts: Callable[[str], bool | float], held_out: float) -> Judgment:
    """Numbers for texts.

    Args:
        texts: what the model wrote.
        accepts: the judge.
        held_out: its loss on other texts.

    Raises:
        ValueError: there is no text.

    >>> judge(["def f(): pass", "def", "def"], lambda text: text.endswith("pass"), 1.5)
    Judgment(accepted=0.3333333333333333, different=2, words=1.6666666666666667, held_out=1.5)
    """
    if not texts:
        raise ValueError("There is no text to judge; give a list of texts.")
    accepted = sum(float(accepts(text)) for text in texts) / len(texts)
    return Judgment(accepted, len(set(texts)), sum(len(text.split()) for text in texts) / len(texts), held_out)


def learn_from_judgments(
    model: nn.Module,
    reward: Callable[[list[int]], float],
    choose: Choose,
    advantages: Callable[[Tensor], Tensor],
    judged_loss: Callable[..., Tensor],
    *,
    leash: float,
    steps: int,
    length: int,
    most: int,
    group: int = 64,
    rate: float = 3e-3,
    end_id: int = 0,
    shuffle: torch.Generator | None = None,
    on_step: Callable[[list[float], list[list[int]]], object] | None = None,
) -> nn.Module:
    """Let a copy of a model learn from what a judge says of the texts that it writes.

    Args:
        model: where it begins; it stays as it is, and the leash is tied to it.
        reward: of a text's ids.
        choose: logits of one text's next token → its id, drawn at temperature 1 from all tokens.
        advantages: the learner's, of a group's rewards.
        judged_loss: the learner's.
        leash: how strongly the copy is held; 0 means free.
        steps: each with a group of texts.
        length: the most tokens that the model reads at once.
        most: tokens after which a text is cut off, not more than `length`.
        group: texts in a step.
        rate: the learning rate.
        end_id: what ends a text, and is before its first token.
        shuffle: deals the advantages to other texts of the group, drawn from this generator: a control.
        on_step: is given the mean reward of each step so far, and the newest texts.

    Returns:
        The copy.
    """
    judged, means = deepcopy(model), []
    optimizer = torch.optim.AdamW(judged.parameters(), lr=rate, weight_decay=0.0)
    for _ in range(steps):
        texts = write_texts(judged, choose, group, length=length, most=most, end_id=end_id)
        rewards = torch.tensor([float(reward(text)) for text in texts])
        gained = advantages(rewards)
        if shuffle is not None:
            gained = gained[torch.randperm(len(texts), generator=shuffle)]
        inputs, ids, counted = as_batch(texts, most=most, end_id=end_id)
        with torch.no_grad():
            first_logits = model(inputs)
        loss = judged_loss(judged(inputs), first_logits, ids, counted, gained, leash)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        means.append(rewards.mean().item())
        if on_step is not None:
            on_step(means, texts)
    return judged


@cache
def recorded_judgments() -> dict[str, Any]:
    """What `docs/record_judged.py` measured: "street", three seeds, and "python", what the parser rewards."""
    read: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return read
