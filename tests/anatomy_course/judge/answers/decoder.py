"""Wrong answers to the exercises of notebook 05 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers("""
decoder.batch_of
    batch_of_lists:
        longest = max(map(len, texts))
        inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
        labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]
        return inputs, labels
        “type | Where inputs belongs you return a list; a tensor is wanted.”
    batch_swapped:
        longest = max(map(len, texts))
        inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
        labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]
        return torch.tensor(labels), torch.tensor(inputs)
        “swapped | Both results are right, but in the wrong order; wanted is `return inputs,”
    batch_not_padded: torch.tensor([text[:-1] for text in texts]), torch.tensor([text[1:] for text in texts])
        “crash | ValueError: expected sequence of length 2 at dim 1 (got 3)”
    batch_minus_one:
        longest = max(map(len, texts))
        inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
        labels = [text[1:] + [-1] * (longest - len(text)) for text in texts]
        return torch.tensor(inputs), torch.tensor(labels)
        “likeness:cut_off | Right with one text, with texts of the same length and with texts of no”
    batch_too_wide:
        longest = max(map(len, texts))
        inputs = [text[:-1] + [pad_id] * (longest - len(text) + 1) for text in texts]
        labels = [text[1:] + [-100] * (longest - len(text) + 1) for text in texts]
        return torch.tensor(inputs), torch.tensor(labels)
        “shape:entries | Your result begins with the target, but goes on along the position axis:”

decoder.cross_entropy
    loss_no_mask: F.cross_entropy(logits, labels)
        “crash | torch's cross_entropy takes axis 1 for the classes, so it wanted labels of shape (2,”
    loss_each: F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
        “shape:shape | The shape of your cross-entropy is (10,); wanted is (). That is 1 axis too many.”
    loss_smoothed: F.cross_entropy(logits.mT, labels, label_smoothing=0.1)
        “likeness:cell | Your cross-entropy is not the target, in a way that this check does not recognize: you have”
    loss_exp: F.cross_entropy(logits.mT, labels).exp()
        “mistake:perplexity | Yours is e to the power of the loss: that is the perplexity.”
    in_bits: result / math.log(2)
        “likeness:factor | Your cross-entropy is the target times 1.44 (1/log 2).”
    negative: -result
        “likeness:sign | Your cross-entropy is the target with its sign flipped.”
    larger: result + 0.5
        “likeness:offset | Your cross-entropy is 0.5 too large, in each of these cases.”
    times_the_count: result * (labels != -100).sum()
        “likeness:amount_factor | the target times the number of entries that count in `labels`.”
    texts_alike_times_3:
        real = labels != -100
        losses = F.cross_entropy(logits.mT, labels, reduction="none")
        return 3 * (losses.sum(dim=1) / real.sum(dim=1)).mean()
        “likeness:texts_alike+factor | 2. Your cross-entropy is the first result times 3.”

decoder.top_k
    top_k_minus_large: logits.masked_fill(logits < logits.topk(k).values[:, -1:], -100.0)
        “likeness:cut_off | Your logits are the target, but everything below −100 is cut off.”
    top_k_tuple: logits.topk(k)
        “type | You return 2 tensors; this exercise wants one.”
    top_k_in_place:
        logits[logits < logits.topk(k).values[:, -1:]] = -math.inf
        return logits
        “mutated | Your function changes its input: `logits` held other numbers afterwards. The code”
    top_k_truths: logits >= logits.topk(k).values[:, -1:]
        “dtype | In your logits there are True and False (bool); wanted are numbers with a fraction”

decoder.top_p
    top_p_ascending:
        best, order = logits.sort(dim=-1)
        probabilities = best.softmax(dim=-1)
        dropped = probabilities.cumsum(dim=-1) > p
        return logits.masked_fill(dropped.scatter(-1, order, dropped), -math.inf)
        “likeness:stage | none of your variables holds the probabilities. Beside the right probabilities: your”

decoder.repetition_penalty
    penalty_where_all:
        seen = logits.gather(1, input_ids)
        return torch.where(seen > 0, seen / penalty, seen * penalty).scatter(1, input_ids, seen)
        “crash | Among the indices is 8, and scatter takes 0 to 4 here: along axis 1 `torch.where(seen > 0, seen /”
    penalty_squared:
        seen = logits.gather(1, input_ids)
        return logits.scatter(1, input_ids, torch.where(seen > 0, seen / penalty**2, seen * penalty**2))
        “likeness:stage | You are right up to the logits of the text's tokens: your variable `seen` holds”

decoder.write
    write_endless:
        ids = new_ids = prompt_ids
        while new_ids.item() != stop_id if new_ids.numel() == 1 else True:
            logits, cache = step(new_ids, cache)
            new_ids = logits.argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids, new_ids], dim=1)
        return ids
        “shape:entries | Right with a text that ends by itself, with a text that ends with its first new”
    write_early_return:
        ids = new_ids = prompt_ids
        for _ in range(max_new_tokens):
            logits, cache = step(new_ids, cache)
            new_ids = logits.argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids, new_ids], dim=1)
            break
        return ids
        “shape:calls | In the case shown: your function calls `step` once, a right solution 4 times.”
    write_one_value:
        ids = new_ids = prompt_ids
        for _ in range(max_new_tokens):
            logits = step(new_ids, cache)
            new_ids = logits.argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids, new_ids], dim=1)
        return ids
        “crash | A tuple has nothing called `argmax`.”

decoder.attend_with_cache
    cached_wrong_axis:
        keys, values = torch.cat([past_keys, key], dim=1), torch.cat([past_values, value], dim=1)
        weights = (query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5).softmax(dim=-1)
        return weights @ values, keys, values
        “crash | Joined along axis 1, tensors must be equally long along all others; here 3 meets 1.”
    cached_is_causal:
        keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
        return F.scaled_dot_product_attention(query, keys, values, is_causal=True), keys, values
        “mistake:mask_from_the_start | Your cache is right, but your mask counts from the beginning: the first new”

decoder.share_heads
    share_float: vectors.repeat_interleave(num_heads / vectors.shape[1], dim=1)
        “crash | A size or an index must be a whole number, and `/` makes one with a decimal point; `//`”
    share_reversed: vectors.flip(1).repeat_interleave(num_heads // vectors.shape[1], dim=1)
        “likeness:function | Your vectors are the target reversed along the heads axis.”
    share_last: vectors[:, -1:].expand(-1, num_heads, -1, -1)
        “likeness:cut | Your vectors are exactly what comes out when only the last kv_head counts.”
    share_expand: vectors.expand(-1, num_heads, -1, -1)
        “crash | expand repeats an axis of length”

decoder.rms_norm
    rms_divided_weight: hidden_states / (hidden_states.square().mean(dim=-1, keepdim=True) + epsilon).sqrt() / weight
        “likeness:row_factor | In your vectors each column is the target's column times a number of its own.”
    rms_absolute: hidden_states / (hidden_states.abs().mean(dim=-1, keepdim=True) + epsilon) * weight
        “likeness:row_factor | In your vectors each row is the target's row times a number of its own.”

decoder.gated_feed_forward
    gate_matmul: (activation(hidden_states @ gate_weight) @ (hidden_states @ expand_weight)) @ contract_weight
        “crash | The two do not fit for a matrix product: the last axis of the left has 13, the second”
    gate_relu: ((hidden_states @ gate_weight).relu() * (hidden_states @ expand_weight)) @ contract_weight
        “likeness:calls | Your function never calls `activation`; a right solution does.”

decoder.repair
    repaired_additive: torch.full((new, past + new), -math.inf).triu(past + 1)
        “dtype | In your mask there are numbers with a fraction (float32); wanted are True and False”
    repaired_turned: torch.ones(new, past + new, dtype=torch.bool).tril(past).T
        “shape:transposed | With a text with a past and with a single new position: Your numbers are right, but”

decoder.induction_heads
    largest_of_its_row:
        first, order = torch.randperm(vocab_size)[:30], torch.randperm(29)
        weights = run(torch.cat([first, first[:-1][order]]))
        return (weights[:, :, 30:].argmax(dim=-1) == order + 1).all(dim=-1)
        “mistake:less_than_half | give less than half of their weight”

decoder.induction
    note_with_faint_logits: free.T, token.T, 20 * logits ⇒ free.T, free.T, logits
        “mistake:previous_copied | Layer 1 finds the right position and copies its free features.”
""")
