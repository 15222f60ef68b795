"""Wrong answers to the exercises of notebooks 00 and 01 that are in no catalogue."""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from answers import answer


def sc(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


@answer(
    "attention.scores",
    "likeness:sign",
    "In your scores every sign is flipped: where the target has +, you have −, and vice versa.",
)
def scores_neg(query, key):
    return -(query @ key.transpose(-2, -1)) / math.sqrt(query.shape[-1])


@answer("attention.scores", "likeness:stage_factor", "Your scores are the dot products times")
def scores_hard8(query, key):
    return query @ key.transpose(-2, -1) / 8


@answer("attention.scores", "likeness:offset", "In your scores every number is")
def scores_eps(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]) + 0.1


@answer("attention.scores", "crash", "a matrix product of stacks needs equal axes before the last two")
def scores_dott(query, key):
    return query @ key.T / math.sqrt(query.shape[-1])


@answer(
    "attention.scores",
    "crash",
    "The two do not fit for a matrix product: `query` is (11, 3), `key` is (2, 3), and the last axis of",
)
def scores_notrans(query, key):
    return query @ key


@answer("attention.scores", "likeness:function", "Your scores are the target rounded down to whole numbers.")
def scores_floor(query, key):
    return (query @ key.transpose(-2, -1)) // math.sqrt(query.shape[-1])


@answer("attention.scores", "likeness:function", "Your scores are the target without its signs.")
def scores_absd(query, key):
    return (query @ key.transpose(-2, -1)).abs() / math.sqrt(query.shape[-1])


@answer(
    "attention.scores",
    "likeness:cell",
    "All cells of your scores differ from the target, in a way that this check does not recognize.",
)
def scores_dist(query, key):
    return -torch.cdist(query, key)


@answer(
    "attention.scores",
    "shape:layout",
    "Your numbers are right and in the right order, but laid out in another shape: yours is",
)
def scores_flat(query, key):
    return (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).flatten()


@answer("attention.scores", "type", "You return a list of 11; a tensor is wanted.")
def scores_lst(query, key):
    return (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).tolist()


@answer("attention.scores", "type", "You return a NumPy array of shape")
def scores_nump(query, key):
    return (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).numpy()


@answer("attention.scores", "crash", "torch.sqrt wants a tensor, and this is a plain number; for numbers")
def scores_sqrtt(query, key):
    return query @ key.transpose(-2, -1) / torch.sqrt(query.shape[-1])


@answer("attention.scores", "mutated", "Your function changes its input: `query` held other numbers afterwards.")
def scores_inplace(query, key):
    query /= math.sqrt(query.shape[-1])
    return query @ key.transpose(-2, -1)


@answer("attention.scores", "time", "Your function was stopped: it had not ended after")
def scores_inf_loop(query, key):
    i = 0
    while i < 10:
        pass
    return query


@answer(
    "attention.scores", "unsteady", "Your function gives another result each time it is called with the same input."
)
def scores_noise(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]) + torch.randn(()) * 0.1


@answer(
    "attention.scores",
    "shape:axis_gone",
    "Your result is only the first entry of the target over the batch axis: yours is",
)
def scores_first_only(query, key):
    if query.dim() > 2:
        query, key = query[0:1], key[0:1]
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


@answer("attention.scores", "nothing", "Your function ran to its end, but it returned nothing (None).")
def scores_prt(query, key):
    print(query @ key.transpose(-2, -1))


@answer(
    "attention.scores",
    "type",
    "You return a function (builtin_function_or_method); is a pair of parentheses missing after",
)
def scores_meth(query, key):
    return (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).contiguous


@answer(
    "attention.scores",
    "likeness:case_factor",
    "In your scores every number is the target's times one number, but another one in each case",
)
def scores_scale_total(query, key):
    return query @ key.transpose(-2, -1) / math.sqrt(query.numel())


@answer("attention.scores", "likeness:function", "Your scores are the target minus its average over the key axis.")
def scores_centered(query, key):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    return s - s.mean(-1, keepdim=True)


@answer(
    "attention.scores",
    "likeness:cell",
    "All cells of your scores differ from the target, in a way that this check does not recognize.",
)
def scores_skiplastfeat(query, key):
    return query[..., :-1] @ key[..., :-1].transpose(-2, -1) / math.sqrt(query.shape[-1])


@answer(
    "attention.scores", "shape:inputs", "Your scores are exactly what comes out when `query` is used in place of `key`."
)
def scores_qq(query, key):
    return query @ query.transpose(-2, -1) / math.sqrt(query.shape[-1])


@answer("attention.scores", "dtype", "The numbers are right, but not their type: in your scores there are float")
def scores_double(query, key):
    return query.double() @ key.double().transpose(-2, -1) / math.sqrt(query.shape[-1])


@answer("attention.scores", "type", "You return a plain float; a tensor is wanted.")
def scores_item(query, key):
    return (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).sum().item()


@answer("attention.scores", "crash", "`querry` is not known here.")
def scores_undefined(query, key):
    return querry @ key.transpose(-2, -1)


@answer(
    "attention.scores",
    "likeness:cell",
    "All cells of your scores differ from the target, in a way that this check does not recognize.",
)
def scores_sumkeys(query, key):
    return query.sum(-1, keepdim=True) * key.sum(-1).unsqueeze(-2) / math.sqrt(query.shape[-1])


@answer(
    "attention.scores",
    "likeness:inputs",
    "Your scores are exactly what comes out when the last two axes of `key` are not swapped, but",
)
def scores_reshape_t(query, key):
    return query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / math.sqrt(query.shape[-1])


@answer(
    "attention.attention",
    "shape:inputs",
    "Your context is exactly what comes out when `key` is used in place of `value`.",
)
def attention_keyvalue(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    return w @ key, w


@answer("attention.attention", "type", "You return one tensor, and it is the right context; this exercise wants")
def attention_onlyctx(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    return w @ value


@answer("attention.attention", "type", "You return a list of 2 tensors; a tuple is wanted: `return context, weights`.")
def attention_lsttup(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    return [w @ value, w]


@answer(
    "attention.attention",
    "likeness:function",
    "Your context is softmax of the target, over the d_value axis: one softmax too many.",
)
def attention_softctx(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    return (w @ value).softmax(-1), w


@answer("attention.attention", "type", "You return 3 values; this exercise wants 2: `return context, weights`.")
def attention_threeret(query, key, value):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    w = s.softmax(-1)
    return w @ value, w, s


@answer("attention.attention", "likeness:temperature", "Each row of your weights sums to")
def attention_hardscale(query, key, value):
    w = (query @ key.transpose(-2, -1) / 3).softmax(-1)
    return w @ value, w


@answer(
    "attention.attention",
    "likeness:function",
    "Your weights are softmax of the target, over the key axis: one softmax too many.",
)
def attention_twosoft(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1).softmax(-1)
    return w @ value, w


@answer("attention.attention", "nan", "in 8 of 10 cells with strong matches; with a batch of one sentence")
def attention_exps(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).exp()
    return w @ value, w


@answer("attention.attention", "likeness:sums", "The rows of your weights should each sum to")
def attention_sig(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).sigmoid()
    return w @ value, w


@answer("attention.attention", "likeness:cell", "yours there stays the same when these change a little")
def attention_relun(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).relu()
    w = w / w.sum(-1, keepdim=True).clamp_min(1e-6)
    return w @ value, w


@answer(
    "attention.attention",
    "likeness:inputs",
    "Your context is exactly what comes out when `value` is reversed along its second-to-last",
)
def attention_flipv(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    return w @ value.flip(-2), w


@answer(
    "attention.attention",
    "likeness:causal",
    "Your weights are 0 wherever the key comes after the query, as under a causal mask; there is",
)
def attention_causal_sneaked(query, key, value):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    s = s.masked_fill(torch.ones_like(s).triu(1).bool(), -1e9)
    w = s.softmax(-1)
    return w @ value, w


@answer(
    "attention.attention",
    "likeness:size_factor",
    "In your context every number is the target's divided by the number of keys.",
)
def attention_detach_mean(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    return (w @ value) / value.shape[-2], w


@answer("attention.attention", "likeness:function", "Your weights are the target rounded to one digit.")
def attention_roundw(query, key, value):
    w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
    w = (w * 10).round() / 10
    return w @ value, w


@answer(
    "attention.masked_softmax",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in 126 of these 143 cells",
)
def masked_softmax_halfmask(scores, mask):
    return scores.masked_fill(~mask, -5.0).softmax(-1) * mask.any(-1, keepdim=True)


@answer("attention.masked_softmax", "nan", "In your weights there is NaN (not a number) in")
def masked_softmax_minuszero(scores, mask):
    return scores.masked_fill(~mask, float("inf")).softmax(-1)


@answer("attention.masked_softmax", "crash", "`-` does not flip True and False; `~mask` does.")
def masked_softmax_notmask(scores, mask):
    return scores.masked_fill(-mask, -1e9).softmax(-1)


@answer(
    "attention.masked_softmax",
    "crash",
    "`if` wants one True or False, but `mask` holds 21; torch.where decides cell by cell.",
)
def masked_softmax_ifmask(scores, mask):
    return scores.softmax(-1) if mask else None


@answer("attention.masked_softmax", "nan", "everywhere with forbidden keys that match best; with a padded batch")
def masked_softmax_renorm_all(scores, mask):
    w = scores.softmax(-1) * mask
    return w / w.sum()


@answer(
    "attention.masked_softmax", "mutated", "Your function changes its input: `scores` held other numbers afterwards."
)
def masked_softmax_inplace_fill(scores, mask):
    scores[~mask.expand_as(scores)] = -1e9
    return scores.softmax(-1) * mask


@answer("attention.masked_softmax", "likeness:entry", "Your weights are right except in the first key.")
def masked_softmax_empty_one(scores, mask):
    w = scores.masked_fill(~mask, -1e9).softmax(-1) * mask
    w[..., 0] = torch.where(mask.any(-1).expand(w.shape[:-1]), w[..., 0], 1.0)
    return w


@answer("attention.masked_softmax", "shape:ones", "Right in 2 of 5 cases.")
def masked_softmax_only2d(scores, mask):
    return scores.masked_fill(~mask[None], -1e9).softmax(-1) * mask


@answer(
    "attention.softmax",
    "likeness:sum_axis",
    "Your weights sum to 1 over axis 0, the first one; they should sum to 1 over the key axis.",
)
def softmax_dim0(scores):
    return scores.softmax(0)


@answer(
    "attention.softmax",
    "likeness:temperature",
    "they come from the right scores times",
)
def softmax_base2(scores):
    s = scores - scores.amax(-1, keepdim=True)
    p = 2**s
    return p / p.sum(-1, keepdim=True)


@answer("attention.softmax", "nan", "In your weights there is NaN (not a number) in")
def softmax_submean(scores):
    p = (scores - scores.mean(-1, keepdim=True)).exp()
    return p / p.sum(-1, keepdim=True)


@answer("attention.softmax", "mistake:one_largest_for_all", "In a row far below the table's largest score")
def softmax_maxall(scores):
    p = (scores - scores.max()).exp()
    return p / p.sum(-1, keepdim=True)


@answer(
    "attention.softmax",
    "nan",
    "everywhere with numbers far below zero; with several heads and with small numbers it is right",
)
def softmax_clampx(scores):
    p = scores.clamp(max=50).exp()
    return p / p.sum(-1, keepdim=True)


@answer("attention.softmax", "crash", "Two shapes do not fit each other: one has")
def softmax_nokeep(scores):
    p = (scores - scores.amax(-1, keepdim=True)).exp()
    return p / p.sum(-1)


@answer(
    "attention.weighted_average", "likeness:cut", "Your result is exactly what comes out when the last key is left out."
)
def weighted_average_loopbug(weights, vectors):
    out = torch.zeros(weights.shape[0], vectors.shape[1])
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1] - 1):
            out[i] += weights[i, j] * vectors[j]
    return out


@answer("attention.weighted_average", "likeness:constant", "Every cell of your result is")
def weighted_average_zero(weights, vectors):
    return torch.zeros(len(weights), vectors.shape[1])


@answer("attention.weighted_average", "dtype", "In your result there are whole numbers (int")
def weighted_average_intd(weights, vectors):
    return (weights @ vectors).int()


@answer("attention.weighted_average", "shape:ones", "Your numbers are right, but there is an axis of length")
def weighted_average_rank3(weights, vectors):
    return (weights @ vectors)[None]


@answer(
    "attention.weighted_average", "likeness:cut", "Your result is exactly what comes out when only the last key counts."
)
def weighted_average_overwrite(weights, vectors):
    out = torch.zeros(weights.shape[0], vectors.shape[1])
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] = weights[i, j] * vectors[j]
    return out


@answer("attention.weighted_average", "likeness:inputs", "Your result is exactly what comes out when")
def weighted_average_argminw(weights, vectors):
    return (1 - weights) @ vectors


@answer(
    "attention.weighted_average",
    "likeness:inputs",
    "Your result is exactly what comes out when `weights` is sorted along its last axis.",
)
def weighted_average_fibers(weights, vectors):
    return (weights.sort(-1).values) @ vectors


@answer(
    "attention.projection", "likeness:inputs", "Your projection is exactly what comes out when `bias` counts twice."
)
def projection_twob(hidden_states, weight, bias):
    return hidden_states @ weight + 2 * bias


@answer("attention.projection", "crash", "With the last two axes of `weight` swapped, your function")
def projection_nope(hidden_states, weight, bias):
    return F.linear(hidden_states, weight, bias)


@answer(
    "attention.projection",
    "likeness:inputs",
    "Your projection is exactly what comes out when its average is subtracted from each vector in",
)
def projection_meansub(hidden_states, weight, bias):
    return (hidden_states - hidden_states.mean(-1, keepdim=True)) @ weight + bias


@answer(
    "attention.projection", "likeness:entry", "Your projection is right in the first position, and wrong in the others."
)
def projection_bias0(hidden_states, weight, bias):
    out = hidden_states @ weight
    out[..., 0, :] += bias
    return out


@answer("attention.causal_mask", "type", "You return a list of 3; a tensor is wanted.")
def causal_mask_lst(length):
    return [[j <= i for j in range(length)] for i in range(length)]


@answer(
    "attention.causal_mask",
    "likeness:side",
    "Only cells in which the key comes before the query are wrong; the others are right.",
)
def causal_mask_band(length):
    return torch.ones(length, length, dtype=torch.bool).tril().triu(-1)


@answer("attention.causal_mask", "likeness:function", "Your mask is the target reversed along the key axis.")
def causal_mask_flipd(length):
    return torch.ones(length, length, dtype=torch.bool).tril().flip(-1)


@answer("attention.causal_mask", "shape:shape", "The shape of your mask is")
def causal_mask_plus1(length):
    return torch.ones(length + 1, length + 1, dtype=torch.bool).tril()


@answer("attention.causal_mask", "shape:fixed", "Right in 1 of 4 cases.")
def causal_mask_fixed(length):
    return torch.ones(5, 5, dtype=torch.bool).tril()


@answer("attention.causal_mask", "shape:shape", "The shape of your mask is")
def causal_mask_vec(length):
    return torch.arange(length) >= 0


@answer(
    "attention.one_word",
    "crash",
    "The two do not fit for a matrix product: `query_i` is (2,), `key` is (11, 2), and the last axis of",
)
def one_word_dotall(query_i, key, value):
    return (query_i @ key).softmax(-1) @ value


@answer("attention.one_word", "shape:stage", "What you return as context is only the weights: up to there it is right.")
def one_word_weightsonly(query_i, key, value):
    return (key @ query_i / len(query_i) ** 0.5).softmax(-1)


@answer("attention.one_word", "crash", "torch.dot takes two vectors; you gave tensors with")
def one_word_torchdot(query_i, key, value):
    return torch.dot(query_i, key)


@answer("attention.one_word", "likeness:stage", "You are right up to the scores: your variable `scores` holds them.")
def one_word_sqr(query_i, key, value):
    scores = key @ query_i
    weights = (scores / len(query_i) ** 0.5) ** 2
    weights = weights / weights.sum()
    return weights @ value


@answer(
    "attention.one_word",
    "likeness:stage",
    "The weights are right: your variable `w` holds them. In the end none of your variables holds",
)
def one_word_lastonly(query_i, key, value):
    w = (key @ query_i / len(query_i) ** 0.5).softmax(-1)
    for wj, vj in zip(w, value, strict=True):
        out = wj * vj
    return out


@answer(
    "attention.lookup",
    "crash",
    "Index 11 is beyond the end of axis 0, which holds 11 (0 to 10): `table` has shape (11, 3).",
)
def lookup_oob(table, input_ids):
    return table[input_ids + 1]


@answer("attention.lookup", "crash", "With the last two axes of `table` swapped, your function")
def lookup_tr(table, input_ids):
    return table.T[input_ids]


@answer(
    "attention.lookup",
    "likeness:inputs",
    "Your vectors are exactly what comes out when `input_ids` is reversed along its last axis",
)
def lookup_flip(table, input_ids):
    return table[input_ids.flip(-1)]


@answer(
    "attention.lookup", "likeness:function", "Your vectors are the running sum of the target over the position axis."
)
def lookup_summ(table, input_ids):
    return table[input_ids].cumsum(-2)


@answer(
    "attention.lookup",
    "likeness:inputs",
    "Your vectors are exactly what comes out when each vector in `table` is first scaled to length",
)
def lookup_norm(table, input_ids):
    return F.normalize(table[input_ids], dim=-1)


@answer("attention.lookup", "type", "You return a list of 7 tensors; one tensor is wanted.")
def lookup_listc(table, input_ids):
    return [table[i] for i in input_ids]


@answer("attention.repair", "likeness:temperature", "come from the right scores times one number")
def repair_root_of_queries(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-2])
    weights = scores.masked_fill(~mask, -1e9).softmax(-1)
    return weights @ value, weights


@answer("attention.repair", "likeness:temperature", "come from the right scores times one number")
def repair_logarithm(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.log(key.shape[-2])
    weights = scores.masked_fill(~mask, -1e9).softmax(-1)
    return weights @ value, weights


@answer("attention.repair", "likeness:not_zero", "Where the target is 0, yours should be 0 too")
def repair_soft_mask(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(~mask, -3.0).softmax(-1)
    return weights @ value, weights


@answer("attention.repair", "likeness:factor", "In your context every number is the target's times 2")
def repair_values_masked(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = scores.masked_fill(~mask, -1e9).softmax(-1)
    return weights @ (2 * value), weights


@answer("attention.repair", "shape:shape", "The shape of your weights is")
def repair_any(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    weights = scores[..., mask.flatten()[: scores.shape[-1]]].softmax(-1)
    return weights @ value[..., : weights.shape[-1], :], weights


@answer(
    "start.mean",
    "nan",
    "In your average there is ∞ everywhere with a single word; with several words and with vectors of a single number "
    "there is none,",
)
def mean_n1(vectors):
    return vectors.sum(0) / (len(vectors) - 1)


@answer("start.mean", "likeness:of_argument", "Your average is the median of `vectors` over its axis")
def mean_med(vectors):
    return vectors.median(0).values


@answer("start.mean", "type", "You return a tuple with one tensor in it; a comma after the result does that.")
def mean_tup(vectors):
    return (vectors.mean(0),)


@answer("start.mean", "nan", "In your average there is NaN (not a number) everywhere.")
def mean_nan(vectors):
    return vectors.mean(0) * float("nan")


@answer("start.mean", "type", "You return a str; a tensor is wanted.")
def mean_strr(vectors):
    return "<script>alert(1)</script>"


@answer("start.mean", "likeness:of_argument", "Your average is the first entry of `vectors` along its axis")
def mean_first(vectors):
    return vectors[0]


@answer("start.mean", "crash", "Your function asked Python to quit.")
def mean_quit_(vectors):
    exit()


@answer("start.mean", "crash", "Your function calls itself and never ends: `mean_rec` in line ")
def mean_rec(vectors):
    return mean_rec(vectors)


@answer("start.mean", "crash", "There is no axis 2: this tensor's axes run from -2 to 1.")
def mean_meandim2(vectors):
    return vectors.mean(dim=2)


@answer("start.mean", "signature", "Your function must take (vectors), in this order; keep the first line of the stub.")
def mean_noargs():
    return 1


@answer(
    "start.mean",
    "dtype",
    "The numbers are right, but not their type: in your average there are complex numbers (complex",
)
def mean_cplx(vectors):
    return vectors.mean(0).to(torch.complex64)


@answer(
    "start.mean",
    "device",
    "You return the average on the device meta, but the input is on cpu; make new tensors where the",
)
def mean_meta(vectors):
    return vectors.mean(0).to("meta")


@answer(
    "attention.scores",
    "likeness:case_factor",
    "In your scores every number is the target's times one number, but another one in each case",
)
def scores_cube_root(q, k):
    return q @ k.transpose(-2, -1) / q.shape[-1] ** (1 / 3)


@answer(
    "attention.scores",
    "likeness:case_factor",
    "In your scores every number is the target's times one number, but another one in each case",
)
def scores_std(q, k):
    s = q @ k.transpose(-2, -1)
    return s / s.std()


@answer(
    "attention.scores",
    "likeness:layout",
    "In your scores the target's numbers are all there, but read along the other axis; a view",
)
def scores_swapped_t(q, k):
    return (k @ q.transpose(-2, -1)).reshape(*q.shape[:-1], k.shape[-2]) / math.sqrt(q.shape[-1])


@answer("attention.scores", "likeness:cut_off", "Your scores are the target, but everything above")
def scores_clampd(q, k):
    return sc(q, k).clamp(-1, 1)


@answer(
    "attention.scores",
    "likeness:case_factor",
    "In your scores every number is the target's times one number, but another one in each case",
)
def scores_minus1(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1] - 1)


@answer(
    "attention.scores",
    "likeness:cell",
    "All cells of your scores differ from the target, in a way that this check does not recognize.",
)
def scores_squared(q, k):
    return (q @ k.transpose(-2, -1)) ** 2 / math.sqrt(q.shape[-1])


@answer("attention.scores", "crash", "torch.dot takes two vectors; you gave tensors with")
def scores_loop1(q, k):
    out = torch.zeros(q.shape[0], k.shape[0])
    for i in range(q.shape[0]):
        for j in range(k.shape[0]):
            out[i, j] = torch.dot(q[i], k[j]) / math.sqrt(q.shape[-1])
    return out


@answer("attention.scores", "crash", "a matrix product of stacks needs equal axes before the last two")
def scores_transb(q, k):
    return q @ k.transpose(0, 1) / math.sqrt(q.shape[-1])


@answer("attention.scores", "shape:shape", "The shape of your scores is")
def scores_outerp(q, k):
    return torch.outer(q.flatten(), k.flatten())


@answer(
    "attention.attention",
    "likeness:inputs",
    "Your context is exactly what comes out when softmax is taken of `value` first.",
)
def attention_valsoft(q, k, v):
    w = sc(q, k).softmax(-1)
    return w @ v.softmax(-1), w


@answer(
    "attention.attention", "unsteady", "Your function gives another result each time it is called with the same input."
)
def attention_dropoutd(q, k, v):
    w = F.dropout(sc(q, k).softmax(-1), 0.1, True)
    return w @ v, w


@answer(
    "attention.attention",
    "likeness:inputs",
    "Your context is exactly what comes out when everything in `value` is shifted back by one along",
)
def attention_shiftw(q, k, v):
    w = sc(q, k).softmax(-1)
    return w.roll(1, -1) @ v, w


@answer(
    "attention.attention",
    "likeness:row_offset",
    "In your context each column is the target's column plus a number of its own.",
)
def attention_ctx_res(q, k, v):
    w = sc(q, k).softmax(-1)
    return w @ v + v.mean(-2, keepdim=True), w


@answer(
    "attention.attention", "likeness:zero", "In 371 of 431 cells your weights are exactly 0, where the target is not."
)
def attention_onehot(q, k, v):
    s = sc(q, k)
    w = F.one_hot(s.argmax(-1), s.shape[-1]).float()
    return w @ v, w


@answer(
    "attention.attention",
    "likeness:stage",
    "The weights are right: your variable `w` holds them. The fault lies after that, or",
)
def attention_halfprec(q, k, v):
    w = sc(q, k).softmax(-1)
    return (w.half() @ v.half()).float(), w


@answer(
    "attention.attention",
    "likeness:sums",
    "The rows of your weights should each sum to 1; they sum to numbers from −2.",
)
def attention_norm2(q, k, v):
    s = sc(q, k)
    w = s / s.norm(dim=-1, keepdim=True)
    return w @ v, w


@answer("attention.attention", "type", "You return a dict; this exercise wants")
def attention_dictret(q, k, v):
    w = sc(q, k).softmax(-1)
    return {"context": w @ v, "weights": w}


@answer(
    "attention.masked_softmax",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in 126 of these 143 cells",
)
def masked_softmax_mask_value(s, m):
    return s.masked_fill(~m, s.min().item()).softmax(-1) * m.any(-1, keepdim=True)


@answer("attention.masked_softmax", "mistake:zero_afterwards", "Your forbidden weights are")
def masked_softmax_where0(s, m):
    return torch.where(m, s.softmax(-1), torch.tensor(1e-9))


@answer(
    "attention.masked_softmax",
    "nan",
    "with a row with nothing to attend to; with a padded batch with heads and with one sentence it is right",
)
def masked_softmax_renorm(s, m):
    w = s.softmax(-1) * m
    return w / w.sum(-1, keepdim=True)


@answer(
    "attention.masked_softmax",
    "likeness:not_zero",
    "Where the target is 0, yours should be 0 too; in 87 of these 143 cells",
)
def masked_softmax_tri(s, m):
    return s.masked_fill(torch.ones_like(s).triu(1).bool(), -1e9).softmax(-1)


@answer("attention.masked_softmax", "mistake:even_rows", "In a row with nothing allowed all keys get the same weight.")
def masked_softmax_maskint(s, m):
    return s.masked_fill(m == 0, -9e15).softmax(-1)


@answer(
    "attention.softmax",
    "likeness:cell",
    "All cells of your weights differ from the target, in a way that this check does not recognize.",
)
def softmax_abs1(s):
    return s.abs() / s.abs().sum(-1, keepdim=True)


@answer("attention.softmax", "nan", "In your weights there is NaN (not a number) in")
def softmax_minsub(s):
    p = (s - s.amin(-1, keepdim=True)).exp()
    return p / p.sum(-1, keepdim=True)


@answer("attention.softmax", "likeness:temperature", "Each row of your weights sums to")
def softmax_temp(s):
    return (s / 2).softmax(-1)


@answer("attention.softmax", "likeness:sums", "The rows of your weights should each sum to")
def softmax_sigm(s):
    return s.sigmoid()


@answer(
    "attention.weighted_average",
    "likeness:inputs",
    "Your result is exactly what comes out when every number in `weights` is squared.",
)
def weighted_average_sq(w, v):
    return (w**2) @ v


@answer(
    "attention.weighted_average",
    "mistake:even",
    "Every new vector is the plain average: all words count the same, whatever the weights say.",
)
def weighted_average_elem(w, v):
    return w.sum(-1, keepdim=True) * v.mean(0)


@answer("attention.weighted_average", "crash", "With the last two axes of `w` swapped, your function would")
def weighted_average_wt(w, v):
    return w.T @ v


@answer(
    "attention.weighted_average",
    "likeness:function",
    "Your result is the target divided by its length over the d_model axis.",
)
def weighted_average_rownorm(w, v):
    o = w @ v
    return o / o.norm(dim=-1, keepdim=True)


@answer(
    "attention.projection",
    "likeness:cell",
    "All cells of your projection differ from the target, in a way that this check does",
)
def projection_biasrow(h, w, b):
    return h @ (w + b)


@answer("attention.projection", "crash", "Two shapes do not fit each other: one has")
def projection_hb(h, w, b):
    return (h + b) @ w


@answer(
    "attention.projection",
    "likeness:cell",
    "All cells of your projection differ from the target, in a way that this check does",
)
def projection_wsoft(h, w, b):
    return h @ w.softmax(0) + b


@answer("attention.causal_mask", "likeness:cell", "differ from the target")
def causal_mask_off(length):
    return torch.ones(length, length, dtype=torch.bool).tril(-1) | torch.eye(length, dtype=torch.bool).roll(1, 0)


@answer(
    "attention.causal_mask",
    "dtype",
    "The numbers are right, but not their type: in your mask there are whole numbers (uint",
)
def causal_mask_byte(length):
    return torch.ones(length, length, dtype=torch.uint8).tril()


@answer("attention.causal_mask", "shape:fixed", "In the others: The shape of your mask is")
def causal_mask_hardcode(length):
    return torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool()


@answer(
    "attention.one_word",
    "likeness:stage",
    "The scaled scores are right: your variable `s` holds them. In the end none of your variables",
)
def one_word_nosoft2(q, k, v):
    s = k @ q / len(q) ** 0.5
    w = s / s.sum()
    return w @ v


@answer("attention.one_word", "shape:shape", "The shape of your context is (); wanted is")
def one_word_kq(q, k, v):
    scores = k @ q
    scaled = scores / math.sqrt(len(q))
    weights = scaled.softmax(0)
    context = weights @ v
    return context.mean()


@answer(
    "attention.one_word",
    "likeness:no_scale+size_factor",
    "Two things come together in your context. A known mistake: “Your context comes from",
)
def one_word_scaleafter(q, k, v):
    return ((k @ q).softmax(0) / len(q) ** 0.5) @ v


@answer("attention.lookup", "shape:shape", "The shape of your vectors is")
def lookup_onehotbad(t, i):
    return F.one_hot(i, t.shape[0]).float()


@answer(
    "attention.lookup", "crash", "Only whole numbers or True/False can be used as an index; this tensor holds something"
)
def lookup_float_ids(t, i):
    return t[i.float()]


@answer("attention.lookup", "likeness:cell", "differ from the target")
def lookup_mod(t, i):
    return t[i % 7]


@answer(
    "start.mean",
    "likeness:cell",
    "Right with a single word, but not with several words or with vectors of a single number. All cells of your",
)
def mean_weighted(v):
    w = torch.arange(1, len(v) + 1).float()
    return (w / w.sum()) @ v


@answer("start.mean", "likeness:cell", "differ from the target")
def mean_geo(v):
    return v.abs().log().mean(0).exp()


@answer("start.mean", "nan", "In your average there is NaN (not a number) everywhere with a single word; with several")
def mean_skip(v):
    return v[1:].mean(0)


@answer(
    "start.mean",
    "likeness:cell",
    "Right with a single word, but not with several words or with vectors of a single number. All cells of your",
)
def mean_half(v):
    return (v.amax(0) + v.amin(0)) / 2
