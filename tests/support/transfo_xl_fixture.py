"""What transformers 4 answered for a small Transformer-XL; `fixtures/make_transfo_xl.py` wrote it once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor

FILE = Path(__file__).parents[1] / "fixtures" / "transfo_xl.safetensors"


def read() -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The reference's configuration, and all tensors of the file: weights, inputs, answers."""
    with safe_open(FILE, "pt") as file:
        return json.loads(file.metadata()["config"]), load_file(FILE)


def weights(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The model's own weights by their published names."""
    return {name.removeprefix("weights."): part for name, part in tensors.items() if name.startswith("weights.")}
