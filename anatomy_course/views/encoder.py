"""Inside an encoder, for notebook 03: a block step by step, a word's nearest words, stacks while they learn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_course.lab.experiments.norm_placement import (
    STEPS,
    WARM_UP,
    DepthRun,
    depth_experiment,
    guessing_loss,
)
from anatomy_course.views.block_stepper.view import BlockStepper, BlockVectors
from anatomy_course.views.depth_lab.view import DepthLab, Report, Setting
from anatomy_course.views.nearest_words.view import NearestWords, WordStates
from anatomy_utils.interpret import activations
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.norm import LayerNorm, Norms
from anatomy_utils.tap import watch
from anatomy_utils.zoo.tokenizer import Tokenizer

JOURNEY = (
    "An apple fell from the tree into the grass.",
    "She ate a banana, a pear and an orange.",
    "Apple released a new phone for developers.",
    "Microsoft and Google sell software and computers.",
    "Time flies like an arrow.",
    "Fruit flies like a banana.",
    "Bees and other insects buzz around the garden.",
    "The plane flies over the city.",
    "He moves fast and runs home.",
)
"""Sentences in which *apple* and *flies* mean different things, and words that go with either meaning."""
LEVEL = "guessing tags by how frequent they are"


def depth_lab(runs: Sequence[DepthRun] = (), *, depths: Sequence[int] = (2, 6, 10, 24)) -> DepthLab:
    """Depth experiments at the press of a button; `runs` that are done already are shown at first."""

    def train(setting: Setting, report: Report) -> None:
        warmup = WARM_UP if setting.warmup else 0
        depth_experiment(setting.depth, setting.norm, warmup, setting.seed, setting.steps, on_step=report)

    return DepthLab(train, depths=depths, steps=STEPS, runs=runs, levels={LEVEL: guessing_loss()})


def block_stepper(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentence: str = "The animal didn't cross the street because it was too tired.",
    *,
    layer: int = 0,
    word: str = "",
) -> BlockStepper:
    """One token through one layer of a post-norm encoder, beside the same weights with their norms moved in front."""

    def compute(text: str, number: int) -> BlockVectors:
        tokens, seen = activations.read_activations(encoder, tokenizer, text)
        before = seen["embeddings.output"] if number == 0 else seen[f"layers.{number - 1}.output"]
        layers: list[Any] = list(encoder.layers)
        return block_of(layers[number], before, tokens)

    tokens = compute(sentence, layer).tokens
    return BlockStepper(
        compute, sentence, num_layers=len(encoder.layers), layer=layer,
        token=list(tokens).index(word) if word in tokens else None,
    )  # fmt: skip


def block_of(
    layer: EncoderLayer, hidden_states: Float[Tensor, "1 position d_model"], tokens: list[str]
) -> BlockVectors:
    """What a post-norm layer makes of its input, and what the same weights make of it pre-norm.

    Raises:
        ValueError: the layer is not post-norm.
    """
    norms = [
        norm
        for norm in (layer.self_attention_norms.after, layer.feed_forward_norms.after)
        if isinstance(norm, LayerNorm)
    ]
    if len(norms) < 2:
        raise ValueError(
            "The layer has no LayerNorm after each sub-layer; give one of a post-norm encoder: MiniLM, say."
        )
    moved = EncoderLayer(
        layer.self_attention,
        layer.feed_forward,
        self_attention_norms=Norms(before=norms[0]),
        feed_forward_norms=Norms(before=norms[1]),
    ).eval()
    with torch.no_grad():
        stages = {"post": _post_norm(layer, hidden_states), "pre": _pre_norm(moved, hidden_states)}
    return BlockVectors(
        tokens,
        {place: {name: vectors[0].numpy() for name, vectors in each.items()} for place, each in stages.items()},
        norms=torch.stack([torch.stack([norm.weight, norm.bias]) for norm in norms]).detach().numpy(),
        epsilon=norms[0].epsilon,
    )


def _post_norm(layer: EncoderLayer, hidden_states: Tensor) -> dict[str, Tensor]:
    with watch(layer) as seen:
        layer(hidden_states)
    fed = layer.feed_forward(seen["after_attention"])
    return {
        "input": hidden_states,
        "attended": seen["self_attention.output"],
        "added": hidden_states + seen["self_attention.output"],
        "normed": seen["after_attention"],
        "fed": fed,
        "added again": seen["after_attention"] + fed,
        "normed again": seen["output"],
    }


def _pre_norm(layer: EncoderLayer, hidden_states: Tensor) -> dict[str, Tensor]:
    with watch(layer) as seen:
        layer(hidden_states)
    return {
        "input": hidden_states,
        "normed": layer.self_attention_norms.before(hidden_states),
        "attended": seen["self_attention.output"],
        "added": seen["after_attention"],
        "normed again": layer.feed_forward_norms.before(seen["after_attention"]),
        "fed": layer.feed_forward(layer.feed_forward_norms.before(seen["after_attention"])),
        "added again": seen["output"],
    }


def nearest_words(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentences: Sequence[str] = JOURNEY,
    *,
    word: str = "apple",
    sentence: int = 3,
    follow: Sequence[str] = ("apple 1", "pear", "fruit", "microsoft", "google"),
) -> NearestWords:
    """The nearest neighbours of a word after every layer, among the words of these sentences and the reader's own.

    Layer 0 is the bare row of the embedding table. Punctuation and the tokenizer's special tokens are left out.
    """
    known: dict[str, tuple[list[str], Tensor]] = {}

    def read(text: str) -> tuple[list[str], Float[Tensor, "layer word d_model"]]:
        tokens, seen = activations.read_activations(encoder, tokenizer, text)
        kept = [i for i, token in enumerate(tokens) if token.strip("#").isalnum()]
        if not kept:
            raise ValueError("The sentence has no word, only signs; type at least one word.")
        after = [seen[f"layers.{i}.output"] for i in range(len(encoder.layers))]
        states = torch.stack([seen["embeddings.tokens"], *after])[:, 0, kept]
        return [tokens[i] for i in kept], states

    def compute(texts: list[str]) -> WordStates:
        known.update({text: read(text) for text in texts if text not in known})
        found = [known[text] for text in texts]
        return WordStates([words for words, _ in found], torch.cat([states for _, states in found], dim=1).numpy())

    if isinstance(sentences, str) or not isinstance(sentences, Iterable):
        raise ValueError(f"Give a list of sentences, not {sentences!r:.60}.")
    return NearestWords(compute, list(sentences), word=word, sentence=sentence, follow=follow)
