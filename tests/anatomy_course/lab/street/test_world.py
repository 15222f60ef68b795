"""The street as a whole: its tables, how many scenes there are, who learns from which, and how they are balanced."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import pytest
import torch
from hypothesis import given, strategies as st

from anatomy_course.lab import street
from anatomy_course.lab.street.inventory import BESIDE, SPLITS, bare_scenes, scene_from_number
from anatomy_course.lab.street.lexicon import (
    ADJECTIVE,
    GLUE,
    NOUN,
    VERB,
    english_words,
    french_words,
    meanings,
    words_of,
)
from anatomy_course.lab.street.sampling import sample_minimal_pairs, sample_scenes
from anatomy_course.lab.street.scene import REFERENTS, clear_reasons
from anatomy_course.lab.street.words import ADJECTIVES, CONSONANT_H, KINDS, LANGUAGES, NOUNS, VERBS, kinds

pytestmark = pytest.mark.usefixtures("unchecked_file")  # all scenes of the world, again and again


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def bare():
    return list(bare_scenes())


# ---- tables ----


def test_tables_are_sound():
    for language, words in (("english", english_words), ("french", french_words)):
        forms = [form for word in (*NOUNS, *ADJECTIVES, *VERBS) for form in words(word)]
        assert len(set(forms)) == len(forms), "no word means two things"
        assert not set(forms) & set(GLUE[language].split())
        assert len(words_of(language)) <= 250
    assert all(noun.gender in ("m", "f") and noun.kind in KINDS for noun in NOUNS)
    assert all(adjective.beside_noun in ("before", "after", "") for adjective in ADJECTIVES)
    assert all(adjective.fits or adjective.beside_noun for adjective in ADJECTIVES)
    assert all(ADJECTIVE[name].english == name for name in ADJECTIVE)
    assert {noun.french for noun in NOUNS} >= set(CONSONANT_H)
    for kind in KINDS:
        genders = Counter(noun.gender for noun in NOUNS if noun.kind == kind)
        assert abs(genders["m"] - genders["f"]) <= 1, kind
    with pytest.raises(ValueError, match=r"Unknown kind \['sky'\]"):
        kinds("street sky")


def test_the_adjectives_of_food_as_a_french_reader_wrote_them():
    food = [word for word in ADJECTIVES if "food" in word.fits]
    assert {word.english: (word.masculine, word.feminine, sorted(word.fits)) for word in food} == {
        "old": ("vieux", "vieille", ["animal", "building", "food", "machine"]),
        "cold": ("froid", "froide", ["food", "water"]),
        "hot": ("chaud", "chaude", ["food"]),
        "salty": ("salé", "salée", ["food"]),
        "spicy": ("épicé", "épicée", ["food"]),
        "dry": ("sec", "sèche", ["food"]),
    }


def test_either_noun_can_be_meant_everywhere():
    for verb in VERBS:
        for subject, object, referent in product(verb.subjects, verb.objects, REFERENTS):
            assert len(clear_reasons(subject, object, referent)) >= 3


def test_every_word_is_used(bare):
    for language in LANGUAGES:
        used = {token for scene in bare[::13] for token in street.say(scene, language).tokens}
        # Adjectives that stand only beside a noun, and the base form of verbs that did happen, for questions.
        beside = {form for form, word in meanings(language).items() if getattr(word, "beside_noun", "")}
        base = {form for verb in VERBS if verb.past for form in (verb.english, verb.infinitive)}
        assert set(meanings(language)) - used <= beside | base


# ---- how many ----


def test_more_than_a_hundred_thousand_scenes(bare):
    assert len(set(bare)) == len(bare) >= 100_000


def test_translation_is_a_function_both_ways(bare):
    scenes = dict.fromkeys([*bare[::13], *sample_scenes(5_000, chance(3))])
    for language in LANGUAGES:
        assert len({street.say(scene, language).tokens for scene in scenes}) == len(scenes)
    assert not any(scene.is_ambiguous for scene in bare)


def test_half_of_the_nouns_stand_alone_and_each_adjective_beside_as_many_of_the_others():
    numbers = torch.randint(2**63 - 1, (3000,), generator=chance()).tolist()
    scenes = map(scene_from_number, numbers)
    counts = Counter(word for scene in scenes for word in (scene.subject_adjective, scene.object_adjective))
    assert counts.keys() == set(BESIDE)
    assert all(abs(counts[word] / 6000 - (0.05 if word else 0.5)) < 0.02 for word in BESIDE), counts
    with pytest.raises(ValueError, match="0 or more, not -1"):
        scene_from_number(-1)


# ---- splits ----


def test_no_combination_of_the_test_was_seen(bare):
    seen = {split: set() for split in SPLITS}
    for scene in bare:
        seen[street.split_of(scene)].add((scene.subject, scene.object, scene.reason))
    for one, other in combinations(SPLITS, 2):
        assert not seen[one] & seen[other]
    for split, least in (("train", 0.7), ("validation", 0.05), ("test", 0.05)):
        assert len(seen[split]) > least * sum(map(len, seen.values()))
    # Each word by itself was seen, so that only the combination is new.
    for place in range(3):
        everything = {combination[place] for split in SPLITS for combination in seen[split]}
        assert {combination[place] for combination in seen["train"]} == everything
    assert {noun for pair in seen["train"] for noun in pair[:2]} == set(NOUN)
    assert {scene.verb for scene in bare if street.split_of(scene) == "train"} == set(VERB)
    for reason in ("tired", "wide"):  # the first sentence is kept for the test
        assert street.split_of(street.Scene("animal", "cross", "street", reason)) == "test"


# ---- sampling ----


def test_labels_are_balanced():
    drawn = sample_scenes(4_000, chance(1), "train")
    for of, classes, tolerance in (
        (lambda scene: scene.topic, 5, 0.04),
        (lambda scene: scene.referent, 2, 0.04),
        (street.pronoun, 2, 0.05),
        (lambda scene: NOUN[scene.subject].gender, 2, 0.06),
    ):
        counts = Counter(map(of, drawn))
        assert len(counts) == classes
        assert all(abs(count / len(drawn) - 1 / classes) < tolerance for count in counts.values()), counts
    # Every reason, and every noun, often enough to be learnt.
    for of, words in (
        (lambda scene: [scene.reason], [adjective.english for adjective in ADJECTIVES if adjective.fits]),
        (lambda scene: [scene.subject, scene.object], list(NOUN)),
    ):
        counts = Counter(word for scene in drawn for word in of(scene))
        assert min(counts[word] for word in words) > 20


def test_the_same_seed_gives_the_same_scenes():
    assert sample_scenes(300, chance(5), "test") == sample_scenes(300, chance(5), "test")
    assert sample_scenes(300, chance(5)) != sample_scenes(300, chance(6))
    assert sample_scenes(0, chance()) == []
    assert all(street.split_of(scene) == "validation" for scene in sample_scenes(50, chance(2), "validation"))
    with pytest.raises(ValueError, match="there is no 'exam'"):
        sample_scenes(1, chance(), "exam")


# ---- minimal pairs ----


@given(st.builds(scene_from_number, st.integers(0, 2**63 - 1)))
def test_a_flip_changes_one_adjective_and_the_referent(scene):
    for other in street.flips(scene):
        assert other.referent != scene.referent and not other.is_ambiguous
        assert replace(other, reason=scene.reason, referent=scene.referent) == scene
        ours, theirs = (street.say(one, "english").tokens for one in (scene, other))
        assert [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b] == [(scene.reason, other.reason)]
        assert scene in street.flips(other)


def test_minimal_pairs():
    pairs = sample_minimal_pairs(200, chance(4), different_gender=True)
    assert len(set(pairs)) == 200
    for pair in pairs:
        assert pair.different_gender
        assert set(pair.pronouns) == {"il", "elle"}
        assert pair.about_subject.referent == "subject"
        assert pair.about_object.referent == "object"
        assert street.split_of(pair.about_subject) == street.split_of(pair.about_object) == "test"
        for scene, pronoun in zip((pair.about_subject, pair.about_object), pair.pronouns, strict=True):
            assert pronoun in street.say(scene, "french").tokens
    assert not all(pair.different_gender for pair in sample_minimal_pairs(50, chance(4)))


def test_the_grammar_needs_no_torch():
    program = "import sys, anatomy_course.lab.street; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
