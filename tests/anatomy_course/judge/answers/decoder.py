"""Wrong answers to the exercises of notebook 04 that are in no catalogue."""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from answers import answer


@answer(
    "decoder.batch_of",
    "type",
    "You return a list of 2 tensors; a tuple is wanted: `return inputs, labels`.",
)
def batch_as_list(texts, pad_id):
    longest = max(map(len, texts))
    inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
    labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]
    return [torch.tensor(inputs), torch.tensor(labels)]


@answer(
    "decoder.batch_of",
    "type",
    "Where inputs belongs you return a list; a tensor is wanted.",
)
def batch_of_lists(texts, pad_id):
    longest = max(map(len, texts))
    inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
    labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]
    return inputs, labels


@answer(
    "decoder.batch_of",
    "swapped",
    "Both results are right, but in the wrong order; wanted is `return inputs,",
)
def batch_swapped(texts, pad_id):
    longest = max(map(len, texts))
    inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
    labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]
    return torch.tensor(labels), torch.tensor(inputs)


@answer(
    "decoder.batch_of",
    "crash",
    "ValueError: expected sequence of length 2 at dim 1 (got 3)",
)
def batch_not_padded(texts, pad_id):
    return torch.tensor([text[:-1] for text in texts]), torch.tensor([text[1:] for text in texts])


@answer(
    "decoder.batch_of",
    "likeness:cut_off",
    "Right with one text, with texts of the same length and with texts of no",
)
def batch_minus_one(texts, pad_id):
    longest = max(map(len, texts))
    inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]
    labels = [text[1:] + [-1] * (longest - len(text)) for text in texts]
    return torch.tensor(inputs), torch.tensor(labels)


@answer(
    "decoder.batch_of",
    "mistake:padded_then_cut",
    "Your short texts keep their last token among what is read",
)
def batch_in_place(texts, pad_id):
    longest = max(map(len, texts))
    for text in texts:
        text += [pad_id] * (longest - len(text))
    ids = torch.tensor(texts)
    return ids[:, :-1], ids[:, 1:].masked_fill(ids[:, 1:] == pad_id, -100)


@answer(
    "decoder.batch_of",
    "shape:entries",
    "Your result begins with the target, but goes on along the position axis:",
)
def batch_too_wide(texts, pad_id):
    longest = max(map(len, texts))
    inputs = [text[:-1] + [pad_id] * (longest - len(text) + 1) for text in texts]
    labels = [text[1:] + [-100] * (longest - len(text) + 1) for text in texts]
    return torch.tensor(inputs), torch.tensor(labels)


@answer(
    "decoder.batch_of",
    "crash",
    "ValueError: expected sequence of length 3 at dim 1 (got 4)",
)
def batch_of_tensors(texts, pad_id):
    return torch.tensor(texts)[:, :-1], torch.tensor(texts)[:, 1:]


@answer(
    "decoder.cross_entropy",
    "crash",
    "torch's cross_entropy takes axis 1 for the classes, so it wanted labels of shape (2,",
)
def loss_no_mask(logits, labels):
    return F.cross_entropy(logits, labels)


@answer(
    "decoder.cross_entropy",
    "crash",
    "Among the indices is -100, and gather takes 0 to 6 here: along axis 2 `logits.log_softmax(dim=-1)`",
)
def loss_gather(logits, labels):
    return -logits.log_softmax(dim=-1).gather(-1, labels[..., None]).mean()


@answer(
    "decoder.cross_entropy",
    "shape:shape",
    "The shape of your cross-entropy is (10,); wanted is (). That is 1 axis too many.",
)
def loss_each(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")


@answer(
    "decoder.cross_entropy",
    "likeness:cell",
    "Your cross-entropy is not the target, in a way that this check does not recognize: you have",
)
def loss_smoothed(logits, labels):
    return F.cross_entropy(logits.mT, labels, label_smoothing=0.1)


@answer("decoder.cross_entropy", "type", "You return a plain float; a tensor is wanted.")
def loss_number(logits, labels):
    return F.cross_entropy(logits.mT, labels).item()


@answer("decoder.cross_entropy", "mistake:perplexity", "Yours is e to the power of the loss: that is the perplexity.")
def loss_exp(logits, labels):
    return F.cross_entropy(logits.mT, labels).exp()


@answer(
    "decoder.perplexity",
    "shape:shape",
    "The shape of your perplexity is (2, 5); wanted is (). That is 2 axes too many.",
)
def perplexity_each(probabilities, attention_mask):
    return (1 / probabilities) * attention_mask


@answer(
    "decoder.perplexity",
    "nan",
    "In your perplexity there is ∞ everywhere with padded texts; with one text and with texts of one word it is",
)
def perplexity_nan(probabilities, attention_mask):
    return (-(probabilities * attention_mask).log()).mean().exp()


@answer(
    "decoder.perplexity",
    "likeness:power",
    "Your perplexity is the target to the power of 2.3 (log 10).",
)
def perplexity_base_ten(probabilities, attention_mask):
    return 10 ** (-probabilities[attention_mask == 1].log().mean())


@answer("decoder.perplexity", "type", "You return a plain float; a tensor is wanted.")
def perplexity_math(probabilities, attention_mask):
    return math.exp(-probabilities[attention_mask == 1].log().mean())


@answer(
    "decoder.vocabulary_logits",
    "crash",
    "With the last two axes of `token_table` swapped, your",
)
def logits_untransposed(hidden_states, token_table):
    return hidden_states @ token_table


@answer(
    "decoder.vocabulary_logits",
    "shape:transposed",
    "Your numbers are right, but the last two axes are swapped: there is one row",
)
def logits_turned(hidden_states, token_table):
    return token_table @ hidden_states.transpose(-2, -1)


@answer(
    "decoder.vocabulary_logits",
    "likeness:sign",
    "In your logits every sign is flipped: where the target has +, you have −, and",
)
def logits_negative(hidden_states, token_table):
    return -(hidden_states @ token_table.T)


@answer(
    "decoder.vocabulary_logits",
    "likeness:size_factor",
    "In your logits every number is the target's divided by d_model.",
)
def logits_mean(hidden_states, token_table):
    return hidden_states @ token_table.T / hidden_states.shape[-1]


@answer(
    "decoder.vocabulary_logits",
    "likeness:inputs",
    "Your logits are exactly what comes out when each vector in `token_table` is first",
)
def logits_table_unit(hidden_states, token_table):
    return hidden_states @ F.normalize(token_table, dim=-1).T


@answer(
    "decoder.next_probabilities",
    "mistake:ignored",
    "Yours are the probabilities at temperature 1; the one that is given plays no part.",
)
def temperature_added(logits, temperature):
    return (logits + temperature).softmax(dim=-1)


@answer(
    "decoder.next_probabilities",
    "likeness:temperature",
    "Each row of your probabilities sums to 1, but the weights are not those of the",
)
def temperature_squared(logits, temperature):
    return (logits / temperature**2).softmax(dim=-1)


@answer(
    "decoder.next_probabilities",
    "likeness:row_factor",
    "Within each row the proportions of your probabilities are right, but the rows do not",
)
def temperature_powers(logits, temperature):
    return logits.softmax(dim=-1) ** (1 / temperature)


@answer(
    "decoder.next_probabilities",
    "shape:shape",
    "The shape of your probabilities is (11,); wanted is (11, 5) (batch × vocab_size).",
)
def temperature_argmax(logits, temperature):
    return (logits / temperature).argmax(dim=-1)


@answer("decoder.top_k", "likeness:cut_off", "Your logits are the target, but everything below −100 is cut off.")
def top_k_minus_large(logits, k):
    return logits.masked_fill(logits < logits.topk(k).values[:, -1:], -100.0)


@answer("decoder.top_k", "crash", "Two shapes do not fit each other: one has 7 and the other 5 where they should be")
def top_k_no_axis(logits, k):
    return logits.masked_fill(logits < logits.topk(k).values[:, -1], -math.inf)


@answer("decoder.top_k", "type", "You return 2 tensors; this exercise wants one.")
def top_k_tuple(logits, k):
    return logits.topk(k)


@answer("decoder.top_k", "mutated", "Your function changes its input: `logits` held other numbers afterwards. The code")
def top_k_in_place(logits, k):
    logits[logits < logits.topk(k).values[:, -1:]] = -math.inf
    return logits


@answer("decoder.top_k", "dtype", "In your logits there are True and False (bool); wanted are numbers with a fraction")
def top_k_truths(logits, k):
    return logits >= logits.topk(k).values[:, -1:]


@answer(
    "decoder.top_p",
    "likeness:stage",
    "In the end none of your variables holds the probabilities. With the probabilities as the",
)
def top_p_ascending(logits, p):
    best, order = logits.sort(dim=-1)
    probabilities = best.softmax(dim=-1)
    dropped = probabilities.cumsum(dim=-1) > p
    return logits.masked_fill(dropped.scatter(-1, order, dropped), -math.inf)


@answer(
    "decoder.top_p",
    "mistake:gathered",
    "As many tokens as wanted are kept, but the wrong ones: your mask is sorted",
)
def top_p_gathered(logits, p):
    best, order = logits.sort(dim=-1, descending=True)
    probabilities = best.softmax(dim=-1)
    dropped = probabilities.cumsum(dim=-1) - probabilities >= p
    return logits.masked_fill(dropped.gather(-1, order), -math.inf)


@answer(
    "decoder.top_p",
    "likeness:cell",
    "53 of 86 cells of your logits differ from the target, in a way that this check does",
)
def top_p_logit_sums(logits, p):
    best, order = logits.sort(dim=-1, descending=True)
    dropped = best.cumsum(dim=-1) >= p
    return logits.masked_fill(dropped.scatter(-1, order, dropped), -math.inf)


@answer(
    "decoder.top_p",
    "crash",
    "Index 9 is beyond the end of axis 0, which holds 3 (0 to 2): `best.masked_fill(dropped, -math.inf)`",
)
def top_p_scattered_values(logits, p):
    best, order = logits.sort(dim=-1, descending=True)
    probabilities = best.softmax(dim=-1)
    dropped = probabilities.cumsum(dim=-1) - probabilities >= p
    return best.masked_fill(dropped, -math.inf)[order]


@answer(
    "decoder.repetition_penalty",
    "crash",
    "Among the indices is 8, and scatter takes 0 to 4 here: along axis 1 `torch.where(seen > 0, seen /",
)
def penalty_where_all(logits, input_ids, penalty):
    seen = logits.gather(1, input_ids)
    return torch.where(seen > 0, seen / penalty, seen * penalty).scatter(1, input_ids, seen)


@answer(
    "decoder.repetition_penalty",
    "likeness:stage",
    "You are right up to the logits of the text's tokens: your variable `seen` holds",
)
def penalty_squared(logits, input_ids, penalty):
    seen = logits.gather(1, input_ids)
    return logits.scatter(1, input_ids, torch.where(seen > 0, seen / penalty**2, seen * penalty**2))


@answer(
    "decoder.repetition_penalty", "mistake:all_rows", "Each row of yours is punished for the other rows' words too."
)
def penalty_columns(logits, input_ids, penalty):
    logits = logits.clone()
    seen = logits[:, input_ids]
    logits[:, input_ids] = torch.where(seen > 0, seen / penalty, seen * penalty)
    return logits


@answer(
    "decoder.repetition_penalty",
    "mutated",
    "Your function changes its input: `logits` held other numbers afterwards. The code",
)
def penalty_in_place(logits, input_ids, penalty):
    seen = logits.gather(1, input_ids)
    return logits.scatter_(1, input_ids, torch.where(seen > 0, seen / penalty, seen * penalty))


@answer(
    "decoder.write",
    "shape:entries",
    "Right with a text that ends by itself, with a text that ends with its first new",
)
def write_endless(step, cache, prompt_ids, max_new_tokens, stop_id):
    ids = new_ids = prompt_ids
    while new_ids.item() != stop_id if new_ids.numel() == 1 else True:
        logits, cache = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new_ids], dim=1)
    return ids


@answer(
    "decoder.write", "crash", "Tensors that are joined must have equally many axes; here one has 2 and the other 1."
)
def write_flat(step, cache, prompt_ids, max_new_tokens, stop_id):
    ids = new_ids = prompt_ids
    for _ in range(max_new_tokens):
        logits, cache = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1)
        ids = torch.cat([ids, new_ids], dim=1)
    return ids


@answer("decoder.write", "type", "You return a list of 7; a tensor is wanted. torch.tensor makes one from it.")
def write_list(step, cache, prompt_ids, max_new_tokens, stop_id):
    ids, new_ids = prompt_ids[0].tolist(), prompt_ids
    for _ in range(max_new_tokens):
        logits, cache = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1, keepdim=True)
        ids.append(new_ids.item())
        if ids[-1] == stop_id:
            break
    return ids


@answer("decoder.write", "shape:ones", "Your numbers are right, but an axis of length 1 is missing: yours is (7,), the")
def write_no_batch(step, cache, prompt_ids, max_new_tokens, stop_id):
    ids, new_ids = prompt_ids[0].tolist(), prompt_ids
    for _ in range(max_new_tokens):
        logits, cache = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1, keepdim=True)
        ids.append(new_ids.item())
        if ids[-1] == stop_id:
            break
    return torch.tensor(ids)


@answer(
    "decoder.write",
    "shape:calls",
    "In the case shown: your function calls `step` once, a right solution 4 times.",
)
def write_early_return(step, cache, prompt_ids, max_new_tokens, stop_id):
    ids = new_ids = prompt_ids
    for _ in range(max_new_tokens):
        logits, cache = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new_ids], dim=1)
        break
    return ids


@answer("decoder.write", "crash", "A tuple has nothing called `argmax`.")
def write_one_value(step, cache, prompt_ids, max_new_tokens, stop_id):
    ids = new_ids = prompt_ids
    for _ in range(max_new_tokens):
        logits = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new_ids], dim=1)
    return ids


@answer(
    "decoder.attend_with_cache",
    "crash",
    "Joined along axis 1, tensors must be equally long along all others; here 3 meets 1.",
)
def cached_wrong_axis(query, key, value, past_keys, past_values):
    keys, values = torch.cat([past_keys, key], dim=1), torch.cat([past_values, value], dim=1)
    weights = (query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5).softmax(dim=-1)
    return weights @ values, keys, values


@answer(
    "decoder.attend_with_cache",
    "mistake:mask_from_the_start",
    "Your cache is right, but your mask counts from the beginning: the first new position",
)
def cached_is_causal(query, key, value, past_keys, past_values):
    keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
    return F.scaled_dot_product_attention(query, keys, values, is_causal=True), keys, values


@answer(
    "decoder.attend_with_cache",
    "likeness:inputs",
    "Your context is exactly what comes out when `query` is divided by the root of the",
)
def cached_d_model(query, key, value, past_keys, past_values):
    keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
    past, new = past_keys.shape[2], query.shape[2]
    mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)
    scores = query @ keys.transpose(-2, -1) / (query.shape[1] * query.shape[-1]) ** 0.5
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1) @ values, keys, values


@answer(
    "decoder.attend_with_cache",
    "mistake:cache_swapped",
    "Your context is right, but keys and values are swapped in the cache that you return.",
)
def cached_swapped(query, key, value, past_keys, past_values):
    keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
    mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(past_keys.shape[2])
    context = F.scaled_dot_product_attention(query, keys, values, mask)
    return context, values, keys


@answer(
    "decoder.attend_with_cache",
    "type",
    "You return one tensor, and it is the right context; this exercise wants 3: `return",
)
def cached_context_only(query, key, value, past_keys, past_values):
    keys, values = torch.cat([past_keys, key], dim=2), torch.cat([past_values, value], dim=2)
    mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(past_keys.shape[2])
    return F.scaled_dot_product_attention(query, keys, values, mask)


@answer(
    "decoder.attend_with_cache",
    "likeness:inputs",
    "Your keys are exactly what comes out when `query` is used in place of `key`.",
)
def cached_query_remembered(query, key, value, past_keys, past_values):
    keys, values = torch.cat([past_keys, query], dim=2), torch.cat([past_values, value], dim=2)
    mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(past_keys.shape[2])
    return F.scaled_dot_product_attention(query, keys, values, mask), keys, values


@answer("decoder.share_heads", "shape:shape", "The shape of your vectors is")
def share_once(vectors, num_heads):
    return vectors.repeat_interleave(vectors.shape[1], dim=1)


@answer("decoder.share_heads", "shape:shape", "The shape of your vectors is")
def share_fixed(vectors, num_heads):
    return vectors.repeat_interleave(3, dim=1)


@answer(
    "decoder.share_heads",
    "crash",
    "A size or an index must be a whole number, and `/` makes one with a decimal point; `//`",
)
def share_float(vectors, num_heads):
    return vectors.repeat_interleave(num_heads / vectors.shape[1], dim=1)


@answer("decoder.share_heads", "likeness:entry", "Your vectors are right in the first head, and wrong in the others.")
def share_zeros(vectors, num_heads):
    out = vectors.new_zeros(len(vectors), num_heads, *vectors.shape[2:])
    out[:, : vectors.shape[1]] = vectors
    return out


@answer(
    "decoder.share_heads",
    "likeness:size_factor",
    "In your vectors every number is the target's divided by the number of heads in a group.",
)
def share_scaled(vectors, num_heads):
    g = num_heads // vectors.shape[1]
    return vectors.repeat_interleave(g, dim=1) / g


@answer(
    "decoder.share_heads",
    "likeness:function",
    "Your vectors are the target reversed along the heads axis.",
)
def share_reversed(vectors, num_heads):
    return vectors.flip(1).repeat_interleave(num_heads // vectors.shape[1], dim=1)


@answer(
    "decoder.share_heads",
    "likeness:cut",
    "Your vectors are exactly what comes out when only the last kv_head counts.",
)
def share_last(vectors, num_heads):
    return vectors[:, -1:].expand(-1, num_heads, -1, -1)


@answer("decoder.share_heads", "crash", "expand repeats an axis of length")
def share_expand(vectors, num_heads):
    return vectors.expand(-1, num_heads, -1, -1)


@answer("decoder.share_heads", "shape:shape", "The shape of your vectors is")
def share_flat(vectors, num_heads):
    return vectors.repeat_interleave(num_heads // vectors.shape[1])


@answer("decoder.share_heads", "likeness:cell", "differ from the target")
def share_reshaped(vectors, num_heads):
    b, k, p, d = vectors.shape
    g = num_heads // k
    return vectors[:, :, :, None].expand(b, k, p, g, d).reshape(b, num_heads, p, d)


@answer(
    "decoder.rms_norm",
    "likeness:row_factor",
    "In your vectors each column is the target's column times a number of its own.",
)
def rms_divided_weight(hidden_states, weight, epsilon):
    return hidden_states / (hidden_states.square().mean(dim=-1, keepdim=True) + epsilon).sqrt() / weight


@answer("decoder.rms_norm", "crash", "Two shapes do not fit each other: one has 5 and the other 3 where they should be")
def rms_no_axis(hidden_states, weight, epsilon):
    return hidden_states / (hidden_states.square().mean(dim=-1) + epsilon).sqrt() * weight


@answer("decoder.rms_norm", "mistake:no_epsilon", "Yours is the result without the given ε, which keeps a vector of")
def rms_own_epsilon(hidden_states, weight, epsilon):
    return F.rms_norm(hidden_states, weight.shape, weight, 1e-6)


@answer(
    "decoder.rms_norm", "likeness:row_factor", "In your vectors each row is the target's row times a number of its own."
)
def rms_absolute(hidden_states, weight, epsilon):
    return hidden_states / (hidden_states.abs().mean(dim=-1, keepdim=True) + epsilon) * weight


@answer(
    "decoder.gated_feed_forward",
    "crash",
    "The two do not fit for a matrix product: the last axis of the left has 13, the second",
)
def gate_matmul(hidden_states, gate_weight, expand_weight, contract_weight, activation):
    return (activation(hidden_states @ gate_weight) @ (hidden_states @ expand_weight)) @ contract_weight


@answer(
    "decoder.gated_feed_forward",
    "likeness:calls",
    "Your function never calls `activation`; a right solution does.",
)
def gate_relu(hidden_states, gate_weight, expand_weight, contract_weight, activation):
    return ((hidden_states @ gate_weight).relu() * (hidden_states @ expand_weight)) @ contract_weight


@answer(
    "decoder.gated_feed_forward",
    "crash",
    "The two do not fit for a matrix product: the left one is 21 × 13, the right one 5 ×",
)
def gate_linear(hidden_states, gate_weight, expand_weight, contract_weight, activation):
    return F.linear(activation(hidden_states @ gate_weight) * (hidden_states @ expand_weight), contract_weight)


@answer(
    "decoder.repair",
    "likeness:cell",
    "55 of 66 cells of your mask differ from the target, in a way that this check does",
)
def repaired_triu(past, new):
    return torch.ones(new, past + new, dtype=torch.bool).triu(past)


@answer("decoder.repair", "dtype", "The numbers are right, but not their type: in your mask there are numbers with a")
def repaired_numbers(past, new):
    return torch.ones(new, past + new).tril(past)


@answer(
    "decoder.repair", "dtype", "In your mask there are numbers with a fraction (float32); wanted are True and False"
)
def repaired_additive(past, new):
    return torch.full((new, past + new), -math.inf).triu(past + 1)


@answer(
    "decoder.repair",
    "shape:transposed",
    "With a text with a past and with a single new position: Your numbers are right, but",
)
def repaired_turned(past, new):
    return torch.ones(new, past + new, dtype=torch.bool).tril(past).T
