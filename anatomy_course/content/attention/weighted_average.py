"""Notebook 01: a new vector as a weighted average."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def weighted_average(weights: Tensor, vectors: Tensor) -> Tensor:
    """New vectors x'ᵢ = Σⱼ wᵢⱼ xⱼ: weights (query, key), vectors (key, d_model)
    → (query, d_model)."""
    return weights @ vectors


def cases(generator: Generator) -> Cases:
    for kind in ("words", "words", "a single new word"):
        draw = Draw(generator, "query key d_model", (3, 5, 7), kind)
        if kind == "a single new word":
            draw.sizes["query"] = 1
        yield draw.case(weights=draw.weights("query key"), vectors=draw("key d_model"))


EXERCISE = written(
    weighted_average,
    same_as="anatomy_utils.functional.attention.weighted_average",
    title="A weighted average",
    task="Make each new vector the weighted average of all vectors: x'ᵢ = Σⱼ wᵢⱼ xⱼ.",
    level="easy, 3 minutes",
    returns="result: query d_model",
    cases=cases,
    mistakes="""
    even: vectors.mean(0).expand(len(weights), -1)
        “Every new vector is the plain average: all words count the same, whatever the weights say.”
    divided_again: weights @ vectors / len(vectors)
        “Your numbers are too small by the number of keys, as if divided once more: the weights already sum to 1.”
    strongest: vectors[weights.argmax(-1)]
        “Each new vector is a copy of one old vector, the one with the largest weight; the others do not count.”
    bare_sum: vectors.sum(0).expand(len(weights), -1)
        “Every new vector is the bare sum of all vectors; the weights play no part.”
    """,
    also_right="""
    einsum: torch.einsum("qk,kd->qd", weights, vectors)
    multiply and sum: (weights[:, :, None] * vectors[None]).sum(1)
    word by word: torch.stack([sum(weight * vector for weight, vector in zip(row, vectors)) for row in weights])
    """,
    hints="""
    - Take one query first: multiply each vector by its weight, then add them all up.
    - Multiply and add up over the shared axis (key): that is what a matrix product does.
    - `weights` is (query, key) and `vectors` is (key, d_model): the key axes already meet in `weights @ vectors`.
    """,
    explanation="""
    Row i of the weights times the matrix of vectors is Σⱼ wᵢⱼ xⱼ. One matrix product makes all new vectors at once.
    """,
)
