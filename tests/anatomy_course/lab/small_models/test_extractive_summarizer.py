"""Reports and the picker: what a report is made of, what is read together, and a model that finds the sentence."""

import pytest
import torch
from unchecked import unchecked

from anatomy_course.lab.small_models import extractive_summarizer
from anatomy_course.lab.street import split_of, street_vocabulary
from anatomy_course.lab.street.sampling import Report, sample_reports

VOCABULARY = street_vocabulary()


@pytest.fixture(scope="module")
def reports():
    with unchecked():
        return sample_reports(300, torch.Generator().manual_seed(5), "test")


def test_only_one_sentence_says_what_was_wrong_with_the_headlines_one(reports):
    for report in reports:
        about = [f"The {scene.subject}" == report.headline for scene in report.scenes]
        troubled = [scene.referent == "subject" for scene in report.scenes]
        assert sum(about) == sum(troubled) == 2
        assert [a and t for a, t in zip(about, troubled, strict=True)] == [i == report.main for i in range(4)]
        assert report.summary.startswith(f"{report.headline} was too")
        assert len({scene.subject for scene in report.scenes}) == 3
        assert {split_of(scene) for scene in report.scenes} == {"test"}


def test_no_place_is_better_than_another_and_half_the_understanding_finds_half(reports):
    places = torch.bincount(torch.tensor([report.main for report in reports]), minlength=4) / len(reports)
    assert places.min() > 0.15
    first, word, trouble = extractive_summarizer.summary_baselines(reports).values()
    assert first == pytest.approx(places[0].item()) and 0.4 < word < 0.6 and 0.4 < trouble < 0.6


@pytest.mark.usefixtures("shapes_unchecked")
def test_equal_seeds_give_equal_reports():
    drawn = [sample_reports(3, torch.Generator().manual_seed(seed), "train") for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_each_sentence_is_read_with_the_headline(reports):
    batch = extractive_summarizer.report_batch(reports[:3])
    rows, mask = (part.unflatten(1, (4, -1)) for part in (batch.input_ids, batch.attention_mask))
    for number, report in enumerate(reports[:3]):
        for place, sentence in enumerate(report.sentences):
            words = VOCABULARY.tokens(rows[number, place][mask[number, place].bool()])
            assert words[:4] == ["<bos>", "the", report.headline.split()[1], "<sep>"]
            assert VOCABULARY.text(rows[number, place][4:]) == sentence
        assert batch.labels[number] == report.main


def test_sentences_are_scored_one_by_one(reports):
    """Their order changes nothing but the order of the scores; padding changes nothing."""
    model, _ = extractive_summarizer.train_extractive_summarizer(3, steps=2, progress=False)
    report = max(reports[:40], key=lambda each: len(str(each)))
    turned = Report(report.scenes[::-1], 3 - report.main)
    batches = map(extractive_summarizer.report_batch, ([report], [turned], [turned, *reports[:40]]))
    first, second, together = (extractive_summarizer.sentence_scores(model, batch)[0].softmax(-1) for batch in batches)
    torch.testing.assert_close(first, second.flip(0), atol=1e-5, rtol=0)
    torch.testing.assert_close(together, second, atol=1e-5, rtol=0)


def test_a_turned_report_has_another_right_sentence_and_one_change(reports):
    for name, turned in extractive_summarizer.turned_reports(reports).items():
        for before, after in zip(reports, turned, strict=True):
            assert after.main != before.main and after.scenes[after.main].referent == "subject"
            changed = (before.headline != after.headline, before.scenes != after.scenes)
            assert changed == (name == "another headline", name == "other reasons")


@pytest.mark.usefixtures("unchecked")
def test_a_little_training_is_better_than_the_first_sentence(reports):
    model, history = extractive_summarizer.train_extractive_summarizer(0, steps=60, progress=False)
    assert len(history) == 60
    found = extractive_summarizer.share_of_right_summaries(model, reports)
    assert found > 0.1 + extractive_summarizer.summary_baselines(reports)["first"]
