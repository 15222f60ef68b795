"""What color is it, or is it not here? A look-up on the street whose thing is missing half of the time.

One head, one linear layer. The weights of a softmax sum to 1 even where there is nothing to find; with a sink they need
not. Notebook 08 trains both.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.experiments.lookup_task import COLORS, ON_A_STREET, THINGS, LookupTask
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.tap import watch
from anatomy_utils.training.seeding import seeded

D_MODEL, BATCH, TESTED, LEARNING_RATE = 8, 128, 4000, 0.02
Rest = Literal["none", "sink", "token"]
NOWHERE = len(COLORS)
"""The answer where the thing is not on the street."""


class Searched(NamedTuple):
    """Of questions for things that are on the street, and of others: the share of right answers, and the sum of the
    weights on the street's things."""

    right_here: float
    right_nowhere: float
    sum_here: float
    sum_nowhere: float


def look_up_or_not(seed: int, *, rest: Rest = "none", steps: int = 300) -> Searched:
    """Train one head and a linear layer with Adam, and ask on new streets.

    Args:
        seed: of weights and streets.
        rest: where weight can go that nothing on the street deserves: nowhere, into a learned sink, or to one more
            token that is always there and is learned, as a text's first token is.
        steps: of 128 streets each.
    """
    task = LookupTask(D_MODEL, seed)
    with seeded(task.generator):
        attention = MultiHeadAttention(D_MODEL, 1, bias=False, sinks=rest == "sink")
        read = nn.Linear(D_MODEL, NOWHERE + 1)
        always = nn.Parameter(torch.randn(int(rest == "token"), D_MODEL))
    optimizer = torch.optim.Adam([*attention.parameters(), *read.parameters(), always], lr=LEARNING_RATE)

    def answers(question: Tensor, street: Tensor) -> Tensor:
        street = torch.cat([street, always.expand(len(street), -1, -1)], dim=1)
        return read(attention(question, street))[:, 0]

    for _ in range(steps):
        street, question, answer = _questions(task, BATCH)
        loss = F.cross_entropy(answers(question, street), answer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    street, question, answer = _questions(task, TESTED)
    with torch.no_grad(), watch(attention, "weights") as seen:
        right = (answers(question, street).argmax(-1) == answer).float()
    total, here = seen["weights"][:, 0, 0, :ON_A_STREET].sum(-1), answer != NOWHERE
    return Searched(*(part[where].mean().item() for part in (right, total) for where in (here, ~here)))


def _questions(task: LookupTask, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Streets of colored things, questions, and the index of the right color or `NOWHERE`."""
    generator = task.generator
    things = torch.rand(size, len(THINGS), generator=generator).argsort(-1)  # the first few are on the street
    colors = torch.randint(len(COLORS), (size, ON_A_STREET), generator=generator)
    here = torch.rand(size, generator=generator) < 0.5
    place = torch.randint(ON_A_STREET, (size,), generator=generator)
    street = task.things[things[:, :ON_A_STREET]] + task.colors[colors]
    asked = things.gather(1, (place + ON_A_STREET * ~here)[:, None])  # half of the things are not on it
    return street, task.things[asked], torch.where(here, colors.gather(1, place[:, None])[:, 0], NOWHERE)
