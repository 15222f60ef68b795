"""Wrong answers to the exercises of notebook 07 that are in no catalogue."""

from __future__ import annotations

import torch

from answers import answer


@answer("capstone.first_difference", "type", "You return a plain int; a tensor is wanted.")
def parting_plain_number(yours, theirs, attention_mask, tolerance):
    for layer in range(len(yours)):
        real = attention_mask == 1
        if not ((yours[layer] - theirs[layer]).abs()[real] <= tolerance).all():
            return layer
    return -1


@answer(
    "capstone.first_difference",
    "mistake:padding_counted",
    "Your number is that of the first layer in which any position differs, padding",
)
def parting_allclose(yours, theirs, attention_mask, tolerance):
    for layer in range(len(yours)):
        if not torch.allclose(yours[layer], theirs[layer], atol=tolerance):
            return torch.tensor(layer)
    return torch.tensor(-1)


@answer(
    "capstone.first_difference",
    "nothing",
    "Your function ran to its end, but it returned nothing (None). It does so with no",
)
def parting_nothing_for_none(yours, theirs, attention_mask, tolerance):
    for layer in range(len(yours)):
        real = attention_mask == 1
        if not ((yours[layer] - theirs[layer]).abs()[real] <= tolerance).all():
            return torch.tensor(layer)
    return None


@answer(
    "capstone.first_difference",
    "crash",
    "Index 0 is beyond the end of axis 0, which is empty: `rejected.flatten(1).any(dim=1).nonzero()` has",
)
def parting_empty(yours, theirs, attention_mask, tolerance):
    agrees = ((yours - theirs).abs() <= tolerance).all(dim=-1)
    rejected = ~agrees & (attention_mask == 1)
    return rejected.flatten(1).any(dim=1).nonzero()[0, 0]


@answer(
    "capstone.first_difference",
    "crash",
    "Two shapes do not fit each other: one has 3 and the other 5 where they should be",
)
def parting_mask_does_not_fit(yours, theirs, attention_mask, tolerance):
    off = (yours - theirs).abs() * attention_mask
    return (off.flatten(1).amax(dim=1) > tolerance).int().argmax()


@answer(
    "capstone.first_difference",
    "mistake:argmax_of_greater",
    "Two things: where no layer differs you say 0, the lowest layer's number, as argmax does; and with NaN, too",
)
def parting_argmax_of_greater(yours, theirs, attention_mask, tolerance):
    off = (yours - theirs).abs()[:, attention_mask == 1].flatten(1).amax(dim=1)
    return (off > tolerance).int().argmax()


@answer(
    "capstone.first_difference",
    "shape:shape",
    "The shape of your number is (9,); wanted is (). That is 1 axis too many.",
)
def parting_all_layers(yours, theirs, attention_mask, tolerance):
    off = (yours - theirs).abs()[:, attention_mask == 1].flatten(1)
    return (~(off <= tolerance)).any(dim=1).nonzero()[:, 0]


@answer(
    "capstone.first_difference",
    "dtype",
    "The numbers are right, but not their type: in your number there are numbers with a",
)
def parting_as_float(yours, theirs, attention_mask, tolerance):
    for layer in range(len(yours)):
        real = attention_mask == 1
        if not ((yours[layer] - theirs[layer]).abs()[real] <= tolerance).all():
            return torch.tensor(float(layer))
    return torch.tensor(-1.0)


@answer(
    "capstone.first_difference",
    "mistake:mean",
    "A single number that is off disappears in yours, as it does in the mean of a layer's",
)
def parting_squared(yours, theirs, attention_mask, tolerance):
    off = ((yours - theirs) ** 2)[:, attention_mask == 1].flatten(1).mean(dim=1).sqrt()
    layers = (~(off <= tolerance)).nonzero()[:, 0]
    return layers[0] if len(layers) else torch.tensor(-1)


@answer(
    "capstone.first_difference",
    "crash",
    "`if` wants one True or False, but `(yours[layer] - theirs[layer]).abs() > tolerance` holds 195;",
)
def parting_if_on_tensor(yours, theirs, attention_mask, tolerance):
    for layer in range(len(yours)):
        if (yours[layer] - theirs[layer]).abs() > tolerance:
            return torch.tensor(layer)
    return torch.tensor(-1)


@answer(
    "capstone.llama_layer", "mutated", "Your function changes its input: `hidden_states` held other numbers afterwards."
)
def layer_in_place(
    hidden_states, attention_norm, project, rotate, attend, merge_heads, to_output, feed_forward_norm, feed_forward
):
    query, key, value = project(attention_norm(hidden_states))
    hidden_states += to_output(merge_heads(attend(rotate(query), rotate(key), value)))
    hidden_states += feed_forward(feed_forward_norm(hidden_states))
    return hidden_states


@answer(
    "capstone.llama_layer",
    "crash",
    "The two do not fit for a matrix product: the left one is 21 × 4, the right one 12 ×",
)
def layer_not_merged(
    hidden_states, attention_norm, project, rotate, attend, merge_heads, to_output, feed_forward_norm, feed_forward
):
    query, key, value = project(attention_norm(hidden_states))
    attended = to_output(attend(rotate(query), rotate(key), value))
    hidden_states = hidden_states + attended
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))


@answer(
    "capstone.llama_layer",
    "likeness:calls",
    "Your second call of `feed_forward_norm` (it receives `hidden_states` plus what `to_output` returned",
)
def layer_normed_again(
    hidden_states, attention_norm, project, rotate, attend, merge_heads, to_output, feed_forward_norm, feed_forward
):
    query, key, value = project(attention_norm(hidden_states))
    attended = to_output(merge_heads(attend(rotate(query), rotate(key), value)))
    middle = hidden_states + attended
    return feed_forward_norm(middle + feed_forward(feed_forward_norm(middle)))


@answer(
    "capstone.llama_layer",
    "likeness:calls",
    "Your third call of `rotate` (it receives what `rotate` returned the second time) is one too many: a",
)
def layer_turned_twice(
    hidden_states, attention_norm, project, rotate, attend, merge_heads, to_output, feed_forward_norm, feed_forward
):
    query, key, value = project(attention_norm(hidden_states))
    query, key = rotate(query), rotate(rotate(key))
    context = attend(query, key, value)
    middle = hidden_states + to_output(merge_heads(context))
    return middle + feed_forward(feed_forward_norm(middle))


@answer(
    "capstone.llama_layer",
    "likeness:calls",
    "Your call of `feed_forward_norm` receives what `to_output` returned, where a right solution gives",
)
def layer_one_residual(
    hidden_states, attention_norm, project, rotate, attend, merge_heads, to_output, feed_forward_norm, feed_forward
):
    query, key, value = project(attention_norm(hidden_states))
    attended = to_output(merge_heads(attend(rotate(query), rotate(key), value)))
    return hidden_states + feed_forward(feed_forward_norm(attended))


@answer(
    "capstone.llama_layer",
    "likeness:put_together",
    "Every function receives what it does in a right solution, but your output is what",
)
def layer_halves(
    hidden_states, attention_norm, project, rotate, attend, merge_heads, to_output, feed_forward_norm, feed_forward
):
    query, key, value = project(attention_norm(hidden_states))
    attended = to_output(merge_heads(attend(rotate(query), rotate(key), value)))
    middle = hidden_states + attended
    normed = feed_forward_norm(middle)
    return normed + feed_forward(normed)


@answer(
    "capstone.llama_layer",
    "mistake:all_turned",
    "You turn the values, too. Positions should decide who looks at whom, not what is",
)
def layer_three_turned(
    hidden_states, attention_norm, project, rotate, attend, merge_heads, to_output, feed_forward_norm, feed_forward
):
    query, key, value = (rotate(part) for part in project(attention_norm(hidden_states)))
    middle = hidden_states + to_output(merge_heads(attend(query, key, value)))
    return middle + feed_forward(feed_forward_norm(middle))


@answer(
    "capstone.repair",
    "crash",
    "`positions` is (3, 2) and `padding` is (3,); compared from the end, they differ in their last axes.",
)
def padding_without_an_axis(length, count, padding):
    positions = torch.arange(length, length + count).repeat(len(padding), 1)
    positions -= padding
    return positions


@answer("capstone.repair", "type", "You return a list of 6 tensors; one tensor is wanted.")
def positions_in_a_list(length, count, padding):
    return [length - first + new for first in padding for new in range(count)]


@answer("capstone.repair", "mistake:negative", "Your real tokens are right, but padding gets negative positions.")
def positions_stacked(length, count, padding):
    return torch.stack([torch.arange(length - first, length - first + count) for first in padding])


@answer("capstone.repair", "likeness:not_zero", "Where the target is 0, yours should be 0 too;")
def positions_without_a_sign(length, count, padding):
    return (torch.arange(length, length + count) - padding[:, None]).abs()
