"""Notebook 07: the first layer in which two runs differ."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

NONE = -1
TOLERANCE = 0.01


def _cases(generator: torch.Generator) -> list[Case]:
    kinds = ("a spreading fault", "a single number", "a gap", "NaN", "no fault", "a single layer", "one word")
    return [_case(generator, kind) for kind in kinds]


def _case(generator: torch.Generator, kind: str) -> Case:
    """Rounding everywhere, other numbers at padding (but for one kind), and in real positions what the kind says."""
    layer, position = primes(generator, 2, (5, 7, 11))
    batch, d_model = primes(generator, 2, (2, 3, 13))
    first = int(torch.randint(1, layer - 3, (), generator=generator))
    layer, batch = (1, 1) if kind == "a single layer" else (layer, batch)
    position = 1 if kind in ("a single layer", "one word") else position
    mask = torch.ones(batch, position, dtype=torch.long)
    if kind == "one word":
        mask[-1] = 0
    else:
        mask[1:, slice(1) if kind == "no fault" else slice(-2, None)] = 0
    theirs = normal(generator, layer, batch, position, d_model)
    theirs[..., -1] = 0.1
    off = 1e-5 * normal(generator, layer, batch, position, d_model)
    off[:, mask == 0] += 0.0 if kind == "a single number" else 1.0
    real = mask == 1
    if kind == "a spreading fault":  # first in one text, where all is too low; largest in the middle
        off[first, -1, :-2] -= 30 * TOLERANCE
        off[first + 1 :, real] += 10 * TOLERANCE
        off[first + 2, real] += 40 * TOLERANCE
    elif kind == "a single number":
        off[first:, -1, 0, -1] += 1.5 * TOLERANCE
    elif kind == "a gap":  # from the lowest layer on, with one that agrees
        off[:, real] += 5 * TOLERANCE
        off[1, real] = 0.0
    elif kind == "NaN":
        off[first, 0, 1], off[first + 1 :, real], off[:, mask == 0] = torch.nan, torch.nan, torch.nan
        theirs[first, 0, 1] = torch.nan  # in both, where it begins
    elif kind in ("a single layer", "one word"):
        off[min(first, layer - 1) :, real] += 5 * TOLERANCE
        if kind == "one word":  # next to such numbers the fault is small, but the tolerance is the same for all
            theirs[first, real] = 1e4
    else:  # a whole vector, each of its numbers within the tolerance
        off[first, -1, -1] += 0.9 * TOLERANCE
    arguments = {"yours": theirs + off, "theirs": theirs, "attention_mask": mask, "tolerance": TOLERANCE}
    return Case(arguments, kind, {"layer": layer, "batch": batch, "position": position, "d_model": d_model})


def _first(rejected: Tensor, none: int = NONE) -> Tensor:
    """The number of the first True; `none` when there is none."""
    numbers = rejected.nonzero()
    return numbers[0, 0] if len(numbers) else torch.tensor(none)


def _far(yours: Tensor, theirs: Tensor, tolerance: float) -> Tensor:
    """(layer, batch, position): True where some number is too far off, or NaN."""
    return ~((yours - theirs).abs() <= tolerance).all(-1)


def _layers(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
    """True for each layer in which a real position differs."""
    return (_far(yours, theirs, tolerance) & mask.bool()).flatten(1).any(1)


def _largest(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
    if not _layers(yours, theirs, mask, tolerance).any():
        return torch.tensor(NONE)
    return (yours - theirs).abs()[:, mask.bool()].flatten(1).amax(1).argmax()


def _by(measure: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """What `measure` makes of a layer's differences at real positions is compared with the tolerance."""

    def answer(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
        return _first(~(measure((yours - theirs)[:, mask.bool()]) <= tolerance))

    return answer


def _last(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
    numbers = _layers(yours, theirs, mask, tolerance).nonzero()
    return numbers[-1, 0] if len(numbers) else torch.tensor(NONE)


def _padding_times_nothing(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
    difference = (yours - theirs).abs() * mask[:, :, None]
    return _first(~(difference.flatten(1).amax(1) <= tolerance))


def _one_by_one(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
    for number, (mine, other) in enumerate(zip(yours, theirs, strict=True)):
        real = mask == 1
        if not torch.allclose(mine[real], other[real], rtol=0, atol=tolerance):
            return torch.tensor(number)
    return torch.tensor(-1)


def _with_argmax(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
    layers = _layers(yours, theirs, mask, tolerance)
    return torch.where(layers.any(), layers.int().argmax(), -1)


def _with_isclose(yours: Tensor, theirs: Tensor, mask: Tensor, tolerance: float) -> Tensor:
    agrees = torch.isclose(yours, theirs, rtol=0, atol=tolerance) | (mask == 0)[None, :, :, None]
    return _first(~agrees)


EXERCISE = Exercise(
    id="capstone.first_difference",
    title="The first difference",
    task="Find the first layer in which any number of a real position is off by more than the tolerance.",
    difficulty="medium",
    minutes=5,
    signature="first_difference(yours: Tensor, theirs: Tensor, attention_mask: Tensor, tolerance: float) -> Tensor",
    docstring="yours, theirs (layer, batch, position, d_model), attention_mask (batch, position), 1 = real token\n"
    "→ the layer's number, counted from 0, as a tensor of shape (); −1 where no layer differs. NaN always differs.",
    reference="anatomy_utils.functional.comparison.first_difference",
    returns=(Output("number"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "padding_counted",
            lambda yours, theirs, mask, tolerance: _first(_far(yours, theirs, tolerance).flatten(1).any(1)),
            "Your number is that of the first layer in which any position differs, padding included. What comes out at "
            "padding has no meaning.",
        ),
        Mistake(
            "only_padding",
            lambda yours, theirs, mask, tolerance: _first(_layers(yours, theirs, 1 - mask, tolerance)),
            "Your number is that of the first layer in which padding differs; 1 in the mask means that a token is "
            "real.",
        ),
        Mistake(
            "padding_times_nothing",
            _padding_times_nothing,
            "Padding that holds NaN gets through, as it does when the mask only multiplies: 0 × NaN is NaN. Choose "
            "with the mask.",
        ),
        Mistake(
            "padding_and_nan",
            lambda yours, theirs, mask, tolerance: _first(((yours - theirs).abs() > tolerance).flatten(1).any(1)),
            "Two things: you count padding, and you miss NaN. (NaN > tolerance is False.)",
        ),
        Mistake(
            "argmax_of_greater",
            lambda yours, theirs, mask, tolerance: (
                ((yours - theirs).abs()[:, mask.bool()] > tolerance).flatten(1).any(1).int().argmax()
            ),
            "Two things: where no layer differs you say 0, the lowest layer's number, as argmax does; and with NaN, "
            "too, as if you missed it. (NaN > tolerance is False.)",
        ),
        Mistake(
            "largest_with_padding",
            lambda yours, theirs, mask, tolerance: (yours - theirs).abs().flatten(1).amax(1).argmax(),
            "Your number is that of the layer with the largest difference, in padding or elsewhere, and there always "
            "is one. The first layer in which a real position is off by more than the tolerance is wanted.",
        ),
        Mistake(
            "largest",
            _largest,
            "Your number is that of the layer with the largest difference. A difference grows on its way up: the layer "
            "where it begins is wanted.",
        ),
        Mistake("last", _last, "Your number is that of the last layer that differs; the first is wanted."),
        Mistake(
            "mean",
            _by(lambda off: off.abs().flatten(1).mean(1)),
            "A single number that is off disappears in yours, as it does in the mean of a layer's differences.",
        ),
        Mistake(
            "distance",
            _by(lambda off: off.norm(dim=-1).amax(1)),
            "A vector differs for you though each of its numbers is within the tolerance, as if you compared its "
            "length.",
        ),
        Mistake(
            "signed",
            lambda yours, theirs, mask, tolerance: _first(
                ~((yours - theirs)[:, mask.bool()].flatten(1) <= tolerance).all(1)
            ),
            "You count only numbers that are too large; one that is too small is off as well.",
        ),
        Mistake(
            "nan_overlooked",
            lambda yours, theirs, mask, tolerance: _first(
                ((yours - theirs).abs()[:, mask.bool()] > tolerance).flatten(1).any(1)
            ),
            "You miss NaN: NaN > tolerance is False, like every such comparison with NaN. Ask what agrees, and take "
            "the opposite.",
        ),
        Mistake(
            "nan_in_both",
            lambda yours, theirs, mask, tolerance: _first(
                _layers(yours.nan_to_num(), theirs.nan_to_num(), mask, tolerance)
                | ((yours.isnan() != theirs.isnan()).any(-1) & mask.bool()).flatten(1).any(1)
            ),
            "Where both runs have NaN, you see no difference; NaN always differs.",
        ),
        Mistake(
            "relative",
            lambda yours, theirs, mask, tolerance: _first(
                (~torch.isclose(yours, theirs, atol=tolerance))[:, mask.bool()].flatten(1).any(1)
            ),
            "Large numbers may be off by more than the tolerance in yours, as in `isclose` and `allclose` with the "
            "usual `rtol`, which is not 0.",
        ),
        Mistake(
            "position",
            lambda yours, theirs, mask, tolerance: _first((_far(yours, theirs, tolerance) & mask.bool()).any(0).any(0)),
            "Your number is that of the first position that differs; the layer's is wanted.",
        ),
        Mistake(
            "text",
            lambda yours, theirs, mask, tolerance: _first((_far(yours, theirs, tolerance) & mask.bool()).any(0).any(1)),
            "Your number is that of the first text of the batch that differs; the layer's is wanted.",
        ),
        Mistake(
            "first_text",
            lambda yours, theirs, mask, tolerance: _first((_far(yours, theirs, tolerance) & mask.bool())[:, 0].any(1)),
            "Your number is that of the first layer in which the first text of the batch differs; all texts count.",
        ),
        Mistake(
            "every_position",
            lambda yours, theirs, mask, tolerance: _first(_far(yours, theirs, tolerance)[:, mask.bool()].all(1)),
            "Your layer is the first in which all real positions differ; one is enough.",
        ),
        Mistake(
            "first_that_agrees",
            lambda yours, theirs, mask, tolerance: _first(~_layers(yours, theirs, mask, tolerance)),
            "Your number is that of the first layer that agrees.",
        ),
        Mistake(
            "counted",
            lambda yours, theirs, mask, tolerance: _layers(yours, theirs, mask, tolerance).sum(),
            "You count the layers that differ; the number of the first of them is wanted.",
        ),
        Mistake(
            "from_1",
            lambda yours, theirs, mask, tolerance: _first(_layers(yours, theirs, mask, tolerance), -2) + 1,
            "You count layers from 1; the lowest one has the number 0.",
        ),
        Mistake(
            "0_for_none",
            lambda yours, theirs, mask, tolerance: _first(_layers(yours, theirs, mask, tolerance), 0),
            "Where no layer differs you say 0, which is the lowest layer's number. (argmax gives 0 when everything is "
            "False.)",
        ),
        Mistake(
            "number_of_layers_for_none",
            lambda yours, theirs, mask, tolerance: _first(_layers(yours, theirs, mask, tolerance), len(yours)),
            "Where no layer differs you say how many there are; −1 is wanted.",
        ),
        Mistake(
            "exact",
            lambda yours, theirs, mask, tolerance: _layers(yours, theirs, mask, 0.0).nonzero()[0, 0],
            "Your number is always 0, as if you asked for equal numbers. Rounding alone makes them unequal: that is "
            "what the tolerance is for.",
        ),
    ),
    also_right={"one layer after the other": _one_by_one, "argmax": _with_argmax, "isclose": _with_isclose},
    hints=(
        "Reduce step by step: a True or False for each number, then for each position, then for each layer.",
        "Where is a number fine? `(yours - theirs).abs() <= tolerance`, and NaN is not. The mask, (batch, position), "
        "fits what `.all(dim=-1)` leaves.",
        "With one boolean for each layer, `.nonzero()` gives the numbers of those that are True. It may be empty: then "
        "`torch.tensor(-1)`.",
    ),
    solution="agrees = ((yours - theirs).abs() <= tolerance).all(dim=-1)\n"
    "rejected = ~agrees & (attention_mask == 1)  # layer batch position\n"
    "layers = rejected.flatten(1).any(dim=1).nonzero()[:, 0]\n"
    "return layers[0] if len(layers) else torch.tensor(-1)",
    explanation="This is how published models are rebuilt: run both on the same text, compare from the bottom up, and "
    "mend the first layer that differs. The layers above it usually come right by themselves. Asking `<=` and taking "
    "the opposite catches NaN; `>` lets it pass.",
)
