"""Wrong answers to the exercises of notebooks 00 and 01 that are in no catalogue."""

from __future__ import annotations

import math

from answers import answer, answers


def sc(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


answers(
    "attention.scores",
    """
    scores_neg: -(query @ key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
        “likeness:sign | In your scores every sign is flipped: where the target has +, you have −, and vice versa.”
    scores_hard8: query @ key.transpose(-2, -1) / 8
        “likeness:stage_factor | Your scores are the dot products times”
    scores_eps: query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]) + 0.1
        “likeness:offset | In your scores every number is”
    scores_dott: query @ key.T / math.sqrt(query.shape[-1])
        “crash | a matrix product of stacks needs equal axes before the last two”
    scores_notrans: query @ key
        “crash | The two do not fit for a matrix product: `query` is (11, 3), `key` is (2, 3), and the last axis of”
    scores_floor: (query @ key.transpose(-2, -1)) // math.sqrt(query.shape[-1])
        “likeness:function | Your scores are the target rounded down to whole numbers.”
    scores_absd: (query @ key.transpose(-2, -1)).abs() / math.sqrt(query.shape[-1])
        “likeness:function | Your scores are the target without its signs.”
    scores_dist: -torch.cdist(query, key)
        “likeness:cell | All cells of your scores differ from the target, in a way that this check does not recognize.”
    scores_flat: (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).flatten()
        “shape:layout | Your numbers are right and in the right order, but laid out in another shape: yours is”
    scores_lst: (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).tolist()
        “type | You return a list of 11; a tensor is wanted.”
    scores_nump: (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).numpy()
        “type | You return a NumPy array of shape”
    scores_sqrtt: query @ key.transpose(-2, -1) / torch.sqrt(query.shape[-1])
        “crash | torch.sqrt wants a tensor, and this is a plain number; for numbers”
    scores_inplace:
        query /= math.sqrt(query.shape[-1])
        return query @ key.transpose(-2, -1)
        “mutated | Your function changes its input: `query` held other numbers afterwards.”
    scores_inf_loop:
        i = 0
        while i < 10:
            pass
        return query
        “time | Your function was stopped: it had not ended after”
    scores_noise: query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]) + torch.randn(()) * 0.1
        “unsteady | Your function gives another result each time it is called with the same input.”
    scores_first_only:
        if query.dim() > 2:
            query, key = query[0:1], key[0:1]
        return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        “shape:axis_gone | Your result is only the first entry of the target over the batch axis: yours is”
    scores_prt:
        print(query @ key.transpose(-2, -1))
        pass
        “nothing | Your function ran to its end, but it returned nothing (None).”
    scores_meth: (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).contiguous
        “type | You return a function (builtin_function_or_method); is a pair of parentheses missing after”
    scores_scale_total: query @ key.transpose(-2, -1) / math.sqrt(query.numel())
        “likeness:case_factor | In your scores every number is the target's times one number, but another one in each
        case”
    scores_centered:
        s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return s - s.mean(-1, keepdim=True)
        “likeness:function | Your scores are the target minus its average over the key axis.”
    scores_skiplastfeat: query[..., :-1] @ key[..., :-1].transpose(-2, -1) / math.sqrt(query.shape[-1])
        “likeness:cell | All cells of your scores differ from the target, in a way that this check does not recognize.”
    scores_qq: query @ query.transpose(-2, -1) / math.sqrt(query.shape[-1])
        “shape:inputs | Your scores are exactly what comes out when `query` is used in place of `key`.”
    scores_double: query.double() @ key.double().transpose(-2, -1) / math.sqrt(query.shape[-1])
        “dtype | The numbers are right, but not their type: in your scores there are float”
    scores_item: (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).sum().item()
        “type | You return a plain float; a tensor is wanted.”
    scores_undefined: querry @ key.transpose(-2, -1)
        “crash | `querry` is not known here.”
    scores_sumkeys: query.sum(-1, keepdim=True) * key.sum(-1).unsqueeze(-2) / math.sqrt(query.shape[-1])
        “likeness:cell | All cells of your scores differ from the target, in a way that this check does not recognize.”
    scores_reshape_t: query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / math.sqrt(query.shape[-1])
        “likeness:inputs | Your scores are exactly what comes out when the last two axes of `key` are not swapped, but”
    scores_cube_root: query @ key.transpose(-2, -1) / query.shape[-1] ** (1 / 3)
        “likeness:case_factor | In your scores every number is the target's times one number, but another one in each
        case”
    scores_std:
        s = query @ key.transpose(-2, -1)
        return s / s.std()
        “likeness:case_factor | In your scores every number is the target's times one number, but another one in each
        case”
    scores_swapped_t:
        return (key @ query.transpose(-2, -1)).reshape(*query.shape[:-1], key.shape[-2]) / math.sqrt(query.shape[-1])
        “likeness:layout | In your scores the target's numbers are all there, but read along the other axis; a view”
    scores_clampd: sc(query, key).clamp(-1, 1)
        “likeness:cut_off | Your scores are the target, but everything above”
    scores_minus1: query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1] - 1)
        “likeness:case_factor | In your scores every number is the target's times one number, but another one in each
        case”
    scores_squared: (query @ key.transpose(-2, -1)) ** 2 / math.sqrt(query.shape[-1])
        “likeness:cell | All cells of your scores differ from the target, in a way that this check does not recognize.”
    scores_loop1:
        out = torch.zeros(query.shape[0], key.shape[0])
        for i in range(query.shape[0]):
            for j in range(key.shape[0]):
                out[i, j] = torch.dot(query[i], key[j]) / math.sqrt(query.shape[-1])
        return out
        “crash | torch.dot takes two vectors; you gave tensors with”
    scores_transb: query @ key.transpose(0, 1) / math.sqrt(query.shape[-1])
        “crash | a matrix product of stacks needs equal axes before the last two”
    scores_outerp: torch.outer(query.flatten(), key.flatten())
        “shape:shape | The shape of your scores is”
    """,
)

answers(
    "attention.attention",
    """
    attention_keyvalue:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return w @ key, w
        “shape:inputs | Your context is exactly what comes out when `key` is used in place of `value`.”
    attention_onlyctx:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return w @ value
        “type | You return one tensor, and it is the right context; this exercise wants”
    attention_lsttup:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return [w @ value, w]
        “type | You return a list of 2 tensors; a tuple is wanted: `return context, weights`.”
    attention_softctx:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return (w @ value).softmax(-1), w
        “likeness:function | Your context is softmax of the target, over the d_value axis: one softmax too many.”
    attention_threeret:
        s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        w = s.softmax(-1)
        return w @ value, w, s
        “type | You return 3 values; this exercise wants 2: `return context, weights`.”
    attention_hardscale:
        w = (query @ key.transpose(-2, -1) / 3).softmax(-1)
        return w @ value, w
        “likeness:temperature | Each row of your weights sums to”
    attention_twosoft:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1).softmax(-1)
        return w @ value, w
        “likeness:function | Your weights are softmax of the target, over the key axis: one softmax too many.”
    attention_exps:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).exp()
        return w @ value, w
        “nan | in 8 of 10 cells with strong matches; with a batch of one sentence”
    attention_sig:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).sigmoid()
        return w @ value, w
        “likeness:sums | The rows of your weights should each sum to”
    attention_relun:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).relu()
        w = w / w.sum(-1, keepdim=True).clamp_min(1e-6)
        return w @ value, w
        “likeness:cell | yours there stays the same when these change a little”
    attention_flipv:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return w @ value.flip(-2), w
        “likeness:inputs | Your context is exactly what comes out when `value` is reversed along its second-to-last”
    attention_causal_sneaked:
        s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        s = s.masked_fill(torch.ones_like(s).triu(1).bool(), -1e9)
        w = s.softmax(-1)
        return w @ value, w
        “likeness:causal | Your weights are 0 wherever the key comes after the query, as under a causal mask; there is”
    attention_detach_mean:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return (w @ value) / value.shape[-2], w
        “likeness:size_factor | In your context every number is the target's divided by the number of keys.”
    attention_roundw:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        w = (w * 10).round() / 10
        return w @ value, w
        “likeness:function | Your weights are the target rounded to one digit.”
    attention_valsoft:
        w = sc(query, key).softmax(-1)
        return w @ value.softmax(-1), w
        “likeness:inputs | Your context is exactly what comes out when softmax is taken of `value` first.”
    attention_dropoutd:
        w = F.dropout(sc(query, key).softmax(-1), 0.1, True)
        return w @ value, w
        “unsteady | Your function gives another result each time it is called with the same input.”
    attention_shiftw:
        w = sc(query, key).softmax(-1)
        return w.roll(1, -1) @ value, w
        “likeness:inputs | Your context is exactly what comes out when everything in `value` is shifted back by one
        along”
    attention_ctx_res:
        w = sc(query, key).softmax(-1)
        return w @ value + value.mean(-2, keepdim=True), w
        “likeness:row_offset | In your context each column is the target's column plus a number of its own.”
    attention_onehot:
        s = sc(query, key)
        w = F.one_hot(s.argmax(-1), s.shape[-1]).float()
        return w @ value, w
        “likeness:zero | In 371 of 431 cells your weights are exactly 0, where the target is not.”
    attention_halfprec:
        w = sc(query, key).softmax(-1)
        return (w.half() @ value.half()).float(), w
        “likeness:stage | The weights are right: your variable `w` holds them. The fault lies after that, or”
    attention_norm2:
        s = sc(query, key)
        w = s / s.norm(dim=-1, keepdim=True)
        return w @ value, w
        “likeness:sums | The rows of your weights should each sum to 1; they sum to numbers from −2.”
    attention_dictret:
        w = sc(query, key).softmax(-1)
        return {"context": w @ value, "weights": w}
        “type | You return a dict; this exercise wants”
    """,
)

answers(
    "attention.masked_softmax",
    """
    masked_softmax_halfmask: scores.masked_fill(~mask, -5.0).softmax(-1) * mask.any(-1, keepdim=True)
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in 126 of these 143 cells”
    masked_softmax_minuszero: scores.masked_fill(~mask, float("inf")).softmax(-1)
        “nan | In your weights there is NaN (not a number) in”
    masked_softmax_notmask: scores.masked_fill(-mask, -1e9).softmax(-1)
        “crash | `-` does not flip True and False; `~mask` does.”
    masked_softmax_ifmask: scores.softmax(-1) if mask else None
        “crash | `if` wants one True or False, but `mask` holds 21; torch.where decides cell by cell.”
    masked_softmax_renorm_all:
        w = scores.softmax(-1) * mask
        return w / w.sum()
        “nan | everywhere with forbidden keys that match best; with a padded batch”
    masked_softmax_inplace_fill:
        scores[~mask.expand_as(scores)] = -1e9
        return scores.softmax(-1) * mask
        “mutated | Your function changes its input: `scores` held other numbers afterwards.”
    masked_softmax_empty_one:
        w = scores.masked_fill(~mask, -1e9).softmax(-1) * mask
        w[..., 0] = torch.where(mask.any(-1).expand(w.shape[:-1]), w[..., 0], 1.0)
        return w
        “likeness:entry | Your weights are right except in the first key.”
    masked_softmax_only2d: scores.masked_fill(~mask[None], -1e9).softmax(-1) * mask
        “shape:ones | Right in 2 of 5 cases.”
    masked_softmax_mask_value: scores.masked_fill(~mask, scores.min().item()).softmax(-1) * mask.any(-1, keepdim=True)
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in 126 of these 143 cells”
    masked_softmax_where0: torch.where(mask, scores.softmax(-1), torch.tensor(1e-9))
        “mistake:zero_afterwards | Your forbidden weights are”
    masked_softmax_renorm:
        w = scores.softmax(-1) * mask
        return w / w.sum(-1, keepdim=True)
        “nan | with a row with nothing to attend to; with a padded batch with heads and with one sentence it is right”
    masked_softmax_tri: scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -1e9).softmax(-1)
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in 87 of these 143 cells”
    masked_softmax_maskint: scores.masked_fill(mask == 0, -9e15).softmax(-1)
        “mistake:even_rows | In a row with nothing allowed all keys get the same weight.”
    """,
)

answers(
    "attention.softmax",
    """
    softmax_dim0: scores.softmax(0)
        “likeness:sum_axis | Your weights sum to 1 over axis 0, the first one; they should sum to 1 over the key axis.”
    softmax_base2:
        s = scores - scores.amax(-1, keepdim=True)
        p = 2**s
        return p / p.sum(-1, keepdim=True)
        “likeness:temperature | they come from the right scores times”
    softmax_submean:
        p = (scores - scores.mean(-1, keepdim=True)).exp()
        return p / p.sum(-1, keepdim=True)
        “nan | In your weights there is NaN (not a number) in”
    softmax_maxall:
        p = (scores - scores.max()).exp()
        return p / p.sum(-1, keepdim=True)
        “mistake:one_largest_for_all | In a row far below the table's largest score”
    softmax_clampx:
        p = scores.clamp(max=50).exp()
        return p / p.sum(-1, keepdim=True)
        “nan | everywhere with numbers far below zero; with several heads and with small numbers it is right”
    softmax_nokeep:
        p = (scores - scores.amax(-1, keepdim=True)).exp()
        return p / p.sum(-1)
        “crash | Two shapes do not fit each other: one has”
    softmax_abs1: scores.abs() / scores.abs().sum(-1, keepdim=True)
        “likeness:cell | All cells of your weights differ from the target, in a way that this check does not recognize.”
    softmax_minsub:
        p = (scores - scores.amin(-1, keepdim=True)).exp()
        return p / p.sum(-1, keepdim=True)
        “nan | In your weights there is NaN (not a number) in”
    softmax_temp: (scores / 2).softmax(-1)
        “likeness:temperature | Each row of your weights sums to”
    softmax_sigm: scores.sigmoid()
        “likeness:sums | The rows of your weights should each sum to”
    """,
)

answers(
    "attention.weighted_average",
    """
    weighted_average_loopbug:
        out = torch.zeros(weights.shape[0], vectors.shape[1])
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1] - 1):
                out[i] += weights[i, j] * vectors[j]
        return out
        “likeness:cut | Your result is exactly what comes out when the last key is left out.”
    weighted_average_zero: torch.zeros(len(weights), vectors.shape[1])
        “likeness:constant | Every cell of your result is”
    weighted_average_intd: (weights @ vectors).int()
        “dtype | In your result there are whole numbers (int”
    weighted_average_rank3: (weights @ vectors)[None]
        “shape:ones | Your numbers are right, but there is an axis of length”
    weighted_average_overwrite:
        out = torch.zeros(weights.shape[0], vectors.shape[1])
        for i in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                out[i] = weights[i, j] * vectors[j]
        return out
        “likeness:cut | Your result is exactly what comes out when only the last key counts.”
    weighted_average_argminw: (1 - weights) @ vectors
        “likeness:inputs | Your result is exactly what comes out when”
    weighted_average_fibers: (weights.sort(-1).values) @ vectors
        “likeness:inputs | Your result is exactly what comes out when `weights` is sorted along its last axis.”
    weighted_average_sq: (weights**2) @ vectors
        “likeness:inputs | Your result is exactly what comes out when every number in `weights` is squared.”
    weighted_average_elem: weights.sum(-1, keepdim=True) * vectors.mean(0)
        “mistake:even | Every new vector is the plain average: all words count the same, whatever the weights say.”
    weighted_average_wt: weights.T @ vectors
        “crash | With the last two axes of `weights` swapped, your function would”
    weighted_average_rownorm:
        o = weights @ vectors
        return o / o.norm(dim=-1, keepdim=True)
        “likeness:function | Your result is the target divided by its length over the d_model axis.”
    """,
)

answers(
    "attention.projection",
    """
    projection_twob: hidden_states @ weight + 2 * bias
        “likeness:inputs | Your projection is exactly what comes out when `bias` counts twice.”
    projection_nope: F.linear(hidden_states, weight, bias)
        “crash | With the last two axes of `weight` swapped, your function”
    projection_meansub: (hidden_states - hidden_states.mean(-1, keepdim=True)) @ weight + bias
        “likeness:inputs | Your projection is exactly what comes out when its average is subtracted from each vector in”
    projection_bias0:
        out = hidden_states @ weight
        out[..., 0, :] += bias
        return out
        “likeness:entry | Your projection is right in the first position, and wrong in the others.”
    projection_biasrow: hidden_states @ (weight + bias)
        “likeness:cell | All cells of your projection differ from the target, in a way that this check does”
    projection_hb: (hidden_states + bias) @ weight
        “crash | Two shapes do not fit each other: one has”
    projection_wsoft: hidden_states @ weight.softmax(0) + bias
        “likeness:cell | All cells of your projection differ from the target, in a way that this check does”
    """,
)

answers(
    "attention.causal_mask",
    """
    causal_mask_lst: [[j <= i for j in range(length)] for i in range(length)]
        “type | You return a list of 3; a tensor is wanted.”
    causal_mask_band: torch.ones(length, length, dtype=torch.bool).tril().triu(-1)
        “likeness:side | Only cells in which the key comes before the query are wrong; the others are right.”
    causal_mask_flipd: torch.ones(length, length, dtype=torch.bool).tril().flip(-1)
        “likeness:function | Your mask is the target reversed along the key axis.”
    causal_mask_plus1: torch.ones(length + 1, length + 1, dtype=torch.bool).tril()
        “shape:shape | The shape of your mask is”
    causal_mask_fixed: torch.ones(5, 5, dtype=torch.bool).tril()
        “shape:fixed | Right in 1 of 4 cases.”
    causal_mask_vec: torch.arange(length) >= 0
        “shape:shape | The shape of your mask is”
    causal_mask_off:
        return torch.ones(length, length, dtype=torch.bool).tril(-1) | torch.eye(length, dtype=torch.bool).roll(1, 0)
        “likeness:cell | differ from the target”
    causal_mask_byte: torch.ones(length, length, dtype=torch.uint8).tril()
        “dtype | The numbers are right, but not their type: in your mask there are whole numbers (uint”
    causal_mask_hardcode: torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool()
        “shape:fixed | In the others: The shape of your mask is”
    """,
)

answers(
    "attention.one_word",
    """
    one_word_dotall: (query_i @ key).softmax(-1) @ value
        “crash | The two do not fit for a matrix product: `query_i` is (2,), `key` is (11, 2), and the last axis of”
    one_word_weightsonly: (key @ query_i / len(query_i) ** 0.5).softmax(-1)
        “shape:stage | What you return as context is only the weights: up to there it is right.”
    one_word_torchdot: torch.dot(query_i, key)
        “crash | torch.dot takes two vectors; you gave tensors with”
    one_word_sqr:
        scores = key @ query_i
        weights = (scores / len(query_i) ** 0.5) ** 2
        weights = weights / weights.sum()
        return weights @ value
        “likeness:stage | You are right up to the scores: your variable `scores` holds them.”
    one_word_lastonly:
        w = (key @ query_i / len(query_i) ** 0.5).softmax(-1)
        for wj, vj in zip(w, value, strict=True):
            out = wj * vj
        return out
        “likeness:stage | The weights are right: your variable `w` holds them. In the end none of your variables holds”
    one_word_nosoft2:
        s = key @ query_i / len(query_i) ** 0.5
        w = s / s.sum()
        return w @ value
        “likeness:stage | The scaled scores are right: your variable `s` holds them. In the end none of your variables”
    one_word_kq:
        scores = key @ query_i
        scaled = scores / math.sqrt(len(query_i))
        weights = scaled.softmax(0)
        context = weights @ value
        return context.mean()
        “shape:shape | The shape of your context is (); wanted is”
    one_word_scaleafter: ((key @ query_i).softmax(0) / len(query_i) ** 0.5) @ value
        “likeness:no_scale+size_factor | Two things come together in your context. A known mistake: “Your context comes
        from”
    """,
)

answers(
    "attention.lookup",
    """
    lookup_oob: table[input_ids + 1]
        “crash | Index 11 is beyond the end of axis 0, which holds 11 (0 to 10): `table` has shape (11, 3).”
    lookup_tr: table.T[input_ids]
        “crash | With the last two axes of `table` swapped, your function”
    lookup_flip: table[input_ids.flip(-1)]
        “likeness:inputs | Your vectors are exactly what comes out when `input_ids` is reversed along its last axis”
    lookup_summ: table[input_ids].cumsum(-2)
        “likeness:function | Your vectors are the running sum of the target over the position axis.”
    lookup_norm: F.normalize(table[input_ids], dim=-1)
        “likeness:inputs | Your vectors are exactly what comes out when each vector in `table` is first scaled to
        length”
    lookup_listc: [table[i] for i in input_ids]
        “type | You return a list of 7 tensors; one tensor is wanted.”
    lookup_onehotbad: F.one_hot(input_ids, table.shape[0]).float()
        “shape:shape | The shape of your vectors is”
    lookup_float_ids: table[input_ids.float()]
        “crash | Only whole numbers or True/False can be used as an index; this tensor holds something”
    lookup_mod: table[input_ids % 7]
        “likeness:cell | differ from the target”
    """,
)

answers(
    "attention.repair",
    """
    repair_root_of_queries:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-2])
        weights = scores.masked_fill(~mask, -1e9).softmax(-1)
        return weights @ value, weights
        “likeness:temperature | come from the right scores times one number”
    repair_logarithm:
        scores = query @ key.transpose(-2, -1) / math.log(key.shape[-2])
        weights = scores.masked_fill(~mask, -1e9).softmax(-1)
        return weights @ value, weights
        “likeness:temperature | come from the right scores times one number”
    repair_soft_mask:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(~mask, -3.0).softmax(-1)
        return weights @ value, weights
        “likeness:not_zero | Where the target is 0, yours should be 0 too”
    repair_values_masked:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(~mask, -1e9).softmax(-1)
        return weights @ (2 * value), weights
        “likeness:factor | In your context every number is the target's times 2”
    repair_any:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        weights = scores[..., mask.flatten()[: scores.shape[-1]]].softmax(-1)
        return weights @ value[..., : weights.shape[-1], :], weights
        “shape:shape | The shape of your weights is”
    """,
)

answers(
    "start.mean",
    """
    mean_n1: vectors.sum(0) / (len(vectors) - 1)
        “nan | In your average there is ∞ everywhere with a single word; with several words and with vectors of a single
        number there is none,”
    mean_med: vectors.median(0).values
        “likeness:of_argument | Your average is the median of `vectors` over its axis”
    mean_tup: (vectors.mean(0),)
        “type | You return a tuple with one tensor in it; a comma after the result does that.”
    mean_nan: vectors.mean(0) * float("nan")
        “nan | In your average there is NaN (not a number) everywhere.”
    mean_strr: "<script>alert(1)</script>"
        “type | You return a str; a tensor is wanted.”
    mean_first: vectors[0]
        “likeness:of_argument | Your average is the first entry of `vectors` along its axis”
    mean_quit_:
        exit()
        pass
        “crash | Your function asked Python to quit.”
    mean_meandim2: vectors.mean(dim=2)
        “crash | There is no axis 2: this tensor's axes run from -2 to 1.”
    mean_cplx: vectors.mean(0).to(torch.complex64)
        “dtype | The numbers are right, but not their type: in your average there are complex numbers (complex”
    mean_meta: vectors.mean(0).to("meta")
        “device | You return the average on the device meta, but the input is on cpu; make new tensors where the”
    mean_weighted:
        w = torch.arange(1, len(vectors) + 1).float()
        return (w / w.sum()) @ vectors
        “likeness:cell | Right with a single word, but not with several words or with vectors of a single number. All
        cells of your”
    mean_geo: vectors.abs().log().mean(0).exp()
        “likeness:cell | differ from the target”
    mean_skip: vectors[1:].mean(0)
        “nan | In your average there is NaN (not a number) everywhere with a single word; with several”
    mean_half: (vectors.amax(0) + vectors.amin(0)) / 2
        “likeness:cell | Right with a single word, but not with several words or with vectors of a single number. All
        cells of your”
    """,
)


@answer("start.mean", "crash", "Your function calls itself and never ends: `mean_rec` in line ")
def mean_rec(vectors):
    return mean_rec(vectors)


@answer("start.mean", "signature", "Your function must take (vectors), in this order; keep the first line of the stub.")
def mean_noargs():
    return 1
