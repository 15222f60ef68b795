"""Part swaps: what a trained model does with one modern part at a time in the form that it had in the first paper.

`with with_part_of_2017(model, "post-norm"):` runs a Llama so; its weights, which were trained for the modern part, stay
as they are, so this does not tell which part is the better one. What breaks is measured by perplexity on plain English
and on the street, and seen in what the model writes. Notebook 05 shows it with SmolLM2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from tqdm.auto import tqdm

from anatomy_course.figures.canvas import three_digits
from anatomy_course.lab.transplant.operations import transplant
from anatomy_course.page.page import CellOutput, table
from anatomy_utils.decoding.generation import generate
from anatomy_utils.functional.layers import post_norm
from anatomy_utils.functional.norm import layer_norm
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.zoo.tokenizer import Tokenizer


@dataclass(frozen=True)
class PartSwap:
    """One modern part and its form of 2017.

    Attributes:
        part: what it is a part of.
        modern: the part that a Llama has.
        of_2017: what takes its place.
        note: one sentence about what is exchanged and what stays.
        inside: model → a context in which the model runs with the exchanged part.
    """

    part: str
    modern: str
    of_2017: str
    note: str
    inside: Callable[[LanguageModel], AbstractContextManager[None]]


def with_part_of_2017(model: LanguageModel, name: str) -> AbstractContextManager[None]:
    """Run a Llama with one part in its form of 2017 inside the `with` block.

    Args:
        model: with RMSNorm before each sub-layer, rotary positions and gated feed-forward networks, such as SmolLM2.
        name: one of `PART_SWAPS`; "" leaves the model as it is.

    Raises:
        ValueError: there is no such swap, or the model does not have the modern part.
    """
    if not name:
        return nullcontext()
    if name not in PART_SWAPS:
        raise ValueError(f"There is no swap {name!r}; choose one of {', '.join(map(repr, PART_SWAPS))}.")
    return PART_SWAPS[name].inside(model)


def _layer_norm(model: LanguageModel) -> AbstractContextManager[None]:
    def without_shift(hidden_states: Tensor, weight: Tensor, epsilon: float) -> Tensor:
        return layer_norm(hidden_states, weight, torch.zeros_like(weight), epsilon)

    return transplant(model, rms_norm=without_shift)


def _no_positions(model: LanguageModel) -> AbstractContextManager[None]:
    return transplant(model, rotary=lambda vectors, cosines, sines: vectors)


class _Waves(SinusoidalPositions):
    """Waves as large against the token table's rows as in 2017, whose rows had features of variance 1."""

    def __init__(self, table: Float[Tensor, "vocab_size d_model"]) -> None:
        super().__init__(table.shape[1])
        self.size = table.detach().square().mean().sqrt()

    def forward(self, positions: Int[Tensor, "*batch position"]) -> Float[Tensor, "*batch position d_model"]:
        return super().forward(positions) * self.size


@contextmanager
def _sinusoids(model: LanguageModel) -> Iterator[None]:
    embeddings = model.decoder.embeddings
    with _no_positions(model), _in_place(embeddings, "positions", _Waves(embeddings.tokens.weight)):
        yield


def _ungated(model: LanguageModel) -> AbstractContextManager[None]:
    def feed_forward(hidden_states: Tensor, gate: Tensor, expand: Tensor, contract: Tensor) -> Tensor:
        return F.relu(hidden_states @ expand) @ contract

    return transplant(model, gated_feed_forward=feed_forward)


@contextmanager
def _own_keys(model: LanguageModel) -> Iterator[None]:
    layers: Sequence[Any] = tuple(model.decoder.layers)
    if all(layer.self_attention.num_kv_heads == layer.self_attention.num_heads for layer in layers):
        raise ValueError("Every query head of this model has its own keys and values already; there is nothing to do.")
    grouped = [layer.self_attention for layer in layers]
    for layer, attention in zip(layers, grouped, strict=True):
        layer.self_attention = with_keys_for_each_head(attention)
    try:
        yield
    finally:
        for layer, attention in zip(layers, grouped, strict=True):
            layer.self_attention = attention


@torch.no_grad()
def with_keys_for_each_head(attention: MultiHeadAttention) -> MultiHeadAttention:
    """The same attention with a key/value head of its own for every query head: a copy of the one that it shared.

    It gives back the same and keeps num_heads / num_kv_heads times as much of each position.
    """
    copied = attention.num_heads // attention.num_kv_heads
    full = MultiHeadAttention(
        attention.to_query.in_features,
        attention.num_heads,
        d_head=attention.d_head,
        bias=attention.to_key.bias is not None,
        dropout=attention.dropout,
        scale=attention.scale,
    ).train(attention.training)
    full.to_query, full.to_output = attention.to_query, attention.to_output
    for name in ("to_key", "to_value"):
        shared, own = getattr(attention, name), getattr(full, name)
        for parameter, copy in zip(shared.parameters(), own.parameters(), strict=True):
            heads = parameter.unflatten(0, (attention.num_kv_heads, attention.d_head))
            copy.copy_(heads.repeat_interleave(copied, dim=0).flatten(0, 1))
    return full


@contextmanager
def _post_norm(model: LanguageModel) -> Iterator[None]:
    with transplant(model, pre_norm=post_norm), _in_place(model.decoder, "norm", nn.Identity()):
        yield


@contextmanager
def _in_place(module: nn.Module, name: str, part: nn.Module) -> Iterator[None]:
    """Another part under that name for a while."""
    before = getattr(module, name)
    setattr(module, name, part)
    try:
        yield
    finally:
        if not isinstance(before, nn.Module):  # or else torch goes on listing it among the parts
            delattr(module, name)
        setattr(module, name, before)


PART_SWAPS = {
    "LayerNorm": PartSwap(
        "norm", "RMSNorm", "LayerNorm", "The same stretch of each feature; the mean is subtracted too, the shift is 0.",
        _layer_norm,
    ),
    "no positions": PartSwap(
        "positions", "rotary", "none", "Queries and keys are not turned: only the causal mask tells the order.",
        _no_positions,
    ),
    "sinusoids": PartSwap(
        "positions", "rotary", "sinusoidal, added",
        "Queries and keys are not turned; waves are added to the embeddings, as large against them as in 2017.",
        _sinusoids,
    ),
    "ReLU": PartSwap(
        "feed-forward", "SwiGLU", "ReLU", "The gate is gone: relu(x · expand) · contract.", _ungated,
    ),
    "multi-head": PartSwap(
        "heads", "grouped-query", "multi-head",
        "Every query head gets its own copy of the keys and values that it shared: the same text, a larger cache.",
        _own_keys,
    ),
    "post-norm": PartSwap(
        "order", "pre-norm", "post-norm", "The same norms after each sum instead of before each sub-layer, none at "
        "the end.", _post_norm,
    ),
}  # fmt: skip
"""Name → swap."""


PROMPT = "Thanks for lunch, I had a"
NEW_TOKENS = 6
PLAIN = (
    "The children went to the park because the weather was warm.",
    "She put the keys on the table and forgot where they were.",
    "My brother works in a small shop near the train station.",
    "We had bread, cheese and a glass of water for lunch.",
    "The train was late, so they missed the first part of the film.",
    "He reads the newspaper every morning before he goes to work.",
    "The teacher asked a question, but nobody knew the answer.",
    "It rained all night and the river rose over its banks.",
    "Last summer we drove to the sea and stayed there for a week.",
    "When the sun went down, the streets became quiet.",
)
"""Plain English of our own."""
STREET = (
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "The truck couldn't cross the river because it was too weak.",
    "The red hedgehog couldn't cross the bay because it was too dangerous.",
    "The bird didn't cross the beautiful bridge because it was too busy.",
    "The horse refused the black cake because it was too dry.",
    "The car avoided the boulevard because it was too weak.",
    "The green goat didn't cross the red motorway because it was too muddy.",
    "The bus left the white school because it was too dangerous.",
    "The white cow couldn't eat the salad because it was too big.",
)
"""Sentences of the street: the same grammar again and again, and reasons that seldom stand in books."""


@dataclass(frozen=True)
class SwapResult:
    """What a model does with one swap.

    Attributes:
        name: of the swap; "" for the model as it is.
        plain: perplexity of `PLAIN`.
        street: perplexity of `STREET`.
        continuation: what it writes after the prompt, always the likeliest token.
        cache_bytes: keys and values that it keeps of each position.
    """

    name: str
    plain: float
    street: float
    continuation: str
    cache_bytes: int


def measure_swap(model: LanguageModel, tokenizer: Tokenizer, name: str = "", *, prompt: str = PROMPT) -> SwapResult:
    """Measure a model with one swap; "" is the model as it is.

    Args:
        model: as in `with_part_of_2017`.
        tokenizer: the one that it was trained with.
        name: of the swap.
        prompt: to go on from.

    Raises:
        ValueError: as `with_part_of_2017`.
    """
    texts = _Texts(tokenizer, (*PLAIN, *STREET))
    prompt_ids = tokenizer(prompt).input_ids
    with torch.inference_mode(), with_part_of_2017(model, name):
        surprise = texts.surprise(model)
        cache = model.start(1, prompt_ids.shape[1] + NEW_TOKENS)
        written = generate(model.step, cache, prompt_ids, max_new_tokens=NEW_TOKENS)
    is_street = texts.rows >= len(PLAIN)
    return SwapResult(
        name,
        plain=_perplexity(surprise[~is_street]),
        street=_perplexity(surprise[is_street]),
        continuation=tokenizer.decode(written.new_ids[0]),
        cache_bytes=cache.advanced(1).bytes,
    )


def _perplexity(surprise: Float[Tensor, " token"]) -> float:
    return surprise.double().mean().exp().item()  # float32 ends at e^88


class _Texts:
    """Sentences side by side, padded at the end; `rows` tells which sentence each counted token belongs to."""

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str]) -> None:
        ids = [tokenizer(text).input_ids[0] for text in texts]
        self.input_ids = nn.utils.rnn.pad_sequence(ids, batch_first=True)
        lengths = torch.tensor([len(each) for each in ids])
        self.attention_mask = (torch.arange(self.input_ids.shape[1]) < lengths[:, None]).long()
        self._counts = self.attention_mask[:, 1:].bool()  # before the first token stands nothing to guess it from
        self.rows = self._counts.nonzero()[:, 0]

    def surprise(self, model: LanguageModel) -> Float[Tensor, " token"]:
        """−log p of every token but the first ones."""
        states = model.decoder(self.input_ids, self.attention_mask)[:, :-1][self._counts]
        return F.cross_entropy(model.vocabulary(states), self.input_ids[:, 1:][self._counts], reduction="none")


@dataclass(frozen=True)
class SwapReport:
    """The model as it is, and with each of some swaps; printed, a table.

    Attributes:
        prompt: what the continuations go on from.
        vocab_size: the perplexity of blind guessing.
        results: the first is the model as it is.
    """

    prompt: str
    vocab_size: int
    results: tuple[SwapResult, ...]

    def __getitem__(self, name: str) -> SwapResult:
        """The result of that swap; "" for the model as it is."""
        return next(result for result in self.results if result.name == name)

    def table(self) -> CellOutput:
        """One row per result: two perplexities, the bytes kept per token, and what the model says."""
        rows = [
            (one.name or "as it is", three_digits(one.plain), three_digits(one.street), f"{one.cache_bytes:,} B",
             f"{one.continuation!r}"[:60])
            for one in self.results
        ]  # fmt: skip
        return table("", ("", "plain", "street", "cache", repr(f"{self.prompt} …")), rows, words=(4,))

    def __str__(self) -> str:
        return self.table().text


def measure_swaps(
    model: LanguageModel,
    tokenizer: Tokenizer,
    names: Sequence[str] = tuple(PART_SWAPS),
    *,
    prompt: str = PROMPT,
    progress: bool = True,
) -> SwapReport:
    """Measure a model as it is and with each of the swaps, one at a time.

    Args:
        model: as in `with_part_of_2017`.
        tokenizer: the one that it was trained with.
        names: of the swaps; all of them when left out.
        prompt: to go on from.
        progress: show a bar.

    Raises:
        ValueError: as `with_part_of_2017`.
    """
    bar = tqdm(["", *names], disable=not progress, unit="part", leave=False)
    results = tuple(measure_swap(model, tokenizer, name, prompt=prompt) for name in bar)
    return SwapReport(prompt, model.vocabulary.out_features, results)
