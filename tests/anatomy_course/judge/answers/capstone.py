"""Wrong answers to the exercises of notebook 07 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers(
    "capstone.first_difference",
    """
    parting_plain_number:
        for layer in range(len(yours)):
            real = attention_mask == 1
            if not ((yours[layer] - theirs[layer]).abs()[real] <= tolerance).all():
                return layer
        return -1
        “type | You return a plain int; a tensor is wanted.”
    parting_allclose:
        for layer in range(len(yours)):
            if not torch.allclose(yours[layer], theirs[layer], atol=tolerance):
                return torch.tensor(layer)
        return torch.tensor(-1)
        “mistake:padding_counted | Your number is that of the first layer in which any position differs, padding”
    parting_nothing_for_none:
        for layer in range(len(yours)):
            real = attention_mask == 1
            if not ((yours[layer] - theirs[layer]).abs()[real] <= tolerance).all():
                return torch.tensor(layer)
        return None
        “nothing | Your function ran to its end, but it returned nothing (None). It does so with no”
    parting_empty:
        agrees = ((yours - theirs).abs() <= tolerance).all(dim=-1)
        rejected = ~agrees & (attention_mask == 1)
        return rejected.flatten(1).any(dim=1).nonzero()[0, 0]
        “crash | Index 0 is beyond the end of axis 0, which is empty: `rejected.flatten(1).any(dim=1).nonzero()` has”
    parting_mask_does_not_fit:
        off = (yours - theirs).abs() * attention_mask
        return (off.flatten(1).amax(dim=1) > tolerance).int().argmax()
        “crash | Two shapes do not fit each other: one has 3 and the other 5 where they should be”
    parting_argmax_of_greater:
        off = (yours - theirs).abs()[:, attention_mask == 1].flatten(1).amax(dim=1)
        return (off > tolerance).int().argmax()
        “mistake:argmax_of_greater | Two things: where no layer differs you say 0, the lowest layer's number, as argmax
        does; and with NaN, too”
    parting_all_layers:
        off = (yours - theirs).abs()[:, attention_mask == 1].flatten(1)
        return (~(off <= tolerance)).any(dim=1).nonzero()[:, 0]
        “shape:shape | The shape of your number is (9,); wanted is (). That is 1 axis too many.”
    parting_as_float:
        for layer in range(len(yours)):
            real = attention_mask == 1
            if not ((yours[layer] - theirs[layer]).abs()[real] <= tolerance).all():
                return torch.tensor(float(layer))
        return torch.tensor(-1.0)
        “dtype | The numbers are right, but not their type: in your number there are numbers with a”
    parting_squared:
        off = ((yours - theirs) ** 2)[:, attention_mask == 1].flatten(1).mean(dim=1).sqrt()
        layers = (~(off <= tolerance)).nonzero()[:, 0]
        return layers[0] if len(layers) else torch.tensor(-1)
        “mistake:mean | A single number that is off disappears in yours, as it does in the mean of a layer's”
    parting_if_on_tensor:
        for layer in range(len(yours)):
            if (yours[layer] - theirs[layer]).abs() > tolerance:
                return torch.tensor(layer)
        return torch.tensor(-1)
        “crash | `if` wants one True or False, but `(yours[layer] - theirs[layer]).abs() > tolerance` holds 195;”
    """,
)

answers(
    "capstone.llama_layer",
    """
    layer_in_place:
        query, key, value = project(attention_norm(hidden_states))
        hidden_states += to_output(merge_heads(attend(rotate(query), rotate(key), value)))
        hidden_states += feed_forward(feed_forward_norm(hidden_states))
        return hidden_states
        “mutated | Your function changes its input: `hidden_states` held other numbers afterwards.”
    layer_not_merged:
        query, key, value = project(attention_norm(hidden_states))
        attended = to_output(attend(rotate(query), rotate(key), value))
        hidden_states = hidden_states + attended
        return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        “crash | The two do not fit for a matrix product: the left one is 21 × 4, the right one 12 ×”
    layer_normed_again:
        query, key, value = project(attention_norm(hidden_states))
        attended = to_output(merge_heads(attend(rotate(query), rotate(key), value)))
        middle = hidden_states + attended
        return feed_forward_norm(middle + feed_forward(feed_forward_norm(middle)))
        “likeness:calls | Your second call of `feed_forward_norm` (it receives `hidden_states` plus what `to_output`
        returned”
    layer_turned_twice:
        query, key, value = project(attention_norm(hidden_states))
        query, key = rotate(query), rotate(rotate(key))
        context = attend(query, key, value)
        middle = hidden_states + to_output(merge_heads(context))
        return middle + feed_forward(feed_forward_norm(middle))
        “likeness:calls | Your third call of `rotate` (it receives what `rotate` returned the second time) is one too
        many: a”
    layer_one_residual:
        query, key, value = project(attention_norm(hidden_states))
        attended = to_output(merge_heads(attend(rotate(query), rotate(key), value)))
        return hidden_states + feed_forward(feed_forward_norm(attended))
        “likeness:calls | Your call of `feed_forward_norm` receives what `to_output` returned, where a right solution
        gives”
    layer_halves:
        query, key, value = project(attention_norm(hidden_states))
        attended = to_output(merge_heads(attend(rotate(query), rotate(key), value)))
        middle = hidden_states + attended
        normed = feed_forward_norm(middle)
        return normed + feed_forward(normed)
        “likeness:put_together | Every function receives what it does in a right solution, but your output is what”
    layer_three_turned:
        query, key, value = (rotate(part) for part in project(attention_norm(hidden_states)))
        middle = hidden_states + to_output(merge_heads(attend(query, key, value)))
        return middle + feed_forward(feed_forward_norm(middle))
        “mistake:all_turned | You turn the values, too. Positions should decide who looks at whom, not what is”
    """,
)

answers(
    "capstone.repair",
    """
    padding_without_an_axis:
        positions = torch.arange(length, length + count).repeat(len(padding), 1)
        positions -= padding
        return positions
        “crash | `positions` is (3, 2) and `padding` is (3,); compared from the end, they differ in their last axes.”
    positions_in_a_list: [length - first + new for first in padding for new in range(count)]
        “type | You return a list of 6 tensors; one tensor is wanted.”
    positions_stacked: torch.stack([torch.arange(length - first, length - first + count) for first in padding])
        “mistake:negative | Your real tokens are right, but padding gets negative positions.”
    positions_without_a_sign: (torch.arange(length, length + count) - padding[:, None]).abs()
        “likeness:not_zero | Where the target is 0, yours should be 0 too;”
    """,
)
