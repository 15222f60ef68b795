"""Notebook 06: teacher forcing, the labels shifted right."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, real_words, written
from anatomy_utils.training.losses import IGNORE
from anatomy_utils.training.teacher_forcing import shift_right


def decoder_inputs(labels: Tensor, start_id: int, pad_id: int) -> Tensor:
    """labels (batch, position): each text and its stop token, then −100 → ids of the same shape.
    The labels 5 6 2 −100 give the inputs start 5 6 2.
    """
    start = torch.full_like(labels[:, :1], start_id)
    shifted = torch.cat([start, labels[:, :-1]], dim=1)
    return shifted.masked_fill(shifted == -100, pad_id)


def cases(generator: Generator) -> Cases:
    for kind, batch, position in (("padded texts", 3, 7), ("one text", 1, 13), ("padded texts", 5, 11)):
        real = real_words(generator, kind, batch, position, range(3, position - 1), position - 2)
        start, stop, pad = (4 + torch.randperm(7, generator=generator)[:3]).tolist()
        start, pad = start * (kind != "one text"), pad * (batch != 5)  # an id of 0 is one like any other
        labels = torch.randint(20, 97, (batch, position), generator=generator)
        labels = labels.where(torch.arange(position) != real.sum(1, keepdim=True) - 1, stop)
        if batch == 3:
            labels[0, 1] = 0  # so is it among the words
        arguments = {"labels": labels.masked_fill(~real, IGNORE), "start_id": start, "pad_id": pad}
        yield Case(arguments, kind, {"batch": batch, "position": position})


EXERCISE = written(
    decoder_inputs,
    same_as=shift_right,
    title="Shifted right",
    task="From what the decoder should say, make what it reads in training: shift by one position to the right, put "
    "the start token in front, and the padding token in place of −100.",
    level="easy, 4 minutes",
    returns="inputs: batch position",
    cases=and_short(and_short(cases, "position", "texts of two words", length=2), "position", "texts of one word"),
    stages="labels with padding in place of −100: labels.masked_fill(labels == -100, pad_id)",
    mistakes="""
    not_shifted: labels.masked_fill(labels == -100, pad_id)
        “You return the labels themselves: each position would read the very token that it should say.”
    start_over_the_first: labels[:, :-1] ⇒ labels[:, 1:]
        “Your start token replaces the first word, and nothing has moved: from the second position on, each reads the
        token that it should say.”
    shifted_left: [start, labels[:, :-1]] ⇒ [labels[:, 1:], start]
        “Your shift goes to the left: each position reads a token that comes after its answer.”
    one_longer: labels[:, :-1] ⇒ labels
        “Your inputs are one position longer than the labels: the last position has nothing left to say.”
    rolled: torch.cat([start, labels[:, :-1]], dim=1) ⇒ labels.roll(1, dims=1)
        “Your shift is right, but the last token has come round to the front, where the start token belongs.”
    ignored_left_in: .masked_fill(shifted == -100, pad_id) ⇒
        “The shift is right, but −100 is still there: no table of embeddings has such a row.”
    start_for_padding: -100, pad_id ⇒ -100, start_id
        “The shift is right, but padding has become the start token.”
    zero_for_padding: -100, pad_id ⇒ -100, 0
        “The shift is right, but padding has become 0; the id for it is given as `pad_id`.”
    word_0_is_padding: labels[:, :-1] ⇒ labels[:, :-1].masked_fill(labels[:, :-1] == 0, pad_id)
        “The shift is right, but a word with the id 0 has become padding, too; only −100 should.”
    pad_in_front: [:, :1], start_id ⇒ [:, :1], pad_id
        “The shift is right, but the padding token comes first. T5 does that; here a start token is given.”
    ids_swapped (pad_in_front): -100, pad_id ⇒ -100, start_id
        “You use the start token and the padding token in each other's place.”
    without_stop: shifted == -100 ⇒ labels == -100
        “The shift is right, but the stop token has become padding. Leave it: it is read like any other, and nothing is
        asked after it.”
    """,
    also_right="""
    cut and put together:
        ids = labels.masked_fill(labels == -100, pad_id)
        return torch.cat([torch.full_like(ids[:, :1], start_id), ids[:, :-1]], dim=1)
    rolled, then the start token:
        ids = labels.masked_fill(labels == -100, pad_id).roll(1, dims=1)
        ids[:, 0] = start_id
        return ids
    where: shifted.masked_fill(shifted == -100, pad_id) ⇒ torch.where(shifted == -100, pad_id, shifted)
    """,
    again="""
    labels[:, :-1] ⇒ labels
        “This time the last label stays, so that the ids are one position longer than the labels.”
    """,
    hints="""
    - Write some labels down: 5 6 2. Above each, write the token just before it. What goes above the 5?
    - All labels but the last move one place to the right: `labels[:, :-1]` after a column of the start token. −100 is a
      sign for the loss, not a token.
    - `start = torch.full_like(labels[:, :1], start_id)` is that column; `torch.cat([start, labels[:, :-1]], dim=1)`
      joins the two, and `masked_fill` does the rest.
    """,
    explanation="""
    In notebook 05 the text already began with <bos>, and you cut it into two. Here the labels come without it, and you
    put it in front. The pair is the same. When it has read only <bos>, the decoder must find the first word in the
    memory.
    """,
)
