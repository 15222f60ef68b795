"""Answers one or two small edits away from a right one: the line that is told, and what is off in it."""

from __future__ import annotations

from answers import answers

answers(
    """
attention.weighted_average
    stacked_elsewhere:
        pieces = [w @ vectors for w in weights.unbind(-2)]
        return torch.stack(pieces, 1)
        “slip:axis | Line 3, the `1` in `torch.stack(pieces, 1)`: everything is right”
    indices_turned:
        made = torch.zeros(weights.shape[-2], vectors.shape[-1])
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                made[i] += weights[j, i] * vectors[j]
        return made
        “slip:order | Line 5, `j, i`: everything is right”
    early_return:
        pieces = []
        for row in weights.unbind(-2):
            pieces.append((row.unsqueeze(-2) @ vectors).squeeze(-2))
            return torch.stack(pieces, -2)
        “slip:outdented | Line 5, `return torch.stack(pieces, -2)`: everything is right”
    summed_over_everything: torch.sum(weights[..., None] * vectors[..., None, :, :])
        “slip:argument_missing | Line 2, `torch.sum(weights[..., None] * vectors[..., None, :, :])`: everything is
        right”

attention.projection
    feature_left_out_and_bias_each_time:
        out = torch.zeros(*hidden_states.shape[:-1], weight.shape[1])
        for row in range(1, weight.shape[0]):
            out = out + hidden_states[..., row].unsqueeze(-1) * weight[row]
            out += bias
        return out
        “slip:outdented | in `range(1, weight.shape[0])`: it is fixed with another number here. 2. Line 5,
        `out += bias`: it is fixed when this line is moved out of the block that it is in.”
    bias_overwritten:
        out = torch.empty(*hidden_states.shape[:-1], weight.shape[1])
        for k in range(weight.shape[1]):
            out[..., k] = bias[k]
            out[..., k] = hidden_states @ weight[:, k]
        return out
        “slip:augmented | Line 5, `out[..., k] = hidden_states @ weight[:, k]`: everything is right when this adds to
        what is there and does not overwrite it.”
    by_linear: F.linear(hidden_states, weight, bias)
        “slip:transposed | Line 2, `weight`: everything is right”

attention.scores
    grouped:
        width = query.shape[-1]
        scores = query @ key.transpose(-2, -1)
        return scores / width ** 1 / 2
        “slip:grouped | Line 4, `scores / width ** 1 / 2`: everything is right”
    lines_exchanged:
        scores = query @ turned
        turned = key.transpose(-2, -1)
        scores = scores / query.shape[-1] ** 0.5
        return scores
        “slip:order_of_lines | Line 2, `scores = query @ turned`: everything is right”

attention.attention
    axis_lost:
        scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        powers = (scores - scores.amax(-1, keepdim=True)).exp()
        weights = powers / powers.sum(dim=-1)
        return weights @ value, weights
        “slip:axis_kept | Line 4, `powers.sum(dim=-1)`: everything is right”
    two_slips_of_which_one_is_catalogued:
        scores = query @ key.transpose(-2, -1) / value.shape[-1] ** 0.5
        return scores.softmax(dim=-1) @ value, scores
        “slip:name:scores_returned | There seem to be two slips. 1. Line 2, `value`”

multi_head.merge_heads
    viewed:
        turned = vectors.transpose(1, 2)
        return turned.view(vectors.shape[0], vectors.shape[2], -1)
        “slip:method | Line 3, `turned.view`: everything is right”

multi_head.switch_off
    not_copied:
        width = context.shape[-1] // num_heads
        made = context
        made[..., head * width : (head + 1) * width] = 0
        return made
        “slip:copied | Line 3, `context`: everything is right”

decoder.top_k
    ascending:
        ordered = logits.sort(dim=-1).values
        least = ordered[..., k - 1 : k]
        return logits.masked_fill(logits < least, float("-inf"))
        “slip:argument_missing | Line 2, `logits.sort(dim=-1)`: everything is right”

taxonomy.window_mask
    from_the_end:
        mask = torch.zeros(length, length, dtype=torch.bool)
        for q in range(length):
            mask[q, q - window + 1 : q + 1] = True
        return mask
        “slip:bounded | Line 4, `q - window + 1`: everything is right”

taxonomy.cache_bytes
    total_of_all:
        made = []
        total = 0
        for length in lengths.tolist():
            for layer in range(num_layers):
                total += 2 * min(length, window) * num_kv_heads * d_head * bytes_per_number
            made.append(total)
        return torch.tensor(made)
        “slip:indented | Line 5, `total = 0`: everything is right”

taxonomy.repair
    a_slice_is_no_copy:
        silent = labels[:]
        silent.fill_(-100)
        return input_ids.repeat(1, 2), attention_mask.repeat(1, 2), torch.cat([silent, labels], dim=1)
        “slip:copied | Line 4, `labels[:]`: everything is right”

positions.repair_positions
    length_of_the_batch: token_table[input_ids] + position_table[: len(input_ids)]
        “slip:length | Line 2, `len(input_ids)`: everything is right”

encoder_decoder.translate
    another_position:
        ids = torch.full((len(memory), 1), start_id)
        done = torch.zeros(len(memory), dtype=torch.bool)
        for _ in range(max_new_tokens):
            best = next_logits(ids, memory)[:, -1, :].argmax(-1).masked_fill(done, pad_id)
            ids = torch.cat([ids, best[:, None]], 1)
            done = done | (best == stop_id)
            if bool(done.all()):
                break
        return ids
        “slip:index_less | Line 7, `next_logits(ids, memory)[:, -1, :]`: everything is right”

workshop.random_windows
    one_start_less:
        starts = torch.randint(0, len(ids) - length - 1, (batch_size,), generator=generator)
        places = starts[:, None] + torch.arange(length)
        return ids[places], ids[places + 1]
        “slip:number | Line 4, the `1` in `len(ids) - length - 1`: everything is right”

encoder.embed
    all_positions: token_table[input_ids] + segment_table[segment_ids] + position_table
        “slip:cut | Line 5, `position_table`: everything is right”

attention.one_word
    multiplied_by_the_root:
        scores = (key * query_i).sum(dim=-1) * query_i.shape[-1] ** 0.5
        return scores.softmax(-1) @ value
        “slip:operator | Line 2, ”

attention.causal_mask
    summed: torch.ones(length, length).tril().bool().sum(dim=1)
        “slip:call_less | `torch.ones(length, length).tril().bool().sum(dim=1)`: everything is right without the call”

encoder.classifier_head
    another_speaker: [:, 0] ⇒ [:, 1]
        “slip:number | everything is right with another number here.”

encoder.train_step
    twice_as_long: , max_norm) ⇒ , 2 * max_norm)
        “slip:number | Line 7, the `2` in `2 * max_norm`: everything is right with another number here.”

attention.masked_softmax
    no_mistake_that_spoils_what_is_right:
        powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
        return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)
        “likeness:constant | Every cell of your weights is 0.”
    no_function_that_no_right_answer_calls:
        largest = scores.max(dim=-1, keepdim=True).values
        powers = torch.where(mask, (scores - largest).exp(), 0.0)
        total = powers.sum(dim=-1, keepdim=True)
        return powers / torch.where(total == 0, 1.0, total)
        “slip:missing | Line 2, `scores`: everything is right with one more step here:”

workshop.llama_block
    no_edit_that_spoils_what_is_right:
        self.attention(self.attention_norm(hidden_states)) ⇒ self.attention_norm(self.attention(hidden_states))
        self.feed_forward(self.feed_forward_norm(hidden_states)) ⇒
            self.feed_forward_norm(self.feed_forward(hidden_states))
        “likeness:cell | cells of your output differ from the target”

decoder.write
    the_first_other_call_comes_first:
        ids = unread = prompt_ids
        for _ in range(max_new_tokens):
            logits, longer = step(unread, cache)
            unread = logits.argmax(dim=-1).reshape(1, 1)
            if unread.item() == stop_id:
                break
            ids = torch.cat((ids, unread), dim=1)
        return ids
        “shape:calls | your second call of `step` receives as its second argument `cache`”

encoder_decoder.attend_to_memory
    axis_lacking_in_the_middle:
        scores = query @ key.transpose(-2, -1)
        padding = attention_mask[:, None, :] == 0
        return scores.masked_fill(padding, float("-inf")).softmax(-1) @ value
        “slip:axis_added | it is fixed with one more step here: a division. 2. Line 3,”

encoder_decoder.learning_rates
    whole_numbers_are_the_whole_fault:
        rates = torch.zeros_like(steps)
        for i, step in enumerate(steps.tolist()):
            rates[i] = d_model ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)
        return rates
        “dtype | In your rates there are whole numbers (int64); wanted are numbers with a fraction (float32).”

positions.mask_words
    python_and_with_sides_swapped:
        chosen = choice < 0.15 and attention_mask == 1
        changed = torch.where(action < 0.9, input_ids, random_ids)
        changed = torch.where(action < 0.8, mask_id, changed)
        return torch.where(chosen, changed, input_ids), torch.where(chosen, input_ids, -100)
        “slip:operator:halves_swapped | `choice < 0.15 and attention_mask == 1`: it is fixed with another operator”

encoder.firing_input
    root_of_a_number_and_a_sum:
        length = torch.sqrt(d_model)
        direction = neuron(1e6 * torch.eye(d_model)) + neuron(-1e6 * torch.eye(d_model))
        return direction / direction.norm() * length
        “slip:name | There are two slips, and fixing both makes everything right. 1. Line 2, `torch.sqrt`: it is”

encoder_decoder.repair
    first_text_for_all_turned_round:
        mask = torch.zeros(len(attention_mask), 1, 1, attention_mask.shape[1], dtype=torch.bool)
        for row in range(len(attention_mask)):
            mask[row, 0, 0] = attention_mask[0] == 0
        return mask
        “slip:counter | the `0` in `attention_mask[0]`: it is fixed with a variable in place of this number. 2. Line 4,
        the last `0` in”
""",
    search=True,
)
