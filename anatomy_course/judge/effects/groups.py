"""A function that sorts a model's parameters for an optimizer, as a function: which decay each of them gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.judge.definition import Objection

TIED, FROZEN, NO_VECTORS, KERNEL = "a tied table", "a frozen table", "no biases and no norms", "a convolution"
NARROW, EQUAL, BARE = "matrices with one column", "parameters with equal numbers", "a matrix and a vector of no layer"
KINDS = ("a small model", TIED, FROZEN, NO_VECTORS, KERNEL, NARROW, EQUAL, BARE)  # of models that are sorted


class _Model(nn.Module):
    """A table, a linear layer, perhaps a norm, and a head that may share the table."""

    def __init__(self, vocabulary_size: int, d_model: int, d_inner: int, kind: str) -> None:
        super().__init__()
        vectors = kind != NO_VECTORS
        self.tokens = nn.Embedding(vocabulary_size, d_model)
        self.inner = nn.Linear(d_model, d_inner, bias=vectors)
        self.output = nn.Linear(d_inner, d_model, bias=vectors)
        if vectors:
            self.add_module("norm" if kind != KERNEL else "centering", nn.LayerNorm(d_model))
        if kind == KERNEL:
            self.mixing = nn.Conv1d(d_model, d_model, 3)
            self.temperature = nn.Parameter(torch.tensor(1.0))
        if kind == EQUAL:
            self.last_norm = nn.LayerNorm(d_model)
            self.extra = nn.Linear(d_model, d_inner)
        if kind == BARE:
            self.directions = nn.Parameter(torch.randn(d_inner, d_model))
            self.gain = nn.Parameter(torch.ones(d_model))
        self.vocabulary = nn.Linear(d_model, vocabulary_size, bias=False)
        if kind == TIED:
            self.vocabulary.weight = self.tokens.weight
        if kind == FROZEN:
            self.tokens.requires_grad_(False)
            self.output.bias.requires_grad_(False)
        if kind == EQUAL:  # as they are where all begin at 0
            for parameter in self.parameters():
                nn.init.zeros_(parameter)


def drive(
    answer: Callable[..., Any], vocabulary_size: int, d_model: int, d_inner: int, kind: str, weight_decay: float
) -> tuple[Tensor, ...] | Objection | None:
    """How often an answer lists each parameter of a model, and with which decay."""
    with torch.random.fork_rng(devices=[]):
        model = _Model(vocabulary_size, d_model, d_inner, kind)
    before = [parameter.requires_grad for parameter in model.parameters()]
    groups = answer(model, weight_decay)
    if groups is None:
        return None
    places = {id(parameter): place for place, parameter in enumerate(model.parameters())}
    listed = torch.zeros(len(places), dtype=torch.long)
    decay = torch.zeros(len(places))
    if not isinstance(groups, list | tuple):
        return Objection("type", f"You return a {type(groups).__name__}; a list of two dictionaries is wanted.")
    for group in groups:
        held = _held(group, places)
        if isinstance(held, Objection):
            return held
        for parameter in held:
            listed[places[id(parameter)]] += 1
            decay[places[id(parameter)]] += group["weight_decay"]
    if before != [parameter.requires_grad for parameter in model.parameters()]:
        return Objection("touched", "Your function changes which parameters are trained; it should only sort them.")
    return listed, decay


def _held(group: Any, places: dict[int, int]) -> list[nn.Parameter] | Objection:
    if not isinstance(group, dict):
        return Objection(
            "no_dict", f"Your list holds a {type(group).__name__}; it should hold dictionaries, one for each group."
        )
    if missing := [key for key in ("params", "weight_decay") if key not in group]:
        said = f"A group of yours has no `{missing[0]}`; torch's optimizers want the names `params`, `weight_decay`."
        return Objection("key", said)
    if isinstance(group["weight_decay"], bool) or not isinstance(group["weight_decay"], int | float):
        kind = type(group["weight_decay"]).__name__
        return Objection("decay", f"A `weight_decay` of yours is a {kind}; a plain number is wanted.")
    if isinstance(group["params"], set):
        return Objection("set", "Your `params` are a set, which has no order; torch's optimizers want a list.")
    held: list[Any] = [group["params"]] if isinstance(group["params"], Tensor) else list(group["params"])
    for parameter in held:
        if isinstance(parameter, str | tuple):
            return Objection(
                "names", "Your `params` hold names or tuples; the optimizer wants the parameters themselves."
            )
        if id(parameter) not in places:
            return Objection(
                "copies",
                "Your `params` hold something that is no parameter of the model, such as a copy: through that, the "
                "optimizer could not train the model.",
            )
    return held
