"""Writer and translator: what is written comes from the model alone, is judged strictly, and short training shows."""

from dataclasses import replace

import pytest
import torch
from torch import nn
from unchecked import unchecked

from anatomy_course.lab.small_models import sample_log, small_gpt, translator
from anatomy_course.lab.street import is_grammatical, parse, say, share_grammatical, street_vocabulary
from anatomy_course.lab.street.batches import to_translate, translation
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.decoding import Filters, SeenIds, uncached
from tools.benchmarks import street_targets

UNSEEN = sample_scenes(60, torch.Generator().manual_seed(7), "test")
VOCABULARY = street_vocabulary()


def chance():
    return torch.Generator().manual_seed(0)


def reciting(model, texts):
    """A model that writes given texts, one a row, whatever it reads; after their end it writes <pad>."""
    rows = [[*VOCABULARY.ids(text), VOCABULARY.eos_id] for text in texts]
    ids = torch.tensor([[*row, *[VOCABULARY.pad_id] * (40 - len(row))] for row in rows])
    logits = 100.0 * nn.functional.one_hot(ids, len(VOCABULARY)).float()
    model.start = lambda *arguments, **options: SeenIds()
    model.step = uncached(lambda seen: logits[:, : seen.shape[1]])
    return model


# ---- translator ----


def test_one_wrong_word_makes_a_translation_wrong():
    model = translator.small_transformer(chance())
    right = [say(scene, "french").tokens for scene in UNSEEN[:5]]
    assert translator.translation_exact_match(reciting(model, right), UNSEEN[:5], "french") == 1
    wrong = [*right[:3], (*right[3][:-2], "fatigué", "."), right[4][:-1]]
    assert wrong[3] != right[3]
    assert translator.translation_exact_match(reciting(model, wrong), UNSEEN[:5], "french") == pytest.approx(0.6)


def test_examples_go_one_way_and_the_other_in_turn():
    batch = translator.in_both_directions(UNSEEN[:4])
    for row, (source, to) in enumerate([("english", "french"), ("french", "english")] * 2):
        assert VOCABULARY.tokens(batch.input_ids[row])[0] == f"<{to}>"
        assert VOCABULARY.text(batch.input_ids[row, 1:]) == str(say(UNSEEN[row], source))
        assert VOCABULARY.text(batch.labels[row].clamp(min=0)) == str(say(UNSEEN[row], to))


@pytest.fixture(scope="module")
def young_translator():
    with unchecked():
        return translator.train_translator(3, steps=40, progress=False)[0]


@pytest.mark.usefixtures("unchecked")
@torch.no_grad()
def test_greedy_translations_are_the_likeliest_words_given_what_was_written(young_translator):
    texts = translation(UNSEEN[:7], "english")
    written = translator.translate(young_translator, texts)
    ids = torch.full((7, 1), VOCABULARY.bos_id)
    for _ in range(12):  # without a cache, the whole text again for each word
        logits = young_translator(texts.input_ids, ids, texts.attention_mask)
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    for text, row in zip(written, ids, strict=True):
        assert text.startswith(VOCABULARY.text(row)) and text
    for to in ("english", "french"):
        assert translator.translation_exact_match(young_translator, UNSEEN, to) < 0.2


def test_what_somebody_typed_is_translated_as_the_scene_is(young_translator):
    typed = translator.translate(young_translator, to_translate(str(say(UNSEEN[0], "english")), "french"))
    assert typed == translator.translate(young_translator, translation(UNSEEN[:1], "french"))


# ---- writer ----


def test_what_is_written_is_judged_by_the_grammar():
    sentences = [say(scene, "english").tokens for scene in UNSEEN[:4]]
    model = reciting(small_gpt.new_small_gpt(chance()), [*sentences, sentences[0][:-3]])
    texts = small_gpt.sample_texts(model, 5, chance())
    assert [is_grammatical(text) for text in texts] == [True] * 4 + [False]
    assert [parse(text, "english") for text in texts[:4]] == UNSEEN[:4]
    assert share_grammatical(texts) == 0.8


@pytest.mark.usefixtures("shapes_unchecked")
def test_a_short_training_already_gives_the_words_their_order():
    model, history = small_gpt.train_small_gpt(3, steps=50, progress=False)
    assert history.loss[-1] < 0.6 * history.loss[0]
    texts = small_gpt.sample_texts(model, 50, chance())
    assert len(set(texts)) > 40, "chance chooses"
    assert sum(text.startswith("The ") for text in texts) > 40
    sure = small_gpt.sample_texts(model, 50, chance(), filters=Filters(top_k=1))
    assert len(set(sure)) == 1, "and filters are heeded"


def test_a_page_at_each_moment_and_the_training_does_not_notice(monkeypatch):
    monkeypatch.setattr(sample_log, "TEXTS", 7)
    told, book = [], sample_log.SampleLog((0, 2, 3), measure=lambda model: model(torch.tensor([[1]])).sum().item())
    model, history = small_gpt.train_small_gpt(
        steps=3, on_model=book, on_step=lambda each: told.append(len(each)), progress=False
    )
    assert [page.steps for page in book.pages] == [0, 2, 3] and told == [1, 2, 3]
    assert all(len(page.texts) == 7 and page.grammatical == share_grammatical(page.texts) for page in book.pages)
    assert book.pages[0].texts != book.pages[2].texts
    assert book.pages[0].measured != book.pages[2].measured
    assert book.pages[0].grammatical == 0, "before the first step nothing is learnt"
    _, alone = small_gpt.train_small_gpt(steps=3, progress=False)
    assert history.loss == alone.loss
    assert tuple(small_gpt.sample_texts(model, 7, chance())) == book.pages[2].texts


# ---- the script ----


@pytest.mark.usefixtures("unchecked")
def test_the_script_says_what_was_reached_and_whether_it_was_promised():
    def reached(share, limit):
        task = replace(street_targets.TASKS["topic"], limit=limit, measures={"topic right": (lambda *_: share, 0.98)})
        return next(street_targets.rows(task, 0, steps=1))[1:]

    assert reached(0.98, 1000) == ("topic right", "98.0%", "≥ 98% in 1000 s", "met")
    assert reached(0.9799, 1000)[-1] == reached(0.98, 0)[-1] == "MISSED"


@pytest.mark.usefixtures("unchecked")
def test_every_task_of_the_script_runs(monkeypatch):
    monkeypatch.setattr(street_targets, "UNSEEN", 5)
    monkeypatch.setattr(street_targets, "COUNTS", dict.fromkeys(street_targets.COUNTS, 2))
    for task in street_targets.TASKS.values():
        assert [line[1] for line in street_targets.rows(task, 0, steps=1)] == list(task.measures)
