"""Notebook 07: ELECTRA's objective, to tell which tokens were replaced."""

from collections.abc import Mapping

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, written


def replace_tokens(
    input_ids: Tensor, attention_mask: Tensor, chosen: Tensor, samples: Tensor
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """All (batch, position): the text; 1 = real word, 0 = padding; True = chosen; the generator's words:
    only those at chosen positions count
    → replaced_ids, and labels: 1 = replaced, 0 = not, −100 = padding. Padding stays as it is.
    """
    real = attention_mask == 1
    replaced_ids = torch.where(chosen & real, samples, input_ids)
    labels = (replaced_ids != input_ids).long().masked_fill(~real, -100)
    return replaced_ids, labels


def cases(generator: Generator) -> Cases:
    for kind, batch, position in (("padded texts", 3, 13), ("one text", 1, 23), ("padded texts", 5, 17)):
        shape = (batch, position)
        ids = torch.randint(10, 97, shape, generator=generator)
        real = torch.randint(7, position - 2, (batch, 1), generator=generator)
        real = torch.full_like(real, position) if kind == "one text" else real
        chosen = torch.rand(shape, generator=generator) < 0.5
        lucky = torch.rand(shape, generator=generator) < 0.4  # the generator hits the right word
        chosen[:, :3], lucky[:, :3] = torch.tensor([True, True, False]), torch.tensor([True, False, False])
        chosen[:, -1] = True  # padding too, where there is any
        other = 10 + (ids - 10 + torch.randint(1, 87, shape, generator=generator)) % 87
        other[:, 1] = 0  # an id like any other
        arguments = {
            "input_ids": ids,
            "attention_mask": (torch.arange(position) < real).long(),
            "chosen": chosen,
            "samples": torch.where(lucky, ids, other),
        }
        yield Case(arguments, kind, {"batch": batch, "position": position})


def stages(input_ids: Tensor, attention_mask: Tensor, chosen: Tensor, samples: Tensor) -> Mapping[str, Tensor]:
    replaced_ids = torch.where(chosen & (attention_mask == 1), samples, input_ids)
    return {"replaced_ids": replaced_ids, "really replaced": chosen & (samples != input_ids)}


EXERCISE = written(
    replace_tokens,
    same_as="anatomy_utils.objectives.replaced_tokens.replace_tokens",
    title="Replaced tokens",
    task="Put in the generator's word wherever a real word is chosen, and label each real word: 1 if the word is now "
    "another one, 0 if it is the same.",
    level="medium, 4 minutes",
    returns="replaced_ids: batch position; labels: batch position",
    cases=and_short(cases, "position", "texts of one word"),
    look_first="replaced_ids labels",
    stages=stages,
    mistakes="""
    chosen_are_replaced: (replaced_ids != input_ids) ⇒ chosen
        “Your ids are right, but each chosen word is labeled as replaced. Where the generator guessed the original word,
        nothing was replaced.”
    turned_round: replaced_ids != input_ids ⇒ replaced_ids == input_ids
        “Your ids are right, but 1 and 0 are swapped in your labels.”
    lucky_ones: (replaced_ids != input_ids) ⇒ (chosen & (samples == input_ids))
        “Your ids are right, but your labels are 1 where the generator guessed the original word; they should be 1 where
        it did not.”
    only_chosen_asked: masked_fill(~real ⇒ masked_fill(~(chosen & real)
        “Your ids are right, but only the chosen words have labels, as with masked words. Here every real word is asked
        about.”
    original_words (only_chosen_asked): (replaced_ids != input_ids).long() ⇒ input_ids
        “Your ids are right, but your labels are the original words. That is what the generator must guess; here the
        answer is only yes or no.”
    padding_asked: .masked_fill(~real, -100) ⇒
        “Your ids are right, but padding has a label too: 0, “not replaced”. It should not count.”
    padding_replaced: chosen & real ⇒ chosen
        “Your labels are right, but chosen padding is replaced as well; it should stay.”
    padding_in_both (padding_replaced): .masked_fill(~real, -100) ⇒
        “attention_mask makes no difference in yours: padding is replaced and has labels.”
    unchosen_compared: replaced_ids != input_ids ⇒ samples != input_ids
        “Your ids are right, but your labels compare all of the generator's words with the text, even those that were
        never put in.”
    all_put_in: chosen & real ⇒ real
        “All your words come from the generator; `chosen` makes no difference.”
    nothing_put_in: return replaced_ids ⇒ return input_ids.clone()
        “Your labels are right, but your ids are the text as it was.”
    zeros_not_put_in: chosen & real ⇒ chosen & real & (samples != 0)
        “Where the generator's word has the id 0, yours leaves the text as it was and says that nothing was replaced; 0
        is an id like any other.”
    """,
    also_right="""
    by index:
        replaced_ids, labels = input_ids.clone(), torch.full_like(input_ids, -100)
        real = attention_mask.bool()
        places = chosen & real
        replaced_ids[places] = samples[places]
        labels[real] = (replaced_ids[real] != input_ids[real]).long()
        return replaced_ids, labels
    a product of masks: chosen & real ⇒ chosen * attention_mask == 1
    chosen and different:
        (replaced_ids != input_ids).long().masked_fill(~real, -100) ⇒
            torch.where(real, (chosen & (samples != input_ids)).long(), -100)
    """,
    again="""
    (replaced_ids != input_ids) ⇒ (replaced_ids == input_ids)
        “This time the label is 1 where the word is the same, and 0 where it is another one.”
        Not here: padding_asked zeros_not_put_in
    """,
    hints="""
    - First the ids: which words are chosen and real? Then the labels: how can you see whether a word is now another
      one?
    - `torch.where(mask, one, other)` takes from two tensors. Comparing with `!=` gives True and False; `.long()` turns
      them into 1 and 0.
    - `replaced_ids = torch.where(chosen & (attention_mask == 1), samples, input_ids)`; the labels compare it with
      `input_ids`, and `masked_fill` puts −100 on padding.
    """,
    explanation="""
    Clark et al. 2020. BERT is asked about 15% of the words, ELECTRA about every one, so the same text asks ELECTRA more
    questions. A small generator makes the words; where it happens to be right, there is nothing to find.
    """,
)
