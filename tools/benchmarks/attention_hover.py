"""Frames while the pointer wanders over the attention viewer's 256-token map, in headless Chromium.

python -m tools.benchmarks.attention_hover
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from widget_page import show, widget_browser

from anatomy_course.views import AttentionViewer
from tools.benchmarks.attention_payload import attention

TOKENS = 256
MOVES = 300

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


def main() -> None:
    """Print one table."""
    weights, tokens = attention(TOKENS)
    with widget_browser() as browser:
        shown = show(browser, AttentionViewer(weights, tokens), size=(1200, 1200))
        box = shown.page.locator("canvas").last.bounding_box()
        assert box is not None
        print("| pointer over the 256-token map | frames | median | 95th percentile | longest | work over 50 ms |")
        print("|---|---:|---:|---:|---:|---:|")
        for name, moves in (("still", 0), ("moving", MOVES)):
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


if __name__ == "__main__":
    main()
