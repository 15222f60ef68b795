"""What it costs to bring attention into the browser: bytes shipped, against bertviz.

Counts what AttentionViewer sends (its binary buffer, its state, its module and stylesheet) and what bertviz's model
view and head view put into the notebook, for 12 layers × 12 heads.

    python -m tools.benchmarks.attention_payload
"""

from __future__ import annotations

import json
import time

import torch

from anatomy_course.views import AttentionViewer
from tools.benchmarks.report import alone, figure
from tools.benchmarks.timing import Row

LAYERS = HEADS = 12
LENGTHS = (16, 64, 128)
PROMISED, TARGET_RATIO = 64, 40
WORDS = "the animal did not cross the street because it was too tired".split()


def attention(length: int, seed: int = 0) -> tuple[torch.Tensor, list[str]]:
    """Random weights (layers heads query key) whose rows sum to 1, and tokens for them."""
    scores = torch.randn(LAYERS, HEADS, length, length, generator=torch.Generator().manual_seed(seed)) * 3
    return scores.softmax(-1), [WORDS[i % len(WORDS)] for i in range(length)]


def viewer_bytes(weights: torch.Tensor, tokens: list[str]) -> tuple[int, int, float]:
    """(binary buffer, everything sent, seconds to make it)."""
    start = time.perf_counter()
    viewer = AttentionViewer(weights, tokens)
    seconds = time.perf_counter() - start
    state = viewer.get_state()
    buffers = [name for name, value in state.items() if isinstance(value, bytes | memoryview)]
    rest = json.dumps({name: value for name, value in state.items() if name not in buffers}, default=str)
    buffer = sum(len(state[name]) for name in buffers)
    return buffer, buffer + len(rest.encode()), seconds


def bertviz_bytes(weights: torch.Tensor, tokens: list[str]) -> tuple[int, int, float]:
    """(model view's HTML, head view's HTML, seconds for the model view)."""
    from bertviz import head_view, model_view

    layers = [layer[None] for layer in weights]
    start = time.perf_counter()
    model = model_view(layers, tokens, html_action="return").data
    seconds = time.perf_counter() - start
    head = head_view(layers, tokens, html_action="return").data
    return len(model.encode()), len(head.encode()), seconds


def run(quick: bool = False) -> list[Row]:
    """A row for each number of tokens: everything that the viewer sends, against bertviz's view of all heads."""
    rows = []
    for length in LENGTHS[:1] if quick else LENGTHS:
        weights, tokens = attention(length)
        buffer, everything, ours = viewer_bytes(weights, tokens)
        model, head, theirs = bertviz_bytes(weights, tokens)
        note = f"{figure(buffer, 'bytes')} of it weights; made in {figure(ours, 'seconds')}, bertviz's in "
        note += f"{figure(theirs, 'seconds')}; its head view, which shows one layer at a time, {figure(head, 'bytes')}"
        work = f"attention of {LAYERS} × {HEADS} heads to the browser, {length} tokens"
        target = TARGET_RATIO if length == PROMISED else None
        peers = {"bertviz model view": float(model)}
        rows.append(Row("browser", work, "bytes", float(everything), peers, at_least=target, note=note))
    return rows


if __name__ == "__main__":
    alone(run)
