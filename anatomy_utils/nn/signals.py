"""Images and sounds as tokens: a signal is cut into pieces, and each piece becomes a vector, as a word does.

From there on the encoder is the one that reads text; it never learns what its tokens were. Published checkpoints
disagree on little: ViT projects patches with a bias, CLIP without one and with a norm afterwards. A mel spectrogram,
which Whisper reads, says for each hundredth of a second how loud each of 80 bands of pitch is.
"""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional import masks
from anatomy_utils.functional.embeddings import image_patches
from anatomy_utils.nn.dropout import dropout_or_nothing, identity
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.tap import tap


class ImagePatches(nn.Module):
    """An image as a row of tokens: a vector for each of its patches, after one that is the same for all.

    Dosovitskiy et al. 2021, section 3.1 (arXiv:2010.11929). The first vector is learned; what the layers make of it
    stands for the whole image, as BERT's [CLS] stands for a text.

    Args:
        image_size: height and width in pixels.
        patch_size: height and width of a patch in pixels; divides image_size.
        d_model: width of the vectors.
        num_channels: numbers in a pixel: 3 for red, green and blue.
        bias: whether the projection of a patch adds a bias.
        norm: applied to the sum with the positions; none by default.
        dropout: probability of dropping a feature of the result while training.

    Raises:
        ValueError: patches of this size do not cover the image.
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        d_model: int,
        *,
        num_channels: int = 3,
        bias: bool = True,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if image_size % patch_size:
            raise ValueError(
                f"Patches of {patch_size} pixels do not cover an image of {image_size}; choose a size that divides it."
            )
        self.image_shape = (num_channels, image_size, image_size)
        self.patch_size = patch_size
        self.patches = nn.Linear(num_channels * patch_size**2, d_model, bias=bias)
        self.first = nn.Parameter(torch.zeros(d_model))
        self.positions = LearnedPositions((image_size // patch_size) ** 2 + 1, d_model)
        self.norm = norm or identity
        self.dropout = dropout_or_nothing(dropout)

    def forward(self, images: Float[Tensor, "batch channel height width"]) -> Float[Tensor, "batch position d_model"]:
        """Taps `patches` (the bare projections) and `output` (the sum with the positions, normalized).

        Raises:
            ValueError: the images are of another size.
        """
        if images.shape[1:] != self.image_shape:
            raise ValueError(
                f"The images have shape {tuple(images.shape)}, but this model reads (batch, channel, height, width) "
                f"with {self.image_shape}; resize them."
            )
        cut = image_patches(images.to(self.first.dtype), self.patch_size)
        patches = tap(self, "patches", self.patches(cut))
        row = torch.cat([self.first.expand(len(images), 1, -1), patches], dim=1)
        row = row + self.positions(torch.arange(row.shape[1], device=row.device))
        return self.dropout(tap(self, "output", self.norm(row)))


class SoundFrames(nn.Module):
    """A mel spectrogram as a row of tokens: two convolutions, the second of which takes every other step.

    Radford et al. 2022, section 2.2 (arXiv:2212.04356). Each vector hears five frames, a twentieth of a second.

    Args:
        num_bands: of pitch, in each frame.
        d_model: width of the vectors.
        positions: positions → vectors to add.
        max_positions: how many vectors there may be; half as many as frames.
        dropout: probability of dropping a feature of the result while training.
    """

    def __init__(
        self,
        num_bands: int,
        d_model: int,
        positions: nn.Module,
        *,
        max_positions: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.listen = nn.Conv1d(num_bands, d_model, kernel_size=3, padding=1)
        self.halve = nn.Conv1d(d_model, d_model, kernel_size=3, stride=2, padding=1)
        self.positions = positions
        self.max_positions = max_positions
        self.dropout = dropout_or_nothing(dropout)

    def forward(self, sound: Float[Tensor, "batch band frame"]) -> Float[Tensor, "batch position d_model"]:
        """Taps `frames` (what the convolutions heard) and `output` (with positions). Two frames make a position.

        Raises:
            ValueError: the frames have another number of bands, or there are too many of them.
        """
        bands, most = self.listen.in_channels, 2 * self.max_positions
        if sound.dim() != 3 or sound.shape[1] != bands or sound.shape[2] > most:
            raise ValueError(
                f"The sound has shape {tuple(sound.shape)}, but this model hears (batch, band, frame) with {bands} "
                f"bands and at most {most} frames; cut or pad it."
            )
        heard = F.gelu(self.halve(F.gelu(self.listen(sound.to(self.listen.weight.dtype)))))
        frames = tap(self, "frames", heard.transpose(1, 2))
        added = self.positions(torch.arange(frames.shape[1], device=frames.device)).to(frames.dtype)
        return self.dropout(tap(self, "output", frames + added))


class SignalEncoder(Encoder):
    """An encoder that reads images or sounds: its tokens are cut out of a signal instead of looked up in a table.

    Its parts are those of `Encoder`, with `ImagePatches` or `SoundFrames` for embeddings.
    """

    def forward(
        self,
        signal: Float[Tensor, "batch ..."],
        attention_mask: Int[Tensor, "batch position"] | Bool[Tensor, "batch position"] | None = None,
        segment_ids: Tensor | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Encode a batch of signals.

        Args:
            signal: what the embeddings take.
            attention_mask: 1 = real, 0 = padding, for each position; all real when left out.
            segment_ids: None: a signal has no segments.

        Raises:
            ValueError: segment_ids were given.
        """
        if segment_ids is not None:
            raise ValueError("segment_ids were given, but an image or a sound has no segments; leave them out.")
        mask = None if attention_mask is None else masks.padding(attention_mask)
        return self.run_layers(self.embeddings(signal), mask)
