"""Notebook 03: a residual connection with its norm before the sub-layer."""

from anatomy_course.content.encoder.shared import PLACEMENT_MISTAKES, layer_cases
from anatomy_course.content.writing import Tensor, written
from anatomy_utils.functional import layers


def pre_norm(hidden_states: Tensor, sublayer, norm) -> Tensor:
    """sublayer and norm are functions: each takes (batch, position, d_model) and gives the same shape
    → output (batch, position, d_model).
    """
    return hidden_states + sublayer(norm(hidden_states))


EXERCISE = written(
    pre_norm,
    same_as=layers.pre_norm,
    title="Norm before the sub-layer",
    task="Apply the sub-layer to the normed input, and add its output to the original input.",
    level="easy, 2 minutes",
    returns="output: position d_model",
    cases=layer_cases(sublayer="a sub-layer", norm="a norm"),
    stages="""
    normed input: norm(hidden_states)
    sub-layer's result: sublayer(norm(hidden_states))
    """,
    mistakes="""
    norm_after: norm(hidden_states + sublayer(hidden_states))
        “Your norm comes after the sum. That is post-norm, the exercise before.”
    """
    + PLACEMENT_MISTAKES
    + """
    subtracted: hidden_states - sublayer(norm(hidden_states))
        “You subtract the sub-layer's output; it should be added.”
    """,
    also_right="""
    in steps:
        total = norm(hidden_states)
        total = sublayer(total)
        return total.add(hidden_states)
    torch.add: torch.add(sublayer(norm(hidden_states)), hidden_states)
    sum of a stack: torch.stack((hidden_states, sublayer(norm(hidden_states)))).sum(0)
    """,
    hints="""
    - There are two paths from the input to the output. Which of them contains the norm?
    - The norm is only on the path through the sub-layer. The other path is free.
    - `sublayer(norm(hidden_states))` is the sub-layer's output; add `hidden_states` to it.
    """,
    explanation="""
    One path leads from the input to the output without any norm, even through a whole stack, and gradients travel down
    it unchanged. Since nothing brings the sum to a common scale, a pre-norm stack has one more norm at its end.
    """,
)
