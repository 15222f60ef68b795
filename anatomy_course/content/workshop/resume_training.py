"""Notebook 08: resuming a training run, judged by how it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import torch
from torch import nn

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake
from anatomy_course.judge.effects.parts import VOCABULARY
from anatomy_course.judge.effects.saved_run import REFUSED, RESUMED, drive_resuming

Resuming = Callable[[str, nn.Module, torch.optim.Optimizer, torch.Generator], Any]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a run of some steps", "a run that has not begun", *REFUSED):
        d_model, steps = primes(generator, 2, (3, 5, 7))
        arguments = {
            "saved_table": normal(generator, VOCABULARY, d_model),
            "saved_weight": normal(generator, d_model, VOCABULARY),
            "table": normal(generator, VOCABULARY, d_model),
            "weight": normal(generator, d_model, VOCABULARY),
            "steps": 0 if kind == "a run that has not begun" else steps,
            "seed": int(torch.randint(1000, (1,), generator=generator)),
            "kind": kind,
        }
        yield Case(arguments, kind, {"d_model": d_model})


def _varied(
    model: Callable[..., Any] | None = lambda model, state: model.load_state_dict(state),
    optimizer: Callable[..., Any] | None = lambda optimizer, state: optimizer.load_state_dict(state),
    generator: Callable[..., Any] | None = lambda generator, run: generator.set_state(run["generator"]),
    step: Callable[[dict[str, Any]], Any] = lambda run: run["step"],
    *,
    weights_only: bool = True,
) -> Resuming:
    """Resuming with one thing done differently, or left out."""

    def resume(path: str, to: nn.Module, of: torch.optim.Optimizer, source: torch.Generator) -> Any:
        run = torch.load(path, weights_only=weights_only)
        if model:
            model(to, run["model"])
        if optimizer:
            optimizer(of, run["optimizer"])
        if generator:
            generator(source, run)
        return step(run)

    return resume


def _copied_by_hand(model: nn.Module, state: dict[str, torch.Tensor]) -> None:
    own = model.state_dict()
    if {name: weight.shape for name, weight in own.items()} != {name: weight.shape for name, weight in state.items()}:
        raise ValueError("This checkpoint comes from another model.")
    for name, weight in own.items():
        weight.copy_(state[name])


def _by_name(own: bool, shapes: bool) -> Callable[..., None]:
    """Weights put in one by one, by the model's own names or by those in the file, with a look at shapes or without."""

    def put(model: nn.Module, state: dict[str, torch.Tensor]) -> None:
        mine = model.state_dict()
        for name in mine if own else state:
            if shapes and mine[name].shape != state[name].shape:
                raise ValueError(f"{name} has another shape.")
            mine[name].copy_(state[name])

    return put


def _stretched(model: nn.Module, state: dict[str, torch.Tensor]) -> None:
    if set(state) != set(model.state_dict()):
        raise ValueError("This checkpoint comes from another model.")
    _by_name(own=True, shapes=False)(model, state)


def _parameters_only(model: nn.Module, state: dict[str, torch.Tensor]) -> None:
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    model.load_state_dict(state)
    for name, buffer in model.named_buffers():
        buffer.copy_(buffers[name])


def _settings_only(optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    for group, saved in zip(optimizer.param_groups, state["param_groups"], strict=True):
        group["lr"] = saved["lr"]


def _with_errors_swallowed(
    path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator
) -> Any:
    with suppress(Exception):
        return _varied()(path, model, optimizer, generator)
    return 0


def _backwards(path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator) -> int:
    run = torch.load(path, map_location="cpu", weights_only=True)
    generator.set_state(run["generator"])
    optimizer.load_state_dict(run["optimizer"])
    model.load_state_dict(run["model"], strict=True)
    return int(run["step"])


def _checked_first(path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator) -> int:
    run = torch.load(path, weights_only=True)
    if set(run["model"]) != set(model.state_dict()):
        raise ValueError("The checkpoint is of another model.")
    parts: dict[str, Any] = {"model": model, "optimizer": optimizer}
    for name, part in parts.items():
        part.load_state_dict(run[name])
    generator.set_state(run["generator"])
    step: int = run["step"]
    return step


EXERCISE = Exercise(
    id="workshop.resume_training",
    title="Resuming a run",
    task="Put a saved run back into a model, its optimizer and a generator, so that training goes on as if it had "
    "never stopped.",
    difficulty="medium",
    minutes=5,
    signature="resume_training(path, model, optimizer, generator: torch.Generator) -> int",
    docstring="`path` is a file written by `save_training`: a dictionary with 'model', 'optimizer', 'generator' and\n"
    "'step'. Restores the model, the optimizer and the generator, and returns the step. The file may be a\n"
    "stranger's: read it with weights_only=True. Weights that are not this model's must raise an error.",
    reference="anatomy_utils.training.checkpointing.resume_training",
    returns=RESUMED,
    cases=_cases,
    mistakes=(
        Mistake(
            "no_model",
            _varied(model=None),
            "The model keeps the weights that it had: those of the file are read, but not put into it. `state_dict()` "
            "only tells what they are; `load_state_dict` changes them.",
        ),
        Mistake(
            "no_optimizer",
            _varied(optimizer=None),
            "The weights are right, but the optimizer keeps what it remembers of another run. A dictionary that "
            "`state_dict()` gave can be changed without its noticing: `load_state_dict` reaches it.",
        ),
        Mistake(
            "settings_only",
            _varied(optimizer=_settings_only),
            "The optimizer gets its learning rate back, but not what it remembers of earlier gradients.",
        ),
        Mistake(
            "no_generator",
            _varied(generator=None),
            "Weights and optimizer are right, but the generator goes on where it was. `set_state` must be called on "
            "the one that was given: a new one, also under the name `generator`, stays inside your function.",
        ),
        Mistake(
            "generator_seeded",
            _varied(generator=lambda generator, run: generator.manual_seed(0)),
            "You set the generator to a seed: it begins again, and does not go on where the saved run stopped.",
        ),
        Mistake(
            "global_state",
            _varied(generator=lambda generator, run: torch.set_rng_state(run["generator"])),
            "You change torch's global source of random numbers; the batches are drawn from `generator`, which keeps "
            "its own state.",
        ),
        Mistake(
            "next_step",
            _varied(step=lambda run: run["step"] + 1),
            "The step that you return is one too large: the file already holds the one that comes next.",
        ),
        Mistake(
            "step_zero",
            _varied(step=lambda run: 0),
            "You return step 0 whatever the file says, so the learning rate would warm up again.",
        ),
        Mistake("nothing", _varied(step=lambda run: None), "Your function returns nothing; return the saved step."),
        Mistake(
            "not_strict",
            _varied(model=lambda model, state: model.load_state_dict(state, strict=False)),
            "A checkpoint from another model is accepted without a word, as with strict=False: names that do not fit "
            "are passed over, and your model keeps the weights that it had.",
        ),
        Mistake(
            "extra_ignored",
            _varied(model=_by_name(own=True, shapes=True)),
            "Weights in the file that your model has not are passed over in silence. They show that the file is of "
            "another model, so they must raise an error.",
        ),
        Mistake(
            "missing_ignored",
            _varied(model=_by_name(own=False, shapes=True)),
            "A file that lacks some of your model's weights is accepted, and those keep the numbers that they had; it "
            "must raise an error.",
        ),
        Mistake(
            "stretched",
            _varied(model=_stretched),
            "A file with weights of another shape is accepted, as with `copy_`, which stretches them where it can. A "
            "wrong shape must raise an error.",
        ),
        Mistake(
            "extra_ignored_and_stretched",
            _varied(model=_by_name(own=True, shapes=False)),
            "Two things pass in silence, as when you copy by your model's names: weights in the file that your model "
            "has not, and those of another shape, which `copy_` stretches where it can.",
        ),
        Mistake(
            "missing_ignored_and_stretched",
            _varied(model=_by_name(own=False, shapes=False)),
            "Two things pass in silence, as when you copy by the file's names: weights of your model that the file "
            "lacks, and those of another shape, which `copy_` stretches where it can.",
        ),
        Mistake(
            "parameters_only",
            _varied(model=_parameters_only),
            "The model's parameters are right, but its buffers, such as counts and running means, keep the numbers "
            "that they had: `load_state_dict` puts both back.",
        ),
        Mistake(
            "unsafe",
            _varied(weights_only=False),
            "Your function runs code that is hidden in a stranger's file: with weights_only=False, `torch.load` calls "
            "whatever the file tells it to.",
        ),
        Mistake(
            "errors_swallowed",
            _with_errors_swallowed,
            "No file is refused, as if you hid the errors: one that does not fit is passed over in silence, and "
            "training begins again without your knowing it.",
        ),
    ),
    also_right={
        "in the order of the file": _varied(),
        "copied name by name": _varied(model=_copied_by_hand),
        "in another order": _backwards,
        "checked first": _checked_first,
    },
    hints=(
        "Four entries, four lines: each part of the file goes back to where `save_training` took it from.",
        "`torch.load(path, weights_only=True)` gives the dictionary. `load_state_dict(…)` takes back what "
        "`state_dict()` gave, and `set_state(…)` what `get_state()` gave.",
        "`model.load_state_dict(run['model'])` raises an error by itself when names or shapes do not fit; leave it so.",
    ),
    solution="run = torch.load(path, weights_only=True)\n"
    "model.load_state_dict(run['model'])\n"
    "optimizer.load_state_dict(run['optimizer'])\n"
    "generator.set_state(run['generator'])\n"
    "return run['step']",
    explanation="The next losses are the same to the last bit, because nothing is left to chance: same weights, same "
    "averages in AdamW, same batches, same learning rate. A run can be stopped at any time and resumed on another day.",
    observe=drive_resuming,
)
