"""Notebook 03: a residual connection with its norm after the sum."""

from anatomy_course.content.encoder.shared import PLACEMENT_MISTAKES, layer_cases
from anatomy_course.content.writing import Tensor, written
from anatomy_utils.functional import layers


def post_norm(hidden_states: Tensor, sublayer, norm) -> Tensor:
    """sublayer and norm are functions: each takes (batch, position, d_model) and gives the same shape
    → output (batch, position, d_model).
    """
    return norm(hidden_states + sublayer(hidden_states))


EXERCISE = written(
    post_norm,
    same_as=layers.post_norm,
    title="Norm after the sum",
    task="Add the sub-layer's output to its input, and normalize the sum.",
    level="easy, 2 minutes",
    returns="output: position d_model",
    cases=layer_cases(sublayer="a sub-layer", norm="a norm"),
    stages="""
    sub-layer's result: sublayer(hidden_states)
    sum: hidden_states + sublayer(hidden_states)
    """,
    mistakes="""
    norm_before: hidden_states + sublayer(norm(hidden_states))
        “Your norm comes before the sub-layer. That is pre-norm, the next exercise.”
    """
    + PLACEMENT_MISTAKES
    + """
    halved: norm((hidden_states + sublayer(hidden_states)) / 2)
        “Your sum is halved before the norm: that is the average of the two.”
    subtracted: norm(hidden_states - sublayer(hidden_states))
        “You subtract the sub-layer's output; it should be added.”
    """,
    also_right="""
    in steps:
        total = sublayer(hidden_states)
        total = total.add(hidden_states)
        return norm(total)
    torch.add: norm(torch.add(sublayer(hidden_states), hidden_states))
    sum of a stack: norm(torch.stack((hidden_states, sublayer(hidden_states))).sum(0))
    """,
    hints="""
    - Which two things are added? And is the norm applied to one of them, or to the sum?
    - `sublayer(hidden_states)` is the sub-layer's output. Add the input to it first.
    - Apply `norm` to the whole sum, and return the result.
    """,
    explanation="""
    LayerNorm(x + Sublayer(x)), section 3.1 of the 2017 paper; BERT and MiniLM are built this way. Each norm sets the
    scale again with its γ, but the path from the output back to the input leads through every norm.
    """,
)
