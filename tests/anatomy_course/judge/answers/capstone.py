"""Wrong answers to the exercises of notebook 09 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers("""
capstone.first_difference
    parting_plain_number:
        for layer in range(len(yours)):
            real = attention_mask == 1
            if not ((yours[layer] - theirs[layer]).abs()[real] <= tolerance).all():
                return layer
        return -1
        “type | You return a plain int; a tensor is wanted.”

capstone.llama_layer
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
        “likeness:calls | Your second call of `feed_forward_norm` (it receives `hidden_states` plus what `to_output`”
    layer_one_residual:
        query, key, value = project(attention_norm(hidden_states))
        attended = to_output(merge_heads(attend(rotate(query), rotate(key), value)))
        return hidden_states + feed_forward(feed_forward_norm(attended))
        “likeness:calls | Your call of `feed_forward_norm` receives what `to_output` returned, where a right solution”

capstone.repair
    positions_stacked: torch.stack([torch.arange(length - first, length - first + count) for first in padding])
        “mistake:negative | Your real tokens are right, but padding gets negative positions.”
""")
