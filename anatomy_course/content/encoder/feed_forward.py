"""Notebook 03: the feed-forward network, the same at every position."""

from anatomy_course.content.encoder.shared import GELU, RELU, TANH
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import feed_forward as library


def feed_forward(
    hidden_states: Tensor, expand_weight: Tensor, expand_bias: Tensor,
    contract_weight: Tensor, contract_bias: Tensor, activation,
) -> Tensor:  # fmt: skip
    """hidden_states (batch, position, d_model), expand_weight (d_model, d_ff),
    contract_weight (d_ff, d_model), a bias for each; activation is a function such as relu
    → output, as hidden_states."""
    hidden = activation(hidden_states @ expand_weight + expand_bias)
    return hidden @ contract_weight + contract_bias


def cases(generator: Generator) -> Cases:
    for kind, activation in (("ReLU", RELU), ("GELU", GELU), ("tanh", TANH)):
        one = {"batch": 1} if kind == "tanh" else {}
        draw = Draw(generator, "batch position d_model d_ff", among=(2, 3, 5, 7), **one, kind=kind)
        yield draw.case(
            hidden_states=draw("batch position d_model"),
            expand_weight=draw("d_model d_ff"),
            expand_bias=draw("d_ff"),
            contract_weight=draw("d_ff d_model"),
            contract_bias=draw("d_model"),
            activation=activation,
        )


EXERCISE = written(
    feed_forward,
    same_as=library.feed_forward,
    title="Feed-forward",
    task="Apply two layers to each word's vector: expand it, apply the activation, contract it again.",
    level="easy, 3 minutes",
    returns="output: position d_model",
    cases=cases,
    stages="""
    expanded: hidden_states @ expand_weight
    expanded, with bias: hidden_states @ expand_weight + expand_bias
    hidden features: hidden
    contracted: hidden @ contract_weight
    """,
    mistakes="""
    no_activation: activation(hidden_states ⇒ (hidden_states
        “No activation acts on your features: two linear layers without one are no more than one linear layer.”
    activation_last (no_activation): activation(result)
        “You apply the activation after both layers, and none acts between them.”
    activation_first: activation(hidden_states ⇒ (activation(hidden_states)
        “Your activation comes before the first layer: it sees the d_model features, not the d_ff ones.”
    bias_after_the_activation: + expand_bias) ⇒ ) + expand_bias
        “You add the first bias after the activation; it belongs before it.”
    no_second_bias: + contract_bias ⇒
        “The second layer's bias does not reach your output.”
    no_biases:
        + expand_bias ⇒
        + contract_bias ⇒
        “Neither of the two biases reaches your output.”
    always_relu: activation( ⇒ torch.relu(
        “Yours is right with ReLU only: it applies ReLU, whatever activation is given.”
    always_gelu: activation( ⇒ torch.nn.functional.gelu(
        “Yours is right with GELU only: it applies GELU, whatever activation is given.”
    input_added: hidden_states + result
        “You have added the input to the output. The residual connection does that, outside this network.”
    words_averaged: hidden_states @ ⇒ hidden_states.mean(1, keepdim=True).expand_as(hidden_states) @
        “All words of a text get the same output, computed from their average; each word has its own output.”
    """,
    also_right="""
    in one line: activation(hidden_states @ expand_weight + expand_bias) @ contract_weight + contract_bias
    F.linear:
        linear = torch.nn.functional.linear
        return linear(activation(linear(hidden_states, expand_weight.T, expand_bias)), contract_weight.T, contract_bias)
    position by position:
        each = [activation(vectors @ expand_weight + expand_bias) for vectors in hidden_states.unbind(1)]
        return torch.stack([hidden @ contract_weight + contract_bias for hidden in each], dim=1)
    """,
    again="""
    hidden @ contract_weight ⇒ hidden_states + hidden @ contract_weight
        “This time the residual connection is part of it: add hidden_states to the result.”
        Not here: words_averaged
    """,
    hints="""
    - Three steps: a linear layer, the activation, a linear layer. A linear layer is a matrix product and a bias.
    - `hidden_states @ expand_weight + expand_bias` makes d_ff features of each word. The activation is a function: call
      it on them.
    - `hidden = activation(hidden_states @ expand_weight + expand_bias)`; then the same with the other weight and bias,
      without an activation.
    """,
    explanation="""
    Equation 2 of the 2017 paper. Nothing in it looks from one position to another: `@` works on the last axis only.
    Only attention moves information between words.
    """,
)
