"""Wrong answers to the exercises of notebook 02 that are in no catalogue."""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from answers import answer


def heads(x, n):
    return x.unflatten(-1, (n, -1)).transpose(1, 2)


def merged(x):
    return x.transpose(1, 2).flatten(2)


def attended(q, k, v, scale=None):
    return ((q @ k.mT) * (q.shape[-1] ** -0.5 if scale is None else scale)).softmax(-1) @ v


def masked(scores, mask):
    return scores.masked_fill(~mask, -math.inf)


@answer(
    "multi_head.split_heads",
    "likeness:function",
    "Your heads are the target reversed along the heads axis.",
)
def split_reversed(vectors, num_heads):
    return vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2).flip(1)


@answer(
    "multi_head.split_heads",
    "crash",
    "A size or an index must be a whole number, and `/` makes one with a decimal point; `//`",
)
def split_float(vectors, num_heads):
    b, p, d = vectors.shape
    return vectors.view(b, p, num_heads, d / num_heads).transpose(1, 2)


@answer("multi_head.split_heads", "crash", "torch.stack wants tensors of one shape; here number")
def split_wrong_side(vectors, num_heads):
    return torch.stack(vectors.chunk(num_heads, dim=1), dim=1)


@answer(
    "multi_head.split_heads", "likeness:size_factor", "In your heads every number is the target's divided by √d_head."
)
def split_scaled(vectors, num_heads):
    h = vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    return h / math.sqrt(h.shape[-1])


@answer("multi_head.split_heads", "likeness:entry", "Your heads are right in the first head, and wrong in the others.")
def split_first(vectors, num_heads):
    d = vectors.shape[-1] // num_heads
    return torch.stack([vectors[..., h : h + d] for h in range(num_heads)], dim=1)


@answer(
    "multi_head.split_heads",
    "shape:transposed",
    "Your numbers are right, but the axes are in another order: heads × position × batch ×",
)
def split_batch(vectors, num_heads):
    return vectors.unflatten(-1, (num_heads, -1)).transpose(0, 2)


@answer(
    "multi_head.split_heads",
    "shape:layout",
    "Your numbers are right and in the right order, but laid out in another shape: yours is",
)
def split_folded(vectors, num_heads):
    return vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2).flatten(0, 1)


@answer(
    "multi_head.split_heads",
    "likeness:same",
    "In your heads every entry along the heads axis is the same; the first is right, and it",
)
def split_same_head(vectors, num_heads):
    h = vectors.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    return h[:, :1].expand_as(h)


@answer(
    "multi_head.merge_heads",
    "crash",
    "`view` reads the numbers in the order in which they lie, and after a transpose that",
)
def merge_view(vectors):
    b, h, p, d = vectors.shape
    return vectors.transpose(1, 2).view(b, p, h * d)


@answer(
    "multi_head.merge_heads",
    "shape:layout",
    "Your numbers are right and in the right order, but laid out in another shape: yours is",
)
def merge_batch(vectors):
    return vectors.transpose(1, 2).flatten(0, 1)


@answer(
    "multi_head.merge_heads",
    "shape:transposed",
    "Your numbers are right, but the last two axes are swapped: there is one row per",
)
def merge_turned(vectors):
    return vectors.transpose(1, 2).flatten(2).transpose(1, 2)


@answer("multi_head.merge_heads", "shape:shape", "The shape of your vectors is")
def merge_half(vectors):
    return torch.cat([vectors[:, 0], vectors[:, 1]], dim=-1)


@answer("multi_head.merge_heads", "shape:of_argument", "Your vectors are the first entry of `vectors` along its axis")
def merge_first(vectors):
    return vectors[:, 0]


@answer(
    "multi_head.merge_heads",
    "likeness:size_factor",
    "In your vectors every number is the target's divided by the number of heads.",
)
def merge_divided(vectors):
    return vectors.transpose(1, 2).flatten(2) / vectors.shape[1]


@answer("multi_head.merge_heads", "shape:shape", "The shape of your vectors is")
def merge_cat0(vectors):
    return torch.cat(list(vectors), dim=-1)


@answer(
    "multi_head.merge_heads",
    "likeness:factor",
    "What you return is not right either: In your vectors every number is the target's",
)
def merge_in_place(vectors):
    vectors *= 1.5
    return vectors.transpose(1, 2).flatten(2)


@answer(
    "multi_head.stack_heads",
    "type",
    "You return a list of 2 tensors; one tensor is wanted. torch.stack makes one of many.",
)
def stack_list(weights):
    return list(weights)


@answer(
    "multi_head.stack_heads",
    "likeness:size_factor",
    "In your matrix every number is the target's divided by the number of heads.",
)
def stack_avg(weights):
    return torch.cat(list(weights), 1) / len(weights)


@answer(
    "multi_head.stack_heads",
    "likeness:order",
    "In your matrix everything is there, but in another order along the all_heads axis.",
)
def stack_rev(weights):
    return torch.cat(list(weights.flip(0)), 1)


@answer(
    "multi_head.multi_head_attention",
    "likeness:stage",
    "The scores are right: your variable",
)
def whole_causal(hidden_states, q, k, v, o, n):
    x = hidden_states
    qs, ks, vs = (heads(x @ w, n) for w in (q, k, v))
    s = qs @ ks.mT / qs.shape[-1] ** 0.5
    s = s.masked_fill(~torch.ones_like(s).bool().tril(), -1e9)
    return merged(s.softmax(-1) @ vs) @ o


@answer(
    "multi_head.multi_head_attention",
    "likeness:unused",
    "Nothing in your output changes when the numbers in `value_weight` change, but",
)
def whole_values_raw(x, q, k, v, o, n):
    return merged(attended(heads(x @ q, n), heads(x @ k, n), heads(x, n))) @ o


@answer(
    "multi_head.multi_head_attention",
    "likeness:inputs",
    "Your output is exactly what comes out when `query_weight` and `key_weight` are",
)
def whole_kq(x, q, k, v, o, n):
    return merged(attended(heads(x @ k, n), heads(x @ q, n), heads(x @ v, n))) @ o


@answer(
    "multi_head.multi_head_attention",
    "likeness:unused",
    "Nothing in your output changes when the numbers in `value_weight` change, but something should.",
)
def whole_queries_everywhere(x, q, k, v, o, n):
    qs = heads(x @ q, n)
    return merged(attended(qs, qs, qs)) @ o


@answer(
    "multi_head.multi_head_attention",
    "likeness:size_factor",
    "In your output every number is the target's divided by the number of heads.",
)
def whole_mean(x, q, k, v, o, n):
    c = attended(heads(x @ q, n), heads(x @ k, n), heads(x @ v, n))
    return (c @ o.unflatten(0, (n, -1))).mean(1)


@answer(
    "multi_head.multi_head_attention",
    "shape:axis_left",
    "You are one step away: your result has an axis more than the target, and added up over",
)
def whole_o_per_head(x, q, k, v, o, n):
    c = attended(heads(x @ q, n), heads(x @ k, n), heads(x @ v, n))
    return c @ o.unflatten(0, (n, -1))


@answer(
    "multi_head.multi_head_attention",
    "likeness:stage",
    "The contexts of each head are right: your variable `c` holds them. In the end none of your",
)
def whole_first_head(x, q, k, v, o, n):
    d = x.shape[-1] // n
    c = attended(heads(x @ q, n), heads(x @ k, n), heads(x @ v, n))
    return c[:, 0] @ o[:d]


@answer(
    "multi_head.multi_head_attention",
    "likeness:inputs",
    "Your output is exactly what comes out when `query_weight` is divided by √d_head.",
)
def whole_no_root(x, q, k, v, o, n):
    qs = heads(x @ q, n)
    return merged(attended(qs, heads(x @ k, n), heads(x @ v, n), scale=1 / qs.shape[-1])) @ o


@answer(
    "multi_head.multi_head_attention",
    "likeness:stage",
    "The scores are right: your variable `scores` holds them. In the end none of your variables",
)
def whole_query_axis(hidden_states, query_weight, key_weight, value_weight, output_weight, num_heads):
    n = num_heads
    query, key, value = (heads(hidden_states @ w, n) for w in (query_weight, key_weight, value_weight))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = scores.softmax(2)
    return merged(weights @ value) @ output_weight


@answer("multi_head.multi_head_attention", "likeness:cell", "differ from the target")
def whole_shared(x, q, k, v, o, n):
    ks = heads(x @ k, n)[:, :1]
    vs = heads(x @ v, n)[:, :1]
    return merged(attended(heads(x @ q, n), ks, vs)) @ o


@answer("multi_head.multi_head_attention", "crash", "a matrix product of stacks needs equal axes before the last two")
def whole_only_query_split(x, q, k, v, o, n):
    return merged(attended(heads(x @ q, n), x @ k, x @ v)) @ o


@answer(
    "multi_head.multi_head_attention",
    "likeness:unused",
    "Nothing in your output changes when the numbers in `output_weight` change, but",
)
def whole_unsplit_shape(x, q, k, v, o, n):
    b, p, d = x.shape
    return attended(*((x @ w).view(b, n, p, d // n) for w in (q, k, v))).view(b, p, d)


@answer(
    "multi_head.multi_head_attention",
    "likeness:unused",
    "Nothing in your output changes when the numbers in `query_weight` change, but",
)
def whole_no_value(x, q, k, v, o, n):
    return x @ v @ o


@answer(
    "multi_head.multi_head_attention",
    "unsteady",
    "Your function gives another result each time it is called with the same input. Is there",
)
def whole_dropout(x, q, k, v, o, n):
    return merged(F.dropout(attended(heads(x @ q, n), heads(x @ k, n), heads(x @ v, n)), 0.1)) @ o


@answer(
    "multi_head.head_outputs",
    "crash",
    "The two do not fit for a matrix product: `context` is (2, 7, 3, 5), `output_weight` is (35, 35),",
)
def out_whole(context, output_weight):
    return context @ output_weight


@answer("multi_head.head_outputs", "shape:argument", "You return `context` just as it came in.")
def out_context(context, output_weight):
    return context


@answer(
    "multi_head.head_outputs",
    "shape:layout",
    "Your numbers are right and in the right order, but laid out in another shape: yours is",
)
def out_nosum(context, output_weight):
    h, d = context.shape[1], context.shape[3]
    return torch.cat([context[:, i] @ output_weight[i * d : (i + 1) * d] for i in range(h)], dim=1)


@answer(
    "multi_head.head_outputs",
    "shape:transposed",
    "Your numbers are right, but the axes are in another order: heads × batch × position ×",
)
def out_stack0(context, output_weight):
    h, d = context.shape[1], context.shape[3]
    return torch.stack([context[:, i] @ output_weight[i * d : (i + 1) * d] for i in range(h)])


@answer(
    "multi_head.head_outputs",
    "likeness:function",
    "Your outputs are the running sum of the target over the heads axis.",
)
def out_cumulative(context, output_weight):
    return (context @ output_weight.unflatten(0, (context.shape[1], -1))).cumsum(1)


@answer(
    "multi_head.head_outputs", "likeness:entry", "Your outputs are right in the first head, and wrong in the others."
)
def out_off(context, output_weight):
    h, d = context.shape[1], context.shape[3]
    return torch.stack([context[:, i] @ output_weight[i : i + d] for i in range(h)], 1)


@answer("multi_head.head_outputs", "likeness:cell", "differ from the target")
def out_without(context, output_weight):
    each = context @ output_weight.unflatten(0, (context.shape[1], -1))
    return each.sum(1, keepdim=True) - each


@answer(
    "multi_head.switch_off",
    "mutated",
    "Your function changes its input: `context` held other numbers afterwards. The code",
)
def off_in_place(context, head, num_heads):
    d = context.shape[-1] // num_heads
    context[..., head * d : (head + 1) * d] = 0
    return context


@answer(
    "multi_head.switch_off",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in none of these cells",
)
def off_one(context, head, num_heads):
    d = context.shape[-1] // num_heads
    c = context.clone()
    c[..., head * d : (head + 1) * d] = 1
    return c


@answer(
    "multi_head.switch_off",
    "likeness:case_factor",
    "In your context every number is the target's times one number, but another one in each",
)
def off_rescaled(context, head, num_heads):
    d = context.shape[-1] // num_heads
    c = context.clone()
    c[..., head * d : (head + 1) * d] = 0
    return c * num_heads / (num_heads - 1)


@answer(
    "multi_head.switch_off", "likeness:zero", "In 107 of 3465 cells your context is exactly 0, where the target is not."
)
def off_too_long(context, head, num_heads):
    d = context.shape[-1] // num_heads
    c = context.clone()
    c[..., head * d : (head + 1) * d + 1] = 0
    return c


@answer(
    "multi_head.switch_off",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in 110 of these 462 cells",
)
def off_too_short(context, head, num_heads):
    d = context.shape[-1] // num_heads
    c = context.clone()
    c[..., head * d + 1 : (head + 1) * d] = 0
    return c


@answer(
    "multi_head.switch_off",
    "crash",
    "A size or an index must be a whole number, and `/` makes one with a decimal point; `//`",
)
def off_float(context, head, num_heads):
    d = context.shape[-1] / num_heads
    c = context.clone()
    c[..., head * d : (head + 1) * d] = 0
    return c


@answer(
    "multi_head.switch_off", "likeness:entry", "Your context is right in the first sentence, and wrong in the others."
)
def off_first(context, head, num_heads):
    d = context.shape[-1] // num_heads
    c = context.clone()
    c[0, :, head * d : (head + 1) * d] = 0
    return c


@answer(
    "multi_head.switch_off",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in none of these cells",
)
def off_before(context, head, num_heads):
    d = context.shape[-1] // num_heads
    c = context.clone()
    c[..., : head * d] = 0
    return c


@answer(
    "multi_head.switch_off",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in 347 of these 462 cells",
)
def off_view(context, head, num_heads):
    b, p, d = context.shape
    c = context.clone().view(b, num_heads, p, d // num_heads)
    c[:, head] = 0
    return c.view(b, p, d)


@answer("multi_head.attention_at_offset", "shape:ones", "there is an axis of length 1 too many")
def offset_kept_axis(weights, offset):
    return weights.diagonal(offset, dim1=-2, dim2=-1).mean(dim=-1, keepdim=True)


@answer("multi_head.attention_at_offset", "shape:shape", "The shape of your measure is (5,); wanted is (3,) (heads).")
def offset_first_axes(weights, offset):
    return weights.diagonal(offset).mean(dim=-1)


@answer("multi_head.attention_at_offset", "likeness:constant", "Every cell of your measure holds the same number.")
def offset_first_head(weights, offset):
    return weights[0].diagonal(offset).mean().expand(weights.shape[0])


@answer("multi_head.attention_at_offset", "crash", "Index 7 is beyond the end of axis 2, which holds 7 (0 to 6)")
def offset_beyond(weights, offset):
    return torch.stack([weights[:, query, query + offset] for query in range(weights.shape[-1])]).mean(0)


@answer("multi_head.attention_at_offset", "type", "You return a list of 3; a tensor is wanted.")
def offset_list(weights, offset):
    return [float(head.diagonal(offset).mean()) for head in weights]


@answer("multi_head.attention_at_offset", "likeness:factor", "In your measure every number is the target's times 100.")
def offset_percent(weights, offset):
    return 100 * weights.diagonal(offset, dim1=-2, dim2=-1).mean(dim=-1)


@answer("multi_head.switch_off", "likeness:argument", "You return `context` just as it came in.")
def off_unchanged(context, head, num_heads):
    return context.clone()


@answer(
    "multi_head.switch_off",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in none of these cells",
)
def off_from_end(context, head, num_heads):
    d = context.shape[-1] // num_heads
    c = context.clone()
    h = num_heads - 1 - head
    c[..., h * d : (h + 1) * d] = 0
    return c


@answer("multi_head.cross_attention", "crash", "The two do not fit for a matrix product: the last axis of the left has")
def cross_values(x, m, q, k, v, o, n):
    return merged(attended(heads(x @ q, n), heads(m @ k, n), heads(x @ v, n))) @ o


@answer("multi_head.cross_attention", "crash", "The two do not fit for a matrix product: the last axis of the left has")
def cross_keys(x, m, q, k, v, o, n):
    return merged(attended(heads(x @ q, n), heads(x @ k, n), heads(m @ v, n))) @ o


@answer(
    "multi_head.cross_attention",
    "likeness:inputs",
    "Your output is exactly what comes out when `query_weight` and `key_weight` are",
)
def cross_kq(x, m, q, k, v, o, n):
    return merged(attended(heads(x @ k, n), heads(m @ q, n), heads(m @ v, n))) @ o


@answer(
    "multi_head.cross_attention",
    "likeness:unused",
    "Nothing in your output changes when the numbers in `value_weight` change, but",
)
def cross_v_raw(x, m, q, k, v, o, n):
    return merged(attended(heads(x @ q, n), heads(m @ k, n), heads(m, n))) @ o


@answer(
    "multi_head.cross_attention", "likeness:inputs", "Your output is exactly what comes out when `hidden_states` is all"
)
def cross_mean(x, m, q, k, v, o, n):
    return (m @ v @ o).mean(1, keepdim=True).expand_as(x)


@answer(
    "multi_head.cross_attention",
    "likeness:stage",
    "The scores are right: your variable `s` holds them. In the end none of your variables holds",
)
def cross_axis(x, m, q, k, v, o, n):
    s = heads(x @ q, n) @ heads(m @ k, n).mT / (x.shape[-1] // n) ** 0.5
    return merged(s.softmax(-2) @ heads(m @ v, n)) @ o


@answer(
    "multi_head.cross_attention",
    "likeness:inputs",
    "Your output is exactly what comes out when the numbers in `output_weight` are arranged",
)
def cross_output_turned(x, m, q, k, v, o, n):
    return merged(attended(heads(x @ q, n), heads(m @ k, n), heads(m @ v, n))) @ o.T


@answer(
    "multi_head.cross_attention",
    "likeness:inputs",
    "Your output is exactly what comes out when `hidden_states` is multiplied by √d_head.",
)
def cross_noscale(x, m, q, k, v, o, n):
    return merged(attended(heads(x @ q, n), heads(m @ k, n), heads(m @ v, n), 1.0)) @ o


@answer(
    "multi_head.repair",
    "nan",
    "In your context there is NaN (not a number) everywhere with a padded batch; with a single word it is right.",
)
def rep_query_mask(query, key, value, num_heads, mask):
    n = num_heads
    q, k, v = heads(query, n), heads(key, n), heads(value, n)
    s = q @ k.mT / q.shape[-1] ** 0.5
    return merged(masked(s.mT, mask.mT).softmax(-1).mT @ v)


@answer(
    "multi_head.repair",
    "likeness:stage",
    "You are right up to the scores: your variable `s` holds them. In the end none of your",
)
def rep_zero_before(query, key, value, num_heads, mask):
    n = num_heads
    q, k, v = heads(query, n), heads(key, n), heads(value, n)
    s = q @ k.mT / q.shape[-1] ** 0.5
    return merged((s * mask).softmax(-1) @ v)


@answer(
    "multi_head.repair",
    "likeness:inputs",
    "Your context is exactly what comes out when `key` is used in place of `value`.",
)
def rep_values(query, key, value, num_heads, mask):
    n = num_heads
    q, k = heads(query, n), heads(key, n)
    return merged(masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ k)


@answer(
    "multi_head.repair",
    "shape:stage",
    "What you return as context is only the contexts of each head: up to there it is right.",
)
def rep_no_merge(query, key, value, num_heads, mask):
    n = num_heads
    q, k, v = heads(query, n), heads(key, n), heads(value, n)
    return masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ v


@answer(
    "multi_head.repair",
    "likeness:stage",
    "You are right up to the keys of each head: your variable `k` holds them. In the end none of",
)
def rep_axis(query, key, value, num_heads, mask):
    n = num_heads
    q, k, v = heads(query, n), heads(key, n), heads(value, n)
    return merged(masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-2).nan_to_num() @ v)


@answer(
    "multi_head.repair", "crash", "`view` reads the numbers in the order in which they lie, and after a transpose that"
)
def rep_view_error(query, key, value, num_heads, mask):
    n = num_heads
    q, k, v = heads(query, n), heads(key, n), heads(value, n)
    return (masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ v).transpose(1, 2).view(query.shape)


@answer(
    "multi_head.repair", "likeness:inputs", "Your context is exactly what comes out when `query` is divided by √d_head."
)
def rep_no_root(query, key, value, num_heads, mask):
    n = num_heads
    q, k, v = heads(query, n), heads(key, n), heads(value, n)
    return merged(masked(q @ k.mT / q.shape[-1], mask).softmax(-1) @ v)


@answer(
    "multi_head.repair",
    "likeness:stage",
    "You are right up to the queries of each head: your variable `q` holds them. In the end none of",
)
def rep_keys_scrambled(query, key, value, num_heads, mask):
    b, _, d = query.shape
    n = num_heads
    q, v = heads(query, n), heads(value, n)
    k = key.view(b, n, -1, d // n)
    return merged(masked(q @ k.mT / q.shape[-1] ** 0.5, mask).softmax(-1) @ v)


@answer("multi_head.repair", "crash", "a matrix product of stacks needs equal axes before the last two")
def rep_per_position(query, key, value, num_heads, mask):
    n = num_heads
    q, k, v = (t.unflatten(-1, (n, -1)) for t in (query, key, value))
    return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
