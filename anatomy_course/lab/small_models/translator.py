"""Translator: one small encoder–decoder that turns English into French and French into English.

Notebook 06 trains it. The first token of its input says which language to write (as the prefixes of Raffel et al. 2020,
arXiv:1910.10683, say what to do), so that one model and one set of weights serve both directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from anatomy_course.lab.small_models.train import OnStep, train_model
from anatomy_course.lab.street.batches import Batch, TextToText, text_to_text, translation
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.lab.street.words import Language
from anatomy_utils.decoding.beams import beam_search
from anatomy_utils.decoding.generation import generate
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.zoo.recurrent import RecurrentTranslator
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

AnyTranslator = EncoderDecoder | RecurrentTranslator
"""Whatever reads a source once and then writes word by word."""

BATCH = 32
LONGEST = 32
"""Tokens after which a translation is cut off; the street's longest sentence has 19."""


def train_translator(
    seed: int = 0, *, steps: int = 900, on_step: OnStep | None = None, progress: bool = True
) -> tuple[EncoderDecoder, History]:
    """A Transformer of 2 + 2 layers, 64 features wide, that has read each sentence in one direction only.

    Args:
        seed: of the weights and the sentences.
        steps: of 32 sentences each, half of them for either direction.
        on_step: see `train.OnStep`.
        progress: show a bar.
    """
    generator = torch.Generator().manual_seed(seed)
    model = small_transformer(generator)
    examples = in_both_directions(sample_scenes(steps * BATCH, generator, "train"))
    return model, train_model(model, examples, translation_loss, batch_size=BATCH, on_step=on_step, progress=progress)


def small_transformer(
    generator: torch.Generator, *, num_layers: int = 2, d_ff: int = 256, pre_norm: bool = True
) -> EncoderDecoder:
    """An untrained Transformer, 64 features wide, over the street's words; `num_layers` in each of its two stacks."""
    config = TransformerConfig(
        len(street_vocabulary()),
        d_model=64,
        num_layers=num_layers,
        num_decoder_layers=num_layers,
        num_heads=4,
        d_ff=d_ff,
        pre_norm=pre_norm,
        dropout=0.0,
    )
    return transformer(config, generator=generator)


def in_both_directions(scenes: Sequence[Scene]) -> TextToText:
    """The first scene from English to French, the second one from French to English, and so on."""
    inputs, targets = [], []
    for number, scene in enumerate(scenes):
        source, to = ("french", "english") if number % 2 else ("english", "french")
        inputs.append([f"<{to}>", *say(scene, source).tokens])
        targets.append(say(scene, to).tokens)
    return text_to_text(inputs, targets)


def translation_loss(model: AnyTranslator, batch: TextToText) -> torch.Tensor:
    """Cross-entropy of each next token, with the right ones before it as the decoder's input (teacher forcing)."""
    logits = model(batch.input_ids, batch.decoder_input_ids, batch.attention_mask, batch.decoder_attention_mask)
    return cross_entropy(logits, batch.labels)


@torch.no_grad()
def translate(model: AnyTranslator, texts: Batch, *, beams: int = 1) -> list[str]:
    """Write each translation token by token, reading back only what it wrote itself.

    Args:
        model: from `train_translator`.
        texts: from `street.batches`: `translation` for scenes, `to_translate` for what somebody typed.
        beams: how many texts are kept open for each; 1 always takes the likeliest token (greedy).
    """
    vocabulary = street_vocabulary()
    start = torch.full((len(texts), 1), vocabulary.bos_id)
    cache = model.start(texts.input_ids, 1 + LONGEST, attention_mask=texts.attention_mask)
    stop = [vocabulary.eos_id]
    step: Any = model.step
    if beams == 1:
        written = generate(step, cache, start, max_new_tokens=LONGEST, stop_ids=stop)
    else:
        found = beam_search(step, cache, start, num_beams=beams, max_new_tokens=LONGEST, stop_ids=stop)
        written = found.ranked()
    return [vocabulary.text(row) for row in written.rows()]


def translation_exact_match(model: AnyTranslator, scenes: Sequence[Scene], to: Language) -> float:
    """The share of scenes, from 0 to 1, whose translation is right to the last word."""
    written = translate(model, translation(scenes, to))
    return sum(text == str(say(scene, to)) for text, scene in zip(written, scenes, strict=True)) / len(scenes)
