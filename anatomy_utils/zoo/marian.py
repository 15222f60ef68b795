"""Marian's binary files: a translator's weights in whole numbers from −127 to 127.

The format of a library for fast translation, which Firefox translates with: numbers of all variables, their names,
shapes and numbers, and the settings as lines of text. Here the names become those of `bergamot`. Surprises: a matrix
lies with its columns one after the other and is divided by one number behind it; layers are counted from 1; there is
no start token, the decoder begins with a vector of zeros, which is a row more here, that is never written.
"""

from __future__ import annotations

import re
import struct
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from anatomy_utils.zoo import entries
from anatomy_utils.zoo.checkpoint import check_file

VERSION, SETTINGS = 1, "special:model.yml"
FLOAT, WHOLE = 0x404, 0x4101
"""What a variable's numbers are: float32, or int8 with a scale."""
MOST_VARIABLES, MOST_AXES, MOST_NAME = 10_000, 4, 200
NEVER = -1e9
"""The bias of the start row in place of a logit."""
NUMBERS = {
    "d_model": "dim-emb",
    "encoder_layers": "enc-depth",
    "decoder_layers": "dec-depth",
    "encoder_attention_heads": "transformer-heads",
    "encoder_ffn_dim": "transformer-dim-ffn",
}
EXPECTED = {
    "type": "transformer",
    "transformer-decoder-autoreg": "rnn",
    "dec-cell": "ssru",
    "transformer-preprocess": '""',
    "transformer-postprocess": "dan",
    "transformer-ffn-activation": "relu",
    "transformer-ffn-depth": "2",
    "tied-embeddings-all": "true",
    "transformer-train-position-embeddings": "false",
}
"""Settings that choose another model than `bergamot` where they are otherwise."""


def read_variables(path: Path, sha256: str | None = None) -> tuple[dict[str, str], dict[str, Tensor]]:
    """The settings of a Marian file, and its variables in float32: a matrix as torch's `nn.Linear` has it.

    Args:
        path: of the file.
        sha256: its fingerprint, where one is known.

    Raises:
        ValueError: as `check_file`, or the file is damaged or of another version.
    """
    check_file(path, f"There is no {path.name} in {path.parent}; install its package again.", sha256=sha256)
    try:
        return _variables(memoryview(path.read_bytes()))
    except (ValueError, struct.error) as error:
        reason = "it ends early" if isinstance(error, struct.error) else error
        raise ValueError(
            f"{path} is damaged or not a Marian file that can be read here ({reason}); fetch it again."
        ) from error


def _variables(data: memoryview) -> tuple[dict[str, str], dict[str, Tensor]]:
    version, count = struct.unpack_from("<QQ", data)
    if version != VERSION:
        raise ValueError(f"its version is {version}, not {VERSION}")
    if count > MOST_VARIABLES:
        raise ValueError(f"it claims {count:,} variables")
    heads = [struct.unpack_from("<QQQQ", data, 16 + 32 * number) for number in range(count)]
    place = 16 + 32 * count
    names, shapes = [], []
    for length, *_ in heads:
        if not 0 < length <= MOST_NAME:
            raise ValueError(f"a name has {length:,} letters")
        names.append(bytes(data[place : place + length]).decode().removesuffix("\0"))
        place += length
    for (_, _, axes, _), name in zip(heads, names, strict=True):
        if axes > MOST_AXES:
            raise ValueError(f"{name!r:.60} has {axes} axes")
        shapes.append(struct.unpack_from(f"<{axes}i", data, place))
        place += 4 * axes
    place += 8 + struct.unpack_from("<Q", data, place)[0]
    settings, found = {}, {}
    for (_, kind, _, size), name, shape in zip(heads, names, shapes, strict=True):
        lies = data[place : place + size]
        if len(lies) < size:
            raise ValueError("it ends early")
        place += size
        if name == SETTINGS:
            pairs = (line.partition(":") for line in bytes(lies).decode().strip("\0").splitlines())
            settings = {key: value.strip() for key, _, value in pairs}
        elif not name.endswith("QuantMultA"):  # for whole activations, which are not used here
            found[name] = _tensor(name, kind, shape, lies)
    return settings, found


def _tensor(name: str, kind: int, shape: tuple[int, ...], lies: memoryview) -> Tensor:
    count = prod(shape)
    needed = count + 4 if kind == WHOLE else 4 * count
    if kind not in (FLOAT, WHOLE) or min(shape, default=0) < 1 or len(shape) != 2 or len(lies) < needed:
        raise ValueError(f"{name!r:.60} has {len(lies):,} bytes for shape {shape} and type {kind:#x}")
    if kind == FLOAT:
        return torch.from_numpy(np.frombuffer(lies, np.float32, count).copy()).view(shape)
    scale = np.frombuffer(lies[count : count + 4], np.float32)[0]
    if not np.isfinite(scale) or scale == 0:
        raise ValueError(f"{name!r:.60} is divided by {scale}")
    whole = torch.from_numpy(np.frombuffer(lies, np.int8, count).astype(np.float32)) / float(scale)
    return whole.view(shape if name == "Wemb" else shape[::-1])


def bergamot(path: Path, sha256: str | None = None) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and weights of a translator, under the names that `bergamot.KEYS` has.

    Args:
        path: of the file.
        sha256: its fingerprint, where one is known.

    Raises:
        ValueError: as `read_variables`, or the file holds another model.
    """
    settings, variables = read_variables(path, sha256)
    try:
        for name, expected in EXPECTED.items():
            if (here := settings.get(name)) != expected:
                raise ValueError(f"{name} is {here}, not {expected}")
        if not {"Wemb", "decoder_ff_logit_out_b"} <= variables.keys():
            raise ValueError("it lacks the table of tokens, or the bias of the logits")
        table, bias = variables.pop("Wemb"), variables.pop("decoder_ff_logit_out_b")
        config: dict[str, Any] = {"model_type": "bergamot", "vocab_size": len(table) + 1}
        for ours, theirs in NUMBERS.items():
            if not (value := settings.get(theirs, "")).isdecimal():
                raise ValueError(f"{theirs} is {value!r:.40}")
            config[ours] = int(value)
    except ValueError as error:
        raise ValueError(f"{path} does not hold a translator that can be built here ({error}).") from error
    entries.check(config)
    tensors = {"tokens": torch.cat([table, table.new_zeros(1, table.shape[1])])}
    tensors["logits_bias"] = torch.cat([bias.flatten(), bias.new_full((1,), NEVER)])
    for name, tensor in variables.items():
        match = re.fullmatch(r"(encoder|decoder)_l(\d{1,3})_(\w+)", name)
        here = f"{match[1]}.layers.{int(match[2]) - 1}.{match[3]}" if match else name
        tensors[here] = tensor if re.search("_W[a-z0-9]*$", name) else tensor.flatten()
    return config, tensors
