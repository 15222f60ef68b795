"""Wrong answers to the exercises of notebook 03 that are in no catalogue."""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from answers import answer


@answer(
    "encoder.embed", "crash", "Two shapes do not fit each other: one has 3 and the other 17 where they should be equal"
)
def embed_numpyish(input_ids, segment_ids, token_table, position_table, segment_table):
    return token_table[input_ids] + position_table + segment_table[segment_ids]


@answer("encoder.embed", "likeness:cell", "differ from the target")
def embed_product(input_ids, segment_ids, token_table, position_table, segment_table):
    return token_table[input_ids] * position_table[: input_ids.shape[1]] * segment_table[segment_ids]


@answer(
    "encoder.embed", "likeness:inputs", "Your vectors are exactly what comes out when `segment_table` counts twice."
)
def embed_segment_twice(input_ids, segment_ids, token_table, position_table, segment_table):
    return token_table[input_ids] + position_table[: input_ids.shape[1]] + 2 * segment_table[segment_ids]


@answer("encoder.embed", "likeness:cell", "differ from the target")
def embed_segments_as_positions(input_ids, segment_ids, token_table, position_table, segment_table):
    return token_table[input_ids] + position_table[segment_ids] + segment_table[segment_ids]


@answer(
    "encoder.embed",
    "shape:axis_left",
    "You are one step away: your result has an axis more than the target, and added up over",
)
def embed_stacked(input_ids, segment_ids, token_table, position_table, segment_table):
    positions = position_table[: input_ids.shape[1]].expand(len(input_ids), -1, -1)
    return torch.stack([token_table[input_ids], positions, segment_table[segment_ids]])


@answer(
    "encoder.embed",
    "likeness:offset",
    "What you return is not right either: In your vectors every number is 1 too large.",
)
def embed_in_place(input_ids, segment_ids, token_table, position_table, segment_table):
    token_table += 1
    return token_table[input_ids] + position_table[: input_ids.shape[1]] + segment_table[segment_ids]


@answer(
    "encoder.sinusoids",
    "likeness:cell",
    "147 of 212 cells of your waves differ from the target, in a way that this check does",
)
def waves_base(positions, d_model):
    angles = positions[:, None] / 1000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


@answer(
    "encoder.sinusoids",
    "shape:transposed",
    "Your numbers are right, but the last two axes are swapped: there is one row per",
)
def waves_turned(positions, d_model):
    angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).T


@answer(
    "encoder.sinusoids",
    "shape:layout",
    "Your numbers are right and in the right order, but laid out in another shape: yours is",
)
def waves_pairs(positions, d_model):
    angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1)


@answer("encoder.sinusoids", "likeness:zero", "cells your waves are exactly 0, where the target is not.")
def waves_integer(positions, d_model):
    angles = positions[:, None] // 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


@answer("encoder.sinusoids", "shape:stage", "What you return as waves is only the sines: up to there it is right.")
def waves_half(positions, d_model):
    angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return angles.sin()


@answer(
    "encoder.sinusoids",
    "crash",
    "Two shapes do not fit each other: one has 7 and the other 2 where they should be equal",
)
def waves_no_axis(positions, d_model):
    angles = positions / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


@answer(
    "encoder.sinusoids",
    "crash",
    "A tensor with many numbers cannot be turned into a single one; math.exp, math.sqrt and",
)
def waves_math(positions, d_model):
    angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([math.sin(angles), math.cos(angles)], dim=-1)


@answer(
    "encoder.rotary",
    "likeness:order",
    "In your vectors everything is there, but in another order along the d_head axis.",
)
def rotary_stack(vectors, cosines, sines):
    a, b = vectors.chunk(2, dim=-1)
    c, s = cosines.chunk(2, dim=-1)[0], sines.chunk(2, dim=-1)[0]
    return torch.stack([a * c - b * s, b * c + a * s], dim=-1).flatten(-2)


@answer(
    "encoder.rotary",
    "shape:shape",
    "The shape of your vectors is (1, 1, 7, 5); wanted is (1, 1, 7, 10) (batch × heads ×",
)
def rotary_first_only(vectors, cosines, sines):
    a, b = vectors.chunk(2, dim=-1)
    c, s = cosines.chunk(2, dim=-1)[0], sines.chunk(2, dim=-1)[0]
    return a * c - b * s


@answer("encoder.rotary", "likeness:cell", "differ from the target")
def rotary_by_position(vectors, cosines, sines):
    first, second = vectors.chunk(2, dim=-2)
    return vectors * cosines + torch.cat([-second, first], dim=-2) * sines


@answer("encoder.rotary", "likeness:cell", "differ from the target")
def rotary_shifted(vectors, cosines, sines):
    first, second = vectors.chunk(2, dim=-1)
    cosines, sines = cosines.roll(1, 0), sines.roll(1, 0)
    return vectors * cosines + torch.cat([-second, first], dim=-1) * sines


@answer("encoder.rotary", "likeness:stage", "What you return as vectors is only the partners: up to there it is right.")
def rotary_no_angles(vectors, cosines, sines):
    first, second = vectors.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


@answer(
    "encoder.offset_bias",
    "crash",
    "Index 5 is beyond the end of axis 1, which holds 5 (0 to 4): `table` has shape (3, 5).",
)
def bias_unclipped(table, length):
    positions = torch.arange(length)
    return table[:, positions[None, :] - positions[:, None] + table.shape[1] // 2]


@answer(
    "encoder.offset_bias",
    "mistake:heads_last",
    "The numbers are right, but your heads are the last axis; in scores they come before",
)
def bias_turned_heads(table, length):
    positions = torch.arange(length)
    far = table.shape[1] // 2
    return table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far].permute(1, 2, 0)


@answer(
    "encoder.offset_bias",
    "shape:axis_gone",
    "Your result is the sum of the target over the heads axis: yours is (5, 5), the target",
)
def bias_summed(table, length):
    positions = torch.arange(length)
    far = table.shape[1] // 2
    return table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far].sum(0)


@answer(
    "encoder.offset_bias",
    "shape:axis_gone",
    "Your result is only the first entry of the target over the query axis: yours is (3, 5),",
)
def bias_flat(table, length):
    far = table.shape[1] // 2
    return table[:, torch.arange(length).clamp(max=far) + far]


@answer(
    "encoder.offset_bias",
    "crash",
    "Only whole numbers or True/False can be used as an index; this tensor holds something",
)
def bias_float(table, length):
    positions = torch.arange(length)
    far = table.shape[1] / 2
    return table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far]


@answer("encoder.offset_bias", "likeness:entry", "Your biases are right in the first key, and wrong in the others.")
def bias_past(table, length):
    positions = torch.arange(length)
    far = table.shape[1] // 2
    bias = table[:, (positions[None, :] - positions[:, None]).clamp(-far, far) + far]
    return bias.tril()


@answer(
    "encoder.feed_forward",
    "crash",
    "The two do not fit for a matrix product: `x` is (2, 3, 7), `w2` is (5, 7), and the last axis of the",
)
def feed_swapped(x, w1, b1, w2, b2, activation):
    return activation(x @ w2 + b2) @ w1 + b1


@answer("encoder.feed_forward", "likeness:calls", "Your function never calls `activation`; a right solution does.")
def feed_relu_name(x, w1, b1, w2, b2, activation):
    return torch.tanh(x @ w1 + b1) @ w2 + b2


@answer(
    "encoder.feed_forward",
    "likeness:inputs",
    "Your output is exactly what comes out when `contract_bias` counts twice.",
)
def feed_bias_twice(x, w1, b1, w2, b2, activation):
    return activation(x @ w1 + b1) @ w2 + 2 * b2


@answer(
    "encoder.feed_forward",
    "crash",
    "The two do not fit for a matrix product: `x` is (2, 3, 7), `w1` is (7, 5), and linear takes the",
)
def feed_transposed(x, w1, b1, w2, b2, activation):
    return F.linear(activation(F.linear(x, w1, b1)), w2, b2)


@answer(
    "encoder.feed_forward",
    "crash",
    "`activation` is a function, and it is not called here: that takes parentheses and an input.",
)
def feed_uncalled(x, w1, b1, w2, b2, activation):
    return activation * (x @ w1 + b1) @ w2 + b2


@answer(
    "encoder.feed_forward",
    "likeness:calls",
    "Your call of `activation` receives the negative of what a right solution gives it.",
)
def feed_negative(x, w1, b1, w2, b2, activation):
    return activation(-(x @ w1 + b1)) @ w2 + b2


@answer(
    "encoder.feed_forward",
    "likeness:stage",
    "The hidden features are right: your variable `hidden` holds them. In the end none of your",
)
def feed_normed(x, w1, b1, w2, b2, activation):
    hidden = activation(x @ w1 + b1)
    return F.layer_norm(hidden, hidden.shape[-1:]) @ w2 + b2


@answer(
    "encoder.layer_norm",
    "crash",
    "Two shapes do not fit each other: one has 5 and the other 3 where they should be equal",
)
def norm_no_keepdim(x, weight, bias, epsilon):
    return (x - x.mean(-1)) / (x.var(-1) + epsilon).sqrt() * weight + bias


@answer(
    "encoder.layer_norm",
    "likeness:stage",
    "The centered vectors are right: your variable `centered` holds them. In the end none of your",
)
def norm_absolute(x, weight, bias, epsilon):
    centered = x - x.mean(-1, keepdim=True)
    return centered / (centered.abs().mean(-1, keepdim=True) + epsilon) * weight + bias


@answer(
    "encoder.layer_norm",
    "likeness:stage",
    "The centered vectors are right: your variable `centered` holds them. In the end none of your",
)
def norm_length(x, weight, bias, epsilon):
    centered = x - x.mean(-1, keepdim=True)
    return centered / (centered.square().sum(-1, keepdim=True) + epsilon).sqrt() * weight + bias


@answer(
    "encoder.layer_norm",
    "mutated",
    "Your function changes its input: `hidden_states` held other numbers afterwards. The code",
)
def norm_in_place(hidden_states, weight, bias, epsilon):
    hidden_states -= hidden_states.mean(-1, keepdim=True)
    return hidden_states / (hidden_states.square().mean(-1, keepdim=True) + epsilon).sqrt() * weight + bias


@answer(
    "encoder.layer_norm",
    "likeness:inputs",
    "Your vectors are exactly what comes out when the signs in `bias` are flipped.",
)
def norm_minus_bias(x, weight, bias, epsilon):
    return F.layer_norm(x, weight.shape, weight, -bias, epsilon)


@answer(
    "encoder.layer_norm",
    "likeness:unused",
    "Nothing in your vectors changes when the numbers in `weight` change, but something should.",
)
def norm_unit(x, weight, bias, epsilon):
    return F.layer_norm(x, weight.shape, None, bias, epsilon)


@answer(
    "encoder.layer_norm",
    "likeness:stage",
    "The centered vectors are right: your variable `centered` holds them. In the end none of your",
)
def norm_variance_of_total(hidden_states, weight, bias, epsilon):
    centered = hidden_states - hidden_states.mean(dim=-1, keepdim=True)
    variance = centered.square().mean()
    return centered / (variance + epsilon).sqrt() * weight + bias


@answer(
    "encoder.post_norm",
    "crash",
    "`sublayer` is a function, and it is not called here: that takes parentheses and an input.",
)
def post_functions_added(hidden_states, sublayer, norm):
    return norm(hidden_states + sublayer)


@answer(
    "encoder.post_norm",
    "mutated",
    "Your function changes its input: `hidden_states` held other numbers afterwards. The code",
)
def post_in_place(hidden_states, sublayer, norm):
    hidden_states += sublayer(hidden_states)
    return norm(hidden_states)


@answer(
    "encoder.post_norm",
    "nothing",
    "Your function ran to its end, but it returned nothing (None). Its last line should be",
)
def post_no_norm_call(hidden_states, sublayer, norm):
    norm(hidden_states + sublayer(hidden_states))


@answer(
    "encoder.post_norm",
    "shape:calls",
    "Your function never calls `norm`; a right solution does, with `hidden_states` plus what",
)
def post_side_by_side(hidden_states, sublayer, norm):
    return torch.cat([hidden_states, sublayer(hidden_states)], dim=-1)


@answer(
    "encoder.pre_norm",
    "likeness:put_together",
    "Every function receives what it does in a right solution, but your output is twice `hidden_states`",
)
def pre_double(hidden_states, sublayer, norm):
    return 2 * hidden_states + sublayer(norm(hidden_states))


@answer(
    "encoder.pre_norm",
    "likeness:calls",
    "Your second call of `norm` (it receives what `norm` returned) is one too many: a right solution",
)
def pre_norm_twice(hidden_states, sublayer, norm):
    return hidden_states + sublayer(norm(norm(hidden_states)))


@answer(
    "encoder.pre_norm",
    "likeness:put_together",
    "Every function receives what it does in a right solution, but your output is `hidden_states` plus",
)
def pre_all(hidden_states, sublayer, norm):
    normed = norm(hidden_states)
    result = sublayer(normed)
    return hidden_states + normed + result


@answer(
    "encoder.pre_norm", "type", "You return a function (function); is a pair of parentheses missing after its name?"
)
def pre_function(hidden_states, sublayer, norm):
    return lambda states: states + sublayer(norm(states))


@answer(
    "encoder.encoder_layer",
    "likeness:calls",
    "Your second call of `self_attention` (it receives what `attention_norm` returned) is one too many:",
)
def layer_attention_twice(hidden_states, self_attention, feed_forward, attention_norm, feed_forward_norm):
    attended = attention_norm(hidden_states + self_attention(hidden_states))
    return feed_forward_norm(attended + self_attention(attended))


@answer(
    "encoder.encoder_layer",
    "likeness:calls",
    "Your call of `feed_forward_norm` receives `hidden_states` plus what `attention_norm` returned plus",
)
def layer_all_added(hidden_states, self_attention, feed_forward, attention_norm, feed_forward_norm):
    attended = attention_norm(hidden_states + self_attention(hidden_states))
    return feed_forward_norm(hidden_states + attended + feed_forward(attended))


@answer(
    "encoder.encoder_layer",
    "likeness:calls",
    "Your second call of `self_attention` (it receives what `feed_forward_norm` returned) is one too",
)
def layer_twice(hidden_states, self_attention, feed_forward, attention_norm, feed_forward_norm):
    for _ in range(2):
        hidden_states = attention_norm(hidden_states + self_attention(hidden_states))
        hidden_states = feed_forward_norm(hidden_states + feed_forward(hidden_states))
    return hidden_states


@answer("encoder.run_layers", "type", "Where all_states belongs you return a list; a tensor is wanted.")
def run_list(hidden_states, layers):
    states = [hidden_states]
    for layer in layers:
        states.append(layer(states[-1]))
    return states[-1], states


@answer(
    "encoder.run_layers",
    "swapped",
    "Both results are right, but in the wrong order; wanted is `return output, all_states`.",
)
def run_swapped(hidden_states, layers):
    states = [hidden_states]
    for layer in layers:
        states.append(layer(states[-1]))
    return torch.stack(states), states[-1]


@answer(
    "encoder.run_layers", "type", "You return one tensor, and it is the right output; this exercise wants 2: `return"
)
def run_output(hidden_states, layers):
    for layer in layers:
        hidden_states = layer(hidden_states)
    return hidden_states


@answer(
    "encoder.run_layers",
    "shape:calls",
    "Your function never calls `layers[1]`; a right solution does, with what `layers[0]`",
)
def run_first_only(hidden_states, layers):
    states = [hidden_states, layers[0](hidden_states)]
    return states[-1], torch.stack(states)


@answer(
    "encoder.run_layers",
    "shape:calls",
    "In the case shown: your call of `layers[1]` receives `hidden_states`, where a right solution gives it",
)
def run_skipped(hidden_states, layers):
    states = [hidden_states]
    for layer in layers[1:]:
        states.append(layer(states[-1]))
    return states[-1], torch.stack(states)


@answer(
    "encoder.run_layers",
    "likeness:same",
    "In your all_states every entry along the states axis is the same; the first is right,",
)
def run_input_twice(hidden_states, layers):
    states = [hidden_states]
    for layer in layers:
        hidden_states = layer(hidden_states)
        states.append(states[0])
    return hidden_states, torch.stack(states)


@answer(
    "encoder.dropout",
    "unsteady",
    "Your function gives another result each time it is called with the same input. Is there",
)
def dropout_random(hidden_states, uniform, probability, training):
    return F.dropout(hidden_states, probability, training)


@answer(
    "encoder.dropout",
    "likeness:not_zero",
    "Right with a model in use, but not with a model in training. Where the target is 0,",
)
def dropout_uniform(hidden_states, uniform, probability, training):
    return hidden_states * uniform if training else hidden_states


@answer(
    "encoder.dropout",
    "shape:shape",
    "Right with a model in use, but not with a model in training. The shape of your output",
)
def dropout_removed(hidden_states, uniform, probability, training):
    return hidden_states[uniform >= probability] / (1 - probability) if training else hidden_states


@answer(
    "encoder.dropout",
    "likeness:unused",
    "Right with a model in use, but not with a model in training. Nothing in your output",
)
def dropout_mask(hidden_states, uniform, probability, training):
    return (uniform >= probability).float() / (1 - probability) if training else hidden_states


@answer(  # noqa: RET503
    "encoder.dropout",
    "nothing",
    "Your function ran to its end, but it returned nothing (None). It does so with a model",
)
def dropout_none(hidden_states, uniform, probability, training):
    if training:
        return hidden_states * (uniform >= probability) / (1 - probability)


@answer(
    "encoder.dropout",
    "mutated",
    "Your function changes its input: `hidden_states` held other numbers afterwards. The code",
)
def dropout_in_place(hidden_states, uniform, probability, training):
    if training:
        hidden_states[uniform < probability] = 0
        return hidden_states / (1 - probability)
    return hidden_states


@answer(
    "encoder.dropout",
    "likeness:not_zero",
    "Right with a model in use, but not with a model in training. Where the target is 0, yours should be 0",
)
def dropout_constant(hidden_states, uniform, probability, training):
    return hidden_states * (uniform >= 0.1) / 0.9 if training else hidden_states


@answer(
    "encoder.classify",
    "crash",
    "The two do not fit for a matrix product: `hidden_states.mean(-1)` is (3, 5), `weight` is (11, 7),",
)
def classify_over_features(hidden_states, attention_mask, weight, bias):
    return hidden_states.mean(-1) @ weight + bias


@answer(
    "encoder.classify",
    "crash",
    "Two shapes do not fit each other: one has 11 and the other 5 where they should be equal",
)
def classify_no_axis(hidden_states, attention_mask, weight, bias):
    mean = (hidden_states * attention_mask).sum(1) / attention_mask.sum(1)
    return mean @ weight + bias


@answer(
    "encoder.classify",
    "shape:shape",
    "The shape of your logits is (3,); wanted is (3, 7) (batch × labels). That is 1 axis too",
)
def classify_label(hidden_states, attention_mask, weight, bias):
    real = attention_mask[..., None]
    return ((hidden_states * real).sum(1) / real.sum(1) @ weight + bias).argmax(-1)


@answer(
    "encoder.classify",
    "likeness:stage",
    "The means are right: your variable `mean` holds them. In the end none of your variables holds",
)
def classify_tanh(hidden_states, attention_mask, weight, bias):
    real = attention_mask[..., None]
    mean = (hidden_states * real).sum(1) / real.sum(1)
    return mean.tanh() @ weight + bias


@answer(
    "encoder.classify",
    "shape:ones",
    "Your numbers are right, but there is an axis of length 1 too many: yours is (3, 1, 7),",
)
def classify_kept(hidden_states, attention_mask, weight, bias):
    real = attention_mask[..., None]
    mean = (hidden_states * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)
    return mean @ weight + bias


@answer(
    "encoder.best_span", "swapped", "Both results are right, but in the wrong order; wanted is `return start, end`."
)
def span_reversed(start_scores, end_scores, max_length):
    sums = start_scores[:, :, None] + end_scores[:, None, :]
    n = sums.shape[-1]
    legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
    best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
    return best % n, best // n


@answer(
    "encoder.best_span", "type", "You return one tensor of shape (7, 2); this exercise wants 2: `return start, end`."
)
def span_stacked(start_scores, end_scores, max_length):
    sums = start_scores[:, :, None] + end_scores[:, None, :]
    n = sums.shape[-1]
    legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
    best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
    return torch.stack([best // n, best % n], dim=1)


@answer(
    "encoder.best_span", "dtype", "In your start there are numbers with a fraction (float32); wanted are whole numbers"
)
def span_float(start_scores, end_scores, max_length):
    sums = start_scores[:, :, None] + end_scores[:, None, :]
    n = sums.shape[-1]
    legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
    best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
    return best / n, best % n


@answer(
    "encoder.best_span",
    "part:start_first",
    "Your start is right with one text and with texts of one word, but not with a batch of texts, with one word at "
    "most, with long texts or with texts shorter than max_length.",
)
def span_clamped(start_scores, end_scores, max_length):
    start = start_scores.argmax(1)
    end = end_scores.argmax(1)
    return start, torch.maximum(start, torch.minimum(end, start + max_length - 1))


@answer(
    "encoder.best_span", "shape:shape", "The shape of your start is (); wanted is (7,) (batch). That is 1 axis too few."
)
def span_whole_batch(start_scores, end_scores, max_length):
    sums = start_scores[:, :, None] + end_scores[:, None, :]
    n = sums.shape[-1]
    legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
    best = sums.masked_fill(~legal, -math.inf).flatten().argmax()
    return best // n, best % n


@answer(
    "encoder.best_span", "dtype", "In your start there are numbers with a fraction (float32); wanted are whole numbers"
)
def span_scores(start_scores, end_scores, max_length):
    return start_scores.amax(1), end_scores.amax(1)


@answer(
    "encoder.mask_words",
    "swapped",
    "Both results are right, but in the wrong order; wanted is `return masked_ids, labels`.",
)
def mask_swapped(input_ids, attention_mask, choice, action, random_ids, mask_id):
    chosen = (choice < 0.15) & (attention_mask == 1)
    labels = input_ids.masked_fill(~chosen, -100)
    masked = input_ids.masked_fill(chosen & (action < 0.8), mask_id)
    return labels, torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked)


@answer(
    "encoder.mask_words",
    "crash",
    "`and` wants one True or False on each side, but `choice < 0.15` holds 115; `&` goes cell by cell",
)
def mask_and(input_ids, attention_mask, choice, action, random_ids, mask_id):
    chosen = choice < 0.15 and attention_mask == 1
    return input_ids.masked_fill(chosen, mask_id), input_ids.masked_fill(~chosen, -100)


@answer(
    "encoder.mask_words",
    "mistake:none_exchanged",
    "What you return is not right either: The right words are hidden, and the other",
)
def mask_in_place(input_ids, attention_mask, choice, action, random_ids, mask_id):
    chosen = (choice < 0.15) & (attention_mask == 1)
    labels = input_ids.masked_fill(~chosen, -100)
    input_ids[chosen & (action < 0.8)] = mask_id
    return input_ids, labels


@answer(
    "encoder.mask_words",
    "dtype",
    "In your labels there are numbers with a fraction (float32); wanted are whole numbers",
)
def mask_float(input_ids, attention_mask, choice, action, random_ids, mask_id):
    chosen = (choice < 0.15) & (attention_mask == 1)
    labels = input_ids.float().masked_fill(~chosen, float("nan"))
    masked = input_ids.masked_fill(chosen & (action < 0.8), mask_id)
    return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels


@answer(
    "encoder.mask_words",
    "likeness:stage",
    "You are right up to the chosen words: your variable `chosen` holds them. In the end none of",
)
def mask_share(input_ids, attention_mask, choice, action, random_ids, mask_id):
    chosen = (choice < 0.15) & (attention_mask == 1)
    labels = input_ids.masked_fill(~chosen, -100)
    masked = input_ids.masked_fill(chosen & (action < 0.5), mask_id)
    return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels


@answer(
    "encoder.mask_words",
    "likeness:stage",
    "Right with one text, with texts of one word and with ids that happen to be equal, but not with padded texts. You "
    "are right up to the chosen words",
)
def mask_padding_hidden(input_ids, attention_mask, choice, action, random_ids, mask_id):
    chosen = (choice < 0.15) & (attention_mask == 1)
    labels = input_ids.masked_fill(~chosen, -100)
    masked = input_ids.masked_fill((choice < 0.15) & (action < 0.8), mask_id)
    return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels


@answer(
    "encoder.repair_positions",
    "shape:transposed",
    "Your numbers are right, but the last two axes are swapped: there is one row per",
)
def positions_turned(input_ids, token_table, position_table):
    return (token_table[input_ids] + position_table[: input_ids.shape[1]]).transpose(1, 2)


@answer(
    "encoder.repair_positions",
    "shape:transposed",
    "Your numbers are right, but the axes are in another order: position × batch × d_model.",
)
def positions_transposed(input_ids, token_table, position_table):
    return token_table[input_ids.T] + position_table[torch.arange(input_ids.shape[1])][:, None]


@answer(
    "encoder.repair_positions",
    "likeness:inputs",
    "Your vectors are exactly what comes out when `position_table` counts half.",
)
def positions_waves(input_ids, token_table, position_table):
    positions = torch.arange(input_ids.shape[1])
    return token_table[input_ids] + position_table[positions] / 2


@answer(
    "encoder.repair_positions",
    "crash",
    "Two shapes do not fit each other: one has 7 and the other 3 where they should be equal",
)
def positions_axis(input_ids, token_table, position_table):
    positions = torch.arange(input_ids.shape[1])
    return token_table[input_ids] + position_table[positions][:, None]


@answer(
    "encoder.repair_norm",
    "likeness:calls",
    "Your function never calls `feed_forward_norm`; a right solution does, with",
)
def repaired_half(hidden_states, self_attention, feed_forward, attention_norm, feed_forward_norm):
    return hidden_states + self_attention(attention_norm(hidden_states))
