"""Notebook 05: a penalty for what has been said already."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, normal, written
from anatomy_utils.decoding import filters


def repetition_penalty(logits: Tensor, input_ids: Tensor, penalty: float) -> Tensor:
    """logits (batch, vocab_size), input_ids (batch, position): the text so far, penalty above 1
    → logits, the same shape. A token counts once, however often it occurs."""
    seen = logits.gather(1, input_ids)
    lowered = torch.where(seen > 0, seen / penalty, seen * penalty)
    return logits.scatter(1, input_ids, lowered)


def cases(generator: Generator) -> Cases:
    for kind, batch, position, vocab_size, penalty in (
        ("a batch of texts", 3, 5, 11, 1.5),
        ("one text", 1, 7, 13, 2.0),
        ("a batch of texts", 3, 5, 11, 1.2),
    ):
        ids = torch.randint(vocab_size - 2, (batch, position), generator=generator)
        ids[0, 0] *= penalty > 1.2  # token 0 is one like any other
        ids[:, 1] = ids[:, 0]  # one token twice
        ids[:, 2] = (ids[:, 0] + 1) % (vocab_size - 2)
        ids[:, 3] = (ids[:, 0] + 2) % (vocab_size - 2)
        logits = 2 * normal(generator, batch, vocab_size)
        logits.scatter_(1, ids[:, :1], 1 + torch.rand(batch, 1, generator=generator))  # a seen one above 0 …
        if penalty == 1.2:
            logits[1, ids[1, 0]] *= -1  # another text may like it less
        logits.scatter_(1, ids[:, 2:3], -1 - torch.rand(batch, 1, generator=generator))  # … and one below
        sizes = {"batch": batch, "position": position, "vocab_size": vocab_size}
        yield Case({"logits": logits, "input_ids": ids, "penalty": penalty}, kind, sizes)


EXERCISE = written(
    repetition_penalty,
    same_as=filters.repetition_penalty,
    title="Repetition penalty",
    task="Lower the logits of the tokens that each row's text contains: divide those above 0 by the penalty, multiply "
    "those below 0.",
    level="medium, 5 minutes",
    returns="logits: batch vocab_size",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    logits of the text's tokens: seen
    lowered logits: lowered
    """,
    also_right="""
    token by token:
        logits = logits.clone()
        for row, text in enumerate(input_ids.tolist()):
            for token in set(text):
                now = logits[row, token]
                logits[row, token] = now / penalty if now > 0 else now * penalty
        return logits
    where:
        seen = torch.zeros_like(logits, dtype=torch.bool).scatter(1, input_ids, True)
        return torch.where(seen, torch.where(logits > 0, logits / penalty, logits * penalty), logits)
    minimum: torch.where(seen > 0, seen / penalty, seen * penalty) ⇒ torch.minimum(seen / penalty, seen * penalty)
    """,
    mistakes="""
    all_divided: torch.where(seen > 0, seen / penalty, seen * penalty) ⇒ seen / penalty
        “You divide negative logits too, which brings them nearer to 0: those tokens have become likelier.”
    all_multiplied: torch.where(seen > 0, seen / penalty, seen * penalty) ⇒ seen * penalty
        “You multiply positive logits too: those tokens have become likelier.”
    turned_round: seen > 0 ⇒ seen < 0
        “Tokens of the text have become likelier in yours: dividing and multiplying are swapped.”
    each_time (token by token): set(text) ⇒ text
        “A token that occurs twice in the text is punished twice in yours; once is enough.”
    everybody: torch.where(logits > 0, logits / penalty, logits * penalty)
        “You lower all logits, not only those of the tokens in the text.”
    unseen (everybody): result.scatter(1, input_ids, logits.gather(1, input_ids))
        “You lower the tokens that are not in the text, and spare those that are.”
    subtracted: torch.where(seen > 0, seen / penalty, seen * penalty) ⇒ seen - penalty
        “You subtract the penalty; here it is a factor.”
    forbidden: logits.scatter(1, input_ids, -torch.inf)
        “You forbid every repetition altogether; they should only become less likely.”
    all_rows: (1, input_ids ⇒ (1, input_ids.flatten().expand(len(input_ids), -1)
        “Each row of yours is punished for the other rows' words too.”
    """,
    again="""
    torch.where(seen > 0, seen / penalty, seen * penalty) ⇒ seen - penalty
        “This time the penalty is subtracted, once, from the logit of each token that the text contains.”
    """,
    hints="""
    - Three steps: fetch the logits of the tokens in the text, lower them, put them back where they came from.
    - `logits.gather(1, input_ids)` fetches: row by row, the columns that the ids name. `logits.scatter(1, input_ids,
      new)` returns a copy with `new` in those columns.
    - `torch.where(seen > 0, seen / penalty, seen * penalty)` lowers both kinds.
    """,
    explanation="""
    Keskar et al. 2019 divide by the penalty in every case, which raises any logits below 0. The rule for those is a
    later repair, which the common libraries use. The prompt counts as text: a name in it becomes less likely, too.
    """,
)
