"""Pronoun exchange: what does a vector carry? Vectors of one run are put into another, and the pronoun watched.

The pronoun needs two facts: which noun *it* stands for, and which gender that noun has in French. For each there are
pairs of sentences that differ in it, and pairs to compare with, which differ in a word at the same place and not in the
fact. What is switched off (`pronoun_heads`) was needed; what turns the decision round when it is exchanged carried it
(interchange interventions, Geiger et al. 2021, arXiv:2106.02997; activation patching, Vig et al. 2020,
arXiv:2004.12265). Notebook 06.

Two tensors exchanged in one run both come from the partner's *clean* run. Taken from the run that is being changed, the
second would bring back what the first has just turned round.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.lab.experiments.pronoun_heads import (
    ATTENTIONS,
    AttentionHead,
    PronounTest,
    all_heads,
    pronoun_test_of,
)
from anatomy_course.lab.street.lexicon import ADJECTIVE, NOUN
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.scene import REFERENTS, Scene, clear_reasons
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.lab.street.words import NOUNS
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import edit, watch

FACTS = ("which noun", "which gender", "same noun", "same gender")
"""What the two sentences of a pair differ in: which noun is meant, which gender it has; and to compare with, only in
the reason (the same noun is meant), only in the noun (of the same gender)."""
RECORDED = Path(__file__).with_name("exchanged.json")
WRITTEN = "decoder.embeddings.output"

Places = Mapping[str, Int[Tensor, "text chosen"]]
"""Name of a tensor, as in `tap` → the positions of each text that are exchanged. In a `.context`, which holds the heads
of a position one after the other, every head of every position has a place of its own: position · num_heads + head."""
Swap = Callable[[Tensor, Tensor, Tensor], Tensor]
"""The learner's: (vectors now, vectors of the clean run, places) → vectors; texts 0 and 1 are partners, 2 and 3, …"""


class Exchanged(NamedTuple):
    """Shares of pronouns, from 0 to 1, that change."""

    vectors: dict[str, list[float]]
    """What was exchanged → by pair, in the order of `FACTS`."""
    attentions: dict[str, float]
    """One whole attention, such as "cross 0" → for pairs that differ in which noun is meant."""


class SmallestSet(NamedTuple):
    """The fewest heads of cross-attention that are enough, judged on sentences that the search has not seen."""

    heads: str  # such as "cross 0·3, cross 1·2"
    flips: float  # the share of pronouns, from 0 to 1, that their exchange changes
    others_mean: float  # the same of other sets of as many heads
    others_most: float


class Exchange:
    """A model, pairs of sentences, and what it computes for them when nothing is changed.

    Args:
        model: from `small_models.translator`.
        test: texts 0 and 1 are a pair, 2 and 3, and so on.
        swap: puts the partner's vectors in.
    """

    @torch.no_grad()
    def __init__(self, model: EncoderDecoder, test: PronounTest, swap: Swap) -> None:
        self.model, self.test, self.swap = model, test, swap
        self.memory = f"encoder.layers.{len(model.encoder.layers) - 1}.output"
        with watch(model) as self._clean:
            self._pronouns = self._say()

    @torch.no_grad()
    def flips(self, places: Places) -> float:
        """The share of pronouns, from 0 to 1, that change when the vectors at these places are the partner's."""
        with edit(self.model, {name: partial(self._exchanged, name, places[name]) for name in places}):
            return (self._say() != self._pronouns).float().mean().item()

    def of_heads(self, heads: Collection[AttentionHead]) -> Places:
        """Where the reports of these heads are: a decoder's at the pronoun's place, an encoder's at every position."""
        places: dict[str, list[Tensor]] = {}
        for head in heads:
            stack, attention = ATTENTIONS[head.organ]
            name = f"{stack}.layers.{head.layer}.{attention}.context"
            everywhere = torch.arange(self.test.batch.input_ids.shape[1]).expand(len(self.test.batch), -1)
            at = everywhere if head.organ == "encoder" else self.test.places[:, None]
            places.setdefault(name, []).append(at * self._num_heads(name) + head.head)
        return {name: torch.cat(each, dim=1) for name, each in places.items()}

    def flips_of(self, heads: Sequence[AttentionHead]) -> Callable[[Collection[int]], float]:
        """`flips` of some of these heads, by their numbers in the list."""
        return lambda chosen: self.flips(self.of_heads([heads[number] for number in chosen]))

    def _num_heads(self, name: str) -> int:
        """How many vectors a position of this tensor is made of."""
        path, _, kind = name.rpartition(".")
        return self.model.get_submodule(path).num_heads if kind == "context" else 1  # type: ignore[return-value]

    def _exchanged(self, name: str, places: Tensor, vectors: Tensor) -> Tensor:
        now, clean = (
            each.unflatten(-1, (self._num_heads(name), -1)).flatten(1, 2) for each in (vectors, self._clean[name])
        )
        return self.swap(now, clean, places).view_as(vectors)

    def _say(self) -> Tensor:
        """The likelier of *il* and *elle* for each text, after the right words up to the pronoun."""
        read = self.test.batch
        logits = self.model(read.input_ids, read.decoder_input_ids, read.attention_mask, read.decoder_attention_mask)
        il, elle = logits[torch.arange(len(read)), self.test.places][:, street_vocabulary().ids(["il", "elle"])].T
        return il > elle


def source_words(test: PronounTest) -> dict[str, Int[Tensor, "text 1"]]:
    """Where the words of the English sentences are; "the noun" is, in both texts, what the pair's first one means."""
    said = [say(scene, "english") for scene in test.scenes]
    meant = [getattr(sentence, scene.referent) for scene, sentence in zip(_firsts(test), said, strict=True)]
    others = [getattr(sentence, _other(scene)) for scene, sentence in zip(_firsts(test), said, strict=True)]
    found = {  # the first token is the language; a noun is the last word of its span
        "noun": [span.stop for span in meant],
        "other noun": [span.stop for span in others],
        "because": [sentence.clause.start for sentence in said],
        "it": [sentence.clause.start + 1 for sentence in said],
        "was": [sentence.clause.start + 2 for sentence in said],
        "too": [sentence.clause.start + 3 for sentence in said],
        "reason": [sentence.clause.stop for sentence in said],
        "period": [sentence.clause.stop + 1 for sentence in said],
    }
    return {name: torch.tensor(places)[:, None] for name, places in found.items()}


def written_words(test: PronounTest) -> dict[str, Int[Tensor, "text chosen"]]:
    """Where the words of the French text are as the decoder reads them; "the noun" as in `source_words`."""
    said = [say(scene, "french") for scene in test.scenes]
    spans = [getattr(sentence, scene.referent) for scene, sentence in zip(_firsts(test), said, strict=True)]
    longest = max(span.stop - span.start for span in spans)
    nouns = [[1 + min(span.start + i, span.stop - 1) for i in range(longest)] for span in spans]
    length = test.batch.decoder_input_ids.shape[1]
    return {
        "article": torch.tensor([[span.start] for span in spans]),
        "noun": torch.tensor(nouns),
        "all": torch.arange(length).expand(len(spans), -1),
    }


def exchange_pairs(test: PronounTest, generator: torch.Generator, *, scenes: int = 125) -> dict[str, PronounTest]:
    """Pairs for each of `FACTS`: those of the test, and the first of its scenes beside the same with another word."""
    made: dict[str, list[Scene]] = {fact: [] for fact in FACTS[1:]}
    for scene in test.scenes[:scenes]:
        for fact, others in zip(FACTS[1:], _other_words(scene), strict=True):
            if others:
                made[fact] += [scene, others[int(torch.randint(len(others), (), generator=generator))]]
    return {FACTS[0]: test} | {fact: pronoun_test_of(each) for fact, each in made.items()}


def measure_exchanges(model: EncoderDecoder, pairs: Mapping[str, PronounTest], swap: Swap) -> Exchanged:
    """Exchange one vector after the other, and every whole attention.

    Args:
        model: from `small_models.translator`.
        pairs: from `exchange_pairs`.
        swap: see `Swap`.
    """
    vectors: dict[str, list[float]] = {}
    for test in pairs.values():
        exchange, source, written = Exchange(model, test, swap), source_words(test), written_words(test)
        source["all"] = torch.arange(test.batch.input_ids.shape[1]).expand(len(test.scenes), -1)
        asked: dict[str, Places] = {
            f"source: {word}": {exchange.memory: source[word]} for word in ("reason", "it", "noun", "other noun", "all")
        }
        asked |= {f"French: {words}": {WRITTEN: places} for words, places in written.items()}
        asked["noun + French"] = {exchange.memory: source["noun"], WRITTEN: written["all"]}
        for name, places in asked.items():
            vectors.setdefault(name, []).append(exchange.flips(places))
    exchange = Exchange(model, pairs[FACTS[0]], swap)
    attentions: dict[str, list[AttentionHead]] = {}
    for organ in ATTENTIONS:
        heads = [head for head in all_heads(model) if head.organ == organ]
        for head in heads:
            attentions.setdefault(f"{organ} {head.layer}", []).append(head)
        attentions[f"{organ}, all layers"] = heads
    return Exchanged(vectors, {name: exchange.flips(exchange.of_heads(each)) for name, each in attentions.items()})


def judge_smallest_set(
    model: EncoderDecoder,
    to_search: PronounTest,
    to_judge: PronounTest,
    swap: Swap,
    smallest_swap: Callable[..., list[int]],
    *,
    enough: float = 0.9,
    others: int = 20,
) -> tuple[list[AttentionHead], SmallestSet]:
    """Search the heads of cross-attention on one test, and judge what was found on the other, beside sets of its size.

    Args:
        model: from `small_models.translator`.
        to_search, to_judge: tests without a common pair.
        swap: see `Swap`.
        smallest_swap: the learner's: (flips of a set of parts, number of parts, enough) → the parts.
        enough: the share of pronouns that the set must flip where it is searched.
        others: at most so many other sets are drawn.
    """
    heads = [head for head in all_heads(model) if head.organ == "cross"]
    found = smallest_swap(Exchange(model, to_search, swap).flips_of(heads), len(heads), enough)
    flips = Exchange(model, to_judge, swap).flips_of(heads)
    drawn = _other_sets(len(heads), found, others)
    shares, chosen = [flips(each) for each in drawn], [heads[part] for part in found]
    return chosen, SmallestSet(", ".join(map(str, chosen)), flips(found), sum(shares) / len(shares), max(shares))


@torch.no_grad()
def probe(model: EncoderDecoder, to_learn: PronounTest, to_judge: PronounTest, word: str) -> tuple[float, float]:
    """How well a linear probe tells from one word's vector in the memory which noun is meant, subject or object.

    What a probe can read is there; whether the model uses it, only an exchange tells (Alain and Bengio 2016,
    arXiv:1610.01644; Belinkov 2022, arXiv:2102.12452).

    Args:
        model: from `small_models.translator`.
        to_learn: what the probe learns from, by least squares.
        to_judge: other sentences.
        word: as in `source_words`.

    Returns:
        The share of right answers, from 0 to 1, and that of a probe which learned from shuffled labels.
    """

    def read(test: PronounTest) -> tuple[Tensor, Tensor]:
        memory = model.encoder(test.batch.input_ids, test.batch.attention_mask)
        vectors = memory[torch.arange(len(memory)), source_words(test)[word][:, 0]]
        means = torch.tensor([1.0 if scene.referent == "subject" else -1.0 for scene in test.scenes])
        return F.pad(vectors, (0, 1), value=1.0), means

    (vectors, means), (others, right) = read(to_learn), read(to_judge)
    shuffled = means[torch.randperm(len(means), generator=torch.Generator().manual_seed(0))]
    square = vectors.T @ vectors + 0.1 * torch.eye(vectors.shape[1])
    found = others @ torch.linalg.solve(square, vectors.T @ torch.stack([means, shuffled], dim=1))
    shares = (found.sign() == right[:, None]).float().mean(dim=0)
    return shares[0].item(), shares[1].item()


@cache
def recorded_exchanges() -> dict[int, tuple[Exchanged, SmallestSet]]:
    """What `docs/record_exchanges.py` measured on another machine: seed of the translator → its shares, its set."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {int(seed): (Exchanged(*each[:2]), SmallestSet(*each[2])) for seed, each in recorded.items()}


def _other_sets(num_parts: int, chosen: Collection[int], most: int) -> list[tuple[int, ...]]:
    """Up to `most` sets of as many parts, drawn without the chosen one and without repeats."""
    others = [each for each in combinations(range(num_parts), len(chosen)) if {*each} != {*chosen}]
    order = torch.randperm(len(others), generator=torch.Generator().manual_seed(9))
    return [others[number] for number in order[:most].tolist()]


def _firsts(test: PronounTest) -> list[Scene]:
    """The first scene of its pair, for every text."""
    return [scene for scene in test.scenes[::2] for _ in range(2)]


def _other(scene: Scene) -> str:
    return REFERENTS[1 - REFERENTS.index(scene.referent)]


def _other_words(scene: Scene) -> tuple[Sequence[Scene], ...]:
    """The scene with another noun of the other gender, with another reason, and with another noun of the same gender.

    French is as long as before, so that both texts have the pronoun at one place.
    """
    noun, other = NOUN[getattr(scene, scene.referent)], getattr(scene, _other(scene))
    nouns = [each for each in NOUNS if each.kind == noun.kind and each.english not in (noun.english, other)]
    swapped = [(each.gender, replace(scene, **{scene.referent: each.english})) for each in nouns]
    start = say(scene, "french").clause.start
    fit = [(gender, new) for gender, new in swapped if say(new, "french").clause.start == start]
    reasons = clear_reasons(NOUN[scene.subject].kind, NOUN[scene.object].kind, scene.referent)
    return (
        [new for gender, new in fit if gender != noun.gender],
        [replace(scene, reason=each.english) for each in reasons if each is not ADJECTIVE[scene.reason]],
        [new for gender, new in fit if gender == noun.gender],
    )
