"""The translator trained with another schedule of the learning rate, or with smoothed labels.

Vaswani et al. 2017 (arXiv:1706.03762) warm up over 4,000 steps (section 5.3) and smooth labels by 0.1 (section 5.4).
Short runs on the street show what either does here. Notebook 06.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from anatomy_course.lab.small_models.train import OnStep
from anatomy_course.lab.small_models.translator import BATCH, in_both_directions, small_transformer, translation_loss
from anatomy_course.lab.street.batches import TextToText, in_batches
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.schedules import Schedule
from anatomy_utils.training.threads import threads


def train_translator_variant(
    schedule: float | Schedule,
    seed: int = 0,
    *,
    label_smoothing: float | int = 0.0,
    pre_norm: bool = False,
    steps: int = 200,
    on_step: OnStep | None = None,
    progress: bool = True,
) -> tuple[EncoderDecoder, History]:
    """The translator's model and sentences, trained as you say; equal seeds make runs comparable.

    The history holds the loss that was minimized: with smoothing it has a floor. Compare by
        `unseen_translation_loss`.

    Args:
        schedule: a learning rate, or number of the step → learning rate (see `training.schedules`).
        seed: of the weights and the sentences.
        label_smoothing: ε; the paper has 0.1.
        pre_norm: where the norms are; the paper's come after each sub-layer.
        steps: of 32 sentences each.
        on_step: see `train.OnStep`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    model = small_transformer(generator, pre_norm=pre_norm)
    examples = in_both_directions(sample_scenes(steps * BATCH, generator, "train"))

    def loss(model: EncoderDecoder, batch: TextToText) -> Tensor:
        logits = model(batch.input_ids, batch.decoder_input_ids, batch.attention_mask, batch.decoder_attention_mask)
        return cross_entropy(logits, batch.labels, label_smoothing=float(label_smoothing))

    with threads(1):
        history = fit(
            model,
            in_batches(examples, BATCH),
            loss,
            learning_rate=schedule,
            on_step=on_step,
            progress=progress,
        )
    return model.eval(), history


@torch.no_grad()
def unseen_translation_loss(model: EncoderDecoder, scenes: Sequence[Scene]) -> float:
    """The plain cross-entropy of the right next word, on scenes in both directions: comparable between all ways."""
    return translation_loss(model, in_both_directions(scenes)).item()
