"""Wrong answers to the exercises of notebook 06 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers("""
encoder_decoder.attend_to_memory
    memory_no_axes:
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        return scores.masked_fill(attention_mask == 0, -math.inf).softmax(dim=-1) @ value
        “crash | `scores` is (2, 3, 7, 11) and `attention_mask == 0` is (2, 11)”
    memory_d_model:
        scores = query @ key.transpose(-2, -1) / (query.shape[1] * query.shape[-1]) ** 0.5
        return scores.masked_fill(attention_mask[:, None, None] == 0, -math.inf).softmax(dim=-1) @ value
        “likeness:inputs | Your context is exactly what comes out when `query` is divided by the root of the”

encoder_decoder.decoder_layer
    layer_in_place:
        hidden_states += self_attention(self_attention_norm(hidden_states))
        hidden_states += cross_attention(cross_attention_norm(hidden_states), memory)
        return hidden_states + feed_forward(feed_forward_norm(hidden_states))
        “mutated | Your function changes its input: `hidden_states` held other numbers afterwards.”
    in_own_names:
        hidden_states ⇒ x
        cross_attention ⇒ ca
        self_attention ⇒ sa
        ca(ca_norm(x), memory) ⇒ ca(ca_norm(x), x)
        “likeness:calls | Your call of `ca` receives as its second argument `x` plus what `sa` returned, where a right”

encoder_decoder.decoder_inputs
    inputs_minus_one:
        shifted = labels.roll(1, dims=1)
        shifted[:, 0] = start_id
        return shifted.clamp(min=0)
        “mistake:zero_for_padding | The shift is right, but padding has become 0; the id for it is given as `pad_id`.”
    inputs_number: torch.cat([start_id, labels[:, :-1]], dim=1).masked_fill(labels == -100, pad_id)
        “crash | TypeError: expected Tensor as element 0 in argument 0, but got int”
    inputs_cut: labels[:, :-1].masked_fill(labels[:, :-1] == -100, pad_id)
        “shape:entries | Your numbers are right, but along the position axis the first one is missing: yours”

encoder_decoder.smoothed_cross_entropy
    smooth_default: F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1)
        “likeness:cell | Right in 1 of 6 cases. In the others: Your loss is not the target, in a way that”

encoder_decoder.learning_rates
    rates_two: 2 * d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)
        “likeness:factor | In your rates every number is the target's times 2.”
    rates_sorted:
        steps = torch.arange(1, len(steps) + 1)
        return d_model**-0.5 * torch.minimum(steps**-0.5, steps * warmup**-1.5)
        “likeness:unused | Right with a short warm-up and with a single step, but not with a wider model. Nothing in”

encoder_decoder.translate
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

encoder_decoder.beam_step
    beams_list:
        sums = log_probabilities[:, None] + next_log_probabilities
        best = sums.flatten().topk(len(log_probabilities))
        return [best.values, best.indices // sums.shape[1], best.indices % sums.shape[1]]
        “type | You return a list of 3 tensors; a tuple is wanted: `return log_probabilities,”

encoder_decoder.repair
    repaired_one_axis: (attention_mask == 1)[:, None, :]
        “shape:ones | Your numbers are right, but an axis of length 1 is missing: yours is (3, 1, 7), the”
    repaired_square: (attention_mask[:, :, None] * attention_mask[:, None, :]).bool()[:, None]
        “shape:shape | The shape of your mask is (3, 1, 7, 7); wanted is (3, 1, 1, 7) (batch × head × query”
    repaired_shortest:
        positions = torch.arange(attention_mask.shape[1])
        return (positions < attention_mask.sum(dim=1).min())[None, None, None, :].expand(len(attention_mask), 1, 1, -1)
        “likeness:same | Right with one text, but not with padded texts or with padding on either side. In your”
""")
