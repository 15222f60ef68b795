"""The street's two languages: right sentences by hand, read back as they were meant, and wrong ones refused."""

import re

import pytest
from hypothesis import assume, given, strategies as st

from anatomy_course.lab import street
from anatomy_course.lab.street import Scene
from anatomy_course.lab.street.grammar import agree, article
from anatomy_course.lab.street.inventory import scene_from_number
from anatomy_course.lab.street.lexicon import ADJECTIVE, ATTRIBUTE, GLUE, NOUN, meanings, words_of
from anatomy_course.lab.street.parser import nearest_scene
from anatomy_course.lab.street.words import LANGUAGES, MOODS, NOUNS

scenes = st.builds(scene_from_number, st.integers(0, 2**63 - 1))
languages = st.sampled_from(LANGUAGES)

# ---- by hand ----

SENTENCES = """
    The animal didn't cross the street because it was too tired.
    L'animal n'a pas traversé la rue parce qu'il était trop fatigué.
    The animal didn't cross the street because it was too wide.
    L'animal n'a pas traversé la rue parce qu'elle était trop large.
    The old cow didn't enter the old hotel because it was too tired.
    La vieille vache n'est pas entrée dans le vieil hôtel parce qu'elle était trop fatiguée.
    The bus didn't approach the new shed because it was too narrow.
    Le bus ne s'est pas approché du nouveau hangar parce qu'il était trop étroit.
    The beautiful bee wouldn't approach the beautiful pond because it was too deep.
    La belle abeille ne voulait pas s'approcher du bel étang parce qu'il était trop profond.
    The frog didn't approach the white church because it was too crowded.
    La grenouille ne s'est pas approchée de l'église blanche parce qu'elle était trop bondée.
    The mouse didn't go to the strange market because it was too lazy.
    La souris n'est pas allée au marché étrange parce qu'elle était trop paresseuse.
    The donkey couldn't go to the school because it was too dark.
    L'âne ne pouvait pas aller à l'école parce qu'elle était trop sombre.
    The car didn't go to the big hotel because it was too rusty.
    La voiture n'est pas allée au grand hôtel parce qu'elle était trop rouillée.
    The black hedgehog refused the egg because it was too dry.
    Le hérisson noir a refusé l'œuf parce qu'il était trop sec.
    The spider didn't finish the new salad because it was too dry.
    L'araignée n'a pas fini la nouvelle salade parce qu'elle était trop sèche.
    The ambulance avoided the motorway because it was too long.
    L'ambulance a évité l'autoroute parce qu'elle était trop longue.
""".strip().split("\n    ")
"""English and French in turn."""


def test_sentences_by_hand():
    for english, french in zip(SENTENCES[::2], SENTENCES[1::2], strict=True):
        scenes = street.readings(french, "french")
        assert {(str(street.say(scene, "english")), str(street.say(scene, "french"))) for scene in scenes} == {
            (english, french)
        }
        assert set(scenes) <= set(street.readings(english, "english"))


def test_scenes_of_sentences_by_hand():
    assert [street.readings(french, "french")[-1] for french in SENTENCES[5::6]] == [
        Scene("cow", "enter", "hotel", "tired", subject_adjective="old", object_adjective="old"),
        Scene("frog", "approach", "church", "crowded", object_adjective="white"),
        Scene("car", "go", "hotel", "rusty", object_adjective="big"),
        Scene("ambulance", "avoid", "motorway", "long", referent="object"),
    ]
    donkey = street.parse(SENTENCES[15], "french")
    assert donkey == Scene("donkey", "go", "school", "dark", "couldn't") and donkey.referent == "object"


WITH_ARTICLES = """
    l'animal le chien le chat le cheval l'âne l'oiseau le hérisson le monstre la vache la souris la chèvre la tortue
    l'araignée la grenouille l'abeille la créature le camion le bus le robot le tracteur la voiture l'ambulance la moto
    la machine la rue la route l'avenue l'autoroute le pont le chemin le tunnel le boulevard la rivière la baie
    la lagune le lac l'étang le ruisseau la maison la gare l'école l'église le garage le marché l'hôtel le hangar
    la soupe la salade l'omelette le gâteau le fromage l'œuf la caisse la valise l'armoire le sac le piano le chariot
"""
OLD_WITH_VOWEL = {"animal", "âne", "oiseau", "étang", "hôtel", "œuf"}


def test_articles_and_vieil_by_hand():
    # Every noun, with the article that a French reader wrote before it.
    told = re.findall(r"(l'|le |la )(\w+)", WITH_ARTICLES)
    assert [(" ".join(article(noun.gender, noun.french)), noun.french) for noun in NOUNS] == [
        (word.strip(), noun) for word, noun in told
    ]
    masculine = [noun.french for noun in NOUNS if noun.gender == "m"]
    for adjective, before_vowel in (("old", "vieil"), ("new", "nouvel"), ("beautiful", "bel")):
        chosen = {noun for noun in masculine if agree(ADJECTIVE[adjective], "m", noun) == before_vowel}
        assert chosen == OLD_WITH_VOWEL


# ---- reading back ----


@given(scenes, languages)
def test_what_is_said_is_read_back(scene, language):
    sentence = street.say(scene, language)
    assert street.readings(str(sentence), language) == [scene]
    assert street.parse(sentence.tokens, language) == scene
    assert street.tokenize(str(sentence)) == list(sentence.tokens)
    assert street.detokenize(sentence.tokens) == str(sentence)
    assert street.language_of(str(sentence)) == language
    assert len(sentence.tokens) <= 20 and set(sentence.tokens) <= set(words_of(language))


@given(scenes)
def test_french_is_contracted_and_elided(scene):
    french = str(street.say(scene, "french"))
    lower = french.lower()
    assert not re.search(r"\b(le|la|de|ne|que|se) (?!hérisson|hangar)[aeiouyhàâéèêîôûœ]", lower), french
    assert not re.search(r"\b(de|à) le\b|\b(vieux|beau|nouveau) (?!hangar|hérisson)[aeiouhàâéèêîôûœ]", lower), french
    assert not re.search(r"\b(vieil|bel|nouvel) [bcdfgjklmnpqrstvwxz]|l'(hérisson|hangar)|' ", lower), french
    pronoun = re.search(r"parce qu'(il|elle) était", french).group(1)
    assert (pronoun == "il") == (scene.referent_noun.gender == "m") == (street.pronoun(scene) == "il")
    assert french.count("pas") == (scene.mood in MOODS)


def test_an_ambiguous_sentence_has_two_readings_and_french_one():
    english = "The bus didn't enter the station because it was too old."
    assert [scene.referent for scene in street.readings(english, "english")] == ["subject", "object"]
    assert all(scene.is_ambiguous for scene in street.readings(english, "english"))
    assert "two readings" in street.explain(english, "english")
    with pytest.raises(ValueError, match="two readings: what is too old may be the bus or the station"):
        street.parse(english, "english")
    he = street.parse("Le bus n'est pas entré dans la gare parce qu'il était trop vieux.", "french")
    she = street.parse("Le bus n'est pas entré dans la gare parce qu'elle était trop vieille.", "french")
    assert (he.referent, she.referent) == ("subject", "object")


# ---- wrong sentences ----


def said(scene, language):
    return list(street.say(scene, language).tokens)


@given(scenes, languages, st.data())
def test_words_swapped_left_out_or_doubled(scene, language, data):
    tokens = said(scene, language)
    at = data.draw(st.integers(0, len(tokens) - 2))
    before, one, other, after = tokens[:at], tokens[at], tokens[at + 1], tokens[at + 2 :]
    assert not street.is_grammatical([*before, other, one, *after], language)
    at = data.draw(st.integers(0, len(tokens) - 1))
    assert not street.is_grammatical([*tokens[:at], tokens[at], *tokens[at:]], language)
    if meanings(language).get(tokens[at]) not in ATTRIBUTE.values():
        assert not street.is_grammatical([*tokens[:at], *tokens[at + 1 :]], language)


@given(scenes, languages, st.data())
def test_a_small_word_exchanged(scene, language, data):
    tokens = said(scene, language)
    glue = GLUE[language].split()
    at = data.draw(st.sampled_from([at for at, token in enumerate(tokens) if token in glue]))
    other = data.draw(st.sampled_from(glue))
    assume(other != tokens[at] and not {other, tokens[at]} <= {*MOODS, "pouvait", "voulait"})
    tokens[at] = other
    assert not street.is_grammatical(tokens, language)


@given(scenes, st.data())
def test_wrong_agreement(scene, data):
    tokens = said(scene, "french")
    forms = [getattr(meanings("french").get(token), "french_forms", ()) for token in tokens]
    places = [at for at, choices in enumerate(forms) if len(choices) > 1]
    assume(places)
    at = data.draw(st.sampled_from(places))
    tokens[at] = data.draw(st.sampled_from([form for form in forms[at] if form != tokens[at]]))
    assert not street.is_grammatical(tokens, "french")


@pytest.mark.parametrize(
    ("wrong", "language", "told"),
    [
        ("The penguin didn't cross the street because it was too tired.", "english", "does not know 'penguin' (near"),
        ("Le chien n'a pas traversé le rue parce qu'il était trop fatigué.", "french", "expects 'la', not 'le'"),
        ("L'animal n'a pas traversé la rue parce qu'elle était trop fatiguée.", "french", "expects 'il', not 'elle'"),
        ("The dog didn't cross the street because it was too salty.", "english", "Neither the dog nor the street can"),
        ("The street didn't cross the dog because it was too tired.", "english", "cannot be the subject of 'cross'"),
        ("The tired dog didn't cross the street because it was too wide.", "english", "beside a noun 'tired'"),
        ("The big old dog didn't cross the street because it was too wide.", "english", "at most one adj"),
        ("The dog did cross the street because it was too wide.", "english", "not 'did'"),
        ("The dog didn't cross the street because it was too wide", "english", "expects '.', not the end"),
        ("The dog didn't cross the street because it was too wide. The", "english", "expects nothing more, not 'the'"),
        ("The dog didn't cross.", "english", "two nouns and one verb; this one has 1 and 1"),
        ("The dog didn't cross the street.", "english", "ends with a reason"),
        ("", "english", "two nouns and one verb; this one has 0 and 0"),
    ],
)
def test_what_is_wrong_is_said(wrong, language, told):
    assert not street.is_grammatical(wrong, language)
    assert told in street.explain(wrong, language)
    with pytest.raises(ValueError, match=re.escape(told)):
        street.parse(wrong, language)


def test_share_of_grammatical_sentences():
    right, wrong = SENTENCES[0], "The animal didn't cross street the because it was too tired."
    assert street.share_grammatical([right, right, wrong, right]) == 0.75
    assert street.is_grammatical(right.upper().replace("'", "’"))
    with pytest.raises(ValueError, match="no sentences"):
        street.share_grammatical([])
    with pytest.raises(ValueError, match="speaks english and french, not 'german'"):
        street.is_grammatical(right, "german")


# ---- wrong scenes ----


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("penguin", "cross", "street", "tired"), "no noun 'penguin'"),
        (("dog", "fly", "street", "tired"), "no verb 'fly'"),
        (("dog", "cross", "street", "wise"), "no adjective 'wise'"),
        (("dog", "cross", "soup", "tired"), "'soup' cannot be the object of 'cross'; this verb's object must be"),
        (("bus", "eat", "soup", "hot"), "this verb's subject must be a noun of the kind 'animal'."),
        (("dog", "cross", "street", "salty"), "Neither the dog nor the street can be too salty"),
        (("bus", "enter", "garage", "old"), "Both of the bus and the garage"),
        (("dog", "cross", "street", "tired", "did"), "not 'did'"),
        (("dog", "cross", "street", "tired", "", "tired"), "beside a noun 'tired'"),
        (("dog", "cross", "street", "tired", "", "", "", "object"), "only the subject can be too tired"),
    ],
)
def test_a_scene_that_cannot_be(words, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        Scene(*words)


def test_an_ambiguous_scene_says_which():
    scene = Scene("bus", "enter", "garage", "old", referent="object")
    assert scene.is_ambiguous
    assert scene.referent_noun == NOUN["garage"]


# ---- the nearest sentence ----


@pytest.mark.parametrize(
    ("text", "language", "kept"),
    [
        ("The dog crossed the big brigde.", "english", {"dog", "bridge", "big"}),
        ("I love you so much", "english", set()),
        ("The bus eats the cat because it was too wide", "english", {"bus"}),
        ("Le chat mange la soupe", "french", {"chat", "soupe", "mangé"}),
        ("", "english", {"animal", "street", "tired"}),
    ],
)
def test_the_nearest_is_a_sentence_and_keeps_what_it_can(text, language, kept):
    nearest = str(street.say(nearest_scene(street.tokenize(text), language), language))
    assert street.is_grammatical(nearest, language)
    assert kept <= set(street.tokenize(nearest))
