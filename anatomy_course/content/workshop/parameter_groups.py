"""Notebook 08: two groups of parameters, judged by which decay each parameter of a model gets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.content.sizes import primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.groups import KINDS, NARROW, drive

Groups = list[dict[str, Any]]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in KINDS:
        vocabulary_size, d_model, d_inner = primes(generator, 3, (2, 3, 5, 7, 11))
        d_model = 1 if kind == NARROW else d_model
        decay = round(0.1 + 0.4 * torch.rand(1, generator=generator).item(), 2)
        sizes = {"vocabulary_size": vocabulary_size, "d_model": d_model, "d_inner": d_inner}
        yield Case({**sizes, "kind": kind, "weight_decay": decay}, kind, sizes)


def _by(belongs: Callable[[str, nn.Parameter], bool], trained: Callable[[nn.Parameter], bool] | None = None) -> Any:
    """Groups by a test of name and parameter."""

    def groups(model: nn.Module, weight_decay: float) -> Groups:
        chosen = trained or (lambda parameter: parameter.requires_grad)
        named = [(name, parameter) for name, parameter in model.named_parameters() if chosen(parameter)]
        return [
            {"params": [p for name, p in named if belongs(name, p)], "weight_decay": weight_decay},
            {"params": [p for name, p in named if not belongs(name, p)], "weight_decay": 0.0},
        ]

    return groups


def _is_matrix(name: str, parameter: nn.Parameter) -> bool:
    return parameter.dim() >= 2


def _frozen_with_the_rest(model: nn.Module, weight_decay: float) -> Groups:
    decays = [p.requires_grad and p.dim() >= 2 for p in model.parameters()]
    both = list(zip(model.parameters(), decays, strict=True))
    return [
        {"params": [p for p, decay in both if decay], "weight_decay": weight_decay},
        {"params": [p for p, decay in both if not decay], "weight_decay": 0.0},
    ]


def _number_left_out(model: nn.Module, weight_decay: float) -> Groups:
    groups = _by(_is_matrix)(model, weight_decay)
    return [{**group, "params": [p for p in group["params"] if p.dim()]} for group in groups]


def _shared_twice(model: nn.Module, weight_decay: float) -> Groups:
    named = [p for _, p in model.named_parameters(remove_duplicate=False) if p.requires_grad]
    return [
        {"params": [p for p in named if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": [p for p in named if p.dim() < 2], "weight_decay": 0.0},
    ]


def _equal_left_out(model: nn.Module, weight_decay: float) -> Groups:
    groups = _by(_is_matrix)(model, weight_decay)
    for group in groups:
        found: list[Tensor] = []
        for parameter in group["params"]:
            if not any(torch.equal(parameter, other) for other in found):
                found.append(parameter)
        group["params"] = found
    return groups


def _by_layer(*kinds: type[nn.Module]) -> Callable[[nn.Module, float], Groups]:
    """Groups by whether a parameter is the weight of a layer of one of these kinds."""

    def groups(model: nn.Module, weight_decay: float) -> Groups:
        weights = {id(part.weight) for part in model.modules() if isinstance(part, kinds)}
        return _by(lambda name, parameter: id(parameter) in weights)(model, weight_decay)  # type: ignore[no-any-return]

    return groups


def _one_each(model: nn.Module, weight_decay: float) -> Groups:
    trained = filter(lambda parameter: parameter.requires_grad, model.parameters())
    return [{"params": [p], "weight_decay": weight_decay if p.dim() > 1 else 0.0} for p in trained]


def _in_a_loop(model: nn.Module, weight_decay: float) -> Groups:
    matrices, vectors = [], []
    for parameter in model.parameters():
        if not parameter.requires_grad:
            continue
        if len(parameter.shape) < 2:
            vectors.append(parameter)
        else:
            matrices.append(parameter)
    return [{"params": vectors, "weight_decay": 0.0}, {"params": matrices, "weight_decay": weight_decay}]


def _both_in_both(model: nn.Module, weight_decay: float) -> Groups:
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return [
        {"params": [p for p in trained if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": trained, "weight_decay": 0.0},
    ]


EXERCISE = Exercise(
    id="workshop.parameter_groups",
    title="What decays",
    task="Sort a model's trained parameters into two groups for the optimizer: what has two or more axes decays, the "
    "rest does not.",
    difficulty="easy",
    minutes=5,
    signature="parameter_groups(model: torch.nn.Module, weight_decay: float) -> list[dict]",
    docstring="→ [{'params': those with two or more axes, 'weight_decay': weight_decay},\n"
    "   {'params': the others, 'weight_decay': 0.0}], as torch's optimizers want it.\n"
    "Only parameters with requires_grad; one that is used in two places is listed once. A group may be empty.",
    reference="anatomy_utils.training.optimizers.parameter_groups",
    returns=(Output("number of times each is listed", "parameter"), Output("weight decay", "parameter")),
    cases=_cases,
    mistakes=(
        Mistake(
            "all_decay",
            _by(lambda name, parameter: True),
            "All your parameters decay, biases and norms too: a norm's gain is pulled toward 0, although it starts "
            "at 1.",
        ),
        Mistake("none_decays", _by(lambda name, parameter: False), "No parameter of yours decays, not even a matrix."),
        Mistake(
            "turned_round",
            _by(lambda name, parameter: parameter.dim() < 2),
            "Your groups are swapped: biases and norms decay, and the matrices do not.",
        ),
        Mistake(
            "frozen_too",
            _by(_is_matrix, lambda parameter: True),
            "Frozen parameters are in your groups too; leave out those with `requires_grad` False.",
        ),
        Mistake(
            "frozen_with_the_rest",
            _frozen_with_the_rest,
            "Frozen parameters land in your group of the others, matrices among them: whether a parameter is trained "
            "must be asked before either group takes it.",
        ),
        Mistake(
            "only_frozen",
            _by(_is_matrix, lambda parameter: not parameter.requires_grad),
            "You list the frozen parameters and leave the trained ones out.",
        ),
        Mistake(
            "shared_twice",
            _shared_twice,
            "A table that is used in two places is listed twice; the optimizer would refuse it, or change it twice.",
        ),
        Mistake(
            "by_bias",
            _by(lambda name, parameter: "bias" not in name),
            "Only what is called bias is spared: the gain of a norm is a vector too, and it decays.",
        ),
        Mistake(
            "by_weight_of_norm",
            _by(lambda name, parameter: "norm" not in name),
            "Only the norms are spared: the biases of the linear layers are vectors too, and they decay.",
        ),
        Mistake(
            "all_but_norms_and_biases",
            _by(lambda name, parameter: not re.search(r"norm|centering|bias", name)),
            "Norms and biases are spared and all else decays: a vector or a single number may also be a parameter of "
            "its own, in no layer. Count the axes.",
        ),
        Mistake(
            "called_weight",
            _by(lambda name, parameter: name.endswith("weight")),
            "What is called weight decays in yours, the gain of a norm among it, and a matrix of another name does "
            "not. Count the axes.",
        ),
        Mistake(
            "by_layer",
            _by_layer(nn.Linear, nn.Embedding),
            "The weights of Linear and Embedding decay in yours, but not a convolution's kernel, nor a matrix of no "
            "layer. Count the axes.",
        ),
        Mistake(
            "by_layer_with_kernels",
            _by_layer(nn.Linear, nn.Embedding, nn.Conv1d),
            "A matrix that is a parameter of its own, in no layer, does not decay in yours, as if layers or names "
            "counted. Count the axes.",
        ),
        Mistake(
            "equal_left_out",
            _equal_left_out,
            "Of two parameters with equal numbers you list only one, as if they were the same. Two norms of a new "
            "model are equal, and still two: what counts is whether they are one object, as `is` or `id` tells.",
        ),
        Mistake(
            "no_table",
            _by(lambda name, parameter: parameter.dim() >= 2 and not name.startswith("tokens")),
            "Your table of tokens does not decay; it has two axes, so it belongs to the matrices.",
        ),
        Mistake(
            "exactly_two",
            _by(lambda name, parameter: parameter.dim() == 2),
            "Only what has exactly two axes decays. What has three, such as a convolution's kernel, decays too.",
        ),
        Mistake(
            "more_than_two",
            _by(lambda name, parameter: parameter.dim() > 2),
            "Only what has three axes or more decays in yours; a matrix has two.",
        ),
        Mistake(
            "exactly_one",
            _by(lambda name, parameter: parameter.dim() != 1),
            "Right for vectors. A parameter that is a single number has no axis at all, and yours decays.",
        ),
        Mistake(
            "number_left_out",
            _number_left_out,
            "A parameter that is a single number has no axis at all. It is in neither of your groups, so it would "
            "never be trained: ask for fewer than two axes, not for one.",
        ),
        Mistake(
            "matrices_only",
            lambda model, weight_decay: _by(_is_matrix)(model, weight_decay)[:1],
            "Your vectors are in no group, so they would never be trained.",
        ),
        Mistake(
            "vectors_only",
            lambda model, weight_decay: _by(_is_matrix)(model, weight_decay)[1:],
            "Your matrices are in no group, so they would never be trained.",
        ),
        Mistake(
            "in_both",
            _both_in_both,
            "Your matrices are in both groups: the second should hold only what the first does not.",
        ),
    ),
    also_right={
        "in a loop": _in_a_loop,
        "by name and parameter": _by(_is_matrix),
        "a group for each": _one_each,
    },
    hints=(
        "Three questions for each parameter: is it trained, how many axes does it have, have I seen it before?",
        "`model.parameters()` names a shared parameter only once. `parameter.requires_grad` says whether it is "
        "trained, `parameter.dim()` how many axes it has.",
        "`trained = [p for p in model.parameters() if p.requires_grad]`; then a list for `p.dim() >= 2` and one for "
        "`p.dim() < 2`.",
    ),
    solution="trained = [parameter for parameter in model.parameters() if parameter.requires_grad]\n"
    "matrices = [parameter for parameter in trained if parameter.dim() >= 2]\n"
    "vectors = [parameter for parameter in trained if parameter.dim() < 2]\n"
    "return [\n"
    "    {'params': matrices, 'weight_decay': weight_decay},\n"
    "    {'params': vectors, 'weight_decay': 0.0},\n"
    "]",
    explanation="Weight decay pulls a number a little toward 0 in every step, so that only what the loss asks for "
    "stays large. A matrix has many numbers that can share the work. A norm's gain is best near 1 and a bias wherever "
    "it is needed, so pulling on them only does harm.",
    observe=drive,
)
