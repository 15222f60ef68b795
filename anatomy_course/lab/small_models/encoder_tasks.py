"""Encoder tasks: one small encoder with a head for each task: the topic, a tag for each word, an answer's span.

Notebooks 03 and 04 train them. The encoder is built from the same parts as the large ones; only its numbers are small.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from anatomy_course.lab.small_models.train import BATCH, OnStep, train_model
from anatomy_course.lab.street.batches import Labeled, Pointed, classification, question_answering, tagging
from anatomy_course.lab.street.labels import CLASSES, TAGS
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import SequenceHead, SpanHead, TokenHead, WithHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.seeding import seeded

D_MODEL, NUM_HEADS, D_FF = 64, 4, 256


def small_encoder(num_layers: int = 2) -> Encoder:
    """Pre-norm layers, 64 features wide, over the street's words; weights are drawn from torch's global source."""
    layers = [
        EncoderLayer(
            MultiHeadAttention(D_MODEL, NUM_HEADS),
            FeedForward(D_MODEL, D_FF),
            self_attention_norms=NormPlaces(before=LayerNorm(D_MODEL)),
            feed_forward_norms=NormPlaces(before=LayerNorm(D_MODEL)),
        )
        for _ in range(num_layers)
    ]
    positions = SinusoidalPositions(D_MODEL)
    embeddings = Embeddings(len(street_vocabulary()), D_MODEL, positions, scale=math.sqrt(D_MODEL))
    nn.init.normal_(embeddings.tokens.weight, std=D_MODEL**-0.5)
    return Encoder(embeddings, layers, norm=LayerNorm(D_MODEL))


def train_classifier(
    seed: int = 0, *, label: str = "topic", steps: int = 250, on_step: OnStep | None = None, progress: bool = True
) -> tuple[WithHead, History]:
    """A model that sorts sentences into classes, which it reads off the first token.

    Args:
        seed: of the weights and the sentences.
        label: "topic", or "referent": whether *it* is the subject or the object.
        steps: of 32 sentences each.
        on_step: see `train.OnStep`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = WithHead(small_encoder(), SequenceHead(D_MODEL, len(CLASSES[label])))
    examples = classification(sample_scenes(steps * BATCH, generator, "train"), label)
    return model, train_model(model, examples, label_loss, on_step=on_step, progress=progress)


def train_tagger(
    seed: int = 0, *, steps: int = 400, on_step: OnStep | None = None, progress: bool = True
) -> tuple[WithHead, History]:
    """A model that gives each word a tag; for *it* that is the kind of what *it* stands for.

    Arguments as for the classifier.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = WithHead(small_encoder(), TokenHead(D_MODEL, len(TAGS)))
    examples = tagging(sample_scenes(steps * BATCH, generator, "train"))
    return model, train_model(model, examples, label_loss, on_step=on_step, progress=progress)


def train_question_answerer(
    seed: int = 0, *, steps: int = 600, on_step: OnStep | None = None, progress: bool = True
) -> tuple[WithHead, History]:
    """A model that reads a question and a sentence and points at the answer's first and last word.

    With two layers a few questions about what *it* is stay wrong, so it has three. Arguments as for the classifier.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = WithHead(small_encoder(num_layers=3), SpanHead(D_MODEL))
    examples = question_answering(sample_scenes(steps * BATCH, generator, "train"), generator)
    return model, train_model(model, examples, span_loss, on_step=on_step, progress=progress)


def label_loss(model: nn.Module, batch: Labeled) -> Tensor:
    """Cross-entropy of the labels, one a text or one a token."""
    return cross_entropy(model(batch.input_ids, batch.attention_mask), batch.labels)


def span_loss(model: nn.Module, batch: Pointed) -> Tensor:
    """Mean of the two cross-entropies, over all positions, of where the answer begins and where it ends."""
    logits = model(batch.input_ids, batch.attention_mask)
    return (cross_entropy(logits.start, batch.start_positions) + cross_entropy(logits.end, batch.end_positions)) / 2
