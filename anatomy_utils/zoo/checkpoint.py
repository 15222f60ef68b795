"""Published weights into our modules: a table of names, and a strict account of what was left over.

Each family in the zoo writes its names as a table of patterns; this file applies it. Only safetensors files are read:
a pickle can run any code when it is opened.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

PICKLES = ("pytorch_model.bin", "*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")


@dataclass(frozen=True)
class KeyMap:
    """How a family's published names become ours.

    Attributes:
        rename: pairs of a regular expression for a whole published name and the name here, with groups as `\\1`.
        ignore: regular expressions for published names that are left unread on purpose.
    """

    rename: Sequence[tuple[str, str]]
    ignore: Sequence[str] = ()

    def ours(self, published: str) -> str | None:
        """Our name for a published one; None where it is ignored on purpose.

        Raises:
            KeyError: the table says nothing about this name.
        """
        if any(re.fullmatch(pattern, published) for pattern in self.ignore):
            return None
        for pattern, replacement in self.rename:
            if match := re.fullmatch(pattern, published):
                return match.expand(replacement)
        raise KeyError(published)


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read a Hugging Face model folder: its `config.json` and its `model.safetensors`.

    Raises:
        ValueError: a file is missing, damaged, or there is only a pickle.
    """
    return read_config(folder / "config.json"), read_tensors(folder / "model.safetensors")


def read_config(path: Path) -> dict[str, Any]:
    """Read a `config.json`.

    Raises:
        ValueError: the file is missing or is not a JSON object.
    """
    if not path.is_file():
        raise ValueError(
            f"There is no {path.name} in {path.parent}; give a folder with config.json and model.safetensors."
        )
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not readable as JSON ({error}); fetch the file again.") from error
    if not isinstance(config, dict):
        raise ValueError(f"{path} holds a {type(config).__name__}, but a configuration is a JSON object.")
    return config


def read_tensors(path: Path, sha256: str | None = None) -> dict[str, Tensor]:
    """Read a safetensors file, checking its fingerprint where one is known.

    Raises:
        ValueError: the file is missing, damaged, a pickle, or another file than the fingerprint says.
    """
    if not path.is_file():
        pickles = sorted(found.name for pattern in PICKLES for found in path.parent.glob(pattern))
        reason = f"only {pickles[0]}, a pickle, which can run any code when opened" if pickles else "no weights"
        raise ValueError(f"There is no {path.name} in {path.parent} ({reason}); save the model as safetensors.")
    if sha256 is not None and (found := hashlib.sha256(path.read_bytes()).hexdigest()) != sha256:
        raise ValueError(
            f"{path} is not the published file: its SHA-256 is {found[:12]}…, not {sha256[:12]}…; install it again."
        )
    try:
        return load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged or not a safetensors file ({error}); fetch it again.") from error


def load_published(model: nn.Module, tensors: Mapping[str, Tensor], key_map: KeyMap) -> None:
    """Fill `model` with published tensors; every name on either side must be accounted for.

    Raises:
        ValueError: names that the table does not know, parameters that nothing filled, or shapes that differ; all
            of them are listed.
    """
    renamed: dict[str, Tensor] = {}
    unknown: list[str] = []
    for published, tensor in tensors.items():
        try:
            ours = key_map.ours(published)
        except KeyError:
            unknown.append(published)
            continue
        if ours is not None:
            renamed[ours] = tensor
    wanted = model.state_dict()
    complaints = {
        "left over": [*unknown, *(name for name in renamed if name not in wanted)],
        "missing": [name for name in wanted if name not in renamed],
        "of another shape": [
            f"{name} {tuple(renamed[name].shape)} instead of {tuple(wanted[name].shape)}"
            for name in wanted
            if name in renamed and renamed[name].shape != wanted[name].shape
        ],
    }
    if any(complaints.values()):
        found = "; ".join(f"{what}: {', '.join(names)}" for what, names in complaints.items() if names)
        raise ValueError(f"These weights do not belong to this model ({found}); check that config and weights match.")
    model.load_state_dict(renamed)


def pick(config: Mapping[str, Any], *names: str) -> list[Any]:
    """The named entries of a configuration, in order.

    Raises:
        ValueError: some are missing; all of them are listed.
    """
    if missing := [name for name in names if name not in config]:
        raise ValueError(f"The configuration lacks {', '.join(missing)}; it holds {', '.join(sorted(config))}.")
    return [config[name] for name in names]
