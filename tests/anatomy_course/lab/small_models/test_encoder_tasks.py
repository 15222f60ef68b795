"""Readers and gaps: seeds decide all, measures count what they say, and a short training learns what can be learnt."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from unchecked import unchecked

from anatomy_course.lab.small_models import masked_language_model, metrics, predict
from anatomy_course.lab.small_models.encoder_tasks import (
    label_loss,
    span_loss,
    train_classifier,
    train_question_answerer,
    train_tagger,
)
from anatomy_course.lab.small_models.train import train_model
from anatomy_course.lab.street import Scene, split_of, street_vocabulary
from anatomy_course.lab.street.batches import (
    IGNORE,
    Labeled,
    Pointed,
    classification,
    language_modeling,
    question_answering,
    tagging,
)
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.nn.heads import SpanLogits, WithHead
from anatomy_utils.objectives.masked_tokens import mask_words
from anatomy_utils.training import History

UNSEEN = sample_scenes(150, torch.Generator().manual_seed(7), "test")
TIRED = "The animal didn't cross the street because it was too tired."


class Says(nn.Module):
    """A model whose answers are given."""

    def __init__(self, logits: Tensor | SpanLogits) -> None:
        super().__init__()
        self.logits = logits

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor | SpanLogits:
        return self.logits


@pytest.fixture(scope="module")
def classifier() -> tuple[WithHead, History]:
    with unchecked():
        return train_classifier(3, steps=60, progress=False)


@pytest.fixture(scope="module")
def tagger() -> WithHead:
    with unchecked():
        return train_tagger(3, steps=150, progress=False)[0]


@pytest.fixture(scope="module")
def gap_filler() -> WithHead:
    with unchecked():
        return masked_language_model.train_masked_language_model(3, steps=150, progress=False)[0]


# Measures -------------------------------------------------------------------------------------------------------


def test_a_text_is_right_when_all_its_labels_are() -> None:
    ids = torch.zeros(3, 4, dtype=torch.long)
    labels = torch.tensor([[IGNORE, 0, 1, 1], [IGNORE, 0, 1, IGNORE], [IGNORE, 2, 2, 2]])
    said = torch.tensor([[0, 0, 1, 1], [2, 0, 1, 2], [0, 2, 0, 0]])
    model = Says(nn.functional.one_hot(said, 3).float())
    batch = Labeled(ids, torch.ones_like(ids), labels)
    assert metrics.texts_all_right(model, batch).tolist() == [True, True, False]
    assert metrics.share_of_right_texts(model, batch) == pytest.approx(2 / 3)
    assert metrics.share_of_right_labels(model, batch) == pytest.approx(6 / 8)


def test_an_answer_is_right_when_both_ends_are() -> None:
    ids = torch.zeros(3, 5, dtype=torch.long)
    start, end = torch.tensor([1, 1, 2]), torch.tensor([3, 3, 3])
    said = SpanLogits(*(nn.functional.one_hot(torch.tensor(ends), 5).float() for ends in ([1, 1, 2], [3, 2, 3])))
    batch = Pointed(ids, torch.ones_like(ids), start, end)
    assert metrics.texts_all_right(Says(said), batch).tolist() == [True, False, True]
    assert metrics.predictions(Says(said), batch).tolist() == [[1, 3], [1, 2], [2, 3]]


def test_the_loss_of_a_span_is_the_mean_over_both_ends() -> None:
    ids = torch.zeros(1, 3, dtype=torch.long)
    batch = Pointed(ids, torch.ones_like(ids), torch.tensor([0]), torch.tensor([2]))
    logits = SpanLogits(torch.tensor([[0.0, 0.0, 0.0]]), torch.tensor([[0.0, 0.0, 50.0]]))
    assert span_loss(Says(logits), batch).item() == pytest.approx(torch.tensor(3.0).log().item() / 2)


# Practice -------------------------------------------------------------------------------------------------------


def test_examples_come_once_and_in_order_and_the_rate_rises_and_falls() -> None:
    examples = classification(sample_scenes(23, torch.Generator().manual_seed(1)))
    seen: list[Tensor] = []

    def loss(model: nn.Module, batch: Labeled) -> Tensor:
        seen.append(batch.input_ids)
        return model(torch.ones(1, 2)).sum()

    model = nn.Linear(2, 1)
    history = train_model(model, examples, loss, batch_size=2, learning_rate=0.5, progress=False)
    assert torch.equal(torch.cat(seen), examples.input_ids[:22]) and not model.training
    assert history.learning_rate[0] == max(history.learning_rate) == 0.5 and history.learning_rate[-1] == 0


def test_too_few_examples_are_refused_in_one_sentence() -> None:
    few = classification(sample_scenes(3, torch.Generator().manual_seed(1)))
    with pytest.raises(ValueError, match="3 examples do not fill a batch of 5"):
        train_model(nn.Linear(1, 1), few, label_loss, batch_size=5, learning_rate=0.1, progress=False)


def test_a_seed_repeats_and_another_one_differs() -> None:
    first, again, other = (train_tagger(seed, steps=3, progress=False)[1].loss for seed in (0, 0, 1))
    assert first == again != other


def test_on_step_hears_of_each_step_and_can_end_it() -> None:
    heard: list[int] = []

    def listen(history: History) -> bool:
        heard.append(len(history))
        return len(history) == 2

    for train in (
        train_classifier,
        train_tagger,
        train_question_answerer,
        masked_language_model.train_masked_language_model,
    ):
        heard.clear()
        _, history = train(0, steps=4, on_step=listen, progress=False)
        assert heard == [1, 2] and "on_step" in (history.stopped or "")


# Learning -------------------------------------------------------------------------------------------------------


def test_topics_are_learnt_within_sixty_steps(classifier: tuple[WithHead, History]) -> None:
    model, history = classifier
    assert len(history) == 60 and history.loss[-1] < 0.1 * history.loss[0]
    assert metrics.share_of_right_texts(model, classification(UNSEEN)) > 0.95
    probabilities = predict.classify_sentence(model, TIRED)
    assert next(iter(probabilities)) == "street" and sum(probabilities.values()) == pytest.approx(1)
    assert list(probabilities.values()) == sorted(probabilities.values(), reverse=True)


def test_tags_are_learnt_first_of_words_that_name_themselves(tagger: WithHead) -> None:
    batch = tagging(UNSEEN)
    labels, texts = metrics.share_of_right_labels(tagger, batch), metrics.share_of_right_texts(tagger, batch)
    assert labels > 0.97 and texts <= labels
    assert predict.tag_words(tagger, TIRED)[1] == ("animal", "B-ANIMAL")
    assert [word for word, _ in predict.tag_words(tagger, TIRED)][:3] == ["the", "animal", "didn't"]


def test_answers_of_a_model_that_points_at_random_are_words_of_the_texts() -> None:
    model, _ = train_question_answerer(2, steps=2, progress=False)
    batch = question_answering(UNSEEN, torch.Generator().manual_seed(0))
    assert metrics.share_of_right_texts(model, batch) < 0.5
    said = predict.answer_question(model, "What was too tired?", TIRED)
    assert said in "<bos> what was too tired ? <sep> the animal didn't cross the street because it was too tired ."


def test_models_learn_from_sentences_whose_nouns_are_not_in_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str | None] = []

    def sample(count: int, generator: torch.Generator, split: str | None = None) -> list[Scene]:
        asked.append(split)
        return sample_scenes(count, generator, split)

    for module in ("encoder_tasks", "masked_language_model"):
        monkeypatch.setattr(f"anatomy_course.lab.small_models.{module}.sample_scenes", sample)
    for train in (
        train_classifier,
        train_tagger,
        train_question_answerer,
        masked_language_model.train_masked_language_model,
    ):
        train(0, steps=1, progress=False)
    assert asked == ["train"] * 4 and {split_of(scene) for scene in UNSEEN} == {"test"}


# Gaps -----------------------------------------------------------------------------------------------------------


def test_of_the_chosen_words_most_are_hidden_and_what_is_not_chosen_stays() -> None:
    texts = language_modeling(UNSEEN)
    hidden = masked_language_model.hide_words(texts, torch.Generator().manual_seed(5))
    (mask_id,) = street_vocabulary().ids(["<mask>"])
    chosen = hidden.labels != IGNORE
    assert torch.equal(hidden.labels[chosen], texts.input_ids[chosen])
    assert torch.equal(hidden.input_ids[~chosen], texts.input_ids[~chosen])
    assert not chosen[:, 0].any() and not chosen[texts.attention_mask == 0].any()
    assert 0.12 < chosen.sum() / (texts.attention_mask.sum() - len(texts)) < 0.18
    assert 0.7 < (hidden.input_ids[chosen] == mask_id).float().mean() < 0.9


def test_the_learners_own_masks_are_learnt_from() -> None:
    def hide_all(ids: Tensor, words: Tensor, *rest: object) -> tuple[Tensor, Tensor]:
        return ids.masked_fill(words == 1, 5), ids.masked_fill(words == 0, IGNORE)

    texts = language_modeling(UNSEEN)
    own = masked_language_model.hide_words(texts, torch.Generator().manual_seed(5), hide_all)
    assert ((own.labels != IGNORE).sum(dim=1) == texts.attention_mask.sum(dim=1) - 1).all()
    usual, other = (
        masked_language_model.train_masked_language_model(0, mask=mask, steps=2, progress=False)[1].loss
        for mask in (mask_words, hide_all)
    )
    assert usual != other


def test_each_text_is_judged_on_one_gap() -> None:
    texts = language_modeling(UNSEEN)
    judged = masked_language_model.mask_one_word_each(texts, torch.Generator().manual_seed(5))
    gap = judged.labels != IGNORE
    assert (gap.sum(dim=1) == 1).all() and not gap[:, 0].any() and not gap[texts.attention_mask == 0].any()
    assert torch.equal(torch.where(gap, judged.labels, judged.input_ids), texts.input_ids)
    assert set(judged.input_ids[gap].tolist()) == set(street_vocabulary().ids(["<mask>"]))
    assert gap.any(dim=0).sum() > 10, "any place can be the gap"


def test_gaps_between_fixed_words_are_filled_first(gap_filler: WithHead) -> None:
    word, likely = predict.fill_mask(gap_filler, "The animal didn't cross the street because it <mask> too tired.")[0]
    assert word == "was" and likely > 0.8
    guesses = predict.fill_mask(gap_filler, TIRED.replace("tired", "<mask>"), count=3)
    assert len(guesses) == 3 and guesses[0][1] >= guesses[1][1] >= guesses[2][1]
    assert 0.3 < masked_language_model.share_of_sensible_words(gap_filler, UNSEEN, torch.Generator().manual_seed(0)) < 1


def test_a_filler_that_knows_the_words_makes_every_sentence_whole() -> None:
    texts = language_modeling(UNSEEN)
    knowing = Says(nn.functional.one_hot(texts.input_ids, len(street_vocabulary())).float())
    assert masked_language_model.share_of_sensible_words(knowing, UNSEEN, torch.Generator()) == 1


def test_sentences_without_gap_or_with_unknown_words_get_one_sentence(gap_filler: WithHead, tagger: WithHead) -> None:
    with pytest.raises(ValueError, match="There is no gap in"):
        predict.fill_mask(gap_filler, TIRED)
    with pytest.raises(ValueError, match="zebra"):
        predict.tag_words(tagger, "The zebra didn't cross the street because it was too tired.")
