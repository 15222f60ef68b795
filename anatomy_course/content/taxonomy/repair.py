"""Notebook 07's case: find out what the colleague's tagger lacks, and cure it without touching its body."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, real_words, written
from anatomy_utils.training.losses import IGNORE


def repaired_batch(
    input_ids: Tensor, attention_mask: Tensor, labels: Tensor
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """All (batch, position): ids with padding at the end, 1 = real token and 0 = padding, and a label for
    each token, −100 where no label counts → the same three, twice as long, padding and all; in the first half
    no label counts.
    """
    silent = torch.full_like(labels, -100)
    return (
        torch.cat([input_ids, input_ids], dim=1),
        torch.cat([attention_mask, attention_mask], dim=1),
        torch.cat([silent, labels], dim=1),
    )


def cases(generator: Generator) -> Cases:
    for kind, batch, position in (("padded texts", 3, 7), ("padded texts", 5, 11), ("one text", 1, 5)):
        mask = real_words(generator, kind, batch, position, range(3, position - 1), 2).long()
        labels = torch.randint(1, 9, (batch, position), generator=generator).masked_fill(mask == 0, IGNORE)
        labels[:, 0] = IGNORE  # <bos> has no tag
        ids = torch.randint(10, 97, (batch, position), generator=generator).where(mask == 1, batch // 5)
        arguments = {"input_ids": ids, "attention_mask": mask, "labels": labels}
        yield Case(arguments, kind, {"batch": batch, "position": position})


EXERCISE = written(
    repaired_batch,
    same_as="anatomy_utils.training.teacher_forcing.read_twice",
    title="The case: a colleague's tagger",
    task="Cure the tagger from outside: repeat each text after itself, and ask for the labels only the second time.",
    level="easy, 3 minutes",
    returns="input_ids: batch position; attention_mask: batch position; labels: batch position",
    cases=and_short(cases, "position", "texts of one word"),
    look_first="input_ids attention_mask labels",
    mistakes="""
    asked_twice: [silent, labels] ⇒ [labels, labels]
        “Your texts are repeated, but the labels count both times: the first time they cannot be known yet, and the head
        would learn to guess.”
    asked_the_first_time: [silent, labels] ⇒ [labels, silent]
        “Your texts are repeated, but the labels count the first time, when the end of the text has not been seen;
        nothing is gained.”
    labels_not_longer: torch.cat([silent, labels], dim=1) ⇒ labels
        “Ids and mask are twice as long, but your labels are not: they would be compared with the first half.”
    first_half_zero: torch.full_like(labels, -100) ⇒ torch.zeros_like(labels)
        “The labels of your first half are 0, which is a label like any other; −100 says that it does not count.”
    word_by_word:
        torch.cat([input_ids, input_ids], dim=1) ⇒ input_ids.repeat_interleave(2, dim=1)
        torch.cat([attention_mask, attention_mask], dim=1) ⇒ attention_mask.repeat_interleave(2, dim=1)
        torch.cat([silent, labels], dim=1) ⇒ torch.stack([silent, labels], dim=2).flatten(1)
        “You repeat each word after itself; its second time still comes before the end of the text. The whole text
        should be repeated.”
    below_each_other: dim=1 ⇒ dim=0
        “Your texts are below each other, as twice as many rows. Rows never see each other; the second time belongs
        after the first, in the same row.”
    first_hidden: [attention_mask, attention_mask] ⇒ [torch.zeros_like(attention_mask), attention_mask]
        “Your mask hides the first half: then the second one knows no more than before. The first half must be read;
        only its labels do not count.”
    all_real: [attention_mask, attention_mask] ⇒ [torch.ones_like(attention_mask), torch.ones_like(attention_mask)]
        “Your mask calls everything real, even the padding between the two halves.”
    mask_not_longer: torch.cat([attention_mask, attention_mask], dim=1) ⇒ attention_mask
        “Ids and labels are twice as long, but your mask is not.”
    backwards:
        [input_ids, input_ids] ⇒ [input_ids, input_ids.flip(1)]
        [attention_mask, attention_mask] ⇒ [attention_mask, attention_mask.flip(1)]
        [silent, labels] ⇒ [silent, labels.flip(1)]
        “Your texts are read backwards the second time. Such a model was never shown a text from its end.”
    turned_round_only: (input_ids.flip(1), attention_mask.flip(1), labels.flip(1))
        “You give it the text from its end: now it sees what comes after each word, and no longer what comes before.”
    no_padding_between:
        real_first = torch.cat([1 - attention_mask, 1 - attention_mask], dim=1).argsort(dim=1, stable=True)
        ids = torch.cat([input_ids, input_ids], dim=1).gather(1, real_first)
        mask = torch.cat([attention_mask, attention_mask], dim=1).gather(1, real_first)
        labels = torch.cat([torch.full_like(labels, -100), labels], dim=1).gather(1, real_first)
        return ids.masked_fill(mask == 0, 0), mask, labels
        “You have moved the second text up to the end of the first. A good idea, but then the labels are in other
        columns in each row; here each half keeps its padding, so that the second half is the last `position` columns.”
    unchanged: (input_ids.clone(), attention_mask.clone(), labels.clone())
        “Those are the three as they came in.”
    """,
    also_right="""
    row by row:
        twice = lambda rows: torch.stack([torch.cat([row, row]) for row in rows])
        return twice(input_ids), twice(attention_mask), F.pad(labels, (labels.shape[1], 0), value=-100)
    repeated and padded:
        torch.cat([input_ids, input_ids], dim=1) ⇒ input_ids.repeat(1, 2)
        torch.cat([attention_mask, attention_mask], dim=1) ⇒ attention_mask.repeat(1, 2)
        torch.cat([silent, labels], dim=1) ⇒ F.pad(labels, (labels.shape[1], 0), value=-100)
    hstack:
        torch.full_like(labels, -100) ⇒ 0 * labels - 100
        torch.cat( ⇒ torch.hstack(
        , dim=1 ⇒
    """,
    hints="""
    - Each position of such a body sees what comes before it. What must come before a word, for its position to have
      seen the whole text?
    - `torch.cat([a, b], dim=1)` puts b after a in each row. Ids and mask are joined with themselves; what are the
      labels joined with?
    - `torch.full_like(labels, -100)` makes labels that do not count; the real ones come after them.
    """,
    explanation="""
    A position of a decoder knows what comes before it and nothing else, and no training can change that. If the text is
    repeated, the whole text comes before each word of the second half. The price is twice the length. Springer et al.
    2024 make sentence vectors in this way (arXiv:2402.15449). The plain cure is to choose an encoder in the first
    place.
    """,
)
