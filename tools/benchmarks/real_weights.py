"""Real weights: SmolLM2 loaded from its GGUF file in a fresh process, and its greedy text beside Hugging Face's.

python -m tools.benchmarks.real_weights
"""

from __future__ import annotations

from typing import Any

import torch
import transformers
from torch import Tensor

from anatomy_utils import pretrained
from anatomy_utils.decoding import generate
from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.zoo import llama
from anatomy_utils.zoo.gguf import GgufFile
from tools.benchmarks import fresh
from tools.benchmarks.report import alone
from tools.benchmarks.timing import OURS, Row, compared

LOAD = "from anatomy_utils import pretrained; pretrained.load({name!r})"
AFTER_IMPORTS = "from anatomy_utils import pretrained, zoo; start = time.perf_counter(); pretrained.load({name!r})"
THEIRS_AFTER_IMPORTS = (
    "from transformers import LlamaForCausalLM as M; start = time.perf_counter(); "
    "M.from_pretrained({folder!r}, gguf_file={file!r})"
)
"""The clock of `fresh.REPORT` set again, once everything is imported."""
THEIR_LOAD = {
    "smollm2": "from transformers import AutoModelForCausalLM as M; M.from_pretrained({folder!r}, gguf_file={file!r})",
    "minilm": "from transformers import BertModel; BertModel.from_pretrained({path!r})",
}
PROMPT = "Thanks for lunch, I had a"
TINY = {
    "architectures": ["LlamaForCausalLM"], "vocab_size": 37, "hidden_size": 12, "num_hidden_layers": 2,
    "num_attention_heads": 3, "num_key_value_heads": 1, "intermediate_size": 20, "max_position_embeddings": 64,
    "rms_norm_eps": 1e-5, "rope_theta": 10_000.0, "tie_word_embeddings": True,
}  # fmt: skip


def run(quick: bool = False) -> list[Row]:
    """Loading (time and memory), and greedy generation."""
    if quick:
        tiny = transformers.LlamaForCausalLM(_their_config(TINY))
        ours = llama.FAMILY.load(TINY, tiny.state_dict())
        return [*loading("minilm", 1, beside=False), greedy(ours, tiny, torch.tensor([[5, 6, 7]]), 5, rounds=1)]
    file = GgufFile(_place("smollm2"))
    rows = [*loading("smollm2", 3, seconds=3.0, peak=1.3e9), loading_again(5), *loading("minilm", 3)]
    ours, tokenizer = pretrained.load("smollm2")
    theirs = transformers.LlamaForCausalLM(_their_config(file.config()))
    theirs.load_state_dict(file.tensors(), strict=False)  # the tied projection is not stored
    return [*rows, greedy(ours, theirs, tokenizer(PROMPT).input_ids, 64, rounds=7)]


def loading(
    name: str, rounds: int, *, seconds: float | None = None, peak: float | None = None, beside: bool = True
) -> list[Row]:
    """Time and peak memory from a process's first line to the loaded model, imports included.

    Args:
        name: of the weights.
        rounds: how many fresh processes each gets.
        seconds: the promised limit.
        peak: the promised limit, in bytes.
        beside: whether Hugging Face loads the same file too.
    """
    path = _place(name)
    scripts = {OURS: LOAD.format(name=name)}
    if beside:
        scripts["HF"] = THEIR_LOAD[name].format(folder=str(path.parent), file=path.name, path=str(path))
    found = fresh.interleaved(scripts, rounds)
    ours = found.pop(OURS)
    known = {"minilm": "MiniLM", "smollm2": "SmolLM2"}[name]
    work = f"{known} loaded in a fresh process"
    times, peaks = ({who: one[kind] for who, one in found.items()} for kind in (0, 1))
    return [
        Row("weights", f"{work}: time", "seconds", ours.seconds, times, at_most=seconds),
        Row("weights", f"{work}: peak memory", "bytes", ours.peak, peaks, at_most=peak),
    ]


def loading_again(rounds: int) -> Row:
    """SmolLM2 from the cache that an earlier process has left, imports not included."""
    path = _place("smollm2")
    scripts = {
        OURS: AFTER_IMPORTS.format(name="smollm2"),
        "HF": THEIRS_AFTER_IMPORTS.format(folder=str(path.parent), file=path.name),
    }
    found = fresh.interleaved(scripts, rounds)
    theirs = {"HF": found["HF"].seconds}
    return Row("weights", "SmolLM2 loaded again, after imports", "seconds", found[OURS].seconds, theirs, at_most=0.3)


def greedy(ours: Decoder, theirs: transformers.LlamaForCausalLM, prompt: Tensor, new: int, *, rounds: int) -> Row:
    """Greedy text of one prompt by both, from the same weights.

    Raises:
        RuntimeError: the texts differ.
    """
    theirs.eval()
    mask = torch.ones_like(prompt)
    writers = {
        OURS: lambda: generate(
            ours.step, ours.start(1, prompt.shape[1] + new), prompt, max_new_tokens=new
        ).new_ids,
        "HF generate": lambda: theirs.generate(
            prompt, attention_mask=mask, max_new_tokens=new, min_new_tokens=new, do_sample=False, pad_token_id=2,
            eos_token_id=None,
        )[:, prompt.shape[1] :],
    }  # fmt: skip
    texts = {name: writer().tolist() for name, writer in writers.items()}
    if texts[OURS] != texts["HF generate"]:
        raise RuntimeError(f"The same weights write different tokens: {texts}.")
    work = f"SmolLM2, {new} greedy tokens, batch 1"
    return compared("weights", work, writers, rounds, at_least=1.3, note="same weights, same tokens")


def _their_config(config: dict[str, Any]) -> transformers.LlamaConfig:
    rope = {"rope_type": "default", "rope_theta": config["rope_theta"]}
    known = {name: value for name, value in config.items() if name != "rope_theta"}
    return transformers.LlamaConfig(
        **known, rope_parameters=rope, attn_implementation="sdpa", bos_token_id=1, eos_token_id=None
    )


def _place(name: str) -> Any:
    path = pretrained.PACKAGES[name].path()
    if path is None:
        raise RuntimeError(f"The weights {name!r} are not installed; `make setup` installs them.")
    return path


if __name__ == "__main__":
    alone(run)
