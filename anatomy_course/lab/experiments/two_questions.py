"""Two questions at once: what one head cannot do and two heads of half the width can.

The street of `lookup_task`, asked about two things in one vector: the sum of their vectors, each turned by a rotation
of its own, so that "bus, then bike" is not "bike, then bus". A linear layer reads both colors off attention's output.
The control asks for two facts of one thing, the color of its body and that of its roof: as many facts, one place.
Notebook 02.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.experiments.lookup_task import COLORS, ON_A_STREET, LookupTask
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.tap import watch
from anatomy_utils.training.seeding import seeded

LAST = 50
"""How many steps a trial's loss is the mean of."""


class TwoAnswers(nn.Module):
    """Attention of a width that its heads share, and a linear layer that reads two colors off its output."""

    def __init__(self, num_heads: int, width: int = 16, d_model: int = 32) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads, d_head=width // num_heads, bias=False)
        self.read = nn.Linear(d_model, 2 * len(COLORS), bias=False)

    def forward(
        self, question: Float[Tensor, "batch 1 d_model"], street: Float[Tensor, "batch key d_model"]
    ) -> Float[Tensor, "batch 2 color"]:
        """One row of logits for each of the two colors."""
        return self.read(self.attention(question, street))[:, 0].unflatten(-1, (2, -1))


class TwoQuestionsTask(LookupTask):
    """Streets, and a question for two colors.

    Args:
        seed: of the vectors and of every batch.
        one_thing: ask for both colors of one thing, its body's and its roof's, in place of the colors of two things.
    """

    def __init__(self, seed: int = 0, *, one_thing: bool = False) -> None:
        super().__init__(seed=seed)
        d_model = self.table.shape[1]
        self.turns = torch.linalg.qr(torch.randn(2, d_model, d_model, generator=self.generator)).Q
        self.one_thing = one_thing

    def questions(self, size: int) -> tuple[Tensor, Tensor, Int[Tensor, "batch 2"], Int[Tensor, "batch 2"]]:
        """The next streets; questions; the two right colors; and where on the street each of them is found."""
        things, bodies, roofs = (
            torch.rand(size, len(COLORS), generator=self.generator).argsort(-1)[:, :ON_A_STREET] for _ in range(3)
        )
        places = torch.rand(size, ON_A_STREET, generator=self.generator).argsort(-1)[:, :2]
        street = self.things[things] + self.colors[bodies]
        if self.one_thing:
            places = places[:, :1].expand(-1, 2)
            street = street + self.colors[roofs] @ self.turns[0]
            question = self.things[things.gather(1, places[:, :1])]
            colors = torch.stack([bodies, roofs], dim=-1)[torch.arange(size), places[:, 0]]
        else:
            first, second = self.things[things.gather(1, places)].unbind(1)
            question = (first @ self.turns[0] + second @ self.turns[1])[:, None]
            colors = bodies.gather(1, places)
        return street, question, colors, places


class TwoQuestionsTrial(NamedTuple):
    """What became of a training, for the first and the second question."""

    loss: Float[Tensor, " 2"]
    """The mean of the last steps; guessing among the four colors of a street costs ln 4 = 1.39."""
    right: Float[Tensor, " 2"]
    """The share of right answers on new streets."""
    both: float
    """The share of streets with both answers right."""
    weights: Float[Tensor, "head 2"]
    """The mean weight of each head on the thing that is asked for first and second."""


def answer_two_questions(
    num_heads: int, seed: int = 0, *, one_thing: bool = False, equal_heads: bool = False, steps: int = 500
) -> TwoQuestionsTrial:
    """Train attention of width 16, cut into heads, on two questions at once.

    Args:
        num_heads: divides 16.
        seed: of the weights and the streets.
        one_thing: see `TwoQuestionsTask`.
        equal_heads: let all heads start with the same numbers as the first.
        steps: of Adam, with 128 streets each.
    """
    task = TwoQuestionsTask(seed, one_thing=one_thing)
    with seeded(torch.Generator().manual_seed(seed)):
        model = TwoAnswers(num_heads)
    if equal_heads:
        start_equal(model.attention)
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.02), []
    for _ in range(steps):
        street, question, colors, _ = task.questions(128)
        logits = model(question, street)
        loss = F.cross_entropy(logits.flatten(0, 1), colors.flatten(), reduction="none").view(-1, 2).mean(0)
        optimizer.zero_grad()
        loss.sum().backward()
        optimizer.step()
        losses.append(loss.detach())
    street, question, colors, places = task.questions(2000)
    with torch.no_grad(), watch(model) as seen:
        right = (model(question, street).argmax(dim=-1) == colors).float()
    weights = seen["attention.weights"][:, :, 0].mT.gather(1, places[..., None].expand(-1, -1, num_heads))
    return TwoQuestionsTrial(
        torch.stack(losses[-LAST:]).mean(0), right.mean(0), right.prod(1).mean().item(), weights.mean(0).T
    )


def start_equal(attention: MultiHeadAttention) -> None:
    """Give every head the numbers of the first one, in all four matrices."""
    with torch.no_grad():
        for into in (attention.to_query, attention.to_key, attention.to_value):
            heads = into.weight.unflatten(0, (attention.num_heads, -1))
            heads.copy_(heads[:1].clone().expand_as(heads))
        heads = attention.to_output.weight.unflatten(1, (attention.num_heads, -1))
        heads.copy_(heads[:, :1].clone().expand_as(heads))
