"""What scale buys: a published translator, 67 times as large as the street's, and a word that turns on what *it* is.

Portuguese says no pronoun there, but its adjectives have a gender: *estreita* is said of *a rua*, *estreito* of *o
animal*. So the last word of a translation should agree with the noun that is meant. Notebook 06. The translator is in a
package of 35 MB that not everybody installs: what it answers to the course's own sentences is recorded, by
`docs/record_published.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_course.lab.experiments.pronoun_heads import pronoun_test_of, pronouns_right_in_translation
from anatomy_course.lab.street.lexicon import NOUN
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.words import ADJECTIVES
from anatomy_utils import pretrained
from anatomy_utils.decoding import generate
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import watch

NAME, STOP_ID = "en-pt", 0
RECORDED = Path(__file__).with_name("translated.json")
SENTENCES = (
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "The animal didn't cross the street because it was too narrow.",
    "Good morning! Where is the station, and when does the next train leave?",
)
"""What is translated in the notebook; the last one has words that the street does not have."""
SCENES, TOGETHER, LONGEST = 50, 50, 48


class Alignment(NamedTuple):
    """Where that head looked as each piece was written."""

    source: list[str]
    written: list[str]
    weights: list[list[float]]


Agreement = dict[str, tuple[int, int]]
"""Kind of scene (`KINDS`) → for how many what was written has the gender of the noun that is meant; for how many it
shows, since an adjective may have one form for both."""
KINDS = ("masculine, the other feminine", "feminine, the other masculine", "both masculine", "both feminine")
"""The gender of the noun that is meant, and of the other one, in Portuguese. In the last two, nothing turns on *it*."""


class Published(NamedTuple):
    """What the published translator answered."""

    parameters: int
    pieces: int
    translations: list[str]
    alignment: Alignment
    agreement: Agreement
    is_recorded: bool = False


class Words(NamedTuple):
    """Portuguese words, as the translator says them: what the sentences are chosen by, on every machine."""

    genders: dict[str, str]
    """English noun → "m" or "f"."""
    forms: dict[str, tuple[str, str]]
    """English adjective → what is said of a man and of a woman, where these are two forms of one word."""


def published() -> Published:
    """The published translator's answers; recorded ones where its weights are not installed."""
    if pretrained.PACKAGES[NAME].path() is not None:
        return answers()
    kept = _recorded()["answers"]
    return Published(
        **kept
        | {
            "alignment": Alignment(*kept["alignment"]),
            "agreement": {kind: tuple(counts) for kind, counts in kept["agreement"].items()},
            "is_recorded": True,
        }
    )


def answers() -> Published:
    """Ask the installed translator."""
    model, tokenizer = _loaded()
    agreement = {}
    for kind, scenes in agreement_scenes().items():
        last = [_last_word(text) for text in translate([str(say(scene, "english")) for scene in scenes])]
        agreement[kind] = agreeing(scenes, last)
    return Published(
        sum(each.numel() for each in model.parameters()),
        tokenizer.vocab_size,
        translate(SENTENCES),
        align(SENTENCES[2]),
        agreement,
    )


@torch.no_grad()
def translate(texts: Sequence[str]) -> list[str]:
    """English sentences into Portuguese, by the installed translator, the likeliest piece each time."""
    model, tokenizer = _loaded()
    found: list[str] = []
    for first in range(0, len(texts), TOGETHER):
        given = tokenizer(list(texts[first : first + TOGETHER]))
        found += map(tokenizer.decode, _written(model, given.input_ids, given.attention_mask))
    return found


@torch.no_grad()
def align(text: str) -> Alignment:
    """The weights of the head that such translators are trained to align with: the first one of the last layer."""
    model, tokenizer = _loaded()
    given = tokenizer([text])
    (ids,) = _written(model, given.input_ids, given.attention_mask)
    read = torch.tensor([[_start_id(model), *ids[:-1]]])
    name = f"layers.{len(model.decoder.layers) - 1}.cross_attention.weights"
    with watch(model.decoder, name) as seen:
        model(given.input_ids, read)
    weights: Float[Tensor, "written source"] = seen[name][0, 0]
    return Alignment(given.tokens[0], [tokenizer.piece(each) for each in ids], weights.tolist())


@cache
def agreement_scenes() -> dict[str, list[Scene]]:
    """Unseen scenes of each of `KINDS`, whose reasons have two forms in Portuguese."""
    genders, forms = words()
    found: dict[str, list[Scene]] = {kind: [] for kind in KINDS}
    chance = torch.Generator().manual_seed(5)
    while min(map(len, found.values())) < SCENES:
        for scene in sample_scenes(200, chance, "test"):
            other = scene.object if scene.referent == "subject" else scene.subject
            pair = genders[_meant(scene)], genders[other]
            kind = found[KINDS[[("m", "f"), ("f", "m"), ("m", "m"), ("f", "f")].index(pair)]]
            if scene.reason in forms and len(kind) < SCENES:
                kind.append(scene)
    return found


def agreeing(scenes: Sequence[Scene], last_words: Sequence[str]) -> tuple[int, int]:
    """How many of the last words that are one of the adjective's two forms have the right gender, and how many are."""
    genders, forms = words()
    shown = [pair for pair in zip(scenes, last_words, strict=True) if pair[1] in forms[pair[0].reason]]
    right = [said == forms[scene.reason]["mf".index(genders[_meant(scene)])] for scene, said in shown]
    return sum(right), len(right)


def street_agreement(model: EncoderDecoder) -> dict[str, float]:
    """The same of the street's translator: for which share of the scenes its French pronoun is the right one."""
    return {
        kind: pronouns_right_in_translation(model, pronoun_test_of(scenes))
        for kind, scenes in agreement_scenes().items()
    }


@cache
def words() -> Words:
    """The street's words in Portuguese, as they were recorded."""
    kept = _recorded()["words"]
    return Words(kept["genders"], {word: tuple(forms) for word, forms in kept["forms"].items()})


def ask_words() -> Words:
    """Ask the installed translator for them: its article before a noun, its adjectives of a man and of a woman."""
    said = translate([f"The {noun} is here." for noun in NOUN])
    genders = {noun: {"O": "m", "A": "f"}[text.split()[0]] for noun, text in zip(NOUN, said, strict=True)}
    of_man, of_woman = (
        [_last_word(text) for text in translate([f"The {who} is {each.english}." for each in ADJECTIVES])]
        for who in ("man", "woman")
    )
    forms = {each.english: pair for each, *pair in zip(ADJECTIVES, of_man, of_woman, strict=True)}
    return Words(genders, {word: (m, f) for word, (m, f) in forms.items() if m[:-1] == f[:-1] and m != f})


@cache
def _recorded() -> Any:
    return json.loads(RECORDED.read_text(encoding="utf-8"))


@cache
def _loaded() -> Any:
    return pretrained.load(NAME)


def _meant(scene: Scene) -> str:
    return scene.referent_noun.english


def _last_word(text: str) -> str:
    return text.rstrip(".").rpartition(" ")[2]


def _start_id(model: Any) -> int:
    """The row of zeros with which the decoder begins."""
    return int(model.vocabulary.out_features) - 1


def _written(model: Any, input_ids: Tensor, attention_mask: Tensor) -> list[list[int]]:
    cache = model.start(input_ids, 1 + LONGEST, attention_mask=attention_mask)
    start = torch.full((len(input_ids), 1), _start_id(model))
    return generate(model.step, cache, start, max_new_tokens=LONGEST, stop_ids=[STOP_ID]).rows()
