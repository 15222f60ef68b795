"""Eyes and ears: the same stacks, whose tokens are cut out of images and sounds."""

from __future__ import annotations

from typing import Any

from anatomy_utils.taxonomy.row import ModelFacts, Size


def _vit(d_model: int, num_layers: int, num_heads: int, patch_size: int = 16, **more: Any) -> dict[str, Any]:
    """The entries of a ViT's `config.json`."""
    return {
        "hidden_size": d_model,
        "num_hidden_layers": num_layers,
        "num_attention_heads": num_heads,
        "intermediate_size": 4 * d_model,
        "image_size": 224,
        "patch_size": patch_size,
    } | more


def _clip(text: tuple[int, int], image: dict[str, Any], d_shared: int) -> dict[str, Any]:
    """The entries of a CLIP's `config.json`; of the text tower, its width and heads."""
    d_model, num_heads = text
    words = {
        "vocab_size": 49408,
        "hidden_size": d_model,
        "num_hidden_layers": 12,
        "num_attention_heads": num_heads,
        "intermediate_size": 4 * d_model,
        "max_position_embeddings": 77,
    }
    return {"text_config": words, "vision_config": image, "projection_dim": d_shared}


def _whisper(d_model: int, num_layers: int, num_heads: int, **more: Any) -> dict[str, Any]:
    """The entries of a Whisper's `config.json`."""
    return {
        "vocab_size": 51865,
        "d_model": d_model,
        "encoder_layers": num_layers,
        "decoder_layers": num_layers,
        "encoder_attention_heads": num_heads,
        "decoder_attention_heads": num_heads,
        "encoder_ffn_dim": 4 * d_model,
        "decoder_ffn_dim": 4 * d_model,
        "num_mel_bins": 80,
        "max_source_positions": 1500,
        "max_target_positions": 448,
    } | more


SENSES = (
    ModelFacts(
        "ViT",
        2020,
        "BERT",
        "2010.11929",
        "patches of an image for words",
        "vit",
        "ViTForImageClassification",
        (
            Size("Base/16", _vit(768, 12, 12, num_labels=1000), 86_567_656),
            Size("Large/16", _vit(1024, 24, 16, num_labels=1000), 304_326_632),
        ),
        branch="encoder",
        objectives=(),
        note="It learns labels of images. An image is always 197 positions long: 14 by 14 patches and one before them.",
    ),
    ModelFacts(
        "CLIP",
        2021,
        "ViT",
        "2103.00020",
        "a text tower beside it, one space for both",
        "clip",
        "CLIPModel",
        (
            Size("B/32", _clip((512, 8), _vit(768, 12, 12, 32), 512), 151_277_313),
            Size("B/16", _clip((512, 8), _vit(768, 12, 12), 512), 149_620_737),
            Size("L/14", _clip((768, 12), _vit(1024, 24, 16, 14), 768), 427_616_513),
        ),
        branch="encoder",
        objectives=(),
        note="It learns which caption belongs to which image of a batch. Its text tower sees only the past, as GPT's.",
    ),
    ModelFacts(
        "Whisper",
        2022,
        "Transformer",
        "2212.04356",
        "listens to sound, pre-norm",
        "whisper",
        "WhisperForConditionalGeneration",
        (
            Size("tiny", _whisper(384, 4, 6), 0),
            Size("base", _whisper(512, 6, 8), 0),
            Size("small", _whisper(768, 12, 12), 0),
            Size("medium", _whisper(1024, 24, 16), 0),
            Size("large v3", _whisper(1280, 32, 20, num_mel_bins=128, vocab_size=51866), 0),
        ),
        branch="encoder–decoder",
        objectives=("translation pairs",),
        note="Sound in, text out, in its own language or in English. The paper states 39, 74, 244, 769 and 1550 "
        "million parameters; the published files hold a little less, and of that these counts leave out the waves of "
        "the encoder's positions, which nobody trains.",
    ),
)
