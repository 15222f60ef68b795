"""Generation: greedy continuation by a small GPT, with a key/value cache and without.

Ours and Hugging Face's hold the same weights and must write the same tokens; x-transformers' has the same sizes.

    python -m tools.benchmarks.generation
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from x_transformers import AutoregressiveWrapper

from anatomy_utils.decoding import SeenIds, generate, uncached
from tools.benchmarks import gpts
from tools.benchmarks.models import Sizes
from tools.benchmarks.report import alone
from tools.benchmarks.timing import OURS, Call, Row, compared, same_size

PROMPT = 8
GPT = Sizes(vocab_size=512, d_model=128, num_layers=4, num_heads=4, length=PROMPT + 256, batch=16)
TINY = Sizes(vocab_size=31, d_model=16, num_layers=1, num_heads=2, length=PROMPT + 5, batch=3)


def run(quick: bool = False) -> list[Row]:
    """Batch 1 and 16 with a cache, batch 1 without; GPT-2's own activation, and the exact GELU of training's rows."""
    sizes = TINY if quick else GPT
    own, exact = "GPT-2's tanh GELU", "exact GELU"
    rows = []
    for activation, batch, cached in (
        (own, 1, True),
        (own, sizes.batch, True),
        (exact, 1, True),
        (exact, sizes.batch, True),
        (own, 1, False),
    ):
        torch.manual_seed(0)
        theirs = gpts.hugging_face(sizes, "gelu_new" if activation == own else "gelu").eval()
        ours, other = gpts.from_hugging_face(theirs), gpts.x_transformers(sizes).eval()
        note = same_size({OURS: ours, "HF": theirs, "x-transformers": other}, within=0.5 if quick else 0.01)
        prompt, new = sizes.ids(length=PROMPT)[:batch], sizes.length - PROMPT
        writers = {
            OURS: _ours(ours, prompt, new, cached),
            "HF generate": _hugging_face(theirs, prompt, new, cached),
            "x-transformers": _x_transformers(AutoregressiveWrapper(other), prompt, new, cached),
        }
        _check(writers)
        how = "" if cached else ", without cache"
        work = f"generation of {new} tokens, {sizes.num_layers} × {sizes.d_model}, {activation}, batch {batch}{how}"
        rounds = 2 if quick else 11 if cached else 5
        note += "; ours and HF write the same tokens; x-transformers has the exact GELU throughout"
        target = 2.2 if cached and activation == own else None
        rows.append(compared("generation", work, writers, rounds, at_least=target, note=note))
    return rows


def _ours(model, prompt: Tensor, new: int, cached: bool) -> Callable[[], Tensor]:  # type: ignore[no-untyped-def]
    if cached:
        return lambda: (
            generate(model.step, model.start(len(prompt), prompt.shape[1] + new), prompt, max_new_tokens=new).new_ids
        )
    step = uncached(model)
    return lambda: generate(step, SeenIds(), prompt, max_new_tokens=new).new_ids


def _hugging_face(model, prompt: Tensor, new: int, cached: bool) -> Callable[[], Tensor]:  # type: ignore[no-untyped-def]
    attention_mask = torch.ones_like(prompt)
    return lambda: model.generate(
        prompt,
        attention_mask=attention_mask,
        max_new_tokens=new,
        min_new_tokens=new,
        do_sample=False,
        use_cache=cached,
        pad_token_id=0,
        eos_token_id=None,
    )[:, prompt.shape[1] :]


def _x_transformers(model: AutoregressiveWrapper, prompt: Tensor, new: int, cached: bool) -> Callable[[], Tensor]:
    return lambda: model.generate(prompt, new, temperature=0.0, cache_kv=cached)


def _check(writers: dict[str, Call]) -> None:
    texts = {name: writer() for name, writer in writers.items()}
    shapes = {name: tuple(text.shape) for name, text in texts.items()}
    if len(set(shapes.values())) != 1:
        raise RuntimeError(f"The texts have different lengths: {shapes}.")
    if not torch.equal(texts[OURS], texts["HF generate"]):
        raise RuntimeError("Ours and Hugging Face's write different tokens with the same weights.")


if __name__ == "__main__":
    alone(run)
