"""Wrong answers to the exercises of notebook 02 that are in no catalogue."""

from __future__ import annotations

import math

from answers import answers


def heads(x, n):
    return x.unflatten(-1, (n, -1)).transpose(1, 2)


def merged(x):
    return x.transpose(1, 2).flatten(2)


def attended(q, k, v, scale=None):
    return ((q @ k.mT) * (q.shape[-1] ** -0.5 if scale is None else scale)).softmax(-1) @ v


def masked(scores, mask):
    return scores.masked_fill(~mask, -math.inf)


answers(
    "multi_head.split_heads",
    """
    split_reversed: vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2).flip(1)
        “likeness:function | Your heads are the target reversed along the heads axis.”
    split_float:
        b, p, d = vectors.shape
        return vectors.view(b, p, num_heads, d / num_heads).transpose(1, 2)
        “crash | A size or an index must be a whole number, and `/` makes one with a decimal point; `//`”
    split_wrong_side: torch.stack(vectors.chunk(num_heads, dim=1), dim=1)
        “crash | torch.stack wants tensors of one shape; here number”
    split_scaled:
        h = vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2)
        return h / math.sqrt(h.shape[-1])
        “likeness:size_factor | In your heads every number is the target's divided by √d_head.”
    split_first:
        d = vectors.shape[-1] // num_heads
        return torch.stack([vectors[..., h : h + d] for h in range(num_heads)], dim=1)
        “likeness:entry | Your heads are right in the first head, and wrong in the others.”
    split_batch: vectors.unflatten(-1, (num_heads, -1)).transpose(0, 2)
        “shape:transposed | Your numbers are right, but the axes are in another order: heads × position × batch ×”
    split_folded: vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2).flatten(0, 1)
        “shape:layout | Your numbers are right and in the right order, but laid out in another shape: yours is”
    split_same_head:
        h = vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2)
        return h[:, :1].expand_as(h)
        “likeness:same | In your heads every entry along the heads axis is the same; the first is right, and it”
    """,
)

answers(
    "multi_head.merge_heads",
    """
    merge_view:
        b, h, p, d = vectors.shape
        return vectors.transpose(1, 2).view(b, p, h * d)
        “crash | `view` reads the numbers in the order in which they lie, and after a transpose that”
    merge_batch: vectors.transpose(1, 2).flatten(0, 1)
        “shape:layout | Your numbers are right and in the right order, but laid out in another shape: yours is”
    merge_turned: vectors.transpose(1, 2).flatten(2).transpose(1, 2)
        “shape:transposed | Your numbers are right, but the last two axes are swapped: there is one row per”
    merge_half: torch.cat([vectors[:, 0], vectors[:, 1]], dim=-1)
        “shape:shape | The shape of your vectors is”
    merge_first: vectors[:, 0]
        “shape:of_argument | Your vectors are the first entry of `vectors` along its axis”
    merge_divided: vectors.transpose(1, 2).flatten(2) / vectors.shape[1]
        “likeness:size_factor | In your vectors every number is the target's divided by the number of heads.”
    merge_cat0: torch.cat(list(vectors), dim=-1)
        “shape:shape | The shape of your vectors is”
    merge_in_place:
        vectors *= 1.5
        return vectors.transpose(1, 2).flatten(2)
        “likeness:factor | What you return is not right either: In your vectors every number is the target's”
    """,
)

answers(
    "multi_head.stack_heads",
    """
    stack_list: list(weights)
        “type | You return a list of 2 tensors; one tensor is wanted. torch.stack makes one of many.”
    stack_avg: torch.cat(list(weights), 1) / len(weights)
        “likeness:size_factor | In your matrix every number is the target's divided by the number of heads.”
    stack_rev: torch.cat(list(weights.flip(0)), 1)
        “likeness:order | In your matrix everything is there, but in another order along the all_heads axis.”
    """,
)

answers(
    "multi_head.multi_head_attention",
    """
    whole_causal:
        x = hidden_states
        qs, ks, vs = (heads(x @ w, num_heads) for w in (query_weight, key_weight, value_weight))
        s = qs @ ks.mT / qs.shape[-1] ** 0.5
        s = s.masked_fill(~torch.ones_like(s).bool().tril(), -1e9)
        return merged(s.softmax(-1) @ vs) @ output_weight
        “likeness:stage | The scores are right: your variable”
    whole_values_raw:
        return (
            merged(
                attended(
                    heads(hidden_states @ query_weight, num_heads),
                    heads(hidden_states @ key_weight, num_heads),
                    heads(hidden_states, num_heads),
                )
            )
            @ output_weight
        )
        “likeness:unused | Nothing in your output changes when the numbers in `value_weight` change, but”
    whole_kq:
        return (
            merged(
                attended(
                    heads(hidden_states @ key_weight, num_heads),
                    heads(hidden_states @ query_weight, num_heads),
                    heads(hidden_states @ value_weight, num_heads),
                )
            )
            @ output_weight
        )
        “likeness:inputs | Your output is exactly what comes out when `query_weight` and `key_weight` are”
    whole_queries_everywhere:
        qs = heads(hidden_states @ query_weight, num_heads)
        return merged(attended(qs, qs, qs)) @ output_weight
        “likeness:unused | Nothing in your output changes when the numbers in `value_weight` change, but something
        should.”
    whole_mean:
        c = attended(
            heads(hidden_states @ query_weight, num_heads),
            heads(hidden_states @ key_weight, num_heads),
            heads(hidden_states @ value_weight, num_heads),
        )
        return (c @ output_weight.unflatten(0, (num_heads, -1))).mean(1)
        “likeness:size_factor | In your output every number is the target's divided by the number of heads.”
    whole_o_per_head:
        c = attended(
            heads(hidden_states @ query_weight, num_heads),
            heads(hidden_states @ key_weight, num_heads),
            heads(hidden_states @ value_weight, num_heads),
        )
        return c @ output_weight.unflatten(0, (num_heads, -1))
        “shape:axis_left | You are one step away: your result has an axis more than the target, and added up over”
    whole_first_head:
        d = hidden_states.shape[-1] // num_heads
        c = attended(
            heads(hidden_states @ query_weight, num_heads),
            heads(hidden_states @ key_weight, num_heads),
            heads(hidden_states @ value_weight, num_heads),
        )
        return c[:, 0] @ output_weight[:d]
        “likeness:stage | The contexts of each head are right: your variable `c` holds them. In the end none of your”
    whole_no_root:
        qs = heads(hidden_states @ query_weight, num_heads)
        return (
            merged(
                attended(
                    qs,
                    heads(hidden_states @ key_weight, num_heads),
                    heads(hidden_states @ value_weight, num_heads),
                    scale=1 / qs.shape[-1],
                )
            )
            @ output_weight
        )
        “likeness:inputs | Your output is exactly what comes out when `query_weight` is divided by √d_head.”
    whole_query_axis:
        n = num_heads
        query, key, value = (heads(hidden_states @ w, n) for w in (query_weight, key_weight, value_weight))
        scores = query @ key.mT / query.shape[-1] ** 0.5
        weights = scores.softmax(2)
        return merged(weights @ value) @ output_weight
        “likeness:stage | The scores are right: your variable `scores` holds them. In the end none of your variables”
    whole_shared:
        ks = heads(hidden_states @ key_weight, num_heads)[:, :1]
        vs = heads(hidden_states @ value_weight, num_heads)[:, :1]
        return merged(attended(heads(hidden_states @ query_weight, num_heads), ks, vs)) @ output_weight
        “likeness:cell | differ from the target”
    whole_only_query_split:
        return (
            merged(
                attended(
                    heads(hidden_states @ query_weight, num_heads),
                    hidden_states @ key_weight,
                    hidden_states @ value_weight,
                )
            )
            @ output_weight
        )
        “crash | a matrix product of stacks needs equal axes before the last two”
    whole_unsplit_shape:
        b, p, d = hidden_states.shape
        return attended(
            *(
                (hidden_states @ w).view(b, num_heads, p, d // num_heads)
                for w in (query_weight, key_weight, value_weight)
            )
        ).view(b, p, d)
        “likeness:unused | Nothing in your output changes when the numbers in `output_weight` change, but”
    whole_no_value: hidden_states @ value_weight @ output_weight
        “likeness:unused | Nothing in your output changes when the numbers in `query_weight` change, but”
    whole_dropout:
        return (
            merged(
                F.dropout(
                    attended(
                        heads(hidden_states @ query_weight, num_heads),
                        heads(hidden_states @ key_weight, num_heads),
                        heads(hidden_states @ value_weight, num_heads),
                    ),
                    0.1,
                )
            )
            @ output_weight
        )
        “unsteady | Your function gives another result each time it is called with the same input. Is there”
    """,
)

answers(
    "multi_head.head_outputs",
    """
    out_whole: context @ output_weight
        “crash | The two do not fit for a matrix product: `context` is (2, 7, 3, 5), `output_weight` is (35, 35),”
    out_context: context
        “shape:argument | You return `context` just as it came in.”
    out_nosum:
        h, d = context.shape[1], context.shape[3]
        return torch.cat([context[:, i] @ output_weight[i * d : (i + 1) * d] for i in range(h)], dim=1)
        “shape:layout | Your numbers are right and in the right order, but laid out in another shape: yours is”
    out_stack0:
        h, d = context.shape[1], context.shape[3]
        return torch.stack([context[:, i] @ output_weight[i * d : (i + 1) * d] for i in range(h)])
        “shape:transposed | Your numbers are right, but the axes are in another order: heads × batch × position ×”
    out_cumulative: (context @ output_weight.unflatten(0, (context.shape[1], -1))).cumsum(1)
        “likeness:function | Your outputs are the running sum of the target over the heads axis.”
    out_off:
        h, d = context.shape[1], context.shape[3]
        return torch.stack([context[:, i] @ output_weight[i : i + d] for i in range(h)], 1)
        “likeness:entry | Your outputs are right in the first head, and wrong in the others.”
    out_without:
        each = context @ output_weight.unflatten(0, (context.shape[1], -1))
        return each.sum(1, keepdim=True) - each
        “likeness:cell | differ from the target”
    """,
)

answers(
    "multi_head.switch_off",
    """
    off_in_place:
        d = context.shape[-1] // num_heads
        context[..., head * d : (head + 1) * d] = 0
        return context
        “mutated | Your function changes its input: `context` held other numbers afterwards. The code”
    off_one:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[..., head * d : (head + 1) * d] = 1
        return c
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in none of these cells”
    off_rescaled:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[..., head * d : (head + 1) * d] = 0
        return c * num_heads / (num_heads - 1)
        “likeness:case_factor | In your context every number is the target's times one number, but another one in each”
    off_too_long:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[..., head * d : (head + 1) * d + 1] = 0
        return c
        “likeness:zero | In 107 of 3465 cells your context is exactly 0, where the target is not.”
    off_too_short:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[..., head * d + 1 : (head + 1) * d] = 0
        return c
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in 110 of these 462 cells”
    off_float:
        d = context.shape[-1] / num_heads
        c = context.clone()
        c[..., head * d : (head + 1) * d] = 0
        return c
        “crash | A size or an index must be a whole number, and `/` makes one with a decimal point; `//`”
    off_first:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[0, :, head * d : (head + 1) * d] = 0
        return c
        “likeness:entry | Your context is right in the first sentence, and wrong in the others.”
    off_before:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[..., : head * d] = 0
        return c
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in none of these cells”
    off_view:
        b, p, d = context.shape
        c = context.clone().view(b, num_heads, p, d // num_heads)
        c[:, head] = 0
        return c.view(b, p, d)
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in 347 of these 462 cells”
    off_unchanged: context.clone()
        “likeness:argument | You return `context` just as it came in.”
    off_from_end:
        d = context.shape[-1] // num_heads
        c = context.clone()
        h = num_heads - 1 - head
        c[..., h * d : (h + 1) * d] = 0
        return c
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in none of these cells”
    """,
)

answers(
    "multi_head.attention_at_offset",
    """
    offset_kept_axis: weights.diagonal(offset, dim1=-2, dim2=-1).mean(dim=-1, keepdim=True)
        “shape:ones | there is an axis of length 1 too many”
    offset_first_axes: weights.diagonal(offset).mean(dim=-1)
        “shape:shape | The shape of your measure is (5,); wanted is (3,) (heads).”
    offset_first_head: weights[0].diagonal(offset).mean().expand(weights.shape[0])
        “likeness:constant | Every cell of your measure holds the same number.”
    offset_beyond: torch.stack([weights[:, query, query + offset] for query in range(weights.shape[-1])]).mean(0)
        “crash | Index 7 is beyond the end of axis 2, which holds 7 (0 to 6)”
    offset_list: [float(head.diagonal(offset).mean()) for head in weights]
        “type | You return a list of 3; a tensor is wanted.”
    offset_percent: 100 * weights.diagonal(offset, dim1=-2, dim2=-1).mean(dim=-1)
        “likeness:factor | In your measure every number is the target's times 100.”
    """,
)

answers(
    "multi_head.cross_attention",
    """
    cross_values:
        return (
            merged(
                attended(
                    heads(hidden_states @ query_weight, num_heads),
                    heads(memory @ key_weight, num_heads),
                    heads(hidden_states @ value_weight, num_heads),
                )
            )
            @ output_weight
        )
        “crash | The two do not fit for a matrix product: the last axis of the left has”
    cross_keys:
        return (
            merged(
                attended(
                    heads(hidden_states @ query_weight, num_heads),
                    heads(hidden_states @ key_weight, num_heads),
                    heads(memory @ value_weight, num_heads),
                )
            )
            @ output_weight
        )
        “crash | The two do not fit for a matrix product: the last axis of the left has”
    cross_kq:
        return (
            merged(
                attended(
                    heads(hidden_states @ key_weight, num_heads),
                    heads(memory @ query_weight, num_heads),
                    heads(memory @ value_weight, num_heads),
                )
            )
            @ output_weight
        )
        “likeness:inputs | Your output is exactly what comes out when `query_weight` and `key_weight` are”
    cross_v_raw:
        return (
            merged(
                attended(
                    heads(hidden_states @ query_weight, num_heads),
                    heads(memory @ key_weight, num_heads),
                    heads(memory, num_heads),
                )
            )
            @ output_weight
        )
        “likeness:unused | Nothing in your output changes when the numbers in `value_weight` change, but”
    cross_mean: (memory @ value_weight @ output_weight).mean(1, keepdim=True).expand_as(hidden_states)
        “likeness:inputs | Your output is exactly what comes out when `hidden_states` is all”
    cross_axis:
        s = (
            heads(hidden_states @ query_weight, num_heads)
            @ heads(memory @ key_weight, num_heads).mT
            / (hidden_states.shape[-1] // num_heads) ** 0.5
        )
        return merged(s.softmax(-2) @ heads(memory @ value_weight, num_heads)) @ output_weight
        “likeness:stage | The scores are right: your variable `s` holds them. In the end none of your variables holds”
    cross_output_turned:
        return (
            merged(
                attended(
                    heads(hidden_states @ query_weight, num_heads),
                    heads(memory @ key_weight, num_heads),
                    heads(memory @ value_weight, num_heads),
                )
            )
            @ output_weight.T
        )
        “likeness:inputs | Your output is exactly what comes out when the numbers in `output_weight` are arranged”
    cross_noscale:
        return (
            merged(
                attended(
                    heads(hidden_states @ query_weight, num_heads),
                    heads(memory @ key_weight, num_heads),
                    heads(memory @ value_weight, num_heads),
                    1.0,
                )
            )
            @ output_weight
        )
        “likeness:inputs | Your output is exactly what comes out when `hidden_states` is multiplied by √d_head.”
    """,
)

answers(
    "multi_head.repair",
    """
    rep_query_mask:
        n = num_heads
        q, k, v = heads(query, n), heads(key, n), heads(value, n)
        s = q @ k.mT / q.shape[-1] ** 0.5
        return merged(masked(s.mT, mask.mT).softmax(-1).mT @ v)
        “nan | In your context there is NaN (not a number) everywhere with a padded batch; with a single word it is
        right.”
    rep_zero_before:
        n = num_heads
        q, k, v = heads(query, n), heads(key, n), heads(value, n)
        s = q @ k.mT / q.shape[-1] ** 0.5
        return merged((s * mask).softmax(-1) @ v)
        “likeness:stage | You are right up to the scores: your variable `s` holds them. In the end none of your”
    rep_values:
        n = num_heads
        q, k = heads(query, n), heads(key, n)
        return merged(masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ k)
        “likeness:inputs | Your context is exactly what comes out when `key` is used in place of `value`.”
    rep_no_merge:
        n = num_heads
        q, k, v = heads(query, n), heads(key, n), heads(value, n)
        return masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ v
        “shape:stage | What you return as context is only the contexts of each head: up to there it is right.”
    rep_axis:
        n = num_heads
        q, k, v = heads(query, n), heads(key, n), heads(value, n)
        return merged(masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-2).nan_to_num() @ v)
        “likeness:stage | You are right up to the keys of each head: your variable `k` holds them. In the end none of”
    rep_view_error:
        n = num_heads
        q, k, v = heads(query, n), heads(key, n), heads(value, n)
        return (masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ v).transpose(1, 2).view(query.shape)
        “crash | `view` reads the numbers in the order in which they lie, and after a transpose that”
    rep_no_root:
        n = num_heads
        q, k, v = heads(query, n), heads(key, n), heads(value, n)
        return merged(masked(q @ k.mT / q.shape[-1], mask).softmax(-1) @ v)
        “likeness:inputs | Your context is exactly what comes out when `query` is divided by √d_head.”
    rep_keys_scrambled:
        b, _, d = query.shape
        n = num_heads
        q, v = heads(query, n), heads(value, n)
        k = key.view(b, n, -1, d // n)
        return merged(masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ v)
        “likeness:stage | You are right up to the queries of each head: your variable `q` holds them. In the end none
        of”
    rep_per_position:
        n = num_heads
        q, k, v = (t.unflatten(-1, (n, -1)) for t in (query, key, value))
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
        “crash | a matrix product of stacks needs equal axes before the last two”
    """,
)
