"""Distillation: a small model learns from what a large one thinks of every word, not only from which one is right.

Hinton et al. 2015, section 2 (arXiv:1503.02531); DistilBERT adds a third term, the likeness of the hidden states, and
weighs soft : hard : hidden as 5 : 2 : 1 (Sanh et al. 2019, arXiv:1910.01108, and its code). Notebook 06.
"""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.training.losses import IGNORE, cross_entropy


def soft_loss(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    *,
    temperature: float | int = 2.0,
) -> Float[Tensor, ""]:
    """T² · KL(teacher ‖ student), both softened by a temperature, averaged over all positions.

    KL(p ‖ q) = Σ p · log(p / q), p = softmax(teacher_logits / T), q = softmax(student_logits / T). The teacher comes
    first: what it holds possible, the student must hold possible too. Gradients shrink like 1 / T²; the factor T² keeps
    them, and so the weight of this loss, at any temperature.

    Args:
        student_logits: any real numbers.
        teacher_logits: the same; no gradient flows into them.
        temperature: T, above 0; a high one shows more of the unlikely words.

    Returns:
        One number, 0 or more; 0 where both agree.

    Raises:
        ValueError: the temperature is not above 0.

    >>> import torch
    >>> even, sure = torch.zeros(1, 2), torch.tensor([[8.0, 0.0]])
    >>> round(soft_loss(sure, even).item(), 3), round(soft_loss(even, sure).item(), 3)  # the direction matters
    (5.3, 2.412)
    """
    if temperature <= 0:
        raise ValueError(f"temperature is {temperature}, but it must be above 0; DistilBERT has 2.")
    teacher = (teacher_logits.detach() / temperature).log_softmax(dim=-1)
    student = (student_logits / temperature).log_softmax(dim=-1)
    divergence = (teacher.exp() * (teacher - student)).sum(dim=-1)
    return temperature**2 * divergence.mean()


def distillation_loss(
    student_logits: Float[Tensor, "*batch classes"],
    teacher_logits: Float[Tensor, "*batch classes"],
    labels: Int[Tensor, "*batch"],
    *,
    temperature: float | int = 2.0,
    soft_share: float | int = 0.5,
) -> Float[Tensor, ""]:
    """A mix of what the teacher thinks and what is right, over the positions whose label counts.

    soft_share · `soft_loss` + (1 − soft_share) · cross-entropy of the labels.

    Args:
        student_logits: any real numbers.
        teacher_logits: the same.
        labels: the right classes, `IGNORE` where nothing is asked.
        temperature: of the soft part; the hard part has none.
        soft_share: from 0, plain training, to 1, the teacher alone.

    Raises:
        ValueError: the temperature or the share is out of range, or no label counts.
    """
    if not 0 <= soft_share <= 1:
        raise ValueError(f"soft_share is {soft_share}, but it must be from 0 (labels alone) to 1 (teacher alone).")
    hard = cross_entropy(student_logits, labels)
    counts = labels != IGNORE
    soft = soft_loss(student_logits[counts], teacher_logits[counts], temperature=temperature)
    return soft_share * soft + (1 - soft_share) * hard
