"""Wrong answers to the exercises of notebook 03 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers("""
encoder.embed
    embed_product: token_table[input_ids] * position_table[: input_ids.shape[1]] * segment_table[segment_ids]
        “likeness:cell | differ from the target”
    embed_stacked:
        positions = position_table[: input_ids.shape[1]].expand(len(input_ids), -1, -1)
        return torch.stack([token_table[input_ids], positions, segment_table[segment_ids]])
        “shape:axis_left | You are one step away: your result has an axis more than the target, and added up over”
    embed_in_place:
        token_table += 1
        return token_table[input_ids] + position_table[: input_ids.shape[1]] + segment_table[segment_ids]
        “likeness:offset | What you return is not right either: In your vectors every number is 1 too large.”

encoder.feed_forward
    feed_negative: activation(-(hidden_states @ expand_weight + expand_bias)) @ contract_weight + contract_bias
        “likeness:calls | Your call of `activation` receives the negative of what a right solution gives it.”
    feed_normed:
        hidden = activation(hidden_states @ expand_weight + expand_bias)
        return F.layer_norm(hidden, hidden.shape[-1:]) @ contract_weight + contract_bias
        “likeness:stage | The hidden features are right: your variable `hidden` holds them. In the end none of your”
    turned_sign: activation(-(hidden_states @ expand_weight + expand_bias)) @ contract_weight + contract_bias
        “likeness:calls | Your call of `activation` receives the negative of what a right solution gives it.”

encoder.layer_norm
    norm_unit: F.layer_norm(hidden_states, weight.shape, None, bias, epsilon)
        “likeness:unused | Nothing in your vectors changes when the numbers in `weight` change, but something should.”

encoder.encoder_layer
    layer_all_added:
        attended = attention_norm(hidden_states + self_attention(hidden_states))
        return feed_forward_norm(hidden_states + attended + feed_forward(attended))
        “likeness:calls | your call of `feed_forward_norm` receives `hidden_states` plus what `attention_norm` returned”
    layer_twice_in_front:
        if norm_first:
            hidden_states = hidden_states + self_attention(attention_norm(attention_norm(hidden_states)))
            return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        hidden_states = attention_norm(hidden_states + self_attention(hidden_states))
        return feed_forward_norm(hidden_states + feed_forward(hidden_states))
        “likeness:calls | Your second call of `attention_norm` (it receives what `attention_norm` returned) is one too”

encoder.run_layers
    run_list:
        states = [hidden_states]
        for layer in layers:
            states.append(layer(states[-1]))
        return states[-1], states
        “type | Where all_states belongs you return a list; a tensor is wanted.”
    run_skipped:
        states = [hidden_states]
        for layer in layers[1:]:
            states.append(layer(states[-1]))
        return states[-1], torch.stack(states)
        “shape:calls | In the case shown: your call of `layers[1]` receives `hidden_states`, where a right solution”

encoder.firing_input
    best_of_many:
        probes = torch.randn(5000, d_model, generator=torch.Generator().manual_seed(0))
        probes = probes / probes.norm(dim=1, keepdim=True) * d_model**0.5
        return probes[neuron(probes).argmax()]
        “objection:shown | A better one lies between them.”
    probes_of_length_10: 1000 * ⇒ 10 *
        “objection:short | Your probes are too short for this neuron”
""")
