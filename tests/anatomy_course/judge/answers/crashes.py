"""Answers that crash or never end: the axis, operands and culprit that are told are those of the learner's line."""

from __future__ import annotations

from torch import nn

from answers import answers


def helper(length):
    raise NotImplementedError("later")


class Bare(nn.Module):
    """A module without a `forward`."""


answers("""
attention.weighted_average
    second_axis: vectors[:, torch.tensor([99])]
        “crash | Index 99 is beyond the end of axis 1, which holds”
    after_a_new_axis: vectors[None][..., 0, torch.tensor([-99])]
        “crash | Index -99 lies before the start of axis 2, which holds”

attention.causal_mask
    one_turn_too_many:
        mask = torch.zeros(length, length)
        for i in range(length):
            for j in range(length + 1):
                mask[i, j] = j <= i
        return mask.bool()
        “crash | Index 3 is beyond the end of axis 1, which holds 3 (0 to 2): `mask` has shape (3, 3).”
    put_where_there_is_no_room:
        mask = torch.zeros(length, length)
        for i in range(length):
            mask[i, : i + 1] = torch.ones(length)
        return mask.bool()
        “crash | What is put into `mask[i, : i + 1]` has shape (3), but the room there is (1).”
    not_written:
        raise NotImplementedError
        pass
        “crash | Your function says itself that it is not written yet.”
    helper_not_written: helper(length)
        “crash | `helper` says itself that it is not written yet.”
    no_forward: Bare()(torch.ones(length))
        “crash | The module `Bare` has no `forward`, so it cannot be called.”
    labels_first: torch.nn.functional.cross_entropy(torch.arange(length), torch.ones(length, length))
        “crash | `cross_entropy` wants the logits first and the labels second; here it is the other way round.”
    softmax_of_whole_numbers: torch.ones(length, length, dtype=torch.long).softmax(-1)
        “crash | with whole numbers (int64). .float() makes numbers with a fraction.”
    no_numbers: torch.ones(length, length, device="meta").tolist()
        “crash | needs numbers, and a tensor on the device `meta` has only a shape.”

encoder.run_layers
    one_layer_too_many:
        for i in range(len(layers) + 1):
            hidden_states = layers[i](hidden_states)
        return hidden_states, hidden_states
        “crash | Index 2 is beyond the end: `layers` has 2 (0 to 1).”

decoder.cross_entropy
    gathered_along_another_axis:
        scores = logits.log_softmax(-1)
        return scores.gather(1, labels.clamp(min=0)[..., None])
        “crash | Among the indices is 6, and gather takes 0 to 4 here: along axis 1 `scores` holds 5.”

attention.softmax
    sum_without_its_axis:
        powers = scores.exp()
        total = powers.sum(dim=-1)
        return powers / total
        “crash | `total` has lost the axis over which the sum is taken (line ”
    pythons_sum:
        powers = scores.exp()
        return powers / sum(powers, dim=-1)
        “crash | This is Python's `sum`, which knows no `dim`; torch.sum and the tensor's own .sum do.”

decoder.top_k
    entry_without_its_axis:
        least = logits.topk(k).values[:, -1]
        return logits.masked_fill(logits < least, -math.inf)
        “crash | `least` has lost the axis from which entry -1 is picked (line ”

attention.weighted_average
    not_a_product: (weights * vectors).sum(-2)
        “crash | `weights` is (7, 3) and `vectors` is (3, 5); compared from the end, they differ in”
    counted_through_the_wrong_axis:
        made = torch.zeros(len(weights), vectors.shape[1])
        for i in range(len(weights)):
            for j in range(len(weights)):
                made[i] += weights[i, j] * vectors[j]
        return made
        “crash | `j` counts through `range(len(weights))` (line ”

start.mean
    added_up_in_place:
        total = torch.zeros(3)
        for vector in vectors:
            total += vector
        return total / len(vectors)
        “crash | `total` is (3,) and `vector` is (2,); compared from the end, they differ in their last axes.”

    sleeps:
        __import__("time").sleep(60)
        pass
        “time | It was still in line 2”
    waits:
        count = 0
        while count < 10:
            vectors = vectors + 1
        “time | does `count < 10` ever become False?”
    waits_for_ever:
        while True:
            vectors = vectors + 1
        “time | does that ever reach a `break` or a `return`?”
    nested:
        for row in range(10**9):
            for _ in range(10**9):
                row += 1
        “time | It was in the loop `for _ in range(10**9)`, inside another loop:”
    comprehension: [number for number in range(10**10) if number < 0]
        “time | It was in the loop `for number in range(10**10)`:”
    branches:
        longer = torch.cat([vectors, vectors[:1]])
        return (mean_vector(longer), mean_vector(longer)) if len(vectors) < 200 else vectors
        “time | It calls itself (`mean_vector`):”

attention.projection
    linear_of_another_weight: F.linear(hidden_states, weight, bias)
        “crash | `hidden_states` is (3, 5), `weight` is (5, 11), and linear takes the weight as (output, input)”

attention.one_word
    vector_on_the_wrong_side:
        scores = key @ query_i / len(query_i) ** 0.5
        return value @ scores.softmax(-1)
        “crash | `value` is (11, 3), `scores.softmax(-1)` is (11,), and the last axis of the left must be”

positions.mask_words
    more_than_was_chosen:
        chosen = choice < 0.15
        changed = input_ids.clone()
        changed[chosen] = random_ids
        return changed, changed
        “crash | What is put into `changed[chosen]` has shape (5, 23), but the room there is (”

attention.scores
    letters_for_another_length: torch.einsum("qd,dk->qk", query, key)
        “crash | `d` is 2 long in tensor 2 of those given, and 3 in an earlier one.”
    too_many_letters: torch.einsum("bqd,bkd->bqk", query, key)
        “crash | 3 letters for tensor 1 of those given, which has 2 axes.”

multi_head.split_heads
    a_name_too_many:
        _batch, _heads, _position, _d_head = vectors.shape
        return vectors
        “crash | There are 4 names on the left of `=`, but `vectors.shape` is (5, 2, 21).”

multi_head.repair
    lengths_of_another_argument:
        batch, length, d_model = query.shape
        split = [x.reshape(batch, length, num_heads, d_model // num_heads) for x in (query, key, value)]
        return split[0]
        “crash | so its axis 1 has 11, and `length` is 5”

attention.masked_softmax
    if_of_a_mask:
        if mask == 0:
            return scores
        return scores.softmax(-1)
        “crash | `if` wants one True or False, but `mask == 0` holds 21;”
    if_there_is_a_mask:
        if mask:
            return scores.masked_fill(mask == 0, -1e9).softmax(-1)
        return scores.softmax(-1)
        “crash | `mask` holds 21; torch.where decides cell by cell; to ask whether there is one: `is not None`.”
    while_of_a_mask:
        while not mask:
            scores = scores + 1
        return scores
        “crash | `while` wants one True or False, but `mask` holds 21.”
    not_of_a_mask: scores.masked_fill(not mask, -1e9).softmax(-1)
        “crash | `not` wants one True or False, but `mask` holds 21; `~` goes cell by cell.”

taxonomy.replace_tokens
    and_of_masks:
        replaced = torch.where(chosen and attention_mask == 1, samples, input_ids)
        return replaced, replaced
        “crash | `and` wants one True or False on each side, but `chosen` holds 39; `&` goes”

taxonomy.window_mask
    between:
        behind = torch.arange(length)[:, None] - torch.arange(length)
        return 0 <= behind < window
        “crash | `0 <= behind < window` is two comparisons with `and` between them”

taxonomy.cache_bytes
    pythons_min: 2 * num_layers * num_kv_heads * d_head * bytes_per_number * min(lengths, window)
        “crash | This is Python's `min`, which compares with one `<`”

encoder.encoder_layer
    uncalled: attention_norm(hidden_states + self_attention)
        “crash | `self_attention` is a function, and it is not called here”

encoder_decoder.decoder_layer
    memory_asks:
        hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))
        return hidden_states + cross_attention(memory, cross_attention_norm(hidden_states))
        “crash | Your call of `cross_attention` receives as its first argument `memory`, where a right solution gives it
        what `cross_attention_norm` returned.”

capstone.llama_layer
    an_argument_lacks:
        query, key, _value = project(attention_norm(hidden_states))
        return attend(rotate(query), rotate(key))
        “crash | A call on this line lacks an argument: 'value'.”

workshop.own_name
    refuses_everything:
        raise ValueError("no")
        pass
        “crash | Your own `raise` stops here (ValueError: no).”
""")
