"""Questions compared: equal bodies that were asked different things about the same sentences, judged by the same task.

Before a body learns tags from 200 labeled sentences, in 100 small steps, it has guessed masked words (BERT), said which
words were replaced (ELECTRA), or had a teacher who guesses them (DistilBERT). Replaced words come from a small
generator that learns beside the body, as in Clark et al. 2020 (arXiv:2003.10555), or, as a control, from any sentence;
the control of the teacher is one that has learned nothing. All of it takes minutes, so `recorded` is what
`docs/record_questions.py` kept of it. Notebook 07.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.organs.filling import BATCH, MASK_ID, as_rows, short_sentences
from anatomy_course.lab.organs.opened_mask import right_tags, train_tagger
from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, small_encoder
from anatomy_course.lab.small_models.train import train_batches
from anatomy_utils.nn.heads import MaskedLanguageHead, TokenHead, WithHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.objectives import draw_samples, replace_tokens
from anatomy_utils.training.losses import IGNORE, cross_entropy
from anatomy_utils.training.seeding import seeded

RECORDED = Path(__file__).with_name("compared.json")
STEPS, SEEDS, RATE, LEARNING_RATE, TAGGING_RATE = 300, 6, 0.15, 4e-3, 1e-3
"""Batches of 32 sentences, twice as many for a teacher; how many seeds are recorded; the share of words that is hidden
or replaced; the highest rates of learning, for the question and for tags: small, so that what was learned before is
what counts."""
WEIGHT, TEMPERATURE = 2.0, 2.0
"""How much the question *which are replaced?* counts beside the generator's own; how a teacher is softened."""
QUESTIONS = {
    "nothing": 2, "masked words": 2, "words replaced by any": 2, "words replaced by a generator's": 2,
    "masked words, one layer": 1, "masked words, a teacher": 1, "masked words, a teacher who knows nothing": 1,
}  # fmt: skip
"""What a body is asked before it learns tags → how many layers it has."""


class Judged(NamedTuple):
    """A body after its question."""

    right: float
    """The share of right tags in unseen sentences, of all words but *it*, from 0 to 1."""
    loss: float | None
    """Cross-entropy of masked words in unseen sentences; None for a body that was not asked for words."""


class _WithGenerator(nn.Module):
    def __init__(self, model: nn.Module, generator: nn.Module) -> None:
        super().__init__()
        self.model, self.generator = model, generator


def trial(question: str, seed: int, *, steps: int = STEPS) -> Judged:
    """Ask a new body, let it learn tags, and judge it.

    Args:
        question: one of `QUESTIONS`.
        seed: of the weights and the sentences.
        steps: of 32 sentences each.
    """
    model = asked(question, seed, steps=steps)
    _, right = right_tags(train_tagger(model.body, seed, learning_rate=TAGGING_RATE))
    return Judged(right, loss_behind_masks(model) if "masked" in question else None)


def asked(question: str, seed: int, *, steps: int = STEPS) -> WithHead:
    """A body with the head for its question, after `steps` batches of it; arguments as for `trial`."""
    if question not in QUESTIONS:
        raise ValueError(f"There is no question {question!r}; choose one of {', '.join(QUESTIONS)}.")
    teacher = None
    if "teacher" in question:
        teacher = asked("masked words", 100 + seed, steps=0 if "nothing" in question else 2 * steps)
    source = torch.Generator().manual_seed(seed)
    with seeded(source):
        model = _judge() if "replaced" in question else _guesser(QUESTIONS[question])
        trained = _WithGenerator(model, _guesser(1)) if "generator" in question else model
        words = as_rows(short_sentences(200, source)).flatten()
    if question == "nothing" or not steps:
        return model.eval()
    texts = as_rows(short_sentences(steps * BATCH, source)).split(BATCH)

    def loss(trained: Any, texts: Tensor) -> Tensor:
        chosen = torch.rand(texts.shape, generator=source) < RATE
        hidden, labels = texts.masked_fill(chosen, MASK_ID), texts.masked_fill(~chosen, IGNORE)
        if "replaced" not in question:
            logits = trained(hidden)
            soft = 0.0 if teacher is None else _soft_loss(logits, teacher, hidden)
            return cross_entropy(logits, labels) + soft
        if trained is model:
            samples, own = words[torch.randint(len(words), texts.shape, generator=source)], torch.zeros(())
        else:
            logits = trained.generator(hidden)
            samples, own = draw_samples(logits.detach(), source), cross_entropy(logits, labels)
        replaced = replace_tokens(texts, torch.ones_like(texts), chosen, samples)
        return own + WEIGHT * cross_entropy(model(replaced.replaced_ids), replaced.labels)

    train_batches(trained, texts, loss, learning_rate=LEARNING_RATE, progress=False)
    return model


@torch.no_grad()
def loss_behind_masks(model: nn.Module) -> float:
    """Mean cross-entropy, in nats, of the masked words of 400 unseen sentences, the same ones for each model."""
    source = torch.Generator().manual_seed(5)
    texts = as_rows(short_sentences(400, source, "test"))
    chosen = torch.rand(texts.shape, generator=source) < RATE
    return cross_entropy(model(texts.masked_fill(chosen, MASK_ID)), texts.masked_fill(~chosen, IGNORE)).item()


def recorded() -> dict[str, list[Judged]]:
    """What each question led to, by seed."""
    kept = json.loads(RECORDED.read_text("utf-8"))
    return {question: [Judged(*each) for each in kept[question]] for question in QUESTIONS}


def _guesser(layers: int) -> WithHead:
    body = small_encoder(layers)
    return WithHead(body, MaskedLanguageHead(body.embeddings.tokens, LayerNorm(D_MODEL)))


def _judge() -> WithHead:
    return WithHead(small_encoder(), TokenHead(D_MODEL, 2))


def _soft_loss(logits: Tensor, teacher: nn.Module, hidden: Int[Tensor, "batch position"]) -> Tensor:
    """What notebook 07's `soft_loss` computes."""
    with torch.no_grad():
        wanted = (teacher(hidden) / TEMPERATURE).log_softmax(-1)
    found = (logits / TEMPERATURE).log_softmax(-1)
    return TEMPERATURE**2 * F.kl_div(found, wanted, log_target=True, reduction="none").sum(-1).mean()
