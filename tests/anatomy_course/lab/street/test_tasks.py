"""What models are asked to do on the street: labels, tags, questions, summaries, and the tensors they come in."""

import pytest
import torch
from hypothesis import given, strategies as st

from anatomy_course.lab import street
from anatomy_course.lab.street import Scene, batches
from anatomy_course.lab.street.inventory import scene_from_number
from anatomy_course.lab.street.labels import CLASSES, QUESTIONS, TAGS, class_of, tags
from anatomy_course.lab.street.lexicon import name_unknown, words_of
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import SPECIAL_TOKENS, TASKS, Vocabulary, street_vocabulary
from anatomy_course.lab.street.words import LANGUAGES
from anatomy_utils.training import IGNORE

scenes = st.builds(scene_from_number, st.integers(0, 2**63 - 1))
TIRED = Scene("animal", "cross", "street", "tired", "couldn't", "old", "white")
LEFT = Scene("bus", "leave", "garage", "crowded")
GOES = Scene("dog", "go", "station", "sick")


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


# ---- labels ----


def tagged(scene, language):
    said = street.say(scene, language)
    return " ".join(f"{word}/{tag}" for word, tag in zip(said.tokens, tags(scene, said), strict=True))


def test_tags_by_hand():
    assert tagged(TIRED, "english") == (
        "the/O old/B-ANIMAL animal/I-ANIMAL couldn't/O cross/O the/O white/B-STREET street/I-STREET because/O "
        "it/B-ANIMAL was/O too/O tired/O ./O"
    )
    named = [pair for pair in tagged(TIRED, "french").split() if not pair.endswith("/O")]
    assert named == "vieil/B-ANIMAL animal/I-ANIMAL rue/B-STREET blanche/I-STREET il/B-ANIMAL".split()


@given(scenes, st.sampled_from(LANGUAGES))
def test_tags_are_well_formed(scene, language):
    found = tags(scene, street.say(scene, language))
    assert set(found) <= set(TAGS)
    for before, tag in zip(["O", *found], found, strict=False):
        assert not tag.startswith("I-") or before[2:] == tag[2:]
    assert sum(tag.startswith("B-") for tag in found) == 3


def test_classes_by_hand():
    assert (class_of(TIRED, "topic"), class_of(TIRED, "referent")) == ("street", "subject")
    assert (class_of(LEFT, "topic"), class_of(LEFT, "referent")) == ("building", "object")
    with pytest.raises(ValueError, match="'topic' or 'referent', not by 'mood'"):
        class_of(TIRED, "mood")


# ---- questions and summaries ----


def test_questions_by_hand():
    asked = [(str(street.ask(scene, about)), " ".join(street.ask(scene, about).answer_tokens))
             for scene in (TIRED, LEFT) for about in QUESTIONS]  # fmt: skip
    assert asked == [
        ("What was too tired?", "the old animal"),
        ("What couldn't cross the street?", "the old animal"),
        ("What couldn't the animal cross?", "the white street"),
        ("Why couldn't the animal cross the street?", "it was too tired"),
        ("What was too crowded?", "the garage"),
        ("What left the garage?", "the bus"),
        ("What did the bus leave?", "the garage"),
        ("Why did the bus leave the garage?", "it was too crowded"),
    ]
    assert str(street.ask(GOES, "object")) == "What didn't the dog go to?"
    assert str(street.ask(GOES, "reason")) == "Why didn't the dog go to the station?"
    with pytest.raises(ValueError, match="not 'color'"):
        street.ask(TIRED, "color")


@given(scenes, st.sampled_from(QUESTIONS))
def test_answers_stand_in_the_sentence_and_a_summary_is_short(scene, about):
    question, sentence = street.ask(scene, about), street.say(scene, "english")
    assert sentence.words(question.answer) == question.answer_tokens
    assert street.answer(str(question), str(sentence)) == " ".join(question.answer_tokens)
    summary = street.summary(scene)
    assert {*question.tokens, *summary} <= set(words_of("english"))
    assert len(summary) <= len(sentence.tokens)


def test_a_question_that_cannot_be_answered():
    sentence = str(street.say(TIRED, "english"))
    with pytest.raises(ValueError, match=r"understands: What was too tired\? What couldn't cross the street\?"):
        street.answer("What was too wide?", sentence)
    with pytest.raises(ValueError, match="does not know 'penguin'"):
        street.answer("What was too tired?", "The penguin slept.")


def test_summaries_by_hand():
    wide = Scene("animal", "cross", "street", "wide", object_adjective="old")
    assert [street.detokenize(street.summary(scene)) for scene in (TIRED, wide, LEFT, GOES)] == [
        "The animal was too tired to cross the street.",
        "The street was too wide to cross.",
        "The garage was too crowded to stay in.",
        "The dog was too sick to go to the station.",
    ]


# ---- vocabulary ----


def test_vocabulary_round_trip():
    vocabulary = street_vocabulary()
    assert vocabulary.words[: len(SPECIAL_TOKENS) + len(TASKS)] == (*SPECIAL_TOKENS, *TASKS)
    assert len(set(vocabulary.words)) == len(vocabulary)
    assert vocabulary.ids(vocabulary.words) == list(range(len(vocabulary)))
    assert "elle" in vocabulary
    text = "L'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    ids = vocabulary.ids(street.tokenize(text))
    assert vocabulary.text([vocabulary.bos_id, *ids, vocabulary.eos_id, vocabulary.pad_id]) == text


def test_unknown_words_are_named_and_an_invisible_character_is_not_shown_raw():
    vocabulary = street_vocabulary()
    with pytest.raises(ValueError, match=r"know 'penguin' \(nearest .*\), 'stret' \(nearest words: 'street'") as told:
        vocabulary.ids(["the", "penguin", "stret", "penguin"])
    assert str(told.value).count("penguin") == 1
    with pytest.raises(ValueError, match=r"Ids go from 0 to 11; these go from 3 to 12"):
        Vocabulary(["the", "street"]).tokens([3, 12])
    assert name_unknown(["\u200d", "\x00"], ["street"]) == (
        "The street does not know the invisible character U+200D, the invisible character U+0000."
    )


# ---- batches ----


def words(ids):
    return street_vocabulary().tokens(ids.tolist())


def test_translation_by_hand():
    batch = batches.translation([LEFT, TIRED], to="french")
    english = street.tokenize("The bus left the garage because it was too crowded.")
    assert words(batch.input_ids[0]) == ["<french>", *english] + 3 * ["<pad>"]
    assert batch.attention_mask[0].tolist() == [1] * 12 + [0] * 3
    french = street.tokenize("Le bus a quitté le garage parce qu'il était trop bondé.")
    wide = batch.labels.shape[1]
    assert words(batch.decoder_input_ids[0]) == ["<bos>", *french] + (wide - 14) * ["<pad>"]
    assert batch.decoder_attention_mask[0].tolist() == [1] * 14 + [0] * (wide - 14)
    assert words(batch.labels[0, :14]) == [*french, "<eos>"]
    assert batch.labels[0, 14:].tolist() == [IGNORE] * (wide - 14)
    back = batches.translation([LEFT], to="english")
    assert words(back.input_ids[0])[:3] == ["<english>", "le", "bus"]
    assert words(back.labels[0])[:3] == ["the", "bus", "left"]
    short = batches.summarization([TIRED])
    assert street_vocabulary().text(short.labels[0]) == "The animal was too tired to cross the street."
    assert words(short.input_ids[0])[0] == "<summary>"


def test_classification_and_tagging():
    batch = batches.classification([LEFT, TIRED], "topic")
    assert [CLASSES["topic"][number] for number in batch.labels.tolist()] == ["building", "street"]
    assert words(batch.input_ids[1])[:3] == ["<bos>", "the", "old"]
    referents = batches.classification([LEFT, TIRED], "referent", "french").labels
    assert [CLASSES["referent"][number] for number in referents.tolist()] == ["object", "subject"]
    tagged = batches.tagging([LEFT, TIRED])
    assert tagged.labels.shape == tagged.input_ids.shape
    assert [TAGS[number] for number in tagged.labels[1, 1:].tolist()] == tags(TIRED, street.say(TIRED, "english"))
    assert (tagged.labels[:, 0] == IGNORE).all()
    assert ((tagged.labels == IGNORE)[:, 1:] == (tagged.attention_mask == 0)[:, 1:]).all()


def test_language_modelling_is_shifted_by_one():
    batch = batches.language_modeling(sample_scenes(20, chance()), "french")
    real = batch.attention_mask.bool()
    following = batch.labels[:, :-1]
    assert (batch.input_ids[:, 1:][real[:, 1:]] == following[real[:, 1:]]).all()
    last = batch.attention_mask.sum(dim=1) - 1
    assert (batch.labels.gather(1, last[:, None]) == street_vocabulary().eos_id).all()


def test_answers_are_pointed_at():
    drawn = sample_scenes(60, chance(3))
    batch = batches.question_answering(drawn, chance(7))
    written = batches.answering(drawn, chance(7))
    for row in range(len(batch)):
        pointed = words(batch.input_ids[row])[batch.start_positions[row] : batch.end_positions[row] + 1]
        told = street_vocabulary().text(written.labels[row].clamp(min=0))
        assert street.detokenize(pointed) == told
        question, sentence = " ".join(words(batch.input_ids[row])).removeprefix("<bos> ").split(" <sep> ")
        assert street.answer(question, sentence.split(" <pad>")[0]) == " ".join(pointed)
    assert words(written.input_ids[0])[0] == "<answer>"


def test_what_somebody_typed():
    batch = batches.to_translate("The animal didn't cross the street because it was too tired.", "french")
    same = batches.translation([Scene("animal", "cross", "street", "tired")], "french")
    assert torch.equal(batch.input_ids, same.input_ids)
    assert torch.equal(batch.attention_mask, same.attention_mask)
    for wrong, told in (
        (lambda: batches.to_translate("The penguin didn't cross the street.", "french"), "does not know 'penguin'"),
        (lambda: batches.to_translate("the street", "english"), "does not know 'the'"),
        (lambda: batches.translation([], "french"), "pass at least one"),
        (lambda: batches.translation([TIRED], "german"), "not 'german'"),
    ):
        with pytest.raises(ValueError, match=told):
            wrong()


def test_rows_and_shuffling():
    batch = batches.translation(sample_scenes(23, chance()), "french")
    assert len(batch) == 23
    assert torch.equal(batch[[3, 1]].labels, batch.labels[[3, 1]])
    assert torch.equal(batch[5:7].to("cpu").input_ids, batch.input_ids[5:7])
    parts = list(batches.shuffled(batch, 5, chance(1)))
    again = list(batches.shuffled(batch, 5, chance(1)))
    assert [len(part) for part in parts] == [5, 5, 5, 5]
    assert all(torch.equal(one.input_ids, two.input_ids) for one, two in zip(parts, again, strict=True))
    seen = torch.cat([part.input_ids for part in parts])
    assert len({tuple(row) for row in seen.tolist()}) == 20
