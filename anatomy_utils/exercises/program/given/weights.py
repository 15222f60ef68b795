"""Published weights into the learner's model, by the learner's names; and SmolLM2's file, read with gguf alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

GGUF_NAMES = {
    r"token_embd\.weight": "model.embed_tokens.weight",
    r"output_norm\.weight": "model.norm.weight",
    r"blk\.(\d+)\.attn_norm\.weight": r"model.layers.\1.input_layernorm.weight",
    r"blk\.(\d+)\.ffn_norm\.weight": r"model.layers.\1.post_attention_layernorm.weight",
    r"blk\.(\d+)\.attn_([qkv])\.weight": r"model.layers.\1.self_attn.\2_proj.weight",
    r"blk\.(\d+)\.attn_output\.weight": r"model.layers.\1.self_attn.o_proj.weight",
    r"blk\.(\d+)\.ffn_(gate|up|down)\.weight": r"model.layers.\1.mlp.\2_proj.weight",
}
"""A GGUF file has its own names; these are the published ones."""


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
    heads = fields["llama.attention.head_count"]
    shared = fields.get("llama.attention.head_count_kv", heads)
    tensors = {}
    for tensor in reader.tensors:
        weight = torch.tensor(dequantize(tensor.data, tensor.tensor_type), dtype=torch.float32)
        if part := re.fullmatch(r"blk\.\d+\.attn_([qk])\.weight", tensor.name):
            # rows are in pairs of neighbors (2i, 2i + 1); a Llama has them in halves (i, i + d_head/2)
            pairs = weight.unflatten(0, (heads if part[1] == "q" else shared, -1, 2))
            weight = pairs.transpose(1, 2).flatten(0, 2)
        tensors[_published(tensor.name)] = weight
    return fields, tensors


def _published(name: str) -> str:
    for pattern, published in GGUF_NAMES.items():
        if match := re.fullmatch(pattern, name):
            return match.expand(published)
    return name  # `load_by_name` will say that it is unknown


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
