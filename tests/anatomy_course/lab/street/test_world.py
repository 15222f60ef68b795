"""The street as a whole: its tables, how many scenes there are, who learns from which, and how they are balanced."""

import subprocess
import sys
from collections import Counter
from itertools import islice

import pytest
import torch
from hypothesis import given, strategies as st

from anatomy_course.lab import street
from anatomy_course.lab.street.adjectives import ADJECTIVES
from anatomy_course.lab.street.inventory import bare_scenes, scene_from_number
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
from anatomy_course.lab.street.nouns import CONSONANT_H, NOUNS
from anatomy_course.lab.street.sampling import sample_minimal_pairs, sample_scenes
from anatomy_course.lab.street.scene import REFERENTS, clear_reasons
from anatomy_course.lab.street.splits import SPLITS
from anatomy_course.lab.street.verbs import VERBS
from anatomy_course.lab.street.word_types import KINDS, LANGUAGES, kinds

pytestmark = pytest.mark.usefixtures("unchecked_file")  # all scenes of the world, again and again


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def bare():
    return list(bare_scenes())


# ---- tables ----


def test_no_word_means_two_things():
    for language, words in (("english", english_words), ("french", french_words)):
        forms = [form for word in (*NOUNS, *ADJECTIVES, *VERBS) for form in words(word)]
        assert [form for form, count in Counter(forms).items() if count > 1] == []
        assert not set(forms) & set(GLUE[language].split())
        assert len(words_of(language)) <= 250


def test_tables_are_sound():
    assert all(noun.gender in ("m", "f") and noun.kind in KINDS for noun in NOUNS)
    assert all(adjective.beside_noun in ("before", "after", "") for adjective in ADJECTIVES)
    assert all(adjective.fits or adjective.beside_noun for adjective in ADJECTIVES)
    assert {noun.french for noun in NOUNS} >= set(CONSONANT_H)
    for kind in KINDS:
        genders = Counter(noun.gender for noun in NOUNS if noun.kind == kind)
        assert abs(genders["m"] - genders["f"]) <= 1, kind
    with pytest.raises(ValueError, match=r"Unknown kind \['sky'\]"):
        kinds("street sky")


def test_either_noun_can_be_meant_everywhere():
    for verb in VERBS:
        for subject in verb.subjects:
            for object in verb.objects:
                assert all(len(clear_reasons(subject, object, referent)) >= 3 for referent in REFERENTS)


def test_every_word_is_used(bare):
    for language in LANGUAGES:
        used = {token for scene in bare[::13] for token in street.say(scene, language).tokens}
        unused = set(meanings(language)) - used
        # Adjectives that stand only beside a noun, and the base form of verbs that did happen, for questions.
        beside = {form for form, word in meanings(language).items() if getattr(word, "beside_noun", "")}
        base = {verb.english for verb in VERBS if verb.past} | {verb.infinitive for verb in VERBS if verb.past}
        assert unused <= beside | base


# ---- how many ----


def test_more_than_a_hundred_thousand_scenes(bare):
    assert street.count_scenes() == len(bare) * 11**2
    assert len(set(bare)) == len(bare) >= 100_000
    dressed = list(islice(street.all_scenes(), 11**2 + 1))
    assert len(set(dressed)) == len(dressed)
    assert [(scene.subject, scene.reason, scene.mood) for scene in (dressed[0], dressed[-1])] == [
        (scene.subject, scene.reason, scene.mood) for scene in bare[:2]
    ]


def test_translation_is_a_function_both_ways(bare):
    drawn = sample_scenes(5_000, chance(3))
    scenes = dict.fromkeys([*bare[::13], *drawn])
    english = {street.say(scene, "english").tokens for scene in scenes}
    french = {street.say(scene, "french").tokens for scene in scenes}
    assert len(english) == len(french) == len(scenes)


def test_no_clear_scene_is_ambiguous(bare):
    assert not any(scene.is_ambiguous for scene in bare)


def test_a_negative_number_is_no_scene():
    with pytest.raises(ValueError, match="0 or more, not -1"):
        scene_from_number(-1)


# ---- splits ----


def test_no_combination_of_the_test_was_seen(bare):
    seen = {split: set() for split in SPLITS}
    for scene in bare:
        seen[street.split_of(scene)].add((scene.subject, scene.object, scene.reason))
    assert not seen["train"] & seen["test"]
    assert not seen["train"] & seen["validation"]
    assert not seen["validation"] & seen["test"]
    for split, least in (("train", 0.7), ("validation", 0.05), ("test", 0.05)):
        assert len(seen[split]) > least * sum(map(len, seen.values()))
    # Each word by itself was seen, so that only the combination is new.
    for place in range(3):
        everything = {combination[place] for split in SPLITS for combination in seen[split]}
        assert {combination[place] for combination in seen["train"]} == everything
    assert {noun for pair in seen["train"] for noun in pair[:2]} == set(NOUN)
    assert {scene.verb for scene in bare if street.split_of(scene) == "train"} == set(VERB)


def test_the_first_sentence_is_kept_for_the_test():
    for reason in ("tired", "wide"):
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


@given(st.integers(0, 2**63 - 1))
def test_a_flip_changes_one_adjective_and_the_referent(number):
    scene = scene_from_number(number)
    for other in street.flips(scene):
        assert other.referent != scene.referent
        assert (other.subject, other.verb, other.object, other.mood) == (
            scene.subject,
            scene.verb,
            scene.object,
            scene.mood,
        )
        ours, theirs = (street.say(one, "english").tokens for one in (scene, other))
        assert [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b] == [(scene.reason, other.reason)]
        assert scene in street.flips(other)
        assert not other.is_ambiguous


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


def test_every_adjective_is_known_by_its_english_name():
    assert all(ADJECTIVE[name].english == name for name in ADJECTIVE)
