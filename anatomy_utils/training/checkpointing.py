"""Save a training run and resume it: afterwards it goes on as if nothing had happened, to the last bit.

What a run consists of: the weights, what the optimizer remembers, the state of the random numbers and the step that
comes next. Notebook 10 teaches it. A file is read with `weights_only=True`, so that it can bring numbers but no code.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

KEYS = ("model", "optimizer", "generator", "step")
"""What a file holds."""


def save_training(
    path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator, step: int
) -> None:
    """Write a run's state into one file.

    An older file of that name is replaced when the new one is complete: an interrupt while it is written costs nothing.

    Args:
        path: of the file.
        model: whose weights.
        optimizer: what it remembers of earlier gradients, and its settings.
        generator: what the batches are drawn with.
        step: the number of the step that comes next.
    """
    path = Path(path)
    run = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "generator": generator.get_state(),
        "step": step,
    }
    unfinished = path.with_name(f"{path.name}.unfinished")
    torch.save(run, unfinished)
    unfinished.replace(path)


def resume_training(
    path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer, generator: torch.Generator
) -> int:
    """Put a run's state back; returns the step that comes next.

    Args:
        path: of a file that `save_training` wrote.
        model, optimizer, generator: made as they were for the run that was saved; are changed.

    Raises:
        ValueError: the file is not such a file, or it comes from another model. Nothing is changed then.
    """
    run = _read(Path(path))
    if words := _other_model(run["model"], model.state_dict()):
        raise ValueError(f"{Path(path).name} comes from another model: {words}; make the model that was saved.")
    before = generator.get_state()
    generator.set_state(run["generator"].cpu())
    try:
        optimizer.load_state_dict(run["optimizer"])
    except ValueError:
        generator.set_state(before)
        raise ValueError(
            f"{Path(path).name} comes from another optimizer: its groups of parameters are not those of this one; make "
            "it as it was made for the run that was saved."
        ) from None
    model.load_state_dict(run["model"])
    return int(run["step"])


def _read(path: Path) -> Mapping[str, Any]:
    try:
        run = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise ValueError(f"There is no file {path}; has the run been saved under another name?") from None
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError):
        raise ValueError(
            f"{path.name} is not a file of numbers that torch can read: it is damaged, it is of another kind, or it "
            "holds code, which is not run."
        ) from None
    missing = [key for key in KEYS if not isinstance(run, dict) or key not in run]
    if missing:
        raise ValueError(f"{path.name} lacks {', '.join(map(repr, missing))}; `save_training` writes such a file.")
    return run


def _other_model(saved: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    """The first difference between two models' weights, in words; empty where there is none."""
    for name, weight in own.items():
        if name not in saved:
            return f"it has no `{name}`"
        if saved[name].shape != weight.shape:
            return f"its `{name}` has shape {tuple(saved[name].shape)}, that of this model {tuple(weight.shape)}"
    extra = [name for name in saved if name not in own]
    return f"it has `{extra[0]}`, which this model lacks" if extra else ""
