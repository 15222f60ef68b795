"""Notebook 00: the average of vectors, to see what an exercise of this course feels like."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _mean_vector(vectors: Tensor) -> Tensor:
    return vectors.mean(dim=0)


def _cases(generator: torch.Generator) -> list[Case]:
    cases: list[Case] = []
    for kind in ("several words", "several words", "vectors of a single number"):
        position, d_model = primes(generator, 2)
        d_model = 1 if kind.startswith("vectors") else d_model
        vectors = normal(generator, position, d_model)
        if len(cases) == 1:
            vectors[0] = 0.0  # a vector of zeros counts, too
        cases.append(Case({"vectors": vectors}, kind, {"position": position, "d_model": d_model}))
    return [*cases, Case({"vectors": normal(generator, 1, 7)}, "a single word", {"position": 1, "d_model": 7})]


def _in_a_loop(vectors: Tensor) -> Tensor:
    total = torch.zeros(vectors.shape[1])
    for vector in vectors:
        total += vector
    return total / len(vectors)


EXERCISE = Exercise(
    id="start.mean",
    title="The average of vectors",
    task="Return the average of a sentence's vectors.",
    difficulty="easy",
    minutes=2,
    signature="mean_vector(vectors: Tensor) -> Tensor",
    docstring="The average of a sentence's vectors: (position, d_model) → (d_model).",
    reference=_mean_vector,
    returns=(Output("average", "d_model"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "within_vectors",
            lambda vectors: vectors.mean(dim=1),
            "You have one number per word: each vector was averaged by itself.",
        ),
        Mistake(
            "everything",
            lambda vectors: vectors.mean(),
            "You have one single number: all numbers of all words were averaged together.",
        ),
        Mistake(
            "sum",
            lambda vectors: vectors.sum(dim=0),
            "You have the sum of the vectors: the longer the sentence, the larger it grows.",
        ),
        Mistake(
            "wrong_count",
            lambda vectors: vectors.sum(dim=0) / vectors.shape[1],
            "You have the sum of the vectors, divided by how many numbers one vector holds.",
        ),
        Mistake(
            "first_twice",
            lambda vectors: (vectors[0] + vectors.sum(dim=0)) / len(vectors),
            "The first vector counts twice in your sum, as if it began with it and then added all of them.",
        ),
        Mistake(
            "axis_kept",
            lambda vectors: vectors.mean(dim=0, keepdim=True),
            "You have the right numbers, but still as a table: one row of d_model numbers in place of a vector.",
        ),
        Mistake(
            "largest",
            lambda vectors: vectors.amax(dim=0),
            "You have the largest number of each feature, not the average one.",
        ),
    ),
    also_right={
        "sum and divide": lambda vectors: vectors.sum(dim=0) / vectors.shape[0],
        "loop": _in_a_loop,
        "einsum": lambda vectors: torch.einsum("pd->d", vectors) / len(vectors),
        "matrix product": lambda vectors: torch.full((len(vectors),), 1 / len(vectors)) @ vectors,
        "float64 inside": lambda vectors: vectors.double().mean(0).float(),
    },
    hints=(
        "The result is as wide as one vector. Which of the two axes must disappear?",
        "Axis 0 counts the words, axis 1 the features of each. `tensor.mean(dim=…)` averages over one axis.",
        "The words must disappear: average over axis 0.",
    ),
    solution="return vectors.mean(dim=0)",
    explanation="Averaging over axis 0 goes down each column: the first feature of all words, then the "
    "second, and so on. "
    "Every word counts the same here. Attention will let them count differently.",
)
