"""Wrong answers to the exercises of notebook 09 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers("""
capstone.first_difference
    parting_plain_number:
        for layer in range(len(yours)):
            real = attention_mask == 1
            if not ((yours[layer] - original[layer]).abs()[real] <= tolerance).all():
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

capstone.lost_config
    config_as_a_tuple: (3, 4)
        “objection:type | Your function returns a tuple; a dictionary is wanted.”
    config_of_numbers_only: {"num_layers": 2, "d_model": 3}
        “objection:missing | Your dictionary has no entry 'd_ff'.”

capstone.tenth_probe
    probe_as_a_number: float(model(torch.tensor([[5, 6]])).std())
        “objection:type | You return something of type float; True or False is wanted.”
    probe_on_last_logits:
        text, other = torch.arange(10, 58)[None], torch.arange(11, 59)[None]
        return bool((model(text) - model(other)).abs().max() > 0.001)
        “mistake:always | Your probe calls every model broken, the healthy ones as well.”

capstone.repair
    positions_stacked: torch.stack([torch.arange(length - first, length - first + count) for first in padding])
        “mistake:negative | Your real tokens are right, but padding gets negative positions.”
""")
