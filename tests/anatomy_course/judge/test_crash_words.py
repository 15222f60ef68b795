"""Crashes in plain words: the axis, the operands and the culprit are those of the learner's own line."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.judge import find_exercise
from anatomy_course.judge.judging.judge import judge

Crashing = tuple[str, Callable[..., Any], str]
CRASHES: list[Crashing] = []


def crash(id: str, says: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        CRASHES.append((id, function, says))
        return function

    return note


@crash("attention.lookup", "Index 9 is beyond the end of axis 1, which holds 3 (0 to 2): `table` has shape (11, 3).")
def the_second_axis(table: Tensor, input_ids: Tensor) -> Tensor:
    return table[:, input_ids]


@crash("attention.lookup", "Index -9 lies before the start of axis 2, which holds 3 (0 to 2): `table[None]")
def behind_a_new_axis(table: Tensor, input_ids: Tensor) -> Tensor:
    return table[None][..., 0, -input_ids]


@crash("attention.lookup", "Index 9 is beyond the end of axis 1, which holds 3 (0 to 2): `table` has shape (11, 3).")
def the_first_row_from_the_end_is_there(table: Tensor, input_ids: Tensor) -> Tensor:
    return table[-len(table), 9 + 0 * input_ids[0]]


@crash("attention.causal_mask", "Index 3 is beyond the end of axis 1, which holds 3 (0 to 2): `mask` has shape (3, 3).")
def one_turn_too_many(length: int) -> Tensor:
    mask = torch.zeros(length, length)
    for i in range(length):
        for j in range(length + 1):
            mask[i, j] = j <= i
    return mask.bool()


@crash("encoder.run_layers", "Index 2 is beyond the end: `layers` has 2 (0 to 1).")
def one_layer_too_many(hidden_states: Tensor, layers: list[Any]) -> Any:
    for i in range(len(layers) + 1):
        hidden_states = layers[i](hidden_states)
    return hidden_states, hidden_states


@crash("decoder.cross_entropy", "Among the indices is 6, and gather takes 0 to 4 here: along axis 1 `scores` holds 5.")
def gathered_along_another_axis(logits: Tensor, labels: Tensor) -> Tensor:
    scores = logits.log_softmax(-1)
    return scores.gather(1, labels.clamp(min=0)[..., None])


@crash("attention.softmax", "`total` has lost the axis over which the sum is taken (line ")
def sum_without_its_axis(scores: Tensor) -> Tensor:
    powers = scores.exp()
    total = powers.sum(dim=-1)
    return powers / total


@crash("decoder.top_k", "`least` has lost the axis from which entry -1 is picked (line ")
def entry_without_its_axis(logits: Tensor, k: int) -> Tensor:
    least = logits.topk(k).values[:, -1]
    return logits.masked_fill(logits < least, -math.inf)


@crash("encoder.classify", "`attention_mask` has the first axes of `hidden_states`, but none to go with its last, 11.")
def mask_without_a_last_axis(hidden_states: Tensor, attention_mask: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return (hidden_states * attention_mask).sum(1) @ weight + bias


@crash(
    "attention.weighted_average", "`weights` is (7, 3) and `vectors` is (3, 5); compared from the end, they differ in"
)
def not_a_product(weights: Tensor, vectors: Tensor) -> Tensor:
    return (weights * vectors).sum(-2)


@crash("start.mean", "`total` is (3,) and `vector` is (2,); compared from the end, they differ in their last axes.")
def added_up_in_place(vectors: Tensor) -> Tensor:
    total = torch.zeros(3)
    for vector in vectors:
        total += vector
    return total / len(vectors)


@crash(
    "attention.projection",
    "`hidden_states` is (3, 5), `weight` is (5, 11), and linear takes the weight as (output, input)",
)
def linear_of_another_weight(hidden_states: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return F.linear(hidden_states, weight, bias)


@crash("attention.one_word", "`value` is (11, 3), `scores.softmax(-1)` is (11,), and the last axis of the left must be")
def vector_on_the_wrong_side(query_i: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = key @ query_i / len(query_i) ** 0.5
    return value @ scores.softmax(-1)


@crash("attention.causal_mask", "What is put into `mask[i, : i + 1]` has shape (3), but the room there is (1).")
def put_where_there_is_no_room(length: int) -> Tensor:
    mask = torch.zeros(length, length)
    for i in range(length):
        mask[i, : i + 1] = torch.ones(length)
    return mask.bool()


@crash("encoder.mask_words", "What is put into `changed[chosen]` has shape (5, 23), but the room there is (")
def more_than_was_chosen(
    input_ids: Tensor, attention_mask: Tensor, choice: Tensor, action: Tensor, random_ids: Tensor, mask_id: int
) -> Any:
    chosen = choice < 0.15
    changed = input_ids.clone()
    changed[chosen] = random_ids
    return changed, changed


@crash("encoder.classify", "this one has shape (5), and it picks from (3, 5, 11).")
def mask_of_another_axis(hidden_states: Tensor, attention_mask: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return hidden_states[attention_mask[0] == 1] @ weight + bias


@crash("attention.scores", "`d` is 2 long in tensor 2 of those given, and 3 in an earlier one.")
def letters_for_another_length(query: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("qd,dk->qk", query, key)


@crash("attention.scores", "3 letters for tensor 1 of those given, which has 2 axes.")
def too_many_letters(query: Tensor, key: Tensor) -> Tensor:
    return torch.einsum("bqd,bkd->bqk", query, key)


@crash("multi_head.split_heads", "There are 4 names on the left of `=`, but `vectors.shape` is (5, 2, 21).")
def a_name_too_many(vectors: Tensor, num_heads: int) -> Tensor:
    _batch, _heads, _position, _d_head = vectors.shape
    return vectors


@crash("attention.masked_softmax", "`if` wants one True or False, but `mask == 0` holds 21;")
def if_of_a_mask(scores: Tensor, mask: Tensor) -> Tensor:
    if mask == 0:
        return scores
    return scores.softmax(-1)


@crash("attention.masked_softmax", "`while` wants one True or False, but `mask` holds 21.")
def while_of_a_mask(scores: Tensor, mask: Tensor) -> Tensor:
    while not mask:
        scores = scores + 1
    return scores


@crash("attention.masked_softmax", "`not` wants one True or False, but `mask` holds 21; `~` goes cell by cell.")
def not_of_a_mask(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(not mask, -1e9).softmax(-1)


@crash("taxonomy.replace_tokens", "`and` wants one True or False on each side, but `chosen` holds 39; `&` goes")
def and_of_masks(input_ids: Tensor, attention_mask: Tensor, chosen: Tensor, samples: Tensor) -> Any:
    replaced = torch.where(chosen and attention_mask == 1, samples, input_ids)
    return replaced, replaced


@crash("taxonomy.window_mask", "`0 <= behind < window` is two comparisons with `and` between them")
def between(length: int, window: int) -> Tensor:
    behind = torch.arange(length)[:, None] - torch.arange(length)
    return 0 <= behind < window  # type: ignore[return-value]


@crash("taxonomy.cache_bytes", "This is Python's `min`, which compares with one `<`")
def pythons_min(
    lengths: Tensor, num_layers: int, num_kv_heads: int, d_head: int, window: int, bytes_per_number: int
) -> Tensor:
    return 2 * num_layers * num_kv_heads * d_head * bytes_per_number * min(lengths, window)  # type: ignore[type-var]


@crash("attention.softmax", "This is Python's `sum`, which knows no `dim`; torch.sum and the tensor's own .sum do.")
def pythons_sum(scores: Tensor) -> Tensor:
    powers = scores.exp()
    return powers / sum(powers, dim=-1)  # type: ignore[call-overload]


@crash("encoder.post_norm", "`sublayer` is a function, and it is not called here")
def uncalled(hidden_states: Tensor, sublayer: Any, norm: Any) -> Tensor:
    return norm(hidden_states + sublayer)


@crash("attention.causal_mask", "Your function says itself that it is not written yet.")
def not_written(length: int) -> Tensor:
    raise NotImplementedError


def helper(length: int) -> Tensor:
    raise NotImplementedError("later")


@crash("attention.causal_mask", "`helper` says itself that it is not written yet.")
def helper_not_written(length: int) -> Tensor:
    return helper(length)


class Bare(nn.Module):
    """A module without a `forward`."""


@crash("attention.causal_mask", "The module `Bare` has no `forward`, so it cannot be called.")
def no_forward(length: int) -> Any:
    return Bare()(torch.ones(length))


@crash("attention.causal_mask", "with whole numbers (int64). .float() makes numbers with a fraction.")
def no_softmax_of_whole_numbers(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.long).softmax(-1)


@crash("attention.causal_mask", "needs numbers, and a tensor on the device `meta` has only a shape.")
def no_numbers(length: int) -> Any:
    return torch.ones(length, length, device="meta").tolist()


@crash("capstone.llama_layer", "A call on this line lacks an argument: 'value'.")
def an_argument_lacks(
    hidden_states: Tensor,
    attention_norm: Any,
    project: Any,
    rotate: Any,
    attend: Any,
    merge_heads: Any,
    to_output: Any,
    feed_forward_norm: Any,
    feed_forward: Any,
) -> Tensor:
    query, key, _value = project(attention_norm(hidden_states))
    return attend(rotate(query), rotate(key))


@pytest.mark.parametrize(("id", "function", "says"), CRASHES, ids=[function.__name__ for _, function, _ in CRASHES])
def test_a_crash_is_told_from_the_values_on_its_line(
    id: str, function: Callable[..., Any], says: str, unchecked: None
) -> None:
    verdict = judge(find_exercise(id), function, seconds=5.0)
    assert verdict.state == "crashed"
    assert says in verdict.sentence


def test_a_crash_inside_a_given_function_does_not_blame_its_arguments(unchecked: None) -> None:
    def asks_the_memory(hidden: Tensor, memory: Tensor, sa: Any, ca: Any, ff: Any, n1: Any, n2: Any, n3: Any) -> Any:
        hidden = hidden + sa(n1(hidden))
        normed = n2(hidden)
        return hidden + ca(memory, normed)

    verdict = judge(find_exercise("encoder_decoder.decoder_layer"), asks_the_memory)
    assert "`memory` is" not in verdict.sentence
    assert (
        "Your call of `ca` receives as its first argument `memory`, where a right solution gives it what `n2` "
        "returned." in verdict.sentence
    )


def test_the_line_that_gave_a_variable_its_shape_is_named_with_its_axes(unchecked: None) -> None:
    def per_position(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor, num_heads: int) -> Tensor:
        query, key, value = ((x @ weight).unflatten(-1, (num_heads, -1)) for weight in (wq, wk, wv))
        scores = query @ key.mT / query.shape[-1] ** 0.5
        context = scores.softmax(-1) @ value
        return context.mT @ wo

    verdict = judge(find_exercise("multi_head.multi_head_attention"), per_position)
    first = per_position.__code__.co_firstlineno
    assert verdict.notes[0] == (
        f"`context` got its shape (2, 3, 7, 5) (batch × position × heads × d_head) in line {first + 3}."
    )
