"""Cases with heads, the four weights, and weights under which vectors match very strongly."""

from collections.abc import Iterator

from anatomy_course.content.writing import Draw, Generator, Tensor


def four_weights(draw: Draw) -> dict[str, Tensor]:
    """W_Q, W_K, W_V and W_O by the names of their arguments."""
    d_model = draw["heads"] * draw["d_head"]
    roles = ("query", "key", "value", "output")
    return {f"{role}_weight": draw(f"{d_model} {d_model}") * d_model**-0.5 for role in roles}


def one_and_many(generator: Generator) -> Iterator[Draw]:
    """The sizes of each case of splitting and merging."""
    for kind in ("a batch of sentences", "a batch of sentences", "one sentence"):
        yield Draw(generator, "position heads d_head batch", (2, 3, 5, 7), kind)


def lift_weights(query_weight: Tensor, key_weight: Tensor, d_head: int) -> None:
    """Where feature 0 of all vectors is 12, the scaled scores of each head grow by 144; see `lift`."""
    query_weight[0, ::d_head], key_weight[0, ::d_head] = 1.0, d_head**0.5
    query_weight[1:, ::d_head], key_weight[1:, ::d_head] = 0.0, 0.0
