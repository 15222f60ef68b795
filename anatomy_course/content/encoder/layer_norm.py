"""Notebook 03: layer normalization."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import norm


def layer_norm(hidden_states: Tensor, weight: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """hidden_states (batch, position, d_model), weight and bias (d_model,)
    → normed vectors, the same shape.
    Mean and variance are each vector's own; the variance divides by d_model."""
    centered = hidden_states - hidden_states.mean(dim=-1, keepdim=True)
    variance = centered.square().mean(dim=-1, keepdim=True)
    return centered / (variance + epsilon).sqrt() * weight + bias


def cases(generator: Generator) -> Cases:
    for kind, epsilon in (("a batch of texts", 0.05), ("one text", 0.1), ("nearly constant vectors", 0.01)):
        draw = Draw(generator, "batch position d_model", (3, 5, 7), kind)
        states = 2 * draw("batch position d_model") + draw("batch position 1")
        if kind == "nearly constant vectors":
            states = 1 + 0.1 * draw("batch position d_model")
        weight = 1 + 0.5 * draw("d_model")
        weight[0] *= -1 if kind == "one text" else 1
        yield draw.case(hidden_states=states, weight=weight, bias=draw("d_model"), epsilon=epsilon)


EXERCISE = written(
    layer_norm,
    same_as=norm.layer_norm,
    title="Layer norm by hand",
    task="Bring each vector to mean 0 and variance 1, (x − mean) / √(variance + ε), then multiply by the weight and "
    "add the bias.",
    level="medium, 5 minutes",
    returns="vectors: position d_model",
    cases=cases,
    stages="""
    means: hidden_states.mean(dim=-1, keepdim=True)
    centered vectors: centered
    variances: variance
    standard deviations: (variance + epsilon).sqrt()
    normalized vectors: centered / (variance + epsilon).sqrt()
    """,
    mistakes="""
    unbiased: centered.square().mean(dim=-1, keepdim=True) ⇒ centered.var(-1, keepdim=True)
        “Your variance divides by d_model − 1, as torch's `var` does unless told otherwise.”
    epsilon_outside: (variance + epsilon).sqrt() ⇒ (variance.sqrt() + epsilon)
        “Your ε is added to the root; it belongs under the root, with the variance.”
    unbiased_and_outside: (variance + epsilon).sqrt() ⇒ (hidden_states.std(-1, keepdim=True) + epsilon)
        “Two things at once: your variance divides by d_model − 1, as torch's `std` does, and your ε is outside the
        root.”
    no_epsilon: + epsilon ⇒
        “The given ε does not reach your result: without one, a vector of equal numbers would be divided by 0.”
    fixed_epsilon: + epsilon ⇒ + 0.00001
        “Your ε is 0.00001, torch's own, whatever `epsilon` says.”
    no_root: .sqrt() ⇒
        “You divide by the variance itself, not by its root.”
    over_the_positions: dim=-1 ⇒ dim=-2
        “Your mean and variance run over the words of a text, one for each feature; they should be each word's own.”
    over_the_batch: dim=-1 ⇒ dim=0
        “Your mean and variance run over the texts of the batch: a text would change with the other texts.”
    over_the_text: dim=-1 ⇒ dim=(-2, -1)
        “You use one mean and one variance for a whole text; each word should have its own.”
    over_everything: dim=-1 ⇒ dim=(0, 1, 2)
        “You use one mean and one variance for the whole batch; each word should have its own.”
    mean_kept: return centered ⇒ return hidden_states
        “You divide by the right number, but the mean is still in what you divide.”
    root_mean_square: - hidden_states.mean(dim=-1, keepdim=True) ⇒
        “You divide by the root of the mean square, and the mean stays in. That is RMSNorm, which came later.”
    square_of_the_uncentred: centered.square() ⇒ hidden_states.square()
        “Your variance is the mean of x²; it should be that of (x − mean)².”
    centred_only: / (variance + epsilon).sqrt() ⇒
        “The mean is gone from your vectors, but they are not divided.”
    bias_first: * weight + bias ⇒ * weight + bias * weight
        “You add the bias before the weight, so the weight scales it too.”
    one_more: * weight ⇒ * (1 + weight)
        “You multiply by 1 + weight. Some models store the weight that way; here it is the whole factor.”
    """,
    also_right="""
    F.layer_norm: torch.nn.functional.layer_norm(hidden_states, weight.shape, weight, bias, epsilon)
    var and rsqrt:
        centered.square().mean(dim=-1, keepdim=True) ⇒ hidden_states.var(-1, keepdim=True, unbiased=False)
        / (variance + epsilon).sqrt() ⇒ * (variance + epsilon).rsqrt()
    mean of squares:
        centered.square().mean(dim=-1, keepdim=True) ⇒
            hidden_states.square().mean(-1, keepdim=True) - hidden_states.mean(-1, keepdim=True).square()
    """,
    again="""
    variance = centered.square().mean(dim=-1, keepdim=True) ⇒
        variance = centered.square().sum(dim=-1, keepdim=True) / (hidden_states.shape[-1] - 1)
        “This time the variance divides by d_model − 1.”
        Not here: root_mean_square square_of_the_uncentred over_the_positions over_the_batch over_the_text
        over_everything
    """,
    hints="""
    - Five steps: mean, difference, variance, division, weight and bias. Along which axis does one word's vector run?
    - `hidden_states.mean(dim=-1, keepdim=True)` keeps an axis of length 1, so that it can be subtracted. The variance
      is the mean of the squared differences.
    - `centered = hidden_states - mean`, `variance = centered.square().mean(dim=-1, keepdim=True)`; then `centered /
      (variance + epsilon).sqrt()`.
    """,
    explanation="""
    Ba, Kiros and Hinton 2016. Each word is brought to a common scale by itself: other words, other texts and the length
    of the text have no influence. Weight and bias let the model choose another scale again.
    """,
)
