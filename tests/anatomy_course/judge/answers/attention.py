"""Wrong answers to the exercises of notebooks 00 and 01 that are in no catalogue."""

from __future__ import annotations

import math

from answers import answer, answers


def sc(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])


answers("""
attention.scores
    scores_neg: -(query @ key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
        “likeness:sign | In your scores every sign is flipped: where the target has +, you have −, and vice versa.”
    scores_hard8: query @ key.transpose(-2, -1) / 8
        “likeness:stage_factor | Your scores are the dot products times”
    scores_eps: query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]) + 0.1
        “likeness:offset | In your scores every number is”
    scores_dott: query @ key.T / math.sqrt(query.shape[-1])
        “crash | a matrix product of stacks needs equal axes before the last two”
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
    scores_prt:
        print(query @ key.transpose(-2, -1))
        pass
        “nothing | Your function ran to its end, but it returned nothing (None).”
    scores_meth: (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).contiguous
        “type | You return a function (builtin_function_or_method); is a pair of parentheses missing after”
    scores_scale_total: query @ key.transpose(-2, -1) / math.sqrt(query.numel())
        “likeness:case_factor | In your scores every number is the target's times one number, but another one in each”
    scores_centered:
        s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return s - s.mean(-1, keepdim=True)
        “likeness:function | Your scores are the target minus its average over the key axis.”
    scores_qq: query @ query.transpose(-2, -1) / math.sqrt(query.shape[-1])
        “shape:inputs | Your scores are exactly what comes out when `query` is used in place of `key`.”
    scores_double: query.double() @ key.double().transpose(-2, -1) / math.sqrt(query.shape[-1])
        “dtype | The numbers are right, but not their type: in your scores there are float”
    scores_item: (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).sum().item()
        “type | You return a plain float; a tensor is wanted.”
    scores_reshape_t: query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2]) / math.sqrt(query.shape[-1])
        “likeness:inputs | Your scores are exactly what comes out when the last two axes of `key` are not swapped, but”
    scores_swapped_t:
        return (key @ query.transpose(-2, -1)).reshape(*query.shape[:-1], key.shape[-2]) / math.sqrt(query.shape[-1])
        “likeness:layout | In your scores the target's numbers are all there, but read along the other axis; a view”
    scores_clampd: sc(query, key).clamp(-1, 1)
        “likeness:cut_off | Your scores are the target, but everything above”
    scores_outerp: torch.outer(query.flatten(), key.flatten())
        “shape:shape | The shape of your scores is”
    no_root_with_heads: query @ key.mT / query.shape[-1] ** (1 if query.dim() > 3 else 0.5)
        “likeness:factor | but not with a batch with heads. In your scores every number is the target's times 0.577”

attention.attention
    attention_keyvalue:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return w @ key, w
        “shape:inputs | Your context is exactly what comes out when `key` is used in place of `value`.”
    attention_softctx:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        return (w @ value).softmax(-1), w
        “likeness:function | Your context is softmax of the target, over the d_value axis: one softmax too many.”
    attention_threeret:
        s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        w = s.softmax(-1)
        return w @ value, w, s
        “type | You return 3 values; this exercise wants 2: `return context, weights`.”
    attention_twosoft:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1).softmax(-1)
        return w @ value, w
        “likeness:function | Your weights are softmax of the target, over the key axis: one softmax too many.”
    attention_exps:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).exp()
        return w @ value, w
        “nan | in 8 of 10 cells with strong matches; with a batch of one sentence”
    attention_relun:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).relu()
        w = w / w.sum(-1, keepdim=True).clamp_min(1e-6)
        return w @ value, w
        “likeness:cell | yours there stays the same when these change a little”
    attention_causal_sneaked:
        s = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        s = s.masked_fill(torch.ones_like(s).triu(1).bool(), -1e9)
        w = s.softmax(-1)
        return w @ value, w
        “likeness:causal | Your weights are 0 wherever the key comes after the query, as under a causal mask; there is”
    attention_roundw:
        w = (query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])).softmax(-1)
        w = (w * 10).round() / 10
        return w @ value, w
        “likeness:function | Your weights are the target rounded to one digit.”
    attention_ctx_res:
        w = sc(query, key).softmax(-1)
        return w @ value + value.mean(-2, keepdim=True), w
        “likeness:row_offset | In your context each column is the target's column plus a number of its own.”
    attention_onehot:
        s = sc(query, key)
        w = F.one_hot(s.argmax(-1), s.shape[-1]).float()
        return w @ value, w
        “likeness:zero | Your weights are exactly 0 in 371 of 431 cells; where the target is not 0,”
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
    scores_held:
        scores = query @ key.mT
        scaled = scores / query.shape[-1] ** 0.5
        other = scaled.softmax(-1) * (1 + scores.sin() ** 2)
        return other @ value, other / other.sum(-1, keepdim=True)
        “likeness:stage | You are right up to the scaled scores: your variable `scaled`”
    scores_not_held:
        scaled = query @ key.mT / query.shape[-1] ** 0.5
        other = scaled.softmax(-1) * (1 + scaled.sin() ** 2)
        return other @ value, other / other.sum(-1, keepdim=True)
        “likeness:stage | The scaled scores are right: your variable `scaled` holds them.”
    overwritten:
        table = query @ key.mT
        table = table / query.shape[-1] ** 0.5
        table = table.softmax(-1) * (1 + table.sin() ** 2)
        table = table / table.sum(-1, keepdim=True)
        return table @ value, table
        “likeness:stage | You are right up to the scaled scores: your variable `table` in line”
    stage_times_a_number:
        table = 2 * query @ key.mT / math.sqrt(query.shape[-1])
        weights = table.softmax(-1) + table.sin() ** 2
        return weights @ value, weights
        “likeness:stage | in your variable `table` every number is the right one's times 2.”
    each_output_in_other_cases: result[0] * (1 if query.dim() == 3 else 5), result[1] * (1 if query.dim() > 2 else 3)
        “likeness:factor | but not with one sentence or with strong matches. In your weights every number is the”
    one_output_of_a_mistake: result[0], (query @ key.mT).softmax(-1)
        “mistake:no_scale | Your weights are just what a known mistake gives”
    either_of_two_mistakes: 3 * result[0], sc(query, key)
        “part:no_softmax|scores_returned | here they give the same”
    unscaled_doubles:
        weights = (query @ key.mT).softmax(-1)
        return (weights @ value).double(), weights.double()
        “mistake:no_scale | Besides, in your weights there are float64 numbers; wanted are float32 numbers.”
    unscaled_and_changing_its_input:
        weights = (query @ key.mT).softmax(-1)
        context = weights @ value
        value.zero_()
        return context, weights
        “mistake:no_scale | Your function changes its input: `value`”
    unscaled_in_the_other_order:
        weights = (query @ key.mT).softmax(-1)
        return weights, weights @ value
        “swapped:no_scale | in another order”
    sum_of_rows:
        powers = (sc(query, key) - sc(query, key).amax(-1, keepdim=True)).exp()
        shares = powers / sum(powers)
        return shares @ value, shares
        “likeness:python_sum | With the sum over the last axis, which stays with length 1, in its place your function”
    sum_with_an_axis:
        powers = (sc(query, key) - sc(query, key).amax(-1, keepdim=True)).exp()
        shares = powers / sum(powers, -1) * 3
        return shares @ value, shares
        “likeness:python_sum | its second argument is not an axis but the number that it starts from.”

attention.masked_softmax
    masked_softmax_halfmask: scores.masked_fill(~mask, -5.0).softmax(-1) * mask.any(-1, keepdim=True)
        “likeness:not_zero | Where the target is 0, yours should be 0 too; in 126 of these 143 cells”
    masked_softmax_minuszero: scores.masked_fill(~mask, float("inf")).softmax(-1)
        “nan | In your weights there is NaN (not a number) in”
    masked_softmax_notmask: scores.masked_fill(-mask, -1e9).softmax(-1)
        “crash | `-` does not flip True and False; `~mask` does.”
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
    masked_softmax_where0: torch.where(mask, scores.softmax(-1), torch.tensor(1e-9))
        “mistake:zero_afterwards | Your forbidden weights are”
    masked_softmax_renorm:
        w = scores.softmax(-1) * mask
        return w / w.sum(-1, keepdim=True)
        “nan | with a row with nothing to attend to; with a padded batch with heads and with one sentence it is right”

attention.softmax
    softmax_dim0: scores.softmax(0)
        “likeness:sum_axis | Your weights sum to 1 over axis 0, the first one; they should sum to 1 over the key axis.”
    softmax_base2:
        s = scores - scores.amax(-1, keepdim=True)
        p = 2**s
        return p / p.sum(-1, keepdim=True)
        “likeness:temperature | they come from the right scores times”
    softmax_clampx:
        p = scores.clamp(max=50).exp()
        return p / p.sum(-1, keepdim=True)
        “nan | everywhere with numbers far below zero; with several heads and with small numbers it is right”
    softmax_temp: (scores / 2).softmax(-1)
        “likeness:temperature | Each row of your weights sums to”
    softmax_sigm: scores.sigmoid()
        “likeness:sums | The rows of your weights should each sum to”
    of_columns: scores.mT.softmax(-1)
        “shape:turned_input | exactly what comes out when the last two axes of `scores` are swapped first.”

attention.weighted_average
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
    weighted_average_argminw: (1 - weights) @ vectors
        “likeness:inputs | Your result is exactly what comes out when”
    weighted_average_rownorm:
        o = weights @ vectors
        return o / o.norm(dim=-1, keepdim=True)
        “likeness:function | Your result is the target divided by its length over the d_model axis.”

attention.projection
    projection_bias0:
        out = hidden_states @ weight
        out[..., 0, :] += bias
        return out
        “likeness:entry | Your projection is right in the first position, and wrong in the others.”
    linear: F.linear(hidden_states, weight, bias)
        “crash | it uses `weight` as if it came as (11, 5), and it comes as (5, 11).”

attention.causal_mask
    causal_mask_band: torch.ones(length, length, dtype=torch.bool).tril().triu(-1)
        “likeness:side | Only cells in which the key comes before the query are wrong; the others are right.”
    causal_mask_flipd: torch.ones(length, length, dtype=torch.bool).tril().flip(-1)
        “likeness:function | Your mask is the target reversed along the key axis.”
    causal_mask_fixed: torch.ones(5, 5, dtype=torch.bool).tril()
        “shape:fixed | Right in 1 of 4 cases.”
    causal_mask_hardcode: torch.tensor([[1, 0, 0], [1, 1, 0], [1, 1, 1]]).bool()
        “shape:fixed | In the others: The shape of your mask is”

attention.one_word
    one_word_weightsonly: (key @ query_i / len(query_i) ** 0.5).softmax(-1)
        “shape:stage | What you return as context is only the weights: up to there it is right.”
    one_word_torchdot: torch.dot(query_i, key)
        “crash | torch.dot takes two vectors; you gave tensors with”
    one_word_scaleafter: ((key @ query_i).softmax(0) / len(query_i) ** 0.5) @ value
        “likeness:no_scale+size_factor | Two slips come together in your context. 1. “Your context comes”

attention.repair
    repair_root_of_queries:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-2])
        weights = scores.masked_fill(~mask, -1e9).softmax(-1) * mask
        return weights @ value, weights
        “likeness:temperature | come from the right scores times one number”

start.mean
    mean_n1: vectors.sum(0) / (len(vectors) - 1)
        “nan | In your average there is ∞ everywhere with a single word; with several words and with vectors of a”
    mean_med: vectors.median(0).values
        “likeness:of_argument | Your average is the median of `vectors` over its axis”
    mean_tup: (vectors.mean(0),)
        “type | You return a tuple with one tensor in it; a comma after the result does that.”
    mean_strr: "<script>alert(1)</script>"
        “type | You return a str; a tensor is wanted.”
    mean_first: vectors[0]
        “likeness:of_argument | Your average is the first entry of `vectors` along its axis”
    mean_quit_:
        exit()
        pass
        “crash | Your function asked Python to quit.”
    mean_meandim2: vectors.mean(dim=2)
        “crash | There is no axis 2: this tensor's axes are 0 to 1 or, counted from the end, -2 to -1.”
    mean_cplx: vectors.mean(0).to(torch.complex64)
        “dtype | The numbers are right, but not their type: in your average there are complex numbers (complex”
    mean_meta: vectors.mean(0).to("meta")
        “device | You return the average on the device meta, but the input is on cpu; make new tensors where the”
    mean_half: (vectors.amax(0) + vectors.amin(0)) / 2
        “likeness:cell | Right with a single word, but not with several words or with vectors of a single number. All”
    sum_of_a_list: sum(list(vectors)) / 7
        “likeness:sum+factor | Two slips come together in your average. 1.”
""")


@answer("start.mean", "crash", "Your function calls itself and never ends: `mean_rec` in line ")
def mean_rec(vectors):
    return mean_rec(vectors)


@answer("start.mean", "signature", "Your function must take (vectors), in this order; keep the first line of the stub.")
def mean_noargs():
    return 1
