"""Text to text and BLEU: tasks in turn, judged strictly; BLEU by hand; beams keep what greedy choice would lose."""

import math

import pytest
import torch
from unchecked import unchecked

from anatomy_course.lab.small_models import text_to_text, translator
from anatomy_course.lab.small_models.metrics import bleu
from anatomy_course.lab.street import ask, detokenize, say, street_vocabulary, summary
from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import TASKS
from anatomy_utils.training import IGNORE

UNSEEN = sample_scenes(11, torch.Generator().manual_seed(7), "test")
VOCABULARY = street_vocabulary()


@pytest.fixture(scope="module")
def young():
    with unchecked():
        tasks = ["<summary>", "<answer>", "<french>"]
        return text_to_text.train_text_to_text(2, tasks=tasks, steps=25, progress=False)[0]


def test_tasks_come_in_turn_each_with_its_prefix_and_its_padding():
    chance = torch.Generator().manual_seed(1)
    parts = [text_to_text.task_examples(task, UNSEEN[start:4], chance) for start, task in enumerate(TASKS)]
    assert [len(part) for part in parts] == [4, 3, 2, 1]
    merged = text_to_text.interleave([parts[2], parts[0], parts[1]])
    assert len(merged) == 6
    assert [VOCABULARY.tokens(row)[0] for row in merged.input_ids] == ["<summary>", "<english>", "<french>"] * 2
    for row, (part, at) in enumerate((parts[number], at) for at in range(2) for number in (2, 0, 1)):
        for name, empty in [("input_ids", 0), ("attention_mask", 0), ("decoder_attention_mask", 0), ("labels", IGNORE)]:
            own, all_of_it = getattr(part, name)[at], getattr(merged, name)[row]
            assert torch.equal(all_of_it[: len(own)], own) and (all_of_it[len(own) :] == empty).all()


def test_what_is_asked_for_is_what_the_street_says():
    summaries = text_to_text.task_examples("<summary>", UNSEEN[:2], torch.Generator())
    assert VOCABULARY.text(summaries.labels[1].clamp(min=0)) == detokenize(summary(UNSEEN[1]))
    answers = text_to_text.task_examples("<answer>", UNSEEN[:1], torch.Generator().manual_seed(0))
    asked = [ask(UNSEEN[0], about) for about in ("referent", "subject", "object", "reason")]
    read, written = VOCABULARY.text(answers.input_ids[0]), VOCABULARY.text(answers.labels[0])
    assert any(str(question)[1:] in read and written == detokenize(question.answer_tokens) for question in asked)


@pytest.mark.usefixtures("shapes_unchecked")
def test_what_was_typed_is_read_as_the_scene_is(young):
    sentence, question = str(say(UNSEEN[0], "english")), ask(UNSEEN[0], "reason")
    words = ["<answer>", *question.tokens, "<sep>", *say(UNSEEN[0], "english").tokens]
    batches = {
        task: text_to_text.task_examples(task, UNSEEN[:1], torch.Generator()) for task in ("<summary>", "<french>")
    }
    batches["<answer>"] = text_to_text.text_to_text([words], [question.answer_tokens])
    for task, batch in batches.items():
        written = text_to_text.write_for_task(young, task, sentence, str(question))
        assert written == translator.translate(young, batch)[0]
    for task, text, said in (
        ("<summary>", "The zebra was too tired.", "zebra"),
        ("poem", sentence, "there is no 'poem'"),
    ):
        with pytest.raises(ValueError, match=said):
            text_to_text.write_for_task(young, task, text)
    with pytest.raises(ValueError, match="there is no '<poem>'"):
        text_to_text.task_examples("<poem>", UNSEEN, torch.Generator())


def test_one_wrong_word_makes_a_text_wrong(monkeypatch, young):
    batch = text_to_text.task_examples("<summary>", UNSEEN[:4], torch.Generator())
    told = [detokenize(summary(scene)) for scene in UNSEEN[:4]]
    told[2] = told[2].replace("too", "very")
    monkeypatch.setattr(text_to_text, "translate", lambda model, texts: told)
    assert text_to_text.text_to_text_exact_match(young, batch) == 0.75


@pytest.mark.parametrize(
    ("wrong", "reference", "options", "shares"),
    [
        ("The street was too tired.", "The animal was too tired.", {}, (5 / 6, 3 / 5, 2 / 4, 1 / 3)),
        # "L'animal" is two words of the street: where the noun alone is wrong, its article still counts
        ("L'âne était trop fatigué.", "L'animal était trop fatigué.", {}, (5 / 6, 3 / 5, 2 / 4, 1 / 3)),
        # and one word by sacrebleu's default
        ("L'âne était trop fatigué.", "L'animal était trop fatigué.", {"words": "13a"}, (4 / 5, 3 / 4, 2 / 3, 1 / 2)),
    ],
)
def test_bleu_by_hand(wrong, reference, options, shares):
    """Runs of one to four words that are in the reference, as shares; lengths are equal."""
    assert bleu([reference], [reference], **options) == pytest.approx(100)
    assert bleu([wrong], [reference], **options) == pytest.approx(100 * math.prod(shares) ** 0.25)


@pytest.mark.parametrize(("written", "references"), [([], []), (["a"], ["a", "b"])])
def test_bleu_needs_one_reference_each(written, references):
    with pytest.raises(ValueError, match="give one for each"):
        bleu(written, references)


@torch.no_grad()
def test_beams_find_translations_at_least_as_likely_as_greedy_choice(young):
    texts = translation(UNSEEN, "french")

    def likelihood(written):
        sums = []
        for row, text in enumerate(written):
            ids = VOCABULARY.ids([*text_to_text.tokenize(text), "<eos>"])
            read = torch.tensor([[VOCABULARY.bos_id, *ids[:-1]]])
            logits = young(texts.input_ids[row : row + 1], read, texts.attention_mask[row : row + 1])
            sums.append(logits[0].log_softmax(-1)[torch.arange(len(ids)), ids].mean())
        return torch.stack(sums)

    greedy, beams = (translator.translate(young, texts, beams=count) for count in (1, 4))
    assert greedy != beams
    assert likelihood(beams).mean() > likelihood(greedy).mean()
