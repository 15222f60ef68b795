"""Pronoun exchange: pairs that differ in one fact, places that are the right words, and an exchange that is clean."""

from itertools import combinations

import pytest
import torch

from anatomy_course.content.encoder_decoder.swap import swap
from anatomy_course.lab.experiments import pronoun_exchange
from anatomy_course.lab.experiments.pronoun_exchange import (
    FACTS,
    WRITTEN,
    Exchange,
    exchange_pairs,
    judge_smallest_set,
    measure_exchanges,
    recorded_exchanges,
    source_words,
    written_words,
)
from anatomy_course.lab.experiments.pronoun_heads import AttentionHead, all_heads, new_pronoun_test
from anatomy_course.lab.street import pronoun, street_vocabulary
from anatomy_course.lab.street.sampling import sample_minimal_pairs
from anatomy_utils.tap import edit
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

CHANCE = torch.Generator().manual_seed(3)
TEST = new_pronoun_test(sample_minimal_pairs(20, CHANCE, different_gender=True))
PAIRS = exchange_pairs(TEST, CHANCE, scenes=30)
WORDS = street_vocabulary().words


@pytest.fixture(scope="module")
def model():
    """Untrained, and large enough in its numbers that its choice between *il* and *elle* turns with what it reads."""
    config = TransformerConfig(
        len(WORDS), d_model=12, num_layers=1, num_decoder_layers=2, num_heads=3, d_ff=8, pre_norm=True, dropout=0.0
    )
    model = transformer(config, generator=torch.Generator().manual_seed(0)).eval()
    for weight in model.parameters():
        weight.data.mul_(5)
    return model


def differing(test, name):
    """The places at which the two texts of each pair differ."""
    ids = getattr(test.batch, name)
    return [
        [int(place) for place in (first != second).nonzero()] for first, second in zip(ids[::2], ids[1::2], strict=True)
    ]


def test_pairs_differ_in_one_word_of_the_source_and_in_their_fact_alone():
    assert tuple(PAIRS) == FACTS
    for fact, test in PAIRS.items():
        assert len(test.scenes) >= 30 and len(test.scenes) % 2 == 0
        words = source_words(test)
        expected = words["reason" if "noun" in fact else "noun"][::2, 0].tolist()
        assert differing(test, "input_ids") == [[place] for place in expected], fact
        same = [pronoun(a) == pronoun(b) for a, b in zip(test.scenes[::2], test.scenes[1::2], strict=True)]
        assert set(same) == {"same" in fact}, fact
        assert torch.equal(test.places[::2], test.places[1::2])


def test_words_are_where_they_are_said_to_be():
    for test in PAIRS.values():
        rows = torch.arange(len(test.scenes))[:, None]
        read = test.batch.input_ids[rows, torch.cat(list(source_words(test).values()), dim=1)]
        for row, (scene, ids) in enumerate(zip(test.scenes, read.tolist(), strict=True)):
            first = test.scenes[row - row % 2]
            other = "object" if first.referent == "subject" else "subject"
            nouns = [getattr(scene, first.referent), getattr(scene, other)]
            assert [WORDS[id] for id in ids] == [*nouns, "because", "it", "was", "too", scene.reason, "."]
        written = written_words(test)
        articles = test.batch.decoder_input_ids[rows, written["article"]]
        assert {WORDS[id] for id in articles.flatten().tolist()} <= {"le", "la", "l'", "les", "au", "du"}
        if test is not PAIRS[FACTS[0]]:  # there the first text's noun is no fact of the second
            nouns = {each: written["noun"][each].tolist() for each in range(len(rows))}
            for row, (first, second) in enumerate(differing_rows(test)):
                article = int(written["article"][2 * row])
                assert set(range(first, second + 1)) <= {article, *nouns[2 * row]}


def differing_rows(test):
    """First and last place before the pronoun at which the French of a pair differs; only where it does."""
    for number, places in enumerate(differing(test, "decoder_input_ids")):
        before = [place for place in places if place <= int(test.places[2 * number])]
        yield (before[0], before[-1]) if before else (0, -1)


def test_with_all_of_the_memory_or_of_the_text_exchanged_the_partner_speaks(model):
    test = PAIRS[FACTS[1]]
    exchange = Exchange(model, test, swap)
    length = test.batch.input_ids.shape[1]
    everything = torch.arange(length).expand(len(test.scenes), -1)
    differ = (exchange._pronouns[::2] != exchange._pronouns[1::2]).float().mean().item()
    assert 0.1 < differ < 1, "an untrained model answers some pairs alike"
    both = {exchange.memory: everything, WRITTEN: written_words(test)["all"]}
    assert exchange.flips(both) == pytest.approx(differ)
    assert exchange.flips({exchange.memory: torch.zeros(len(test.scenes), 1, dtype=torch.long)}) < differ


def test_two_tensors_exchanged_at_once_both_come_from_the_clean_run(model):
    exchange = Exchange(model, TEST, swap)
    differ = (exchange._pronouns[::2] != exchange._pronouns[1::2]).float().mean().item()
    at_last = {"decoder.layers.1.output": TEST.places[:, None]}
    earlier = {"decoder.layers.0.output": TEST.places[:, None]}
    assert exchange.flips(at_last) == exchange.flips(at_last | earlier) == pytest.approx(differ)


def test_heads_are_exchanged_one_by_one_and_together_are_their_attention(model):
    exchange = Exchange(model, TEST, swap)
    seen = []

    def noting(now, clean, places):
        changed = swap(now, clean, places)
        seen.append((changed != now).any(dim=-1))
        return changed

    exchange.swap = noting
    exchange.flips(exchange.of_heads([AttentionHead("cross", 1, 2)]))
    (changed,) = seen
    for row, place in enumerate(TEST.places.tolist()):
        assert changed[row].nonzero().flatten().tolist() in ([place * 3 + 2], [])
    assert changed.any()
    cross = [head for head in all_heads(model) if head.organ == "cross"]
    of_all = exchange.of_heads(cross)
    assert {name: places.shape for name, places in of_all.items()} == {
        f"decoder.layers.{layer}.cross_attention.context": (len(TEST.scenes), 3) for layer in (0, 1)
    }
    (encoder,) = exchange.of_heads([AttentionHead("encoder", 0, 1)]).values()
    assert encoder[0].tolist() == [3 * place + 1 for place in range(TEST.batch.input_ids.shape[1])]


def test_other_sets_are_of_one_size_and_never_the_chosen_one():
    assert sorted(pronoun_exchange._other_sets(4, [2], 20)) == [(0,), (1,), (3,)]
    drawn = pronoun_exchange._other_sets(5, [4, 0, 1], 6)
    assert len({*drawn}) == 6 and (0, 1, 4) not in drawn and {len(each) for each in drawn} == {3}


def test_a_set_of_heads_is_searched_on_one_test_and_judged_on_the_other(model):
    asked = []

    def search(flips, num_parts, enough):
        asked.append((flips([2, 4]), num_parts, enough))
        return [4, 2]

    chosen, judged = judge_smallest_set(model, TEST, PAIRS[FACTS[1]], swap, search)
    heads = [AttentionHead("cross", layer, head) for layer in (0, 1) for head in range(3)]
    of_search, of_judge = (Exchange(model, test, swap).flips_of(heads) for test in (TEST, PAIRS[FACTS[1]]))
    assert asked == [(of_search([2, 4]), 6, 0.9)] and chosen == [heads[4], heads[2]]
    others = [of_judge(each) for each in combinations(range(6), 2) if each != (2, 4)]
    assert judged.heads == "cross 1·1, cross 0·2" and judged.flips == of_judge([2, 4])
    assert judged[2:] == (pytest.approx(sum(others) / 14), max(others)) and of_search([2, 4]) != of_judge([2, 4])


def test_what_is_measured_has_the_form_of_what_was_recorded(model):
    found = measure_exchanges(model, PAIRS, swap)
    recorded = recorded_exchanges()
    assert sorted(recorded) == [0, 1, 2, 3]
    for each, _ in recorded.values():
        assert list(each.vectors) == list(found.vectors)
        assert {len(shares) for shares in each.vectors.values()} == {len(FACTS)}
        assert {*found.attentions} < {*each.attentions}, "this one has a layer less"
    assert found.vectors["French: all"][0] == 0, "the same text"
    assert all(0 <= share <= 1 for shares in found.vectors.values() for share in shares)


def test_the_notebook_says_of_four_seeds_what_was_recorded():
    for each, _ in recorded_exchanges().values():
        reason, it, noun, other, article, words, text, both = (
            each.vectors[name]
            for name in (
                "source: reason",
                "source: it",
                "source: noun",
                "source: other noun",
                "French: article",
                "French: noun",
                "French: all",
                "noun + French",
            )
        )
        assert reason[0] > 0.93 and max(it[0], noun[0], other[0], text[0]) < 0.01
        assert 0.1 < noun[1] < 0.8 and 0.1 < text[1] < 0.7 and both[1] > 0.93
        whole = each.vectors["source: all"]
        assert 0.95 < whole[1] + text[1] < 1.05 and noun[1] <= whole[1] + 0.02
        assert article[1] > words[1]
        assert max(share for shares in each.vectors.values() for share in shares[2:]) < 0.08
        assert max(each.attentions[name] for name in ("encoder 0", "encoder 1", "decoder 0")) < 0.04
        assert each.attentions["encoder, all layers"] < 0.1 and each.attentions["cross, all layers"] > 0.93
    reached = sorted(each.attentions["cross 0"] > 0.9 for each, _ in recorded_exchanges().values())
    assert reached == [False, True, True, True]
    sets = [smallest for _, smallest in recorded_exchanges().values()]
    assert [each.heads.count("cross") for each in sets] == [1, 1, 2, 3]
    assert all(each.flips > max(0.88, each.others_most) for each in sets) and sets[3].others_most > 0.95
    assert pronoun_exchange.RECORDED.stat().st_size < 10_000


def test_a_probe_finds_what_is_there_and_nothing_where_nothing_is():
    """The word of the reason says which noun is meant; without attention, the vector of *was* is always the same."""
    config = TransformerConfig(len(WORDS), d_model=66, num_layers=1, num_heads=3, d_ff=8, pre_norm=True, dropout=0.0)
    wide = transformer(config, generator=torch.Generator().manual_seed(0)).eval()
    learned, judged = (
        new_pronoun_test(sample_minimal_pairs(count, torch.Generator().manual_seed(9), split, different_gender=True))
        for count, split in ((300, "train"), (40, "test"))
    )
    right, shuffled = pronoun_exchange.probe(wide, learned, judged, "reason")
    assert right > 0.9 and 0.3 < shuffled < 0.7
    with edit(wide.encoder, {"layers.0.self_attention.output": torch.zeros_like}):
        right, _ = pronoun_exchange.probe(wide, learned, judged, "was")
    assert 0.4 < right < 0.6
