"""Notebook 08: the matrix that makes keys, folded into the query."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


# fmt: off
def fold_key(query: Tensor, key_weight: Tensor) -> Tensor:
    """query (batch, heads, query, d_head); key_weight (heads · d_head, rank), of a linear layer: a
    head's key is its d_head rows times the latent vector → for each head a query for latent
    vectors, (batch, heads, query, rank)."""
    per_head = key_weight.unflatten(0, (query.shape[1], -1))  # heads d_head rank
    return query @ per_head
# fmt: on


def cases(generator: Generator) -> Cases:
    kinds: dict[str, dict[str, int]] = {
        "a narrow latent vector": {},
        "one query": {"query": 1},
        "one text": {"batch": 1},
        "a latent vector of one number": {"rank": 1},
    }
    for kind, fixed in kinds.items():
        draw = Draw(generator, "batch heads query d_head rank", kind=kind)
        if draw["heads"] == 2:  # two heads in turn and two heads as blocks are too much alike
            draw.sizes |= {"heads": draw["batch"], "batch": 2}
        draw.sizes |= fixed
        yield draw.case(query=draw("batch heads query d_head"), key_weight=draw("heads d_head rank").flatten(0, 1))


EXERCISE = written(
    fold_key,
    title="Fold the key's matrix",
    task="Return queries that give the same dot products with the latent vectors themselves as the given ones do with "
    "the keys made from them.",
    level="medium, 6 minutes",
    returns="query: heads query rank",
    cases=cases,
    stages="""
    matrices of the heads: per_head
    """,
    mistakes="""
    heads_in_turn: unflatten(0, (query.shape[1], -1)) ⇒ unflatten(0, (-1, query.shape[1])).transpose(0, 1)
        “Your heads take every num_heads-th row of the matrix. The rows of one head are neighbors.”
    first_head_for_all: query @ per_head ⇒ query @ per_head[:1]
        “All your heads are folded with the rows of head 0; each has rows of its own.”
    averaged: query @ per_head ⇒ query @ per_head.mean(0)
        “You fold all heads with the average of their matrices; each head has its own.”
    undone: query @ per_head ⇒ query @ torch.linalg.pinv(per_head).mT
        “You undo the matrix (pinv). It should not be undone but move to the other side: q · (W c) = (Wᵀ q) · c.”
    scaled: result / query.shape[-1] ** 0.5
        “Your queries are divided by √d_head already. Scores are divided later, as always; here the dot products should
        stay the same.”
    scaled_by_rank: result / key_weight.shape[1] ** 0.5
        “Your queries are divided by √rank. The dot products should stay what they were with the keys.”
    heads_backward: query @ per_head ⇒ query @ per_head.flip(0)
        “Your heads are folded with each other's rows: the first head's rows come first.”
    features_backward: query @ ⇒ query.flip(-1) @
        “Your query's features meet the rows of the head in reverse order.”
    heads_added: result.sum(dim=1, keepdim=True).expand_as(result)
        “You have added up the heads. Each head asks the same latent vectors, but with a question of its own.”
    side_by_side: result.transpose(1, 2).flatten(2)
        “Your heads are joined side by side; each should keep an axis of its own, as it has a softmax of its own.”
    one_fold_for_the_positions: query @ ⇒ query.mean(dim=2, keepdim=True).expand_as(query) @
        “All your positions ask the same: you have averaged the queries over the positions.”
    """,
    also_right="""
    einsum: torch.einsum("bhqd,hdr->bhqr", query, key_weight.view(query.shape[1], -1, key_weight.shape[1]))
    head by head:
        parts = key_weight.chunk(query.shape[1])
        return torch.stack([query[:, head] @ part for head, part in enumerate(parts)], dim=1)
    scores with unit vectors:
        rank = key_weight.shape[1]
        keys = (torch.eye(rank) @ key_weight.T).unflatten(-1, (query.shape[1], -1)).transpose(0, 1)
        return query @ keys.mT
    """,
    hints="""
    - A score is q · (W c), with the head's own W. Which vector has the same dot product with c?
    - q · (W c) = (Wᵀ q) · c. A query is a row here, so Wᵀ q is `q @ W`, with the d_head rows of that head.
    - `key_weight.unflatten(0, (num_heads, -1))` is (heads, d_head, rank); matrix products run over the heads by
      themselves.
    """,
    explanation="""
    DeepSeek-V2 (2024). The keys of the past are never made: latent vectors are asked directly. In the same way the
    matrix that makes the values can wait until the weights have averaged the latent vectors.
    """,
)
