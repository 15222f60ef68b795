"""Notebook 04: a feed-forward network with a gate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.encoder.shared import GELU, Function
from anatomy_course.content.sizes import batch_and_primes, normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

SILU = Function("silu", F.silu)


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, activation in (("a batch of texts", SILU), ("one text", SILU), ("another activation", GELU)):
        batch, position, d_model = batch_and_primes(generator, kind, 3, (3, 5, 7))
        d_ff = primes(generator, 1, (11, 13))[0]
        arguments = {
            "hidden_states": normal(generator, batch, position, d_model),
            "gate_weight": normal(generator, d_model, d_ff),
            "expand_weight": normal(generator, d_model, d_ff),
            "contract_weight": normal(generator, d_ff, d_model),
            "activation": activation,
        }
        sizes = {"batch": batch, "position": position, "d_model": d_model, "d_ff": d_ff}
        yield Case(arguments, kind, sizes)


def _steps(x: Tensor, gate: Tensor, expand: Tensor, contract: Tensor, act: Any) -> Mapping[str, Tensor]:
    return {
        "gate before its activation": x @ gate,
        "gate": act(x @ gate),
        "expanded vectors": x @ expand,
        "gated vectors": act(x @ gate) * (x @ expand),
    }


EXERCISE = Exercise(
    id="decoder.gated_feed_forward",
    title="SwiGLU",
    task="Let a gate decide how much of each inner feature passes: (activation(x W_gate) · x W_1) W_2.",
    difficulty="easy",
    minutes=3,
    signature="gated_feed_forward(\n"
    "    hidden_states: Tensor, gate_weight: Tensor, expand_weight: Tensor, contract_weight: Tensor, activation\n"
    ") -> Tensor",
    docstring="hidden_states (batch, position, d_model); W_gate and W_1 (d_model, d_ff), W_2 (d_ff, d_model);\n"
    "activation is a function (SiLU in Llama) → output (batch, position, d_model).",
    reference="anatomy_utils.functional.feed_forward.gated_feed_forward",
    returns=(Output("output", "position d_model"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "activation_on_the_wrong_one",
            lambda x, gate, expand, contract, act: (x @ gate * act(x @ expand)) @ contract,
            "Your activation is on the expanded vectors; it belongs to the gate.",
        ),
        Mistake(
            "no_activation",
            lambda x, gate, expand, contract, act: (x @ gate * (x @ expand)) @ contract,
            "Your gate multiplies as if it had no activation.",
        ),
        Mistake(
            "both_activated",
            lambda x, gate, expand, contract, act: (act(x @ gate) * act(x @ expand)) @ contract,
            "Your activation is on both; only the gate has one.",
        ),
        Mistake(
            "activated_last",
            lambda x, gate, expand, contract, act: act(x @ gate * (x @ expand)) @ contract,
            "Your activation comes after the product; it should be the gate's alone.",
        ),
        Mistake(
            "added",
            lambda x, gate, expand, contract, act: (act(x @ gate) + x @ expand) @ contract,
            "Your gate is added to the expanded vectors; it should be a factor.",
        ),
        Mistake(
            "no_gate",
            lambda x, gate, expand, contract, act: act(x @ expand) @ contract,
            "That is the network of 2017: the gate plays no part.",
        ),
        Mistake(
            "only_the_gate",
            lambda x, gate, expand, contract, act: act(x @ gate) @ contract,
            "The gate alone goes on in yours; the expanded vectors play no part.",
        ),
        Mistake(
            "sigmoid",
            lambda x, gate, expand, contract, act: ((x @ gate).sigmoid() * (x @ expand)) @ contract,
            "Your gate is a sigmoid, as in the first gated networks; take the activation that is given.",
        ),
        Mistake(
            "residual",
            lambda x, gate, expand, contract, act: x + (act(x @ gate) * (x @ expand)) @ contract,
            "Your output has the input added to it; the residual connection goes around this network, not through it.",
        ),
        Mistake(
            "not_contracted",
            lambda x, gate, expand, contract, act: act(x @ gate) * (x @ expand),
            "Yours are the gated vectors, d_ff wide; what is wanted is d_model wide again.",
        ),
    ),
    also_right={
        "in steps": lambda x, gate, expand, contract, act: torch.mul(act(x @ gate), x @ expand) @ contract,
        "one product": lambda x, gate, expand, contract, act: (
            (
                act((x @ torch.cat([gate, expand], 1)).chunk(2, -1)[0])
                * (x @ torch.cat([gate, expand], 1)).chunk(2, -1)[1]
            )
            @ contract
        ),
        "F.linear": lambda x, gate, expand, contract, act: F.linear(
            act(F.linear(x, gate.T)) * F.linear(x, expand.T), contract.T
        ),
    },
    hints=(
        "Two matrices make two inner vectors of the same width from the same input. One of them becomes the gate.",
        "Gate and expanded vectors are multiplied feature by feature, with `*`; then `@` brings them back to d_model.",
        "`gate = activation(hidden_states @ gate_weight)`; what passes is `gate * (hidden_states @ expand_weight)`.",
    ),
    solution="gate = activation(hidden_states @ gate_weight)\n"
    "return (gate * (hidden_states @ expand_weight)) @ contract_weight",
    explanation="Shazeer 2020. With SiLU, x · sigmoid(x), it is called SwiGLU. There are three matrices in place of "
    "two, so d_ff is made smaller: SmolLM2 has 1536 for 576 features, which is 2.67 times as many, not 4 times.",
    stages=_steps,
)
