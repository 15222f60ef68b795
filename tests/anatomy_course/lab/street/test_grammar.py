"""The street's two languages: right sentences by hand, read back as they were meant, and wrong ones refused."""

import re

import pytest
from hypothesis import assume, given, strategies as st

from anatomy_course.lab import street
from anatomy_course.lab.street import Scene
from anatomy_course.lab.street.agreement import agree, article
from anatomy_course.lab.street.inventory import scene_from_number
from anatomy_course.lab.street.lexicon import ADJECTIVE, ATTRIBUTE, GLUE, NOUN, meanings, words_of
from anatomy_course.lab.street.nouns import NOUNS
from anatomy_course.lab.street.word_types import LANGUAGES, MOODS

numbers = st.integers(0, 2**63 - 1)
languages = st.sampled_from(LANGUAGES)

# ---- by hand ----

SENTENCES = [
    (
        Scene("animal", "cross", "street", "tired"),
        "The animal didn't cross the street because it was too tired.",
        "L'animal n'a pas traversé la rue parce qu'il était trop fatigué.",
    ),
    (
        Scene("animal", "cross", "street", "wide"),
        "The animal didn't cross the street because it was too wide.",
        "L'animal n'a pas traversé la rue parce qu'elle était trop large.",
    ),
    (
        Scene("cow", "enter", "hotel", "tired", subject_adjective="old", object_adjective="old"),
        "The old cow didn't enter the old hotel because it was too tired.",
        "La vieille vache n'est pas entrée dans le vieil hôtel parce qu'elle était trop fatiguée.",
    ),
    (
        Scene("bus", "approach", "shed", "narrow", object_adjective="new"),
        "The bus didn't approach the new shed because it was too narrow.",
        "Le bus ne s'est pas approché du nouveau hangar parce qu'il était trop étroit.",
    ),
    (
        Scene("bee", "approach", "pond", "deep", "wouldn't", "beautiful", "beautiful"),
        "The beautiful bee wouldn't approach the beautiful pond because it was too deep.",
        "La belle abeille ne voulait pas s'approcher du bel étang parce qu'il était trop profond.",
    ),
    (
        Scene("frog", "approach", "church", "crowded", object_adjective="white"),
        "The frog didn't approach the white church because it was too crowded.",
        "La grenouille ne s'est pas approchée de l'église blanche parce qu'elle était trop bondée.",
    ),
    (
        Scene("mouse", "go", "market", "lazy", object_adjective="strange"),
        "The mouse didn't go to the strange market because it was too lazy.",
        "La souris n'est pas allée au marché étrange parce qu'elle était trop paresseuse.",
    ),
    (
        Scene("donkey", "go", "school", "dark", "couldn't"),
        "The donkey couldn't go to the school because it was too dark.",
        "L'âne ne pouvait pas aller à l'école parce qu'elle était trop sombre.",
    ),
    (
        Scene("car", "go", "hotel", "rusty", object_adjective="big"),
        "The car didn't go to the big hotel because it was too rusty.",
        "La voiture n'est pas allée au grand hôtel parce qu'elle était trop rouillée.",
    ),
    (
        Scene("hedgehog", "refuse", "egg", "dry", subject_adjective="black"),
        "The black hedgehog refused the egg because it was too dry.",
        "Le hérisson noir a refusé l'œuf parce qu'il était trop sec.",
    ),
    (
        Scene("spider", "finish", "salad", "dry", object_adjective="new"),
        "The spider didn't finish the new salad because it was too dry.",
        "L'araignée n'a pas fini la nouvelle salade parce qu'elle était trop sèche.",
    ),
    (
        Scene("ambulance", "avoid", "motorway", "long", referent="object"),
        "The ambulance avoided the motorway because it was too long.",
        "L'ambulance a évité l'autoroute parce qu'elle était trop longue.",
    ),
]


@pytest.mark.parametrize(("scene", "english", "french"), SENTENCES)
def test_sentences_by_hand(scene, english, french):
    assert str(street.say(scene, "english")) == english
    assert str(street.say(scene, "french")) == french
    assert scene in street.readings(english, "english")
    assert scene in street.readings(french, "french")


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


@given(numbers, languages)
def test_what_is_said_is_read_back(number, language):
    scene = scene_from_number(number)
    sentence = street.say(scene, language)
    assert street.readings(str(sentence), language) == [scene]
    assert street.parse(sentence.tokens, language) == scene
    assert street.tokenize(str(sentence)) == list(sentence.tokens)
    assert street.detokenize(sentence.tokens) == str(sentence)
    assert street.language_of(str(sentence)) == language
    assert len(sentence.tokens) <= 20


@given(numbers)
def test_french_is_contracted_and_elided(number):
    scene = scene_from_number(number)
    french = str(street.say(scene, "french"))
    lower = french.lower()
    assert not re.search(r"\b(le|la|de|ne|que|se) (?!hérisson|hangar)[aeiouyhàâéèêîôûœ]", lower), french
    assert not re.search(r"\b(de|à) le\b|\b(vieux|beau|nouveau) (?!hangar|hérisson)[aeiouhàâéèêîôûœ]", lower), french
    assert not re.search(r"\b(vieil|bel|nouvel) [bcdfgjklmnpqrstvwxz]|l'(hérisson|hangar)|' ", lower), french
    pronoun = re.search(r"parce qu'(il|elle) était", french).group(1)
    assert (pronoun == "il") == (scene.referent_noun.gender == "m") == (street.pronoun(scene) == "il")
    assert french.count("pas") == (scene.mood in MOODS)


@given(numbers, languages)
def test_every_word_is_in_the_language(number, language):
    scene = scene_from_number(number)
    assert set(street.say(scene, language).tokens) <= set(words_of(language))


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


@given(numbers, languages, st.data())
def test_neighboring_words_swapped(number, language, data):
    scene = scene_from_number(number)
    tokens = list(street.say(scene, language).tokens)
    at = data.draw(st.integers(0, len(tokens) - 2))
    tokens[at], tokens[at + 1] = tokens[at + 1], tokens[at]
    assert not street.is_grammatical(tokens, language)


@given(numbers, languages, st.data())
def test_a_word_left_out_or_doubled(number, language, data):
    scene = scene_from_number(number)
    tokens = list(street.say(scene, language).tokens)
    at = data.draw(st.integers(0, len(tokens) - 1))
    assert not street.is_grammatical([*tokens[:at], tokens[at], *tokens[at:]], language)
    if meanings(language).get(tokens[at]) not in ATTRIBUTE.values():
        assert not street.is_grammatical([*tokens[:at], *tokens[at + 1 :]], language)


@given(numbers, languages, st.data())
def test_a_small_word_exchanged(number, language, data):
    scene = scene_from_number(number)
    tokens = list(street.say(scene, language).tokens)
    glue = GLUE[language].split()
    moods = {*MOODS, "pouvait", "voulait"}
    at = data.draw(st.sampled_from([at for at, token in enumerate(tokens) if token in glue]))
    other = data.draw(st.sampled_from(glue))
    assume(other != tokens[at] and not {other, tokens[at]} <= moods)
    tokens[at] = other
    assert not street.is_grammatical(tokens, language)


@given(numbers, st.data())
def test_wrong_agreement(number, data):
    scene = scene_from_number(number)
    tokens = list(street.say(scene, "french").tokens)
    forms = [getattr(meanings("french").get(token), "french_forms", ()) for token in tokens]
    places = [at for at, choices in enumerate(forms) if len(choices) > 1]
    assume(places)
    at = data.draw(st.sampled_from(places))
    tokens[at] = data.draw(st.sampled_from([form for form in forms[at] if form != tokens[at]]))
    assert not street.is_grammatical(tokens, "french")


@pytest.mark.parametrize(
    ("wrong", "language", "said"),
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
def test_what_is_wrong_is_said(wrong, language, said):
    assert not street.is_grammatical(wrong, language)
    assert said in street.explain(wrong, language)
    with pytest.raises(ValueError, match=re.escape(said)):
        street.parse(wrong, language)


def test_share_of_grammatical_sentences():
    right, wrong = SENTENCES[0][1], "The animal didn't cross street the because it was too tired."
    assert street.share_grammatical([right, right, wrong, right]) == 0.75
    assert street.is_grammatical(right.upper().replace("'", "’"))
    with pytest.raises(ValueError, match="no sentences"):
        street.share_grammatical([])
    with pytest.raises(ValueError, match="speaks english and french, not 'german'"):
        street.is_grammatical(right, "german")


# ---- wrong scenes ----


@pytest.mark.parametrize(
    ("words", "said"),
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
def test_a_scene_that_cannot_be(words, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Scene(*words)


def test_an_ambiguous_scene_says_which():
    scene = Scene("bus", "enter", "garage", "old", referent="object")
    assert scene.is_ambiguous
    assert scene.referent_noun == NOUN["garage"]
    assert scene.other_noun == NOUN["bus"]
