"""Notebook 05: a feed-forward network with a gate."""

import torch

from anatomy_course.content.encoder.shared import GELU, Function
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import feed_forward


def gated_feed_forward(
    hidden_states: Tensor, gate_weight: Tensor, expand_weight: Tensor,
    contract_weight: Tensor, activation,
) -> Tensor:  # fmt: skip
    """hidden_states (batch, position, d_model); W_gate and W_1 (d_model, d_ff),
    W_2 (d_ff, d_model); activation is a function (SiLU in Llama)
    → output (batch, position, d_model)."""
    gate = activation(hidden_states @ gate_weight)
    return (gate * (hidden_states @ expand_weight)) @ contract_weight


def cases(generator: Generator) -> Cases:
    silu = Function("silu", torch.nn.functional.silu)
    for kind, activation in (("a batch of texts", silu), ("one text", silu), ("another activation", GELU)):
        draw = Draw(generator, "batch position d_model", (3, 5, 7), kind)
        draw.sizes |= Draw(generator, "d_ff", (11, 13)).sizes
        yield draw.case(
            hidden_states=draw("batch position d_model"),
            gate_weight=draw("d_model d_ff"),
            expand_weight=draw("d_model d_ff"),
            contract_weight=draw("d_ff d_model"),
            activation=activation,
        )


EXERCISE = written(
    gated_feed_forward,
    same_as=feed_forward.gated_feed_forward,
    title="SwiGLU",
    task="Let a gate decide how much of each inner feature passes: (activation(x W_gate) · x W_1) W_2.",
    level="easy, 3 minutes",
    returns="output: position d_model",
    cases=cases,
    stages="""
    gate before its activation: hidden_states @ gate_weight
    gate
    expanded vectors: hidden_states @ expand_weight
    gated vectors: gate * (hidden_states @ expand_weight)
    """,
    mistakes="""
    activation_on_the_wrong_one:
        gate = activation(hidden_states @ gate_weight) ⇒ gate = hidden_states @ gate_weight
        (hidden_states @ expand_weight) ⇒ activation(hidden_states @ expand_weight)
        “Your activation is on the expanded vectors; it belongs to the gate.”
    no_activation: gate = activation(hidden_states @ gate_weight) ⇒ gate = hidden_states @ gate_weight
        “Your gate multiplies as if it had no activation.”
    activated_last (no_activation): return (gate * ⇒ return activation(gate *
        “Your activation comes after the product; it should be the gate's alone.”
    added: gate * ⇒ gate +
        “Your gate is added to the expanded vectors; it should be a factor.”
    no_gate: activation(hidden_states @ expand_weight) @ contract_weight
        “That is the network of 2017: the gate plays no part.”
    only_the_gate: activation(hidden_states @ gate_weight) @ contract_weight
        “The gate alone goes on in yours; the expanded vectors play no part.”
    sigmoid: gate = activation( ⇒ gate = torch.sigmoid(
        “Your gate is a sigmoid, as in the first gated networks; take the activation that is given.”
    residual: hidden_states + result
        “Your output has the input added to it; the residual connection goes around this network, not through it.”
    """,
    also_right="""
    in steps: gate * (hidden_states @ expand_weight) ⇒ torch.mul(gate, hidden_states @ expand_weight)
    one product:
        gate, expanded = (hidden_states @ torch.cat([gate_weight, expand_weight], 1)).chunk(2, -1)
        return (activation(gate) * expanded) @ contract_weight
    F.linear:
        gated = activation(F.linear(hidden_states, gate_weight.T)) * F.linear(hidden_states, expand_weight.T)
        return F.linear(gated, contract_weight.T)
    """,
    again="""
    activation(hidden_states @ gate_weight) ⇒ hidden_states @ gate_weight
        “This time the gate has no activation (a bilinear layer); `activation` is given all the same.”
    """,
    hints="""
    - Two matrices make two inner vectors of the same width from the same input. One of them becomes the gate.
    - Gate and expanded vectors are multiplied feature by feature, with `*`; then `@` brings them back to d_model.
    - `gate = activation(hidden_states @ gate_weight)`; what passes is `gate * (hidden_states @ expand_weight)`.
    """,
    explanation="""
    Shazeer 2020. With SiLU, x · sigmoid(x), it is called SwiGLU. There are three matrices in place of two, so d_ff is
    made smaller: SmolLM2 has 1536 for 576 features, which is 2.67 times as many, not 4 times.
    """,
)
