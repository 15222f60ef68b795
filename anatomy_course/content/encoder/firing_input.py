"""Notebook 03: what makes a neuron fire, found by choosing what to show it."""

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.encoder.shared import Function
from anatomy_course.content.writing import Cases, Draw, Generator, Objection, Tensor, written


def firing_input(neuron, d_model: int) -> Tensor:
    """neuron: a function from vectors (number, d_model) to their activations (number,). It computes
    relu(vector · w + b), but you can see neither w (d_model,) nor b. Show it as many vectors as you
    like, of any length → the vector (d_model,) of length √d_model at which it fires most."""
    probes = 1000 * torch.eye(d_model)
    slopes = neuron(probes) - neuron(-probes)
    return d_model**0.5 * torch.nn.functional.normalize(slopes, dim=0)


def cases(generator: Generator) -> Cases:
    """In the last one, only a vector that points nearly as the weights do fires the neuron at all."""
    for kind, bias in (
        ("a neuron without a bias", 0.0),
        ("a neuron that is silent at 0", -4.0),
        ("a neuron that fires at 0", 3.0),
        ("a neuron with weights of one sign", -4.0),
        ("a neuron with a high threshold", 0.0),
    ):
        draw = Draw(generator, "d_model", (5, 7, 11), kind)
        row = draw("d_model")
        row = row.sign() * (0.3 + row.abs())
        if kind.endswith("sign"):
            row = -row.abs()
        else:
            row[:2] = row[:2].abs() * torch.tensor([1.0, -1.0])
        if kind.endswith("threshold"):
            bias = -0.6 * draw["d_model"] ** 0.5 * row.norm().item()
        neuron = Function("neuron", lambda vectors, row=row, bias=bias: torch.relu(vectors @ row + bias), probed=True)
        yield draw.case(neuron=neuron, d_model=draw["d_model"])


def drive(answer: Callable[..., Any], neuron: Function, d_model: int) -> tuple[Tensor, ...] | Objection:
    """What was found; any vector that is no longer, and fires the neuron at least 0.99 times as much, is the best."""
    best, shown = firing_input(neuron, d_model), [torch.zeros(1, d_model)]

    def listened(vectors: Tensor, far: float = 1.0) -> Tensor:
        shown.append(vectors.detach().reshape(-1, d_model))
        return neuron(far * vectors) / far

    def fires(found: Tensor) -> bool:
        fits = found.shape == best.shape and bool(found.norm() <= 1.001 * best.norm())
        return fits and bool(neuron(found[None].to(best.dtype)) >= 0.99 * neuron(best[None]))

    found = answer(Function("neuron", listened, probed=True), d_model)
    if not isinstance(found, Tensor):
        return Objection("type", f"Your function returns a {type(found).__name__}; a vector is wanted, as a tensor.")
    if fires(found):
        return (best,)
    if found.shape == best.shape and any((each == found).all(-1).any() for each in shown[1:]):
        return Objection("shown", "You return one of the vectors that you showed. A better one lies between them.")
    longer = answer(Function("neuron", lambda vectors: listened(vectors, 1000.0), probed=True), d_model)
    if isinstance(longer, Tensor) and fires(longer):
        return Objection("short", "Your probes are too short for this neuron: at that length, its bias counts as well.")
    return (found,)


EXERCISE = written(
    firing_input,
    title="What makes it fire",
    task="Find the vector of length √d_model at which a neuron fires most, without seeing its weights: choose vectors "
    "to show it, and read its activations.",
    level="medium, 8 minutes",
    returns="vector: d_model",
    cases=cases,
    observe=drive,
    mistakes="""
    one_side: - neuron(-probes) ⇒
        “Your vector is 0 wherever a feature *lowers* the neuron: below 0, ReLU shows nothing. What would show you such
        a feature?”
    probes_too_short: 1000 * ⇒ d_model**0.5 *
        “Your probes are as short as the result. At that length the bias hides much of the weights, and a neuron with a
        bias far below 0 is silent at nearly all of them.”
    from_zero: neuron(probes) - neuron(-probes) ⇒ neuron(probes / 1000) - neuron(0 * probes)
        “You measure what changes from 0 on. Where the neuron is silent there, ReLU hides the most of it.”
    silenced: neuron(probes) - neuron(-probes) ⇒ neuron(-probes) - neuron(probes)
        “Your vector points the opposite way: it silences the neuron.”
    too_long: d_model**0.5 * torch.nn.functional.normalize(slopes, dim=0) ⇒ slopes
        “Your vector has the right direction, but not the length √d_model.”
    unit_length: return d_model**0.5 * ⇒ return
        “Your vector has the right direction, but the length 1.”
    best_feature:
        return d_model**0.5 * torch.nn.functional.normalize(slopes, dim=0) ⇒
            best = slopes.abs().argmax()
            return d_model**0.5 * slopes[best].sign() * torch.eye(d_model)[best]
        “You spend the whole length on the one feature that counts most. Every feature that counts should get a share.”
    signs_only: normalize(slopes, ⇒ normalize(slopes.sign(),
        “All your features have the same size, and only their signs are chosen. A feature that counts more should get
        more.”
    scaled_by_the_largest: torch.nn.functional.normalize(slopes, dim=0) ⇒ slopes / slopes.abs().max()
        “You divide by the largest number, not by the vector's length, so the result is longer than √d_model.”
    """,
    also_right="""
    the gradient where it fires:
        with torch.enable_grad():
            probes = (1000 * torch.cat((torch.eye(d_model), -torch.eye(d_model)))).requires_grad_()
            gradient = torch.autograd.grad(neuron(probes).sum(), probes)[0].sum(0)
        return d_model**0.5 * gradient / gradient.norm()
    one feature at a time:
        slopes = torch.zeros(d_model)
        for feature in range(d_model):
            probe = torch.zeros(1, d_model)
            probe[0, feature] = 10000.0
            slopes[feature] = (neuron(probe) - neuron(-probe)).item()
        return d_model**0.5 * slopes / slopes.norm()
    from a place where it fires:
        eye = torch.eye(d_model)
        probes = 10000 * torch.cat((eye, -eye))
        start = probes[neuron(probes).argmax()]
        slopes = neuron(start + eye) - neuron(start - eye)
        return d_model**0.5 * torch.nn.functional.normalize(slopes, dim=0)
    """,
    hints="""
    - Of all vectors of one length, which has the largest product with w? One that points where w points. So find the
      direction of w.
    - A vector with a single feature shows one number of w. But below 0 the neuron is silent: whether that feature
      counts nothing or lowers it, only the opposite vector tells. And make the vectors long, so that b hardly counts.
    - `probes = 1000 * torch.eye(d_model)`; `neuron(probes) - neuron(-probes)` is about 1000 times w. Bring it to the
      length.
    """,
    explanation="""
    A neuron measures how far a vector points in the direction of w, its own column of W_1: that direction is what it
    looks for, and b is its threshold. You found it as one finds it in an animal's eye: show something, and listen. (A
    hidden neuron with a gate needs more probes, since two directions count.)
    """,
)
