"""A function that draws windows of a text, as a function without chance: what many of its draws have in common.

The order in which an answer draws is its own affair. Compared are all windows that ever come, their labels, and how
often each comes, alone and after another one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.definition import Objection, Output

DRAWS = 110  # how many rows are drawn for each place at which a window can begin; shares are rounded to whole numbers
OUTPUTS = (
    Output("inputs", "window position"),
    Output("labels", "window position"),
    Output("share of each window", "window"),
    Output("share of each distance", "distance"),
)


def drive(
    answer: Callable[..., Any], ids: Tensor, batch_size: int, length: int, seed: int
) -> tuple[Tensor, ...] | Objection:
    """What an answer's batches have in common, on generators that begin with a seed."""
    before = ids.clone()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        first, *others = (
            answer(ids, batch_size, length, torch.Generator().manual_seed(seed + more)) for more in (0, 0, 1, 2, 3, 4)
        )
        if objection := _objection_to_form(first, batch_size, length):
            return objection
        if not all(map(torch.equal, first, others[0])):
            return Objection(
                "not_repeatable",
                "Two generators in the same state give two different batches, as if something were drawn without "
                "`generator`.",
            )
        generator, batches = torch.Generator().manual_seed(seed), []
        for _ in range(-(-DRAWS * max(1, len(ids) - length) // batch_size)):
            batch = answer(ids, batch_size, length, generator)
            if objection := _objection_to_form(batch, batch_size, length):
                return objection
            batches.append(torch.cat(batch, -1))
    if not torch.equal(ids, before):
        return Objection("changed", "Your function changes `ids`: the text must stay what it is.")
    drawn = torch.stack(batches)
    always = len(ids) - length > 1 and bool((drawn == drawn[:1]).all())
    if always and all(torch.equal(first[0], other[0]) for other in others):
        said = "Whatever the generator says, you give the same windows, as if nothing were drawn from it."
        return Objection("always", said)
    if always:
        return Objection(
            "set_back",
            "Each call on one generator gives the same batch again, so training would see nothing else: leave the "
            "generator's state to the draws.",
        )
    shares = _shares(drawn, length)
    return _objection_to_windows(ids, length, shares) or shares


def _shares(drawn: Tensor, length: int) -> tuple[Tensor, ...]:
    """All different rows, inputs and labels, and how often they come, alone and one after the other."""
    rows, numbers = drawn.flatten(0, 1).unique(dim=0, return_inverse=True)
    numbers, count = numbers.reshape(drawn.shape[:2]), len(rows)
    follow = numbers.T if drawn.shape[1] == 1 else numbers
    distances = (follow[:, 1:] - follow[:, :-1]) % count
    return (rows[:, :length], rows[:, length:], _relative(numbers, count), _relative(distances, count))


def _objection_to_windows(ids: Tensor, length: int, found: tuple[Tensor, ...]) -> Objection | None:
    """Where more or fewer different windows came than the text has: a table of them would not say so."""
    wanted = [(row[:-1].tolist(), row[1:].tolist()) for row in ids.unfold(0, length + 1, 1)]
    came = list(zip(found[0].tolist(), found[1].tolist(), strict=True))
    if len(came) == len(wanted):
        return None
    example = f"The inputs {next((row for row in wanted if row not in came), wanted[0])[0]} never came."
    if first := next((row for row in came if row not in wanted), None):
        example = f"The inputs {first[0]} with the labels {first[1]} are not among them."
    sentence = (
        f"Counted over many batches, {len(came)} different windows came, each with its labels. Your text of {len(ids)} "
        f"tokens has {len(wanted)}, one for each place where a window of {length} can begin. {example}"
    )
    return Objection("windows", sentence, [numbers.tolist() for numbers in found])


def _relative(numbers: Tensor, count: int) -> Tensor:
    counts = torch.bincount(numbers.flatten(), minlength=count)
    return (counts * count / counts.sum()).round()


def _objection_to_form(batch: Any, batch_size: int, length: int) -> Objection | None:
    if batch is None:
        return Objection("nothing", "Your function returned nothing (None); it should `return inputs, labels`.")
    if not isinstance(batch, tuple) or len(batch) != 2 or not all(isinstance(part, Tensor) for part in batch):
        kind = f"a {type(batch).__name__}" + (f" of {len(batch)}" if isinstance(batch, list | tuple) else "")
        return Objection("type", f"You return {kind}; two tensors are wanted: `return inputs, labels`.")
    for name, part in zip(("inputs", "labels"), batch, strict=True):
        if part.dtype != torch.long:
            kind = str(part.dtype).removeprefix("torch.")
            return Objection("dtype", f"Your {name} are of type {kind}; ids are whole numbers (int64), as in `ids`.")
        if tuple(part.shape) != (batch_size, length):
            return Objection(
                "shape",
                f"Your {name} have the shape {tuple(part.shape)}; with batch_size {batch_size} and length {length} it "
                f"should be ({batch_size}, {length}).",
            )
    return None
