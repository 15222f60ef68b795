"""Every objective on one sentence of the street, with the functions that training uses.

Each `show_…` takes a scene, a generator and a rate, and returns a `Shown`. Where a model's opinion is needed (ELECTRA's
generator, DistilBERT's teacher) the street's grammar stands in for it: it holds a word possible exactly if the sentence
stays one of the street.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from anatomy_course.lab.objectives.illustration import Illustration, encoder_illustration, mask_rows
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
from anatomy_utils.objectives.whole_word_masking import share_in_words, word_numbers
from anatomy_utils.training.losses import IGNORE
from anatomy_utils.training.teacher_forcing import next_token_pair

Words = Sequence[str]
LONG_WORD = 6
"""Words of so many letters are cut in two where whole words are shown."""


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


def _ids(words: Words) -> Tensor:
    return torch.tensor(street_vocabulary().ids(words))


def _coin(generator: torch.Generator) -> bool:
    return bool(torch.randint(2, (), generator=generator))


def _count(number: int) -> str:
    return {0: "No token was", 1: "1 token was"}.get(number, f"{number} tokens were")
