"""Wrong answers to the exercises of notebook 06 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers(
    "taxonomy.encoder_parameters",
    """
    parameters_plain:
        own = [rows * d_model + 2 * d_model + depth * layer_parameters for depth in depths.tolist()]
        embeddings = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model
        return own, [embeddings + layer_parameters] * len(own)
        “type | Where own belongs you return a list; a tensor is wanted.”
    parameters_no_norm_own:
        own = rows * d_model + depths * layer_parameters
        shared = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model + layer_parameters
        return own, shared + 0 * depths
        “mistake:own_without_norm | Your shared is right. In your own the norm after the tables is missing.”
    parameters_divided:
        own = rows * d_model + 2 * d_model + depths * layer_parameters
        embeddings = (rows + 2) * d_embedding + d_embedding * d_model + d_model
        return own, (own - rows * d_model) / depths + embeddings
        “dtype | In your shared there are numbers with a fraction (float32); wanted are whole”
    parameters_bias_narrow:
        own = rows * d_model + 2 * d_model + depths * layer_parameters
        shared = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_embedding + layer_parameters
        return own, torch.full_like(depths, shared)
        “mistake:narrow_bias | Your own is right. In your shared the bias of the linear layer has d_embedding”
    parameters_one_number:
        own = rows * d_model + 2 * d_model + depths * layer_parameters
        return own, rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model + layer_parameters
        “type | Where shared belongs you return an int; a tensor is wanted.”
    """,
)

answers(
    "taxonomy.soft_loss",
    """
    soft_kl_mean:
        return temperature**2 * F.kl_div(
            (student_logits / temperature).log_softmax(-1), (teacher_logits / temperature).softmax(-1)
        )
        “mistake:mean_over_everything | You average over the vocabulary too (torch's kl_div does so with”
    soft_over_positions:
        teacher = (teacher_logits / temperature).log_softmax(dim=1)
        student = (student_logits / temperature).log_softmax(dim=1)
        return temperature**2 * (teacher.exp() * (teacher - student)).sum(dim=-1).mean()
        “mistake:over_positions | Your softmax runs over the positions; it should run over the vocabulary.”
    soft_no_sum:
        teacher = (teacher_logits / temperature).log_softmax(dim=-1)
        student = (student_logits / temperature).log_softmax(dim=-1)
        return temperature**2 * teacher.exp() * (teacher - student)
        “shape:shape | The shape of your loss is (2, 3, 7); wanted is (). That is 3 axes too many.”
    soft_negative:
        teacher = (teacher_logits / temperature).log_softmax(dim=-1)
        student = (student_logits / temperature).log_softmax(dim=-1)
        return temperature**2 * (teacher.exp() * (student - teacher)).sum(dim=-1).mean()
        “mistake:negative | Your loss has the wrong sign, as if log q − log p came in place of log p − log q”
    soft_squares: F.mse_loss(student_logits / temperature, teacher_logits / temperature) * temperature**2
        “likeness:cell | Your loss is not the target, in a way that this check does not recognize: you have 5.167, the”
    soft_number:
        teacher = (teacher_logits / temperature).log_softmax(dim=-1)
        student = (student_logits / temperature).log_softmax(dim=-1)
        return float(temperature**2 * (teacher.exp() * (teacher - student)).sum(dim=-1).mean())
        “type | You return a plain float; a tensor is wanted.”
    """,
)

answers(
    "taxonomy.replace_tokens",
    """
    replace_labels_bool:
        real = attention_mask == 1
        replaced_ids = torch.where(chosen & real, samples, input_ids)
        return replaced_ids, replaced_ids != input_ids
        “mistake:padding_asked | Your labels are right with one text and with texts of one word, but not with padded
        texts. Your ids are”
    replace_in_place:
        before = input_ids.clone()
        places = chosen & (attention_mask == 1)
        input_ids[places] = samples[places]
        return input_ids, (input_ids != before).long().masked_fill(attention_mask == 0, -100)
        “mutated | Your function changes its input: `input_ids` held other numbers afterwards.”
    replace_float_labels:
        real = attention_mask == 1
        replaced_ids = torch.where(chosen & real, samples, input_ids)
        return replaced_ids, (replaced_ids != input_ids).float().masked_fill(~real, -100)
        “dtype | The numbers are right, but not their type: in your labels there are numbers”
    replace_and:
        replaced_ids = torch.where(chosen and attention_mask == 1, samples, input_ids)
        return replaced_ids, (replaced_ids != input_ids).long().masked_fill(attention_mask == 0, -100)
        “crash | `and` wants one True or False on each side, but `chosen` holds 39; `&` goes cell by cell (put”
    replace_no_labels: torch.where(chosen & (attention_mask == 1), samples, input_ids)
        “type | You return one tensor, and it is the right replaced_ids; this exercise wants 2:”
    """,
)

answers(
    "taxonomy.disentangled_scores",
    """
    disentangled_divided_apart:
        scale = query.shape[-1] ** 0.5
        content_scores = query @ key.transpose(-2, -1) / scale
        query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1) / scale
        key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1) / scale
        return (content_scores + query_scores + key_scores) / 3
        “likeness:factor | every number is the target's times 0.577 (1/√3).”
    disentangled_all_rows:
        content_scores = query @ key.transpose(-2, -1)
        return (content_scores + query @ offset_key.transpose(-2, -1) + key @ offset_query.transpose(-2, -1)) / 3**0.5
        “crash | Two shapes do not fit each other: one has 7 and the other 6 where they should”
    disentangled_key_axis:
        content_scores = query @ key.transpose(-2, -1)
        query_scores = (query[:, :, None] * offset_key[:, :, rows]).sum(dim=-1)
        key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1)
        return (content_scores + query_scores + key_scores) / (3 * query.shape[-1]) ** 0.5
        “likeness:stage | The key scores are right: your variable `key_scores` holds them. If your”
    disentangled_fourth:
        content_scores = query @ key.transpose(-2, -1)
        query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1)
        key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1)
        offsets = (offset_query[:, :, rows] * offset_key[:, :, rows]).sum(dim=-1)
        return (content_scores + query_scores + key_scores + offsets) / (4 * query.shape[-1]) ** 0.5
        “likeness:stage | You are right up to the key scores: your variable `key_scores` holds them. The”
    disentangled_gather:
        content_scores = query @ key.transpose(-2, -1)
        query_scores = (query @ offset_key.transpose(-2, -1)).gather(-1, rows)
        return content_scores + query_scores
        “crash | gather wants an index with as many axes as the tensor that it picks from;”
    """,
)

answers(
    "taxonomy.parallel_layer",
    """
    parallel_two_norms:
        normed = norm(hidden_states)
        return hidden_states + self_attention(normed) + feed_forward(norm(normed))
        “likeness:calls | Your second call of `norm` (it receives what `norm` returned) is one too many: a right
        solution”
    parallel_in_place:
        normed = norm(hidden_states)
        hidden_states += self_attention(normed)
        hidden_states += feed_forward(normed)
        return hidden_states
        “mutated | Your function changes its input: `hidden_states` held other numbers afterwards.”
    parallel_joined:
        normed = norm(hidden_states)
        return torch.cat([hidden_states + self_attention(normed), feed_forward(normed)], dim=-1)
        “shape:shape | The shape of your output is (1, 3, 10); wanted is (1, 3, 5) (batch × position ×”
    parallel_attention_fed_again:
        normed = norm(hidden_states)
        return hidden_states + feed_forward(normed + self_attention(normed))
        “mistake:fed_with_the_sum | Your feed-forward network reads the normed states with attention's result added”
    """,
)

answers(
    "taxonomy.window_mask",
    """
    window_python: [[0 <= query - key < window for key in range(length)] for query in range(length)]
        “type | You return a list of 13; a tensor is wanted. torch.tensor makes one from it.”
    window_column:
        behind = torch.arange(length)[:, None] - torch.arange(length)
        return behind < window
        “mistake:future_open | Your mask hides what has left the window, but nothing of what comes after.”
    window_and:
        behind = torch.arange(length)[:, None] - torch.arange(length)
        return 0 <= behind < window
        “crash | `0 <= behind < window` is two comparisons with `and` between them, and `and` wants one True or”
    window_numbers: torch.ones(length, length, dtype=torch.long).tril().triu(1 - window)
        “dtype | The numbers are right, but not their type: in your mask there are whole numbers”
    window_half:
        behind = (torch.arange(length)[:, None] - torch.arange(length)).abs()
        return behind <= window // 2
        “mistake:half_each_side | Your window is centered on each position, half of it before and half after,”
    """,
)

answers(
    "taxonomy.cache_bytes",
    """
    bytes_min: 2 * num_layers * num_kv_heads * d_head * bytes_per_number * min(lengths, window)
        “crash | This is Python's `min`, which compares with one `<`, but a tensor holds many numbers; what works on”
    bytes_divided: 2 * num_layers * num_kv_heads * d_head * lengths.clamp(max=window) / bytes_per_number
        “dtype | In your bytes there are numbers with a fraction (float32); wanted are whole”
    bytes_mib: 2 * num_layers * num_kv_heads * d_head * lengths.clamp(max=window) * bytes_per_number / 1024**2
        “dtype | In your bytes there are numbers with a fraction (float32); wanted are whole”
    bytes_rolled: 2 * num_layers * num_kv_heads * d_head * (lengths % window) * bytes_per_number
        “mistake:begins_anew | Short texts are right; after each full window your cache starts again from nothing. The”
    bytes_no_head_width: 2 * num_layers * num_kv_heads * lengths.clamp(max=window) * bytes_per_number
        “likeness:size_factor | In your bytes every number is the target's divided by d_head.”
    """,
)

answers(
    "taxonomy.corrupt_spans",
    """
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
    spans_length:
        inputs, targets, place = [], [], 0
        for number, (start, length) in enumerate(spans):
            sentinel = sentinel_ids[number : number + 1]
            inputs += [input_ids[place:start], sentinel]
            targets += [sentinel, input_ids[start : start + length]]
            place = start + length
        end = sentinel_ids[len(spans) : len(spans) + 1]
        return torch.cat([*inputs, input_ids[place:]]), torch.cat([*targets, end])
        “mistake:second_number_for_a_length | You take the second number of a span for its length; it says where the
        span stops.”
    spans_place_forgotten:
        inputs, targets, place = [], [], 0
        for number, (start, stop) in enumerate(spans):
            sentinel = sentinel_ids[number : number + 1]
            inputs += [input_ids[place:start], sentinel]
            targets += [sentinel, input_ids[start:stop]]
        end = sentinel_ids[len(spans) : len(spans) + 1]
        return torch.cat([*inputs, input_ids[stop:]]), torch.cat([*targets, end])
        “mistake:from_the_beginning | Your targets are right. In your input the text begins again after each”
    spans_in_place:
        targets = []
        for number, (start, stop) in enumerate(spans):
            targets += [sentinel_ids[number : number + 1], input_ids[start:stop].clone()]
            input_ids[start:stop] = sentinel_ids[number]
        return input_ids, torch.cat([*targets, sentinel_ids[len(spans) : len(spans) + 1]])
        “mistake:a_sentinel_a_word | What you return is not right either: Your targets are right, but in your input
        there”
    spans_one_tensor:
        pieces, place = [], 0
        for number, (start, stop) in enumerate(spans):
            pieces += [input_ids[place:start], sentinel_ids[number : number + 1]]
            place = stop
        return torch.cat([*pieces, input_ids[place:]])
        “type | You return one tensor, and it is the right input_ids; this exercise wants 2:”
    """,
)

answers(
    "taxonomy.prefix_mask",
    """
    prefix_no_axes:
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        return causal | (torch.arange(length) < prefix_lengths[:, None])
        “crash | Two shapes do not fit each other: one has 7 and the other 3 where they should”
    prefix_numbers:
        causal = torch.ones(length, length).tril()
        in_prefix = (torch.arange(length) < prefix_lengths[:, None]).float()
        return torch.maximum(causal, in_prefix[:, None, None, :])
        “dtype | The numbers are right, but not their type: in your mask there are numbers with”
    prefix_equal:
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        in_prefix = torch.arange(length) <= prefix_lengths[:, None]
        return causal | in_prefix[:, None, None, :]
        “mistake:one_too_many | Your prefixes are one position too long: the first word that is to be written”
    prefix_added:
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        return causal[None, None] + (torch.arange(length) < prefix_lengths)[None, None, None, :]
        “crash | Two shapes do not fit each other: one has 7 and the other 3 where they should”
    prefix_longest:
        causal = torch.ones(length, length, dtype=torch.bool).tril()
        causal[:, : prefix_lengths.max()] = True
        return causal.expand(len(prefix_lengths), 1, length, length)
        “likeness:same | Right with one text, with no prefix at all and with texts of one word, but not with texts with”
    """,
)

answers(
    "taxonomy.leave_one_out",
    """
    hide_float_mask:
        whole = read(torch.ones(length))
        return torch.stack([(read(1 - row) - whole).norm() for row in torch.eye(length)])
        “crash | ValueError: This text has 5 positions: it wants a mask (text, 5), not (5,).”
    hide_norm_of_all:
        masks = 1 - torch.eye(length, dtype=torch.long)
        return (read(masks) - read(torch.ones(1, length, dtype=torch.long))).norm()
        “shape:shape | The shape of your effects is (); wanted is (5,) (position). That is 1 axis too few.”
    hide_cosine:
        masks = 1 - torch.eye(length, dtype=torch.long)
        return 1 - torch.cosine_similarity(read(masks), read(torch.ones(1, length, dtype=torch.long)), dim=-1)
        “likeness:stage | You are right up to the masks: your variable `masks` holds them. In the end none of your”
    hide_largest:
        masks = 1 - torch.eye(length, dtype=torch.long)
        return (read(masks) - read(torch.ones(1, length, dtype=torch.long))).abs().amax(dim=-1)
        “likeness:stage | You are right up to the masks: your variable `masks` holds them. In the end none of your”
    hide_list:
        whole, effects = read(torch.ones(1, length, dtype=torch.long)), []
        for place in range(length):
            mask = torch.ones(1, length, dtype=torch.long)
            mask[0, place] = 0
            effects.append((read(mask) - whole).norm().item())
        return effects
        “type | You return a list of 5; a tensor is wanted. torch.tensor makes one from it.”
    hide_features:
        masks = 1 - torch.eye(length, dtype=torch.long)
        return (read(masks) - read(torch.ones(1, length, dtype=torch.long))).norm(dim=0)
        “mistake:over_positions | You measure each feature over all positions; what is wanted is each position over all”
    """,
)

answers(
    "taxonomy.repair",
    """
    twice_stacked:
        silent = torch.full_like(labels, -100)
        return (
            torch.stack([input_ids, input_ids], dim=1),
            torch.stack([attention_mask, attention_mask], dim=1),
            torch.stack([silent, labels], dim=1),
        )
        “shape:layout | Your numbers are right and in the right order, but laid out in another shape:”
    twice_list:
        silent = torch.full_like(labels, -100)
        pairs = (input_ids, input_ids), (attention_mask, attention_mask), (silent, labels)
        return [torch.cat(pair, dim=1) for pair in pairs]
        “type | You return a list of 3 tensors; a tuple is wanted: `return input_ids,”
    twice_bool_mask:
        mask = attention_mask.bool()
        silent = torch.full_like(labels, -100)
        return torch.cat([input_ids] * 2, 1), torch.cat([mask] * 2, 1), torch.cat([silent, labels], 1)
        “dtype | The numbers are right, but not their type: in your attention_mask there are”
    twice_added:
        silent = torch.full_like(labels, -100)
        return input_ids + input_ids, attention_mask + attention_mask, silent + labels
        “shape:unchanged+factor | Two things come together in your input_ids. A known mistake: “Those are the three”
    twice_minus_one:
        silent = torch.full_like(labels, -1)
        ids, mask = (torch.cat([part, part], dim=1) for part in (input_ids, attention_mask))
        return ids, mask, torch.cat([silent, labels], dim=1)
        “likeness:cell | 82 of 164 cells of your labels differ from the target, in a way that this check does”
    """,
)
