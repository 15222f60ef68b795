"""Notebook 04: from hidden states to one logit per token of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.nn import functional as F

from anatomy_course.content.sizes import batch_and_primes, normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of texts", "one text", "a batch of texts"):
        batch, position, d_model = batch_and_primes(generator, kind, 3, (3, 5, 7))
        vocab_size = primes(generator, 1, (11, 13))[0]
        arguments = {
            "hidden_states": normal(generator, batch, position, d_model),
            "token_table": normal(generator, vocab_size, d_model),
        }
        sizes = {"batch": batch, "position": position, "d_model": d_model, "vocab_size": vocab_size}
        yield Case(arguments, kind, sizes)


EXERCISE = Exercise(
    id="decoder.vocabulary_logits",
    title="Logits",
    task="Give each position one logit per token of the vocabulary: the dot product with that token's own vector.",
    difficulty="easy",
    minutes=2,
    signature="vocabulary_logits(hidden_states: Tensor, token_table: Tensor) -> Tensor",
    docstring="hidden_states (batch, position, d_model), token_table (vocab_size, d_model), the same table that turns\n"
    "ids into vectors → logits (batch, position, vocab_size).",
    reference="anatomy_utils.functional.heads.vocabulary_logits",
    returns=(Output("logits", "position vocab_size"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "scaled",
            lambda states, table: states @ table.T / table.shape[1] ** 0.5,
            "Your logits are divided by √d_model, as attention's scores are; here nothing is divided.",
        ),
        Mistake(
            "probabilities",
            lambda states, table: (states @ table.T).softmax(-1),
            "Yours are probabilities already; logits are what the softmax gets.",
        ),
        Mistake(
            "log_probabilities",
            lambda states, table: (states @ table.T).log_softmax(-1),
            "Yours are log-probabilities; logits are what the softmax gets.",
        ),
        Mistake(
            "cosines",
            lambda states, table: F.normalize(states, dim=-1) @ F.normalize(table, dim=-1).T,
            "Yours are cosines: both vectors were brought to length 1 first.",
        ),
        Mistake(
            "distances",
            lambda states, table: torch.cdist(states, table.expand(len(states), -1, -1)),
            "Yours are distances; the likeliest token would get the smallest number.",
        ),
        Mistake(
            "recut",
            lambda states, table: states @ table.reshape(table.shape[1], table.shape[0]),
            "Your table has been re-cut (view or reshape), not transposed: its columns are pieces of several vectors.",
        ),
        Mistake(
            "last_only",
            lambda states, table: states[:, -1] @ table.T,
            "You give only the last position's logits. That is enough for writing, but here every position needs its "
            "own.",
        ),
        Mistake(
            "best_token",
            lambda states, table: (states @ table.T).argmax(-1),
            "You return the likeliest token of each position; the logits of all tokens are wanted.",
        ),
    ),
    also_right={
        "F.linear": F.linear,
        "einsum": lambda states, table: torch.einsum("bpd,vd->bpv", states, table),
        "transposed": lambda states, table: states @ table.transpose(0, 1),
        "token by token": lambda states, table: torch.stack([states @ vector for vector in table], dim=-1),
    },
    hints=(
        "Each row of the table is a token's vector. How well does a state fit it?",
        "A product of (batch, position, d_model) with (d_model, vocab_size) has the right shape.",
        "`token_table.T` has a column for each token.",
    ),
    solution="return hidden_states @ token_table.T",
    explanation="The same table at the bottom and at the top: weights are tied, and a vocabulary of 49,152 tokens, "
    "as SmolLM2 has in section 5, is paid for once. Models that do not tie have a second table of the same shape.",
)
