"""The table of objectives, and what each makes of sentences of the street."""

import pytest
import torch

from anatomy_course.lab.objectives import OBJECTIVES
from anatomy_course.lab.objectives.illustrate import SENTINELS, fitting_words
from anatomy_course.lab.street import Scene, is_grammatical, say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.taxonomy import TREE, trained_on

SCENE = Scene("animal", "cross", "street", "tired", subject_adjective="old")
WORDS = say(SCENE, "english").tokens
SCENES = sample_scenes(9, torch.Generator().manual_seed(1))
RATED = [name for name, objective in OBJECTIVES.items() if objective.rate is not None]


def drawn(name, seed=0, rate=None, scene=SCENE):
    return OBJECTIVES[name].show(scene, torch.Generator().manual_seed(seed), rate)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_everything_shown_fits_together(name):
    for seed, scene in enumerate(SCENES):
        shown = drawn(name, seed, scene=scene)
        answers = shown.decoder_inputs or shown.inputs
        assert len(shown.asked) == len(shown.counts) == len(answers) and len(shown.altered) == len(shown.inputs)
        assert all(bool(word) == counts for word, counts in zip(shown.asked, shown.counts, strict=True))
        size = len(shown.inputs) + len(shown.decoder_inputs)
        assert len(shown.mask) == size and {len(row) for row in shown.mask} == {size}
        assert len(shown.marks) in (0, len(shown.inputs)) and bool(shown.marks) == bool(shown.marks_mean)
        assert shown == drawn(name, seed, scene=scene), "the same seed, the same drawing"


@pytest.mark.parametrize("name", RATED)
@pytest.mark.usefixtures("shapes_unchecked")
def test_the_rate_is_obeyed(name):
    few, many = (sum(concerned(name, drawn(name, seed, rate)) for seed in range(7)) for rate in (0.1, 0.7))
    assert many > 3 * few > 0
    with pytest.raises(ValueError, match=r"rate is 1\.1, but it must be from 0 to 1"):
        drawn(name, rate=1.1)
    with pytest.raises(ValueError, match="'next token' has no rate; leave it out"):
        drawn("next token", rate=0.5)


def concerned(name, shown):
    """How many tokens the rate has reached."""
    if shown.decoder_inputs:
        return len(WORDS) - shown.altered.count(False)
    return {"prefix LM": shown.counts.count(False), "replaced tokens": sum(shown.altered)}.get(name, sum(shown.counts))


def test_some_model_learnt_by_each_objective():
    for name, objective in OBJECTIVES.items():
        assert trained_on(name) or objective.models
        assert not {model.name for model in TREE} & set(objective.models), "its row in the tree says so"


def test_masked_tokens_ask_for_the_words_themselves():
    for seed in range(9):
        shown = drawn("masked tokens", seed, 0.4)
        for word, given, asked, altered in zip(WORDS, shown.inputs, shown.asked, shown.altered, strict=True):
            assert asked in ("", word) and altered == (given != word) and (asked or not altered)


def test_whole_words_are_asked_for_whole():
    halves = 0
    for seed in range(9):
        shown = drawn("whole words", seed, 0.4)
        for i in range(1, len(shown.marks)):
            if shown.marks[i] == shown.marks[i - 1]:
                assert shown.counts[i] == shown.counts[i - 1]
                halves += shown.counts[i]
    assert halves > 3 and shown.marks[-1] == str(len(WORDS))


def test_pairs_are_asked_at_the_first_token():
    answers = {name: set() for name in ("next sentence", "sentence order")}
    for seed in range(8):
        for name, told in answers.items():
            shown = drawn(name, seed)
            told.add(shown.asked[0])
            assert shown.counts == (True, *[False] * (len(shown.inputs) - 1)) and set(shown.marks) == {"A", "B"}
            text = [word for word in shown.inputs if word[0] != "<"]
            assert is_grammatical(text) == (shown.asked[0] in ("it follows", "in order"))
    assert answers == {"next sentence": {"it follows", "from elsewhere"}, "sentence order": {"in order", "swapped"}}


def test_replaced_tokens_ask_everywhere_and_stay_sensible():
    for seed in range(9):
        shown = drawn("replaced tokens", seed, 0.2)
        assert all(shown.counts) and sum(shown.altered) == shown.asked.count("replaced")
        assert [word != given for word, given in zip(WORDS, shown.inputs, strict=True)] == list(shown.altered)
        if sum(shown.altered) == 1:
            assert is_grammatical(shown.inputs), "what the generator puts in fits"


def test_writing_asks_for_the_next_token():
    shown = drawn("next token")
    assert shown.asked == (*WORDS, "<eos>") and shown.inputs == ("<bos>", *WORDS)
    prefixed = drawn("prefix LM", rate=0.3)
    given = prefixed.counts.index(True) + 1
    assert prefixed.inputs == shown.inputs and prefixed.asked[given - 1 :] == shown.asked[given - 1 :]
    assert prefixed.mask[0] == (True,) * given + (False,) * (len(prefixed.inputs) - given)
    assert f"The first {given} tokens" in prefixed.note


def test_permuted_orders_ask_for_the_last():
    shown = drawn("permuted order", rate=0.3)
    turns = [int(mark) for mark in shown.marks]
    assert sorted(turns) == list(range(1, len(WORDS) + 1))
    assert {turn for turn, counts in zip(turns, shown.counts, strict=True) if counts} == {10, 11, 12, 13}
    assert [sum(row) for row in shown.mask] == [turn - 1 for turn in turns]


def test_translation_pairs_are_translations():
    shown = drawn("translation pairs")
    assert shown.inputs == ("<french>", *WORDS) and shown.asked[:-1] == say(SCENE, "french").tokens
    assert shown.decoder_inputs == ("<bos>", *shown.asked[:-1])


def test_nothing_is_lost_in_span_corruption():
    for seed in range(9):
        shown = drawn("span corruption", seed, 0.4)
        answers, said = {}, []
        for word in shown.asked[:-1]:
            said = answers.setdefault(word, []) if word in SENTINELS else said
            said += [word] if word not in SENTINELS else []
        text = [part for word in shown.inputs for part in answers.get(word, [word])]
        assert tuple(text) == WORDS and shown.asked[-1] == "<eos>"
    reads = len(shown.inputs)
    for i, row in enumerate(shown.mask):  # an encoder–decoder's mask has three parts
        assert list(row) == [j < reads if i < reads else j < reads or j <= i for j in range(len(row))]


def test_the_whole_text_is_written():
    for name in ("text infilling", "sentence permutation"):
        for seed in range(5):
            shown = drawn(name, seed)
            assert shown.asked[: len(WORDS)] == WORDS and shown.asked[-1] == "<eos>"
    orders = {drawn("sentence permutation", seed).inputs[: len(WORDS)] == WORDS for seed in range(8)}
    assert orders == {True, False}


def test_the_teacher_names_all_that_fits():
    shown = next(shown for seed in range(99) if (shown := drawn("distillation", seed)).counts[2])
    assert WORDS[2] == "animal" and shown.asked[2] == "animal or 15 others"
    assert len(fitting_words(WORDS, 2)) == 16
    assert fitting_words(WORDS, WORDS.index("because")) == ["because"]
