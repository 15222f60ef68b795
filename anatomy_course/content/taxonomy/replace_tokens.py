"""Notebook 06: ELECTRA's objective, to tell which tokens were replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written
from anatomy_utils.training.losses import IGNORE


# fmt: off
def replace_tokens(
    input_ids: Tensor, attention_mask: Tensor, chosen: Tensor, samples: Tensor
) -> tuple[Tensor, Tensor]:
    """All (batch, position): the text; 1 = real word, 0 = padding; True = chosen; the generator's words:
    only those at chosen positions count
    → replaced_ids, and labels: 1 = replaced, 0 = not, −100 = padding. Padding stays as it is.
    """
    real = attention_mask == 1
    replaced_ids = torch.where(chosen & real, samples, input_ids)
    labels = (replaced_ids != input_ids).long().masked_fill(~real, -100)
    return replaced_ids, labels
# fmt: on


Both = tuple[Tensor, Tensor]


def _cases(generator: torch.Generator) -> Iterator[Case]:
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


def _real(mask: Tensor) -> Tensor:
    return mask == 1


def _put_in(ids: Tensor, mask: Tensor, chosen: Tensor, samples: Tensor) -> Tensor:
    return torch.where(chosen & _real(mask), samples, ids)


def _labels(replaced: Tensor, mask: Tensor, padding: int = IGNORE) -> Tensor:
    return replaced.long().masked_fill(~_real(mask), padding)


def _right(ids: Tensor, mask: Tensor, chosen: Tensor, samples: Tensor) -> Both:
    replaced_ids = _put_in(ids, mask, chosen, samples)
    return replaced_ids, _labels(replaced_ids != ids, mask)


def _with_labels(replaced: Tensor, ids: Tensor, mask: Tensor, chosen: Tensor, samples: Tensor) -> Both:
    return _put_in(ids, mask, chosen, samples), _labels(replaced, mask)


def _steps(ids: Tensor, mask: Tensor, chosen: Tensor, samples: Tensor) -> Mapping[str, Tensor]:
    return {"replaced_ids": _put_in(ids, mask, chosen, samples), "really replaced": chosen & (samples != ids)}


EXERCISE = written(
    replace_tokens,
    same_as="anatomy_utils.objectives.replaced_tokens.replace_tokens",
    title="Replaced tokens",
    task="Put in the generator's word wherever a real word is chosen, and label each real word: 1 if the word is now "
    "another one, 0 if it is the same.",
    level="medium, 4 minutes",
    returns="replaced_ids: batch position; labels: batch position",
    cases=and_short(_cases, "position", "texts of one word"),
    look_first="replaced_ids labels",
    stages=_steps,
    mistakes="""
    chosen_are_replaced: (lambda *given: _with_labels(given[2], *given))(input_ids, attention_mask, chosen, samples)
        “Your ids are right, but each chosen word is labeled as replaced. Where the generator guessed the original word,
        nothing was replaced.”
    turned_round:
        return (lambda *given: _with_labels(~(given[2] & (given[3] != given[0])), *given))(
            input_ids, attention_mask, chosen, samples
        )
        “Your ids are right, but 1 and 0 are swapped in your labels.”
    lucky_ones:
        return (lambda *given: _with_labels(given[2] & (given[3] == given[0]), *given))(
            input_ids, attention_mask, chosen, samples
        )
        “Your ids are right, but your labels are 1 where the generator guessed the original word; they should be 1 where
        it did not.”
    only_chosen_asked:
        return (lambda *given: (_right(*given)[0], _right(*given)[1].masked_fill(~given[2], IGNORE)))(
            input_ids, attention_mask, chosen, samples
        )
        “Your ids are right, but only the chosen words have labels, as with masked words. Here every real word is asked
        about.”
    original_words:
        return (
            _put_in(input_ids, attention_mask, chosen, samples),
            input_ids.masked_fill(~(chosen & _real(attention_mask)), IGNORE),
        )
        “Your ids are right, but your labels are the original words. That is what the generator must guess; here the
        answer is only yes or no.”
    padding_asked:
        return (
            _put_in(input_ids, attention_mask, chosen, samples),
            _labels(_put_in(input_ids, attention_mask, chosen, samples) != input_ids, attention_mask, 0),
        )
        “Your ids are right, but padding has a label too: 0, “not replaced”. It should not count.”
    padding_replaced:
        return (
            torch.where(chosen, samples, input_ids),
            _labels(chosen & (samples != input_ids), attention_mask),
        )
        “Your labels are right, but chosen padding is replaced as well; it should stay.”
    padding_in_both: (torch.where(chosen, samples, input_ids), (chosen & (samples != input_ids)).long())
        “attention_mask makes no difference in yours: padding is replaced and has labels.”
    unchosen_compared:
        (lambda *given: _with_labels(given[3] != given[0], *given))(input_ids, attention_mask, chosen, samples)
        “Your ids are right, but your labels compare all of the generator's words with the text, even those that were
        never put in.”
    all_put_in: (torch.where(_real(attention_mask), samples, input_ids), _labels(samples != input_ids, attention_mask))
        “All your words come from the generator; `chosen` makes no difference.”
    chosen_turned_round: _right(input_ids, attention_mask, ~chosen, samples)
        “You replace the words that were not chosen, and leave those that were.”
    nothing_put_in: (input_ids.clone(), _labels(chosen & (samples != input_ids), attention_mask))
        “Your labels are right, but your ids are the text as it was.”
    zeros_not_put_in: _right(input_ids, attention_mask, chosen & (samples != 0), samples)
        “Where the generator's word has the id 0, yours leaves the text as it was and says that nothing was replaced; 0
        is an id like any other.”
    """,
    also_right="""
    compared: _right(input_ids, attention_mask, chosen, samples)
    by index:
        replaced_ids, labels = input_ids.clone(), torch.full_like(input_ids, IGNORE)
        places = chosen & attention_mask.bool()
        replaced_ids[places] = samples[places]
        labels[attention_mask.bool()] = (replaced_ids[attention_mask.bool()] != input_ids[attention_mask.bool()]).long()
        return replaced_ids, labels
    word by word:
        replaced_ids, labels = input_ids.clone(), torch.full_like(input_ids, IGNORE)
        for row, real in enumerate(attention_mask.sum(1).tolist()):
            for place in range(real):
                if chosen[row, place]:
                    replaced_ids[row, place] = samples[row, place]
                labels[row, place] = int(replaced_ids[row, place] != input_ids[row, place])
        return replaced_ids, labels
    chosen and different:
        return (
            _put_in(input_ids, attention_mask, chosen, samples),
            torch.where(attention_mask == 1, (chosen & (samples != input_ids)).long(), IGNORE),
        )
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
