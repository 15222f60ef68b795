"""Notebook 05: grouped queries, several query heads on one head of keys and values."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import multi_head


def share_heads(vectors: Tensor, num_heads: int) -> Tensor:
    """Keys (or values) (batch, kv_heads, position, d_head) → (batch, num_heads, position, d_head).
    With 2 key heads for 6 query heads, query heads 0, 1, 2 use key head 0,
    and 3, 4, 5 use key head 1."""
    group = num_heads // vectors.shape[1]
    return vectors.repeat_interleave(group, dim=1)


def cases(generator: Generator) -> Cases:
    # Kind of a case → the axis that has length 1 in it.
    one = {"a single key head": "kv_heads", "a key head for each query head": "group", "one text": "batch"}
    for kind in ("groups of query heads", *one):
        draw = Draw(generator, "batch kv_heads group position d_head", kind=kind)
        if kind in one:
            draw.sizes[one[kind]] = 1
        vectors = draw("batch kv_heads position d_head")
        yield draw.case(vectors=vectors, num_heads=draw["kv_heads"] * draw["group"])


EXERCISE = written(
    share_heads,
    same_as=multi_head.share_heads,
    title="Shared keys and values",
    task="Give each of num_heads query heads its key head, where neighboring query heads share one.",
    level="medium, 4 minutes",
    returns="vectors: heads position d_head",
    cases=cases,
    also_right="""
    expand and flatten: .repeat_interleave(group, dim=1) ⇒ [:, :, None].expand(-1, -1, group, -1, -1).flatten(1, 2)
    index: .repeat_interleave(group, dim=1) ⇒ [:, torch.arange(num_heads) // group]
    head by head:
        group = num_heads // vectors.shape[1]
        return torch.stack([vectors[:, head // group] for head in range(num_heads)], dim=1)
    """,
    mistakes="""
    in_turn: repeat_interleave(group, dim=1) ⇒ repeat(1, group, 1, 1)
        “Your key heads follow each other in turn: 0, 1, 0, 1 and so on. Neighboring query heads should share one.”
    unchanged: vectors
        “You still have kv_heads heads; most of the query heads would find no keys.”
    positions_repeated: dim=1 ⇒ dim=2
        “Your positions are repeated, not your heads: every word is there several times.”
    batch_repeated: dim=1 ⇒ dim=0
        “Your sentences are repeated, not your heads: the batch has grown.”
    wider: repeat_interleave(group, dim=1) ⇒ repeat(1, 1, 1, group)
        “Your key heads have become wider; there should be more of them, as wide as before.”
    repeated_num_heads_times: repeat_interleave(group, ⇒ repeat_interleave(num_heads,
        “Each of your key heads is there num_heads times; it should be there once for every query head that shares it.”
    all_the_first: vectors[:, :1].expand(-1, num_heads, -1, -1)
        “All your query heads share key head 0; that is right only where there is no other.”
    axis_left (expand and flatten): .flatten(1, 2) ⇒
        “The copies are right, but they have an axis of their own: kv_heads and the group are still two axes.”
    averaged: vectors.mean(dim=1, keepdim=True).expand(-1, num_heads, -1, -1)
        “Your query heads all share the average of the key heads. A trained model's heads are merged like that before
        training goes on; here each group keeps its own.”
    """,
    again="""
    vectors.repeat_interleave(group, dim=1) ⇒ vectors.repeat(1, group, 1, 1)
        “This time key heads are taken in turn: query heads 0, 2 and 4 use key head 0, and 1, 3 and 5 use key head
        1.”
    """,
    hints="""
    - How many query heads share one key head? Then each key head must be there that many times, one copy beside the
      other.
    - `repeat` writes the whole row of heads again and again (0, 1, 0, 1); `repeat_interleave` repeats each head (0, 0,
      1, 1). Both need to know the axis.
    - `group = num_heads // vectors.shape[1]`, then repeat along axis 1.
    """,
    explanation="""
    After this, attention goes on as always: it does not know that some of its key heads are the same. What is saved is
    most of the cache, and the weights that would make the missing keys and values.
    """,
)
