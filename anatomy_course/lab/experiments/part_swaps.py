"""Part swaps: what a trained model does with one modern part at a time in its form of 2017.

The weights were trained for the modern part, so this does not tell which part is the better one. What breaks is
measured by perplexity on plain English and on the street, and seen in what the model writes. Notebook 04 shows it with
SmolLM2; `parts_of_2017` holds the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F
from tqdm.auto import tqdm

from anatomy_course.figures.canvas import three_digits
from anatomy_course.lab.experiments.parts_of_2017 import PART_SWAPS, with_part_of_2017
from anatomy_course.page.page import CellOutput, table
from anatomy_utils.decoding.generation import generate
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

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
        model: as in `swapped`.
        tokenizer: the one that it was trained with.
        name: of the swap.
        prompt: to go on from.

    Raises:
        ValueError: as `swapped`.
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
        model: as in `swapped`.
        tokenizer: the one that it was trained with.
        names: of the swaps; all of them when left out.
        prompt: to go on from.
        progress: show a bar.

    Raises:
        ValueError: as `swapped`.
    """
    bar = tqdm(["", *names], disable=not progress, unit="part", leave=False)
    results = tuple(measure_swap(model, tokenizer, name, prompt=prompt) for name in bar)
    return SwapReport(prompt, model.vocabulary.out_features, results)
