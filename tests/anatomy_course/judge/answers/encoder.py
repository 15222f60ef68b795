"""Wrong answers to the exercises of notebook 03 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers(
    "encoder.embed",
    """
    embed_numpyish: token_table[input_ids] + position_table + segment_table[segment_ids]
        “crash | Two shapes do not fit each other: one has 3 and the other 17 where they should be equal”
    embed_product: token_table[input_ids] * position_table[: input_ids.shape[1]] * segment_table[segment_ids]
        “likeness:cell | differ from the target”
    embed_segment_twice: token_table[input_ids] + position_table[: input_ids.shape[1]] + 2 * segment_table[segment_ids]
        “likeness:inputs | Your vectors are exactly what comes out when `segment_table` counts twice.”
    embed_segments_as_positions: token_table[input_ids] + position_table[segment_ids] + segment_table[segment_ids]
        “likeness:cell | differ from the target”
    embed_stacked:
        positions = position_table[: input_ids.shape[1]].expand(len(input_ids), -1, -1)
        return torch.stack([token_table[input_ids], positions, segment_table[segment_ids]])
        “shape:axis_left | You are one step away: your result has an axis more than the target, and added up over”
    embed_in_place:
        token_table += 1
        return token_table[input_ids] + position_table[: input_ids.shape[1]] + segment_table[segment_ids]
        “likeness:offset | What you return is not right either: In your vectors every number is 1 too large.”
    """,
)

answers(
    "encoder.sinusoids",
    """
    waves_base:
        angles = positions[:, None] / 1000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        “likeness:cell | 147 of 212 cells of your waves differ from the target, in a way that this check does”
    waves_turned:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).T
        “shape:transposed | Your numbers are right, but the last two axes are swapped: there is one row per”
    waves_pairs:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1)
        “shape:layout | Your numbers are right and in the right order, but laid out in another shape: yours is”
    waves_integer:
        angles = positions[:, None] // 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        “likeness:zero | cells your waves are exactly 0, where the target is not.”
    waves_half:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return angles.sin()
        “shape:stage | What you return as waves is only the sines: up to there it is right.”
    waves_no_axis:
        angles = positions / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        “crash | Two shapes do not fit each other: one has 7 and the other 2 where they should be equal”
    waves_math:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([math.sin(angles), math.cos(angles)], dim=-1)
        “crash | A tensor with many numbers cannot be turned into a single one; math.exp, math.sqrt and”
    """,
)

answers(
    "encoder.rotary",
    """
    rotary_stack:
        a, b = vectors.chunk(2, dim=-1)
        c, s = cosines.chunk(2, dim=-1)[0], sines.chunk(2, dim=-1)[0]
        return torch.stack([a * c - b * s, b * c + a * s], dim=-1).flatten(-2)
        “likeness:order | In your vectors everything is there, but in another order along the d_head axis.”
    rotary_first_only:
        a, b = vectors.chunk(2, dim=-1)
        c, s = cosines.chunk(2, dim=-1)[0], sines.chunk(2, dim=-1)[0]
        return a * c - b * s
        “shape:shape | The shape of your vectors is (1, 1, 7, 5); wanted is (1, 1, 7, 10) (batch × heads ×”
    rotary_by_position:
        first, second = vectors.chunk(2, dim=-2)
        return vectors * cosines + torch.cat([-second, first], dim=-2) * sines
        “likeness:cell | differ from the target”
    rotary_shifted:
        first, second = vectors.chunk(2, dim=-1)
        cosines, sines = cosines.roll(1, 0), sines.roll(1, 0)
        return vectors * cosines + torch.cat([-second, first], dim=-1) * sines
        “likeness:cell | differ from the target”
    rotary_no_angles:
        first, second = vectors.chunk(2, dim=-1)
        return torch.cat([-second, first], dim=-1)
        “likeness:stage | What you return as vectors is only the partners: up to there it is right.”
    """,
)

answers(
    "encoder.offset_bias",
    """
    bias_unclipped:
        positions = torch.arange(length)
        return table[:, positions[None, :] - positions[:, None] + table.shape[1] // 2]
        “crash | Index 5 is beyond the end of axis 1, which holds 5 (0 to 4): `table` has shape (3, 5).”
    bias_turned_heads:
        positions = torch.arange(length)
        far = table.shape[1] // 2
        return table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far].permute(1, 2, 0)
        “mistake:heads_last | The numbers are right, but your heads are the last axis; in scores they come before”
    bias_summed:
        positions = torch.arange(length)
        far = table.shape[1] // 2
        return table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far].sum(0)
        “shape:axis_gone | Your result is the sum of the target over the heads axis: yours is (5, 5), the target”
    bias_flat:
        far = table.shape[1] // 2
        return table[:, torch.arange(length).clamp(max=far) + far]
        “shape:axis_gone | Your result is only the first entry of the target over the query axis: yours is (3, 5),”
    bias_float:
        positions = torch.arange(length)
        far = table.shape[1] / 2
        return table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far]
        “crash | Only whole numbers or True/False can be used as an index; this tensor holds something”
    bias_past:
        positions = torch.arange(length)
        far = table.shape[1] // 2
        bias = table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far]
        return bias.tril()
        “likeness:entry | Your biases are right in the first key, and wrong in the others.”
    """,
)

answers(
    "encoder.feed_forward",
    """
    feed_swapped: activation(hidden_states @ contract_weight + contract_bias) @ expand_weight + expand_bias
        “crash | The two do not fit for a matrix product: `hidden_states` is (2, 3, 7), `contract_weight` is (5, 7), and
        the last axis of the”
    feed_relu_name: torch.tanh(hidden_states @ expand_weight + expand_bias) @ contract_weight + contract_bias
        “likeness:calls | Your function never calls `activation`; a right solution does.”
    feed_bias_twice: activation(hidden_states @ expand_weight + expand_bias) @ contract_weight + 2 * contract_bias
        “likeness:inputs | Your output is exactly what comes out when `contract_bias` counts twice.”
    feed_transposed:
        return F.linear(activation(F.linear(hidden_states, expand_weight, expand_bias)), contract_weight, contract_bias)
        “crash | The two do not fit for a matrix product: `hidden_states` is (2, 3, 7), `expand_weight` is (7, 5), and
        linear takes the”
    feed_uncalled: activation * (hidden_states @ expand_weight + expand_bias) @ contract_weight + contract_bias
        “crash | `activation` is a function, and it is not called here: that takes parentheses and an input.”
    feed_negative: activation(-(hidden_states @ expand_weight + expand_bias)) @ contract_weight + contract_bias
        “likeness:calls | Your call of `activation` receives the negative of what a right solution gives it.”
    feed_normed:
        hidden = activation(hidden_states @ expand_weight + expand_bias)
        return F.layer_norm(hidden, hidden.shape[-1:]) @ contract_weight + contract_bias
        “likeness:stage | The hidden features are right: your variable `hidden` holds them. In the end none of your”
    """,
)

answers(
    "encoder.layer_norm",
    """
    norm_no_keepdim: (hidden_states - hidden_states.mean(-1)) / (hidden_states.var(-1) + epsilon).sqrt() * weight + bias
        “crash | Two shapes do not fit each other: one has 5 and the other 3 where they should be equal”
    norm_absolute:
        centered = hidden_states - hidden_states.mean(-1, keepdim=True)
        return centered / (centered.abs().mean(-1, keepdim=True) + epsilon) * weight + bias
        “likeness:stage | The centered vectors are right: your variable `centered` holds them. In the end none of your”
    norm_length:
        centered = hidden_states - hidden_states.mean(-1, keepdim=True)
        return centered / (centered.square().sum(-1, keepdim=True) + epsilon).sqrt() * weight + bias
        “likeness:stage | The centered vectors are right: your variable `centered` holds them. In the end none of your”
    norm_in_place:
        hidden_states -= hidden_states.mean(-1, keepdim=True)
        return hidden_states / (hidden_states.square().mean(-1, keepdim=True) + epsilon).sqrt() * weight + bias
        “mutated | Your function changes its input: `hidden_states` held other numbers afterwards. The code”
    norm_minus_bias: F.layer_norm(hidden_states, weight.shape, weight, -bias, epsilon)
        “likeness:inputs | Your vectors are exactly what comes out when the signs in `bias` are flipped.”
    norm_unit: F.layer_norm(hidden_states, weight.shape, None, bias, epsilon)
        “likeness:unused | Nothing in your vectors changes when the numbers in `weight` change, but something should.”
    norm_variance_of_total:
        centered = hidden_states - hidden_states.mean(dim=-1, keepdim=True)
        variance = centered.square().mean()
        return centered / (variance + epsilon).sqrt() * weight + bias
        “likeness:stage | The centered vectors are right: your variable `centered` holds them. In the end none of your”
    """,
)

answers(
    "encoder.post_norm",
    """
    post_functions_added: norm(hidden_states + sublayer)
        “crash | `sublayer` is a function, and it is not called here: that takes parentheses and an input.”
    post_in_place:
        hidden_states += sublayer(hidden_states)
        return norm(hidden_states)
        “mutated | Your function changes its input: `hidden_states` held other numbers afterwards. The code”
    post_no_norm_call:
        norm(hidden_states + sublayer(hidden_states))
        pass
        “nothing | Your function ran to its end, but it returned nothing (None). Its last line should be”
    post_side_by_side: torch.cat([hidden_states, sublayer(hidden_states)], dim=-1)
        “shape:calls | Your function never calls `norm`; a right solution does, with `hidden_states` plus what”
    """,
)

answers(
    "encoder.pre_norm",
    """
    pre_double: 2 * hidden_states + sublayer(norm(hidden_states))
        “likeness:put_together | Every function receives what it does in a right solution, but your output is twice
        `hidden_states`”
    pre_norm_twice: hidden_states + sublayer(norm(norm(hidden_states)))
        “likeness:calls | Your second call of `norm` (it receives what `norm` returned) is one too many: a right
        solution”
    pre_all:
        normed = norm(hidden_states)
        result = sublayer(normed)
        return hidden_states + normed + result
        “likeness:put_together | Every function receives what it does in a right solution, but your output is
        `hidden_states` plus”
    pre_function: lambda states: states + sublayer(norm(states))
        “type | You return a function (function); is a pair of parentheses missing after its name?”
    """,
)

answers(
    "encoder.encoder_layer",
    """
    layer_attention_twice:
        attended = attention_norm(hidden_states + self_attention(hidden_states))
        return feed_forward_norm(attended + self_attention(attended))
        “likeness:calls | Your second call of `self_attention` (it receives what `attention_norm` returned) is one too
        many:”
    layer_all_added:
        attended = attention_norm(hidden_states + self_attention(hidden_states))
        return feed_forward_norm(hidden_states + attended + feed_forward(attended))
        “likeness:calls | Your call of `feed_forward_norm` receives `hidden_states` plus what `attention_norm` returned
        plus”
    layer_twice:
        for _ in range(2):
            hidden_states = attention_norm(hidden_states + self_attention(hidden_states))
            hidden_states = feed_forward_norm(hidden_states + feed_forward(hidden_states))
        return hidden_states
        “likeness:calls | Your second call of `self_attention` (it receives what `feed_forward_norm` returned) is one
        too”
    """,
)

answers(
    "encoder.run_layers",
    """
    run_list:
        states = [hidden_states]
        for layer in layers:
            states.append(layer(states[-1]))
        return states[-1], states
        “type | Where all_states belongs you return a list; a tensor is wanted.”
    run_swapped:
        states = [hidden_states]
        for layer in layers:
            states.append(layer(states[-1]))
        return torch.stack(states), states[-1]
        “swapped | Both results are right, but in the wrong order; wanted is `return output, all_states`.”
    run_output:
        for layer in layers:
            hidden_states = layer(hidden_states)
        return hidden_states
        “type | You return one tensor, and it is the right output; this exercise wants 2: `return”
    run_first_only:
        states = [hidden_states, layers[0](hidden_states)]
        return states[-1], torch.stack(states)
        “shape:calls | Your function never calls `layers[1]`; a right solution does, with what `layers[0]`”
    run_skipped:
        states = [hidden_states]
        for layer in layers[1:]:
            states.append(layer(states[-1]))
        return states[-1], torch.stack(states)
        “shape:calls | In the case shown: your call of `layers[1]` receives `hidden_states`, where a right solution
        gives it”
    run_input_twice:
        states = [hidden_states]
        for layer in layers:
            hidden_states = layer(hidden_states)
            states.append(states[0])
        return hidden_states, torch.stack(states)
        “likeness:same | In your all_states every entry along the states axis is the same; the first is right,”
    """,
)

answers(
    "encoder.dropout",
    """
    dropout_random: F.dropout(hidden_states, probability, training)
        “unsteady | Your function gives another result each time it is called with the same input. Is there”
    dropout_uniform: hidden_states * uniform if training else hidden_states
        “likeness:not_zero | Right with a model in use, but not with a model in training. Where the target is 0,”
    dropout_removed: hidden_states[uniform >= probability] / (1 - probability) if training else hidden_states
        “shape:shape | Right with a model in use, but not with a model in training. The shape of your output”
    dropout_mask: (uniform >= probability).float() / (1 - probability) if training else hidden_states
        “likeness:unused | Right with a model in use, but not with a model in training. Nothing in your output”
    dropout_none:
        if training:
            return hidden_states * (uniform >= probability) / (1 - probability)
        “nothing | Your function ran to its end, but it returned nothing (None). It does so with a model”
    dropout_in_place:
        if training:
            hidden_states[uniform < probability] = 0
            return hidden_states / (1 - probability)
        return hidden_states
        “mutated | Your function changes its input: `hidden_states` held other numbers afterwards. The code”
    dropout_constant: hidden_states * (uniform >= 0.1) / 0.9 if training else hidden_states
        “likeness:not_zero | Right with a model in use, but not with a model in training. Where the target is 0, yours
        should be 0”
    """,
)

answers(
    "encoder.classify",
    """
    classify_over_features: hidden_states.mean(-1) @ weight + bias
        “crash | The two do not fit for a matrix product: `hidden_states.mean(-1)` is (3, 5), `weight` is (11, 7),”
    classify_no_axis:
        mean = (hidden_states * attention_mask).sum(1) / attention_mask.sum(1)
        return mean @ weight + bias
        “crash | Two shapes do not fit each other: one has 11 and the other 5 where they should be equal”
    classify_label:
        real = attention_mask[..., None]
        return ((hidden_states * real).sum(1) / real.sum(1) @ weight + bias).argmax(-1)
        “shape:shape | The shape of your logits is (3,); wanted is (3, 7) (batch × labels). That is 1 axis too”
    classify_tanh:
        real = attention_mask[..., None]
        mean = (hidden_states * real).sum(1) / real.sum(1)
        return mean.tanh() @ weight + bias
        “likeness:stage | The means are right: your variable `mean` holds them. In the end none of your variables holds”
    classify_kept:
        real = attention_mask[..., None]
        mean = (hidden_states * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)
        return mean @ weight + bias
        “shape:ones | Your numbers are right, but there is an axis of length 1 too many: yours is (3, 1, 7),”
    """,
)

answers(
    "encoder.best_span",
    """
    span_reversed:
        sums = start_scores[:, :, None] + end_scores[:, None, :]
        n = sums.shape[-1]
        legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
        best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
        return best % n, best // n
        “swapped | Both results are right, but in the wrong order; wanted is `return start, end`.”
    span_stacked:
        sums = start_scores[:, :, None] + end_scores[:, None, :]
        n = sums.shape[-1]
        legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
        best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
        return torch.stack([best // n, best % n], dim=1)
        “type | You return one tensor of shape (7, 2); this exercise wants 2: `return start, end`.”
    span_float:
        sums = start_scores[:, :, None] + end_scores[:, None, :]
        n = sums.shape[-1]
        legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
        best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
        return best / n, best % n
        “dtype | In your start there are numbers with a fraction (float32); wanted are whole numbers”
    span_clamped:
        start = start_scores.argmax(1)
        end = end_scores.argmax(1)
        return start, torch.maximum(start, torch.minimum(end, start + max_length - 1))
        “part:start_first | Your start is right with one text and with texts of one word, but not with a batch of texts,
        with one word at most, with long texts or with texts shorter than max_length.”
    span_whole_batch:
        sums = start_scores[:, :, None] + end_scores[:, None, :]
        n = sums.shape[-1]
        legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
        best = sums.masked_fill(~legal, -math.inf).flatten().argmax()
        return best // n, best % n
        “shape:shape | The shape of your start is (); wanted is (7,) (batch). That is 1 axis too few.”
    span_scores: start_scores.amax(1), end_scores.amax(1)
        “dtype | In your start there are numbers with a fraction (float32); wanted are whole numbers”
    """,
)

answers(
    "encoder.mask_words",
    """
    mask_swapped:
        chosen = (choice < 0.15) & (attention_mask == 1)
        labels = input_ids.masked_fill(~chosen, -100)
        masked = input_ids.masked_fill(chosen & (action < 0.8), mask_id)
        return labels, torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked)
        “swapped | Both results are right, but in the wrong order; wanted is `return masked_ids, labels`.”
    mask_and:
        chosen = choice < 0.15 and attention_mask == 1
        return input_ids.masked_fill(chosen, mask_id), input_ids.masked_fill(~chosen, -100)
        “crash | `and` wants one True or False on each side, but `choice < 0.15` holds 115; `&` goes cell by cell”
    mask_in_place:
        chosen = (choice < 0.15) & (attention_mask == 1)
        labels = input_ids.masked_fill(~chosen, -100)
        input_ids[chosen & (action < 0.8)] = mask_id
        return input_ids, labels
        “mistake:none_exchanged | What you return is not right either: The right words are hidden, and the other”
    mask_float:
        chosen = (choice < 0.15) & (attention_mask == 1)
        labels = input_ids.float().masked_fill(~chosen, float("nan"))
        masked = input_ids.masked_fill(chosen & (action < 0.8), mask_id)
        return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels
        “dtype | In your labels there are numbers with a fraction (float32); wanted are whole numbers”
    mask_share:
        chosen = (choice < 0.15) & (attention_mask == 1)
        labels = input_ids.masked_fill(~chosen, -100)
        masked = input_ids.masked_fill(chosen & (action < 0.5), mask_id)
        return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels
        “likeness:stage | You are right up to the chosen words: your variable `chosen` holds them. In the end none of”
    mask_padding_hidden:
        chosen = (choice < 0.15) & (attention_mask == 1)
        labels = input_ids.masked_fill(~chosen, -100)
        masked = input_ids.masked_fill((choice < 0.15) & (action < 0.8), mask_id)
        return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels
        “likeness:stage | Right with one text, with texts of one word and with ids that happen to be equal, but not with
        padded texts. You are right up to the chosen words”
    """,
)

answers(
    "encoder.repair_positions",
    """
    positions_turned: (token_table[input_ids] + position_table[: input_ids.shape[1]]).transpose(1, 2)
        “shape:transposed | Your numbers are right, but the last two axes are swapped: there is one row per”
    positions_transposed: token_table[input_ids.T] + position_table[torch.arange(input_ids.shape[1])][:, None]
        “shape:transposed | Your numbers are right, but the axes are in another order: position × batch × d_model.”
    positions_waves:
        positions = torch.arange(input_ids.shape[1])
        return token_table[input_ids] + position_table[positions] / 2
        “likeness:inputs | Your vectors are exactly what comes out when `position_table` counts half.”
    positions_axis:
        positions = torch.arange(input_ids.shape[1])
        return token_table[input_ids] + position_table[positions][:, None]
        “crash | Two shapes do not fit each other: one has 7 and the other 3 where they should be equal”
    """,
)

answers(
    "encoder.repair_norm",
    """
    repaired_half: hidden_states + self_attention(attention_norm(hidden_states))
        “likeness:calls | Your function never calls `feed_forward_norm`; a right solution does, with”
    """,
)
