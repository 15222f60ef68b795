"""Notebook 01: a linear projection of every word's vector."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def project(hidden_states: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """hidden_states (…, position, d_model), weight (d_model, d_head), bias (d_head)
    → (…, position, d_head)."""
    return hidden_states @ weight + bias


def cases(generator: Generator) -> Cases:
    for kind, lead in (("one sentence", ()), ("a batch of one sentence", (1,)), ("a batch of sentences", (2,))):
        draw = Draw(generator, "position d_model d_head", (3, 5, 7, 11), kind)
        states, weight, bias = draw("position d_model", lead), draw("d_model d_head"), draw("d_head")
        yield draw.case(hidden_states=states, weight=weight, bias=bias)


EXERCISE = written(
    project,
    same_as="anatomy_utils.functional.attention.project",
    title="A projection",
    task="Multiply each vector by the weight matrix and add the bias.",
    level="easy, 3 minutes",
    returns="projection: position d_head",
    cases=cases,
    mistakes="""
    bias_multiplied: (hidden_states @ weight) * bias
        “Your product is multiplied by the bias.”
    scrambled_weight: hidden_states @ weight.T.reshape(weight.shape) + bias
        “Your result is that of a reshaped weight matrix: its numbers are no longer in the rows they belong to.”
    relu: (hidden_states @ weight + bias).relu()
        “Every negative number of the projection is 0 in yours; nothing is cut off in attention's projections.”
    scaled: hidden_states @ weight / weight.shape[0] ** 0.5 + bias
        “Your product is divided by √d_model before the bias comes on; a projection is not scaled.”
    """,
    also_right="""
    linear: F.linear(hidden_states, weight.T, bias)
    einsum: torch.einsum("...pm,mh->...ph", hidden_states, weight) + bias
    one matrix:
        torch.cat([hidden_states, torch.ones_like(hidden_states[..., :1])], -1) @ torch.cat([weight, bias[None]])
    """,
    hints="""
    - The result is as wide as the weight matrix: d_head. The axis d_model must disappear.
    - A matrix product sums over the last axis of the left and the last but one of the right.
    - `hidden_states @ weight` has the right shape, with or without a batch in front; the bias fits its last axis.
    """,
    explanation="""
    Each of the d_head new features is a weighted sum of the d_model old ones. `@` does it for every position and every
    sentence of a batch at once, and the bias is added to each.
    """,
)
