"""Notebook 05: RMSNorm, the norm of most decoders since 2023."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import norm


def rms_norm(hidden_states: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    """hidden_states (batch, position, d_model), weight (d_model,)
    → normed vectors, the same shape."""
    mean_square = hidden_states.square().mean(dim=-1, keepdim=True)
    return hidden_states / (mean_square + epsilon).sqrt() * weight


def cases(generator: Generator) -> Cases:
    for kind, epsilon in (("a batch of texts", 0.05), ("one text", 0.1), ("short vectors", 0.01)):
        draw = Draw(generator, "batch position d_model", (3, 5, 7), kind)
        states = 2 * draw("batch position d_model") + draw("batch position 1")
        states *= 0.1 if kind == "short vectors" else 1
        weight = 1 + 0.5 * draw("d_model")
        weight[0] *= -1 if kind == "one text" else 1
        yield draw.case(hidden_states=states, weight=weight, epsilon=epsilon)


EXERCISE = written(
    rms_norm,
    same_as=norm.rms_norm,
    title="RMSNorm by hand",
    task="Divide each vector by the root of its mean square, x / √(mean(x²) + ε), then multiply by the weight.",
    level="easy, 3 minutes",
    returns="vectors: position d_model",
    cases=cases,
    stages="""
    squares: hidden_states.square()
    mean squares: mean_square
    root mean squares: (mean_square + epsilon).sqrt()
    normalized vectors: hidden_states / (mean_square + epsilon).sqrt()
    """,
    mistakes="""
    layer_norm: F.layer_norm(hidden_states, weight.shape, weight, None, epsilon)
        “That is layer norm without its bias: the mean has been subtracted. RMSNorm leaves it in.”
    epsilon_outside: (mean_square + epsilon).sqrt() ⇒ (mean_square.sqrt() + epsilon)
        “Your ε is added to the root; it belongs under it, beside the mean square.”
    no_epsilon: (mean_square + epsilon) ⇒ mean_square
        “Yours is the result without the given ε, which keeps a vector of zeros from being divided by 0.”
    no_root: .sqrt() ⇒
        “You divide by the mean square itself, not by its root.”
    summed: .mean(dim=-1 ⇒ .sum(dim=-1
        “You divide by the length of the vector: the root of the sum of the squares. Their mean is needed.”
    square_of_the_mean: .square().mean(dim=-1, keepdim=True) ⇒ .mean(dim=-1, keepdim=True).square()
        “You square the mean; it should be the mean of the squares.”
    over_the_positions: dim=-1 ⇒ dim=-2
        “Your mean runs over the words of a text, one for each feature; it should be each word's own.”
    over_everything: dim=-1 ⇒ dim=(0, 1, 2)
        “One mean serves your whole batch; each word should have its own.”
    weight_added: * weight ⇒ + weight
        “Your weight is added; it should be a factor.”
    one_plus_weight: * weight ⇒ * (1 + weight)
        “Your factor is 1 + weight, as Gemma stores its norms; here the weight is the factor.”
    """,
    also_right="""
    torch's: F.rms_norm(hidden_states, weight.shape, weight, epsilon)
    rsqrt: hidden_states * torch.rsqrt(hidden_states.pow(2).mean(-1, keepdim=True) + epsilon) * weight
    a length: weight * hidden_states * (hidden_states.norm(dim=-1, keepdim=True) ** 2 / len(weight) + epsilon) ** -0.5
    """,
    again="""
    * weight ⇒ * (1 + weight)
        “This time a weight is kept as its distance from 1, as in Gemma: multiply by 1 + weight.”
    """,
    hints="""
    - Read the name backwards: square, mean, root. Then divide.
    - The mean needs its axis kept: `.mean(dim=-1, keepdim=True)`.
    - `mean_square = hidden_states.square().mean(dim=-1, keepdim=True)`; ε is added before the root.
    """,
    explanation="""
    Zhang and Sennrich 2019: layer norm without the mean and without the bias does as well, and is cheaper. Llama uses
    it, and so have most decoders since.
    """,
)
