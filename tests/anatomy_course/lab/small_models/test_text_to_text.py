"""Text to text and BLEU: tasks in turn, judged strictly; BLEU by hand; beams keep what greedy choice would lose."""

from __future__ import annotations

import math

import pytest
import torch

from anatomy_course.lab.small_models import text_to_text, translator
from anatomy_course.lab.small_models.metrics import bleu
from anatomy_course.lab.street import ask, detokenize, say, street_vocabulary, summary
from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import TASKS
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.training import IGNORE

UNSEEN = sample_scenes(11, torch.Generator().manual_seed(7), "test")
VOCABULARY = street_vocabulary()


# ---- text to text


def test_tasks_come_in_turn_each_with_its_prefix_and_its_padding() -> None:
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


def test_what_is_asked_for_is_what_the_street_says() -> None:
    summaries = text_to_text.task_examples("<summary>", UNSEEN[:2], torch.Generator())
    assert VOCABULARY.text(summaries.labels[1].clamp(min=0)) == detokenize(summary(UNSEEN[1]))
    answers = text_to_text.task_examples("<answer>", UNSEEN[:1], torch.Generator().manual_seed(0))
    asked = [ask(UNSEEN[0], about) for about in ("referent", "subject", "object", "reason")]
    read, written = VOCABULARY.text(answers.input_ids[0]), VOCABULARY.text(answers.labels[0])
    assert any(str(question)[1:] in read and written == detokenize(question.answer_tokens) for question in asked)
    with pytest.raises(ValueError, match="there is no '<poem>'"):
        text_to_text.task_examples("<poem>", UNSEEN, torch.Generator())


@pytest.fixture(scope="module")
def young() -> EncoderDecoder:
    return text_to_text.train_text_to_text(2, tasks=["<summary>", "<answer>", "<french>"], steps=25, progress=False)[0]


@pytest.mark.usefixtures("shapes_unchecked")
def test_what_was_typed_is_read_as_the_scene_is(young: EncoderDecoder) -> None:
    sentence, question = str(say(UNSEEN[0], "english")), ask(UNSEEN[0], "reason")
    for task, asked in (("<summary>", ""), ("<french>", "")):
        batch = text_to_text.task_examples(task, UNSEEN[:1], torch.Generator())
        assert text_to_text.write_for_task(young, task, sentence, asked) == translator.translate(young, batch)[0]
    words = ["<answer>", *question.tokens, "<sep>", *say(UNSEEN[0], "english").tokens]
    batch = text_to_text.text_to_text([words], [question.answer_tokens])
    assert (
        text_to_text.write_for_task(young, "<answer>", sentence, str(question)) == translator.translate(young, batch)[0]
    )
    with pytest.raises(ValueError, match="zebra"):
        text_to_text.write_for_task(young, "<summary>", "The zebra was too tired.")
    with pytest.raises(ValueError, match="there is no 'poem'"):
        text_to_text.write_for_task(young, "poem", sentence)


def test_one_wrong_word_makes_a_text_wrong(monkeypatch: pytest.MonkeyPatch, young: EncoderDecoder) -> None:
    batch = text_to_text.task_examples("<summary>", UNSEEN[:4], torch.Generator())
    told = [detokenize(summary(scene)) for scene in UNSEEN[:4]]
    told[2] = told[2].replace("too", "very")
    monkeypatch.setattr(text_to_text, "translate", lambda model, texts: told)
    assert text_to_text.text_to_text_exact_match(young, batch) == 0.75


def test_a_seed_repeats_and_only_training_scenes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    splits: list[object] = []

    def sample(count: int, generator: torch.Generator, split: str) -> list[object]:
        splits.append(split)
        return sample_scenes(count, generator, split)  # type: ignore[return-value]

    monkeypatch.setattr(text_to_text, "sample_scenes", sample)
    losses = [text_to_text.train_text_to_text(seed, steps=1, progress=False)[1].loss for seed in (3, 3, 4)]
    assert losses[0] == losses[1] != losses[2] and set(splits) == {"train"}


# ---- BLEU and beams


def test_bleu_by_hand() -> None:
    """5 of 6 words, 3 of 5 pairs, 2 of 4 triples and 1 of 3 runs of four stand in the reference; lengths are equal."""
    reference = "The animal was too tired."
    assert bleu([reference], [reference]) == pytest.approx(100)
    by_hand = 100 * math.exp(sum(math.log(share) for share in (5 / 6, 3 / 5, 2 / 4, 1 / 3)) / 4)
    assert bleu(["The street was too tired."], [reference]) == pytest.approx(by_hand)


def test_bleu_counts_the_words_of_the_street() -> None:
    """*L'animal* is two words: where the noun alone is wrong, its article still counts."""
    reference, wrong = "L'animal était trop fatigué.", "L'âne était trop fatigué."
    by_hand = 100 * math.exp(sum(math.log(share) for share in (5 / 6, 3 / 5, 2 / 4, 1 / 3)) / 4)
    assert bleu([wrong], [reference]) == pytest.approx(by_hand)


def test_bleu_with_sacrebleus_own_words() -> None:
    """*L'animal* is one word by its default: 4 of 5 words, 3 of 4 pairs, 2 of 3 triples and 1 of 2 runs of four."""
    reference, wrong = "L'animal était trop fatigué.", "L'âne était trop fatigué."
    by_hand = 100 * math.exp(sum(math.log(share) for share in (4 / 5, 3 / 4, 2 / 3, 1 / 2)) / 4)
    assert bleu([wrong], [reference], words="13a") == pytest.approx(by_hand)


def test_bleu_needs_one_reference_each() -> None:
    for written, references in ([], []), (["a"], ["a", "b"]):
        with pytest.raises(ValueError, match="give one for each"):
            bleu(written, references)


def test_beams_find_translations_at_least_as_likely_as_greedy_choice(young: EncoderDecoder) -> None:
    texts = translation(UNSEEN, "french")

    def likelihood(written: list[str]) -> torch.Tensor:
        ids = [VOCABULARY.ids([*text_to_text.tokenize(text), "<eos>"]) for text in written]
        sums = []
        for row, text in enumerate(ids):
            read = torch.tensor([[VOCABULARY.bos_id, *text[:-1]]])
            with torch.no_grad():
                logits = young(texts.input_ids[row : row + 1], read, texts.attention_mask[row : row + 1])
            sums.append(logits[0].log_softmax(-1)[torch.arange(len(text)), text].sum() / len(text))
        return torch.stack(sums)

    greedy, beams = (translator.translate(young, texts, beams=count) for count in (1, 4))
    assert greedy != beams
    assert likelihood(beams).mean() > likelihood(greedy).mean()
