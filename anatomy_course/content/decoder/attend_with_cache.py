"""Notebook 05: attention with a key/value cache."""

import torch

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import attention


# fmt: off
def attend_with_cache(
    query: Tensor, key: Tensor, value: Tensor, past_keys: Tensor, past_values: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """query, key, value (batch, heads, new, d_head);
    past_keys, past_values (batch, heads, past, d_head), past may be 0
    → context (batch, heads, new, d_head), keys and values (batch, heads, past + new, d_head)."""
    keys = torch.cat([past_keys, key], dim=2)
    values = torch.cat([past_values, value], dim=2)
    past, new = past_keys.shape[2], query.shape[2]
    mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)
    scores = query @ keys.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)
    return weights @ values, keys, values
# fmt: on


def cases(generator: Generator) -> Cases:
    later = "a later position that matches best"
    zero = "a key of zeros"  # its score is 0, and e⁰ is a weight like any other: 0 must not stand for what is forbidden
    kinds: dict[str, dict[str, int]] = {
        "one new position": {"new": 1},
        "several new positions": {},
        "an empty cache": {"past": 0},
        "one text": {"batch": 1},
        later: {},
        "the first position of all": {"past": 0, "new": 1},
        zero: {},
    }
    for kind, fixed in kinds.items():
        draw = Draw(generator, "batch heads past new d_head", kind=kind)
        if draw["new"] == 2:  # with two new ones, "sees the next" is "sees all"
            draw.sizes |= {"past": 2, "new": draw["past"]}
        draw.sizes |= fixed
        arguments = {name: draw("batch heads new d_head") for name in ("query", "key", "value")}
        arguments |= {name: draw("batch heads past d_head") for name in ("past_keys", "past_values")}
        if kind == later:
            lift(arguments["query"], arguments["past_keys"], -144.0)
            lift(arguments["query"], arguments["key"], -144.0 * (torch.arange(draw["new"]) < draw["new"] - 1))
        if kind == zero:
            arguments["past_keys"][:, :, 0] = 0
        yield draw.case(**arguments)


EXERCISE = written(
    attend_with_cache,
    same_as=attention.attend_with_cache,
    title="Attention with a cache",
    task="Append the new keys and values to the remembered ones and attend to all of them, but to nothing that comes "
    "later; return the longer cache too.",
    level="hard, 8 minutes",
    returns="context: heads new d_head; keys: heads position d_head; values: heads position d_head",
    look_first="keys values context",
    cases=cases,
    stages="""
    mask
    scores
    weights
    """,
    mistakes="""
    no_mask: .masked_fill(~mask, float('-inf')) ⇒
        “Your cache is right, and so is a single new position. Where there are several, they see what comes after
        them.”
    mask_from_the_start: .tril(past) ⇒ .tril()
        “Your cache is right, but your mask counts from the beginning: the first new position sees one key, as if there
        were no past.”
    sees_the_next: .tril(past) ⇒ .tril(past + 1)
        “Your cache is right, but each new position sees one that comes after it.”
    not_itself: .tril(past) ⇒ .tril(past - 1)
        “Your cache is right, but no position sees itself; with an empty cache the first one sees nothing at all (NaN).”
    new_only: .tril(past) ⇒ .tril(past) & (torch.arange(past + new) >= past)
        “Your cache is right, but the new positions attend to new ones only: the past is remembered and not used.”
    zeros_forbidden: ~mask ⇒ scores.tril(past) == 0
        “Your cache is right, but a score of exactly 0 counts as forbidden in yours. A key of zeros has such scores, and
        should get its share.”
    in_front:
        [past_keys, key] ⇒ [key, past_keys]
        [past_values, value] ⇒ [value, past_values]
        “Your new keys and values come before the remembered ones; they belong after them.”
    not_extended: weights @ values, keys, values ⇒ weights @ values, past_keys, past_values
        “Your context is right, but the cache that you return has not grown: the next step would not know these
        positions.”
    past_forgotten: weights @ values, keys, values ⇒ weights @ values, key, value
        “Your context is right, but the cache that you return holds the new positions alone: the next step would not
        know the past.”
    cache_swapped: weights @ values, keys, values ⇒ weights @ values, values, keys
        “Your context is right, but keys and values are swapped in the cache that you return.”
    not_scaled: / query.shape[-1] ** 0.5 ⇒
        “Your cache is right, but your scores are not divided by √d_head.”
    keys_for_values: weights @ values ⇒ weights @ keys
        “Your cache is right, but your weights average the keys, not the values.”
    """,
    also_right="""
    torch's attention:
        keys, values = torch.cat([past_keys, key], 2), torch.cat([past_values, value], 2)
        mask = torch.ones(query.shape[2], keys.shape[2], dtype=torch.bool).tril(past_keys.shape[2])
        return F.scaled_dot_product_attention(query, keys, values, mask), keys, values
    a mask that is added:
        torch.ones(new, past + new, dtype=torch.bool).tril(past) ⇒ torch.full((new, past + new), -1e9).triu(past + 1)
        query @ keys.transpose(-2, -1) ⇒ torch.einsum("bhqd,bhkd->bhqk", query, keys)
        scores.masked_fill(~mask, float('-inf')) ⇒ (scores + mask)
    compared positions:
        torch.ones(new, past + new, dtype=torch.bool).tril(past) ⇒
            torch.arange(past + new) <= torch.arange(new)[:, None] + past
    """,
    again="""
    .tril(past) ⇒ .tril(past).triu(past - 3)
        “This time a position sees itself and the three before it, and nothing that lies farther back.”
        Not here: mask_from_the_start no_mask
    """,
    hints="""
    - `torch.cat` along the position axis makes the longer keys and values. What follows is the attention of notebook
      01; only its mask is new.
    - New position i is at place past + i: it sees that many keys and itself. So the mask, (new, past + new), is True in
      all columns of the past, and a triangle after them.
    - `torch.ones(new, past + new, dtype=torch.bool).tril(past)`: the number moves the diagonal to the right.
    """,
    explanation="""
    Keys and values of the past never change, because no position sees what comes after it. So each token is computed
    once, and a step costs one row of scores. The queries are not kept.
    """,
)
