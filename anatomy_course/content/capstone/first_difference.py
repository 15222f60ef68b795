"""Notebook 09: the first layer in which two runs differ."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, primes, written


def first_difference(yours: Tensor, original: Tensor, attention_mask: Tensor, tolerance: float) -> Tensor:
    """yours, original (layer, batch, position, d_model), attention_mask (batch, position), 1 = real token
    → the layer's number, counted from 0, as a tensor of shape (); −1 where no layer differs. NaN always differs,
    except at padding, which is not looked at.
    """
    agrees = ((yours - original).abs() <= tolerance).all(dim=-1)
    rejected = ~agrees & (attention_mask == 1)  # layer batch position
    layers = rejected.flatten(1).any(dim=1).nonzero()[:, 0]
    return layers[0] if len(layers) else torch.tensor(-1)


TOLERANCE = 0.01


def cases(generator: Generator) -> Cases:
    kinds = ("a spreading fault", "a single number", "a gap", "NaN", "no fault", "a single layer", "one word")
    return [case_of(generator, kind) for kind in kinds]


def case_of(generator: torch.Generator, kind: str) -> Case:
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
    original = normal(generator, layer, batch, position, d_model)
    original[..., -1] = 0.1
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
        original[first, 0, 1] = torch.nan  # in both, where it begins
    elif kind in ("a single layer", "one word"):
        off[min(first, layer - 1) :, real] += 5 * TOLERANCE
        if kind == "one word":  # next to such numbers the fault is small, but the tolerance is the same for all
            original[first, real] = 1e4
    else:  # a whole vector, each of its numbers within the tolerance
        off[first, -1, -1] += 0.9 * TOLERANCE
    arguments = {"yours": original + off, "original": original, "attention_mask": mask, "tolerance": TOLERANCE}
    return Case(arguments, kind, {"layer": layer, "batch": batch, "position": position, "d_model": d_model})


EXERCISE = written(
    first_difference,
    same_as="anatomy_utils.functional.comparison.first_difference",
    title="The first difference",
    task="Find the first layer in which any number of a real position is off by more than the tolerance.",
    level="medium, 5 minutes",
    returns="number",
    cases=cases,
    mistakes="""
    padding_counted: & (attention_mask == 1) ⇒
        “Your number is that of the first layer in which any position differs, padding included. What comes out at
        padding has no meaning.”
    only_padding: attention_mask == 1 ⇒ attention_mask == 0
        “Your number is that of the first layer in which padding differs; 1 in the mask means that a token is real.”
    padding_times_nothing (padding_counted): (yours - original) ⇒ (attention_mask[:, :, None] * (yours - original))
        “Padding that holds NaN gets through, as it does when the mask only multiplies: 0 × NaN is NaN. Choose with the
        mask.”
    padding_and_nan (padding_counted):
        ((yours - original).abs() <= tolerance).all ⇒ ~((yours - original).abs() > tolerance).any
        “Two things: you count padding, and you miss NaN. (NaN > tolerance is False.)”
    argmax_of_greater:
        ((yours - original).abs()[:, attention_mask == 1] > tolerance).flatten(1).any(dim=1).int().argmax()
        “Two things: where no layer differs you say 0, the lowest layer's number, as argmax does; and with NaN, too, as
        if you missed it. (NaN > tolerance is False.)”
    largest_with_padding: (yours - original).abs().flatten(1).amax(dim=1).argmax()
        “Your number is that of the layer with the largest difference, in padding or elsewhere, and there always is one.
        The first layer in which a real position is off by more than the tolerance is wanted.”
    largest: layers[0] ⇒ (yours - original).abs()[:, attention_mask == 1].flatten(1).amax(dim=1).argmax()
        “Your number is that of the layer with the largest difference. A difference grows on its way up: the layer where
        it begins is wanted.”
    last: layers[0] ⇒ layers[-1]
        “Your number is that of the last layer that differs; the first is wanted.”
    mean:
        rejected.flatten(1).any(dim=1) ⇒
            (~((yours - original).abs()[:, attention_mask == 1].flatten(1).mean(dim=1) <= tolerance))
        “A single number that is off disappears in yours, as it does in the mean of a layer's differences.”
    distance: ((yours - original).abs() <= tolerance).all(dim=-1) ⇒ (yours - original).norm(dim=-1) <= tolerance
        “A vector differs for you though each of its numbers is within the tolerance, as if you compared its length.”
    signed: .abs() ⇒
        “You count only numbers that are too large; one that is too small is off as well.”
    nan_overlooked: ((yours - original).abs() <= tolerance).all ⇒ ~((yours - original).abs() > tolerance).any
        “You miss NaN: NaN > tolerance is False, like every such comparison with NaN. Ask what agrees, and take the
        opposite.”
    nan_in_both:
        ((yours - original).abs() <= tolerance) ⇒ torch.isclose(yours, original, rtol=0, atol=tolerance, equal_nan=True)
        “Where both runs have NaN, you see no difference; NaN always differs.”
    relative: ((yours - original).abs() <= tolerance) ⇒ torch.isclose(yours, original, atol=tolerance)
        “Large numbers may be off by more than the tolerance in yours, as in `isclose` and `allclose` with the usual
        `rtol`, which is not 0.”
    position: flatten(1).any(dim=1) ⇒ any(dim=0).any(dim=0)
        “Your number is that of the first position that differs; the layer's is wanted.”
    text: flatten(1).any(dim=1) ⇒ any(dim=0).any(dim=1)
        “Your number is that of the first text of the batch that differs; the layer's is wanted.”
    first_text: rejected.flatten(1) ⇒ rejected[:, 0]
        “Your number is that of the first layer in which the first text of the batch differs; all texts count.”
    every_position: rejected.flatten(1).any ⇒ rejected[:, attention_mask == 1].all
        “Your layer is the first in which all real positions differ; one is enough.”
    first_that_agrees: rejected.flatten(1).any ⇒ (~rejected).flatten(1).all
        “Your number is that of the first layer that agrees.”
    counted: layers[0] if len(layers) else torch.tensor(-1) ⇒ torch.tensor(len(layers))
        “You count the layers that differ; the number of the first of them is wanted.”
    0_for_none: torch.tensor(-1) ⇒ torch.tensor(0)
        “Where no layer differs you say 0, which is the lowest layer's number. (argmax gives 0 when everything is
        False.)”
    number_of_layers_for_none: torch.tensor(-1) ⇒ torch.tensor(len(yours))
        “Where no layer differs you say how many there are; −1 is wanted.”
    exact: <= tolerance ⇒ == 0
        “Your number is always 0, as if you asked for equal numbers. Rounding alone makes them unequal: that is what the
        tolerance is for.”
    """,
    also_right="""
    one layer after the other:
        real = attention_mask == 1
        for number, (mine, other) in enumerate(zip(yours, original)):
            if not torch.allclose(mine[real], other[real], rtol=0, atol=tolerance):
                return torch.tensor(number)
        return torch.tensor(-1)
    argmax:
        layers = (~((yours - original).abs() <= tolerance))[:, attention_mask == 1].flatten(1).any(dim=1)
        return torch.where(layers.any(), layers.int().argmax(), -1)
    isclose: ((yours - original).abs() <= tolerance) ⇒ torch.isclose(yours, original, rtol=0, atol=tolerance)
    """,
    again="""
    layers[0] ⇒ layers[-1]
        “This time find the last layer that differs.”
        Not here: padding_counted only_padding position text first_that_agrees first_text exact
    """,
    hints="""
    - Reduce step by step: a True or False for each number, then for each position, then for each layer.
    - Where is a number fine? `(yours - original).abs() <= tolerance`, and NaN is not. The mask, (batch, position), fits
      what `.all(dim=-1)` leaves.
    - With one boolean for each layer, `.nonzero()` gives the numbers of those that are True. It may be empty: then
      `torch.tensor(-1)`.
    """,
    explanation="""
    This is how published models are rebuilt: run both on the same text, compare from the bottom up, and mend the first
    layer that differs. The layers above it usually come right by themselves. Asking `<=` and taking the opposite
    catches NaN; `>` lets it pass.
    """,
)
