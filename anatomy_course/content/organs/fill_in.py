"""Notebook 08: writing by filling in, the surest places first."""

from dataclasses import dataclass

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def fill_in(guess, ids: Tensor, mask_id: int, rounds: int) -> Tensor:
    """guess(ids) → words and sure, (batch, position): a word for each place, and how sure it is of
    it, from 0 to 1. ids (batch, position): mask_id where a place is open, equally often in each
    text → ids with all places filled."""
    for left in range(rounds, 0, -1):
        words, sure = guess(ids)
        still_open = ids == mask_id
        count = -(-int(still_open[0].sum()) // left)  # rounded up
        places = sure.masked_fill(~still_open, -1.0).topk(count, dim=1).indices
        ids = ids.scatter(1, places, words.gather(1, places))
    return ids


@dataclass(frozen=True)
class _Guess:
    """A hidden model: what it says of a place depends on all words that stand already, most on the nearest ones.

    Args:
        table: (vocab_size, vocab_size) of random numbers; the last row is the mask's.
        near: between 0 and 1, how much of a word is left one place further away.
    """

    table: Tensor
    near: float

    def __call__(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        if ids.dim() != 2:
            raise ValueError(f"This model reads ids (batch, position), not {tuple(ids.shape)}.")
        away = (torch.arange(ids.shape[1])[:, None] - torch.arange(ids.shape[1])).float()
        nearness = self.near ** away.abs() * torch.where(away > 0, 1.0, 0.7)
        logits = nearness.fill_diagonal_(0) @ self.table[ids] + 0.7 * self.table[: ids.shape[1]]
        logits[..., -1] = -50.0  # never the mask itself
        sure, words = logits.softmax(-1).max(-1)
        return words, sure

    def __repr__(self) -> str:
        return "a model's guesses"


def cases(generator: Generator) -> Cases:
    for kind, position, rounds in (
        ("two rounds", 5, 2),
        ("as many rounds as open places", 7, 5),
        ("a single round", 7, 1),
        ("rounds that do not divide the places", 11, 4),
        ("one text", 11, 3),
    ):
        draw = Draw(generator, "batch position", (3, 2), kind, batch=1 if kind == "one text" else 3, position=position)
        vocab_size = 17
        ids = draw.ids(vocab_size - 1, "batch position")
        filled = 0 if kind == "two rounds" else 2
        for row in ids:
            row[torch.randperm(position, generator=generator)[: position - filled]] = vocab_size - 1
        guess = _Guess(1.5 * torch.randn(vocab_size, vocab_size, generator=generator), 0.6)
        yield draw.case(guess=guess, ids=ids, mask_id=vocab_size - 1, rounds=rounds)


EXERCISE = written(
    fill_in,
    title="Filling in",
    task="In each round ask for guesses, and write down those that are surest, among the places still open: their "
    "number divided by the rounds that are left, rounded up. Of 10 places in 4 rounds: 3, 3, 2, 2.",
    level="hard, 8 minutes",
    returns="ids: batch position",
    cases=cases,
    mistakes="""
    asked_once:
        words, sure = guess(ids) ⇒ pass
        for left in range(rounds, 0, -1): ⇒
            words, sure = guess(ids)
            for left in range(rounds, 0, -1):
        “All your words are guesses of the first round, when nothing was written yet. A later round should know what the
        earlier ones have written.”
    unsurest: .masked_fill(~still_open, -1.0).topk(count, dim=1) ⇒ .masked_fill(~still_open, 2.0).topk(count, 1, False)
        “You write down the guesses that the model is least sure of.”
    from_the_left:
        sure.masked_fill(~still_open, -1.0) ⇒ (-still_open.float().cumsum(1)).masked_fill(~still_open, -99.0)
        “You fill the open places from left to right, whatever the model is sure of.”
    from_the_right: sure.masked_fill(~still_open, -1.0) ⇒ still_open.float().cumsum(1).masked_fill(~still_open, -99.0)
        “You fill the open places from right to left, whatever the model is sure of.”
    given_words_too: sure.masked_fill(~still_open, -1.0) ⇒ sure
        “You choose among all places. Where a word is fixed already, the model may be surest of all, and nothing is
        gained; choose among the open ones.”
    one_a_round: -(-int(still_open[0].sum()) // left) ⇒ min(1, int(still_open[0].sum()))
        “You fill one place in each round, so that with fewer rounds than places some stay open.”
    rounded_down: -(-int(still_open[0].sum()) // left) ⇒ int(still_open[0].sum()) // left
        “You round each share down; it should be rounded up.”
    shares_of_the_length:
        -(-int(still_open[0].sum()) // left) ⇒ min(-(-ids.shape[1] // rounds), int(still_open[0].sum()))
        “You share out all places of the text, the given ones too; share the open ones.”
    last_round_missing: range(rounds, 0, -1) ⇒ range(rounds, 1, -1)
        “One round is missing, so some places are still open.”
    everything_guessed: words.clone() if rounds == 1 else guess(result)[0]
        “In the end you put a guess into every place, and words that were there already are gone.”
    """,
    also_right="""
    one after the other:
        ids = ids.clone()
        for left in range(rounds, 0, -1):
            words, sure = guess(ids)
            count = -(-(ids == mask_id).sum(dim=1) // left)
            for row in range(len(ids)):
                places = [place for place in range(ids.shape[1]) if ids[row, place] == mask_id]
                places.sort(key=lambda place: -sure[row, place])
                for place in places[: int(count[row])]:
                    ids[row, place] = words[row, place]
        return ids
    by rank:
        for left in range(rounds, 0, -1):
            words, sure = guess(ids)
            still_open = ids == mask_id
            rank = torch.where(still_open, -sure, 1.0).argsort(dim=1).argsort(dim=1)
            count = -(-still_open.sum(dim=1, keepdim=True) // left)
            ids = torch.where(still_open & (rank < count), words, ids)
        return ids
    sorted: .topk(count, dim=1).indices ⇒ .argsort(dim=1, descending=True)[:, :count]
    """,
    hints="""
    - In each round: guesses for all places, how many to keep now, which ones, and only those into the ids. How many
      rounds are left, this one included?
    - With `left` rounds to go, the share is the number of open places divided by `left`, rounded up: `-(-number //
      left)`. Make `sure` −1 where no place is open; then `topk(count, dim=1).indices` are the places.
    - `words.gather(1, places)` takes the words of these places, and `ids.scatter(1, places, …)` puts them there.
    """,
    explanation="""
    Nie et al. 2025 (arXiv:2502.09992) write so with a body of 8 billion parameters. A word that is fixed is not changed
    again, as in any other text. The number of rounds is free: fewer rounds are faster, and guess more words without
    knowing of one another.
    """,
)
