"""Every objective on one sentence of the street, with the functions that training uses.

Each `show_…` takes a scene, a generator and a rate, and returns an `Illustration`: what goes in, what is asked, where
it counts, who may look at whom. Where a model's opinion is needed (ELECTRA's generator, DistilBERT's teacher) the
street's grammar stands in for it: it holds a word possible exactly if the sentence stays one of the street.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.labels import summary
from anatomy_course.lab.street.lexicon import words_of
from anatomy_course.lab.street.parser import is_grammatical, say
from anatomy_course.lab.street.sampling import draw_scenes
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import BOS, EOS, MASK, SEP, Vocabulary, street_vocabulary
from anatomy_utils.functional.masks import causal
from anatomy_utils.objectives.masked_tokens import MaskedWords, draw_chances, mask_words
from anatomy_utils.objectives.permutation_lm import permutation_mask
from anatomy_utils.objectives.prefix_lm import prefix_lm_batch
from anatomy_utils.objectives.replaced_tokens import draw_samples, replace_tokens
from anatomy_utils.objectives.sentence_pairs import LabeledPair, next_sentence, sentence_order
from anatomy_utils.objectives.span_corruption import corrupt_spans, draw_spans
from anatomy_utils.objectives.text_infilling import draw_infilling_spans, infill, permute_sentences
from anatomy_utils.objectives.text_pairs import decoder_text
from anatomy_utils.objectives.whole_word_masking import share_in_words, word_numbers
from anatomy_utils.training.losses import IGNORE
from anatomy_utils.training.teacher_forcing import next_token_pair

Rows = tuple[tuple[bool, ...], ...]


@dataclass(frozen=True)
class Illustration:
    """One text, prepared for training; all in words, so that it can be read.

    Attributes:
        inputs: what goes in; for an encoder–decoder, into the encoder.
        asked: what is asked at each position of `decoder_inputs` if there are any, else of `inputs`; "" for nothing.
        counts: whether that position counts in the loss.
        altered: which of `inputs` are not what the text says, or stand for something else.
        mask_kind: who may look at whom, in one or two words.
        mask: the same as rows of queries, True = may look; an encoder–decoder's positions are all inputs, then all
            decoder inputs.
        note: what was drawn, in a sentence.
        decoder_inputs: what the decoder reads while it writes; empty without a decoder.
        marks: one more row under `inputs`, or empty.
        marks_mean: what the marks say.
    """

    inputs: tuple[str, ...]
    asked: tuple[str, ...]
    counts: tuple[bool, ...]
    altered: tuple[bool, ...]
    mask_kind: str
    mask: Rows
    note: str
    decoder_inputs: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    marks_mean: str = ""


def mask_rows(mask: Bool[Tensor, "query key"]) -> Rows:
    """A mask as rows."""
    return tuple(map(tuple, mask.tolist()))


def encoder_decoder_mask_rows(encoder_length: int, decoder_length: int) -> Rows:
    """The encoder looks at all of itself; the decoder at all of the encoder, and at what it has written so far."""
    encoder = ((True,) * encoder_length + (False,) * decoder_length,) * encoder_length
    decoder = tuple((True,) * encoder_length + past for past in mask_rows(causal(decoder_length)))
    return encoder + decoder


def encoder_illustration(
    inputs: Sequence[str], asked: Sequence[str], note: str, *, altered: Sequence[bool] = (), **more: object
) -> Illustration:
    """An encoder's example: something is asked wherever `asked` is not empty."""
    length = len(inputs)
    return Illustration(
        inputs=tuple(inputs),
        asked=tuple(asked),
        counts=tuple(map(bool, asked)),
        altered=tuple(altered) or (False,) * length,
        mask_kind="everyone",
        mask=((True,) * length,) * length,
        note=note,
        **more,  # type: ignore[arg-type]
    )


Words = Sequence[str]
LONG_WORD = 6
"""Words of so many letters are cut in two where whole words are shown."""
SENTINELS = ("<X>", "<Y>", "<Z>", "<A>", "<B>", "<C>", "<D>", "<E>", "<F>", "<G>")
"""As the T5 paper writes them; a sentence of the street never has more spans."""
VOCABULARY = Vocabulary([*street_vocabulary().words, *SENTINELS])


def show_masked_tokens(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """Some words hidden or exchanged, asked for where they stood."""
    words = say(scene, "english").tokens
    masked = _mask(words, street_vocabulary(), words_of("english"), [*range(len(words))], generator, rate)
    return _show_masked(words, masked, street_vocabulary())


def show_whole_words(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The same, with long words in pieces that are chosen together."""
    pieces = [piece for word in say(scene, "english").tokens for piece in _cut(word)]
    vocabulary, numbers = Vocabulary(pieces), word_numbers(pieces)
    shown = _show_masked(pieces, _mask(pieces, vocabulary, pieces, numbers, generator, rate), vocabulary)
    note = f"{shown.note} Words of {LONG_WORD} letters or more are cut in two here, as WordPiece cuts rare words."
    marks = tuple(str(number + 1) for number in numbers)
    return encoder_illustration(shown.inputs, shown.asked, note, altered=shown.altered, marks=marks, marks_mean="word")


def show_next_sentence(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The two halves of a sentence, or one half and another sentence's, which does not go with it."""
    first, following = _halves(scene)
    halves = (_halves(drawn)[1] for drawn in draw_scenes(generator))
    other = next(half for half in halves if not is_grammatical((*first, *half)))
    begin_id, separator_id = _ids((BOS, SEP)).tolist()
    pair = next_sentence(_ids(first), _ids(following), _ids(other), _coin(generator), begin_id, separator_id)
    told = ("The second half is the sentence's own.", "The second half comes from another sentence.")
    return _show_pair(pair, ("it follows", "from elsewhere"), told)


def show_sentence_order(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The two halves of a sentence, perhaps swapped."""
    first, second = _halves(scene)
    begin_id, separator_id = _ids((BOS, SEP)).tolist()
    pair = sentence_order(_ids(first), _ids(second), _coin(generator), begin_id, separator_id)
    told = ("The halves are in their order.", "The halves have been swapped.")
    return _show_pair(pair, ("in order", "swapped"), told)


def show_replaced_tokens(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """Some words replaced by others that fit as well; of each it is asked whether it is the real one."""
    words = say(scene, "english").tokens
    ids = _ids(words)[None]
    chosen = torch.rand(ids.shape, generator=generator) < rate
    logits = torch.full((*ids.shape, len(street_vocabulary())), -torch.inf)
    logits.scatter_(2, ids[:, :, None], 0.0)
    for place in chosen[0].nonzero().flatten().tolist():
        logits[0, place, _ids(fitting_words(words, place))] = 0.0
    replaced = replace_tokens(ids, torch.ones_like(ids), chosen, draw_samples(logits, generator))
    changed = (replaced.labels[0] == 1).tolist()
    note = f"{_count(int(chosen.sum()))} chosen; the generator, here the grammar, put another word at {sum(changed)}."
    asked = ["replaced" if one else "real" for one in changed]
    return encoder_illustration(street_vocabulary().tokens(replaced.replaced_ids[0]), asked, note, altered=changed)


def show_next_token(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence, and at each word the one that follows."""
    text = (BOS, *say(scene, "english").tokens, EOS)
    inputs, labels = next_token_pair(_ids(text)[None])
    mask = causal(inputs.shape[1])
    return _show_written(inputs[0], labels[0], mask, "causal", "No chance is involved: every word is asked for.")


def show_prefix_lm(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """A prefix that is read in both directions; what follows it is asked for."""
    text = (BOS, *say(scene, "english").tokens, EOS)
    length = min(max(round(len(text) * rate), 1), len(text) - 1)
    example = prefix_lm_batch(_ids(text)[None], torch.tensor([length]))
    note = f"The first {length} tokens are the prefix: given, and not asked for."
    return _show_written(example.input_ids[0], example.labels[0], example.mask[0, 0], "prefix", note)


def show_permuted_order(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence with an order drawn; the last words in that order are asked for."""
    words = say(scene, "english").tokens
    order = torch.randperm(len(words), generator=generator)
    last = order[len(words) - max(round(len(words) * rate), 1) :].tolist()
    return Illustration(
        inputs=words,
        asked=tuple(word if place in last else "" for place, word in enumerate(words)),
        counts=tuple(place in last for place in range(len(words))),
        altered=(False,) * len(words),
        mask_kind="permuted",
        mask=mask_rows(permutation_mask(order)),
        note=f"An order is drawn; its last {len(last)} are asked for, and each sees only those whose turn came before.",
        marks=tuple(str(turn + 1) for turn in order.argsort().tolist()),
        marks_mean="turn",
    )


def show_distillation(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """Masked tokens, with all that a teacher holds possible besides the right word."""
    shown = show_masked_tokens(scene, generator, rate)
    words = say(scene, "english").tokens
    asked = [_with_others(words, place) if one else "" for place, one in enumerate(shown.counts)]
    note = f"{shown.note} The teacher, here the grammar, names every word that fits when all others are known."
    return encoder_illustration(shown.inputs, asked, note, altered=shown.altered)


def fitting_words(words: Words, place: int) -> list[str]:
    """The words that make a sentence of the street in one place of a sentence.

    >>> fitting_words(say(Scene("animal", "cross", "street", "tired"), "english").tokens, 2)
    ["didn't", "couldn't", "wouldn't"]
    """
    before, after = words[:place], words[place + 1 :]
    return [word for word in words_of("english") if is_grammatical((*before, word, *after))]


def _mask(
    words: Words,
    vocabulary: Vocabulary,
    candidates: Words,
    word_ids: list[int],
    generator: torch.Generator,
    rate: float,
) -> MaskedWords:
    ids = torch.tensor([vocabulary.ids(words)])
    chances = draw_chances(ids.shape, torch.tensor(vocabulary.ids(candidates)), generator)
    choice = share_in_words(chances.choice, torch.tensor([word_ids]))
    chances = chances._replace(choice=choice)
    return mask_words(ids, torch.ones_like(ids), *chances, vocabulary.ids([MASK])[0], rate=rate)


def _show_masked(words: Words, masked: MaskedWords, vocabulary: Vocabulary) -> Illustration:
    inputs = vocabulary.tokens(masked.masked_ids[0])
    chosen = (masked.labels[0] != IGNORE).tolist()
    asked = [word if one else "" for word, one in zip(words, chosen, strict=True)]
    hidden = inputs.count(MASK)
    exchanged = sum(a != b for a, b in zip(inputs, words, strict=True)) - hidden
    left = sum(chosen) - hidden - exchanged
    note = f"{_count(sum(chosen))} chosen: {hidden} hidden, {exchanged} exchanged, {left} left unchanged."
    return encoder_illustration(inputs, asked, note, altered=[a != b for a, b in zip(inputs, words, strict=True)])


def _show_pair(pair: LabeledPair, answers: tuple[str, str], told: tuple[str, str]) -> Illustration:
    inputs = street_vocabulary().tokens(pair.input_ids)
    asked = [answers[pair.label], *[""] * (len(inputs) - 1)]
    marks = tuple("AB"[segment] for segment in pair.segment_ids.tolist())
    return encoder_illustration(
        inputs, asked, f"A coin was tossed. {told[pair.label]}", marks=marks, marks_mean="segment"
    )


def _show_written(input_ids: Tensor, labels: Tensor, mask: Tensor, kind: str, note: str) -> Illustration:
    names = street_vocabulary().tokens
    asked = tuple("" if label == IGNORE else names([label])[0] for label in labels.tolist())
    inputs = tuple(names(input_ids))
    return Illustration(inputs, asked, tuple(map(bool, asked)), (False,) * len(inputs), kind, mask_rows(mask), note)


def _with_others(words: Words, place: int) -> str:
    others = len(fitting_words(words, place)) - 1
    return f"{words[place]} or {others} others" if others else f"only {words[place]}"


def _halves(scene: Scene) -> tuple[Words, Words]:
    words = say(scene, "english").tokens
    at = words.index("because")
    return words[:at], words[at:]


def _cut(word: str) -> tuple[str, ...]:
    return (word,) if len(word) < LONG_WORD else (word[:3], f"##{word[3:]}")


def _coin(generator: torch.Generator) -> bool:
    return bool(torch.randint(2, (), generator=generator))


def _count(number: int) -> str:
    return {0: "No token was", 1: "1 token was"}.get(number, f"{number} tokens were")


def show_translation_pairs(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence in English to read, in French to write."""
    batch = translation([scene], "french")
    inputs, target = batch.input_ids[0], batch.labels[0][:-1]
    return _show(inputs, target, [False] * len(inputs), "No chance is involved: somebody translated the sentence.")


def show_span_corruption(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence with sentinels in the place of spans; only the spans are written."""
    ids = _ids(say(scene, "english").tokens)
    spans = draw_spans(len(ids), generator, rate=rate)
    corrupted = corrupt_spans(ids, spans, _ids(SENTINELS))
    stands_for = [name in SENTINELS for name in VOCABULARY.tokens(corrupted.input_ids)]
    hidden = sum(stop - start for start, stop in spans)
    note = f"{hidden} of {len(ids)} tokens are hidden, in {len(spans)} span{'s' * (len(spans) != 1)}."
    return _show(corrupted.input_ids, corrupted.target_ids, stands_for, note)


def show_text_infilling(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence with one mask in the place of each span; all of it is written."""
    ids, mask_id = _ids(say(scene, "english").tokens), int(_ids([MASK]))
    spans = draw_infilling_spans(len(ids), generator, rate=rate)
    damaged = infill(ids, spans, mask_id)
    lengths = ", ".join(str(stop - start) for start, stop in spans) or "none"
    note = f"The masks replace spans of these lengths: {lengths}. The model is not told the lengths."
    return _show(damaged, ids, (damaged == mask_id).tolist(), note)


def show_sentence_permutation(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence and its summary in an order drawn at random; both are written in their order."""
    ids = _ids((*say(scene, "english").tokens, *summary(scene)))
    order = torch.randperm(2, generator=generator).tolist()
    drawn = "kept" if order == [0, 1] else "swapped"
    note = f"The text has two sentences, the second a summary; their order was {drawn}."
    return _show(permute_sentences(ids, _ids(["."]), order), ids, [drawn == "swapped"] * len(ids), note)


def _show(inputs: Tensor, target: Tensor, altered: Sequence[bool], note: str) -> Illustration:
    written = decoder_text(target, VOCABULARY.bos_id, VOCABULARY.eos_id)
    asked = tuple(VOCABULARY.tokens(written.labels))
    return Illustration(
        inputs=tuple(VOCABULARY.tokens(inputs)),
        asked=asked,
        counts=(True,) * len(asked),
        altered=tuple(altered),
        mask_kind="encoder–decoder",
        mask=encoder_decoder_mask_rows(len(inputs), len(asked)),
        note=note,
        decoder_inputs=tuple(VOCABULARY.tokens(written.decoder_input_ids)),
    )


def _ids(words: Words) -> Tensor:
    return torch.tensor(VOCABULARY.ids(words))
