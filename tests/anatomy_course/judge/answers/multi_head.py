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


answers("""
multi_head.split_heads
    split_wrong_side: torch.stack(vectors.chunk(num_heads, dim=1), dim=1)
        “crash | torch.stack wants tensors of one shape; here number”
    split_first:
        d = vectors.shape[-1] // num_heads
        return torch.stack([vectors[..., h : h + d] for h in range(num_heads)], dim=1)
        “likeness:entry | Your heads are right in the first head, and wrong in the others.”
    split_same_head:
        h = vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2)
        return h[:, :1].expand_as(h)
        “likeness:same | In your heads every entry along the heads axis is the same; the first is right, and it”

multi_head.merge_heads
    merge_view:
        b, h, p, d = vectors.shape
        return vectors.transpose(1, 2).view(b, p, h * d)
        “crash | `view` reads the numbers in the order in which they lie, and after a transpose that”
    merge_first: vectors[:, 0]
        “shape:of_argument | Your vectors are the first entry of `vectors` along its axis”
    merge_in_place:
        vectors *= 1.5
        return vectors.transpose(1, 2).flatten(2)
        “likeness:factor | What you return is not right either: In your vectors every number is the target's”

multi_head.multi_head_attention
    whole_no_value: hidden_states @ value_weight @ output_weight
        “likeness:unused | Nothing in your output changes when the numbers in `query_weight` change, but”
    heads_left_where_they_are:
        all_three = (query_weight, key_weight, value_weight)
        query, key, value = ((hidden_states @ weight).unflatten(-1, (num_heads, -1)) for weight in all_three)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return (scores.softmax(-1) @ value).transpose(1, 2).flatten(2) @ output_weight
        “crash | In line 6 `query` became (2, 3, 7, 5): these are the numbers of the queries of each head”
    features_by_features:
        n = num_heads
        query, key, value = (heads(hidden_states @ w, n) for w in (query_weight, key_weight, value_weight))
        table = query.mT @ key
        return merged(table.softmax(-1) @ value) @ output_weight
        “crash | In line 7 `table` became (2, 7, 5, 5): the length of `d_head` appears twice.”

multi_head.head_outputs
    out_context: context
        “shape:argument | You return `context` just as it came in.”
    out_without:
        each = context @ output_weight.unflatten(0, (context.shape[1], -1))
        return each.sum(1, keepdim=True) - each
        “likeness:cell | differ from the target”
    columns:
        heads, d_head = context.shape[1], context.shape[3]
        own = [output_weight[:, head * d_head : (head + 1) * d_head].T for head in range(heads)]
        return torch.stack([context[:, head] @ own[head] for head in range(heads)], dim=1)
        “shape:turned_argument | it uses `output_weight` as if it came as (9, 6), and it comes as (6, 9).”

multi_head.switch_off
    off_too_long:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[..., head * d : (head + 1) * d + 1] = 0
        return c
        “likeness:zero | Your context is exactly 0 in 107 of 3465 cells; where the target is not 0,”
    off_first:
        d = context.shape[-1] // num_heads
        c = context.clone()
        c[0, :, head * d : (head + 1) * d] = 0
        return c
        “likeness:entry | Your context is right in the first sentence, and wrong in the others.”
    off_unchanged: context.clone()
        “likeness:argument | You return `context` just as it came in.”

multi_head.attention_at_offset
    offset_kept_axis: weights.diagonal(offset, dim1=-2, dim2=-1).mean(dim=-1, keepdim=True)
        “shape:ones | there is an axis of length 1 too many”
    offset_first_head: weights[0].diagonal(offset).mean().expand(weights.shape[0])
        “likeness:constant | Every cell of your measure holds the same number.”

multi_head.repair
    rep_values:
        n = num_heads
        q, k = heads(query, n), heads(key, n)
        return merged(masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ k)
        “likeness:inputs | Your context is exactly what comes out when `key` is used in place of `value`.”

multi_head.disguise
    two_features_each:
        torch.linalg.qr(torch.randn(d_head, d_head)).Q ⇒
            torch.block_diag(torch.linalg.qr(torch.randn(2, 2)).Q, torch.eye(d_head - 2))
        “objection:some | some features are old ones: 6 of W_Q, 6 of W_K, 6 of W_V, 6 of W_O.”
    other_turns_across_heads:
        across = torch.linalg.qr(torch.randn(query_weight.shape)).Q
        return query_weight @ across, key_weight @ across, value_weight @ across, across.T @ output_weight
        “mistake:across_heads | Your mixture goes across heads”

multi_head.pick_heads
    gap_to_the_mean:
        finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            finds = matches.diagonal(dim1=1, dim2=2).mean(-1) - matches.mean((1, 2))
        “mistake:own_alone | Compare within a row: is a word's own number the largest?”
""")
