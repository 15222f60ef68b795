"""Notebook 10: batches of windows from one long text, judged by what many draws have in common."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, primes, written
from anatomy_course.judge.effects.windows import OUTPUTS, drive


def random_windows(
    ids: Tensor, batch_size: int, length: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """ids (token), a whole text → inputs and labels, both (batch_size, length), whole numbers.
    labels[i, j] is the token that follows inputs[i, j] in the text. Draw the start of each window independently, so
    the same window may come twice, and draw with `generator`. The text is longer than one window.
    """
    starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)
    positions = starts + torch.arange(length)
    return ids[positions], ids[positions + 1]


def cases(generator: Generator) -> Cases:
    one, single, short = "a batch of one window", "a text of a single window", "windows of one token"
    for kind in ("a batch of windows", one, short, single, "a batch of windows"):
        batch = 1 if kind == one else 11
        length = {one: 2, short: 1}.get(kind, primes(generator, 1, (2, 3))[0])
        places = {one: 3, single: 1}.get(kind, primes(generator, 1, (5, 7))[0])
        ids = torch.randint(2, 9, (places + length,), generator=generator).cumsum(0)  # each token tells its place
        seed = int(torch.randint(1000, (1,), generator=generator))
        arguments = {"ids": ids, "batch_size": batch, "length": length, "seed": seed}
        yield Case(arguments, kind, {"batch": batch, "position": length, "places": places})


EXERCISE = written(
    random_windows,
    title="Random windows",
    task="Draw a batch of windows from a long text, each beginning anywhere with the same chance, and the tokens that "
    "follow as labels.",
    level="medium, 6 minutes",
    same_as="anatomy_utils.training.windows.random_windows",
    returns=OUTPUTS,
    cases=cases,
    observe=drive,
    stages="places at which a window can begin: torch.arange(len(ids) - length)",
    mistakes="""
    last_window_missing: len(ids) - length ⇒ max(1, len(ids) - length - 1)
        “Your last window never comes: the text's last token is nobody's label. `torch.randint(n, …)` draws from 0 to n
        − 1.”
    labels_are_inputs: positions + 1 ⇒ positions
        “Your labels are the inputs themselves: a model would learn to copy. They should be one token further on.”
    labels_before: positions + 1 ⇒ positions - 1
        “Your labels are the tokens before the inputs; the model should guess what follows.”
    two_further: positions + 1 ⇒ (positions + 2) % len(ids)
        “Your labels skip a token: they are two places further on, not one.”
    next_window: positions + 1 ⇒ (positions + length) % len(ids)
        “Your labels are the window after the inputs; each label should be the token right after its own input.”
    one_label: ids[positions + 1] ⇒ ids[positions[:, -1:] + 1].expand_as(positions)
        “All labels of a window are the token after its end; every position has a next token of its own.”
    rolled: ids[positions + 1] ⇒ ids[positions].roll(-1, 1)
        “Your labels are the inputs turned round by one: the last position of each window gets its first token, not the
        one that follows in the text.”
    one_place_for_all: (batch_size, 1), generator=generator) ⇒ (1, 1), generator=generator).expand(batch_size, 1)
        “All rows of your batch are one and the same window, as if a place were drawn once, not once for each row.”
    in_a_row:
        (batch_size, 1) ⇒ (1, 1)
        starts + ⇒ (starts + torch.arange(batch_size)[:, None]) % (len(ids) - length) +
        “Your windows follow the first one token by token, as if only that one were drawn; draw a place for each row.”
    shuffled:
        torch.randint(len(ids) - length, (batch_size, 1), generator=generator) ⇒
            torch.randperm(len(ids) - length, generator=generator)[torch.arange(batch_size) % (len(ids) - length), None]
        “Within a batch no window of yours comes twice before all have come, as if places were shuffled, not drawn
        independently.”
    no_repetition:
        torch.randint(len(ids) - length, (batch_size, 1), generator=generator) ⇒
            torch.randperm(len(ids) - length, generator=generator)[:batch_size, None]
        “A short text gives you too few windows for a batch, as if each came only once, as with `randperm`: draw each
        place independently.”
    cut_into_rows:
        len(ids) - length ⇒ (len(ids) - 1) // length
        starts + ⇒ starts * length +
        “Your windows begin only at multiples of `length`, as if the text were cut into rows. Any token with enough
        others after it may be the first of a window.”
    with_the_end:
        len(ids) - length ⇒ len(ids) - length + 1
        positions + 1 ⇒ (positions + 1) % len(ids)
        “Your windows may begin one place too late: nothing follows the text's last token, and you take the first one
        for its label.”
    one_too_short: torch.arange(length) ⇒ torch.arange(length - 1)
        “Your inputs have one token too few: cut length + 1 tokens from the text, so that `length` are left when the
        labels move on by one.”
    one_too_long:
        torch.arange(length) ⇒ torch.arange(length + 1)
        positions + 1 ⇒ positions
        “Your inputs have length + 1 tokens: leave out the last one for the inputs and the first one for the labels.”
    transposed: result[0].T, result[1].T
        “Your axes are swapped: each row should be a window.”
    """,
    also_right="""
    cut and stacked:
        starts = torch.randint(len(ids) - length, (batch_size,), generator=generator).tolist()
        both = torch.stack([ids[start : start + length + 1] for start in starts])
        return both[:, :-1], both[:, 1:]
    a row turned into a column: (batch_size, 1), generator=generator) ⇒ (batch_size,), generator=generator)[:, None]
    all windows, then a choice:
        windows = ids.unfold(0, length + 1, 1)
        chosen = windows[torch.multinomial(torch.ones(len(windows)), batch_size, True, generator=generator)]
        return chosen[:, :length], chosen[:, 1:]
    """,
    hints="""
    - A text of 10 tokens and windows of 3: a window needs a token after its end. At which places can it begin, and how
      many such places are there?
    - `torch.randint(count, (batch_size, 1), generator=generator)` draws the places as a column; added to
      `torch.arange(length)` it gives every window's positions.
    - `ids[positions]` are the inputs, of the same shape as `positions`; the labels are at `positions + 1`.
    """,
    explanation="""
    No epochs and no padding: a long text is cut anywhere, and each token will come at every place of a window. Because
    all chance comes from one generator, saving its state is enough to resume with the same batches.
    """,
)
