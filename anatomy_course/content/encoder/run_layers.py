"""Notebook 03: a stack of layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from anatomy_course.content.encoder.shared import sublayer
from anatomy_course.content.sizes import batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.functional.layers import Part

TWICE = "a layer that comes twice"
"""In a stack with shared weights; whoever looks a layer up in the list finds the wrong place."""


def _stacks(generator: torch.Generator) -> Iterator[Case]:
    for kind, count in (("one text", 2), ("a batch of texts", 4), ("a single layer", 1), (TWICE, 3)):
        batch, position, d_model = batch_and_primes(generator, kind, 3, (7, 11, 13))
        layers = [sublayer(generator, d_model, f"layer {number}") for number in range(count)]
        if kind == TWICE:
            layers[-1] = layers[0]
        arguments = {"hidden_states": normal(generator, batch, position, d_model), "layers": layers}
        sizes = {"states": count + 1, "batch": batch, "position": position, "d_model": d_model}
        yield Case(arguments, kind, sizes)


Both = tuple[Tensor, Tensor]


def _all_states(x: Tensor, layers: Sequence[Part]) -> list[Tensor]:
    states = [x]
    for layer in layers:
        states.append(layer(states[-1]))
    return states


def _run(x: Tensor, layers: Sequence[Part]) -> Both:
    states = _all_states(x, layers)
    return states[-1], torch.stack(states)


def _added(x: Tensor, layers: Sequence[Part]) -> Both:
    states = [x]
    for layer in layers:
        states.append(states[-1] + layer(states[-1]))
    return states[-1], torch.stack(states)


def _all_from_the_input(x: Tensor, layers: Sequence[Part]) -> Both:
    states = [x, *(layer(x) for layer in layers)]
    return states[-1], torch.stack(states)


def _with_cat(x: Tensor, layers: Sequence[Part]) -> Both:
    states = x[None]
    for layer in layers:
        states = torch.cat((states, layer(states[-1])[None]))
    return states[-1], states


def _filled(x: Tensor, layers: Sequence[Part]) -> Both:
    states = torch.zeros(len(layers) + 1, *x.shape)
    states[0] = x
    for number, layer in enumerate(layers):
        states[number + 1] = layer(states[number])
    return states[len(layers)], states


EXERCISE = Exercise(
    id="encoder.run_layers",
    title="The stack",
    task="Send the hidden states through all layers, one after the other, and keep the states before the first layer "
    "and after each layer.",
    difficulty="easy",
    minutes=3,
    signature="run_layers(hidden_states: Tensor, layers: list) -> tuple[Tensor, Tensor]",
    docstring="layers: functions from (batch, position, d_model) to the same shape, the lowest one first\n"
    "→ output (batch, position, d_model) and all_states (layers + 1, batch, position, d_model), input first.",
    reference="anatomy_utils.functional.layers.run_layers",
    returns=(Output("output", "batch position d_model"), Output("all_states", "states batch position d_model")),
    cases=_stacks,
    mistakes=(
        Mistake(
            "all_from_the_input",
            _all_from_the_input,
            "Each of your layers works on the first hidden states, not on the output of the layer below.",
        ),
        Mistake(
            "input_not_kept",
            lambda x, layers: (_run(x, layers)[0], _run(x, layers)[1][1:]),
            "Your output is right, but your all_states begins after layer 0: the input is missing.",
        ),
        Mistake(
            "output_not_kept",
            lambda x, layers: (_run(x, layers)[0], _run(x, layers)[1][:-1]),
            "Your output is right, but it is missing from your all_states.",
        ),
        Mistake(
            "top_down",
            lambda x, layers: _run(x, layers[::-1]),
            "You run the layers from the last to the first.",
        ),
        Mistake(
            "listed_top_down",
            lambda x, layers: (_run(x, layers)[0], _run(x, layers)[1].flip(0)),
            "Your output is right, but all_states begins with the last layer.",
        ),
        Mistake("added", _added, "You add each layer's input to its output; the layer has already done that inside."),
        Mistake(
            "batch_first",
            lambda x, layers: (_run(x, layers)[0], torch.stack(_all_states(x, layers), dim=1)),
            "Your states are all there, but the batch is their first axis; the layers should be.",
        ),
        Mistake(
            "side_by_side",
            lambda x, layers: (_run(x, layers)[0], torch.cat(_all_states(x, layers))),
            "Your states have been joined along the batch; they should have an axis of their own.",
        ),
        Mistake(
            "one_layer_too_few",
            lambda x, layers: (_all_states(x, layers)[-2], _run(x, layers)[1]),
            "Your all_states are right, but the output is what goes into the last layer.",
        ),
        Mistake(
            "averaged",
            lambda x, layers: (_run(x, layers)[1].mean(0), _run(x, layers)[1]),
            "Your all_states are right, but the output is their average; it is the last one alone.",
        ),
    ),
    also_right={"a list": _run, "cat": _with_cat, "filled in": _filled},
    hints=(
        "A loop over the layers. What goes into the first one, and what into each other one?",
        "Begin with the list `states = [hidden_states]`; each layer reads the last one, and its output is appended.",
        "`states.append(layer(states[-1]))` in the loop; `torch.stack(states)` makes one tensor of the list.",
    ),
    solution="states = [hidden_states]\n"
    "for layer in layers:\n"
    "    states.append(layer(states[-1]))\n"
    "return states[-1], torch.stack(states)",
    explanation="What comes out has the shape of what goes in, so layers can be stacked: six in 2017 and in MiniLM, "
    "30 in SmolLM2. The states you kept show how a word's vector changes layer by layer.",
    look_first=("output", "all_states"),
)
