"""Notebook 06: the distillation loss with which DistilBERT learns from BERT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import Cases, and_large, and_short, normal, primes
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def soft_loss(student_logits: Tensor, teacher_logits: Tensor, temperature: float) -> Tensor:
    """Logits (batch, position, vocab_size) → one number, (). With p of the teacher and q of the student,
    both softmax of their logits divided by the temperature, KL(p ‖ q) is the sum of p · log(p / q) over the
    vocabulary.
    """
    teacher = (teacher_logits / temperature).log_softmax(dim=-1)
    student = (student_logits / temperature).log_softmax(dim=-1)
    divergences = (teacher.exp() * (teacher - student)).sum(dim=-1)
    return temperature**2 * divergences.mean()


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, temperature in (("temperature 2", 2.0), ("a high temperature", 4.0), ("a low temperature", 0.5)):
        batch, position, vocab_size = primes(generator, 3, (2, 3, 5, 7))
        if vocab_size == 2:
            vocab_size, batch = batch, vocab_size
        arguments = {
            "student_logits": 1.5 * normal(generator, batch, position, vocab_size),
            "teacher_logits": 2 * normal(generator, batch, position, vocab_size),
            "temperature": temperature,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position, "vocab_size": vocab_size})


def _and_sure(cases: Cases) -> Cases:
    """The same cases and one whose student finds a text's words all but impossible: no ε may hide that."""

    def drawn(generator: torch.Generator) -> Iterator[Case]:
        yield from cases(generator)
        batch, position, vocab_size = primes(generator, 3, (3, 5, 7))
        student, teacher = (normal(generator, batch, position, vocab_size) for _ in range(2))
        student[0, :, 0] += 60.0
        teacher[0, :, 1] += 60.0
        arguments = {"student_logits": student, "teacher_logits": teacher, "temperature": 2.0}
        sizes = {"batch": batch, "position": position, "vocab_size": vocab_size}
        yield Case(arguments, "a student that is sure of another word", sizes)

    return drawn


def _divergences(student: Tensor, teacher: Tensor, t: float) -> Tensor:
    p, q = ((logits / t).log_softmax(-1) for logits in (teacher, student))
    return (p.exp() * (p - q)).sum(-1)


def _right(student: Tensor, teacher: Tensor, t: float) -> Tensor:
    return t**2 * _divergences(student, teacher, t).mean()


def _crossed(student: Tensor, teacher: Tensor, t: float) -> Tensor:
    """Cross-entropy of the soft targets; the teacher's own entropy is not taken away."""
    return -((teacher / t).softmax(-1) * (student / t).log_softmax(-1)).sum(-1)


def _steps(student: Tensor, teacher: Tensor, t: float) -> Mapping[str, Tensor]:
    return {
        "teacher's probabilities": (teacher / t).softmax(-1),
        "student's log-probabilities": (student / t).log_softmax(-1),
        "divergences": _divergences(student, teacher, t),
    }


EXERCISE = written(
    soft_loss,
    same_as="anatomy_utils.training.losses.soft_loss",
    title="Learning from a teacher",
    task="Divide both logits by the temperature, take the divergence KL(teacher ‖ student) at each position, average "
    "over all positions, and multiply by the temperature squared.",
    level="medium, 6 minutes",
    returns="loss",
    cases=_and_sure(and_large(and_short(_cases, "position", "texts of one word"), "student_logits", "teacher_logits")),
    stages=_steps,
    mistakes="""
    wrong_way_round: _right(teacher_logits, student_logits, temperature)
        “Yours is KL(student ‖ teacher): student and teacher are swapped. It punishes other things: a student may then
        leave out what the teacher finds possible.”
    negative: -_right(student_logits, teacher_logits, temperature)
        “Your loss has the wrong sign, as if log q − log p came in place of log p − log q: it is never above 0.”
    over_positions:
        return (
            temperature**2
            * _divergences(student_logits.transpose(1, 2), teacher_logits.transpose(1, 2), temperature).sum(-1).mean()
            / student_logits.shape[1]
        )
        “Your softmax runs over the positions; it should run over the vocabulary.”
    no_square: _divergences(student_logits, teacher_logits, temperature).mean()
        “Your loss lacks the factor of temperature²: at a high temperature it and its gradients fade away.”
    temperature_once: temperature * _divergences(student_logits, teacher_logits, temperature).mean()
        “Your factor is the temperature, not its square.”
    divided_by_the_square: _divergences(student_logits, teacher_logits, temperature).mean() / temperature**2
        “You divide by temperature² where you should multiply.”
    teacher_not_softened: _right(student_logits, teacher_logits * temperature, temperature)
        “The temperature does not reach the teacher's logits; it does reach the student's.”
    student_not_softened: _right(student_logits * temperature, teacher_logits, temperature)
        “The temperature does not reach the student's logits; it does reach the teacher's.”
    no_temperature_inside: temperature**2 * _divergences(student_logits, teacher_logits, 1.0).mean()
        “The temperature reaches neither of the logits; it is only in your factor.”
    logits_multiplied: temperature**2 * _divergences(student_logits, teacher_logits, 1 / temperature).mean()
        “You multiply the logits by the temperature: a high one makes the teacher more certain, not less.”
    mean_over_everything: _right(student_logits, teacher_logits, temperature) / student_logits.shape[-1]
        “You average over the vocabulary too (torch's kl_div does so with reduction='mean'): a larger vocabulary would
        make the loss smaller.”
    sum: temperature**2 * _divergences(student_logits, teacher_logits, temperature).sum()
        “You add up all positions; what is wanted is their mean.”
    mean_over_texts: temperature**2 * _divergences(student_logits, teacher_logits, temperature).sum(-1).mean()
        “You add up the positions of each text and average over texts (so does torch's 'batchmean' when the texts are
        its first axis); what is wanted is the mean over all positions.”
    cross_entropy: temperature**2 * _crossed(student_logits, teacher_logits, temperature).mean()
        “Yours is the cross-entropy, −Σ p · log q: the teacher's own uncertainty is still in it, and even a student that
        agrees completely would not reach 0.”
    hard_targets: F.cross_entropy(student_logits.flatten(0, 1), teacher_logits.argmax(-1).flatten())
        “Yours is the cross-entropy of the teacher's favorite word alone; what it thinks of the others is lost.”
    log_of_log:
        return (
            temperature**2
            * (
                (teacher_logits / temperature).softmax(-1)
                * ((teacher_logits / temperature).log_softmax(-1) - (student_logits / temperature).softmax(-1))
            )
            .sum(-1)
            .mean()
        )
        “You have the student's probabilities where their logarithms should be (torch's kl_div wants log q as its first
        argument).”
    each_position: temperature**2 * _divergences(student_logits, teacher_logits, temperature)
        “Each position is right; what is wanted is one number, their mean.”
    """,
    also_right="""
    in logarithms: _right(student_logits, teacher_logits, temperature)
    torch's kl_div:
        student_logits, teacher_logits = student_logits.flatten(0, -2), teacher_logits.flatten(0, -2)
        return (
            temperature
            * temperature
            * F.kl_div(
                (student_logits / temperature).log_softmax(-1),
                (teacher_logits / temperature).softmax(-1),
                reduction="batchmean",
            )
        )
    cross-entropy less the teacher's own entropy:
        return (
            temperature**2
            * (
                _crossed(student_logits, teacher_logits, temperature)
                - _crossed(teacher_logits, teacher_logits, temperature)
            ).mean()
        )
    log of the ratio:
        return (
            temperature**2
            * (
                (teacher_logits / temperature).softmax(-1)
                * ((teacher_logits / temperature).softmax(-1) / (student_logits / temperature).softmax(-1)).log()
            )
            .sum(-1)
            .mean()
        )
    """,
    hints="""
    - Four steps: soften both, compare them at each position, average, restore the size of the gradients.
    - log(p / q) is log p − log q, and `log_softmax(dim=-1)` gives logarithms of probabilities. Which of the two comes
      first as the weight, p or q?
    - `(teacher.exp() * (teacher - student)).sum(dim=-1)` is the divergence of each position, when both are
      log-probabilities.
    """,
    explanation="""
    Hinton et al. 2015. The right word alone says little; that “cat” would have been likelier than “car” says much. A
    temperature above 1 shows such small probabilities. Softening makes the gradients smaller by a factor of about T²,
    so the loss is multiplied by T². DistilBERT's loss has a second and a third part: masked words, and the similarity
    of the states.
    """,
)
