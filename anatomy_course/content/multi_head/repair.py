"""Notebook 02's case: find out what is wrong with `colleagues_heads`, and write it right."""

import torch

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written
from anatomy_utils.functional import multi_head


# fmt: off
def repaired_heads(
    query: Tensor, key: Tensor, value: Tensor, num_heads: int, mask: Tensor
) -> Tensor:
    """query (batch, query, d_model), key and value (batch, key, d_model), all heads side by side;
    mask (bool, broadcast to batch, heads, query, key; True = may attend; each query has a key
    to attend to) → context (batch, query, d_model)."""
    query, key, value = (part.unflatten(-1, (num_heads, -1)).transpose(1, 2) for part in (query, key, value))
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)
    return (weights @ value).transpose(1, 2).flatten(2)
# fmt: on


def cases(generator: Generator) -> Cases:
    own, more, best = "a mask of its own for each query", "more keys than queries", "padding that matches best"
    for kind in ("a padded batch", own, more, "one sentence", best):
        draw = Draw(generator, "batch query heads d_head", (2, 3, 5, 7), kind)
        keys = 11 if kind == more else draw["query"]
        if kind == own:
            mask = draw.uniform(f"query {keys}") < 0.6
            mask[:, 0], mask[0, 1] = True, False
        else:
            mask = torch.arange(keys) < 1 + draw.ids(keys - 1, "batch 1 1 1")
        query, key, value = (draw(f"batch {length} heads d_head") for length in (draw["query"], keys, keys))
        query *= 2
        if kind == "a padded batch":
            key[:, 0] = 0.0  # all scores of this key are 0, and it is allowed
        if kind == best:
            lift(query, key, -144.0 * mask[:, 0, 0, :, None])
        arguments = {"query": query.flatten(2), "key": key.flatten(2), "value": value.flatten(2)}
        yield draw.case(**arguments, num_heads=draw["heads"], mask=mask)


EXERCISE = written(
    repaired_heads,
    same_as=multi_head.attend_in_heads,
    title="The case: a colleague's heads",
    task="Write the function that `colleagues_heads` should have been: attention in heads. It must obey the mask.",
    level="hard, 6 minutes",
    returns="context: query d_model",
    cases=and_short(cases, "query", "a single word"),
    stages="""
    queries of each head: query
    keys of each head: key
    scores
    weights
    contexts of each head: weights @ value
    """,
    mistakes="""
    unchanged:
        .unflatten(-1, (num_heads, -1)).transpose(1, 2) ⇒ .view(len(part), num_heads, part.shape[1], -1)
        .transpose(1, 2).flatten(2) ⇒ .reshape(len(value), -1, num_heads * value.shape[-1])
        “This is what the patient computes: a head still gets a few neighboring words in full, and not a part of every
        word.”
    not_merged_rightly: .transpose(1, 2).flatten(2) ⇒ .reshape(len(value), -1, num_heads * value.shape[-1])
        “The way in is repaired: your heads see a part of every word. On the way out they are still scrambled.”
    not_split_rightly: .unflatten(-1, (num_heads, -1)).transpose(1, 2) ⇒ .view(len(part), num_heads, part.shape[1], -1)
        “The way out is repaired, but the heads are still scrambled on the way in.”
    queries_only:
        query, key, value = (part.unflatten(-1, (num_heads, -1)).transpose(1, 2) for part in (query, key, value)) ⇒
            query = query.unflatten(-1, (num_heads, -1)).transpose(1, 2)
            key, value = (part.view(len(part), num_heads, part.shape[1], -1) for part in (key, value))
        “Your queries are split correctly now; keys and values are still cut as the patient cuts them.”
    interleaved:
        .unflatten(-1, (num_heads, -1)).transpose(1, 2) ⇒ .unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)
        .transpose(1, 2).flatten(2) ⇒ .permute(0, 2, 3, 1).flatten(2)
        “Your heads see a part of every word, but its features are num_heads apart; a head's features are neighbors.”
    mask_ignored: .masked_fill(~mask, float('-inf')) ⇒
        “Your heads are repaired, but forbidden keys still get a weight: the mask has no effect.”
    mask_inverted:
        ~mask ⇒ mask
        .softmax(dim=-1) ⇒ .softmax(dim=-1).nan_to_num()
        “Your heads are repaired, but they look where they may not: True means 'may attend'.”
    zero_afterwards: .masked_fill(~mask, float('-inf')).softmax(dim=-1) ⇒ .softmax(dim=-1) * mask
        “Your heads are repaired, but the mask acts as if it came after the softmax: the allowed keys do not get the
        weight that the others had.”
    one_wide_head: (num_heads, -1) ⇒ (1, -1)
        “Nothing is scrambled any more, but your context is that of a single head, as wide as d_model.”
    scaled_by_d_model: / query.shape[-1] ** 0.5 ⇒ / (num_heads * query.shape[-1]) ** 0.5
        “Your heads are repaired, but their scores are divided by √d_model and not by √d_head.”
    not_scaled: / query.shape[-1] ** 0.5 ⇒
        “Your heads are repaired, but their weights are those of scores not divided by √d_head.”
    """,
    also_right="""
    view and transpose:
        .unflatten(-1, (num_heads, -1)) ⇒ .view(len(part), -1, num_heads, part.shape[-1] // num_heads)
        .flatten(2) ⇒ .reshape(len(value), -1, num_heads * value.shape[-1])
    head by head:
        mask = mask if mask.dim() == 2 else mask[:, 0]
        contexts = []
        for query, key, value in zip(*(part.chunk(num_heads, -1) for part in (query, key, value)), strict=True):
            scores = query @ key.mT / query.shape[-1] ** 0.5
            contexts.append(scores.masked_fill(~mask, -1e9).softmax(dim=-1) @ value)
        return torch.cat(contexts, dim=-1)
    fused kernel: weights @ value ⇒ F.scaled_dot_product_attention(query, key, value, mask)
    """,
    hints="""
    - Look at the table of symptoms: a change of the last word reaches only its neighbors. At which step are the words
      separated?
    - The patient's `view` goes straight to (batch, heads, position, d_head). You have written how to split and how to
      merge; both belong in here, one before the attention and one after it.
    - `part.unflatten(-1, (num_heads, -1)).transpose(1, 2)` for query, key and value; scores, mask, softmax, times
      value; then `.transpose(1, 2).flatten(2)`.
    """,
    explanation="""
    The patient's `view` keeps all numbers in their order, so its first head holds the first words in full. Words in
    different heads never meet, and padding shifts which word is in which head. The way back keeps that order too, so
    every number returns to its word: that is why the model still trains.
    """,
)
