"""Writer and translator: what is written comes from the model alone, is judged strictly, and short training shows."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any, TypeVar

import pytest
import torch
from torch import nn

from anatomy_course.lab.small_models import small_gpt, translator
from anatomy_course.lab.street import Scene, is_grammatical, parse, say, share_grammatical, split_of, street_vocabulary
from anatomy_course.lab.street.batches import to_translate, translation
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.decoding import Filters, SeenIds, uncached
from tools.benchmarks import street_targets

UNSEEN = sample_scenes(60, torch.Generator().manual_seed(7), "test")
VOCABULARY = street_vocabulary()


ModelT = TypeVar("ModelT", bound=nn.Module)


def reciting(model: ModelT, texts: list[tuple[str, ...]]) -> ModelT:
    """A model that writes given texts, one a row, whatever it reads; after their end it writes <pad>."""
    rows = [[*VOCABULARY.ids(text), VOCABULARY.eos_id] for text in texts]
    ids = torch.tensor([[*row, *[VOCABULARY.pad_id] * (40 - len(row))] for row in rows])
    logits = 100.0 * nn.functional.one_hot(ids, len(VOCABULARY)).float()
    model.start = lambda *arguments, **options: SeenIds()
    model.step = uncached(lambda seen: logits[:, : seen.shape[1]])
    return model


# Translator -----------------------------------------------------------------------------------------------------


def test_one_wrong_word_makes_a_translation_wrong() -> None:
    model, _ = translator.train_translator(0, steps=1, progress=False)
    right = [say(scene, "french").tokens for scene in UNSEEN[:5]]
    assert translator.translation_exact_match(reciting(model, right), UNSEEN[:5], "french") == 1
    wrong = [*right[:3], (*right[3][:-2], "fatigué", "."), right[4][:-1]]
    assert wrong[3] != right[3]
    assert translator.translation_exact_match(reciting(model, wrong), UNSEEN[:5], "french") == pytest.approx(0.6)


def test_examples_go_one_way_and_the_other_in_turn() -> None:
    batch = translator.in_both_directions(UNSEEN[:4])
    for row, to in enumerate(("french", "english", "french", "english")):
        source = "english" if to == "french" else "french"
        assert VOCABULARY.tokens(batch.input_ids[row])[0] == f"<{to}>"
        assert VOCABULARY.text(batch.input_ids[row, 1:]) == str(say(UNSEEN[row], source))
        assert VOCABULARY.text(batch.labels[row].clamp(min=0)) == str(say(UNSEEN[row], to))


@pytest.fixture(scope="module")
def young_translator() -> translator.EncoderDecoder:
    return translator.train_translator(3, steps=40, progress=False)[0]


@pytest.mark.usefixtures("unchecked")
def test_greedy_translations_are_the_likeliest_words_given_what_was_written(young_translator: nn.Module) -> None:
    texts = translation(UNSEEN[:7], "english")
    written = translator.translate(young_translator, texts)
    ids = torch.full((7, 1), VOCABULARY.bos_id)
    with torch.no_grad():
        for _ in range(12):  # without a cache, the whole text again for each word
            logits = young_translator(texts.input_ids, ids, texts.attention_mask)
            ids = torch.cat([ids, logits[:, -1:].argmax(-1)], dim=1)
    for text, row in zip(written, ids, strict=True):
        assert text.startswith(VOCABULARY.text(row)) and text


def test_what_somebody_typed_is_translated_as_the_scene_is(young_translator: nn.Module) -> None:
    scene = UNSEEN[0]
    typed = translator.translate(young_translator, to_translate(str(say(scene, "english")), "french"))
    assert typed == translator.translate(young_translator, translation([scene], "french"))


def test_a_translator_that_has_hardly_learnt_gets_no_sentence_right(young_translator: nn.Module) -> None:
    for to in ("english", "french"):
        assert translator.translation_exact_match(young_translator, UNSEEN, to) < 0.2


# Writer ---------------------------------------------------------------------------------------------------------


def test_what_is_written_is_judged_by_the_grammar() -> None:
    sentences = [say(scene, "english").tokens for scene in UNSEEN[:4]]
    model, _ = small_gpt.train_small_gpt(0, steps=1, progress=False)
    texts = small_gpt.sample_texts(
        reciting(model, [*sentences, sentences[0][:-3]]), 5, torch.Generator().manual_seed(0)
    )
    assert [is_grammatical(text) for text in texts] == [True] * 4 + [False]
    assert [parse(text, "english") for text in texts[:4]] == UNSEEN[:4]
    assert share_grammatical(texts) == 0.8


@pytest.mark.usefixtures("shapes_unchecked")
def test_a_short_training_already_gives_the_words_their_order() -> None:
    model, history = small_gpt.train_small_gpt(3, steps=50, progress=False)
    assert history.loss[-1] < 0.6 * history.loss[0]
    texts = small_gpt.sample_texts(model, 50, torch.Generator().manual_seed(0))
    assert len(set(texts)) > 40, "chance chooses"
    assert sum(text.startswith("The ") for text in texts) > 40
    sure = small_gpt.sample_texts(model, 50, torch.Generator().manual_seed(0), filters=Filters(top_k=1))
    assert len(set(sure)) == 1, "and filters are heeded"


@pytest.mark.parametrize("recipe", [translator, small_gpt])
def test_seeds_decide_and_only_training_scenes_are_read(recipe: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Scene] = []

    def sample(*arguments: Any) -> list[Scene]:
        scenes = sample_scenes(*arguments)
        read.extend(scenes)
        return scenes

    monkeypatch.setattr(recipe, "sample_scenes", sample)
    train = recipe.train_translator if recipe is translator else recipe.train_small_gpt
    first, again, other = (train(seed, steps=2, progress=False)[1].loss for seed in (0, 0, 1))
    assert first == again != other
    assert {split_of(scene) for scene in read} == {"train"}


# The script -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("unchecked")
def test_the_script_says_what_was_reached_and_whether_it_was_promised() -> None:
    task = street_targets.TASKS["topic"]
    quick, slow = (replace(task, limit=limit) for limit in (1000, 0))
    reached = {"topic right": (lambda model, scenes, chance: 0.98, 0.98)}
    short = {"topic right": (lambda model, scenes, chance: 0.9799, 0.98)}
    ends = [
        next(street_targets.rows(replace(limit, measures=measures), 0, steps=1))[1:]
        for limit, measures in ((quick, reached), (quick, short), (slow, reached))
    ]
    assert ends[0] == ("topic right", "98.0%", "≥ 98% in 1000 s", "met")
    assert [end[-1] for end in ends] == ["met", "MISSED", "MISSED"]


@pytest.mark.parametrize("name", street_targets.TASKS)
@pytest.mark.usefixtures("shapes_unchecked")
def test_every_task_of_the_script_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(street_targets, "UNSEEN", 5)
    monkeypatch.setattr(street_targets, "COUNTS", dict.fromkeys(street_targets.COUNTS, 2))
    task = street_targets.TASKS[name]
    lines = list(street_targets.rows(task, 0, steps=1))
    assert [line[1] for line in lines] == list(task.measures)
