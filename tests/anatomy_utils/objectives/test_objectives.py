"""Objectives by hand, by what must always hold, as the papers print them, and against transformers' collators."""

import math
from functools import cache

import pytest
import torch
import transformers
from hypothesis import given, settings, strategies as st
from seeds import SEEDS, generator

from anatomy_utils.functional.masks import causal
from anatomy_utils.objectives.masked_tokens import draw_chances, mask_words
from anatomy_utils.objectives.permutation_lm import permutation_mask
from anatomy_utils.objectives.prefix_lm import prefix_lm_batch, prefix_mask
from anatomy_utils.objectives.replaced_tokens import draw_samples, replace_tokens
from anatomy_utils.objectives.sentence_pairs import join_pair, next_sentence, sentence_order
from anatomy_utils.objectives.span_corruption import corrupt_spans, draw_spans
from anatomy_utils.objectives.span_sampling import place_spans
from anatomy_utils.objectives.text_infilling import draw_infilling_spans, infill, permute_sentences
from anatomy_utils.objectives.text_pairs import decoder_text
from anatomy_utils.objectives.whole_word_masking import NO_WORD, share_in_words, word_numbers
from anatomy_utils.pretrained import PACKAGES
from anatomy_utils.training import IGNORE, next_token_pair

MASK, VOCAB_SIZE = 99, 100
SENTINELS = torch.arange(1000, 1101)
FEW = settings(max_examples=30)


def texts(batch=67, length=31, seed=0):
    """Ids from 10 on, padded at the end; the first token is special. What may be chosen, and what is real."""
    ids = torch.randint(10, MASK, (batch, length), generator=generator(seed))
    real = (torch.arange(length) < torch.randint(5, length + 1, (batch, 1), generator=generator(seed + 1))).long()
    may = real.clone()
    may[:, 0] = 0
    return ids.masked_fill(real == 0, 0), may, real


def within(count, trials, probability, sigmas=4.5):
    """Whether a count is what a binomial distribution lets expect."""
    return abs(count - trials * probability) <= sigmas * math.sqrt(trials * probability * (1 - probability))


# ---- masked words, whole words ----


def test_masked_words_in_their_shares():
    ids, may, _ = texts()
    chances = draw_chances(ids.shape, torch.arange(10, 90), generator(2))
    masked = mask_words(ids, may, *chances, MASK, rate=0.3)
    chosen = masked.labels != IGNORE
    assert not (chosen & (may == 0)).any()
    assert torch.equal(masked.masked_ids[~chosen], ids[~chosen]) and torch.equal(masked.labels[chosen], ids[chosen])
    assert within(int(chosen.sum()), int(may.sum()), 0.3)
    hidden = masked.masked_ids[chosen] == MASK
    assert within(int(hidden.sum()), int(chosen.sum()), 0.8)
    changed = (masked.masked_ids != ids)[chosen] & ~hidden
    assert within(int(changed.sum()), int(chosen.sum()), 0.1 * 79 / 80)  # one of the 80 candidates is the word itself
    assert masked.masked_ids[chosen][changed].max() < 90


@cache
def collators():
    """MiniLM's tokenizer in transformers' hands, and their two collators over it."""
    folder = PACKAGES["minilm"].path()
    if folder is None:
        pytest.skip("the MiniLM package is not installed, and with it its tokenizer: make test installs it")
    specials = {f"{name}_token": f"[{name.upper()}]" for name in ("cls", "sep", "pad", "mask", "unk")}
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), **specials)
    make = transformers.DataCollatorForLanguageModeling
    whole_words = make(tokenizer, whole_word_mask=True, mask_replace_prob=1, random_replace_prob=0)
    return tokenizer, [make(tokenizer), whole_words]


def test_shares_are_those_of_transformers_collator():
    tokenizer, (collator, _) = collators()
    specials = set(tokenizer.all_special_ids)
    ids = torch.randint(1000, 20_000, (61, 53), generator=generator(3))
    ids[:, 0], ids[:, -1] = tokenizer.cls_token_id, tokenizer.sep_token_id
    may = torch.tensor([[int(token not in specials) for token in row] for row in ids.tolist()])
    with torch.random.fork_rng():
        torch.manual_seed(4)
        theirs = collator.torch_mask_tokens(ids.clone())
    chances = draw_chances(ids.shape, torch.arange(len(tokenizer)), generator(5))
    ours = mask_words(ids, may, *chances, tokenizer.mask_token_id)
    for masked, labels in (theirs, ours):
        chosen = labels != -100
        assert within(int(chosen.sum()), int(may.sum()), 0.15) and not chosen[:, [0, -1]].any()
        assert within(int((masked[chosen] == tokenizer.mask_token_id).sum()), int(chosen.sum()), 0.8)
        assert within(int((masked[chosen] == ids[chosen]).sum()), int(chosen.sum()), 0.1)


def test_whole_words_are_those_of_transformers_collator():
    tokenizer, (_, collator) = collators()
    read = tokenizer("an unbelievably slippery hedgehog outran motorbikes", return_offsets_mapping=True,
                     return_special_tokens_mask=True, return_tensors="np")  # fmt: skip
    pieces = tokenizer.convert_ids_to_tokens(read["input_ids"][0])
    theirs, _ = collator._calc_word_ids_and_prob_mask(read["offset_mapping"], read["special_tokens_mask"])
    ours = word_numbers(pieces)
    assert sum(piece.startswith("##") for piece in pieces) >= 3, "or there is nothing to see"
    assert [number + 1 if number != NO_WORD else NO_WORD for number in ours] == theirs[0].tolist()


def test_whole_words_stay_whole():
    ids, may, _ = texts()
    begins = torch.rand(ids.shape, generator=generator(6)) < 0.6
    word_ids = begins.long().cumsum(1).masked_fill(may == 0, NO_WORD)
    chances = draw_chances(ids.shape, torch.arange(10, 90), generator(7))
    choice = share_in_words(chances.choice, word_ids)
    labels = mask_words(ids, may, *chances._replace(choice=choice), MASK, rate=0.3).labels
    chosen = labels != IGNORE
    inside = (word_ids[:, 1:] == word_ids[:, :-1]) & (word_ids[:, 1:] != NO_WORD)
    assert torch.equal(chosen[:, 1:][inside], chosen[:, :-1][inside]) and chosen.any()
    outside = word_ids == NO_WORD
    assert torch.equal(choice[outside], chances.choice[outside]), "tokens of no word keep their own number"
    first = torch.ones_like(begins)
    first[:, 1:] = ~inside
    words = first & (may == 1)
    assert within(int((chosen & words).sum()), int(words.sum()), 0.3), "each word with the same chance, long or short"


def test_words_are_numbered_by_their_pieces():
    assert word_numbers("[CLS] ##a b ##c ##d [SEP] ##e f [PAD]".split()) == [-1, 0, 1, 1, 1, -1, 2, 3, -1]
    assert word_numbers(["<s>", "a", "##b"], special={"<s>"}) == [-1, 0, 0]


# ---- sentence pairs ----


def test_pairs_by_hand():
    first, second, other = torch.tensor([5, 6, 7]), torch.tensor([8, 9]), torch.tensor([11])
    assert next_sentence(first, second, other, False, 1, 4)[2] == 0
    pair = next_sentence(first, second, other, True, 1, 4)
    assert (pair.input_ids.tolist(), pair.segment_ids.tolist(), pair.label) == (
        [1, 5, 6, 7, 4, 11, 4], [0, 0, 0, 0, 0, 1, 1], 1,
    )  # fmt: skip
    kept, swapped = (sentence_order(first, second, swapped, 1, 4) for swapped in (False, True))
    assert kept.input_ids.tolist() == join_pair(first, second, 1, 4).input_ids.tolist() and kept.label == 0
    assert swapped.input_ids.tolist() == [1, 8, 9, 4, 5, 6, 7, 4] and swapped.label == 1
    assert swapped.segment_ids.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


# ---- replaced tokens ----


def test_only_what_changed_is_replaced():
    ids, _, real = texts()
    chosen = torch.rand(ids.shape, generator=generator(8)) < 0.4
    samples = torch.where(torch.rand(ids.shape, generator=generator(9)) < 0.5, ids, MASK)
    replaced = replace_tokens(ids, real, chosen, samples)
    padding = real == 0
    assert (replaced.labels[padding] == IGNORE).all() and torch.equal(replaced.replaced_ids[padding], ids[padding])
    assert torch.equal(replaced.labels == 1, chosen & ~padding & (samples == MASK))
    assert torch.equal(replaced.labels == 0, ~padding & ~(chosen & (samples == MASK)))
    assert (chosen & ~padding & (samples == ids)).any(), "a right guess was among them"


def test_the_generator_draws_with_its_probabilities():
    logits = torch.tensor([0.5, 0.3, 0.2, 0.0]).log().expand(37, 41, 4)
    samples = draw_samples(logits, generator(10))
    assert samples.shape == (37, 41)
    assert all(within(int((samples == k).sum()), 37 * 41, p) for k, p in enumerate((0.5, 0.3, 0.2)))
    assert not (samples == 3).any() and torch.equal(samples, draw_samples(logits, generator(10)))


# ---- prefixes, permuted orders ----


def test_prefix_lm_asks_behind_the_prefix():
    ids, _, real = texts(batch=3, length=11)
    real[:] = torch.tensor([[1] * 11, [1] * 8 + [0] * 3, [1] * 11])
    prefixes = torch.tensor([4, 5, 0])
    inputs, labels, mask = prefix_lm_batch(ids, prefixes, real)
    plain_inputs, plain_labels = next_token_pair(ids, real)
    assert torch.equal(inputs, plain_inputs)
    assert [(row != IGNORE).sum().item() for row in labels] == [11 - 4, 8 - 5, 10]
    assert torch.equal(labels[2], plain_labels[2]) and torch.equal(mask[2, 0], causal(10)), "no prefix: next token"
    assert torch.equal(mask, prefix_mask(prefixes, 10))
    places = torch.arange(10)
    assert torch.equal(mask[0, 0], (places < 4) | (places <= places[:, None]))
    for wrong in ([-1, 2, 0], [3, 7, 3]):
        with pytest.raises(ValueError, match=f"from {min(wrong)} to {max(wrong)}, but texts of 7 tokens .* 0 to 6"):
            prefix_lm_batch(ids[:, :7], torch.tensor(wrong))


@FEW
@given(SEEDS)
def test_permuted_orders_see_what_came_before(seed):
    order = torch.randperm(7, generator=generator(seed))
    mask = permutation_mask(order)
    for turn, query in enumerate(order.tolist()):
        assert set(mask[query].nonzero().flatten().tolist()) == set(order[:turn].tolist())
    assert torch.equal(permutation_mask(order, sees_itself=True), mask | torch.eye(7, dtype=torch.bool))


def test_an_order_names_each_place_once():
    with pytest.raises(ValueError, match=r"order is \[0, 0\]; expected each of 0 to 1 once"):
        permutation_mask(torch.tensor([0, 0]))


# ---- spans ----


def test_span_corruption_is_figure_2_of_the_paper():
    words = "Thank you for inviting me to your party last week".split()
    numbers = {word: number for number, word in enumerate([*words, "<X>", "<Y>", "<Z>"])}
    names = list(numbers)
    sentinels = torch.tensor([numbers[name] for name in ("<X>", "<Y>", "<Z>")])
    corrupted = corrupt_spans(torch.arange(len(words)), [(2, 4), (8, 9)], sentinels)
    assert " ".join(names[i] for i in corrupted.input_ids) == "Thank you <X> me to your party <Y> week"
    assert " ".join(names[i] for i in corrupted.target_ids) == "<X> for inviting <Y> last <Z>"


def restored(input_ids, target_ids):
    """The text that was corrupted: an answer put back where its sentinels stand."""
    marks, answers, said = set(SENTINELS.tolist()), {}, []
    for token in target_ids.tolist():
        if token in marks:
            said = answers.setdefault(token, [])
        else:
            said.append(token)
    return [part for token in input_ids.tolist() for part in (answers.get(token, []) if token in marks else [token])]


@FEW
@given(SEEDS, st.integers(2, 97), st.floats(0, 1), st.floats(1, 9))
def test_nothing_is_lost_in_corruption(seed, length, rate, mean_length):
    ids = torch.randint(0, 50, (length,), generator=generator(seed))
    spans = draw_spans(length, generator(seed), rate=rate, mean_length=mean_length)
    corrupted = corrupt_spans(ids, spans, SENTINELS)
    hidden = sum(stop - start for start, stop in spans)
    assert hidden == min(max(round(length * rate), 1), length - 1)
    assert all(stop > start for start, stop in spans)
    assert all(start > stop for (_, stop), (start, _) in zip(spans, spans[1:], strict=False)), "they never touch"
    assert len(corrupted.input_ids) == length - hidden + len(spans)
    assert len(corrupted.target_ids) == hidden + len(spans) + 1
    assert restored(*corrupted) == ids.tolist()


def test_spans_have_their_mean_length_and_come_everywhere():
    drawn = [draw_spans(101, generator(seed)) for seed in range(200)]
    assert {len(spans) for spans in drawn} == {5}  # 15 hidden, 3 at a time
    lengths = [stop - start for spans in drawn for start, stop in spans]
    assert sum(lengths) / len(lengths) == 3 and {1, 2, 3, 4, 5, 6} <= set(lengths)
    hidden = torch.zeros(101)
    for spans in drawn:
        for start, stop in spans:
            hidden[start:stop] += 1
    assert hidden.min() > 0 and hidden.max() < 80, "no place is spared, none is taken much more often"


def test_each_way_to_place_spans_is_alike():
    found = {}
    for seed in range(1200):
        spans = tuple(place_spans([2, 0], 3, generator(seed)))
        found[spans] = found.get(spans, 0) + 1
    assert len(found) == math.comb(4, 2) and all(within(count, 1200, 1 / 6) for count in found.values())
    assert all(0 <= a <= b < c == d <= 5 for (a, b), (c, d) in found)


def test_wrong_spans_get_one_sentence():
    ids = torch.arange(5)
    for spans in ([(2, 1)], [(0, 3), (2, 4)], [(3, 6)], [(-1, 2)]):
        with pytest.raises(ValueError, match="must lie in order, without overlap, within 0 to 5"):
            corrupt_spans(ids, spans, SENTINELS)
        with pytest.raises(ValueError, match="must lie in order"):
            infill(ids, spans, MASK)
    with pytest.raises(ValueError, match="2 spans need 3 sentinels, one for each and one at the end; there are 2"):
        corrupt_spans(ids, [(0, 1), (2, 3)], SENTINELS[:2])
    with pytest.raises(ValueError, match="5 spans do not fit around 3 kept tokens; at most 4 do"):
        place_spans([1] * 5, 3, generator())


# ---- infilling and permutation ----


@FEW
@given(SEEDS, st.integers(1, 97), st.floats(0, 1))
def test_infilling_hides_its_share_behind_single_masks(seed, length, rate):
    ids = torch.randint(0, 50, (length,), generator=generator(seed))
    spans = draw_infilling_spans(length, generator(seed), rate=rate)
    damaged = infill(ids, spans, MASK)
    hidden = sum(stop - start for start, stop in spans)
    assert hidden <= round(length * rate) and len(damaged) == length - hidden + len(spans)
    assert (damaged == MASK).sum() == len(spans)
    masks = (damaged == MASK).nonzero().flatten().tolist()
    assert all(later - earlier > 1 for earlier, later in zip(masks, masks[1:], strict=False))
    for place, (start, stop) in reversed(list(zip(masks, spans, strict=True))):
        damaged = torch.cat([damaged[:place], ids[start:stop], damaged[place + 1 :]])
    assert torch.equal(damaged, ids)


def test_infilled_spans_are_poisson():
    lengths = [stop - start for seed in range(60) for start, stop in draw_infilling_spans(211, generator(seed))[:-1]]
    assert abs(sum(lengths) / len(lengths) - 3) < 0.3
    assert within(lengths.count(0), len(lengths), math.exp(-3)) and lengths.count(0) > 0
    spans = draw_infilling_spans(211, generator(1))
    assert sum(stop - start for start, stop in spans) == round(211 * 0.3)


def test_sentences_are_permuted():
    ids, stops = torch.tensor([5, 1, 6, 7, 2, 8, 9, 10, 1]), torch.tensor([1, 2])
    assert permute_sentences(ids, stops, [2, 0, 1]).tolist() == [8, 9, 10, 1, 5, 1, 6, 7, 2]
    with pytest.raises(ValueError, match=r"order is \[0, 1\]; the text has 3 sentences"):
        permute_sentences(ids, stops, [0, 1])


def test_texts_are_written_one_token_ahead():
    written = decoder_text(torch.tensor([5, 6, 7]), 1, 2)
    assert written.decoder_input_ids[1:].tolist() == written.labels[:-1].tolist() == [5, 6, 7]
    assert (written.decoder_input_ids[0], written.labels[-1]) == (1, 2)
