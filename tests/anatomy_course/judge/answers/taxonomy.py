"""Wrong answers to the exercises of notebook 07 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers("""
taxonomy.encoder_parameters
    parameters_plain:
        own = [rows * d_model + 2 * d_model + depth * layer_parameters for depth in depths.tolist()]
        embeddings = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model
        return own, [embeddings + layer_parameters] * len(own)
        “type | Where own belongs you return a list; a tensor is wanted.”
    parameters_divided:
        own = rows * d_model + 2 * d_model + depths * layer_parameters
        embeddings = (rows + 2) * d_embedding + d_embedding * d_model + d_model
        return own, (own - rows * d_model) / depths + embeddings
        “dtype | In your shared there are numbers with a fraction (float32); wanted are whole”
    parameters_one_number:
        own = rows * d_model + 2 * d_model + depths * layer_parameters
        return own, rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model + layer_parameters
        “type | Where shared belongs you return an int; a tensor is wanted.”

taxonomy.soft_loss
    soft_squares: F.mse_loss(student_logits / temperature, teacher_logits / temperature) * temperature**2
        “likeness:cell | Your loss is not the target, in a way that this check does not recognize: you have 5.167, the”

taxonomy.replace_tokens
    replace_no_labels: torch.where(chosen & (attention_mask == 1), samples, input_ids)
        “type | You return one tensor, and it is the right replaced_ids; this exercise wants 2:”

taxonomy.disentangled_scores
    disentangled_divided_apart:
        scale = query.shape[-1] ** 0.5
        content_scores = query @ key.transpose(-2, -1) / scale
        query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1) / scale
        key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1) / scale
        return (content_scores + query_scores + key_scores) / 3
        “likeness:factor | every number is the target's times 0.577 (1/√3).”
    disentangled_key_axis:
        content_scores = query @ key.transpose(-2, -1)
        query_scores = (query[:, :, None] * offset_key[:, :, rows]).sum(dim=-1)
        key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1)
        return (content_scores + query_scores + key_scores) / (3 * query.shape[-1]) ** 0.5
        “likeness:stage | The key scores are right: your variable `key_scores` holds them. If your”
    disentangled_gather:
        content_scores = query @ key.transpose(-2, -1)
        query_scores = (query @ offset_key.transpose(-2, -1)).gather(-1, rows)
        return content_scores + query_scores
        “crash | gather wants an index with as many axes as the tensor that it picks from;”

taxonomy.parallel_layer
    parallel_joined:
        normed = norm(hidden_states)
        return torch.cat([hidden_states + self_attention(normed), feed_forward(normed)], dim=-1)
        “shape:shape | The shape of your output is (1, 3, 10); wanted is (1, 3, 5) (batch × position ×”

taxonomy.window_mask
    window_python: [[0 <= query - key < window for key in range(length)] for query in range(length)]
        “type | You return a list of 13; a tensor is wanted. torch.tensor makes one from it.”

taxonomy.cache_bytes
    bytes_rolled: 2 * num_layers * num_kv_heads * d_head * (lengths % window) * bytes_per_number
        “mistake:begins_anew | Short texts are right; after each full window your cache starts again from nothing. The”

taxonomy.corrupt_spans
    spans_list:
        inputs, targets, place = [], [], 0
        for number, (start, stop) in enumerate(spans):
            inputs += [*input_ids[place:start].tolist(), sentinel_ids[number].item()]
            targets += [sentinel_ids[number].item(), *input_ids[start:stop].tolist()]
            place = stop
        return [*inputs, *input_ids[place:].tolist()], [*targets, sentinel_ids[len(spans)].item()]
        “type | Where input_ids belongs you return a list; a tensor is wanted.”
    spans_no_axis:
        inputs, targets, place = [], [], 0
        for number, (start, stop) in enumerate(spans):
            inputs += [input_ids[place:start], sentinel_ids[number]]
            targets += [sentinel_ids[number], input_ids[start:stop]]
            place = stop
        return torch.cat([*inputs, input_ids[place:]]), torch.cat([*targets, sentinel_ids[-1:]])
        “crash | Number 1 of what is to be joined (counted from 0) is a single number without an”

taxonomy.prefix_mask
    prefix_longest:
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        causal[:, : prefix_lengths.max()] = True
        return causal.expand(len(prefix_lengths), 1, length, length)
        “likeness:same | Right with one text, with no prefix at all and with texts of one word, but not with texts with”

taxonomy.leave_one_out
    hide_float_mask:
        whole = read(torch.ones(length))
        return torch.stack([(read(1 - row) - whole).norm() for row in torch.eye(length)])
        “crash | ValueError: This text has 5 positions: it wants a mask (text, 5), not (5,).”
    hide_cosine:
        masks = 1 - torch.eye(length, dtype=torch.long)
        return 1 - torch.cosine_similarity(read(masks), read(torch.ones(1, length, dtype=torch.long)), dim=-1)
        “likeness:stage | You are right up to the masks: your variable `masks` holds them. In the end none of your”

taxonomy.repair
    twice_added:
        silent = torch.full_like(labels, -100)
        return input_ids + input_ids, attention_mask + attention_mask, silent + labels
        “shape:unchanged+factor | Two slips come together in your input_ids. 1. “Those are the three”
    twice_minus_one:
        silent = torch.full_like(labels, -1)
        ids, mask = (torch.cat([part, part], dim=1) for part in (input_ids, attention_mask))
        return ids, mask, torch.cat([silent, labels], dim=1)
        “likeness:cell | 82 of 164 cells of your labels differ from the target, in a way that this check does”
""")
