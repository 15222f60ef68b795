"""Notebook 08: saving a training run, judged by what is in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import nn

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake
from anatomy_course.judge.effects.parts import VOCABULARY
from anatomy_course.judge.effects.saved_run import SAVED, drive_saving

Saving = Callable[[str, nn.Module, torch.optim.Optimizer, torch.Generator, int], None]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a run of some steps", "a run that has not begun", "a run of one step"):
        d_model, steps = primes(generator, 2, (3, 5, 7))
        steps = {"a run that has not begun": 0, "a run of one step": 1}.get(kind, steps)
        arguments = {
            "table": normal(generator, VOCABULARY, d_model),
            "weight": normal(generator, d_model, VOCABULARY),
            "steps": steps,
            "seed": int(torch.randint(1000, (1,), generator=generator)),
        }
        yield Case(arguments, kind, {"d_model": d_model})


def _parts(model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int) -> dict[str, Any]:
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "generator": generator.get_state(),
        "step": step,
    }


def _changed(change: Callable[..., dict[str, Any]]) -> Saving:
    """Saving with some of the entries made otherwise."""

    def save(
        path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
    ) -> None:
        parts = _parts(model, optimizer, generator, step)
        parts.update(change(model, optimizer, generator, step))
        torch.save({name: value for name, value in parts.items() if value is not Ellipsis}, path)

    return save


def _through_a_handle(
    path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
) -> None:
    with Path(path).open("wb") as file:
        torch.save(_parts(model, optimizer, generator, step), file)


def _renamed_when_complete(
    path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
) -> None:
    torch.save(_parts(model, optimizer, generator, step), f"{path}.new")
    Path(f"{path}.new").replace(path)


def _another_name(
    path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
) -> None:
    torch.save(_parts(model, optimizer, generator, step), "checkpoint.pt")


def _only_the_model(
    path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
) -> None:
    torch.save(model.state_dict(), path)


def _returned(
    path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
) -> Any:
    return _parts(model, optimizer, generator, step)


def _a_tuple(
    path: str, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
) -> None:
    torch.save(tuple(_parts(model, optimizer, generator, step).values()), path)


EXERCISE = Exercise(
    id="workshop.save_training",
    title="Saving a run",
    task="Write into one file everything that training needs to go on later: the model, the optimizer, the generator "
    "and the step.",
    difficulty="easy",
    minutes=4,
    signature="save_training(path, model, optimizer, generator: torch.Generator, step: int) -> None",
    docstring="torch.save at `path` a dictionary with the keys 'model' and 'optimizer' (their state_dict()),\n"
    "'generator' (its state) and 'step' (a plain number). Only numbers and names, no objects with code.",
    reference="anatomy_utils.training.checkpointing.save_training",
    returns=SAVED,
    cases=_cases,
    mistakes=(
        Mistake(
            "no_optimizer",
            _changed(lambda model, optimizer, generator, step: {"optimizer": ...}),
            "The optimizer is not in your file: its averages of earlier gradients would begin again at 0, and the next "
            "steps would be different.",
        ),
        Mistake(
            "no_generator",
            _changed(lambda model, optimizer, generator, step: {"generator": ...}),
            "The generator is not in your file: a resumed run would be given other batches.",
        ),
        Mistake(
            "no_step",
            _changed(lambda model, optimizer, generator, step: {"step": ...}),
            "The step is not in your file: a resumed run would warm up again.",
        ),
        Mistake(
            "only_the_model",
            _only_the_model,
            "Your file holds the weights alone. That is enough to use the model, but not to go on training it.",
        ),
        Mistake(
            "whole_model",
            _changed(lambda model, optimizer, generator, step: {"model": model}),
            "You save a whole object, such as the model itself: it could only be read by running code from the file, "
            "and no longer when its class has changed. Save its state: a model's is its `state_dict()`.",
        ),
        Mistake(
            "list_of_parameters",
            _changed(lambda model, optimizer, generator, step: {"model": [p.detach() for p in model.parameters()]}),
            "What you save of the model is no dictionary from names to weights; its `state_dict()` is one.",
        ),
        Mistake(
            "trained_only",
            _changed(
                lambda model, optimizer, generator, step: {
                    "model": {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}
                }
            ),
            "Frozen weights are missing from your file; the model's own `state_dict()` has them all.",
        ),
        Mistake(
            "parameters_only",
            _changed(
                lambda model, optimizer, generator, step: {
                    "model": {name: p.detach() for name, p in model.named_parameters()}
                }
            ),
            "The model's buffers are missing from your file, such as counts and running means: `state_dict()` has "
            "them, `named_parameters()` and `parameters()` do not.",
        ),
        Mistake(
            "settings_only",
            _changed(lambda model, optimizer, generator, step: {"optimizer": optimizer.state_dict()["param_groups"]}),
            "What you save of the optimizer is a list, such as that of its settings; what it remembers of earlier "
            "gradients belongs to it, too.",
        ),
        Mistake(
            "seed_only",
            _changed(lambda model, optimizer, generator, step: {"generator": generator.initial_seed()}),
            "You save the generator's seed: a resumed run would draw the first batches again. `get_state()` tells "
            "where it is by now.",
        ),
        Mistake(
            "state_of_a_new_one",
            _changed(
                lambda model, optimizer, generator, step: {
                    "generator": torch.Generator().manual_seed(generator.initial_seed()).get_state()
                }
            ),
            "You save the state of a new generator with the same seed, which has drawn nothing yet: a resumed run "
            "would draw the first batches again. Ask `generator` itself for its state.",
        ),
        Mistake(
            "global_state",
            _changed(lambda model, optimizer, generator, step: {"generator": torch.get_rng_state()}),
            "You save the state of another source of random numbers, such as torch's global one, not that of "
            "`generator`.",
        ),
        Mistake(
            "next_step",
            _changed(lambda model, optimizer, generator, step: {"step": step + 1}),
            "Your step is one too large; save `step` as it is given.",
        ),
        Mistake(
            "other_names",
            _changed(
                lambda model, optimizer, generator, step: {
                    "model": ...,
                    "optimizer": ...,
                    "model_state_dict": model.state_dict(),
                    "optimizer_state_dict": optimizer.state_dict(),
                }
            ),
            "Two of your keys have other names: `resume_training` looks for 'model' and 'optimizer'.",
        ),
        Mistake(
            "another_name", _another_name, "Your file has a name of its own; it should be written where `path` says."
        ),
        Mistake(
            "returned",
            _returned,
            "Nothing is written at `path`: the dictionary belongs there, with `torch.save(…, path)`.",
        ),
        Mistake("tuple", _a_tuple, "You save a tuple; give each part its name, in a dictionary."),
    ),
    also_right={
        "in one go": _changed(lambda model, optimizer, generator, step: {}),
        "through a file": _through_a_handle,
        "renamed when complete": _renamed_when_complete,
    },
    hints=(
        "If the notebook stopped now: what would you need, apart from the weights, so that the next loss is the same "
        "to the last digit?",
        "Model and optimizer both have `state_dict()`; a generator has `get_state()`.",
        "`torch.save({'model': model.state_dict(), …, 'step': step}, path)`.",
    ),
    solution="run = {\n"
    "    'model': model.state_dict(),\n"
    "    'optimizer': optimizer.state_dict(),\n"
    "    'generator': generator.get_state(),\n"
    "    'step': step,\n"
    "}\n"
    "torch.save(run, path)",
    explanation="AdamW remembers two numbers for each weight, so the file is three times as large as the weights. "
    "Numbers and names can be read by any later program; a pickled object needs the class that it was made of.",
    observe=drive_saving,
)
