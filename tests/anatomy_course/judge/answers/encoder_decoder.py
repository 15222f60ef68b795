"""Wrong answers to the exercises of notebook 05 that are in no catalogue."""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from answers import answer


@answer(
    "encoder_decoder.attend_to_memory",
    "crash",
    "`scores` is (2, 3, 7, 11) and `attention_mask == 0` is (2, 11)",
)
def memory_no_axes(query, key, value, attention_mask):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return scores.masked_fill(attention_mask == 0, -math.inf).softmax(dim=-1) @ value


@answer(
    "encoder_decoder.attend_to_memory",
    "likeness:inputs",
    "Your context is exactly what comes out when `query` is divided by the root of the",
)
def memory_d_model(query, key, value, attention_mask):
    scores = query @ key.transpose(-2, -1) / (query.shape[1] * query.shape[-1]) ** 0.5
    return scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf).softmax(dim=-1) @ value


@answer(
    "encoder_decoder.attend_to_memory",
    "shape:shape",
    "The shape of your context is (2, 7, 15); wanted is (2, 3, 7, 5) (batch × heads ×",
)
def memory_merged(query, key, value, attention_mask):
    mask = attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2).flatten(2)


@answer("encoder_decoder.attend_to_memory", "type", "You return 2 tensors; this exercise wants one.")
def memory_weights_too(query, key, value, attention_mask):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf).softmax(dim=-1)
    return weights @ value, weights


@answer(
    "encoder_decoder.attend_to_memory",
    "nan",
    "In your context there is ∞ everywhere with padded texts; with one text it is right.",
)
def memory_values_hidden(query, key, value, attention_mask):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return scores.softmax(dim=-1) @ value.masked_fill(attention_mask[:, None, :, None] == 0, -math.inf)


@answer(
    "encoder_decoder.decoder_layer",
    "crash",
    "Two shapes do not fit each other: one has 5 and the other 11 where they should be",
)
def layer_memory_asks(hidden_states, memory, self_attention, cross_attention, feed_forward, n1, n2, n3):
    hidden_states = hidden_states + self_attention(n1(hidden_states))
    hidden_states = hidden_states + cross_attention(memory, n2(hidden_states))
    return hidden_states + feed_forward(n3(hidden_states))


@answer(
    "encoder_decoder.decoder_layer",
    "likeness:calls",
    "Your call of `feed_forward` receives `hidden_states` plus what `self_attention` returned plus what",
)
def layer_last_norm(hidden_states, memory, self_attention, cross_attention, feed_forward, n1, n2, n3):
    hidden_states = hidden_states + self_attention(n1(hidden_states))
    hidden_states = hidden_states + cross_attention(n2(hidden_states), memory)
    return n3(hidden_states + feed_forward(hidden_states))


@answer(
    "encoder_decoder.decoder_layer",
    "mutated",
    "Your function changes its input: `hidden_states` held other numbers afterwards.",
)
def layer_in_place(hidden_states, memory, self_attention, cross_attention, feed_forward, n1, n2, n3):
    hidden_states += self_attention(n1(hidden_states))
    hidden_states += cross_attention(n2(hidden_states), memory)
    return hidden_states + feed_forward(n3(hidden_states))


@answer(
    "encoder_decoder.decoder_inputs",
    "mistake:zero_for_padding",
    "The shift is right, but padding has become 0; the id for it is given as `pad_id`.",
)
def inputs_minus_one(labels, start_id, pad_id):
    shifted = labels.roll(1, dims=1)
    shifted[:, 0] = start_id
    return shifted.clamp(min=0)


@answer(
    "encoder_decoder.decoder_inputs",
    "mutated",
    "Your function changes its input: `labels` held other numbers afterwards. The code",
)
def inputs_in_place(labels, start_id, pad_id):
    labels[:, 1:] = labels[:, :-1].clone()
    labels[:, 0] = start_id
    return labels.masked_fill(labels == -100, pad_id)


@answer("encoder_decoder.decoder_inputs", "crash", "TypeError: expected Tensor as element 0 in argument 0, but got int")
def inputs_number(labels, start_id, pad_id):
    return torch.cat([start_id, labels[:, :-1]], dim=1).masked_fill(labels == -100, pad_id)


@answer(
    "encoder_decoder.decoder_inputs",
    "shape:entries",
    "Your numbers are right, but along the position axis the first one is missing: yours",
)
def inputs_cut(labels, start_id, pad_id):
    return labels[:, :-1].masked_fill(labels[:, :-1] == -100, pad_id)


@answer(
    "encoder_decoder.decoder_inputs",
    "mistake:without_stop",
    "The shift is right, but the stop token has become padding. Leave it: it is read like any",
)
def inputs_late_mask(labels, start_id, pad_id):
    shifted = torch.cat([torch.full_like(labels[:, :1], start_id), labels[:, :-1]], dim=1)
    return shifted.masked_fill(labels == -100, pad_id)


@answer(
    "encoder_decoder.smoothed_cross_entropy",
    "crash",
    "Among the indices is -100, and gather takes 0 to 6 here: along axis 2 `losses` holds 7.",
)
def smooth_no_mask(logits, labels, epsilon):
    losses = -logits.log_softmax(dim=-1)
    right = losses.gather(-1, labels[..., None])[..., 0]
    return ((1 - epsilon) * right + epsilon * losses.mean(dim=-1)).mean()


@answer(
    "encoder_decoder.smoothed_cross_entropy",
    "crash",
    "torch's cross_entropy takes axis 1 for the classes, so it wanted labels of shape (2,",
)
def smooth_axis(logits, labels, epsilon):
    return F.cross_entropy(logits, labels, label_smoothing=epsilon)


@answer(
    "encoder_decoder.smoothed_cross_entropy",
    "shape:shape",
    "The shape of your loss is (10,); wanted is (). That is 1 axis too many.",
)
def smooth_each(logits, labels, epsilon):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=epsilon, reduction="none")


@answer("encoder_decoder.smoothed_cross_entropy", "type", "You return a plain float; a tensor is wanted.")
def smooth_number(logits, labels, epsilon):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=epsilon).item()


@answer(
    "encoder_decoder.smoothed_cross_entropy",
    "likeness:cell",
    "Right in 1 of 6 cases. In the others: Your loss is not the target, in a way that",
)
def smooth_default(logits, labels, epsilon):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)


@answer(
    "encoder_decoder.learning_rates",
    "crash",
    "This is Python's `min`, which compares with one `<`, but a tensor holds many numbers; what works on",
)
def rates_python(steps, d_model, warmup):
    return d_model**-0.5 * min(steps**-0.5, steps * warmup**-1.5)


@answer("encoder_decoder.learning_rates", "likeness:factor", "In your rates every number is the target's times 2.")
def rates_two(steps, d_model, warmup):
    return 2 * d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)


@answer(
    "encoder_decoder.learning_rates",
    "likeness:unused",
    "Right with a short warm-up and with a single step, but not with a wider model. Nothing in your rates",
)
def rates_sorted(steps, d_model, warmup):
    steps = torch.arange(1, len(steps) + 1)
    return d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)


@answer(
    "encoder_decoder.learning_rates",
    "shape:shape",
    "The shape of your rates is (); wanted is (17,) (step). That is 1 axis too few.",
)
def rates_smallest(steps, d_model, warmup):
    return d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5).min()


@answer(
    "encoder_decoder.translate",
    "crash",
    "A tensor with many numbers cannot be turned into a single one; math.exp, math.sqrt",
)
def translate_item(next_logits, memory, start_id, stop_id, pad_id, max_new_tokens):
    ids = torch.full((len(memory), 1), start_id)
    for _ in range(max_new_tokens):
        new_ids = next_logits(ids, memory).argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new_ids], dim=1)
        if new_ids.item() == stop_id:
            break
    return ids


@answer(
    "encoder_decoder.translate",
    "shape:calls",
    "In the case shown: your fourth call of `next_logits` receives as its first argument",
)
def translate_forever(next_logits, memory, start_id, stop_id, pad_id, max_new_tokens):
    ids = torch.full((len(memory), 1), start_id)
    while not (ids == stop_id).any(dim=1).all():
        ids = torch.cat([ids, next_logits(ids, memory).argmax(dim=-1, keepdim=True)], dim=1)
    return ids


@answer(
    "encoder_decoder.translate",
    "crash",
    "Tensors that are joined must have equally many axes; here one has 2 and the other 1.",
)
def translate_flat(next_logits, memory, start_id, stop_id, pad_id, max_new_tokens):
    ids = torch.full((len(memory), 1), start_id)
    for _ in range(max_new_tokens):
        ids = torch.cat([ids, next_logits(ids, memory).argmax(dim=-1)], dim=1)
    return ids


@answer(
    "encoder_decoder.translate",
    "crash",
    "Joined along axis 1, tensors must be equally long along all others; here 1 meets 3.",
)
def translate_one_start(next_logits, memory, start_id, stop_id, pad_id, max_new_tokens):
    ids = torch.tensor([[start_id]])
    for _ in range(max_new_tokens):
        ids = torch.cat([ids, next_logits(ids, memory).argmax(dim=-1, keepdim=True)], dim=1)
    return ids


@answer(
    "encoder_decoder.beam_step", "type", "You return a list of 3 tensors; a tuple is wanted: `return log_probabilities,"
)
def beams_list(log_probabilities, next_log_probabilities):
    sums = log_probabilities[:, None] + next_log_probabilities
    best = sums.flatten().topk(len(log_probabilities))
    return [best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]]


@answer(
    "encoder_decoder.beam_step",
    "crash",
    "Two shapes do not fit each other: one has 3 and the other 7 where they should be",
)
def beams_no_axis(log_probabilities, next_log_probabilities):
    sums = log_probabilities + next_log_probabilities
    best = sums.flatten().topk(len(log_probabilities))
    return best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]


@answer(
    "encoder_decoder.beam_step",
    "dtype",
    "In your parents there are numbers with a fraction (float32); wanted are whole",
)
def beams_true_division(log_probabilities, next_log_probabilities):
    sums = log_probabilities[:, None] + next_log_probabilities
    best = sums.flatten().topk(len(log_probabilities))
    return best.values, best.indices / sums.shape[1], best.indices % sums.shape[1]


@answer(
    "encoder_decoder.beam_step",
    "likeness:factor",
    "In your log_probabilities every number is the target's times 0.5.",
)
def beams_averaged(log_probabilities, next_log_probabilities):
    sums = (log_probabilities[:, None] + next_log_probabilities) / 2
    best = sums.flatten().topk(len(log_probabilities))
    return best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]


@answer(
    "encoder_decoder.beam_step",
    "shape:shape",
    "The shape of your log_probabilities is (3, 3); wanted is (3,) (beams). That is 1",
)
def beams_rows(log_probabilities, next_log_probabilities):
    sums = log_probabilities[:, None] + next_log_probabilities
    best = sums.topk(len(log_probabilities))
    return best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]


@answer(
    "encoder_decoder.repair",
    "dtype",
    "In your mask there are numbers with a fraction (float32); wanted are True and False",
)
def repaired_additive(attention_mask):
    return (1.0 - attention_mask)[:, None, None, :] * -1e9


@answer(
    "encoder_decoder.repair", "dtype", "The numbers are right, but not their type: in your mask there are whole numbers"
)
def repaired_whole_numbers(attention_mask):
    return attention_mask[:, None, None, :]


@answer(
    "encoder_decoder.repair",
    "shape:ones",
    "Your numbers are right, but an axis of length 1 is missing: yours is (3, 1, 7), the",
)
def repaired_one_axis(attention_mask):
    return (attention_mask == 1)[:, None, :]


@answer(
    "encoder_decoder.repair",
    "shape:shape",
    "The shape of your mask is (3, 1, 7, 7); wanted is (3, 1, 1, 7) (batch × head × query",
)
def repaired_square(attention_mask):
    return (attention_mask[:, :, None] * attention_mask[:, None, :]).bool()[:, None]


@answer(
    "encoder_decoder.repair",
    "likeness:same",
    "Right with one text, but not with padded texts or with padding on either side. In your",
)
def repaired_shortest(attention_mask):
    positions = torch.arange(attention_mask.shape[1])
    return (positions < attention_mask.sum(dim=1).min())[None, None, None, :].expand(len(attention_mask), 1, 1, -1)
