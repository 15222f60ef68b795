"""Wrong answers to the exercises of notebook 05 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers(
    "encoder_decoder.attend_to_memory",
    """
    memory_no_axes:
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        return scores.masked_fill(attention_mask == 0, -math.inf).softmax(dim=-1) @ value
        “crash | `scores` is (2, 3, 7, 11) and `attention_mask == 0` is (2, 11)”
    memory_d_model:
        scores = query @ key.transpose(-2, -1) / (query.shape[1] * query.shape[-1]) ** 0.5
        return scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf).softmax(dim=-1) @ value
        “likeness:inputs | Your context is exactly what comes out when `query` is divided by the root of the”
    memory_merged:
        mask = attention_mask[:, None, None].bool()
        return F.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2).flatten(2)
        “shape:shape | The shape of your context is (2, 7, 15); wanted is (2, 3, 7, 5) (batch × heads ×”
    memory_weights_too:
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        weights = scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf).softmax(dim=-1)
        return weights @ value, weights
        “type | You return 2 tensors; this exercise wants one.”
    memory_values_hidden:
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        return scores.softmax(dim=-1) @ value.masked_fill(attention_mask[:, None, :, None] == 0, -math.inf)
        “nan | In your context there is ∞ everywhere with padded texts; with one text it is right.”
    """,
)

answers(
    "encoder_decoder.decoder_layer",
    """
    layer_memory_asks:
        hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))
        hidden_states = hidden_states + cross_attention(memory, cross_attention_norm(hidden_states))
        return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        “crash | Two shapes do not fit each other: one has 5 and the other 11 where they should be”
    layer_last_norm:
        hidden_states = hidden_states + self_attention(self_attention_norm(hidden_states))
        hidden_states = hidden_states + cross_attention(cross_attention_norm(hidden_states), memory)
        return feed_forward_norm(hidden_states + feed_forward(hidden_states))
        “likeness:calls | Your call of `feed_forward` receives `hidden_states` plus what `self_attention` returned plus
        what”
    layer_in_place:
        hidden_states += self_attention(self_attention_norm(hidden_states))
        hidden_states += cross_attention(cross_attention_norm(hidden_states), memory)
        return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        “mutated | Your function changes its input: `hidden_states` held other numbers afterwards.”
    """,
)

answers(
    "encoder_decoder.decoder_inputs",
    """
    inputs_minus_one:
        shifted = labels.roll(1, dims=1)
        shifted[:, 0] = start_id
        return shifted.clamp(min=0)
        “mistake:zero_for_padding | The shift is right, but padding has become 0; the id for it is given as `pad_id`.”
    inputs_in_place:
        labels[:, 1:] = labels[:, :-1].clone()
        labels[:, 0] = start_id
        return labels.masked_fill(labels == -100, pad_id)
        “mutated | Your function changes its input: `labels` held other numbers afterwards. The code”
    inputs_number: torch.cat([start_id, labels[:, :-1]], dim=1).masked_fill(labels == -100, pad_id)
        “crash | TypeError: expected Tensor as element 0 in argument 0, but got int”
    inputs_cut: labels[:, :-1].masked_fill(labels[:, :-1] == -100, pad_id)
        “shape:entries | Your numbers are right, but along the position axis the first one is missing: yours”
    inputs_late_mask:
        shifted = torch.cat([torch.full_like(labels[:, :1], start_id), labels[:, :-1]], dim=1)
        return shifted.masked_fill(labels == -100, pad_id)
        “mistake:without_stop | The shift is right, but the stop token has become padding. Leave it: it is read like
        any”
    """,
)

answers(
    "encoder_decoder.smoothed_cross_entropy",
    """
    smooth_no_mask:
        losses = -logits.log_softmax(dim=-1)
        right = losses.gather(-1, labels[..., None])[..., 0]
        return ((1 - epsilon) * right + epsilon * losses.mean(dim=-1)).mean()
        “crash | Among the indices is -100, and gather takes 0 to 6 here: along axis 2 `losses` holds 7.”
    smooth_axis: F.cross_entropy(logits, labels, label_smoothing=epsilon)
        “crash | torch's cross_entropy takes axis 1 for the classes, so it wanted labels of shape (2,”
    smooth_each: F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=epsilon, reduction="none")
        “shape:shape | The shape of your loss is (10,); wanted is (). That is 1 axis too many.”
    smooth_number: F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=epsilon).item()
        “type | You return a plain float; a tensor is wanted.”
    smooth_default: F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)
        “likeness:cell | Right in 1 of 6 cases. In the others: Your loss is not the target, in a way that”
    """,
)

answers(
    "encoder_decoder.learning_rates",
    """
    rates_python: d_model**-0.5 * min(steps**-0.5, steps * warmup**-1.5)
        “crash | This is Python's `min`, which compares with one `<`, but a tensor holds many numbers; what works on”
    rates_two: 2 * d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)
        “likeness:factor | In your rates every number is the target's times 2.”
    rates_sorted:
        steps = torch.arange(1, len(steps) + 1)
        return d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)
        “likeness:unused | Right with a short warm-up and with a single step, but not with a wider model. Nothing in
        your rates”
    rates_smallest: d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5).min()
        “shape:shape | The shape of your rates is (); wanted is (17,) (step). That is 1 axis too few.”
    """,
)

answers(
    "encoder_decoder.translate",
    """
    translate_item:
        ids = torch.full((len(memory), 1), start_id)
        for _ in range(max_new_tokens):
            new_ids = next_logits(ids, memory).argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids, new_ids], dim=1)
            if new_ids.item() == stop_id:
                break
        return ids
        “crash | A tensor with many numbers cannot be turned into a single one; math.exp, math.sqrt”
    translate_forever:
        ids = torch.full((len(memory), 1), start_id)
        while not (ids == stop_id).any(dim=1).all():
            ids = torch.cat([ids, next_logits(ids, memory).argmax(dim=-1, keepdim=True)], dim=1)
        return ids
        “shape:calls | In the case shown: your fourth call of `next_logits` receives as its first argument”
    translate_flat:
        ids = torch.full((len(memory), 1), start_id)
        for _ in range(max_new_tokens):
            ids = torch.cat([ids, next_logits(ids, memory).argmax(dim=-1)], dim=1)
        return ids
        “crash | Tensors that are joined must have equally many axes; here one has 2 and the other 1.”
    translate_one_start:
        ids = torch.tensor([[start_id]])
        for _ in range(max_new_tokens):
            ids = torch.cat([ids, next_logits(ids, memory).argmax(dim=-1, keepdim=True)], dim=1)
        return ids
        “crash | Joined along axis 1, tensors must be equally long along all others; here 1 meets 3.”
    """,
)

answers(
    "encoder_decoder.beam_step",
    """
    beams_list:
        sums = log_probabilities[:, None] + next_log_probabilities
        best = sums.flatten().topk(len(log_probabilities))
        return [best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]]
        “type | You return a list of 3 tensors; a tuple is wanted: `return log_probabilities,”
    beams_no_axis:
        sums = log_probabilities + next_log_probabilities
        best = sums.flatten().topk(len(log_probabilities))
        return best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]
        “crash | Two shapes do not fit each other: one has 3 and the other 7 where they should be”
    beams_true_division:
        sums = log_probabilities[:, None] + next_log_probabilities
        best = sums.flatten().topk(len(log_probabilities))
        return best.values, best.indices / sums.shape[1], best.indices % sums.shape[1]
        “dtype | In your parents there are numbers with a fraction (float32); wanted are whole”
    beams_averaged:
        sums = (log_probabilities[:, None] + next_log_probabilities) / 2
        best = sums.flatten().topk(len(log_probabilities))
        return best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]
        “likeness:factor | In your log_probabilities every number is the target's times 0.5.”
    beams_rows:
        sums = log_probabilities[:, None] + next_log_probabilities
        best = sums.topk(len(log_probabilities))
        return best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]
        “shape:shape | The shape of your log_probabilities is (3, 3); wanted is (3,) (beams). That is 1”
    """,
)

answers(
    "encoder_decoder.repair",
    """
    repaired_additive: (1.0 - attention_mask)[:, None, None, :] * -1e9
        “dtype | In your mask there are numbers with a fraction (float32); wanted are True and False”
    repaired_whole_numbers: attention_mask[:, None, None, :]
        “dtype | The numbers are right, but not their type: in your mask there are whole numbers”
    repaired_one_axis: (attention_mask == 1)[:, None, :]
        “shape:ones | Your numbers are right, but an axis of length 1 is missing: yours is (3, 1, 7), the”
    repaired_square: (attention_mask[:, :, None] * attention_mask[:, None, :]).bool()[:, None]
        “shape:shape | The shape of your mask is (3, 1, 7, 7); wanted is (3, 1, 1, 7) (batch × head × query”
    repaired_shortest:
        positions = torch.arange(attention_mask.shape[1])
        return (positions < attention_mask.sum(dim=1).min())[None, None, None, :].expand(len(attention_mask), 1, 1, -1)
        “likeness:same | Right with one text, but not with padded texts or with padding on either side. In your”
    """,
)
