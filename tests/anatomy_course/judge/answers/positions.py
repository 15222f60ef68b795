"""Wrong answers to the exercises of notebook 04 that are in no catalogue."""

from __future__ import annotations

from answers import answers

answers("""
positions.sinusoids
    waves_integer:
        angles = positions[:, None] // 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        “likeness:zero | Your waves are exactly 0 ”
    waves_half:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return angles.sin()
        “shape:stage | What you return as waves is only the sines: up to there it is right.”
    waves_math:
        angles = positions[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
        return torch.stack([math.sin(angles), math.cos(angles)], dim=-1)
        “crash | A tensor with many numbers cannot be turned into a single one; math.exp, math.sqrt and”

positions.rotary
    rotary_by_position:
        first, second = vectors.chunk(2, dim=-2)
        return vectors * cosines + torch.cat([-second, first], dim=-2) * sines
        “likeness:cell | differ from the target”
    rotary_no_angles:
        first, second = vectors.chunk(2, dim=-1)
        return torch.cat([-second, first], dim=-1)
        “likeness:stage | What you return as vectors is only the partners: up to there it is right.”

positions.best_span
    span_stacked:
        sums = start_scores[:, :, None] + end_scores[:, None, :]
        n = sums.shape[-1]
        legal = torch.ones(n, n, dtype=torch.bool).triu().tril(max_length - 1)
        best = sums.masked_fill(~legal, -math.inf).flatten(1).argmax(1)
        return torch.stack([best // n, best % n], dim=1)
        “type | You return one tensor of shape (7, 2); this exercise wants 2: `return start, end`.”
    span_clamped:
        start = start_scores.argmax(1)
        end = end_scores.argmax(1)
        return start, torch.maximum(start, torch.minimum(end, start + max_length - 1))
        “part:start_first | Your start is right with one text and with texts of one word, but not with a batch of”

positions.mask_words
    mask_padding_hidden:
        chosen = (choice < 0.15) & (attention_mask == 1)
        labels = input_ids.masked_fill(~chosen, -100)
        masked = input_ids.masked_fill((choice < 0.15) & (action < 0.8), mask_id)
        return torch.where(chosen & (action >= 0.8) & (action < 0.9), random_ids, masked), labels
        “likeness:stage | Right with one text, with texts of one word and with ids that happen to be equal, but not”

positions.repair_positions
    positions_transposed: token_table[input_ids.T] + position_table[torch.arange(input_ids.shape[1])][:, None]
        “shape:transposed | Your numbers are right, but the axes are in another order: position × batch × d_model.”
""")
