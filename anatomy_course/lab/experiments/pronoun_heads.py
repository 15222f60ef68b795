"""Pronoun heads: which attention heads tell a translator what *it* stands for?

"… because it was too tired" becomes *parce qu'il*, "… too wide" *parce qu'elle*: for this one word the translator has
to know whether *it* is the animal or the street. Here heads are switched off until it no longer knows. Notebook 06.

What is measured: the translator reads the right translation up to *parce qu'* (teacher forcing), and the word that it
then holds likeliest has to be the reference's pronoun. The two translations of a minimal pair are alike up to there, so
nothing gives the pronoun away, and whoever does not know gets half of them right. `pronouns_right_in_translation` asks
the same of what the translator writes all by itself.

Off means 0, as in notebook 02. The mean of a head's output would be a milder stand-in, but a mean over which sentences?
A text that is written word by word has nobody to take it from. (With means over the batch, the same heads are found.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from anatomy_course.lab.small_models.translator import translate
from anatomy_course.lab.street.batches import TextToText, translation
from anatomy_course.lab.street.inventory import MinimalPair, pronoun
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.interpret.head_ablation import heads_off
from anatomy_utils.nn.encoder_decoder import EncoderDecoder

ATTENTIONS = {
    "encoder": ("encoder", "self_attention"),
    "decoder": ("decoder", "self_attention"),
    "cross": ("decoder", "cross_attention"),
}
"""Organ → the stack it is part of, and its name in each of the stack's layers."""

BEFORE_PRONOUN = "qu'"
"""The word after which the pronoun comes: *parce qu'il*."""


class AttentionHead(NamedTuple):
    """One head of an encoder–decoder, layers and heads counted from 0."""

    organ: str
    """One of `ATTENTIONS`: the encoder's self-attention, the decoder's, or the decoder's cross-attention."""
    layer: int
    head: int

    def __str__(self) -> str:
        return f"{self.organ} {self.layer}·{self.head}"


def all_heads(model: EncoderDecoder) -> list[AttentionHead]:
    """Every head, organ by organ and layer by layer."""
    return [
        AttentionHead(organ, layer, head)
        for organ, (stack, attention) in ATTENTIONS.items()
        for layer, module in enumerate(model.get_submodule(stack).layers)  # type: ignore[arg-type]
        for head in range(module.get_submodule(attention).num_heads)  # type: ignore[arg-type]
    ]


@contextmanager
def without_heads(model: EncoderDecoder, heads: Collection[AttentionHead]) -> Iterator[None]:
    """Run the model without some heads inside the `with` block, whole or step by step.

    Raises:
        ValueError: there is no such head.
    """
    if unknown := [head.organ for head in heads if head.organ not in ATTENTIONS]:
        raise ValueError(f"There is no organ {unknown[0]!r} with heads; choose one of {', '.join(ATTENTIONS)}.")
    with ExitStack() as switched:
        for organ, (stack, attention) in ATTENTIONS.items():
            places = [(head.layer, head.head) for head in heads if head.organ == organ]
            switched.enter_context(heads_off(model.get_submodule(stack), places, attention))
        yield


# ---- what is asked


@dataclass(frozen=True)
class PronounTest:
    """English sentences, and the French pronoun that each of them asks for.

    Attributes:
        scenes: what is said.
        batch: their translation into French.
        places: where in the translation the pronoun is.
        right_ids: the pronoun.
    """

    scenes: tuple[Scene, ...]
    batch: TextToText
    places: Int[Tensor, " batch"]
    right_ids: Int[Tensor, " batch"]


def new_pronoun_test(pairs: Sequence[MinimalPair]) -> PronounTest:
    """Both sentences of each pair, one after the other.

    Raises:
        ValueError: there is no pair, or one whose two pronouns are the same: it would ask nothing.
    """
    if not pairs or not all(pair.different_gender for pair in pairs):
        raise ValueError(
            "Each pair has to need il once and elle once; draw them with different_gender=True (sample_minimal_pairs)."
        )
    return pronoun_test_of([scene for pair in pairs for scene in (pair.about_subject, pair.about_object)])


def pronoun_test_of(scenes: Sequence[Scene]) -> PronounTest:
    """What these scenes ask for."""
    places = torch.tensor([say(scene, "french").clause.start for scene in scenes])
    right_ids = torch.tensor(street_vocabulary().ids([pronoun(scene) for scene in scenes]))
    return PronounTest(tuple(scenes), translation(scenes, "french"), places, right_ids)


class PronounScore(NamedTuple):
    """How well the pronoun is known.

    Attributes:
        right: the share of sentences, from 0 to 1, in which the right pronoun is the likeliest of all words.
        confidence: the probability of the right pronoun, on average.
    """

    right: float
    confidence: float


@torch.no_grad()
def pronoun_score(model: EncoderDecoder, test: PronounTest, off: Collection[AttentionHead] = ()) -> PronounScore:
    """How well the pronoun is known after the right words up to it, without the heads that are `off`."""
    batch = test.batch
    with without_heads(model, off):
        logits = model(batch.input_ids, batch.decoder_input_ids, batch.attention_mask, batch.decoder_attention_mask)
    logits = logits[torch.arange(len(batch)), test.places]
    probabilities = logits.softmax(dim=-1).gather(1, test.right_ids[:, None])
    return PronounScore((logits.argmax(dim=-1) == test.right_ids).float().mean().item(), probabilities.mean().item())


def pronouns_right_in_reference(model: EncoderDecoder, test: PronounTest, off: Collection[AttentionHead] = ()) -> float:
    """The share of right pronouns, from 0 to 1, after the right words up to them: one run of the model."""
    return pronoun_score(model, test, off).right


def pronouns_right_in_translation(
    model: EncoderDecoder, test: PronounTest, off: Collection[AttentionHead] = ()
) -> float:
    """The share of right pronouns, from 0 to 1, in what the translator writes by itself, word by word."""
    with without_heads(model, off):
        written = translate(model, test.batch)
    right = [pronoun_in_french(text) == pronoun(scene) for text, scene in zip(written, test.scenes, strict=True)]
    return sum(right) / len(right)


def pronoun_in_french(french: str) -> str:
    """The word after the first *qu'*, or "" where there is none.

    >>> pronoun_in_french("L'animal n'a pas traversé la rue parce qu'elle était trop large.")
    'elle'
    """
    words = [*tokenize(french), ""]
    return words[words.index(BEFORE_PRONOUN) + 1] if BEFORE_PRONOUN in words else ""


# ---- who did it


@dataclass(frozen=True)
class HeadSearchStep:
    """One step of the search.

    Attributes:
        heads: those that are off after it; the last one was chosen in this step.
        score: without them.
        tried: every head that could have been chosen, and the score without it and the earlier ones.
    """

    heads: tuple[AttentionHead, ...]
    score: PronounScore
    tried: Mapping[AttentionHead, PronounScore]


def search_pronoun_heads(
    model: EncoderDecoder, test: PronounTest, *, enough: float | int = 0.35, at_most: int = 4
) -> Iterator[HeadSearchStep]:
    """Switch off, one after the other, the head without which the right pronoun is the least likely (greedy search).

    Judge what it finds on other pairs. Another set may do as well: greedy search sees no two heads that only matter
    together.

    Args:
        model: from `small_models.translator`.
        test: what the search is led by.
        enough: it ends when the share of right pronouns has fallen by so much, …
        at_most: … or when so many heads are off.
    """
    intact = pronouns_right_in_reference(model, test)
    heads: tuple[AttentionHead, ...] = ()
    for _ in range(at_most):
        tried = {head: pronoun_score(model, test, (*heads, head)) for head in all_heads(model) if head not in heads}
        chosen = min(tried, key=lambda head: tried[head].confidence)
        heads = (*heads, chosen)
        yield HeadSearchStep(heads, tried[chosen], tried)
        if intact - tried[chosen].right >= enough:
            return


def random_heads(model: EncoderDecoder, count: int, generator: torch.Generator) -> tuple[AttentionHead, ...]:
    """Different heads of all organs, drawn at random."""
    heads = all_heads(model)
    return tuple(heads[number] for number in torch.randperm(len(heads), generator=generator)[:count].tolist())
