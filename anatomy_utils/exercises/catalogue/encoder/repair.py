"""Notebook 03's cases: what is wrong with `colleagues_embedding` and `colleagues_layer`? And write them right."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.debugging.colleague.norm_placement import colleagues_layer
from anatomy_utils.debugging.colleague.position_offset import colleagues_embedding
from anatomy_utils.exercises.catalogue.encoder.encoder_layer import layer_cases, post, pre
from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output

Part = Callable[[Tensor], Tensor]


def _texts(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind in ("a batch of texts", "one text", "a batch of texts"):
        batch, position, d_model = primes(generator, 3, (3, 5, 7))
        batch = 1 if kind == "one text" else batch
        arguments = {
            "input_ids": torch.randint(13, (batch, position), generator=generator),
            "token_table": normal(generator, 13, d_model),
            "position_table": normal(generator, 37, d_model),
        }
        cases.append(Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model}))
    return cases


def _places(ids: Tensor) -> Tensor:
    return torch.arange(ids.shape[1])


REPAIR_POSITIONS = Exercise(
    id="encoder.repair_positions",
    title="The case: a colleague's embedding",
    task="Write the embedding that `colleagues_embedding` should have been: the vector of each word plus that "
    "of its position.",
    difficulty="easy",
    minutes=3,
    signature="repaired_embedding(input_ids: Tensor, token_table: Tensor, position_table: Tensor) -> Tensor",
    docstring="input_ids (batch, position); two tables, (rows, d_model) each → vectors (batch, position, d_model).",
    reference="anatomy_utils.encoder_functions.embed_words",
    returns=(Output("vectors", "position d_model"),),
    cases=_texts,
    mistakes=(
        Mistake(
            "unchanged",
            colleagues_embedding,
            "This is what the patient computes: all words of a text still get one and the same position vector.",
        ),
        Mistake(
            "no_positions",
            lambda ids, t, p: t[ids],
            "The wrong positions are gone, but so are all positions: your vectors are those of the words alone.",
        ),
        Mistake(
            "both",
            lambda ids, t, p: colleagues_embedding(ids, t, p) + p[_places(ids)],
            "Each word of yours now has its position, but the vector that counts the texts is still in it.",
        ),
        Mistake(
            "counted_through",
            lambda ids, t, p: t[ids] + p[torch.arange(ids.numel()).view(ids.shape)],
            "Your positions count on from text to text; every text begins at 0.",
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
            "Your positions begin with 1; row 0 of the table is used by nobody.",
        ),
        Mistake(
            "by_id",
            lambda ids, t, p: t[ids] + p[ids],
            "Your position vectors hang on the words' ids, not on their places.",
        ),
        Mistake(
            "all_at_0",
            lambda ids, t, p: t[ids] + p[0],
            "All words of all texts stand at position 0 in yours: the batch plays no part any more, and order neither.",
        ),
        Mistake(
            "multiplied",
            lambda ids, t, p: t[ids] * p[_places(ids)],
            "The right rows are looked up, but they are multiplied; they should be added.",
        ),
    ),
    alternatives={
        "F.embedding": lambda ids, t, p: F.embedding(ids, t) + F.embedding(_places(ids), p),
        "a slice": lambda ids, t, p: t[ids] + p[: ids.shape[1]],
        "text by text": lambda ids, t, p: torch.stack([t[text] + p[: len(text)] for text in ids]),
        "a running sum": lambda ids, t, p: t[ids] + p[torch.ones_like(ids).cumsum(1) - 1],
    },
    hints=(
        "Look at the last line of the symptoms: what changes when the sentence becomes the second text of a batch?",
        "`len(input_ids)` is the number of texts. Which axis counts the words?",
        "`torch.arange(input_ids.shape[1])` numbers the words. Their vectors are (position, d_model), which fits "
        "behind (batch, position, d_model) as it is, without a new axis.",
    ),
    solution="positions = torch.arange(input_ids.shape[1])\nreturn token_table[input_ids] + position_table[positions]",
    explanation="The patient numbers the texts of the batch, not the words of a text, and a new axis makes torch "
    "spread that one vector over all words: nothing crashes. Inside a text all words have the same "
    "addition, so attention cannot tell their order.",
    stages=lambda ids, t, p: {"word vectors": t[ids], "position vectors": p[_places(ids)]},
)


def _half_repaired(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    states = pre(x, attend, norm1)
    return norm2(states) + feed(norm2(states))


def _other_half_repaired(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    return pre(norm1(x) + attend(norm1(x)), feed, norm2)


def _right(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    return pre(pre(x, attend, norm1), feed, norm2)


def _in_steps(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    attended = attend(norm1(x))
    middle = attended + x
    fed = feed(norm2(middle))
    return x + attended + fed


def _in_a_loop(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Tensor:
    for part, before in ((attend, norm1), (feed, norm2)):
        x = torch.add(part(before(x)), x)
    return x


def _steps(x: Tensor, attend: Part, feed: Part, norm1: Part, norm2: Part) -> Mapping[str, Tensor]:
    middle = pre(x, attend, norm1)
    return {
        "normed input": norm1(x),
        "attention's result": attend(norm1(x)),
        "states after attention": middle,
        "normed states": norm2(middle),
        "feed-forward's result": feed(norm2(middle)),
    }


REPAIR_NORM = Exercise(
    id="encoder.repair_norm",
    title="The case: a colleague's layer",
    task="Write the pre-norm layer that `colleagues_layer` should have been.",
    difficulty="medium",
    minutes=4,
    signature="repaired_layer(\n"
    "    hidden_states: Tensor, self_attention, feed_forward, attention_norm, feed_forward_norm\n"
    ") -> Tensor",
    docstring="Four functions, each from (batch, position, d_model) to the same shape\n"
    "→ output (batch, position, d_model).",
    reference="anatomy_utils.encoder_functions.pre_norm_layer",
    returns=(Output("output", "position d_model"),),
    cases=layer_cases,
    mistakes=(
        Mistake(
            "unchanged",
            colleagues_layer,
            "This is what the patient computes: the normed states are still what is added to.",
        ),
        Mistake(
            "first_half_only",
            _half_repaired,
            "Attention's half is repaired; in the feed-forward network's half the normed states are still added.",
        ),
        Mistake(
            "second_half_only",
            _other_half_repaired,
            "The feed-forward network's half is repaired; in attention's half the normed states are still added.",
        ),
        Mistake(
            "post_norm",
            lambda x, attend, feed, norm1, norm2: post(post(x, attend, norm1), feed, norm2),
            "Your norms stand behind the sums: that is the layer of 2017, and the patient's trouble is the same.",
        ),
        Mistake(
            "both_sides",
            lambda x, attend, feed, norm1, norm2: norm2(_right(x, attend, feed, norm1, norm2)),
            "Your layer is repaired, but there is one more norm behind it: again nothing passes by unchanged.",
        ),
        Mistake(
            "first_half_behind",
            lambda x, attend, feed, norm1, norm2: pre(post(x, attend, norm1), feed, norm2),
            "The feed-forward network's half is repaired; in attention's half the norm stands behind the sum now.",
        ),
        Mistake(
            "no_first_residual",
            lambda x, attend, feed, norm1, norm2: pre(attend(norm1(x)), feed, norm2),
            "The feed-forward network's half is repaired; in attention's half nothing is added any more.",
        ),
        Mistake(
            "branches_normed",
            lambda x, attend, feed, norm1, norm2: x + norm1(attend(x)) + norm2(feed(x + norm1(attend(x)))),
            "The way past the sub-layers is free now, but your norms stand behind the sub-layers, not before.",
        ),
        Mistake(
            "no_norms",
            lambda x, attend, feed, norm1, norm2: x + attend(x) + feed(x + attend(x)),
            "The way past the sub-layers is free now, but your norms are gone altogether.",
        ),
        Mistake(
            "norms_swapped",
            lambda x, attend, feed, norm1, norm2: pre(pre(x, attend, norm2), feed, norm1),
            "Your layer is repaired, but its two norms have changed places.",
        ),
        Mistake(
            "one_norm_twice",
            lambda x, attend, feed, norm1, norm2: pre(pre(x, attend, norm1), feed, norm1),
            "Your layer is repaired, but the first norm is used twice, and the second not at all.",
        ),
        Mistake(
            "no_residuals",
            lambda x, attend, feed, norm1, norm2: feed(norm2(attend(norm1(x)))),
            "Your norms stand before the sub-layers, but nothing is added any more.",
        ),
        Mistake(
            "second_residual_from_below",
            lambda x, attend, feed, norm1, norm2: x + feed(norm2(pre(x, attend, norm1))),
            "Your second sum takes up the layer's input, and what attention found is added nowhere.",
        ),
        Mistake(
            "in_parallel",
            lambda x, attend, feed, norm1, norm2: x + attend(norm1(x)) + feed(norm2(x)),
            "Both of your sub-layers work on the layer's input: the feed-forward network does not see what attention "
            "found.",
        ),
        Mistake(
            "feed_forward_first",
            lambda x, attend, feed, norm1, norm2: pre(pre(x, feed, norm2), attend, norm1),
            "Your norms are right, but the feed-forward network comes before attention.",
        ),
    ),
    alternatives={
        "two residual connections": _right,
        "in steps": _in_steps,
        "in a loop": _in_a_loop,
    },
    hints=(
        "Look at the last line of the symptoms: when both sub-layers give 0, what should come out, and what does?",
        "The patient writes the normed states back into `hidden_states`. They should go into the sub-layer, and "
        "nowhere else.",
        "`hidden_states = hidden_states + self_attention(attention_norm(hidden_states))`; the second half looks just "
        "like it.",
    ),
    solution="hidden_states = hidden_states + self_attention(attention_norm(hidden_states))\n"
    "return hidden_states + feed_forward(feed_forward_norm(hidden_states))",
    explanation="Look at the patient's layers in a row: add, norm, add, norm. That is post-norm with its norms counted "
    "to the next layer, and it fares as post-norm does: two layers learn, twelve without warm-up do not.",
    stages=_steps,
)
