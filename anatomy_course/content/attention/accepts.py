"""Notebook 01: a test of somebody else's attention, judged by what it lets through and what it refuses."""

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.attention.shared import verdict
from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written
from anatomy_course.judge.form import define, variants


def accepts(attention) -> bool:
    """attention(query, key, value, mask) → context, weights, by somebody else. True if it is right.
    query (text, head, query, d_head), key (text, head, key, d_head),
    value (text, head, key, d_value), mask (text, 1, query, key), True = may attend;
    each axis may have any length up to 32. Right: where scaled scores are from −40 to 40, both
    results are within 1% or 0.01 of the equation's; a row of the mask with nothing allowed gives
    zeros; and the four arguments are left as they were."""
    generator = torch.Generator().manual_seed(0)
    for size in (1, 8):
        query = size * torch.randn(2, 3, 6, 5, generator=generator)
        key, value = (torch.randn(2, 3, 20, width, generator=generator) for width in (5, 7))
        mask = torch.rand(2, 1, 6, 20, generator=generator) < 0.5
        mask[0, 0, 2] = False
        given = [each.clone() for each in (query, key, value, mask)]
        context, weights = attention(*given)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        wanted = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0.0)
        if not torch.allclose(weights, wanted, rtol=0.01, atol=0.01):
            return False
        if not torch.allclose(context, wanted @ value, rtol=0.01, atol=0.01):
            return False
        if not all(map(torch.equal, given, (query, key, value, mask))):
            return False
    return True


SOURCE = """def attention(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)
    weights = weights.masked_fill(~mask, 0.0)
    context = weights @ value
    return context, weights
"""
RIGHT = """
einsum: query @ key.transpose(-2, -1) ⇒ torch.einsum("...qd,...kd->...qk", query, key)
    “its dot products are written with einsum.”
double:
    query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5 ⇒
        (query.double() @ key.double().mT / query.shape[-1] ** 0.5).float()
    “it computes the scores in 64 bits, so its last digits differ.”
short: context, weights ⇒ context.bfloat16().float(), weights.bfloat16().float()
    “it rounds its results to 16 bits, which moves them by up to 0.4%.”
large_number:
    float('-inf') ⇒ -1e9
    “it fills in −1,000,000,000 where others have −∞, and sets those weights to 0 afterwards.”
no_maximum:
    scores.masked_fill(~mask, float('-inf')).softmax(dim=-1) ⇒
        scores.exp() * mask / (scores.exp() * mask).sum(-1, keepdim=True).clamp_min(1e-30)
    “it subtracts no maximum before the exponential. That breaks from scores of about 88 on, and 40 are asked for.”
shifted: scores.masked_fill ⇒ (scores + 3.0).masked_fill
    “it adds 3 to every score, and a softmax does not notice.”
both_scaled:
    query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5 ⇒
        (query / query.shape[-1] ** 0.25) @ (key / key.shape[-1] ** 0.25).mT
    “it divides queries and keys by the fourth root of d_head each, in place of the scores.”
any_order:
    context = weights @ value ⇒
        order = torch.arange(key.shape[-2]).flip(0)
        context = weights[..., order] @ value[..., order, :]
    “it adds up the weighted values from the last key to the first.”
fused:
    context = weights @ value ⇒
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=mask).nan_to_num(0.0)
    “its context comes from torch's fused function.”
"""
WRONG = """
mask_ignored:
    .masked_fill(~mask, float('-inf')) ⇒
    .masked_fill(~mask, 0.0) ⇒ .clone()
    “it ignores the mask.”
mask_inverted: ~mask ⇒ mask
    “it attends to what the mask forbids.”
no_scale: / query.shape[-1] ** 0.5 ⇒
    “it forgets to divide the scores.”
columns: dim=-1 ⇒ dim=-2
    “its softmax runs over the queries.”
root_of_keys: query.shape[-1] ⇒ key.shape[-2]
    “it divides by the root of the number of keys. Where there are as many keys as features, nobody can tell.”
root_of_values: query.shape[-1] ⇒ value.shape[-1]
    “it divides by the root of the values' width. Where values are as wide as keys, nobody can tell.”
afterwards: .masked_fill(~mask, float('-inf')) ⇒
    “its mask comes after the softmax, so its rows sum to less than 1.”
minus_ten:
    scores.masked_fill(~mask, float('-inf')) ⇒ (scores - 10.0 * ~mask)
    weights.masked_fill(~mask, 0.0) ⇒ weights * mask.any(-1, keepdim=True)
    “a forbidden score is only 10 less in it. That shows where a forbidden key matches very well.”
nan_rows: weights = weights.masked_fill(~mask, 0.0) ⇒ pass
    “its result is NaN in a row with nothing allowed.”
even_rows (nan_rows): float('-inf') ⇒ -1e9
    “a row with nothing allowed spreads its weight evenly in it.”
first_mask: ~mask ⇒ ~mask[:1]
    “it uses the first text's mask for all texts.”
shifted_mask: ~mask ⇒ ~mask.roll(1, -1)
    “its mask is off by one: every key obeys the entry of the key before.”
last_key: weights = scores ⇒ weights = scores.index_fill(-1, torch.tensor([key.shape[-2] - 1]), -40.0)
    “its last key gets no weight: a loop that ends one too early.”
first_head: weights.masked_fill(~mask, 0.0) ⇒ weights.masked_fill(~mask, 0.0)[:, :1].expand_as(weights)
    “it uses the first head's weights for all heads. With a single head, nobody can tell.”
heads_mixed: context = weights @ value ⇒ context = (weights @ value).transpose(1, 2).reshape(*weights.shape[:3], -1)
    “it mixes heads and queries up in a reshape, after the weights were right.”
first_text:
    weights = weights.masked_fill(~mask, 0.0) ⇒
        weights = (weights.masked_fill(~mask, 0.0)[:1] * mask).expand_as(weights)
    “it uses the first text's weights for every text.”
other_weights: context, weights ⇒ context, scores.softmax(-1)
    “its context is right, but the weights that it returns are those without a mask.”
other_context: context = weights @ value ⇒ context = scores.softmax(-1) @ value
    “the weights that it returns are right, but its context comes from weights without a mask.”
cosine:
    weights = scores ⇒
        scores = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT
        weights = scores
    “it compares directions only: the lengths of queries and keys are divided out.”
clamped: / query.shape[-1] ** 0.5 ⇒ / query.shape[-1] ** 0.5; scores = scores.clamp(-6, 6)
    “it cuts scores off at 6. With small scores, nobody can tell.”
first_keys: weights = scores ⇒ weights = scores.where(torch.arange(key.shape[-2]) < 16, -99.0)
    “it reads the first 16 keys and no more.”
one_row: context = weights @ value ⇒ context = weights @ value; weights[-1, -1, 1:2] = weights[-1, -1, :1]
    “its context is right, and one row of its weights is not: in the last text's last head, the second query's weights
    are those of the first one. In a mean over all weights this hardly shows.”
in_place: / query.shape[-1] ** 0.5 ⇒ / query.shape[-1] ** 0.5; query /= 2.0
    “its results are right, but it has written into the query that you gave it.”
"""
THEIRS = {
    name: (text, sentence, right)
    for right, entries in ((True, RIGHT), (False, WRONG))
    for name, text, sentence in variants(entries, SOURCE, {})
}
"""Name → an attention's text, what there is to say about it, and whether it is right."""
RIGHT_ONES = sum(right for _, _, right in THEIRS.values())


def cases(generator: Generator) -> Cases:
    for name, (_, _, right) in THEIRS.items():
        yield Case({"name": name}, f"{'a right' if right else 'a wrong'} attention")


def drive(answer: Callable[[Any], object], name: str) -> tuple[Tensor, ...] | Objection | None:
    """1 where the test says of this attention what is true; else what it is that was let through or refused."""
    text, sentence, right = THEIRS[name]
    attention, stopped = define(text, name, "attention", {}), []

    def theirs(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        try:
            found: tuple[Tensor, Tensor] = attention(query, key, value, mask)
        except Exception as error:
            stopped.append(error)
            raise
        return found

    try:
        said = answer(theirs)
    except Exception:
        if right or not stopped:
            raise
        said = False
    return verdict(
        said, right, f"You refuse one that is right: {sentence}", f"You let one through that is wrong: {sentence}"
    )


EXERCISE = written(
    accepts,
    title="A test of attention",
    task="Write the test, not the function: say of any attention whether it is right. "
    f"{RIGHT_ONES} right and {len(THEIRS) - RIGHT_ONES} wrong ones wait.",
    level="hard, 15 minutes",
    returns="what was said of it",
    cases=cases,
    observe=drive,
    seconds=15.0,
    mistakes="""
    anything: return False ⇒ pass
        “You let everything through.”
    nothing: return True ⇒ return False
        “You refuse everything, the right ones too. Where you compare, allow what is allowed: 1% or 0.01.”
    exactly: torch.allclose(weights, wanted, rtol=0.01, atol=0.01) ⇒ torch.equal(weights, wanted)
        “You compare number for number. A right attention may add up in another order or round, and then its last digits
        differ.”
    a_thousandth: rtol=0.01, atol=0.01 ⇒ rtol=1e-5, atol=1e-5
        “Your tolerance is too small: a right attention may differ from the equation by 1% or 0.01.”
    rows_sum_to_one:
        if not torch.allclose(weights, wanted, rtol=0.01, atol=0.01): ⇒
            if not torch.allclose(weights.sum(-1), wanted.sum(-1), rtol=0.01, atol=0.01):
        if not torch.allclose(context, wanted @ value, rtol=0.01, atol=0.01): ⇒
            if not torch.allclose(context, weights @ value, rtol=0.01, atol=0.01):
        “You test whether rows sum to 1, and whether context and weights fit together. Wrong weights can do both.”
    small_scores: in (1, 8) ⇒ in (1, 1)
        “Your scores are all small. Some mistakes show only where a score is large.”
    too_large: in (1, 8) ⇒ in (1, 80)
        “Your scores go far beyond 40. There, an attention may break that is right for all that was asked.”
    no_mask: generator=generator) < 0.5 ⇒ generator=generator) < 2.0
        “Your mask forbids next to nothing, so it tests no mask.”
    same_sizes:
        2, 3, 6, 5, ⇒ 2, 3, 5, 5,
        2, 3, 20, width, ⇒ 2, 3, 5, 5,
        2, 1, 6, 20, ⇒ 2, 1, 5, 5,
        “Your sizes are equal where they should differ: if there are as many keys as features, a mix-up of the two is
        no mistake at all. Short texts hide mistakes, too.”
    """,
    also_right="""
    two fixed examples:
        for size in (1, 8): ⇒ for size, seed in ((8, 3), (1, 4)):
        query = size * torch.randn(2, 3, 6, 5, generator=generator) ⇒
            generator.manual_seed(seed)
            query = size * torch.randn(2, 3, 6, 5, generator=generator)
    torch as the judge:
        wanted = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0.0) ⇒
            eye = torch.eye(20).expand(2, 3, 20, 20)
            wanted = F.scaled_dot_product_attention(query, key, eye, attn_mask=mask).nan_to_num(0.0)
    the largest difference:
        torch.allclose(weights, wanted, rtol=0.01, atol=0.01) ⇒ (weights - wanted).abs().max() < 0.012
    """,
    hints="""
    - Compute what is right yourself, and compare. The skill is in the inputs: which inputs make every mistake visible
      that you could make?
    - Unequal lengths for all axes, more than 16 keys, several texts and heads, a mask that differs from row to row and
      has an empty row, small scores and large ones (up to 40). Compare weights *and* context, with a tolerance.
    - `wanted = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num(0.0)`, then `torch.allclose(weights,
      wanted, rtol=0.01, atol=0.01)`, the same for `wanted @ value`; keep clones, and compare the arguments at the end.
    """,
    explanation="""
    A test is as good as its inputs. Equal sizes hide a wrong axis, small scores hide a wrong mask, a test that is too
    strict refuses what is right. Testing a test on known mistakes, as here, is called mutation testing.
    """,
)
