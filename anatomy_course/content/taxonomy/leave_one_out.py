"""Notebook 07: leave-one-out, how far the output moves when one word is hidden."""

from dataclasses import dataclass

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def leave_one_out(read, length: int) -> Tensor:
    """read(attention_mask) reads one text of `length` positions, once for each row of the mask (text,
    position), 1 = seen, 0 = hidden, and gives one output for each, (text, d_output) → effects (position): the
    length of the difference, √ of the sum of its squares.
    """
    masks = 1 - torch.eye(length, dtype=torch.long)
    whole = torch.ones(1, length, dtype=torch.long)
    moved = read(masks) - read(whole)
    return moved.square().sum(dim=-1).sqrt()


@dataclass(frozen=True)
class _Reader:
    """Attends to what is not hidden, as a layer would; each word's weight and vector are its own.

    Args:
        scores: (position), before the softmax.
        values: (position, d_output).
    """

    scores: Tensor
    values: Tensor

    def __call__(self, attention_mask: Tensor) -> Tensor:
        if attention_mask.dim() != 2 or attention_mask.shape[1] != len(self.scores):
            given, length = tuple(attention_mask.shape), len(self.scores)
            raise ValueError(f"This text has {length} positions: it wants a mask (text, {length}), not {given}.")
        weights = self.scores.masked_fill(attention_mask == 0, -1e9).softmax(-1)
        return (weights @ self.values).tanh()

    def __repr__(self) -> str:
        return "a model that reads one text"


def cases(generator: Generator) -> Cases:
    for kind in ("a text", "a longer text", "a text", "outputs of a single number"):
        lengths = (11,) if kind == "a longer text" else (5, 7)
        draw = Draw(generator, "position", lengths, kind, d_output=1 if kind == "outputs of a single number" else 3)
        reader = _Reader(draw("position"), 2 * draw("position d_output"))
        yield draw.case(read=reader, length=draw["position"])


EXERCISE = written(
    leave_one_out,
    same_as="anatomy_utils.functional.comparison.leave_one_out",
    title="One word left out",
    task="Hide one position at a time, and measure how far the output is from that of the whole text.",
    level="medium, 5 minutes",
    returns="effects: position",
    cases=cases,
    stages="""
    masks
    output of the whole text: read(whole)
    outputs with one position hidden: read(masks)
    differences of these: moved
    """,
    mistakes="""
    one_left_in: 1 - torch.eye ⇒ torch.eye
        “In yours all positions but one are hidden; it should be the other way around.”
    no_difference: - read(whole) ⇒
        “Those are the lengths of the outputs themselves, not of their differences from the output of the whole text.”
    compared_with_nothing_seen: torch.ones ⇒ torch.zeros
        “You compare with an output for which everything was hidden; compare with the one that has seen everything.”
    lengths_compared:
        read(masks) - read(whole) ⇒ read(masks).norm(dim=-1) - read(whole).norm(dim=-1)
        moved.square().sum(dim=-1).sqrt() ⇒ moved.abs()
        “You compare how long the two outputs are; an output can turn without becoming longer. Take the length of the
        difference.”
    mean_square: .sum( ⇒ .mean(
        “Each of yours is the root of the mean of the squares; it should be that of their sum.”
    summed: moved.square().sum(dim=-1).sqrt() ⇒ moved.sum(dim=-1)
        “Yours are the sums of the differences over the features: what one feature gains, another may lose.”
    absolute: moved.square().sum(dim=-1).sqrt() ⇒ moved.abs().sum(dim=-1)
        “You add up the absolute differences of the features; the distance is the root of the sum of their squares.”
    not_measured: .square().sum(dim=-1).sqrt() ⇒
        “Those are the differences, one vector for each position; what is wanted is the length of each.”
    over_positions: dim=-1 ⇒ dim=0
        “You measure each feature over all positions; what is wanted is each position over all features.”
    hidden_for_good: 1 - torch.eye(length, dtype=torch.long) ⇒ torch.ones(length, length, dtype=torch.long).triu(1)
        “A position that has been hidden stays hidden in yours: at the end nothing is seen at all. Hide one at a time.”
    """,
    also_right="""
    all at once: moved.square().sum(dim=-1).sqrt() ⇒ torch.linalg.vector_norm(moved, dim=-1)
    one by one:
        whole, effects = read(torch.ones(1, length, dtype=torch.long))[0], []
        for place in range(length):
            mask = torch.ones(1, length, dtype=torch.long)
            mask[0, place] = 0
            effects.append((read(mask)[0] - whole).square().sum().sqrt())
        return torch.stack(effects)
    torch's norm: .square().sum(dim=-1).sqrt() ⇒ .norm(dim=-1)
    """,
    again="""
    1 - torch.eye(length, dtype=torch.long) ⇒ torch.eye(length, dtype=torch.long)
        “This time show one position at a time, and nothing else.”
    """,
    hints="""
    - You need a mask with one row for each position to be hidden, and one output that has seen everything.
    - `torch.eye(length)` is 1 on the diagonal and 0 elsewhere; the masks are the opposite. A mask of ones with a single
      row, (1, length), gives the output of the whole text.
    - `moved = read(masks) - read(whole)`; then `moved.square().sum(dim=-1)` and its root.
    """,
    explanation="""
    This looks at the model from outside and needs to know nothing about its inside. It has limits of its own: two words
    that say the same thing can replace each other, so hiding either one alone shows no effect.
    """,
)
