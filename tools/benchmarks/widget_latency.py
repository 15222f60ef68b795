"""From input to repaint: how quickly the live views answer, in JupyterLab in headless Chromium.

Every input is a real key or mouse event. Time runs, in the page, from the event's own time stamp to the moment after
the frame that shows the last change it caused (DOM, attribute or canvas) was painted. `two frames` is the cautious
figure, to the second animation frame after that change, which adds up to one idle frame of 16.7 ms. Beside our controls
stands what a notebook usually does: `ipywidgets.interact` that redraws a matplotlib figure of the same content.
Inputs come in interleaved rounds, the first of each block is not counted, and the table prints medians.

    python tools/benchmarks/widget_latency.py
    python tools/benchmarks/widget_latency.py --only stepper
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from lab_page import NotebookPage, chromium_browser, open_notebook
from lab_server import jupyter_lab
from playwright.sync_api import Locator

ROUNDS, BLOCK = 4, 6
WITHOUT_KERNEL, WITH_KERNEL = 20.0, 70.0
BASELINE = "interact + matplotlib"
SENTENCE = "The animal didn't cross the street because it was too tired."
ENDINGS = ["wide", "tired", "old", "busy", "slow", "long", "cold", "dark"]

CELLS = {
    "start": f"""
import numpy as np, matplotlib.pyplot as plt, ipywidgets
from anatomy_utils import pretrained
from anatomy_course import views
from anatomy_utils.interpret.activations import read_activations
from anatomy_course.views import ScaleExplorer, TransformerMap
encoder, tokenizer = pretrained.load("minilm")
sentence, endings = {SENTENCE!r}, {ENDINGS!r}
""",
    "mixer": """views.mixer(encoder, tokenizer, ["time", "fruit", "flies", "arrow", "banana"], focus="flies",
            towards=("bees", "travels"))""",
    "scale": "ScaleExplorer()",
    "painter": "views.mask_painter(encoder, tokenizer, sentence, layer=3, head=1)",
    "viewer": "views.attention_viewer(encoder, tokenizer, sentence, layer=3, head=1)",
    "map": "TransformerMap()",
    "stepper": "views.attention_stepper(encoder, tokenizer, sentence, layer=3, head=1)",
    "interact_scale": """
random = np.random.default_rng(1)
query, key = random.standard_normal((256, 512)), random.standard_normal((16, 512))

@ipywidgets.interact(d_k=(1, 512))
def scale(d_k=64):
    scores = query[:, :d_k] @ key[:, :d_k].T
    weights = np.exp(scores[0] - scores[0].max())
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
    left.hist(scores.ravel(), bins=60)
    right.bar(range(16), weights / weights.sum())
    plt.show()
""",
    "interact_sentence": """
@ipywidgets.interact(ending=endings)
def weights(ending="wide"):
    tokens, seen = read_activations(encoder, tokenizer, sentence.replace("tired", ending))
    figure, axes = plt.subplots(figsize=(5, 5))
    axes.imshow(seen["layers.3.self_attention.weights"][0, 1])
    axes.set_xticks(range(len(tokens)), tokens, rotation=90)
    axes.set_yticks(range(len(tokens)), tokens)
    plt.show()
""",
}

# `arm` starts one measurement; it resolves when `wanted(root, before)` holds and nothing has changed for `quiet` ms.
PROBE = """() => {
  const touched = new Set();
  for (const name of ["fillRect", "drawImage", "putImageData", "fillText", "stroke", "fill", "clearRect"]) {
    const own = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...all) {
      touched.forEach((tell) => tell(this.canvas));
      return own.apply(this, all);
    };
  }
  // True from an animation frame's first callback until that frame is painted.
  let inFrame = false;
  const afterPaint = (tell) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = tell;
    channel.port2.postMessage(0);
  };
  const ownFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => ownFrame((time) => {
    if (!inFrame) afterPaint(() => { inFrame = false; });
    inFrame = true;
    callback(time);
  });
  // What is said to screen readers alone, and what is prepared out of sight, is no repaint.
  const hidden = ".visually-hidden, [aria-live], [inert]";
  const unseen = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(hidden);
  const outOfSight = ({ target, addedNodes, removedNodes }) => unseen(target)
    || (addedNodes.length + removedNodes.length > 0 && [...addedNodes, ...removedNodes].every(unseen));
  window.content = (root) => root.innerText + [...root.querySelectorAll("img")].map((image) => image.src).join();
  window.arm = (root, type, wanted, quiet) => {
    window.measured = new Promise((done) => {
      const before = window.content(root);
      let start = null, painted = null, twoFrames = null, waiting = 0, expected = false;
      const finish = () => {
        if (painted === null || !wanted(root, before)) return void (waiting = setTimeout(finish, quiet));
        observer.disconnect();
        touched.delete(onCanvas);
        done([painted - start, twoFrames - start]);
      };
      const changed = async () => {
        if (start === null || expected) return;  // one frame shows all that changed before it: the probe costs little
        expected = true;
        clearTimeout(waiting);
        waiting = setTimeout(finish, quiet);
        const images = [...root.querySelectorAll("img")];
        if (images.length) await Promise.all(images.map((image) => image.decode().catch(() => null)));
        const thisFrame = () => {
          afterPaint(() => { painted = performance.now(); expected = false; });
          ownFrame(() => { twoFrames = performance.now(); });
        };
        if (inFrame) thisFrame();
        else ownFrame(thisFrame);
      };
      const onCanvas = (node) => { if (root.contains(node)) changed(); };
      const observer = new MutationObserver((records) => {
        if (!records.every(outOfSight)) changed();
      });
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      touched.add(onCanvas);
      window.addEventListener(type, (event) => { start = event.timeStamp; }, { capture: true, once: true });
    });
  };
}"""
ARM = "(root, [type, wanted, quiet]) => window.arm(root, type, eval(wanted), quiet)"
CHANGED = "(root, before) => before !== window.content(root)"
ANY = "() => true"
MEASURED = "() => Promise.race([window.measured, new Promise((give_up) => setTimeout(give_up, 5000))])"

Act = Callable[[Locator, int], None]


@dataclass
class Control:
    """One thing to operate: the widget it is in, what is done to it, and the event that starts the clock."""

    name: str
    cell: str
    event: str
    act: Act
    prepare: Act | None = None
    kernel: bool = False
    times: list[tuple[float, float]] = field(default_factory=list)

    @property
    def baseline(self) -> bool:
        return self.name.startswith(BASELINE)


def nudge(root: Locator, turn: int) -> None:
    """An arrow key on the slider that has the focus."""
    root.page.keyboard.press("ArrowLeft" if turn // BLOCK % 2 else "ArrowRight")


def slider_at(nth: int, value: str) -> Act:
    """Put a slider to a value from where an arrow key leads on, and focus it."""

    def act(root: Locator, turn: int) -> None:
        root.get_by_role("slider").nth(nth).fill(value)
        root.get_by_role("slider").nth(nth).focus()

    return act


def focus(selector: str, nth: int = 0) -> Act:
    return lambda root, turn: root.locator(selector).nth(nth).focus()


def key(*keys: str) -> Act:
    return lambda root, turn: root.page.keyboard.press(keys[turn % len(keys)])


def drag(root: Locator, turn: int) -> None:
    """One more step of a slider that is held with the mouse."""
    box = root.get_by_role("slider").first.bounding_box()
    assert box is not None
    root.page.mouse.move(box["x"] + box["width"] * (0.1 + 0.02 * (turn * 7 % 40)), box["y"] + box["height"] / 2)


def grasp(root: Locator, turn: int) -> None:
    root.page.mouse.up()
    drag(root, turn + 3)
    root.page.mouse.down()


def press_mouse(root: Locator, turn: int) -> None:
    root.page.mouse.down()


def paint_cell(root: Locator, turn: int) -> None:
    root.page.mouse.up()
    root.locator("[role=gridcell]").nth(16 * (1 + turn % 9) + turn % 11).hover()


def hover_map(root: Locator, turn: int) -> None:
    box = root.locator("canvas").last.bounding_box()
    assert box is not None
    spread = 0.3 + 0.6 * ((turn * 5) % 16) / 16
    root.page.mouse.move(box["x"] + box["width"] * spread, box["y"] + box["height"] * 0.7)


def type_ending(root: Locator, turn: int) -> None:
    root.page.mouse.up()
    root.get_by_label("Sentence", exact=True).fill(SENTENCE.replace("tired", ENDINGS[turn % len(ENDINGS)]))
    root.get_by_label("Sentence", exact=True).focus()


def step_button(root: Locator, turn: int) -> None:
    root.get_by_role("button", name=f"Step {1 + turn % 6}").focus()


def choose_ending(root: Locator, turn: int) -> None:
    root.locator("select").select_option(index=1 + turn % (len(ENDINGS) - 1))


def controls() -> list[Control]:
    """Ours and the baselines, in the order they take turns."""
    words, cell, part = ".as-words [role=listbox]", "[tabindex='0'][role=gridcell]", "[tabindex='0']"
    left_right, up_down = key("ArrowLeft", "ArrowRight"), key("ArrowDown", "ArrowUp")
    return [
        Control("mixer: weight slider, arrow key", "mixer", "keydown", nudge, slider_at(1, "0.4")),
        Control("mixer: weight slider, dragged", "mixer", "pointermove", drag, grasp),
        Control("scale explorer: slider, arrow key", "scale", "keydown", nudge, slider_at(0, "20")),
        Control("scale explorer: slider, dragged", "scale", "pointermove", drag, grasp),
        Control("mask painter: cell, mouse", "painter", "pointerdown", press_mouse, paint_cell),
        Control("mask painter: cell, Space", "painter", "keydown", key("Space"), focus(cell)),
        Control("viewer: another head, arrow key", "viewer", "keydown", left_right, focus("canvas")),
        Control("viewer: hover over a cell", "viewer", "pointermove", hover_map),
        Control("map: next part, arrow key", "map", "keydown", up_down, focus(part)),
        Control("stepper: another step", "stepper", "keydown", key("Enter"), step_button),
        Control("stepper: another query word", "stepper", "keydown", left_right, focus(words)),
        Control("stepper: new sentence", "stepper", "keydown", key("Enter"), type_ending, kernel=True),
        Control(f"{BASELINE}: slider", "interact_scale", "keydown", nudge, focus(".noUi-handle"), kernel=True),
        Control(f"{BASELINE}: sentence", "interact_sentence", "change", choose_ending, kernel=True),
    ]


def measure(notebook: NotebookPage, cells: list[str], all_controls: list[Control]) -> None:
    """Give every control `BLOCK` inputs in each of `ROUNDS` rounds."""
    for turn in range(ROUNDS):
        for control in all_controls:
            say(f"\rround {turn + 1} of {ROUNDS}: {control.name:<40}")
            output = notebook.output(cells.index(control.cell))
            root = output if control.baseline else output.locator(".anatomy")
            notebook.page.mouse.up()
            notebook.settle()
            for n in range(BLOCK):
                count = turn * BLOCK + n
                if control.prepare and (n == 0 or control.prepare not in (grasp,)):
                    control.prepare(root, count)
                    notebook.page.wait_for_timeout(60)
                root.evaluate(ARM, [control.event, *((CHANGED, 250) if control.kernel else (ANY, 90))])
                control.act(root, count)
                times = notebook.page.evaluate(MEASURED)
                if times is None:
                    raise RuntimeError(f"{control.name}: an input changed nothing within 5 s")
                if n:
                    control.times.append(tuple(times))
    notebook.page.mouse.up()
    say(f"\r{'':<60}\r")


def say(progress: str) -> None:
    """Tell a waiting person how far it is; the table alone goes to the standard output."""
    print(progress, end="", file=sys.stderr, flush=True)


def median_of(control: Control, which: int) -> float:
    """The median of a control's times: 0 for the repaint, 1 for the next frame."""
    return statistics.median(times[which] for times in control.times)


def print_table(all_controls: list[Control]) -> bool:
    """The table; True if every target was met."""
    baselines = {control.name: median_of(control, 0) for control in all_controls if control.baseline}
    print("| control | kernel | inputs | repaint, median | 90th percentile | next frame | baseline ÷ ours | target |")
    print("|---|---|---:|---:|---:|---:|---:|---|")
    met = True
    for control in all_controls:
        paints = sorted(paint for paint, _ in control.times)
        median = median_of(control, 0)
        limit = WITH_KERNEL if control.kernel else WITHOUT_KERNEL
        baseline = baselines.get(f"{BASELINE}: {'sentence' if 'sentence' in control.name else 'slider'}")
        ratio = f"{baseline / median:.1f}" if baseline else "–"
        verdict = "baseline" if control.baseline else f"{'met' if median <= limit else 'MISSED'} (≤ {limit:.0f} ms)"
        met &= control.baseline or median <= limit
        print(
            f"| {control.name} | {'yes' if control.kernel else 'no'} | {len(paints)} | {median:.1f} ms "
            f"| {paints[int(0.9 * len(paints))]:.1f} ms | {median_of(control, 1):.1f} ms | {ratio} | {verdict} |"
        )
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="measure only the controls whose name holds TEXT")
    only = parser.parse_args().only
    chosen = [control for control in controls() if only in control.name]
    if not chosen:
        parser.error(f"no control's name holds {only!r}; they are: {'; '.join(c.name for c in controls())}")
    cells = [name for name in CELLS if name == "start" or any(name == control.cell for control in chosen)]
    with tempfile.TemporaryDirectory() as home, jupyter_lab(Path(home) / "lab", []) as lab:
        notebook_name = lab.write_notebook("latency.ipynb", [CELLS[name] for name in cells])
        with (
            chromium_browser() as browser,
            # with motion, a token that goes on its way for half a second would count as the repaint
            open_notebook(browser, lab, notebook_name, reduced_motion=True) as notebook,
        ):
            notebook.run_all()
            errors = [output["evalue"] for cell in notebook.cells() for output in cell["outputs"] if "evalue" in output]
            if errors:
                raise RuntimeError(f"the notebook did not run: {errors}")
            notebook.page.evaluate(PROBE)
            measure(notebook, cells, chosen)
            if notebook.problems():
                raise RuntimeError(f"the page reported: {notebook.problems()}")
    print("Input to repaint in JupyterLab, headless Chromium\n")
    met = print_table(chosen)
    print(f"\nTargets: {'all met' if met else 'MISSED'}")
    return int(not met)


if __name__ == "__main__":
    raise SystemExit(main())
