"""Notebook 03's first case: find out what is wrong with `colleagues_embedding`, and write it right."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.lab.debugging.colleague.position_offset import colleagues_embedding


def _texts(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of texts", "one text", "a batch of texts"):
        batch, position, d_model = batch_and_primes(generator, kind, 3, (3, 5, 7))
        arguments = {
            "input_ids": torch.randint(13, (batch, position), generator=generator),
            "token_table": normal(generator, 13, d_model),
            "position_table": normal(generator, 37, d_model),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model})


def _places(ids: Tensor) -> Tensor:
    return torch.arange(ids.shape[1])


EXERCISE = Exercise(
    id="encoder.repair_positions",
    title="The case: a colleague's embedding",
    task="Write the embedding that `colleagues_embedding` should have been: the vector of each word plus that "
    "of its position.",
    difficulty="easy",
    minutes=3,
    signature="repaired_embedding(input_ids: Tensor, token_table: Tensor, position_table: Tensor) -> Tensor",
    docstring="input_ids (batch, position); two tables, (rows, d_model) each → vectors (batch, position, d_model).",
    reference="anatomy_utils.functional.embeddings.embed_words",
    returns=(Output("vectors", "position d_model"),),
    cases=and_short(_texts, "position", "texts of one word"),
    mistakes=(
        Mistake(
            "unchanged",
            colleagues_embedding,
            "This is what the patient computes: all words of a text still get the same position vector.",
        ),
        Mistake(
            "no_positions",
            lambda ids, t, p: t[ids],
            "The wrong positions are gone, but so are all positions: your vectors are those of the words alone.",
        ),
        Mistake(
            "both",
            lambda ids, t, p: colleagues_embedding(ids, t, p) + p[_places(ids)],
            "Each word now has its position, but the vector that numbers the texts is still added.",
        ),
        Mistake(
            "counted_through",
            lambda ids, t, p: t[ids] + p[torch.arange(ids.numel()).view(ids.shape)],
            "Your positions continue from text to text; every text should begin at 0.",
        ),
        Mistake(
            "text_added",
            lambda ids, t, p: t[ids] + p[torch.arange(len(ids))[:, None] + _places(ids)],
            "Your words know their order now, but each text begins one position later than the text before.",
        ),
        Mistake(
            "from_the_end",
            lambda ids, t, p: t[ids] + p[_places(ids).flip(0)],
            "Your positions count from the end of the text.",
        ),
        Mistake(
            "from_one",
            lambda ids, t, p: t[ids] + p[_places(ids) + 1],
            "Your positions begin with 1, as if the table had no row 0.",
        ),
        Mistake(
            "by_id",
            lambda ids, t, p: t[ids] + p[ids],
            "Your position vectors depend on the words' ids, not on their positions.",
        ),
        Mistake(
            "all_at_0",
            lambda ids, t, p: t[ids] + p[0],
            "All words of all texts are at position 0: the batch no longer matters, but neither does the order.",
        ),
        Mistake(
            "multiplied",
            lambda ids, t, p: t[ids] * p[_places(ids)],
            "The right rows are looked up, but they are multiplied; they should be added.",
        ),
    ),
    also_right={
        "F.embedding": lambda ids, t, p: F.embedding(ids, t) + F.embedding(_places(ids), p),
        "a slice": lambda ids, t, p: t[ids] + p[: ids.shape[1]],
        "text by text": lambda ids, t, p: torch.stack([t[text] + p[: len(text)] for text in ids]),
        "a running sum": lambda ids, t, p: t[ids] + p[torch.ones_like(ids).cumsum(1) - 1],
    },
    hints=(
        "Look at the last line of the symptoms: what changes when the sentence becomes the second text of a batch?",
        "`len(input_ids)` is the number of texts. Which axis counts the words?",
        "`torch.arange(input_ids.shape[1])` numbers the words. Their vectors are (position, d_model). Torch "
        "adds them to (batch, position, d_model) as they are, without a new axis.",
    ),
    solution="positions = torch.arange(input_ids.shape[1])\nreturn token_table[input_ids] + position_table[positions]",
    explanation="The patient numbers the texts of the batch, not the words of a text. So each text gets one "
    "position vector, and a new axis makes torch add it to all words of the text: nothing crashes. Inside a text the "
    "same vector is added to every word, so attention cannot tell their order.",
    stages=lambda ids, t, p: {"word vectors": t[ids], "position vectors": p[_places(ids)]},
)
