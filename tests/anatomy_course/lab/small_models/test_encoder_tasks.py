"""Readers and gaps: measures count what they say, and a short training learns what can be learnt."""

import pytest
import torch
from torch import nn
from unchecked import unchecked

from anatomy_course.lab.small_models import encoder_tasks, masked_language_model, metrics, predict
from anatomy_course.lab.street import batches, street_vocabulary
from anatomy_course.lab.street.batches import IGNORE, Labeled, Pointed
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.nn.heads import SpanLogits
from anatomy_utils.objectives.masked_tokens import mask_words

UNSEEN = sample_scenes(150, torch.Generator().manual_seed(7), "test")
TEXTS = batches.language_modeling(UNSEEN)
TIRED = "The animal didn't cross the street because it was too tired."
(MASK_ID,) = street_vocabulary().ids(["<mask>"])


class Says(nn.Module):
    """A model whose answers are given."""

    def __init__(self, logits):
        super().__init__()
        self.logits = logits

    def forward(self, input_ids, attention_mask=None):
        return self.logits


def chance(seed=5):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def tagger():
    with unchecked():
        return encoder_tasks.train_tagger(3, steps=150, progress=False)[0]


@pytest.fixture(scope="module")
def gap_filler():
    with unchecked():
        return masked_language_model.train_masked_language_model(3, steps=150, progress=False)[0]


# ---- measures ----


def test_a_text_is_right_when_all_its_labels_are():
    ids = torch.zeros(3, 4, dtype=torch.long)
    labels = torch.tensor([[IGNORE, 0, 1, 1], [IGNORE, 0, 1, IGNORE], [IGNORE, 2, 2, 2]])
    said = torch.tensor([[0, 0, 1, 1], [2, 0, 1, 2], [0, 2, 0, 0]])
    model, batch = Says(nn.functional.one_hot(said, 3).float()), Labeled(ids, torch.ones_like(ids), labels)
    assert metrics.texts_all_right(model, batch).tolist() == [True, True, False]
    assert metrics.share_of_right_texts(model, batch) == pytest.approx(2 / 3)
    assert metrics.share_of_right_labels(model, batch) == pytest.approx(6 / 8)


def test_an_answer_is_right_when_both_ends_are_and_its_loss_is_the_mean_over_both():
    ids = torch.zeros(3, 5, dtype=torch.long)
    start, end = torch.tensor([1, 1, 2]), torch.tensor([3, 3, 3])
    said = SpanLogits(*(nn.functional.one_hot(torch.tensor(ends), 5).float() for ends in ([1, 1, 2], [3, 2, 3])))
    batch = Pointed(ids, torch.ones_like(ids), start, end)
    assert metrics.texts_all_right(Says(said), batch).tolist() == [True, False, True]
    assert metrics.predictions(Says(said), batch).tolist() == [[1, 3], [1, 2], [2, 3]]
    ids = torch.zeros(1, 3, dtype=torch.long)
    batch = Pointed(ids, torch.ones_like(ids), torch.tensor([0]), torch.tensor([2]))
    logits = SpanLogits(torch.tensor([[0.0, 0.0, 0.0]]), torch.tensor([[0.0, 0.0, 50.0]]))
    assert encoder_tasks.span_loss(Says(logits), batch).item() == pytest.approx(torch.tensor(3.0).log().item() / 2)


# ---- learning ----


@pytest.mark.usefixtures("unchecked")
def test_topics_are_learnt_within_sixty_steps():
    model, history = encoder_tasks.train_classifier(3, steps=60, progress=False)
    assert len(history) == 60 and history.loss[-1] < 0.1 * history.loss[0]
    assert metrics.share_of_right_texts(model, batches.classification(UNSEEN)) > 0.95
    probabilities = predict.classify_sentence(model, TIRED)
    assert next(iter(probabilities)) == "street" and sum(probabilities.values()) == pytest.approx(1)
    assert list(probabilities.values()) == sorted(probabilities.values(), reverse=True)


def test_tags_are_learnt_first_of_words_that_name_themselves(tagger):
    batch = batches.tagging(UNSEEN)
    labels, texts = metrics.share_of_right_labels(tagger, batch), metrics.share_of_right_texts(tagger, batch)
    assert labels > 0.97 and texts <= labels
    tagged = predict.tag_words(tagger, TIRED)
    assert tagged[1] == ("animal", "B-ANIMAL") and [word for word, _ in tagged][:3] == ["the", "animal", "didn't"]


def test_answers_of_a_model_that_points_at_random_are_words_of_the_texts():
    model, _ = encoder_tasks.train_question_answerer(2, steps=2, progress=False)
    assert metrics.share_of_right_texts(model, batches.question_answering(UNSEEN, chance(0))) < 0.5
    said = predict.answer_question(model, "What was too tired?", TIRED)
    assert said in "<bos> what was too tired ? <sep> the animal didn't cross the street because it was too tired ."


# ---- gaps ----


def test_of_the_chosen_words_most_are_hidden_and_what_is_not_chosen_stays():
    hidden = masked_language_model.hide_words(TEXTS, chance())
    chosen = hidden.labels != IGNORE
    assert torch.equal(hidden.labels[chosen], TEXTS.input_ids[chosen])
    assert torch.equal(hidden.input_ids[~chosen], TEXTS.input_ids[~chosen])
    assert not chosen[:, 0].any() and not chosen[TEXTS.attention_mask == 0].any()
    assert 0.12 < chosen.sum() / (TEXTS.attention_mask.sum() - len(TEXTS)) < 0.18
    assert 0.7 < (hidden.input_ids[chosen] == MASK_ID).float().mean() < 0.9


def test_the_learners_own_masks_are_learnt_from():
    def hide_all(ids, words, *rest):
        return ids.masked_fill(words == 1, 5), ids.masked_fill(words == 0, IGNORE)

    own = masked_language_model.hide_words(TEXTS, chance(), hide_all)
    assert ((own.labels != IGNORE).sum(dim=1) == TEXTS.attention_mask.sum(dim=1) - 1).all()
    usual, other = (
        masked_language_model.train_masked_language_model(0, mask=mask, steps=2, progress=False)[1].loss
        for mask in (mask_words, hide_all)
    )
    assert usual != other


def test_each_text_is_judged_on_one_gap():
    judged = masked_language_model.mask_one_word_each(TEXTS, chance())
    gap = judged.labels != IGNORE
    assert (gap.sum(dim=1) == 1).all() and not gap[:, 0].any() and not gap[TEXTS.attention_mask == 0].any()
    assert torch.equal(torch.where(gap, judged.labels, judged.input_ids), TEXTS.input_ids)
    assert set(judged.input_ids[gap].tolist()) == {MASK_ID}
    assert gap.any(dim=0).sum() > 10, "any place can be the gap"


def test_gaps_between_fixed_words_are_filled_first(gap_filler):
    word, likely = predict.fill_mask(gap_filler, "The animal didn't cross the street because it <mask> too tired.")[0]
    assert word == "was" and likely > 0.8
    guesses = predict.fill_mask(gap_filler, TIRED.replace("tired", "<mask>"), count=3)
    assert len(guesses) == 3 and guesses[0][1] >= guesses[1][1] >= guesses[2][1]
    assert 0.3 < masked_language_model.share_of_sensible_words(gap_filler, UNSEEN, chance(0)) < 1
    knowing = Says(nn.functional.one_hot(TEXTS.input_ids, len(street_vocabulary())).float())
    assert masked_language_model.share_of_sensible_words(knowing, UNSEEN, chance()) == 1


def test_sentences_without_gap_or_with_unknown_words_get_one_sentence(gap_filler, tagger):
    with pytest.raises(ValueError, match="There is no gap in"):
        predict.fill_mask(gap_filler, TIRED)
    with pytest.raises(ValueError, match="zebra"):
        predict.tag_words(tagger, "The zebra didn't cross the street because it was too tired.")
