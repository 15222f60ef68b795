"""Wrong answers to the exercises of notebook 04 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers(
    "decoder.batch_of",
    """
    batch_as_list:
        longest = max(map(len, texts))
        inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
        labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]
        return [torch.tensor(inputs), torch.tensor(labels)]
        “type | You return a list of 2 tensors; a tuple is wanted: `return inputs, labels`.”
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
    batch_in_place:
        longest = max(map(len, texts))
        for text in texts:
            text += [pad_id] * (longest - len(text))
        ids = torch.tensor(texts)
        return ids[:, :-1], ids[:, 1:].masked_fill(ids[:, 1:] == pad_id, -100)
        “mistake:padded_then_cut | Your short texts keep their last token among what is read”
    batch_too_wide:
        longest = max(map(len, texts))
        inputs = [text[:-1] + [pad_id] * (longest - len(text) + 1) for text in texts]
        labels = [text[1:] + [-100] * (longest - len(text) + 1) for text in texts]
        return torch.tensor(inputs), torch.tensor(labels)
        “shape:entries | Your result begins with the target, but goes on along the position axis:”
    batch_of_tensors: torch.tensor(texts)[:, :-1], torch.tensor(texts)[:, 1:]
        “crash | ValueError: expected sequence of length 3 at dim 1 (got 4)”
    """,
)

answers(
    "decoder.cross_entropy",
    """
    loss_no_mask: F.cross_entropy(logits, labels)
        “crash | torch's cross_entropy takes axis 1 for the classes, so it wanted labels of shape (2,”
    loss_gather: -logits.log_softmax(dim=-1).gather(-1, labels[..., None]).mean()
        “crash | Among the indices is -100, and gather takes 0 to 6 here: along axis 2 `logits.log_softmax(dim=-1)`”
    loss_each: F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
        “shape:shape | The shape of your cross-entropy is (10,); wanted is (). That is 1 axis too many.”
    loss_smoothed: F.cross_entropy(logits.mT, labels, label_smoothing=0.1)
        “likeness:cell | Your cross-entropy is not the target, in a way that this check does not recognize: you have”
    loss_number: F.cross_entropy(logits.mT, labels).item()
        “type | You return a plain float; a tensor is wanted.”
    loss_exp: F.cross_entropy(logits.mT, labels).exp()
        “mistake:perplexity | Yours is e to the power of the loss: that is the perplexity.”
    """,
)

answers(
    "decoder.perplexity",
    """
    perplexity_each: (1 / probabilities) * attention_mask
        “shape:shape | The shape of your perplexity is (2, 5); wanted is (). That is 2 axes too many.”
    perplexity_nan: (-(probabilities * attention_mask).log()).mean().exp()
        “nan | In your perplexity there is ∞ everywhere with padded texts; with one text and with texts of one word it
        is”
    perplexity_base_ten: 10 ** (-probabilities[attention_mask == 1].log().mean())
        “likeness:power | Your perplexity is the target to the power of 2.3 (log 10).”
    perplexity_math: math.exp(-probabilities[attention_mask == 1].log().mean())
        “type | You return a plain float; a tensor is wanted.”
    """,
)

answers(
    "decoder.vocabulary_logits",
    """
    logits_untransposed: hidden_states @ token_table
        “crash | With the last two axes of `token_table` swapped, your”
    logits_turned: token_table @ hidden_states.transpose(-2, -1)
        “shape:transposed | Your numbers are right, but the last two axes are swapped: there is one row”
    logits_negative: -(hidden_states @ token_table.T)
        “likeness:sign | In your logits every sign is flipped: where the target has +, you have −, and”
    logits_mean: hidden_states @ token_table.T / hidden_states.shape[-1]
        “likeness:size_factor | In your logits every number is the target's divided by d_model.”
    logits_table_unit: hidden_states @ F.normalize(token_table, dim=-1).T
        “likeness:inputs | Your logits are exactly what comes out when each vector in `token_table` is first”
    """,
)

answers(
    "decoder.next_probabilities",
    """
    temperature_added: (logits + temperature).softmax(dim=-1)
        “mistake:ignored | Yours are the probabilities at temperature 1; the one that is given plays no part.”
    temperature_squared: (logits / temperature**2).softmax(dim=-1)
        “likeness:temperature | Each row of your probabilities sums to 1, but the weights are not those of the”
    temperature_powers: logits.softmax(dim=-1) ** (1 / temperature)
        “likeness:row_factor | Within each row the proportions of your probabilities are right, but the rows do not”
    temperature_argmax: (logits / temperature).argmax(dim=-1)
        “shape:shape | The shape of your probabilities is (11,); wanted is (11, 5) (batch × vocab_size).”
    """,
)

answers(
    "decoder.top_k",
    """
    top_k_minus_large: logits.masked_fill(logits < logits.topk(k).values[:, -1:], -100.0)
        “likeness:cut_off | Your logits are the target, but everything below −100 is cut off.”
    top_k_no_axis: logits.masked_fill(logits < logits.topk(k).values[:, -1], -math.inf)
        “crash | Two shapes do not fit each other: one has 7 and the other 5 where they should be”
    top_k_tuple: logits.topk(k)
        “type | You return 2 tensors; this exercise wants one.”
    top_k_in_place:
        logits[logits < logits.topk(k).values[:, -1:]] = -math.inf
        return logits
        “mutated | Your function changes its input: `logits` held other numbers afterwards. The code”
    top_k_truths: logits >= logits.topk(k).values[:, -1:]
        “dtype | In your logits there are True and False (bool); wanted are numbers with a fraction”
    """,
)

answers(
    "decoder.top_p",
    """
    top_p_ascending:
        best, order = logits.sort(dim=-1)
        probabilities = best.softmax(dim=-1)
        dropped = probabilities.cumsum(dim=-1) > p
        return logits.masked_fill(dropped.scatter(-1, order, dropped), -math.inf)
        “likeness:stage | In the end none of your variables holds the probabilities. With the probabilities as the”
    top_p_gathered:
        best, order = logits.sort(dim=-1, descending=True)
        probabilities = best.softmax(dim=-1)
        dropped = probabilities.cumsum(dim=-1) - probabilities >= p
        return logits.masked_fill(dropped.gather(-1, order), -math.inf)
        “mistake:gathered | As many tokens as wanted are kept, but the wrong ones: your mask is sorted”
    top_p_logit_sums:
        best, order = logits.sort(dim=-1, descending=True)
        dropped = best.cumsum(dim=-1) >= p
        return logits.masked_fill(dropped.scatter(-1, order, dropped), -math.inf)
        “likeness:cell | 53 of 86 cells of your logits differ from the target, in a way that this check does”
    top_p_scattered_values:
        best, order = logits.sort(dim=-1, descending=True)
        probabilities = best.softmax(dim=-1)
        dropped = probabilities.cumsum(dim=-1) - probabilities >= p
        return best.masked_fill(dropped, -math.inf)[order]
        “crash | Index 9 is beyond the end of axis 0, which holds 3 (0 to 2): `best.masked_fill(dropped, -math.inf)`”
    """,
)

answers(
    "decoder.repetition_penalty",
    """
    penalty_where_all:
        seen = logits.gather(1, input_ids)
        return torch.where(seen > 0, seen / penalty, seen * penalty).scatter(1, input_ids, seen)
        “crash | Among the indices is 8, and scatter takes 0 to 4 here: along axis 1 `torch.where(seen > 0, seen /”
    penalty_squared:
        seen = logits.gather(1, input_ids)
        return logits.scatter(1, input_ids, torch.where(seen > 0, seen / penalty**2, seen * penalty**2))
        “likeness:stage | You are right up to the logits of the text's tokens: your variable `seen` holds”
    penalty_columns:
        logits = logits.clone()
        seen = logits[:, input_ids]
        logits[:, input_ids] = torch.where(seen > 0, seen / penalty, seen * penalty)
        return logits
        “mistake:all_rows | Each row of yours is punished for the other rows' words too.”
    penalty_in_place:
        seen = logits.gather(1, input_ids)
        return logits.scatter_(1, input_ids, torch.where(seen > 0, seen / penalty, seen * penalty))
        “mutated | Your function changes its input: `logits` held other numbers afterwards. The code”
    """,
)

answers(
    "decoder.write",
    """
    write_endless:
        ids = new_ids = prompt_ids
        while new_ids.item() != stop_id if new_ids.numel() == 1 else True:
            logits, cache = step(new_ids, cache)
            new_ids = logits.argmax(dim=-1, keepdim=True)
            ids = torch.cat([ids, new_ids], dim=1)
        return ids
        “shape:entries | Right with a text that ends by itself, with a text that ends with its first new”
    write_flat:
        ids = new_ids = prompt_ids
        for _ in range(max_new_tokens):
            logits, cache = step(new_ids, cache)
            new_ids = logits.argmax(dim=-1)
            ids = torch.cat([ids, new_ids], dim=1)
        return ids
        “crash | Tensors that are joined must have equally many axes; here one has 2 and the other 1.”
    write_list:
        ids, new_ids = prompt_ids[0].tolist(), prompt_ids
        for _ in range(max_new_tokens):
            logits, cache = step(new_ids, cache)
            new_ids = logits.argmax(dim=-1, keepdim=True)
            ids.append(new_ids.item())
            if ids[-1] == stop_id:
                break
        return ids
        “type | You return a list of 7; a tensor is wanted. torch.tensor makes one from it.”
    write_no_batch:
        ids, new_ids = prompt_ids[0].tolist(), prompt_ids
        for _ in range(max_new_tokens):
            logits, cache = step(new_ids, cache)
            new_ids = logits.argmax(dim=-1, keepdim=True)
            ids.append(new_ids.item())
            if ids[-1] == stop_id:
                break
        return torch.tensor(ids)
        “shape:ones | Your numbers are right, but an axis of length 1 is missing: yours is (7,), the”
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
    """,
)

answers(
    "decoder.attend_with_cache",
    """
    cached_wrong_axis:
        keys, values = torch.cat([past_keys, key], dim=1), torch.cat([past_values, value], dim=1)
        weights = (query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5).softmax(dim=-1)
        return weights @ values, keys, values
        “crash | Joined along axis 1, tensors must be equally long along all others; here 3 meets 1.”
    cached_is_causal:
        keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
        return F.scaled_dot_product_attention(query, keys, values, is_causal=True), keys, values
        “mistake:mask_from_the_start | Your cache is right, but your mask counts from the beginning: the first new
        position”
    cached_d_model:
        keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
        past, new = past_keys.shape[2], query.shape[2]
        mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)
        scores = query @ keys.transpose(-2, -1) / (query.shape[1] * query.shape[-1]) ** 0.5
        return scores.masked_fill(~mask, -math.inf).softmax(dim=-1) @ values, keys, values
        “likeness:inputs | Your context is exactly what comes out when `query` is divided by the root of the”
    cached_swapped:
        keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
        mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(past_keys.shape[2])
        context = F.scaled_dot_product_attention(query, keys, values, mask)
        return context, values, keys
        “mistake:cache_swapped | Your context is right, but keys and values are swapped in the cache that you return.”
    cached_context_only:
        keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
        mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(past_keys.shape[2])
        return F.scaled_dot_product_attention(query, keys, values, mask)
        “type | You return one tensor, and it is the right context; this exercise wants 3: `return”
    cached_query_remembered:
        keys, values = torch.cat([past_keys, query], dim=2), torch.cat([past_values, value], dim=2)
        mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(past_keys.shape[2])
        return F.scaled_dot_product_attention(query, keys, values, mask), keys, values
        “likeness:inputs | Your keys are exactly what comes out when `query` is used in place of `key`.”
    """,
)

answers(
    "decoder.share_heads",
    """
    share_once: vectors.repeat_interleave(vectors.shape[1], dim=1)
        “shape:shape | The shape of your vectors is”
    share_fixed: vectors.repeat_interleave(3, dim=1)
        “shape:shape | The shape of your vectors is”
    share_float: vectors.repeat_interleave(num_heads / vectors.shape[1], dim=1)
        “crash | A size or an index must be a whole number, and `/` makes one with a decimal point; `//`”
    share_zeros:
        out = vectors.new_zeros(len(vectors), num_heads, *vectors.shape[2:])
        out[:, : vectors.shape[1]] = vectors
        return out
        “likeness:entry | Your vectors are right in the first head, and wrong in the others.”
    share_scaled:
        g = num_heads // vectors.shape[1]
        return vectors.repeat_interleave(g, dim=1) / g
        “likeness:size_factor | In your vectors every number is the target's divided by the number of heads in a group.”
    share_reversed: vectors.flip(1).repeat_interleave(num_heads // vectors.shape[1], dim=1)
        “likeness:function | Your vectors are the target reversed along the heads axis.”
    share_last: vectors[:, -1:].expand(-1, num_heads, -1, -1)
        “likeness:cut | Your vectors are exactly what comes out when only the last kv_head counts.”
    share_expand: vectors.expand(-1, num_heads, -1, -1)
        “crash | expand repeats an axis of length”
    share_flat: vectors.repeat_interleave(num_heads // vectors.shape[1])
        “shape:shape | The shape of your vectors is”
    share_reshaped:
        b, k, p, d = vectors.shape
        g = num_heads // k
        return vectors[:, :, :, None].expand(b, k, p, g, d).reshape(b, num_heads, p, d)
        “likeness:cell | differ from the target”
    """,
)

answers(
    "decoder.rms_norm",
    """
    rms_divided_weight: hidden_states / (hidden_states.square().mean(dim=-1, keepdim=True) + epsilon).sqrt() / weight
        “likeness:row_factor | In your vectors each column is the target's column times a number of its own.”
    rms_no_axis: hidden_states / (hidden_states.square().mean(dim=-1) + epsilon).sqrt() * weight
        “crash | Two shapes do not fit each other: one has 5 and the other 3 where they should be”
    rms_own_epsilon: F.rms_norm(hidden_states, weight.shape, weight, 1e-6)
        “mistake:no_epsilon | Yours is the result without the given ε, which keeps a vector of”
    rms_absolute: hidden_states / (hidden_states.abs().mean(dim=-1, keepdim=True) + epsilon) * weight
        “likeness:row_factor | In your vectors each row is the target's row times a number of its own.”
    """,
)

answers(
    "decoder.gated_feed_forward",
    """
    gate_matmul: (activation(hidden_states @ gate_weight) @ (hidden_states @ expand_weight)) @ contract_weight
        “crash | The two do not fit for a matrix product: the last axis of the left has 13, the second”
    gate_relu: ((hidden_states @ gate_weight).relu() * (hidden_states @ expand_weight)) @ contract_weight
        “likeness:calls | Your function never calls `activation`; a right solution does.”
    gate_linear: F.linear(activation(hidden_states @ gate_weight) * (hidden_states @ expand_weight), contract_weight)
        “crash | The two do not fit for a matrix product: the left one is 21 × 13, the right one 5 ×”
    """,
)

answers(
    "decoder.repair",
    """
    repaired_triu: torch.ones(new, past + new, dtype=torch.bool).triu(past)
        “likeness:cell | 55 of 66 cells of your mask differ from the target, in a way that this check does”
    repaired_numbers: torch.ones(new, past + new).tril(past)
        “dtype | The numbers are right, but not their type: in your mask there are numbers with a”
    repaired_additive: torch.full((new, past + new), -math.inf).triu(past + 1)
        “dtype | In your mask there are numbers with a fraction (float32); wanted are True and False”
    repaired_turned: torch.ones(new, past + new, dtype=torch.bool).tril(past).T
        “shape:transposed | With a text with a past and with a single new position: Your numbers are right, but”
    """,
)
