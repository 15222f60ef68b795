"""Notebook 03's case: a test that tells a pre-norm layer from all that look like one."""

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.encoder.shared import Function
from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written
from anatomy_course.lab.debugging.colleague.norm_placement import colleagues_layer
from anatomy_utils.functional.layers import encoder_layer, pre_norm_layer


def is_pre_norm(layer) -> bool:
    """layer: a function whose code you cannot see, called as
    layer(hidden_states, self_attention, feed_forward, attention_norm, feed_forward_norm).
    You choose all five: hidden_states (batch, position, d_model), and functions that keep its shape
    → True if it computes what a pre-norm layer should, up to rounding.
    """
    states = torch.linspace(-2, 2, 24).reshape(2, 4, 3)
    attend, feed, first, second = torch.cos, torch.exp, torch.tanh, torch.sigmoid
    middle = states + attend(first(states))
    wanted = middle + feed(second(middle))
    found = layer(states, attend, feed, first, second)
    return torch.allclose(found, wanted, atol=1e-4)


def rounded_otherwise(x: Tensor, attend: Any, feed: Any, first: Any, second: Any) -> Tensor:
    attended = attend(first(x))
    return attended + (feed(second(x + attended)) + x)


LAYERS: dict[str, tuple[bool, Callable[..., Tensor]]] = {
    "a right layer": (True, pre_norm_layer),
    "the colleague's layer": (False, colleagues_layer),
    "a post-norm layer": (False, encoder_layer),
    "a right layer that adds in another order": (True, rounded_otherwise),
    "a layer with its two norms exchanged": (False, lambda x, a, f, n, m: pre_norm_layer(x, a, f, m, n)),
    "a layer with its two halves exchanged": (False, lambda x, a, f, n, m: pre_norm_layer(x, f, a, m, n)),
    "a layer that normalizes what the sub-layers give": (
        False,
        lambda x, a, f, n, m: x + n(a(x)) + m(f(x + n(a(x)))),
    ),
    "a layer without its second norm": (False, lambda x, a, f, n, m: pre_norm_layer(x, a, f, n, lambda y: y)),
    "a layer whose halves both read its input": (False, lambda x, a, f, n, m: x + a(n(x)) + f(m(x))),
    "a layer whose second sum begins at its input": (False, lambda x, a, f, n, m: x + f(m(x + a(n(x))))),
    "a layer that adds nothing": (False, lambda x, a, f, n, m: f(m(a(n(x))))),
    "a layer whose second half is post-norm": (
        False,
        lambda x, a, f, n, m: m(x + a(n(x)) + f(x + a(n(x)))),
    ),
}
"""What it is, whether it is right, and the layer."""


def cases(generator: Generator) -> Cases:
    """The first one is right; the others come in any order."""
    names = list(LAYERS)
    for place in (0, *(1 + torch.randperm(len(names) - 1, generator=generator)).tolist()):
        yield Case({"layer": Function("layer", LAYERS[names[place]][1], probed=True)}, names[place])


def drive(answer: Callable[..., Any], layer: Function) -> tuple[Tensor, ...] | Objection:
    """1 where the layer is taken for right, else 0."""
    said = answer(layer)
    if isinstance(said, Tensor) and said.numel() == 1:
        said = said.item()
    if said not in (True, False):
        return Objection("no_answer", f"Your test returns {said!r:.60}; True or False is wanted.")
    return (torch.tensor(float(said)),)


EXERCISE = written(
    is_pre_norm,
    title="The case: a test of a layer",
    task="Write a test that accepts every pre-norm layer and rejects every other layer, however alike they look.",
    level="medium, 9 minutes",
    returns="accepted",
    cases=cases,
    observe=drive,
    mistakes="""
    shape_only: torch.allclose(found, wanted, atol=1e-4) ⇒ found.shape == wanted.shape
        “Your test accepts every layer that was tried, as if it looked at the shape alone.”
    silent_parts: torch.cos, torch.exp ⇒ torch.zeros_like, torch.zeros_like
        “Your test sees only the path past the sub-layers, as if these gave 0. It accepts layers whose sub-layers read
        or give the wrong thing.”
    zero_stays_zero:
        torch.cos, torch.exp, torch.tanh, torch.sigmoid ⇒ torch.zeros_like, torch.zeros_like, torch.tanh, torch.sin
        “Your test sees only the path past the sub-layers: these give 0, and so do norms of 0. It accepts layers whose
        sub-layers read the wrong thing, or are normed afterwards.”
    no_norms: torch.tanh, torch.sigmoid ⇒ torch.clone, torch.clone
        “Your test does not see the norms, as if they gave back what they got. It accepts layers whose norms are in the
        wrong place.”
    equal_norms: torch.tanh, torch.sigmoid ⇒ torch.tanh, torch.tanh
        “Your test accepts a layer whose two norms are exchanged, as if you had given it the same norm twice.”
    equal_parts: torch.cos, torch.exp, torch.tanh, torch.sigmoid ⇒ torch.cos, torch.cos, torch.tanh, torch.tanh
        “Your test accepts layers whose halves or norms are exchanged, as if both halves had the same parts.”
    factors:
        attend, feed, first, second = torch.cos, torch.exp, torch.tanh, torch.sigmoid ⇒
            attend, feed, first, second = (lambda x: 2 * x), (lambda x: 3 * x), (lambda x: 5 * x), (lambda x: 7 * x)
        “Your test accepts layers that apply the right functions in the wrong order, as if your functions were factors:
        2 × 5 is 5 × 2.”
    to_the_last_bit: torch.allclose(found, wanted, atol=1e-4) ⇒ torch.equal(found, wanted)
        “Your test rejects a layer that is right. It adds the same numbers in another order, so its last digit differs.”
    post_norm_wanted:
        middle = states + attend(first(states)) ⇒ middle = first(states + attend(states))
        wanted = middle + feed(second(middle)) ⇒ wanted = second(middle + feed(middle))
        “Your test accepts post-norm layers, and no others.”
    reversed: not result
        “Your answers are the wrong way round: True should say that the layer is right.”
    first_half_only:
        wanted = middle + feed(second(middle)) ⇒ wanted = middle
        feed, first, second = torch.cos, torch.exp ⇒ feed, first, second = torch.cos, torch.zeros_like
        “Your test does not see the second half, as if its sub-layer gave 0.”
    always_rejected: False and result
        “Your test rejects every layer that was tried, the right ones too.”
    """,
    also_right="""
    layer norms and matrices:
        generator = torch.Generator().manual_seed(1)
        states, *weights = (torch.randn(5, 5, 5, generator=generator) for _ in range(5))
        attend, feed = (lambda x: (x @ weights[0][0]).tanh()), (lambda x: (x @ weights[1][0]).relu())
        first, second = (lambda x: F.layer_norm(x, (5,), weights[2][0, 0])), (lambda x: F.layer_norm(x, (5,)))
        middle = states + attend(first(states))
        return torch.allclose(layer(states, attend, feed, first, second), middle + feed(second(middle)), atol=1e-3)
    one number:
        found = layer(torch.full((1, 1, 1), 2.0), lambda x: x**2, lambda x: 1 / x, lambda x: x + 1, lambda x: x + 3)
        return abs(found.item() - (11 + 1 / 14)) < 0.001
    in double precision: torch.linspace(-2, 2, 24) ⇒ torch.linspace(-2, 2, 24, dtype=torch.float64)
    """,
    hints="""
    - Work out by hand what a pre-norm layer gives for a number and four functions of your choice. A wrong layer must
      give something else.
    - The two sub-layers must differ, and so must the two norms, or an exchange does not show. Functions whose order
      does not matter, such as `2 * x` and `3 * x`, hide what comes first.
    - `torch.cos`, `torch.exp`, `torch.tanh` and `torch.sigmoid` will do. Compute
      `middle = states + torch.cos(torch.tanh(states))`, then the second half, and compare with `torch.allclose`.
    """,
    explanation="""
    A layer takes its parts as arguments, so a test can give it parts that are easy to tell apart: no training, no
    weights, a few numbers. Equal parts hide exchanges, silent ones hide what is read, and a test without a tolerance
    rejects what is right.
    """,
)
