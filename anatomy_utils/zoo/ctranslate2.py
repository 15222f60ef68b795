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


NORM = {"layer_norm/gamma": "layer_norm.weight", "layer_norm/beta": "layer_norm.bias"}
NORMS = {"ffn": "final_", "self_attention": "self_attn_", "attention": "encoder_attn_"}
LINEAR = {
    "ffn/linear_0": ["fc1"],
    "ffn/linear_1": ["fc2"],
    "self_attention/linear_0": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    "self_attention/linear_1": ["self_attn.out_proj"],
    "attention/linear_0": ["encoder_attn.q_proj"],
    "attention/linear_1": ["encoder_attn.k_proj", "encoder_attn.v_proj"],
    "attention/linear_2": ["encoder_attn.out_proj"],
}
"""A matrix of a layer here, and the published ones that are stacked in it."""
ALONE = {
    "decoder/embeddings/weight": "model.decoder.embed_tokens.weight",
    "decoder/projection/weight": "proj_out.weight",
}
for _leaf in ("weight", "bias"):
    ALONE |= {f"encoder/conv{i}/{_leaf}": f"model.encoder.conv{i}.{_leaf}" for i in (1, 2)}
for _side in ("encoder", "decoder"):
    ALONE[f"{_side}/position_encodings/encodings"] = f"model.{_side}.embed_positions.weight"
    ALONE |= {f"{_side}/{here}": f"model.{_side}.{theirs}" for here, theirs in NORM.items()}
"""What is in no layer, and its published name."""


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
    except ValueError as error:
        raise ValueError(f"{path} does not hold a whole Whisper ({error}); fetch it again.") from error
    entries.check(config)
    return config, tensors


def _config(variables: dict[str, Tensor]) -> dict[str, Any]:
    def shape(name: str, axes: int) -> list[int]:
        if name not in variables:
            raise ValueError(f"it lacks {name}")
        if variables[name].dim() != axes:
            raise ValueError(f"{name} has {variables[name].dim()} axes, not {axes}")
        return list(variables[name].shape)

    def heads(side: str) -> int:
        shape(f"{side}/num_heads", 0)
        return int(variables[f"{side}/num_heads"])

    def layers(side: str) -> int:
        found = {name.split("/")[1] for name in variables if re.match(rf"{side}/layer_\d+/", name)}
        return len(found)

    vocab_size, d_model = shape("decoder/embeddings/weight", 2)
    return {
        "model_type": "whisper",
        "architectures": ["WhisperForConditionalGeneration"],
        "vocab_size": vocab_size,
        "d_model": d_model,
        "encoder_layers": layers("encoder"),
        "decoder_layers": layers("decoder"),
        "encoder_attention_heads": heads("encoder"),
        "decoder_attention_heads": heads("decoder"),
        "encoder_ffn_dim": shape("encoder/layer_0/ffn/linear_0/weight", 2)[0],
        "decoder_ffn_dim": shape("decoder/layer_0/ffn/linear_0/weight", 2)[0],
        "num_mel_bins": shape("encoder/conv1/weight", 3)[1],
        "max_source_positions": shape("encoder/position_encodings/encodings", 2)[0],
        "max_target_positions": shape("decoder/position_encodings/encodings", 2)[0],
        "activation_function": "gelu",
    }


def _published(name: str, tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    """The published name of a variable and its tensor; several where it holds several."""
    if name in ALONE:
        yield ALONE[name], tensor
        return
    side, layer, place, last = name.split("/", 3) if re.fullmatch(r"(en|de)coder/layer_\d+/\w+/.+", name) else 4 * [""]
    whole = f"model.{side}.layers.{layer.removeprefix('layer_')}."
    linear, _, leaf = last.partition("/")
    if place in NORMS and last in NORM:
        yield whole + NORMS[place] + NORM[last], tensor
    elif (stacked := LINEAR.get(f"{place}/{linear}")) and leaf in ("weight", "bias"):
        for theirs, part in zip(stacked, tensor.chunk(len(stacked)), strict=True):
            if theirs.endswith("k_proj") and leaf == "bias":
                if part.any():
                    raise ValueError(f"{name} gives keys a bias, which Whisper has not")
            else:
                yield f"{whole}{theirs}.{leaf}", part
    else:
        raise ValueError(f"{name!r:.60} is no part of a Whisper")
