"""Notebook 04: masked words, what an encoder is pretrained with."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, written
from anatomy_utils.objectives import masked_tokens


def mask_words(
    input_ids: Tensor, attention_mask: Tensor, choice: Tensor,
    action: Tensor, random_ids: Tensor, mask_id: int,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """All (batch, position): ids, 1 = real word, two tables of random numbers from 0 to 1, and what
    an exchanged word becomes; mask_id stands for a hidden word
    → masked_ids, and labels: the chosen words' own ids, −100 elsewhere."""
    chosen = (choice < 0.15) & (attention_mask == 1)
    labels = input_ids.masked_fill(~chosen, -100)
    masked_ids = input_ids.masked_fill(chosen & (action < 0.8), mask_id)
    exchanged = chosen & (action >= 0.8) & (action < 0.9)
    return torch.where(exchanged, random_ids, masked_ids), labels


VOCABULARY, MASK = 97, 103


def drawn(generator: Generator) -> Cases:
    for kind, batch, position in (("padded texts", 5, 23), ("one text", 1, 61), ("padded texts", 7, 17)):
        shape = (batch, position)
        ids = torch.randint(VOCABULARY, shape, generator=generator)
        real = torch.randint(position // 2, position, (batch, 1), generator=generator)
        real = torch.full_like(real, position) if kind == "one text" else real
        uniform, part = torch.rand(2, *shape, generator=generator)
        chosen = torch.rand(shape, generator=generator) < 0.5  # more than 15 %, so that all three parts occur
        third = torch.randint(3, shape, generator=generator)
        action = torch.where(third == 0, 0.8 * part, torch.where(third == 1, 0.8 + 0.1 * part, 0.9 + 0.1 * part))
        arguments = {
            "input_ids": ids,
            "attention_mask": (torch.arange(position) < real).long(),
            "choice": torch.where(chosen, 0.15 * uniform, 0.15 + 0.85 * uniform),
            "action": action,
            "random_ids": (ids + torch.randint(1, VOCABULARY, shape, generator=generator)) % VOCABULARY,
            "mask_id": MASK,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position})


def cases(generator: Generator) -> Cases:
    """Those, texts of one word, and words that are exchanged for themselves or have the mask's own id already."""
    yield from and_short(drawn, "position", "texts of one word")(generator)
    case = next(case for case in drawn(generator) if case.kind == "one text")  # without padding
    ids, _, choice, action, other = list(case.arguments.values())[:5]
    exchanged = (choice < 0.15) & (action >= 0.8) & (action < 0.9)
    even = torch.arange(ids.shape[1]) % 2 == 0
    equal = {"input_ids": ids.masked_fill(exchanged & ~even, MASK), "random_ids": torch.where(even, ids, other)}
    yield Case({**case.arguments, **equal}, "ids that happen to be equal", case.sizes)


EXERCISE = written(
    mask_words,
    same_as=masked_tokens.mask_words,
    title="Masked words",
    task="Choose the real words whose `choice` is below 0.15; hide those whose `action` is below 0.8, exchange those "
    "from 0.8 to below 0.9, keep the others; label all chosen words.",
    level="hard, 7 minutes",
    returns="masked_ids: batch position; labels: batch position",
    cases=cases,
    stages="""
    chosen words: chosen
    hidden words: chosen & (action < 0.8)
    exchanged words: exchanged
    """,
    look_first="labels masked_ids",
    mistakes="""
    all_hidden:
        chosen & (action < 0.8) ⇒ chosen
        torch.where(exchanged, random_ids, masked_ids) ⇒ masked_ids
        “You hide all chosen words, whatever `action` says.”
    none_exchanged: torch.where(exchanged, random_ids, masked_ids) ⇒ masked_ids
        “The right words are hidden, and the other chosen ones all stay; half of those should be exchanged.”
    none_left: & (action < 0.9) ⇒
        “The right words are hidden, and the other chosen ones are all exchanged; half of those should stay.”
    halves_swapped: (action >= 0.8) & (action < 0.9) ⇒ (action >= 0.9)
        “Your shares are right, but you keep those from 0.8 to 0.9 and exchange those above; it should be the other way
        round.”
    exchange_wins: (action >= 0.8) & ⇒
        “In the end no word is hidden: those below 0.8, which are below 0.9 too, are exchanged.”
    padding_chosen: & (attention_mask == 1) ⇒
        “Padding is among your chosen words; there is nothing to learn from it.”
    chosen_turned_round: choice < 0.15 ⇒ choice >= 0.15
        “You choose the words from 0.15 up: 85% instead of 15%.”
    not_only_chosen: chosen & (action ⇒ (action
        “Your labels are right, but words that were not chosen are hidden and exchanged as well.”
    exchanged_everywhere: exchanged = chosen & ⇒ exchanged =
        “Your labels are right and the right words are hidden, but words that were not chosen are exchanged too.”
    all_labelled: .masked_fill(~chosen, -100) ⇒
        “Your masked_ids are right, but all words have labels: the model would mostly learn to copy.”
    real_labelled: ~chosen ⇒ attention_mask == 0
        “Your masked_ids are right, but all real words have labels, not the chosen ones alone.”
    hidden_labelled_only: ~chosen ⇒ ~(chosen & (action < 0.8))
        “Your masked_ids are right, but only the hidden words have labels; exchanged and left ones are asked for too.”
    changed_labelled_only: (result[0], labels.masked_fill(result[0] == input_ids, -100))
        “Your masked_ids are right, but only the words that have changed have labels; chosen words that stay as they are
        need one too.”
    labels_turned_round: ~chosen ⇒ chosen
        “Your masked_ids are right, but your labels are −100 where words were chosen, and ids where they were not.”
    labels_of_the_masked: (result[0], result[0].masked_fill(~chosen, -100))
        “Your labels are the ids after masking; they should be the ids before.”
    """,
    also_right="""
    where:
        chosen = (choice < 0.15) & (attention_mask == 1)
        instead = torch.where(action < 0.8, mask_id, torch.where(action < 0.9, random_ids, input_ids))
        return torch.where(chosen, instead, input_ids), torch.where(chosen, input_ids, -100)
    by index:
        chosen = (choice < 0.15) & (attention_mask == 1)
        masked_ids, labels = input_ids.clone(), input_ids.clone()
        labels[~chosen] = -100
        exchanged = chosen & (action < 0.9)
        masked_ids[exchanged] = random_ids[exchanged]
        masked_ids[chosen & (action < 0.8)] = mask_id
        return masked_ids, labels
    labels chosen: input_ids.masked_fill(~chosen, -100) ⇒ torch.where(chosen, input_ids, -100)
    """,
    again="""
    chosen & (action < 0.8), mask_id ⇒ chosen, mask_id
    return torch.where(exchanged, random_ids, masked_ids), labels ⇒ return masked_ids, labels
    exchanged = chosen & (action >= 0.8) & (action < 0.9) ⇒
        “This time every chosen word is hidden; none is exchanged or kept.”
        Not here: hidden_labelled_only
    """,
    hints="""
    - Three masks of True and False: which words are chosen, which of those are hidden, which are exchanged.
    - `(choice < 0.15) & (attention_mask == 1)` are the chosen ones. `masked_fill` puts one number where a mask is True,
      `torch.where(mask, one, other)` takes from two tensors.
    - `labels = input_ids.masked_fill(~chosen, -100)`; for masked_ids first `masked_fill(chosen & (action < 0.8),
      mask_id)`, then `torch.where` with random_ids.
    """,
    explanation="""
    Devlin et al. 2018, section 3.1. A model in use never sees the mask token. Because some chosen words are exchanged
    and some kept, the model must make a good vector for every word, hidden or not. −100 is the label that torch's
    cross_entropy leaves out.
    """,
)
