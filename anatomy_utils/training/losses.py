"""The loss: how far the predicted distribution is from the right token, averaged over the tokens that count.

What training brings down. Notebook 05 teaches cross-entropy, notebook 06 label smoothing. Codes disagree on smoothing:
here, as in torch, the ε is spread over the whole vocabulary, the right token included; others spread it over the rest.
"""

from __future__ import annotations

import math

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

IGNORE = -100
"""The label of a position that does not count, such as padding; torch and Hugging Face use the same number."""


def cross_entropy(
    logits: Float[Tensor, "*batch vocab_size"],
    labels: Int[Tensor, "*batch"],
    *,
    label_smoothing: float = 0.0,
    ignore: int = IGNORE,
) -> Float[Tensor, ""]:
    """−log p(right token), averaged over the positions whose label counts.

    With smoothing ε the target is not 1 for the right token, but (1 − ε) for it and ε / vocab_size for each token:
    (1 − ε) · (−log p_label) − ε · mean over v of log p_v. Szegedy et al. 2016, section 7 (arXiv:1512.00567); Vaswani et
    al. 2017, section 5.4, use ε = 0.1. The loss then has a floor above 0.

    Args:
        logits: any real numbers.
        labels: the right tokens.
        label_smoothing: ε, at least 0 and below 1.
        ignore: the label of positions that do not count.

    Returns:
        One number, 0 or more. Perplexity is its exponential (without smoothing).

    Raises:
        ValueError: no label counts, a label is outside the vocabulary, or ε is out of range.

    >>> import torch
    >>> even = torch.zeros(3, 4)  # four tokens alike: −log(1/4) = log 4
    >>> round(cross_entropy(even, torch.tensor([1, 2, IGNORE])).item(), 4)
    1.3863
    """
    if not 0 <= label_smoothing < 1:
        raise ValueError(
            f"label_smoothing is {label_smoothing}, but it must be at least 0 and below 1; the paper has 0.1."
        )
    vocab_size = logits.shape[-1]
    counts = labels != ignore
    if not counts.any():
        raise ValueError(
            f"All {labels.numel()} labels are {ignore}, so no position counts; give at least one real one."
        )
    if (counts & ((labels < 0) | (labels >= vocab_size))).any():
        real = labels[counts]
        raise ValueError(
            f"labels run from {real.min().item()} to {real.max().item()}, but the logits are for ids from 0 to "
            f"{vocab_size - 1}; mark padding with {ignore}."
        )
    return F.cross_entropy(
        logits.reshape(-1, vocab_size), labels.reshape(-1), ignore_index=ignore, label_smoothing=label_smoothing
    )


def perplexity(
    probabilities: Float[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"]
) -> Float[Tensor, ""]:
    """exp(mean of −log p): among how many equally likely tokens a model hesitates, on average.

    Jelinek, Mercer, Bahl and Baker 1977 (Journal of the Acoustical Society of America 62). The mean is taken over all
    real tokens of all texts: a long text counts more than a short one.

    Args:
        probabilities: what the model gave to each token that really came.
        attention_mask: 1 = real token, 0 = padding, which does not count.

    Returns:
        One number, 1 or more; the size of the vocabulary where all tokens are always alike.

    >>> import torch
    >>> round(perplexity(torch.tensor([[0.5, 0.125, 0.9]]), torch.tensor([[1, 1, 0]])).item(), 4)  # 1/√(1/2 · 1/8)
    4.0
    """
    real = attention_mask.bool()
    return (-probabilities[real].log()).mean().exp()


def bits_per_byte(loss: float, tokens: int, bytes: int) -> float:
    """A loss per token as bits for each byte of the text: loss · tokens / (ln 2 · bytes).

    A token of a large vocabulary is a longer piece of the text and harder to guess, so losses per token of different
    vocabularies cannot be compared. Bytes are the same for all.

    Args:
        loss: the mean of −ln p over the tokens, in nats.
        tokens: how many tokens the text is.
        bytes: how many bytes it is, in UTF-8.

    Raises:
        ValueError: there is no token or no byte.

    >>> import math
    >>> bits_per_byte(math.log(2), tokens=30, bytes=60)  # one bit for each token of two bytes
    0.5
    """
    if tokens < 1 or bytes < 1:
        raise ValueError(
            f"A text of {tokens} tokens and {bytes} bytes has no bits per byte; give at least one of each."
        )
    return loss * tokens / (math.log(2) * bytes)


def soft_loss(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    temperature: float | int,
) -> Float[Tensor, ""]:
    """T² · KL(teacher ‖ student) of softened logits, averaged over all positions.

    Hinton et al. 2015, section 2 (arXiv:1503.02531). Gradients shrink like 1 / T²; the factor T² keeps their size.

    Args:
        student_logits, teacher_logits: any real numbers.
        temperature: above 0; a high one shows more of the unlikely words.

    >>> import torch
    >>> soft_loss(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]]), 2.0).item()  # the same opinion
    0.0
    """
    teacher, student = ((logits / temperature).log_softmax(dim=-1) for logits in (teacher_logits, student_logits))
    return temperature**2 * (teacher.exp() * (teacher - student)).sum(dim=-1).mean()
