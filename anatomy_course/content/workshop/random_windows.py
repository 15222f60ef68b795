"""Notebook 08: batches of windows from one long text, judged by what many draws have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from anatomy_course.content.sizes import primes
from anatomy_course.judge.definition import Case, Exercise, Mistake
from anatomy_course.judge.effects.windows import OUTPUTS, drive

Both = tuple[Tensor, Tensor]
ONE, SINGLE, SHORT = "a batch of one window", "a text of a single window", "windows of one token"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of windows", ONE, SHORT, SINGLE, "a batch of windows"):
        batch = 1 if kind == ONE else 11
        length = {ONE: 2, SHORT: 1}.get(kind, primes(generator, 1, (2, 3))[0])
        places = {ONE: 3, SINGLE: 1}.get(kind, primes(generator, 1, (5, 7))[0])
        ids = torch.randint(2, 9, (places + length,), generator=generator).cumsum(0)  # each token tells its place
        seed = int(torch.randint(1000, (1,), generator=generator))
        arguments = {"ids": ids, "batch_size": batch, "length": length, "seed": seed}
        yield Case(arguments, kind, {"batch": batch, "position": length, "places": places})


@dataclass(frozen=True)
class _Windows:
    """Windows with one thing done differently."""

    places: Callable[[int, int], int] = lambda tokens, length: tokens - length
    draw: Callable[[int, int, torch.Generator], Tensor] = lambda places, batch, generator: torch.randint(
        places, (batch,), generator=generator
    )
    labels: Callable[[Tensor, Tensor], Tensor] = lambda ids, positions: ids[positions + 1]

    def __call__(self, ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
        places = max(1, self.places(len(ids), length))
        starts = self.draw(places, batch_size, generator)
        positions = starts[:, None] + torch.arange(length)
        return ids[positions], self.labels(ids, positions)


def _stacked(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    starts = torch.randint(len(ids) - length, (batch_size,), generator=generator).tolist()
    rows = [ids[start : start + length + 1] for start in starts]
    both = torch.stack(rows)
    return both[:, :-1], both[:, 1:]


def _row_by_row(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    inputs = torch.zeros(batch_size, length, dtype=torch.long)
    labels = torch.zeros_like(inputs)
    for row in range(batch_size):
        start = int(torch.randint(0, len(ids) - length, (), generator=generator))
        inputs[row], labels[row] = ids[start : start + length], ids[start + 1 : start + length + 1]
    return inputs, labels


def _unfolded(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    windows = ids.unfold(0, length + 1, 1)
    chosen = windows[torch.multinomial(torch.ones(len(windows)), batch_size, True, generator=generator)]
    return chosen[:, :length], chosen[:, 1:]


def _from_one_place(places: int, batch: int, generator: torch.Generator) -> Tensor:
    return torch.randint(places, (1,), generator=generator).expand(batch)


def _in_a_row(places: int, batch: int, generator: torch.Generator) -> Tensor:
    return (torch.randint(places, (1,), generator=generator) + torch.arange(batch)) % places


def _shuffled(places: int, batch: int, generator: torch.Generator) -> Tensor:
    return torch.randperm(places, generator=generator)[torch.arange(batch) % places]


def _no_repetition(places: int, batch: int, generator: torch.Generator) -> Tensor:
    return torch.randperm(places, generator=generator)[:batch]


def _cut_into_rows(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    rows = (len(ids) - 1) // length
    chosen = torch.randint(rows, (batch_size,), generator=generator)
    return ids[: rows * length].view(rows, length)[chosen], ids[1 : rows * length + 1].view(rows, length)[chosen]


def _with_the_end(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    """Also the window after whose end nothing comes; the first token of the text passes for what follows."""
    starts = torch.randint(len(ids) - length + 1, (batch_size, 1), generator=generator)
    positions = starts + torch.arange(length)
    return ids[positions], ids[(positions + 1) % len(ids)]


def _without_generator(places: int, batch: int, generator: torch.Generator) -> Tensor:
    return torch.randint(max(places, 1000), (batch,)) % places


def _first_token(ids: Tensor, positions: Tensor) -> Tensor:
    return ids[positions[:, -1:] + 1].expand_as(positions)


def _squeezed(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Any:
    inputs, labels = _Windows()(ids, batch_size, length, generator)
    return inputs.squeeze(0), labels.squeeze(0)


def _with_one_more(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    inputs, labels = _Windows()(ids, batch_size, length, generator)
    return torch.cat([inputs, labels[:, -1:]], 1), torch.cat([inputs, labels[:, -1:]], 1)


def _one_short(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    inputs, _ = _Windows()(ids, batch_size, length, generator)
    return inputs[:, :-1], inputs[:, 1:]


def _one_matrix(ids: Tensor, batch_size: int, length: int, generator: torch.Generator) -> Both:
    inputs, labels = _Windows()(ids, batch_size, length, generator)
    return inputs.T, labels.T


def _steps(ids: Tensor, batch_size: int, length: int, seed: int) -> Mapping[str, Tensor]:
    return {"places at which a window can begin": torch.arange(len(ids) - length)}


EXERCISE = Exercise(
    id="workshop.random_windows",
    title="Random windows",
    task="Draw a batch of windows from a long text, each beginning anywhere with the same chance, and the tokens that "
    "follow as labels.",
    difficulty="medium",
    minutes=6,
    signature="random_windows(\n"
    "    ids: Tensor, batch_size: int, length: int, generator: torch.Generator\n"
    ") -> tuple[Tensor, Tensor]",
    docstring="ids (token), a whole text → inputs and labels, both (batch_size, length), whole numbers.\n"
    "labels[i, j] is the token that follows inputs[i, j] in the text. Draw the start of each window independently, so\n"
    "the same window may come twice, and draw with `generator`. The text is longer than one window.",
    reference="anatomy_utils.training.windows.random_windows",
    returns=OUTPUTS,
    cases=_cases,
    mistakes=(
        Mistake(
            "last_window_missing",
            replace(_Windows(), places=lambda tokens, length: tokens - length - 1),
            "Your last window never comes: the text's last token is nobody's label. `torch.randint(n, …)` draws from "
            "0 to n − 1.",
        ),
        Mistake(
            "labels_are_inputs",
            replace(_Windows(), labels=lambda ids, positions: ids[positions]),
            "Your labels are the inputs themselves: a model would learn to copy. They should be one token further on.",
        ),
        Mistake(
            "labels_before",
            replace(_Windows(), labels=lambda ids, positions: ids[positions - 1]),
            "Your labels are the tokens before the inputs; the model should guess what follows.",
        ),
        Mistake(
            "two_further",
            replace(_Windows(), labels=lambda ids, positions: ids[(positions + 2) % len(ids)]),
            "Your labels skip a token: they are two places further on, not one.",
        ),
        Mistake(
            "next_window",
            replace(_Windows(), labels=lambda ids, positions: ids[(positions + positions.shape[1]) % len(ids)]),
            "Your labels are the window after the inputs; each label should be the token right after its own input.",
        ),
        Mistake(
            "one_label",
            replace(_Windows(), labels=_first_token),
            "All labels of a window are the token after its end; every position has a next token of its own.",
        ),
        Mistake(
            "rolled",
            replace(_Windows(), labels=lambda ids, positions: ids[positions].roll(-1, 1)),
            "Your labels are the inputs turned round by one: the last position of each window gets its first token, "
            "not the one that follows in the text.",
        ),
        Mistake(
            "one_place_for_all",
            replace(_Windows(), draw=_from_one_place),
            "All rows of your batch are one and the same window, as if a place were drawn once, not once for each row.",
        ),
        Mistake(
            "in_a_row",
            replace(_Windows(), draw=_in_a_row),
            "Your windows follow the first one token by token, as if only that one were drawn; draw a place for each "
            "row.",
        ),
        Mistake(
            "shuffled",
            replace(_Windows(), draw=_shuffled),
            "Within a batch no window of yours comes twice before all have come, as if places were shuffled, not drawn "
            "independently.",
        ),
        Mistake(
            "no_repetition",
            replace(_Windows(), draw=_no_repetition),
            "A short text gives you too few windows for a batch, as if each came only once, as with `randperm`: draw "
            "each place independently.",
        ),
        Mistake(
            "cut_into_rows",
            _cut_into_rows,
            "Your windows begin only at multiples of `length`, as if the text were cut into rows. Any token with "
            "enough others after it may be the first of a window.",
        ),
        Mistake(
            "with_the_end",
            _with_the_end,
            "Your windows may begin one place too late: nothing follows the text's last token, and you take the first "
            "one for its label.",
        ),
        Mistake(
            "without_the_generator",
            replace(_Windows(), draw=_without_generator),
            "Your windows are drawn from another source of random numbers, such as torch's global one, so the same "
            "seed gives other batches: pass `generator=generator` on.",
        ),
        Mistake(
            "always_the_beginning",
            replace(_Windows(), draw=lambda places, batch, generator: torch.arange(batch) % places),
            "Nothing is drawn from `generator` as it comes: whatever its state, you give the same windows.",
        ),
        Mistake(
            "squeezed",
            _squeezed,
            "With a batch of one window your batch axis is gone; it should be (1, length).",
        ),
        Mistake(
            "one_too_short",
            _one_short,
            "Your inputs have one token too few: cut length + 1 tokens from the text, so that `length` are left when "
            "the labels move on by one.",
        ),
        Mistake(
            "one_too_long",
            _with_one_more,
            "Your inputs have length + 1 tokens: leave out the last one for the inputs and the first one for the "
            "labels.",
        ),
        Mistake("transposed", _one_matrix, "Your axes are swapped: each row should be a window."),
    ),
    also_right={
        "cut and stacked": _stacked,
        "row by row": _row_by_row,
        "all windows, then a choice": _unfolded,
        "in two steps": _Windows(),
    },
    hints=(
        "A text of 10 tokens and windows of 3: a window needs a token after its end. At which places can it begin, and "
        "how many such places are there?",
        "`torch.randint(count, (batch_size, 1), generator=generator)` draws the places as a column; added to "
        "`torch.arange(length)` it gives every window's positions.",
        "`ids[positions]` are the inputs, of the same shape as `positions`; the labels are at `positions + 1`.",
    ),
    solution="starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)\n"
    "positions = starts + torch.arange(length)\n"
    "return ids[positions], ids[positions + 1]",
    explanation="No epochs and no padding: a long text is cut anywhere, and each token will come at every place of a "
    "window. Because all chance comes from one generator, saving its state is enough to resume with the same batches.",
    stages=_steps,
    observe=drive,
)
