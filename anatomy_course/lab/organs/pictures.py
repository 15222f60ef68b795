"""Pictures read by bodies that were made for words: one says what it sees, two meet in one space.

`PictureWriter` is notebook 06's translator, whose encoder gets patches of a picture in place of words (Dosovitskiy et
al. 2020, arXiv:2010.11929, read such patches). `Matcher` has an encoder for pictures and one for sentences, which learn
to agree (Radford et al. 2021, arXiv:2103.00020). Notebook 08.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.organs.icons import SIZE, draw
from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, small_encoder
from anatomy_course.lab.small_models.train import train_batches
from anatomy_course.lab.small_models.translator import small_transformer
from anatomy_course.lab.street.batches import language_modeling
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.decoding.generation import generate
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.threads import threads

PATCH = 6
"""Pixels of a patch, in height and width: four patches an icon."""
NUMBERS, PATCHES = 3 * PATCH**2, 3 * (SIZE // PATCH) ** 2
"""In a patch, and in a picture."""
Cut = Callable[[Tensor, int], Tensor]
"""Images (batch, channel, height, width), pixels → patches (batch, patch, numbers)."""


class Eye(nn.Module):
    """All that is new: patches become vectors by one linear layer, with a learned vector for each place added."""

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Linear(NUMBERS, D_MODEL)
        self.places = nn.Parameter(0.1 * torch.randn(PATCHES, D_MODEL))

    def forward(self, patches: Float[Tensor, "batch patch numbers"]) -> Float[Tensor, "batch patch d_model"]:
        """One vector for each patch, as an encoder's layers take them."""
        return self.look(patches) + self.places


class PictureWriter(nn.Module):
    """An eye, and a Transformer of 1 + 1 layers as it was for words."""

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        self.transformer = small_transformer(generator, num_layers=1)
        with seeded(generator):
            self.eye = Eye()

    def forward(
        self, patches: Float[Tensor, "batch patch numbers"], decoder_input_ids: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target vocab_size"]:
        """The logits of the word that follows each target position."""
        memory = self.transformer.encoder.run_layers(self.eye(patches))
        return self.transformer.vocabulary(self.transformer.decoder(decoder_input_ids, memory=memory))

    @threads(1)
    @torch.no_grad()
    def write(self, patches: Float[Tensor, "batch patch numbers"], length: int = 14) -> list[str]:
        """A sentence for each picture, always with the likeliest word."""
        words, model = street_vocabulary(), self.transformer
        cache = model.decoder.start(len(patches), 1 + length, memory=model.encoder.run_layers(self.eye(patches)))
        start = torch.full((len(patches), 1), words.bos_id)
        written = generate(model.step, cache, start, max_new_tokens=length, stop_ids=[words.eos_id])
        return [words.text(row) for row in written.rows()]


def train_picture_writer(
    scenes: Sequence[Scene], cut: Cut, seed: int, *, steps: int = 300, batch: int = 24
) -> PictureWriter:
    """A model that has seen pictures with their sentences.

    Args:
        scenes: to be drawn and said.
        cut: makes patches.
        seed: of the weights, the pictures and their order.
        steps: of training.
        batch: pictures in each.
    """
    generator = torch.Generator().manual_seed(seed)
    patches = cut(draw(scenes, generator), PATCH)
    texts = language_modeling(scenes)
    orders = [torch.randperm(len(scenes), generator=generator)[:batch] for _ in range(steps)]
    model = PictureWriter(generator)

    def loss(model: PictureWriter, rows: Tensor) -> Tensor:
        return cross_entropy(model(patches[rows], texts.input_ids[rows]), texts.labels[rows])

    train_batches(model, orders, loss, learning_rate=6e-3, progress=False)
    return model


class Matcher(nn.Module):
    """Two encoders of one layer: one for pictures, one for sentences. Each gives one vector of length 1."""

    def __init__(self) -> None:
        super().__init__()
        self.eye, self.of_pictures, self.of_words = Eye(), small_encoder(1), small_encoder(1)

    def see(self, patches: Float[Tensor, "batch patch numbers"]) -> Float[Tensor, "batch d_model"]:
        """The mean of the last states of a picture."""
        return F.normalize(self.of_pictures.run_layers(self.eye(patches)).mean(1), dim=-1)

    def read(self, input_ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch d_model"]:
        """The mean of the last states of a sentence."""
        return F.normalize(self.of_words(input_ids).mean(1), dim=-1)


def contrastive_loss(
    pictures: Float[Tensor, "batch d_model"], sentences: Float[Tensor, "batch d_model"], scale: float = 10.0
) -> Tensor:
    """Each picture must find its own sentence among those of its batch, and each sentence its picture."""
    scores = scale * pictures @ sentences.T
    own = torch.arange(len(scores))
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2


def train_pair(
    patches: Float[Tensor, "picture patch numbers"],
    input_ids: Int[Tensor, "picture position"],
    seed: int,
    *,
    steps: int = 100,
    batch: int = 64,
) -> Matcher:
    """Two encoders that have learned which picture goes with which sentence.

    Args:
        patches: of the pictures.
        input_ids: of their sentences, in the same order.
        seed: of the weights and the batches.
        steps: of training.
        batch: pairs in each.
    """
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = Matcher()
    orders = [torch.randperm(len(patches), generator=generator)[:batch] for _ in range(steps)]

    def loss(model: Matcher, rows: Tensor) -> Tensor:
        return contrastive_loss(model.see(patches[rows]), model.read(input_ids[rows]))

    train_batches(model, orders, loss, learning_rate=6e-3, progress=False)
    return model
