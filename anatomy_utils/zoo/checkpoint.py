"""Published weights into our modules: a table of names, and a strict account of what was left over.

Each family in the zoo writes its names as a table of patterns; this file applies it. Only safetensors files are read:
a pickle can run any code when it is opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

PICKLES = ("pytorch_model.bin", "*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
MOST_JSON = 4_000_000
"""Bytes of a configuration, and of the list of tensors in a file of weights: several times the largest published."""
MOST_NAMED = 12
"""Names of a kind in one sentence; a model of another size differs in hundreds."""

Change = Callable[[Tensor], Tensor]
Pair = tuple[str, str | tuple[str, ...]]
"""Of a regular expression for a whole published name, and the name here, or several; see `KeyMap`."""


class Checked(dict[str, Tensor]):
    """Tensors without NaN or infinity, which lie in memory as they should: somebody has seen to it."""


def transposed(weight: Tensor) -> Tensor:
    """GPT-2 stores its matrices (in, out); torch's `nn.Linear` stores (out, in)."""
    return weight.mT


def part(published: str, ours: str) -> Pair:
    r"""A pair for one layer of ours: its weight, and its bias if it has one.

    >>> print(*part("classifier", "head.labels"))
    classifier\.(weight|bias) head.labels.\1
    """
    return rf"{published}\.(weight|bias)", rf"{ours}.\{re.compile(published).groups + 1}"


def projections(published: str, names: str, ours: str = r"layers.\1.self_attention.") -> list[Pair]:
    """Pairs for the four projections of an attention; `names` are the published ones of query, key, value, output."""
    parts = zip(names.split(), ("query", "key", "value", "output"), strict=True)
    return [part(published + theirs, f"{ours}to_{name}") for theirs, name in parts]


def sub_layers(published: str, norms: str, names: str, ours: str = r"layers.\1.") -> list[Pair]:
    """Pairs for what surrounds attention in a layer.

    Args:
        published: how the layer's names begin.
        norms: whether they stand "before" or "after" the sub-layers.
        names: the published ones of attention's norm, feed-forward's norm, and its first and second matrix.
        ours: how our names begin.
    """
    places = f"self_attention_norms.{norms} feed_forward_norms.{norms} feed_forward.expand feed_forward.contract"
    return [part(published + theirs, ours + place) for theirs, place in zip(names.split(), places.split(), strict=True)]


def gated(published: str, ours: str) -> list[Pair]:
    """Pairs for a gated feed-forward network, whose matrices Llama's files call gate, up and down."""
    names = {"gate": "gate", "up": "expand", "down": "contract"}
    return [part(f"{published}{theirs}_proj", ours + mine) for theirs, mine in names.items()]


def rows_by_head(mixed: Tensor, heads: int, widths: tuple[int, ...]) -> list[Tensor]:
    """The matrices that one matrix holds, where each head's rows of all of them stand together.

    >>> [part.tolist() for part in rows_by_head(torch.arange(6), 2, (2, 1))]
    [[0, 1, 3, 4], [2, 5]]
    """
    return [rows.flatten(0, 1) for rows in mixed.unflatten(0, (heads, sum(widths))).split(widths, dim=1)]


def stacked_experts(numbers: object, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a layer's experts, published one by one, as one: `experts.0.w1.weight`, … → `experts.w1.weight`.

    For `Family.prepare`; other tensors stay as they are.
    """
    found: dict[str, Tensor] = {}
    parts: dict[str, dict[int, Tensor]] = {}
    for name, tensor in tensors.items():
        if match := re.fullmatch(r"(.*\.experts\.)(\d+)\.(.+)", name):
            parts.setdefault(match[1] + match[3], {})[int(match[2])] = tensor
        else:
            found[name] = tensor
    return found | {name: torch.stack([each[i] for i in sorted(each)]) for name, each in parts.items()}


MIXED = tuple(rf"layers.\1.self_attention.to_{name}.\2" for name in ("query", "key", "value"))
"""Where the parts of a single matrix for queries, keys and values go."""


@dataclass(frozen=True)
class KeyMap:
    """How a family's published names become ours.

    Attributes:
        rename: pairs of a regular expression for a whole published name and the name here, with groups as `\\1`. A
            tuple of names cuts the tensor into as many equal parts along its first axis.
        ignore: regular expressions for published names that are left unread on purpose, if no pair has them.
        change: pairs of a regular expression and what is done to tensors of such names first.
    """

    rename: Sequence[Pair]
    ignore: Sequence[str] = ()
    change: Sequence[tuple[str, Change]] = ()

    def ours(self, published: str, tensor: Tensor) -> dict[str, Tensor]:
        """Our names and tensors for a published one; empty where it is ignored on purpose.

        Raises:
            KeyError: the table says nothing about this name.
            ValueError: the tensor cannot be cut.
        """
        for pattern, change in self.change:
            if re.fullmatch(pattern, published):
                tensor = change(tensor)
        for pattern, names in self.rename:
            if match := re.fullmatch(pattern, published):
                names = (names,) if isinstance(names, str) else names
                parts = tensor.chunk(len(names)) if len(names) > 1 else (tensor,)
                if len(parts) != len(names):
                    raise ValueError(
                        f"{published} has shape {tuple(tensor.shape)}, which cannot be cut into {len(names)} equal "
                        "parts; check that config and weights match."
                    )
                return {match.expand(name): part for name, part in zip(names, parts, strict=True)}
        if any(re.fullmatch(pattern, published) for pattern in self.ignore):
            return {}
        raise KeyError(published)

    def within(self, prefix: str, *more: Pair) -> KeyMap:
        """The same table for a model that holds this one under a name, with what else it has.

        Args:
            prefix: of the names here, such as `"body."`.
            more: further pairs, not prefixed.
        """

        def prefixed(names: str | tuple[str, ...]) -> str | tuple[str, ...]:
            return prefix + names if isinstance(names, str) else tuple(prefix + name for name in names)

        rename = [*more, *((pattern, prefixed(names)) for pattern, names in self.rename)]
        return KeyMap(rename, self.ignore, self.change)


def check_file(path: Path, missing: str, *, most: int | None = None, sha256: str | None = None) -> int:
    """Look at a file before anything is read from it.

    Args:
        path: of the file.
        missing: the sentence where there is none.
        most: bytes that such a file may have.
        sha256: its fingerprint, where one is known.

    Returns:
        How many bytes it has.

    Raises:
        ValueError: it is missing, may not be read, is too large, was written only in part, or is another file than the
            fingerprint says.
    """
    try:
        if not path.is_file():
            raise ValueError(missing)
        with path.open("rb") as file:
            size, hole = file.seek(0, os.SEEK_END), _hole(file.fileno())
            file.seek(0)
            found = hashlib.file_digest(file, "sha256").hexdigest() if sha256 else None
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); check who may read it and its folder.") from error
    if most is not None and size > most:
        raise ValueError(f"{path} has {size:,} bytes, but at most {most:,} are expected; fetch it again.")
    if hole > size // 2:
        raise ValueError(f"Of the {size:,} bytes of {path}, {hole:,} were never written; fetch it again.")
    if found != sha256:
        raise ValueError(
            f"{path} is not the published file: its SHA-256 is {str(found)[:12]}…, not {str(sha256)[:12]}…; "
            "install it again."
        )
    return size


def _hole(descriptor: int) -> int:
    """The bytes of a file's first part that was never written, as when a download was broken off; they read as 0."""
    begin = end = os.lseek(descriptor, 0, os.SEEK_END)
    with suppress(OSError, AttributeError):  # no data behind it, or a system that does not tell
        begin = os.lseek(descriptor, 0, os.SEEK_HOLE)
        end = os.lseek(descriptor, begin, os.SEEK_DATA)
    return end - begin


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read a Hugging Face model folder: its `config.json` and its `model.safetensors`.

    Raises:
        ValueError: a file is missing, damaged, or there is only a pickle.
    """
    return read_config(folder / "config.json"), read_tensors(folder / "model.safetensors")


def read_config(path: Path, sha256: str | None = None) -> dict[str, Any]:
    """Read a `config.json`.

    Raises:
        ValueError: as `check_file`, or the file is not a JSON object.
    """
    missing = f"There is no {path.name} in {path.parent}; give a folder with config.json and model.safetensors."
    check_file(path, missing, most=MOST_JSON, sha256=sha256)
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # no JSON, no text, nested without end
        raise ValueError(f"{path} is not readable as JSON ({error}); fetch the file again.") from error
    if not isinstance(config, dict):
        kind = "null" if config is None else f"a {type(config).__name__}"
        raise ValueError(f"{path} holds {kind}, but a configuration is a JSON object; fetch the file again.")
    return config


def read_tensors(path: Path, sha256: str | None = None) -> dict[str, Tensor]:
    """Read a safetensors file, checking its fingerprint where one is known.

    Raises:
        ValueError: as `check_file`, or the file is damaged, a pickle, or larger than what the machine can hold.
    """
    pickles: list[str] = []
    with suppress(OSError):  # which `check_file` tells
        pickles = sorted(found.name for pattern in PICKLES for found in path.parent.glob(pattern))
    reason = f"only {pickles[0]}, a pickle, which can run any code when opened" if pickles else "no weights"
    missing = f"There is no {path.name} in {path.parent} ({reason}); save the model as safetensors."
    size = check_file(path, missing, sha256=sha256)
    with path.open("rb") as file:
        listed = int.from_bytes(file.read(8), "little")
    try:
        if listed > MOST_JSON:
            raise SafetensorError(f"its list of tensors has {listed:,} bytes, at most {MOST_JSON:,} are read")
        return load_file(path)
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged or not a safetensors file ({error}); fetch it again.") from error
    except (RuntimeError, MemoryError) as error:
        raise ValueError(
            f"The {size:,} bytes of {path} do not fit into this machine's memory; take a smaller model."
        ) from error


def load_published(model: nn.Module, tensors: Mapping[str, Tensor], key_map: KeyMap) -> None:
    """Fill `model` with published tensors; every name on either side must be accounted for.

    A tensor that the model shares between places (a tied table) may come under any of its names, or under several if
    they hold the same numbers.

    Raises:
        ValueError: names that the table does not know, parameters that nothing filled, shapes that differ, two tensors
            that differ for one parameter, whole numbers, truth values, complex numbers or numbers of a single byte
            (which need scales) where decimal numbers belong, NaN or infinity; they are listed.
    """
    wanted = model.state_dict(keep_vars=True)
    first_name: dict[int, str] = {}
    for name, tensor in wanted.items():
        first_name.setdefault(id(tensor), name)
    filled: dict[str, Tensor] = {}
    source: dict[str, str] = {}
    left_over: list[str] = []
    unequal: list[str] = []
    for published, tensor in tensors.items():
        try:
            ours = key_map.ours(published, tensor)
        except KeyError:
            left_over.append(published)
            continue
        for name, part in ours.items():
            if name not in wanted:
                left_over.append(published)
                continue
            name = first_name[id(wanted[name])]
            if name in filled and not torch.equal(filled[name].to(wanted[name].dtype), part.to(wanted[name].dtype)):
                unequal.append(f"{source[name]} and {published}")
            filled[name], source[name] = part, published
    _complain(
        "These weights do not belong to this model",
        {
            "left over": left_over,
            "missing": [name for name in first_name.values() if name not in filled],
            "of another shape": [
                f"{name} {tuple(part.shape)} instead of {tuple(wanted[name].shape)}"
                for name, part in filled.items()
                if part.shape != wanted[name].shape
            ],
            "one and the same here, but unequal": unequal,
        },
        "check that config and weights match",
    )
    checked = isinstance(tensors, Checked)
    _complain(
        "These weights cannot be calculated with",
        {
            "of another kind": [
                f"{name} {part.dtype} instead of {wanted[name].dtype}"
                for name, part in filled.items()
                if part.is_floating_point() != wanted[name].is_floating_point()
                or part.is_complex()
                or part.dtype.itemsize == 1
            ],
            "NaN or infinity": [
                name for name, part in filled.items() if not (checked or is_finite(part.to(wanted[name].dtype)))
            ],
        },
        "fetch the file again, or save it again in float32",
    )
    for name, empty in wanted.items():
        part = filled[first_name[id(empty)]]
        place, leaf = model.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2]
        if not isinstance(empty, nn.Parameter):
            setattr(place, leaf, part.to(empty.dtype))
        elif first_name[id(empty)] == name:
            part = part.to(empty.dtype) if checked else part.to(empty.dtype).contiguous()
            setattr(place, leaf, nn.Parameter(part, requires_grad=empty.requires_grad))
        else:  # tied: the very same parameter as at its first name
            setattr(place, leaf, model.get_parameter(first_name[id(empty)]))


def _complain(sentence: str, found: Mapping[str, Sequence[str]], cure: str) -> None:
    """One sentence about all that was found, the first few by name; none when nothing was."""
    lists = [
        f"{what}: {', '.join(names[:MOST_NAMED])}"
        + (f" and {more} more" if (more := len(names) - MOST_NAMED) > 0 else "")
        for what, names in found.items()
        if names
    ]
    if lists:
        raise ValueError(f"{sentence} ({'; '.join(lists)}); {cure}.")


def is_finite(tensor: Tensor) -> bool:
    """Whether there is neither NaN nor infinity in it."""
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return True
    return all(bool(end.isfinite()) for end in torch.aminmax(tensor))  # one look; NaN is both ends then


@contextmanager
def unfilled() -> Iterator[None]:
    """Modules made in this `with` block take no memory for weights until `load_published` gives them theirs."""
    with torch.device("meta"), _Undrawn():
        yield


class _Undrawn(TorchFunctionMode):
    """Leaves out random numbers for tensors without memory: for them alone torch imports its compiler, four seconds."""

    DRAWS = frozenset({"normal_", "uniform_", "kaiming_uniform_", "xavier_uniform_", "xavier_normal_", "trunc_normal_"})

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        filled = args[0] if args else kwargs.get("tensor")
        if getattr(func, "__name__", "") in self.DRAWS and filled.is_meta:
            return filled
        return func(*args, **kwargs)
