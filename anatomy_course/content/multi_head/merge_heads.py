"""Notebook 02: merging the heads into vectors of width d_model again."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from anatomy_course.content.multi_head import shared
from anatomy_course.content.multi_head.shared import head_sizes
from anatomy_course.content.sizes import normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _heads(generator: torch.Generator) -> Iterator[Case]:
    for kind, sizes in head_sizes(generator):
        shape = (sizes["batch"], sizes["heads"], sizes["position"], sizes["d_head"])
        yield Case({"vectors": normal(generator, *shape)}, kind, sizes)


EXERCISE = Exercise(
    id="multi_head.merge_heads",
    title="Put the heads together again",
    task="Put the heads' pieces of each position side by side, head 0 first: the way back from the heads to d_model.",
    difficulty="easy",
    minutes=3,
    signature="merge_heads(vectors: Tensor) -> Tensor",
    docstring="(batch, heads, position, d_head) → (batch, position, heads·d_head); head 0's features come first.",
    reference="anatomy_utils.functional.multi_head.merge_heads",
    returns=(Output("vectors", "position d_model"),),
    cases=_heads,
    mistakes=(
        Mistake(
            "reshape_alone",
            shared.merge_scrambled,
            "Your shape is right, but the numbers are as if no axes had changed places: each of your vectors is filled "
            "with what lies next to each other, mostly neighboring positions of one head.",
        ),
        Mistake(
            "not_joined",
            lambda vectors: vectors.transpose(1, 2),
            "The axes are in the right order, but the pieces are not joined yet: heads and d_head are still two axes.",
        ),
        Mistake(
            "interleaved",
            shared.merge_interleaved,
            "Your vectors begin with feature 0 of every head, followed by feature 1 of every head; the features of one "
            "head should stay together.",
        ),
        Mistake(
            "one_below_the_other",
            lambda vectors: vectors.flatten(1, 2),
            "Your heads are one below the other: there are heads · position vectors as narrow as one head.",
        ),
        Mistake("added_up", lambda vectors: vectors.sum(1), "Your heads were added up; they should be side by side."),
        Mistake(
            "averaged", lambda vectors: vectors.mean(1), "Your heads were averaged; each should keep its own place."
        ),
        Mistake(
            "last_head_first",
            lambda vectors: shared.merge(vectors.flip(1)),
            "The pieces are joined correctly, but in your vectors the last head comes first.",
        ),
    ),
    also_right={
        "transpose and reshape": lambda vectors: vectors.transpose(1, 2).reshape(
            vectors.shape[0], vectors.shape[2], vectors.shape[1] * vectors.shape[3]
        ),
        "contiguous and view": lambda vectors: (
            vectors.transpose(1, 2).contiguous().view(len(vectors), vectors.shape[2], -1)
        ),
        "concatenated": lambda vectors: torch.cat(list(vectors.unbind(1)), dim=-1),
        "permute and flatten": lambda vectors: vectors.permute(0, 2, 1, 3).flatten(-2),
    },
    hints=(
        "Undo what splitting did, in the opposite order: first move the axes back, then join two of them.",
        "`transpose(1, 2)` puts the positions before the heads again. Then heads and d_head are neighbors.",
        "`.flatten(2)` joins everything from axis 2 on. (`.view` refuses here: after a transpose the numbers are no "
        "longer stored in that order; `.reshape` copies them if it must.)",
    ),
    solution="return vectors.transpose(1, 2).flatten(2)",
    explanation="The same axes change places again, and the last two become one. The paper calls this step Concat.",
    stages=lambda vectors: {"heads after the positions": vectors.transpose(1, 2)},
)
