"""Notebook 03: a stack of layers."""

import torch

from anatomy_course.content.encoder.shared import sublayer
from anatomy_course.content.writing import Case, Cases, Draw, Generator, Tensor, written


def run_layers(hidden_states: Tensor, layers: list) -> tuple[Tensor, Tensor]:
    """layers: functions from (batch, position, d_model) to the same shape, the lowest one first
    → output (batch, position, d_model)
    and all_states (layers + 1, batch, position, d_model), input first."""
    states = [hidden_states]
    for layer in layers:
        states.append(layer(states[-1]))
    return states[-1], torch.stack(states)


def cases(generator: Generator) -> Cases:
    """One stack has a layer twice, as with shared weights: whoever looks it up in the list finds the wrong place."""
    twice = "a layer that comes twice"
    for kind, count in (("one text", 2), ("a batch of texts", 4), ("a single layer", 1), (twice, 3)):
        draw = Draw(generator, "batch position d_model", (7, 11, 13), kind)
        layers = [sublayer(generator, draw["d_model"], f"layer {number}") for number in range(count)]
        if kind == twice:
            layers[-1] = layers[0]
        arguments = {"hidden_states": draw("batch position d_model"), "layers": layers}
        yield Case(arguments, kind, {"states": count + 1, **draw.sizes})


EXERCISE = written(
    run_layers,
    same_as="anatomy_utils.functional.layers.run_layers",
    title="The stack",
    task="Send the hidden states through all layers, one after the other, and keep the states before the first layer "
    "and after each layer.",
    level="easy, 3 minutes",
    returns="output: batch position d_model; all_states: states batch position d_model",
    cases=cases,
    look_first="output all_states",
    mistakes="""
    input_not_kept: torch.stack(states) ⇒ torch.stack(states[1:])
        “Your output is right, but your all_states begins after layer 0: the input is missing.”
    output_not_kept: torch.stack(states) ⇒ torch.stack(states[:-1])
        “Your output is right, but it is missing from your all_states.”
    top_down: in layers ⇒ in layers[::-1]
        “You run the layers from the last to the first.”
    added: append(layer ⇒ append(states[-1] + layer
        “You add each layer's input to its output; the layer has already done that inside.”
    side_by_side: torch.stack ⇒ torch.cat
        “Your states have been joined along the batch; they should have an axis of their own.”
    one_layer_too_few: return states[-1] ⇒ return states[-2]
        “Your all_states are right, but the output is what goes into the last layer.”
    averaged: return states[-1] ⇒ return torch.stack(states).mean(0)
        “Your all_states are right, but the output is their average; it is the last one alone.”
    """,
    also_right="""
    a list:
        output, states = hidden_states, [hidden_states]
        for layer in layers:
            output = layer(output)
            states.append(output)
        return output, torch.stack(states)
    cat:
        states = hidden_states[None]
        for layer in layers:
            states = torch.cat((states, layer(states[-1])[None]))
        return states[-1], states
    filled in:
        states = torch.zeros(len(layers) + 1, *hidden_states.shape)
        states[0] = hidden_states
        for number, layer in enumerate(layers):
            states[number + 1] = layer(states[number])
        return states[len(layers)], states
    """,
    again="""
    return states[-1], ⇒ return torch.stack(states).mean(dim=0),
        “This time the output is the mean of all these states, not the last one.”
        Not here: input_not_kept output_not_kept side_by_side
    """,
    hints="""
    - A loop over the layers. What goes into the first one, and what into each other one?
    - Begin with the list `states = [hidden_states]`; each layer reads the last one, and its output is appended.
    - `states.append(layer(states[-1]))` in the loop; `torch.stack(states)` makes one tensor of the list.
    """,
    explanation="""
    What comes out has the shape of what goes in, so layers can be stacked: six in 2017 and in MiniLM, 30 in SmolLM2.
    The states you kept show how a word's vector changes layer by layer.
    """,
)
