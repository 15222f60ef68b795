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

encoder.sinusoids
    waves_integer:
        angles = positions[:, None] // 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        “likeness:zero | cells your waves are exactly 0, where the target is not.”
    waves_half:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return angles.sin()
        “shape:stage | What you return as waves is only the sines: up to there it is right.”
    waves_math:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([math.sin(angles), math.cos(angles)], dim=-1)
        “crash | A tensor with many numbers cannot be turned into a single one; math.exp, math.sqrt and”

encoder.rotary
    rotary_by_position:
        first, second = vectors.chunk(2, dim=-2)
        return vectors * cosines + torch.cat([-second, first], dim=-2) * sines
        “likeness:cell | differ from the target”
    rotary_no_angles:
        first, second = vectors.chunk(2, dim=-1)
        return torch.cat([-second, first], dim=-1)
        “likeness:stage | What you return as vectors is only the partners: up to there it is right.”

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

encoder.best_span
    span_stacked:
        sums = start_scores[:, :, None] + end_scores[:, None, :]
        n = sums.shape[-1]
        legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
        best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
        return torch.stack([best // n, best % n], dim=1)
        “type | You return one tensor of shape (7, 2); this exercise wants 2: `return start, end`.”
    span_clamped:
        start = start_scores.argmax(1)
        end = end_scores.argmax(1)
        return start, torch.maximum(start, torch.minimum(end, start + max_length - 1))
        “part:start_first | Your start is right with one text and with texts of one word, but not with a batch of”

encoder.mask_words
    mask_padding_hidden:
        chosen = (choice < 0.15) & (attention_mask == 1)
        labels = input_ids.masked_fill(~chosen, -100)
        masked = input_ids.masked_fill((choice < 0.15) & (action < 0.8), mask_id)
        return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels
        “likeness:stage | Right with one text, with texts of one word and with ids that happen to be equal, but not”

encoder.repair_positions
    positions_transposed: token_table[input_ids.T] + position_table[torch.arange(input_ids.shape[1])][:, None]
        “shape:transposed | Your numbers are right, but the axes are in another order: position × batch × d_model.”

""")
