"""Notebook 00: the average of vectors, to see what an exercise of this course feels like."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def mean_vector(vectors: Tensor) -> Tensor:
    """The average of a sentence's vectors: (position, d_model) → (d_model)."""
    return vectors.mean(dim=0)


def cases(generator: torch.Generator) -> list[Case]:
    cases: list[Case] = []
    for kind in ("several words", "several words", "vectors of a single number"):
        position, d_model = primes(generator, 2)
        d_model = 1 if kind.startswith("vectors") else d_model
        vectors = normal(generator, position, d_model)
        if len(cases) == 1:
            vectors[0] = 0.0  # a vector of zeros counts, too
        cases.append(Case({"vectors": vectors}, kind, {"position": position, "d_model": d_model}))
    return [*cases, Case({"vectors": normal(generator, 1, 7)}, "a single word", {"position": 1, "d_model": 7})]


EXERCISE = written(
    mean_vector,
    title="The average of vectors",
    task="Return the average of a sentence's vectors.",
    level="easy, 2 minutes",
    returns="average: d_model",
    cases=cases,
    mistakes="""
    within_vectors: vectors.mean(dim=1)
        “You have one number per word: each vector was averaged by itself.”
    everything: vectors.mean()
        “You have one single number: all numbers of all words were averaged together.”
    sum: vectors.sum(dim=0)
        “You have the sum of the vectors: the longer the sentence, the larger it grows.”
    wrong_count: vectors.sum(dim=0) / vectors.shape[1]
        “You have the sum of the vectors, divided by how many numbers one vector holds.”
    first_twice: (vectors[0] + vectors.sum(dim=0)) / len(vectors)
        “The first vector counts twice in your sum, as if it began with it and then added all of them.”
    axis_kept: vectors.mean(dim=0, keepdim=True)
        “You have the right numbers, but still as a table: one row of d_model numbers in place of a vector.”
    largest: vectors.amax(dim=0)
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
    matrix product: torch.full((len(vectors),), 1 / len(vectors)) @ vectors
    float64 inside: vectors.double().mean(0).float()
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
