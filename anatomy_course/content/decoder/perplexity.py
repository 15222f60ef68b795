"""Notebook 04: perplexity, the exponential of the average loss."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, real_words, written


def perplexity(probabilities: Tensor, attention_mask: Tensor) -> Tensor:
    """probabilities (batch, position): what the model gave to each token that really came; attention_mask:
    1 = a token that counts, 0 = padding → one number, ().
    """
    real = probabilities[attention_mask == 1]
    return (-real.log()).mean().exp()


def cases(generator: Generator) -> Cases:
    for kind, batch, position in (("padded texts", 2, 5), ("padded texts", 3, 7), ("one text", 1, 11)):
        real = real_words(generator, kind, batch, position, range(1, position - 2), position - 1)
        probabilities = 0.05 + 0.9 * torch.rand(batch, position, generator=generator)
        arguments = {"probabilities": probabilities, "attention_mask": real.long()}
        yield Case(arguments, kind, {"batch": batch, "position": position})


EXERCISE = written(
    perplexity,
    same_as="anatomy_utils.training.losses.perplexity",
    title="Perplexity",
    task="Take e to the power of the average loss, −log p, over all real tokens.",
    level="easy, 3 minutes",
    returns="perplexity",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    probabilities of the real tokens: real
    log-probabilities of the real tokens: real.log()
    losses of the real tokens: -real.log()
    average loss: -real.log().mean()
    """,
    mistakes="""
    padding_counted: [attention_mask == 1] ⇒
        “Padding counts in your average.”
    divided_by_all: probabilities[attention_mask == 1] ⇒ probabilities.where(attention_mask == 1, 1.0)
        “Padding adds nothing to your sum, but it is counted in what you divide by.”
    loss: .exp() ⇒
        “Yours is the average loss itself.”
    average_of_inverses: (-real.log()).mean().exp() ⇒ (1 / real).mean()
        “You average 1/p over the tokens: one very unlikely token would decide all. The average is taken of the
        logarithms.”
    inverse_of_average: (-real.log()).mean().exp() ⇒ 1 / real.mean()
        “Yours is 1 divided by the average probability; the average is taken of the logarithms.”
    summed: .mean() ⇒ .sum()
        “Your exponent is the sum of all losses: it would grow with the length of the texts.”
    texts_alike:
        losses = -(probabilities.log() * attention_mask).sum(dim=1) / attention_mask.sum(dim=1)
        return losses.mean().exp()
        “You average text by text first: a token in a short text counts more than one in a long text.”
    average_of_texts (texts_alike): .mean().exp() ⇒ .exp().mean()
        “Yours is the average of the texts' own perplexities; all tokens should be averaged at once.”
    mixed_bases: (-real.log()).mean().exp() ⇒ 2 ** (-real.log()).mean()
        “Your logarithm is the natural one, but 2 is raised to its power: the two bases must be the same.”
    """,
    also_right="""
    masked sum: (-(probabilities.log() * attention_mask).sum() / attention_mask.sum()).exp()
    a root of a product: (-real.log()).mean().exp() ⇒ real.prod() ** (-1 / len(real))
    1 divided by the geometric mean: (-real.log()).mean().exp() ⇒ 1 / real.log().mean().exp()
    """,
    hints="""
    - `probabilities[attention_mask == 1]` are those that count, from all texts, in one row.
    - The loss of a token is −log p. Average first; e to the power of it comes last.
    - `-real.log()` are the losses; `.mean()` and `.exp()` do the rest.
    """,
    explanation="""
    A model that hesitates between 8 equally likely tokens at every step has perplexity 8. Perplexities of different
    models can be compared only if the models cut texts into the same tokens.
    """,
)
