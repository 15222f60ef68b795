"""CLIP: an image and a sentence meet in one space.

Radford et al. 2021 (arXiv:2103.00020), section 2.4. Two towers, a ViT and a small GPT, learn from 400 million images
with their captions that the vectors of what belongs together point the same way. Surprises in its checkpoints: a norm
in front of the image's layers as well, the GELU of an early draft (x · σ(1.702 x)), and a text tower that sees only its
past, though nothing is written with it; so the last token, the end of the text, speaks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import Activation, quick_gelu
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.nn.signals import ImagePatches, SignalEncoder
from anatomy_utils.zoo.checkpoint import KeyMap, Pair, part, projections, sub_layers
from anatomy_utils.zoo.family import USUAL, Family, numbers, read

ACTIVATIONS: dict[str, Activation] = {"quick_gelu": quick_gelu, "gelu": F.gelu}


@dataclass(frozen=True)
class TowerConfig:
    """The numbers of one tower."""

    d_model: int
    num_layers: int
    num_heads: int
    d_ff: int
    activation: str = "quick_gelu"
    norm_epsilon: float = 1e-5
    attention_dropout: float | int = 0.0


Tower = TypeVar("Tower", bound=TowerConfig)


@dataclass(frozen=True)
class TextConfig(TowerConfig):
    """The numbers of the tower that reads texts; the defaults are those of ViT-B/32."""

    d_model: int = 512
    num_layers: int = 12
    num_heads: int = 8
    d_ff: int = 2048
    vocab_size: int = 49408
    max_positions: int = 77
    end_id: int = 49407
    """The token whose vector speaks for the text; 2 in old files, which mean the largest id of a text."""


@dataclass(frozen=True)
class ImageConfig(TowerConfig):
    """The numbers of the tower that looks at images; the defaults are those of ViT-B/32."""

    d_model: int = 768
    num_layers: int = 12
    num_heads: int = 12
    d_ff: int = 3072
    image_size: int = 224
    patch_size: int = 32
    num_channels: int = 3


@dataclass(frozen=True)
class ClipConfig:
    """The numbers of a CLIP; the defaults are those of ViT-B/32."""

    text: TextConfig = TextConfig()
    image: ImageConfig = ImageConfig()
    d_shared: int = 512
    """Width of the vectors in which both meet."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> ClipConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as CLIP has it here."""
        text, image = read(config, "text_config", "vision_config")
        words = "vocab_size max_positions=max_position_embeddings end_id=eos_token_id"
        return cls(
            _tower_of(TextConfig, {"eos_token_id": 49407} | text, words),
            _tower_of(ImageConfig, {"num_channels": 3} | image, "image_size patch_size num_channels"),
            config.get("projection_dim", 512),
        )


def _tower_of(kind: type[Tower], config: Mapping[str, Any], needed: str) -> Tower:
    """The numbers in one half of a `config.json`; ValueError where one is missing, or the activation is another."""
    activation = config.get("hidden_act", "quick_gelu")
    if activation not in ACTIVATIONS:
        raise ValueError(f"hidden_act is {activation!r}, but CLIP here has {' or '.join(map(repr, ACTIVATIONS))}.")
    optional = "activation=hidden_act norm_epsilon=layer_norm_eps attention_dropout"
    return kind(**numbers(config, f"{USUAL.removeprefix('vocab_size ')} {needed}", optional))


class Matches(NamedTuple):
    """How well images and texts go together, and the vectors that say so."""

    by_image: Float[Tensor, "image text"]
    """A logit for each pair; a softmax over a row chooses a text for an image."""
    by_text: Float[Tensor, "text image"]
    texts: Float[Tensor, "text d_shared"]
    """Of length 1, as those of the images."""
    images: Float[Tensor, "image d_shared"]


class TwoTowers(nn.Module):
    """A text and an image, each read by a stack of its own and projected into one space, where angles are compared.

    Args:
        text: reads texts.
        image: looks at images.
        d_text, d_image: widths of their vectors.
        d_shared: width of the common space.
        end_id: the token whose vector speaks for a text.
    """

    def __init__(
        self, text: Decoder, image: SignalEncoder, *, d_text: int, d_image: int, d_shared: int, end_id: int
    ) -> None:
        super().__init__()
        self.text, self.image = text, image
        self.from_text = nn.Linear(d_text, d_shared, bias=False)
        self.from_image = nn.Linear(d_image, d_shared, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(2.6592))
        self.end_id = end_id

    def forward(
        self,
        input_ids: Int[Tensor, "text position"],
        images: Float[Tensor, "image channel height width"],
        attention_mask: Int[Tensor, "text position"] | None = None,
    ) -> Matches:
        """Every text with every image.

        Args:
            input_ids: each text ends with `end_id`.
            images: of the size that the image tower reads.
            attention_mask: of the texts: 1 = real token, 0 = padding.
        """
        texts, seen = self.text_vectors(input_ids, attention_mask), self.image_vectors(images)
        by_text = texts @ seen.T * self.log_scale.exp()
        return Matches(by_text.T, by_text, texts, seen)

    def text_vectors(
        self, input_ids: Int[Tensor, "text position"], attention_mask: Int[Tensor, "text position"] | None = None
    ) -> Float[Tensor, "text d_shared"]:
        """A vector of length 1 for each text."""
        ends = input_ids if self.end_id == 2 else (input_ids == self.end_id).int()
        rows = torch.arange(len(input_ids), device=input_ids.device)
        last = self.text(input_ids, attention_mask)[rows, ends.argmax(dim=1)]
        return F.normalize(self.from_text(last), dim=-1)

    def image_vectors(self, images: Float[Tensor, "image channel height width"]) -> Float[Tensor, "image d_shared"]:
        """A vector of length 1 for each image."""
        return F.normalize(self.from_image(self.image(images)[:, 0]), dim=-1)


def clip(config: ClipConfig) -> TwoTowers:
    """A CLIP of the given size, with fresh weights."""
    text, image = config.text, config.image

    def parts(tower: TowerConfig) -> dict[str, Any]:
        return {
            "self_attention": MultiHeadAttention(tower.d_model, tower.num_heads, dropout=tower.attention_dropout),
            "feed_forward": FeedForward(tower.d_model, tower.d_ff, activation=ACTIVATIONS[tower.activation]),
            "self_attention_norms": NormPlaces(before=norm(tower)),
            "feed_forward_norms": NormPlaces(before=norm(tower)),
        }

    def norm(tower: TowerConfig) -> LayerNorm:
        return LayerNorm(tower.d_model, tower.norm_epsilon)

    tokens = Embeddings(text.vocab_size, text.d_model, LearnedPositions(text.max_positions, text.d_model))
    patches = ImagePatches(
        image.image_size,
        image.patch_size,
        image.d_model,
        num_channels=image.num_channels,
        bias=False,
        norm=norm(image),
    )
    return TwoTowers(
        Decoder(tokens, [DecoderLayer(**parts(text)) for _ in range(text.num_layers)], norm=norm(text)),
        SignalEncoder(patches, [EncoderLayer(**parts(image)) for _ in range(image.num_layers)], norm(image)),
        d_text=text.d_model,
        d_image=image.d_model,
        d_shared=config.d_shared,
        end_id=text.end_id,
    )


def _tower(published: str, ours: str) -> list[Pair]:
    """Pairs for the layers of a tower."""
    layer = published + r"\.encoder\.layers\.(\d+)\."
    return [
        *projections(layer + r"self_attn\.", "q_proj k_proj v_proj out_proj", ours + r".layers.\1.self_attention."),
        *sub_layers(layer, "before", r"layer_norm1 layer_norm2 mlp\.fc1 mlp\.fc2", ours + r".layers.\1."),
        (published + r"\.embeddings\.position_embedding\.weight", ours + ".embeddings.positions.table.weight"),
    ]


TASKS = {
    "Model": KeyMap(
        rename=[
            (r"text_model\.embeddings\.token_embedding\.weight", "text.embeddings.tokens.weight"),
            *_tower("text_model", "text"),
            part(r"text_model\.final_layer_norm", "text.norm"),
            (r"vision_model\.embeddings\.class_embedding", "image.embeddings.first"),
            (r"vision_model\.embeddings\.patch_embedding\.weight", "image.embeddings.patches.weight"),
            part(r"vision_model\.pre_layrnorm", "image.embeddings.norm"),
            *_tower("vision_model", "image"),
            part(r"vision_model\.post_layernorm", "image.norm"),
            (r"text_projection\.weight", "from_text.weight"),
            (r"visual_projection\.weight", "from_image.weight"),
            (r"logit_scale", "log_scale"),
        ],
        ignore=[r"\w+\.embeddings\.position_ids"],  # the numbers 0, 1, 2 … that old files stored
        change=[(r".*patch_embedding\.weight", lambda kernel: kernel.flatten(1))],  # stored as a convolution
    )
}

FAMILY = Family("CLIP", ClipConfig.from_published, lambda config, task: clip(config), TASKS)
