"""What it costs to bring attention into the browser: bytes shipped against bertviz, and frames while hovering.

Prints two Markdown tables. The first counts what AttentionViewer sends (its binary buffer, and its whole state with
the module and stylesheet) and what bertviz's model view and head view put into the notebook, for 12 layers × 12 heads.
The second moves the pointer over the viewer's 256-token map and measures each frame in headless Chromium.

    python benchmarks/attention_payload.py
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from widget_page import show, widget_browser

from anatomy_utils.widgets import AttentionViewer

LAYERS = HEADS = 12
LENGTHS = (16, 64, 128)
WORDS = "the animal did not cross the street because it was too tired".split()
HOVER_TOKENS = 256
HOVER_MOVES = 300
TARGET_RATIO = 40

# Collects, from now on, the time between frames and the script time that each frame took.
WATCH_FRAMES = """() => {
  window.frames_ = []; window.tasks_ = []; window.watching_ = true;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.tasks_.push(entry.duration)))
    .observe({ type: "long-animation-frame" });
  let last = performance.now();
  const step = (now) => {
    window.frames_.push(now - last);
    last = now;
    if (window.watching_) requestAnimationFrame(step);
  };
  requestAnimationFrame((now) => { last = now; requestAnimationFrame(step); });
}"""
COLLECT = "() => { window.watching_ = false; return [window.frames_, window.tasks_]; }"


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


def payload_table() -> float:
    """Print the first table; the ratio at 64 tokens."""
    print("| tokens | viewer: buffer | all | made in | bertviz model view | head view | made in | model view ÷ all |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    ratios = {}
    for length in LENGTHS:
        weights, tokens = attention(length)
        buffer, everything, ours = viewer_bytes(weights, tokens)
        model, head, theirs = bertviz_bytes(weights, tokens)
        ratios[length] = model / everything
        print(
            f"| {length} | {megabytes(buffer)} | {megabytes(everything)} | {ours * 1000:.0f} ms | {megabytes(model)} "
            f"| {megabytes(head)} | {theirs * 1000:.0f} ms | {ratios[length]:.0f} |"
        )
    return ratios[64]


def megabytes(count: int) -> str:
    return f"{count / 1e6:.2f} MB"


def hover_table() -> None:
    """Print the second table: frames while the pointer wanders over the large map."""
    weights, tokens = attention(HOVER_TOKENS)
    with widget_browser() as browser:
        shown = show(browser, AttentionViewer(weights, tokens), size=(1200, 1200))
        box = shown.page.locator("canvas").last.bounding_box()
        assert box is not None
        print("\n| pointer over the 256-token map | frames | median | 95th percentile | longest | work over 50 ms |")
        print("|---|---:|---:|---:|---:|---:|")
        for name, moves in (("still", 0), ("moving", HOVER_MOVES)):
            frames, long = hover(shown.page, box, moves)
            print(
                f"| {name} | {len(frames)} | {statistics.median(frames):.1f} ms | {np.percentile(frames, 95):.1f} ms "
                f"| {max(frames):.1f} ms | {len(long)} frames |"
            )
        if shown.errors:
            raise RuntimeError(f"The page reported: {shown.errors}")


def hover(page, box, moves: int) -> tuple[list[float], list[float]]:
    """Frame times in milliseconds while the pointer makes `moves` steps over `box` (none: for one second)."""
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    page.evaluate(WATCH_FRAMES)
    for i in range(moves):
        angle = i / 9
        x = box["x"] + box["width"] * (0.55 + 0.35 * np.cos(angle))
        y = box["y"] + box["height"] * (0.55 + 0.35 * np.sin(angle * 1.3))
        page.mouse.move(x, y)
    if not moves:
        page.wait_for_timeout(1000)
    frames, long = page.evaluate(COLLECT)
    return frames, long


def main() -> int:
    print(f"Attention of {LAYERS} layers × {HEADS} heads, from Python to the browser\n")
    ratio = payload_table()
    hover_table()
    met = ratio >= TARGET_RATIO
    verdict = "met" if met else "MISSED"
    print(f"\nAt 64 tokens bertviz ships {ratio:.0f} times as much; promised {TARGET_RATIO}: {verdict}.")
    return int(not met)


if __name__ == "__main__":
    raise SystemExit(main())
