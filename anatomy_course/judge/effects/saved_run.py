"""Saving and resuming a training run as functions: what is in the file, and how a run goes on that is resumed from it.

Files are in a temporary folder, which is the working directory meanwhile: whatever an answer, or an edit of it that the
search for a slip tries, writes under another name is gone with it.
"""

from __future__ import annotations

import contextlib
import pickle
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.judge.definition import Objection, Output
from anatomy_course.judge.effects.parts import VOCABULARY, Bigrams

NAME = "run.pt"
KEYS = ("model", "optimizer", "generator", "step")
WEIGHTS = ("tokens", "vocabulary", "scale", "seen")
GOES_ON = 3  # how many steps a resumed run goes on
ANOTHER_MODEL, CODE = "a checkpoint from another model", "a file that runs code"
LARGER, SMALLER = "a checkpoint from a larger model", "a checkpoint from a smaller model"
SHAPES = "a checkpoint with another shape in it"
REFUSED = (ANOTHER_MODEL, LARGER, SMALLER, SHAPES, CODE)  # kinds of files that must not be used
MEMORY = Output("optimizer's memory", "number")
SAVED = (Output("weights", "number"), MEMORY, Output("next random numbers", "number"), Output("step"))
"""What is compared of a file."""
RESUMED = (Output("refusal"), *SAVED, Output("next losses", "step"))
"""What is compared of a resumed run. The refusal is 1 where the file must not be used and the answer stops."""


class Counting(Bigrams):
    """Also leans to tokens that it has met often: it counts them, in a buffer; another one is not to be saved."""

    seen: Tensor

    def __init__(self, table: Tensor, weight: Tensor) -> None:
        super().__init__(table, weight)
        self.register_buffer("seen", torch.zeros(VOCABULARY))
        self.register_buffer("latest", torch.zeros(VOCABULARY), persistent=False)

    def forward(self, input_ids: Tensor) -> Tensor:
        self.latest = torch.bincount(input_ids.flatten(), minlength=VOCABULARY).float()
        self.seen = self.seen + self.latest
        return super().forward(input_ids) + 0.1 * self.seen


class Run:
    """A model with these weights, its optimizer and a source of batches, some steps after the start."""

    def __init__(self, table: Tensor, weight: Tensor, seed: int, steps: int, rate: float = 0.05) -> None:
        self.model = Counting(table, weight)
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimizer = torch.optim.AdamW(trained, lr=rate, fused=False)
        self.generator = torch.Generator().manual_seed(seed)
        self.losses = self.go_on(steps)

    def go_on(self, steps: int) -> list[float]:
        losses = []
        for _ in range(steps):
            ids = torch.randint(VOCABULARY, (3, 5), generator=self.generator)
            self.optimizer.zero_grad()
            with torch.enable_grad():
                loss = F.cross_entropy(self.model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
                loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return losses

    def parts(self) -> tuple[nn.Module, torch.optim.Optimizer, torch.Generator]:
        return self.model, self.optimizer, self.generator

    def effects(self, step: Any) -> tuple[Tensor, ...]:
        """All of it as numbers, in the order of `SAVED`."""
        return _effects(self.model.state_dict(), self.optimizer.state_dict(), self.generator.get_state(), step)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """A working directory that is deleted afterwards."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        yield Path(name)


def drive_saving(answer: Callable[..., Any], table: Tensor, weight: Tensor, steps: int, seed: int) -> Any:
    """What an answer writes into the file."""
    run = Run(table, weight, seed, steps)
    before = run.effects(steps)
    with torch.random.fork_rng(devices=[]), temporary_folder() as folder:
        torch.manual_seed(0)
        answer(str(folder / NAME), *run.parts(), steps)
        if not all(map(torch.equal, run.effects(steps), before)):
            return Objection("touched", "Your function changes the run that it saves: training would go on otherwise.")
        if not run.model.training:
            return _NOT_IN_TRAINING
        return _content(folder)


def _content(folder: Path) -> tuple[Tensor, ...] | Objection:
    if not (folder / NAME).is_file():
        others = sorted(path.name for path in folder.iterdir())
        instead = f"; there is {others[0]} instead" if others else ""
        return Objection("no_file", f"After your function there is no file at `path`{instead}.")
    if not zipfile.is_zipfile(folder / NAME):
        return Objection("no_torch", "Your file was not written by `torch.save`, so `torch.load` could not read it.")
    try:
        saved = torch.load(folder / NAME, weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, ValueError, EOFError):
        return Objection(
            "objects",
            "Your file holds whole objects, such as the model itself: it can only be read by running code from it. "
            "`state_dict()` gives the bare numbers of a model or an optimizer.",
        )
    if not isinstance(saved, dict):
        return Objection("type", f"Your file holds a {type(saved).__name__}; a dictionary is wanted.")
    missing = [key for key in KEYS if key not in saved]
    if missing:
        others = [str(key) for key in saved if key not in KEYS]
        instead = f", but {', '.join(map(repr, others))}" if others else ""
        return Objection("key", f"Your dictionary has no {' and no '.join(map(repr, missing))}{instead}.")
    model, optimizer, generator, step = (saved[key] for key in KEYS)
    if not isinstance(model, dict):
        return Objection("names", "What you save of the model is no dictionary; `state_dict()` is one, with names.")
    lacking = [name for name in WEIGHTS if name not in model]
    if lacking:
        return Objection("weights", f"What you save of the model lacks `{lacking[0]}`: `state_dict()` has all of it.")
    if more := [name for name in model if name not in WEIGHTS]:
        return Objection(
            "more", f"What you save of the model has `{more[0]}`, which its `state_dict()` leaves out on purpose."
        )
    if isinstance(optimizer, list):
        return Objection("settings", "What you save of the optimizer is a list; `state_dict()` has all of it.")
    if not isinstance(optimizer, dict) or not {"state", "param_groups"} <= optimizer.keys():
        return Objection("part", "What you save of the optimizer is not all of it: `state_dict()`.")
    if not isinstance(generator, Tensor) or generator.dtype != torch.uint8:
        return Objection(
            "seed",
            f"What you save of the generator is a {type(generator).__name__}; where it is by now is told by "
            "`generator.get_state()`. Its seed tells only where it began.",
        )
    if not isinstance(step, int) or isinstance(step, bool):
        kind = "tensor" if isinstance(step, Tensor) else type(step).__name__
        return Objection("step", f"The step in your file is a {kind}; the plain number is wanted.")
    return _effects(model, optimizer, generator, step)


def _effects(model: dict[str, Any], optimizer: dict[str, Any], state: Tensor, step: Any) -> tuple[Tensor, ...]:
    memory = [
        value.flatten().float() for each in optimizer["state"].values() for value in each.values() if value.dim() > 0
    ]
    generator = torch.Generator()
    generator.set_state(state.clone())
    return (
        torch.cat([model[name].flatten() for name in WEIGHTS]).detach().clone(),
        torch.cat(memory) if memory else torch.zeros(0),
        torch.rand(5, generator=generator),
        torch.tensor(int(step)),
    )


_NOT_IN_TRAINING = Objection(
    "eval_mode",
    "After your function the model is in evaluation mode, as `.eval()` leaves it, and it was in training mode before: "
    "training would go on without dropout.",
)


class _Code:
    """Something that runs a function when it is read from a file; that of a stranger would do harm."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _harmless, ()


def _harmless() -> str:
    return "code from the file was run"


def write(path: Path, run: Run, kind: str, steps: int) -> None:
    """The file that is resumed from."""
    model, optimizer, generator = run.parts()
    weights: dict[str, Any] = model.state_dict()
    if kind == ANOTHER_MODEL:
        weights = {f"encoder.{name}": weight for name, weight in weights.items()}
    elif kind == LARGER:
        weights = {**weights, "another": torch.zeros(3)}
    elif kind == SMALLER:
        weights = {name: weight for name, weight in weights.items() if name != "scale"}
    elif kind == SHAPES:  # one that would stretch to the right one
        weights = {**weights, "scale": weights["scale"][:1]}
    saved = {"model": weights, "optimizer": optimizer.state_dict(), "generator": generator.get_state(), "step": steps}
    torch.save({**saved, "note": _Code()} if kind == CODE else saved, path)


def drive_resuming(
    answer: Callable[..., Any],
    saved_table: Tensor,
    saved_weight: Tensor,
    table: Tensor,
    weight: Tensor,
    steps: int,
    seed: int,
    kind: str,
) -> Any:
    """How a run goes on after an answer resumed another one in it."""
    resumed = Run(table, weight, seed + 1, 1, rate=0.2)
    with torch.random.fork_rng(devices=[]), temporary_folder() as folder:
        torch.manual_seed(0)
        write(folder / NAME, Run(saved_table, saved_weight, seed, steps), kind, steps)
        if kind in REFUSED:
            return _refusal(answer, folder, resumed)
        before = torch.get_rng_state()
        step = answer(str(folder / NAME), *resumed.parts())
        if not torch.equal(torch.get_rng_state(), before):
            return Objection(
                "global", "Your function changes torch's global source of random numbers; only `generator` is its own."
            )
        if not (folder / NAME).is_file():
            return Objection("file_gone", "After your function the file is gone; it may be needed again.")
        if not resumed.model.training:
            return _NOT_IN_TRAINING
    if step is None:
        return Objection("nothing", "Your function returns nothing (None); return the step that comes next.")
    if not isinstance(step, int | Tensor) or isinstance(step, bool):
        return Objection("type", f"You return a {type(step).__name__}; the step is wanted, a plain number.")
    found = resumed.effects(step)
    return (torch.tensor(0), *found, torch.tensor(resumed.go_on(GOES_ON)))


def _refusal(answer: Callable[..., Any], folder: Path, resumed: Run) -> tuple[Tensor, ...]:
    try:
        answer(str(folder / NAME), *resumed.parts())
        refused = 0
    except Exception:
        refused = 1
    return (torch.tensor(refused), *(torch.zeros(1) for _ in RESUMED[1:]))
