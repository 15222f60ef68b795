"""Notebook 01, first part: ids to vectors, vectors to averages, one vector seen from several sides."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.exercises.catalogue.sizes import normal, primes, weights
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output


def _ids_and_tables(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind, lead in (("one sentence", ()), ("one sentence", ()), ("a batch of sentences", (2,))):
        position, d_model = primes(generator, 2, (3, 5, 7))
        vocab_size = 11
        ids = torch.randint(vocab_size, (*lead, position), generator=generator)
        ids[..., 0], ids[..., 1] = 9, 1  # never sorted
        ids[..., -1] = ids[..., 0]  # one word stands there twice
        arguments = {"table": normal(generator, vocab_size, d_model), "input_ids": ids}
        cases.append(Case(arguments, kind, {"position": position, "d_model": d_model, "vocab_size": vocab_size}))
    return cases


def _rows_one_by_one(table: Tensor, input_ids: Tensor) -> Tensor:
    rows = [table[int(i)] for i in input_ids.flatten()]
    return torch.stack(rows).reshape(*input_ids.shape, table.shape[1])


def _by_place(table: Tensor, input_ids: Tensor) -> Tensor:
    return table[: input_ids.shape[-1]].expand(*input_ids.shape, -1)


LOOKUP = Exercise(
    id="attention.lookup",
    title="From ids to vectors",
    task="Fetch the row of the table that each id names.",
    difficulty="easy",
    minutes=2,
    signature="lookup(table: Tensor, input_ids: Tensor) -> Tensor",
    docstring="One row of `table` (vocab_size, d_model) per id: input_ids (…, position) → (…, position, d_model).",
    reference="anatomy_utils.embeddings.lookup",
    returns=(Output("vectors", "position d_model"),),
    cases=_ids_and_tables,
    mistakes=(
        Mistake(
            "counts_from_one",
            lambda table, input_ids: table[input_ids - 1],
            "Each of your vectors is the row before the one that the id names.",
        ),
        Mistake(
            "by_place",
            _by_place,
            "You have the first rows of the table: row 0 for the first word, row 1 for the second, whatever "
            "their ids are.",
        ),
        Mistake(
            "sorted",
            lambda table, input_ids: table[input_ids.sort(-1).values],
            "Your vectors are the right ones, but they stand in the order of the ids, not of the words.",
        ),
        Mistake(
            "one_for_all",
            lambda table, input_ids: table[input_ids[..., :1]].expand(*input_ids.shape, -1),
            "Every word has got the vector of the first word.",
        ),
        Mistake(
            "bag",
            lambda table, input_ids: table[input_ids].mean(-2),
            "You have one vector per sentence: the average of the right ones.",
        ),
        Mistake(
            "ids_repeated",
            lambda table, input_ids: input_ids[..., None].expand(*input_ids.shape, table.shape[1]).float(),
            "Your vectors hold the ids themselves, over and over; nothing of the table is in them.",
        ),
    ),
    alternatives={
        "embedding": lambda table, input_ids: F.embedding(input_ids, table),
        "one-hot product": lambda table, input_ids: F.one_hot(input_ids, len(table)).float() @ table,
        "index_select": lambda table, input_ids: table.index_select(0, input_ids.flatten()).reshape(
            *input_ids.shape, -1
        ),
        "one by one": _rows_one_by_one,
        "gather": lambda table, input_ids: table.gather(0, input_ids.reshape(-1, 1).expand(-1, table.shape[1])).reshape(
            *input_ids.shape, -1
        ),
    },
    hints=(
        "The table has one row per entry of the vocabulary. An id is nothing but the number of a row.",
        "A tensor of whole numbers can stand between the brackets: `table[…]` takes one row for each of them.",
        "`input_ids` is such a tensor, whatever its shape; put it between the brackets.",
    ),
    solution="return table[input_ids]",
    explanation="Indexing with a tensor of ids takes one row per id and keeps the shape of the ids in front. "
    "Equal ids get equal vectors: a fixed vector cannot know its neighbours.",
)


def _weights_and_vectors(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind in ("words", "words", "a single new word"):
        query, key, d_model = primes(generator, 3, (3, 5, 7))
        query = 1 if kind == "a single new word" else query
        arguments = {"weights": weights(generator, query, key), "vectors": normal(generator, key, d_model)}
        cases.append(Case(arguments, kind, {"query": query, "key": key, "d_model": d_model}))
    return cases


def _sum_of_each(weights: Tensor, vectors: Tensor) -> Tensor:
    rows = []
    for row in weights:
        new = torch.zeros(vectors.shape[1])
        for weight, vector in zip(row, vectors, strict=True):
            new = new + weight * vector
        rows.append(new)
    return torch.stack(rows)


WEIGHTED_AVERAGE = Exercise(
    id="attention.weighted_average",
    title="A weighted average",
    task="Make each new vector the weighted average of all vectors: x'ᵢ = Σⱼ wᵢⱼ xⱼ.",
    difficulty="easy",
    minutes=3,
    signature="weighted_average(weights: Tensor, vectors: Tensor) -> Tensor",
    docstring="New vectors x'ᵢ = Σⱼ wᵢⱼ xⱼ: weights (query, key), vectors (key, d_model) → (query, d_model).",
    reference="anatomy_utils.attention.weighted_average",
    returns=(Output("result", "query d_model"),),
    cases=_weights_and_vectors,
    mistakes=(
        Mistake(
            "even",
            lambda weights, vectors: vectors.mean(0).expand(len(weights), -1),
            "Every new vector is the plain average: all words count the same, whatever the weights say.",
        ),
        Mistake(
            "divided_again",
            lambda weights, vectors: weights @ vectors / len(vectors),
            "Your numbers are too small by the number of keys: you have divided although the weights already sum to 1.",
        ),
        Mistake(
            "strongest",
            lambda weights, vectors: vectors[weights.argmax(-1)],
            "Each new vector is a copy of one old vector, the one with the largest weight; the others do not count.",
        ),
        Mistake(
            "softmax_again",
            lambda weights, vectors: weights.softmax(-1) @ vectors,
            "Your weights went through a softmax once more; that makes them almost even.",
        ),
        Mistake(
            "products_kept",
            lambda weights, vectors: weights[:, :, None] * vectors,
            "You have one vector per query and key: each is weighted, but they are not added up yet.",
        ),
        Mistake(
            "bare_sum",
            lambda weights, vectors: vectors.sum(0).expand(len(weights), -1),
            "Every new vector is the bare sum of all vectors; the weights play no part.",
        ),
    ),
    alternatives={
        "matrix product": torch.matmul,
        "einsum": lambda weights, vectors: torch.einsum("qk,kd->qd", weights, vectors),
        "multiply and sum": lambda weights, vectors: (weights[:, :, None] * vectors[None]).sum(1),
        "loops": _sum_of_each,
        "float64 inside": lambda weights, vectors: (weights.double() @ vectors.double()).float(),
    },
    hints=(
        "Take one query first: multiply each vector by its weight, then add them all up.",
        "Multiply and add up over the shared axis (key): that is what a matrix product does.",
        "`weights` is (query, key) and `vectors` is (key, d_model): the key axes already meet in `weights @ vectors`.",
    ),
    solution="return weights @ vectors",
    explanation="Row i of the weights times the matrix of vectors is Σⱼ wᵢⱼ xⱼ. One matrix product makes all "
    "new vectors at once.",
)


def _states_and_projection(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind, lead in (("one sentence", ()), ("one sentence", ()), ("a batch of sentences", (2,))):
        position, d_model, d_head = primes(generator, 3, (3, 5, 7, 11))
        arguments = {
            "hidden_states": normal(generator, *lead, position, d_model),
            "weight": normal(generator, d_model, d_head),
            "bias": normal(generator, d_head),
        }
        cases.append(Case(arguments, kind, {"position": position, "d_model": d_model, "d_head": d_head}))
    return cases


def _scrambled(hidden_states: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return hidden_states @ weight.T.reshape(weight.shape) + bias


PROJECTION = Exercise(
    id="attention.projection",
    title="A projection",
    task="Multiply each vector by the weight matrix and add the bias.",
    difficulty="easy",
    minutes=3,
    signature="project(hidden_states: Tensor, weight: Tensor, bias: Tensor) -> Tensor",
    docstring="hidden_states (…, position, d_model), weight (d_model, d_head), bias (d_head) → (…, position, d_head).",
    reference="anatomy_utils.attention.project",
    returns=(Output("projection", "position d_head"),),
    cases=_states_and_projection,
    mistakes=(
        Mistake(
            "no_bias",
            lambda hidden_states, weight, bias: hidden_states @ weight,
            "You have the product alone; the bias is not in it.",
        ),
        Mistake(
            "bias_multiplied",
            lambda hidden_states, weight, bias: (hidden_states @ weight) * bias,
            "Your product is multiplied by the bias.",
        ),
        Mistake(
            "bias_taken_off",
            lambda hidden_states, weight, bias: hidden_states @ weight - bias,
            "Your bias has the wrong sign: it is taken off.",
        ),
        Mistake(
            "scrambled_weight",
            _scrambled,
            "Your weight matrix was re-cut to its shape: its numbers no longer stand in the rows they belong to.",
        ),
        Mistake(
            "relu",
            lambda hidden_states, weight, bias: (hidden_states @ weight + bias).relu(),
            "Every negative number of the projection is 0 in yours; nothing is cut off in attention's projections.",
        ),
        Mistake(
            "scaled",
            lambda hidden_states, weight, bias: hidden_states @ weight / weight.shape[0] ** 0.5 + bias,
            "Your product is divided by √d_model before the bias comes on; a projection is not scaled.",
        ),
    ),
    alternatives={
        "linear": lambda hidden_states, weight, bias: F.linear(hidden_states, weight.T, bias),
        "einsum": lambda hidden_states, weight, bias: torch.einsum("...pm,mh->...ph", hidden_states, weight) + bias,
        "matmul": lambda hidden_states, weight, bias: torch.matmul(hidden_states, weight).add_(bias),
        "multiply and sum": lambda hidden_states, weight, bias: (hidden_states[..., None] * weight).sum(-2) + bias,
        "one matrix": lambda hidden_states, weight, bias: (
            torch.cat([hidden_states, torch.ones_like(hidden_states[..., :1])], -1) @ torch.cat([weight, bias[None]])
        ),
    },
    hints=(
        "The result is as wide as the weight matrix: d_head. The axis d_model must disappear.",
        "A matrix product sums over the last axis of the left and the last but one of the right.",
        "`hidden_states @ weight` has the right shape, with or without a batch in front; the bias fits its last axis.",
    ),
    solution="return hidden_states @ weight + bias",
    explanation="Each of the d_head new features is a weighted sum of the d_model old ones. "
    "`@` does it for every position and every sentence of a batch at once, and the bias is added to each.",
)
