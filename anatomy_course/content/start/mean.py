"""Notebook 00: the average of vectors, to see what an exercise of this course feels like."""

from anatomy_course.content.writing import Case, Cases, Draw, Generator, Tensor, normal, written


def mean_vector(vectors: Tensor) -> Tensor:
    """The average of a sentence's vectors: (position, d_model) → (d_model)."""
    return vectors.mean(dim=0)


def cases(generator: Generator) -> Cases:
    for number, kind in enumerate(("several words", "several words", "vectors of a single number")):
        draw = Draw(generator, "position d_model", kind=kind)
        if kind == "vectors of a single number":
            draw.sizes["d_model"] = 1
        vectors = draw("position d_model")
        if number == 1:
            vectors[0] = 0.0  # a vector of zeros counts, too
        yield draw.case(vectors=vectors)
    yield Case({"vectors": normal(generator, 1, 7)}, "a single word", {"position": 1, "d_model": 7})


EXERCISE = written(
    mean_vector,
    title="The average of vectors",
    task="Return the average of a sentence's vectors.",
    level="easy, 2 minutes",
    returns="average: d_model",
    cases=cases,
    mistakes="""
    within_vectors: dim=0 ⇒ dim=1
        “You have one number per word: each vector was averaged by itself.”
    everything: dim=0 ⇒
        “You have one single number: all numbers of all words were averaged together.”
    sum: .mean ⇒ .sum
        “You have the sum of the vectors: the longer the sentence, the larger it grows.”
    wrong_count: vectors.sum(dim=0) / vectors.shape[1]
        “You have the sum of the vectors, divided by how many numbers one vector holds.”
    first_twice: (vectors[0] + vectors.sum(dim=0)) / len(vectors)
        “The first vector counts twice in your sum, as if it began with it and then added all of them.”
    axis_kept: dim=0 ⇒ dim=0, keepdim=True
        “You have the right numbers, but still as a table: one row of d_model numbers in place of a vector.”
    largest: .mean ⇒ .amax
        “You have the largest number of each feature, not the average one.”
    """,
    also_right="""
    sum and divide: vectors.sum(dim=0) / vectors.shape[0]
    loop:
        total = torch.zeros(vectors.shape[1])
        for vector in vectors:
            total += vector
        return total / len(vectors)
    einsum: torch.einsum("pd->d", vectors) / len(vectors)
    """,
    again="""
    vectors.mean(dim=0) ⇒ vectors.square().mean(dim=0).sqrt()
        “This time return the root of the mean square of each feature, √ mean(x²).”
        Not here: sum largest everything within_vectors
    """,
    hints="""
    - The result is as wide as one vector. Which of the two axes must disappear?
    - Axis 0 counts the words, axis 1 the features of each. `tensor.mean(dim=…)` averages over one axis.
    - The words must disappear: average over axis 0.
    """,
    explanation="""
    Averaging over axis 0 goes down each column: the first feature of all words, then the second, and so on. Every word
    counts the same here. Attention will let them count differently.
    """,
)
