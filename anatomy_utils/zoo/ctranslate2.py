"""CTranslate2: a single file with a Whisper's weights in half precision.

The format of a library for fast translation: a head, then for each variable its name, shape, type and numbers, then
names that mean the same. Here the names become those of a Hugging Face Whisper. Surprises: queries, keys and values
lie in one matrix (in cross-attention keys and values), where the keys' bias, which Whisper has not, is filled with
zeros; most of the configuration is in shapes, the number of heads is a variable.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from anatomy_utils.zoo import entries
from anatomy_utils.zoo.checkpoint import check_file

TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
VERSION, SPEC = 6, "WhisperSpec"
MOST_VARIABLES, MOST_AXES = 100_000, 4


class _Reader:
    """The bytes of a file, from the first to the last."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = memoryview(data), 0

    def take(self, count: int) -> memoryview:
        found = self._data[self._place : self._place + count]
        if len(found) != count:
            raise ValueError(f"it ends {count - len(found):,} bytes early")
        self._place += count
        return found

    def number(self, kind: str) -> int:
        found: int = struct.unpack(f"<{kind}", self.take(struct.calcsize(kind)))[0]
        return found

    def text(self) -> str:
        return str(self.take(self.number("H")), "utf-8").removesuffix("\0")


def read_variables(path: Path, sha256: str | None = None) -> dict[str, Tensor]:
    """The variables of a CTranslate2 file, in the precision in which they lie there; names that mean the same, too.

    Args:
        path: of the `model.bin`.
        sha256: its fingerprint, where one is known.

    Raises:
        ValueError: as `check_file`, or the file is damaged, of another version, or no Whisper's.
    """
    check_file(path, f"There is no {path.name} in {path.parent}; install its package again.", sha256=sha256)
    try:
        return dict(_variables(_Reader(path.read_bytes())))
    except (ValueError, KeyError) as error:
        raise ValueError(
            f"{path} is damaged or not a CTranslate2 file that can be read here ({error}); fetch it again."
        ) from error


def _variables(file: _Reader) -> Iterator[tuple[str, Tensor]]:
    version = file.number("I")
    if version != VERSION:
        raise ValueError(f"its version is {version}, not {VERSION}")
    if (spec := file.text()) != SPEC:
        raise ValueError(f"it holds a {spec!r:.40}, not a {SPEC}")
    file.number("I")
    count, found = file.number("I"), {}
    if count > MOST_VARIABLES:
        raise ValueError(f"it claims {count:,} variables")
    for _ in range(count):
        name, axes = file.text(), file.number("B")
        if axes > MOST_AXES:
            raise ValueError(f"{name!r:.60} has {axes} axes")
        shape = [file.number("I") for _ in range(axes)]
        kind, size = file.number("B"), file.number("I")
        if kind not in TYPES or size != prod(shape) * np.dtype(TYPES[kind]).itemsize:
            raise ValueError(f"{name!r:.60} has {size:,} bytes for shape {tuple(shape)} and type {kind}")
        numbers = np.frombuffer(file.take(size), TYPES[kind]).reshape(shape)
        found[name] = torch.from_numpy(numbers.copy())
        yield name, found[name]
    for _ in range(file.number("I")):
        alias, name = file.text(), file.text()
        yield alias, found[name]


LINEAR = {"linear_0": "fc1", "linear_1": "fc2"}
NORM = {"gamma": "weight", "beta": "bias"}
ATTENTIONS = {"self_attention": "self_attn", "attention": "encoder_attn"}


def whisper(path: Path, sha256: str | None = None) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """A Whisper's configuration and weights in float32, under the names of a Hugging Face Whisper.

    Args:
        path: of the `model.bin`.
        sha256: its fingerprint, where one is known.

    Raises:
        ValueError: as `read_variables`, or some variable is missing or has another shape than its neighbors allow.
    """
    variables = read_variables(path, sha256)
    try:
        config = _config(variables)
        tensors: dict[str, Tensor] = {}
        for name, tensor in variables.items():
            if tensor.dim():
                tensors |= _published(name, tensor.float())
    except (KeyError, IndexError, ValueError) as error:
        reason = f"it lacks {error.args[0]}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"{path} does not hold a whole Whisper ({reason}); fetch it again.") from error
    entries.check(config)
    return config, tensors


def _config(variables: dict[str, Tensor]) -> dict[str, Any]:
    layers = {
        side: len({name.split("/")[1] for name in variables if name.startswith(f"{side}/layer_") and "/ffn/" in name})
        for side in ("encoder", "decoder")
    }
    vocab_size, d_model = variables["decoder/embeddings/weight"].shape
    return {
        "model_type": "whisper",
        "architectures": ["WhisperForConditionalGeneration"],
        "vocab_size": vocab_size,
        "d_model": d_model,
        "encoder_layers": layers["encoder"],
        "decoder_layers": layers["decoder"],
        "encoder_attention_heads": int(variables["encoder/num_heads"]),
        "decoder_attention_heads": int(variables["decoder/num_heads"]),
        "encoder_ffn_dim": len(variables["encoder/layer_0/ffn/linear_0/weight"]),
        "decoder_ffn_dim": len(variables["decoder/layer_0/ffn/linear_0/weight"]),
        "num_mel_bins": variables["encoder/conv1/weight"].shape[1],
        "max_source_positions": len(variables["encoder/position_encodings/encodings"]),
        "max_target_positions": len(variables["decoder/position_encodings/encodings"]),
        "activation_function": "gelu",
    }


def _published(name: str, tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    """The published name of a variable and its tensor; several where it holds several."""
    side, *rest = name.split("/")
    match rest:
        case ["embeddings" | "projection", "weight"]:
            yield ("model.decoder.embed_tokens.weight" if rest[0] == "embeddings" else "proj_out.weight"), tensor
        case ["position_encodings", _]:
            yield f"model.{side}.embed_positions.weight", tensor
        case ["layer_norm", leaf]:
            yield f"model.{side}.layer_norm.{NORM[leaf]}", tensor
        case ["conv1" | "conv2" as conv, leaf]:
            yield f"model.{side}.{conv}.{leaf}", tensor
        case [layer, *within] if found := re.fullmatch(r"layer_(\d+)", layer):
            for theirs, part in _of_layer(within, tensor):
                yield f"model.{side}.layers.{found[1]}.{theirs}", part
        case _:
            raise ValueError(f"{name!r:.60} is no part of a Whisper")


def _of_layer(within: list[str], tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    match within:
        case ["ffn", "layer_norm", leaf]:
            yield f"final_layer_norm.{NORM[leaf]}", tensor
        case ["ffn", linear, leaf]:
            yield f"{LINEAR[linear]}.{leaf}", tensor
        case [attention, "layer_norm", leaf]:
            yield f"{ATTENTIONS[attention]}_layer_norm.{NORM[leaf]}", tensor
        case ["self_attention" | "attention" as attention, linear, leaf]:
            names = {"self_attention": ["qkv", "o"], "attention": ["q", "kv", "o"]}[attention]
            letters = names[int(linear.removeprefix("linear_"))]
            for letter, part in zip(letters, tensor.chunk(len(letters)), strict=True):
                if (letter, leaf) == ("k", "bias"):
                    if part.any():
                        raise ValueError("keys have a bias, which Whisper has not")
                    continue
                projection = "out_proj" if letter == "o" else f"{letter}_proj"
                yield f"{ATTENTIONS[attention]}.{projection}.{leaf}", part
        case _:
            raise ValueError(f"{'/'.join(within)!r:.60} is no part of a layer")
