"""Writes a reference Whisper as the CTranslate2 file that its converter would make of it."""

import struct

import numpy as np
import torch

TYPES = {np.float32: 0, np.int16: 2, np.float16: 4}


def text(words):
    return struct.pack("<H", len(words) + 1) + words.encode() + b"\0"


def packed(variables, aliases=(), version=6, spec="WhisperSpec"):
    """The bytes of a file with these arrays."""
    parts = [struct.pack("<I", version), text(spec), struct.pack("<II", 3, len(variables))]
    for name, array in variables.items():
        head = struct.pack(f"<B{array.ndim}IBI", array.ndim, *array.shape, TYPES[array.dtype.type], array.nbytes)
        parts += [text(name), head, array.tobytes()]
    parts += [struct.pack("<I", len(aliases)), *(text(word) for pair in aliases for word in pair)]
    return b"".join(parts)


def variables_of(reference):
    """A reference Whisper's weights in half precision, under CTranslate2's names, and its numbers of heads."""
    state, config = reference.state_dict(), reference.config
    found = {
        "encoder/num_heads": np.array(config.encoder_attention_heads, np.int16),
        "decoder/num_heads": np.array(config.decoder_attention_heads, np.int16),
        "decoder/embeddings/weight": state["model.decoder.embed_tokens.weight"],
    }

    def put(place, *published):
        for leaf in ("weight", "bias"):
            rows = [state.get(f"{name}.{leaf}") for name in published]
            empty = torch.zeros(config.d_model)  # the keys' bias
            found[f"{place}/{leaf}"] = torch.cat([empty if part is None else part for part in rows])

    def norm(place, published):
        found[f"{place}/gamma"], found[f"{place}/beta"] = state[f"{published}.weight"], state[f"{published}.bias"]

    for convolution in ("conv1", "conv2"):
        put(f"encoder/{convolution}", f"model.encoder.{convolution}")
    for side, layers in (("encoder", config.encoder_layers), ("decoder", config.decoder_layers)):
        found[f"{side}/position_encodings/encodings"] = state[f"model.{side}.embed_positions.weight"]
        norm(f"{side}/layer_norm", f"model.{side}.layer_norm")
        for i in range(layers):
            here, there = f"{side}/layer_{i}", f"model.{side}.layers.{i}"
            put(f"{here}/ffn/linear_0", f"{there}.fc1")
            put(f"{here}/ffn/linear_1", f"{there}.fc2")
            norm(f"{here}/ffn/layer_norm", f"{there}.final_layer_norm")
            own = f"{there}.self_attn"
            put(f"{here}/self_attention/linear_0", *(f"{own}.{letter}_proj" for letter in "qkv"))
            put(f"{here}/self_attention/linear_1", f"{own}.out_proj")
            norm(f"{here}/self_attention/layer_norm", f"{own}_layer_norm")
            if side == "decoder":
                cross = f"{there}.encoder_attn"
                put(f"{here}/attention/linear_0", f"{cross}.q_proj")
                put(f"{here}/attention/linear_1", f"{cross}.k_proj", f"{cross}.v_proj")
                put(f"{here}/attention/linear_2", f"{cross}.out_proj")
                norm(f"{here}/attention/layer_norm", f"{cross}_layer_norm")
    return {name: part.half().numpy() if isinstance(part, torch.Tensor) else part for name, part in found.items()}
