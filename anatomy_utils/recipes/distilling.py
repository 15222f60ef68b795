"""Distilling: a gap filler of half the depth learns from a trained one, as DistilBERT learnt from BERT. Notebook 06.

Where sixteen nouns fit a gap, the text names one of them and the teacher all; so the student hears more from each gap.
Sanh et al. 2019 (arXiv:1910.01108), who also begin with every other layer of the teacher; `objectives.distillation`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from anatomy_utils.nn.heads import MaskedLanguageHead, WithHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.objectives.distillation import distillation_loss
from anatomy_utils.recipes.encoder_tasks import D_MODEL, label_loss, small_encoder
from anatomy_utils.recipes.masked_language_model import hide_words, one_gap_each
from anatomy_utils.recipes.train import BATCH, OnStep, practise
from anatomy_utils.toy_language import Scene
from anatomy_utils.toy_language.batches import Labelled, language_modelling
from anatomy_utils.toy_language.sampling import sample_scenes
from anatomy_utils.training import History, seeded


def new_student(teacher: WithHead, generator: torch.Generator, *, begins_as_teacher: bool = False) -> WithHead:
    """A gap filler with half the teacher's layers.

    Args:
        teacher: from `gaps.train_gap_filler`.
        generator: the source of its weights.
        begins_as_teacher: begin with the teacher's words, head and every other layer instead, the first one included.
    """
    layers: nn.ModuleList = teacher.body.layers  # type: ignore[assignment]
    with seeded(generator):
        encoder = small_encoder(num_layers=len(layers) // 2)
        student = WithHead(encoder, MaskedLanguageHead(encoder.embeddings.tokens, LayerNorm(D_MODEL)))
    if begins_as_teacher:
        own = {name: weight for name, weight in teacher.state_dict().items() if ".layers." not in name}
        student.load_state_dict(own, strict=False)
        for mine, theirs in zip(encoder.layers, layers[::2], strict=True):
            mine.load_state_dict(theirs.state_dict())
    return student


def train_student(
    teacher: WithHead,
    seed: int = 0,
    *,
    soft_share: float | int = 1.0,
    temperature: float | int = 2.0,
    begins_as_teacher: bool = False,
    steps: int = 300,
    on_step: OnStep | None = None,
    progress: bool = True,
) -> tuple[WithHead, History]:
    """Teach a student of half the depth; equal seeds mean the same sentences with the same gaps.

    Args:
        teacher: from `gaps.train_gap_filler`; it stays as it is.
        seed: of the weights, the sentences and the gaps in them.
        soft_share: how much of the loss is the teacher's opinion, from 0, the right words alone, to 1.
        temperature: see `objectives.distillation`; DistilBERT has 2.
        begins_as_teacher: see `new_student`.
        steps: of 32 sentences each.
        on_step: see `practice.OnStep`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    student = new_student(teacher, generator, begins_as_teacher=begins_as_teacher)
    sentences = language_modelling(sample_scenes(steps * BATCH, generator, "train"))
    examples = hide_words(sentences, generator)

    def loss(model: WithHead, batch: Labelled) -> Tensor:
        with torch.no_grad():
            opinion = teacher(batch.input_ids, batch.attention_mask)
        logits = model(batch.input_ids, batch.attention_mask)
        return distillation_loss(
            logits, opinion, batch.labels, temperature=float(temperature), soft_share=float(soft_share)
        )

    history = practise(student, examples, loss if soft_share else label_loss, on_step=on_step, progress=progress)
    return student, history


@torch.no_grad()
def unseen_loss(model: nn.Module, scenes: Sequence[Scene], generator: torch.Generator) -> float:
    """The plain cross-entropy of one hidden word in each sentence: comparable between all ways to learn."""
    return label_loss(model, one_gap_each(language_modelling(scenes), generator)).item()
