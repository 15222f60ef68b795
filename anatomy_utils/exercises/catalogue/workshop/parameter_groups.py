"""Notebook 08: two groups of parameters, judged by which decay each parameter of a model gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_utils.exercises.catalogue.sizes import primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Objection, Output

Groups = list[dict[str, Any]]
TIED, FROZEN, NO_VECTORS, KERNEL = "a tied table", "a frozen table", "no biases and no norms", "a convolution"
NARROW = "matrices with one column"


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
        self.vocabulary = nn.Linear(d_model, vocabulary_size, bias=False)
        if kind == TIED:
            self.vocabulary.weight = self.tokens.weight
        if kind == FROZEN:
            self.tokens.requires_grad_(False)
            self.output.bias.requires_grad_(False)


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a small model", TIED, FROZEN, NO_VECTORS, KERNEL, NARROW):
        vocabulary_size, d_model, d_inner = primes(generator, 3, (2, 3, 5, 7, 11))
        d_model = 1 if kind == NARROW else d_model
        decay = round(0.1 + 0.4 * torch.rand(1, generator=generator).item(), 2)
        sizes = {"vocabulary_size": vocabulary_size, "d_model": d_model, "d_inner": d_inner}
        yield Case({**sizes, "kind": kind, "weight_decay": decay}, kind, sizes)


def _drive(
    answer: Callable[..., Any], vocabulary_size: int, d_model: int, d_inner: int, kind: str, weight_decay: float
) -> tuple[Tensor, ...] | Objection | None:
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
    """The parameters of one group."""
    if not isinstance(group, dict):
        return Objection(
            "no_dict", f"Your list holds a {type(group).__name__}; it should hold dictionaries, one for each group."
        )
    for key in ("params", "weight_decay"):
        if key not in group:
            return Objection(
                "key", f"A group of yours has no `{key!s}`; torch's optimizers want the names `params`, `weight_decay`."
            )
    if isinstance(group["weight_decay"], bool) or not isinstance(group["weight_decay"], int | float):
        kind = type(group["weight_decay"]).__name__
        return Objection("decay", f"A `weight_decay` of yours is a {kind}; a plain number is wanted.")
    if isinstance(group["params"], set):
        return Objection("set", "Your `params` are a set, which has no order; torch's optimizers want a list.")
    held: list[Any] = [group["params"]] if isinstance(group["params"], Tensor) else list(group["params"])
    for parameter in held:
        if isinstance(parameter, str | tuple):
            return Objection("names", "Your `params` hold names; the optimizer wants the parameters themselves.")
        if id(parameter) not in places:
            return Objection(
                "copies",
                "Your `params` hold something that is no parameter of the model, such as a copy: the optimizer would "
                "train that, and the model would stay as it is.",
            )
    return held


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


def _shared_twice(model: nn.Module, weight_decay: float) -> Groups:
    named = [p for _, p in model.named_parameters(remove_duplicate=False) if p.requires_grad]
    return [
        {"params": [p for p in named if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": [p for p in named if p.dim() < 2], "weight_decay": 0.0},
    ]


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
            "All your parameters decay, biases and norms too: a norm's gain is pulled towards 0, although it starts "
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
            "no_table",
            _by(lambda name, parameter: parameter.dim() >= 2 and not name.startswith("tokens")),
            "Your table of tokens does not decay; it has two axes, so it belongs to the matrices.",
        ),
        Mistake(
            "exactly_two",
            _by(lambda name, parameter: parameter.dim() == 2),
            "Right for matrices. What has three axes, such as a convolution's kernel, decays too.",
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
    alternatives={
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
    explanation="Weight decay pulls a number a little towards 0 in every step, so that only what the loss asks for "
    "stays large. A matrix has many numbers that can share the work. A norm's gain is best near 1 and a bias wherever "
    "it is needed, so pulling on them only does harm.",
    drive=_drive,
)
