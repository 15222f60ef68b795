"""Notebook 08: one step of the delta rule."""

import torch
from torch.nn import functional as F

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional.delta_rule import gated_delta_rule


# fmt: off
def delta_step(state: Tensor, key: Tensor, value: Tensor, beta: Tensor) -> Tensor:
    """state (batch, heads, d_value, d_key), read as state @ key; key (batch, heads, d_key), of
    length 1; value (batch, heads, d_value); beta (batch, heads), from 0 to 1 → the new state."""
    stored = (state @ key[..., None]).squeeze(-1)
    change = beta[..., None] * (value - stored)
    return state + change[..., :, None] * key[..., None, :]
# fmt: on


def cases(generator: Generator) -> Cases:
    alone = {"one text": "batch", "one head": "heads"}
    for kind in ("some strengths", "an empty state", "all of it (β = 1)", *alone, "a key that has a value already"):
        draw = Draw(generator, "batch heads d_value d_key", kind=kind)
        draw.sizes |= {alone[kind]: 1} if kind in alone else {}
        key, value = F.normalize(draw("batch heads d_key"), dim=-1), draw("batch heads d_value")
        state, beta = draw("batch heads d_value d_key"), draw.uniform("batch heads")
        if kind == "an empty state":
            state = torch.zeros_like(state)
        if kind == "a key that has a value already":
            state = 2 * draw("batch heads d_value")[..., None] * key[..., None, :]
        if kind == "all of it (β = 1)":
            beta = torch.ones_like(beta)
        yield draw.case(state=state, key=key, value=value, beta=beta)


def as_in_the_library(state: Tensor, key: Tensor, value: Tensor, beta: Tensor) -> Tensor:
    """The same, for one position and with nothing fading."""
    key, value = key[:, :, None], value[:, :, None]
    return gated_delta_rule(key, key, value, torch.ones_like(beta)[..., None], beta[..., None], state.mT).state.mT


EXERCISE = written(
    delta_step,
    same_as=as_in_the_library,
    title="The delta rule",
    task="Write a value under its key: what is stored under this key is replaced by the value in part, β; everything "
    "that lies at right angles to it stays.",
    level="medium, 7 minutes",
    returns="state: d_value d_key",
    cases=cases,
    stages="""
    values that are stored under the keys: stored
    changes of these: change
    """,
    mistakes="""
    only_added: value - stored ⇒ value
        “Yours is plain linear attention: the value is added, and what was stored under this key stays with it.”
    beta_missing: beta[..., None] * (value - stored) ⇒ value - stored
        “β has no effect in yours: what is stored is always replaced in full.”
    beta_on_the_value: beta[..., None] * (value - stored) ⇒ beta[..., None] * value - stored
        “Your β weighs the new value only; what was stored is removed in full. With β = 0 nothing should change.”
    beta_on_the_stored: beta[..., None] * (value - stored) ⇒ value - beta[..., None] * stored
        “Your β weighs what is removed only; the new value is written in full. With β = 0 nothing should change.”
    wrong_sign: value - stored ⇒ stored - value
        “Your change has the wrong sign: the state moves away from the value.”
    added_twice: value - stored ⇒ value + stored
        “You add what is stored under the key once more; it should be removed.”
    only_removed: value - stored ⇒ -stored
        “You remove what was stored, and the new value is not written.”
    change_alone: return state + ⇒ return
        “You return the change alone; all that was stored under other keys is gone.”
    all_fades: return state + change ⇒ return (1 - beta)[..., None, None] * state + (beta[..., None] * value)
        “Your whole state fades by 1 − β. Only what is stored under this key should give way.”
    beta_squared: beta[..., None] * ⇒ beta[..., None] ** 2 *
        “Your β counts twice.”
    one_beta: beta[..., None] ⇒ beta.mean(dim=1)[:, None, None]
        “You use one β for all heads of a text; each head has its own.”
    """,
    also_right="""
    the papers' formula:
        write = beta[..., None, None]
        kept = state - state @ (write * key[..., :, None] * key[..., None, :])
        return kept + write * value[..., :, None] * key[..., None, :]
    einsum:
        stored = torch.einsum("bhvk,bhk->bhv", state, key)
        return state + torch.einsum("bh,bhv,bhk->bhvk", beta, value - stored, key)
    old and new mixed:
        stored = (state * key[..., None, :]).sum(-1)
        mixed = torch.lerp(stored, value, beta[..., None])
        return state + (mixed - stored)[..., None] * key[..., None, :]
    """,
    again="""
    stored = (state @ key[..., None]).squeeze(-1) ⇒
    (value - stored) ⇒ value
        “This time nothing is replaced: β times the value is added under its key. With β = 1 that is linear
        attention.”
        Not here: all_fades change_alone
    """,
    hints="""
    - First read what the state holds under this key. How must it change so that it holds the value afterwards?
    - `stored = (state @ key[..., None]).squeeze(-1)`; the change is β times (value − stored).
    - A vector u is written under a key k by adding u kᵀ, (d_value, d_key): `u[..., :, None] * key[..., None, :]`.
    """,
    explanation="""
    With β = 1 and a key of length 1, the new state read with this key gives exactly the value. What is stored under
    keys at right angles to it does not change. Widrow and Hoff trained networks by this rule in 1960.
    """,
)
