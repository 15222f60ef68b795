"""GGUF: a single file with a quantized model, its numbers and its tokenizer.

The format of llama.cpp. The `gguf` package reads it and turns blocks of 4 or 8 bits back into float32; here its names
become those of a Hugging Face Llama, so that the rest of the zoo need not know where weights came from. A surprise: the
rows of query and key matrices are stored so that neighboring features turn together; they are put back into halves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer as RustTokenizer, decoders, models, pre_tokenizers
from torch import Tensor

from anatomy_utils.zoo import entries
from anatomy_utils.zoo.gguf_layout import published_name, rows_as_published
from anatomy_utils.zoo.tokenizer import Tokenizer

CONTROL = 3
"""The type of tokens that no text can produce, such as <|im_end|>."""


class GgufFile:
    """An opened GGUF file of a Llama.

    Args:
        path: the file.

    Raises:
        ValueError: the file is damaged, or of another family.
    """

    def __init__(self, path: Path) -> None:
        try:
            from gguf import GGUFReader
        except ModuleNotFoundError as error:
            raise ValueError("Reading a GGUF file needs: pip install gguf") from error
        self._path = path
        with self._reading():
            self._reader = GGUFReader(path)
            family = self._field("general.architecture")
        if family != "llama":
            raise ValueError(f"{path} holds a {family!r} model; only 'llama' can be read from GGUF here.")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Whatever a damaged file leads the library or this class into, told in one sentence."""
        try:
            yield
        except Exception as error:
            reason = f"it lacks {error.args[0]}" if isinstance(error, KeyError) else str(error) or type(error).__name__
            raise ValueError(
                f"{self._path} is damaged or not a GGUF file that can be read here ({reason.splitlines()[0][:120]}); "
                "fetch it again."
            ) from error

    def _field(self, name: str, otherwise: Any = None) -> Any:
        field = self._reader.fields.get(name)
        return otherwise if field is None else field.contents()

    def config(self) -> dict[str, Any]:
        """The model's numbers, under the names of a Hugging Face `config.json`.

        Raises:
            ValueError: the file lacks one, or it cannot be such a number.
        """
        with self._reading():
            tensors = {tensor.name for tensor in self._reader.tensors}
            heads = self._field("llama.attention.head_count")
            config = {
                "model_type": "llama",
                "architectures": ["LlamaForCausalLM"],
                "vocab_size": len(self._reader.fields["tokenizer.ggml.tokens"].data),
                "hidden_size": self._field("llama.embedding_length"),
                "num_hidden_layers": self._field("llama.block_count"),
                "num_attention_heads": heads,
                "num_key_value_heads": self._field("llama.attention.head_count_kv", heads),
                "intermediate_size": self._field("llama.feed_forward_length"),
                "max_position_embeddings": self._field("llama.context_length"),
                "rms_norm_eps": self._field("llama.attention.layer_norm_rms_epsilon"),
                "rope_theta": self._field("llama.rope.freq_base", 10_000.0),
                "tie_word_embeddings": "output.weight" not in tensors,
            }
        entries.check(config)
        return config

    def tensors(self) -> dict[str, Tensor]:
        """The weights in float32, under the names of a Hugging Face Llama.

        Raises:
            ValueError: some cannot be read.
        """
        from gguf.quants import dequantize

        config = self.config()
        heads = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
        result = {}
        with self._reading():
            for tensor in self._reader.tensors:
                weight = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).astype(np.float32))  # a copy
                result[published_name(tensor.name)] = rows_as_published(tensor.name, weight, heads)
        return result

    def tokenizer(self) -> Tokenizer:
        """The byte-level tokenizer that the file carries.

        Raises:
            ValueError: it carries none, or a damaged one.
        """
        with self._reading():
            fields = self._reader.fields
            tokens, merges = (_strings(fields[f"tokenizer.ggml.{name}"]) for name in ("tokens", "merges"))
            pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
            tokenizer = RustTokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, pairs))
            tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
                [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
            )
            tokenizer.decoder = decoders.ByteLevel()
            kinds = _numbers(fields["tokenizer.ggml.token_type"])
            control = [AddedToken(tokens[i], special=True, normalized=False) for i in np.flatnonzero(kinds == CONTROL)]
            tokenizer.add_special_tokens(control)
            padding = self._field("tokenizer.ggml.padding_token_id", 0)
            return Tokenizer(tokenizer, pad_id=padding, pad_token=tokens[padding], pad_left=True)

    def stop_ids(self) -> list[int]:
        """The ids after which a text is complete."""
        return [self._field("tokenizer.ggml.eos_token_id")]


def _strings(field: Any) -> list[str]:
    return [bytes(field.parts[i]).decode("utf-8") for i in field.data]


def _numbers(field: Any) -> np.ndarray:
    return np.array([field.parts[i][0] for i in field.data])
