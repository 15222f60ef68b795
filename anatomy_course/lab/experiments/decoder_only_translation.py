"""Translation by an encoder–decoder and by a decoder alone, which reads source and target as one text.

A decoder needs no encoder to translate. `<french> the dog … . <bos> le chien … .` is one text, and its second half is
what follows from the first. Under the causal mask each English word sees only those before it; under the prefix mask
the English words all see each other, as they do in an encoder (Raffel et al. 2020, section 3.2, arXiv:1910.10683).

All else is equal: width, parts, words, sentences, steps, and nearly the number of parameters. Only the French words are
learnt from. Notebook 07.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from anatomy_course.lab.small_models import translator
from anatomy_course.lab.small_models.train import BATCH, OnStep, train_model
from anatomy_course.lab.street.batches import Batch, TextToText, padded, to_translate, translation
from anatomy_course.lab.street.inventory import MinimalPair
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import BOS, EOS, street_vocabulary
from anatomy_utils.decoding.generation import generate
from anatomy_utils.decoding.steps import SeenIds, uncached
from anatomy_utils.functional.masks import Mask, causal
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.objectives.prefix_lm import PrefixMask, prefix_lm_batch
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import IGNORE, cross_entropy

LEARNING_RATE = 7e-3
D_MODEL, NUM_HEADS = 64, 4
NUM_LAYERS, D_FF = 4, 320
"""Of the decoder alone. An encoder layer and a decoder layer with cross-attention have (4 + 8) and (8 + 8) · d_model²
parameters, two layers of this width 2 · (4 + 10) · d_model²: as many."""


class DecoderOnlyTranslator(nn.Module):
    """A decoder that goes on with a text whose beginning it may read in both directions.

    Args:
        decoder: the stack; its layers have no cross-attention.
        vocabulary: from d_model to vocab_size; shares its weight with the token table.
        sees_prefix: whether the words of the prefix all see each other; else every word sees only those before it.
    """

    def __init__(self, decoder: Decoder, vocabulary: nn.Linear, *, sees_prefix: bool) -> None:
        super().__init__()
        self.decoder = decoder
        self.vocabulary = vocabulary
        self.vocabulary.weight = decoder.embeddings.tokens.weight
        self.prefix_mask = PrefixMask() if sees_prefix else None

    def mask(self, prefix_lengths: Int[Tensor, " batch"], length: int) -> Mask:
        """What each position may attend to."""
        return causal(length) if self.prefix_mask is None else self.prefix_mask(prefix_lengths, length)

    def forward(
        self,
        input_ids: Int[Tensor, "batch position"],
        prefix_lengths: Int[Tensor, " batch"],
        asked: Bool[Tensor, "batch position"] | None = None,
    ) -> Float[Tensor, "*asked vocab_size"]:
        """The logits of what follows each position, or only those that are asked for.

        Args:
            input_ids: prefix and what follows it; padding, if any, stands at the end, where nothing before looks.
            prefix_lengths: how many tokens of each row are its prefix.
            asked: the positions whose logits are wanted, in a row one after the other; all when left out.
        """
        mask = self.mask(prefix_lengths, input_ids.shape[1])
        hidden_states = self.decoder.run_layers(self.decoder.embeddings(input_ids), mask, causal=False)
        return self.vocabulary(hidden_states if asked is None else hidden_states[asked])


AnyDesign = EncoderDecoder | DecoderOnlyTranslator

DESIGNS = ("encoder–decoder", "causal decoder", "prefix decoder")


@dataclass(frozen=True)
class JoinedTexts(Batch):
    """Source and target in one row: <french> English words <bos> French words <eos>.

    Attributes:
        prefix_lengths: (batch), how many tokens are given: all up to <bos>.
    """

    prefix_lengths: Int[Tensor, " batch"]


def join_texts(scenes: Sequence[Scene]) -> JoinedTexts:
    """Scenes in English and then in French, as texts to go on with."""
    given = [["<french>", *say(scene, "english").tokens, BOS] for scene in scenes]
    wanted = [[*say(scene, "french").tokens, EOS] for scene in scenes]
    texts = padded([first + second for first, second in zip(given, wanted, strict=True)])
    return JoinedTexts(*texts, torch.tensor([len(first) for first in given]))


def new_design(design: str, generator: torch.Generator) -> AnyDesign:
    """A model that has learnt nothing yet.

    Args:
        design: one of `DESIGNS`.
        generator: the source of its weights.

    Raises:
        ValueError: there is no such design.
    """
    if design not in DESIGNS:
        raise ValueError(f"The designs are {', '.join(map(repr, DESIGNS))}; there is no {design!r}.")
    if design == DESIGNS[0]:
        return translator.small_transformer(generator)
    layers = [
        DecoderLayer(
            MultiHeadAttention(D_MODEL, NUM_HEADS),
            FeedForward(D_MODEL, D_FF),
            self_attention_norms=NormPlaces(before=LayerNorm(D_MODEL)),
            feed_forward_norms=NormPlaces(before=LayerNorm(D_MODEL)),
        )
        for _ in range(NUM_LAYERS)
    ]
    size = len(street_vocabulary())
    embeddings = Embeddings(size, D_MODEL, SinusoidalPositions(D_MODEL), scale=sqrt(D_MODEL))
    model = DecoderOnlyTranslator(
        Decoder(embeddings, layers, norm=LayerNorm(D_MODEL)),
        nn.Linear(D_MODEL, size, bias=False),
        sees_prefix=design == DESIGNS[2],
    )
    for name, parameter in model.named_parameters():  # as the 2017 Transformer's
        if "tokens" in name:
            nn.init.normal_(parameter, std=D_MODEL**-0.5, generator=generator)
        elif parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter, generator=generator)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


def train_design(
    design: str, seed: int = 0, *, steps: int = 500, on_step: OnStep | None = None, progress: bool = True
) -> tuple[AnyDesign, History]:
    """A model of one design that has learnt to put English into French.

    Args:
        design: one of `DESIGNS`.
        seed: of the weights and the sentences, which are the same for all designs.
        steps: of 32 sentences each.
        on_step: see `train.OnStep`.
        progress: show a bar.
    """
    model = new_design(design, torch.Generator().manual_seed(seed))
    scenes = sample_scenes(steps * BATCH, torch.Generator().manual_seed(seed), "train")
    history = train_model(
        model,
        texts_for_design(model, scenes),
        design_loss,
        learning_rate=LEARNING_RATE,
        on_step=on_step,
        progress=progress,
    )
    return model, history


def texts_for_design(model: AnyDesign, scenes: Sequence[Scene]) -> TextToText | JoinedTexts:
    """Scenes to be translated, in the form that this design reads: two texts, or one."""
    return translation(scenes, "french") if isinstance(model, EncoderDecoder) else join_texts(scenes)


class TargetPredictions(NamedTuple):
    """Every place where a French word (or the end) is to be written, one after the other.

    Attributes:
        logits: what the model expects there.
        right: the id of what belongs there.
        row: which sentence it is in.
    """

    logits: Float[Tensor, "place vocab_size"]
    right: Int[Tensor, " place"]
    row: Int[Tensor, " place"]


def predict_targets(model: AnyDesign, batch: TextToText | JoinedTexts) -> TargetPredictions:
    """What the model expects at each place, with the right words before it as input (teacher forcing)."""
    if isinstance(batch, TextToText):
        inputs = (batch.input_ids, batch.decoder_input_ids, batch.attention_mask, batch.decoder_attention_mask)
        labels, asked = batch.labels, batch.labels != IGNORE
        logits = model(*inputs)[asked]
    else:
        input_ids, labels, _ = prefix_lm_batch(batch.input_ids, batch.prefix_lengths, batch.attention_mask)
        asked = labels != IGNORE
        logits = model(input_ids, batch.prefix_lengths, asked)
    return TargetPredictions(logits, labels[asked], asked.nonzero()[:, 0])


def design_loss(model: AnyDesign, batch: TextToText | JoinedTexts) -> Tensor:
    """Cross-entropy of each French word."""
    expected = predict_targets(model, batch)
    return cross_entropy(expected.logits, expected.right)


@torch.no_grad()
def share_of_right_sentences(model: AnyDesign, scenes: Sequence[Scene]) -> float:
    """The share of scenes, from 0 to 1, whose French the model writes right to the last word (greedy choice).

    Nothing has to be written for it: a text comes out right exactly when the likeliest word is the right one at each
    place behind the right words.
    """
    expected = predict_targets(model, texts_for_design(model, scenes))
    wrong = expected.row[expected.logits.argmax(-1) != expected.right]
    return 1 - len(wrong.unique()) / len(scenes)


@torch.no_grad()
def share_of_right_pronouns(model: AnyDesign, pairs: Sequence[MinimalPair]) -> float:
    """The share of right choices between *il* and *elle*, behind the right words; 0.5 is guessing.

    Args:
        model: from `train_design`.
        pairs: with nouns of different gender, from `sample_minimal_pairs(…, different_gender=True)`.
    """
    scenes = [scene for pair in pairs for scene in (pair.about_subject, pair.about_object)]
    expected = predict_targets(model, texts_for_design(model, scenes))
    il, elle = street_vocabulary().ids(["il", "elle"])
    asked = (expected.right == il) | (expected.right == elle)
    says_il = expected.logits[asked, il] > expected.logits[asked, elle]
    return (says_il == (expected.right[asked] == il)).float().mean().item()


def translate_with_design(model: AnyDesign, text: str) -> str:
    """Put an English sentence of the street into French, word by word, by either design.

    Raises:
        ValueError: words that the street does not know.
    """
    batch, vocabulary = to_translate(text, "french"), street_vocabulary()
    if isinstance(model, EncoderDecoder):
        return translator.translate(model, batch)[0]
    prompt = torch.cat([batch.input_ids, torch.tensor([[vocabulary.bos_id]])], dim=1)
    prefix_lengths = torch.tensor([prompt.shape[1]])
    step = uncached(lambda ids: model(ids, prefix_lengths))
    written = generate(step, SeenIds(), prompt, max_new_tokens=translator.LONGEST, stop_ids=[vocabulary.eos_id])
    return vocabulary.text(written.rows()[0])


@torch.no_grad()
def count_multiplications(model: AnyDesign, scene: Scene) -> int:
    """How many multiplications all linear layers together make to read one scene and write its translation.

    Attention's own products are left out; in texts this short they are few.
    """
    counted: list[int] = []

    def count(layer: nn.Linear, _: object, output: Tensor) -> None:
        counted.append(output.numel() * layer.in_features)

    handles = [layer.register_forward_hook(count) for layer in model.modules() if isinstance(layer, nn.Linear)]
    try:
        predict_targets(model, texts_for_design(model, [scene]))
    finally:
        for handle in handles:
            handle.remove()
    return sum(counted)
