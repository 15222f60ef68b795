"""Published weights into the learner's model, by the learner's names; and SmolLM2's file, read with gguf alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from anatomy_utils.zoo.gguf_layout import published_name, rows_as_published


@torch.no_grad()
def load_by_name(model: torch.nn.Module, tensors: Mapping[str, Tensor], own_name: Callable[[str], str]) -> None:
    """Fill a model with published tensors: each is used once, each parameter is filled, and all shapes agree.

    Args:
        model: is changed, but only if everything fits.
        tensors: by their published names.
        own_name: published name → name of the parameter; ValueError for a name that it does not know.

    Raises:
        ValueError: something does not fit; the sentence says what.
    """
    wanted = dict(model.named_parameters())
    source: dict[str, str] = {}
    unknown = []
    for published, tensor in tensors.items():
        try:
            name = own_name(published)
        except ValueError:
            unknown.append(published)
            continue
        if name not in wanted:
            raise ValueError(f"{published} became {name}, but the model has no parameter of this name.")
        if name in source:
            raise ValueError(f"{source[name]} and {published} both became {name}; each parameter has one tensor.")
        source[name] = published
        have, want = tuple(tensor.shape), tuple(wanted[name].shape)
        if have != want:
            turned = ": it is transposed" if have == want[::-1] else "; is it the checkpoint of another size?"
            raise ValueError(f"{published} has shape {have}, but {name} has {want}{turned}.")
    if unknown:
        which = "None of its names is" if not source else f"{len(unknown)} of its {len(tensors)} names are not"
        raise ValueError(f"This checkpoint comes from another model. {which} known, such as {unknown[0]}.")
    if missing := [name for name in wanted if name not in source]:
        raise ValueError(f"No tensor became {missing[0]}; {len(missing)} of {len(wanted)} parameters would stay empty.")
    for name, parameter in wanted.items():
        parameter.copy_(tensors[source[name]])


def read_gguf(path: str | Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """A Llama's file as numbers and words about it, and its weights in float32 under their published names.

    Raises:
        ValueError: there is no such file, it is damaged, or it holds another kind of model.
    """
    from gguf import GGUFReader
    from gguf.quants import dequantize

    if not Path(path).is_file():
        raise ValueError(f"There is no file {path}; give the path of a .gguf file.")
    try:
        reader = GGUFReader(path)
        fields = {name: field.contents() for name, field in reader.fields.items()}
    except Exception as error:  # whatever a damaged file leads the library into
        raise ValueError(f"{path} is damaged or no GGUF file ({error}); fetch it again.") from error
    if fields.get("general.architecture") != "llama":
        raise ValueError(f"{path} holds a model of the kind {fields.get('general.architecture')!r}, not a Llama.")
    heads = {"q": fields["llama.attention.head_count"]}
    heads["k"] = fields.get("llama.attention.head_count_kv", heads["q"])
    tensors = {}
    for tensor in reader.tensors:
        weight = torch.tensor(dequantize(tensor.data, tensor.tensor_type), dtype=torch.float32)
        tensors[published_name(tensor.name)] = rows_as_published(tensor.name, weight, heads)
    return fields, tensors


def llama_numbers(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What `Llama` is made of, from what `read_gguf` found."""
    heads = fields["llama.attention.head_count"]
    return {
        "vocabulary_size": len(fields["tokenizer.ggml.tokens"]),
        "d_model": fields["llama.embedding_length"],
        "num_layers": fields["llama.block_count"],
        "num_heads": heads,
        "num_key_value_heads": fields.get("llama.attention.head_count_kv", heads),
        "d_inner": fields["llama.feed_forward_length"],
        "base": fields.get("llama.rope.freq_base", 10_000.0),
        "epsilon": fields["llama.attention.layer_norm_rms_epsilon"],
    }
