"""The case of notebook 07: a tagger that learnt well, and is wrong about a few kinds of words.

Its body was pretrained on the street's sentences and then fine-tuned to give each word a tag. Training went as it
should, all shapes are right, and most tags are. `colleagues_tagger` and `healthy_tagger` train the two, with the same
parts and as many parameters; `symptoms_of_causal_tagger` counts, `words_that_change` shows what hangs on what, and
`best_guess_from_words_before` says what the patient's share of right tags equals.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from anatomy_course.lab.debugging.colleague.symptoms import compared
from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, label_loss, small_encoder
from anatomy_course.lab.small_models.masked_language_model import hide_words
from anatomy_course.lab.small_models.train import BATCH, train_model
from anatomy_course.lab.street.batches import Labeled, language_modeling, tagging
from anatomy_course.lab.street.labels import TAGS, tags
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_minimal_pairs, sample_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import BOS, street_vocabulary
from anatomy_course.page.page import CellOutput
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.heads import TokenHead, WithHead
from anatomy_utils.training.history import History
from anatomy_utils.training.seeding import seeded

Preparation = Callable[[Tensor, Tensor, Tensor], Sequence[Tensor]]
"""input_ids, attention_mask, labels (batch, position) → the same three, longer; the last positions are asked."""

PRETRAINING, FINE_TUNING = 100, 200
"""Steps, of 32 sentences each."""
SENTENCES = 400
"""How many the symptoms are counted on."""
KINDS = ("adjectives beside a noun", "nouns", "it", "other words")


def colleagues_body() -> Decoder:
    """The patient's body, with fresh weights from torch's global source."""
    parts: Any = small_encoder()
    layers = [
        DecoderLayer(
            layer.self_attention,
            layer.feed_forward,
            self_attention_norms=layer.self_attention_norms,
            feed_forward_norms=layer.feed_forward_norms,
        )
        for layer in parts.layers
    ]
    return Decoder(parts.embeddings, layers, norm=parts.norm)


@dataclass(frozen=True)
class Tagger:
    """A body with a head that gives tags, and what is done to a batch before it is read.

    Attributes:
        model: the body and its head.
        history: of the fine-tuning.
        prepare: see `Preparation`; None where a batch is read as it is.
    """

    model: WithHead
    history: History
    prepare: Preparation | None = None

    @torch.no_grad()
    def logits(self, batch: Labeled) -> Float[Tensor, "batch position tags"]:
        """One logit for each tag and word."""
        read = _prepared(batch, self.prepare)
        logits: Tensor = self.model(read.input_ids, read.attention_mask)
        return logits[:, -batch.input_ids.shape[1] :]

    def right(self, scenes: Sequence[Scene]) -> Bool[Tensor, "batch position"]:
        """Which words of the scenes' sentences have the right tag; their first position is <bos>."""
        batch = tagging(scenes)
        return self.logits(batch).argmax(dim=-1) == batch.labels


def colleagues_tagger(prepare: Preparation | None = None, *, seed: int = 0) -> Tagger:
    """The patient: its body is pretrained to say the next word, and then fine-tuned to give tags.

    Args:
        prepare: what is done to the sentences of the fine-tuning, and later to those that it reads.
        seed: of the weights and the sentences.
    """
    return _fine_tuned(colleagues_body, language_modeling, prepare, seed)


def healthy_tagger(*, seed: int = 0) -> Tagger:
    """The other one: pretrained to fill gaps, and then fine-tuned on the same sentences.

    Args:
        seed: of the weights and the sentences.
    """
    generator = torch.Generator().manual_seed(seed)
    return _fine_tuned(small_encoder, lambda scenes: hide_words(language_modeling(scenes), generator), None, seed)


def _fine_tuned(
    build: Callable[[], nn.Module],
    to_pretrain: Callable[[Sequence[Scene]], Labeled],
    prepare: Preparation | None,
    seed: int,
) -> Tagger:
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        body, words, head = build(), _WordHead(), TokenHead(D_MODEL, len(TAGS))
    texts = to_pretrain(sample_scenes(PRETRAINING * BATCH, generator, "train"))
    train_model(WithHead(body, words), texts, label_loss, progress=False)
    texts = _prepared(tagging(sample_scenes(FINE_TUNING * BATCH, generator, "train")), prepare)
    model = WithHead(body, head)
    return Tagger(model, train_model(model, texts, label_loss, progress=False), prepare)


class _WordHead(nn.Module):
    """One logit for each word of the street; only pretraining needs it."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Linear(D_MODEL, len(street_vocabulary()))

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        logits: Tensor = self.words(hidden_states)
        return logits


def _prepared(batch: Labeled, prepare: Preparation | None) -> Labeled:
    return Labeled(*prepare(batch.input_ids, batch.attention_mask, batch.labels)) if prepare else batch


def symptoms_of_causal_tagger(patient: Tagger, healthy: Tagger, name: str = "patient") -> CellOutput:
    """What a doctor would count: right tags by kind of word, on sentences that neither has seen and on others.

    Args:
        patient: from `colleagues_tagger`.
        healthy: from `healthy_tagger`.
        name: of the first one, for the table.
    """
    return compared(f"{SENTENCES} sentences", "right tags", {"healthy": healthy, name: patient}, _examine)


def _examine(tagger: Tagger) -> dict[str, str]:
    unseen, seen = (sample_scenes(SENTENCES, torch.Generator().manual_seed(9), split) for split in ("test", "train"))
    counts = right_by_kind(tagger, unseen)
    pairs = sample_minimal_pairs(SENTENCES // 2, torch.Generator().manual_seed(8), "test")
    one, other = (
        _tags_of_it(tagger, scenes) for scenes in zip(*((p.about_subject, p.about_object) for p in pairs), strict=True)
    )
    return {
        **{kind: f"{right} of {total}" for kind, (right, total) in counts.items()},
        "it, in sentences like the training sentences": "{} of {}".format(*right_by_kind(tagger, seen)["it"]),
        "another reason, another tag for it": f"{int((one != other).sum())} of {len(pairs)} pairs",
        "parameters": f"{sum(p.numel() for p in tagger.model.parameters()):,}",
    }


def _tags_of_it(tagger: Tagger, scenes: Sequence[Scene]) -> Tensor:
    given = tagger.logits(tagging(scenes)).argmax(dim=-1)
    places = torch.tensor([1 + say(scene, "english").clause.start for scene in scenes])
    return given[torch.arange(len(scenes)), places]


def right_by_kind(tagger: Tagger, scenes: Sequence[Scene]) -> dict[str, tuple[int, int]]:
    """For each of `KINDS`: how many words have the right tag, and how many there are.

    Args:
        tagger: either one.
        scenes: what is said in their sentences.
    """
    right, found = tagger.right(scenes), {kind: [0, 0] for kind in KINDS}
    for row, scene in enumerate(scenes):
        for place, (kind, _, _) in enumerate(_words(scene), start=1):
            found[kind][0] += int(right[row, place])
            found[kind][1] += 1
    return {kind: (hits, total) for kind, (hits, total) in found.items()}


def _words(scene: Scene) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """For each word its kind, what kinds of words stand before it, and its tag.

    What stands before a word is told by the tags of the nouns and by the verb: so much hangs on the meaning.
    """
    sentence = say(scene, "english")
    before: tuple[str, ...] = ()
    for place, tag in enumerate(tags(scene, sentence)):
        named = next((span for span in (sentence.subject, sentence.object) if span.start <= place < span.stop), None)
        if named is not None and place < named.stop - 1:
            yield KINDS[0], before, tag
            continue
        kind = KINDS[1] if named is not None else KINDS[2] if place == sentence.clause.start else KINDS[3]
        yield kind, before, tag
        if kind == KINDS[1]:
            before = (*before, scene.verb, tag[2:])


def words_that_change(tagger: Tagger, sentence: str, other: str) -> list[tuple[str, bool]]:
    """Each word of a sentence, and whether any of its logits changes when the other sentence is read in its place.

    Args:
        tagger: either one.
        sentence: in words of the street.
        other: of as many words.

    Raises:
        ValueError: the sentences are of unequal length, or a word is unknown.
    """
    texts = [tokenize(text) for text in (sentence, other)]
    if len(texts[0]) != len(texts[1]):
        raise ValueError(f"The sentences have {len(texts[0])} and {len(texts[1])} words; exchange words one by one.")
    ids = torch.tensor([street_vocabulary().ids([BOS, *text]) for text in texts])
    one, two = tagger.logits(Labeled(ids, torch.ones_like(ids), torch.zeros_like(ids)))
    changes = (one - two).abs().amax(dim=-1) > 1e-4
    return list(zip(texts[0], changes[1:].tolist(), strict=True))


def best_guess_from_words_before(*, seed: int = 0) -> dict[str, float]:
    """The share of right tags of somebody who knows of each sentence only what stands before the word.

    For nouns and other words that is enough. For adjectives beside a noun and for *it*, the likeliest tag is guessed
    by counting, behind the same verb and the same kinds of nouns, in sentences of the training's side.

    Args:
        seed: of the sentences that are counted.
    """
    counts: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for scene in sample_scenes(10 * SENTENCES, torch.Generator().manual_seed(seed), "train"):
        for kind, before, tag in _words(scene):
            counts[kind, *before][tag] += 1
    hits: defaultdict[str, list[bool]] = defaultdict(list)
    for scene in sample_scenes(SENTENCES, torch.Generator().manual_seed(9), "test"):
        for kind, before, tag in _words(scene):
            likeliest = counts[kind, *before].most_common(1)
            hits[kind].append(bool(likeliest) and likeliest[0][0] == tag)
    return {kind: sum(hits[kind]) / len(hits[kind]) for kind in (KINDS[0], KINDS[2])}
