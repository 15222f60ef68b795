"""Notebook 04: probabilities of the next token at a temperature."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_large, written


def next_probabilities(logits: Tensor, temperature: float) -> Tensor:
    """logits (batch, vocab_size), temperature above 0 → probabilities (batch, vocab_size); rows sum to 1."""
    return (logits / temperature).softmax(dim=-1)


def cases(generator: Generator) -> Cases:
    for kind, temperature in (("a low temperature", 0.4), ("a high temperature", 2.5), ("one text", 0.7)):
        draw = Draw(generator, "batch vocab_size", (5, 7, 11), kind)
        yield draw.case(logits=2 * draw("batch vocab_size"), temperature=temperature)


EXERCISE = written(
    next_probabilities,
    title="Temperature",
    task="Turn logits into probabilities at a temperature: softmax(logits / T).",
    level="easy, 2 minutes",
    returns="probabilities: batch vocab_size",
    cases=and_large(cases, "logits"),
    stages="divided logits: logits / temperature",
    mistakes="""
    multiplied: / temperature ⇒ * temperature
        “Your logits are multiplied by the temperature: a high one then sharpens, where it should flatten.”
    ignored: / temperature ⇒
        “Yours are the probabilities at temperature 1; the one that is given plays no part.”
    divided_afterwards: logits.softmax(dim=-1) / temperature
        “Your probabilities are divided, not your logits: the rows no longer sum to 1.”
    no_softmax: .softmax(dim=-1) ⇒
        “Yours are the divided logits; what is wanted is their softmax.”
    not_normalized: .softmax(dim=-1) ⇒ .exp()
        “Yours are powers of e as they are: the rows do not sum to 1.”
    overflow (not_normalized): result / result.sum(dim=-1, keepdim=True)
        “Right for small logits. When one is large, e to the power of it is beyond float32, and ∞/∞ is NaN.”
    root: / temperature ⇒ / temperature**0.5
        “You divide by the root of the temperature.”
    """,
    also_right="""
    F.softmax: F.softmax(logits / temperature, dim=-1)
    powers of probabilities:
        powers = logits.softmax(-1) ** (1 / temperature)
        return powers / powers.sum(-1, keepdim=True)
    by hand:
        powers = ((logits - logits.amax(-1, keepdim=True)) / temperature).exp()
        return powers / powers.sum(-1, keepdim=True)
    """,
    hints="""
    - First change the logits, then turn them into probabilities.
    - A small T makes the gaps between logits larger.
    - `(logits / temperature)`, and `.softmax` over the vocabulary, the last axis.
    """,
    explanation="""
    Toward 0 the likeliest token gets everything, which is greedy choice; toward ∞ all tokens become equally likely. The
    order of the tokens never changes.
    """,
)
