"""A notebook in JupyterLab in a browser, driven through its page: cells by their text, outputs, keys, themes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from chromium import find_chromium
from lab_server import Lab
from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Request, WebSocket, sync_playwright

Theme = Literal["light", "dark"]
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LOCAL_SCHEMES = ("data", "blob", "about", "chrome")
RUN_SECONDS = 900
WAIT_MS = 15_000
# What JupyterLab and Notebook 7 themselves say without being asked; nothing of ours.
OWN_NOISE = (
    "favicon",
    "Could not restore the debugger state",
    "Canceled future for",
    "Cannot read properties of null (reading 'kernel')",  # a tab is closed while its kernel is asked what it can do
    "Cannot read properties of undefined (reading 'schema')",  # Notebook 7, about its shortcuts, in any notebook
)

# The notebook in front, as `notebook` in every script below.
NOTEBOOK = "const panel = window.jupyterapp.shell.currentWidget; const notebook = panel.content;"
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


@dataclass
class NotebookPage:
    """One notebook, open in a page of its own, and everything that went wrong there."""

    page: Page
    name: str
    errors: list[str] = field(default_factory=list)
    away: list[str] = field(default_factory=list)
    """Requests that were meant for another machine."""

    # ---- running

    def run_all(self) -> float:
        """Run All Cells, as the menu does; seconds until the kernel has finished."""
        return self._run("notebook:run-all-cells")

    def restart(self) -> None:
        """Restart the kernel and forget all outputs."""
        self.page.evaluate(
            f"async () => {{ {NOTEBOOK} await panel.context.sessionContext.session.kernel.restart();"
            "await window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs'); }"
        )
        self._wait_for_kernel()

    def run_cell(self, index: int) -> float:
        """Run one cell, as Ctrl + Enter does."""
        script = f"index => {{ {NOTEBOOK} notebook.deselectAll(); notebook.activeCellIndex = index; }}"
        self.page.evaluate(script, index)
        return self._run("notebook:run-cell")

    def write_and_run(self, index: int, source: str) -> Locator:
        """Put `source` into a cell, run it, and return its output area."""
        self.write(index, source)
        self.run_cell(index)
        return self.output(index)

    def write(self, index: int, source: str) -> None:
        self.page.evaluate(
            f"([index, source]) => {{ {NOTEBOOK} notebook.model.cells.get(index).sharedModel.setSource(source); }}",
            [index, source],
        )

    def ask_kernel(self, expression: str) -> Any:
        """The value of a Python expression in the notebook's kernel (through JSON)."""
        code = f"print(__import__('json').dumps({expression}))"
        text = self.page.evaluate(
            f"""async (code) => {{ {NOTEBOOK}
                const {{ kernel }} = panel.context.sessionContext.session;
                const future = kernel.requestExecute({{ code, store_history: false }});
                let text = "";
                future.onIOPub = ({{ content }}) => {{
                  text += content.text ?? (content.ename ? `${{content.ename}}: ${{content.evalue}}` : "");
                }};
                await future.done;
                return text; }}""",
            code,
        )
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise AssertionError(f"The kernel did not answer {expression!r} but said: {text}") from None

    def trait(self, text: str, name: str) -> Any:
        """What the widget says in Python that ends the first code cell that holds `text`."""
        return self.ask_kernel(f"_{self.cells()[self.index(text)]['execution_count']}.{name}")

    def _run(self, command: str) -> float:
        self.page.set_default_timeout(RUN_SECONDS * 1000)
        seconds: float = self.page.evaluate(
            """async ([command, limit]) => {
              const start = performance.now();
              const fault = new Error(`${command} took over ${limit} s`);
              const late = new Promise((_, fail) => setTimeout(() => fail(fault), limit * 1000));
              await Promise.race([window.jupyterapp.commands.execute(command), late]);
              return (performance.now() - start) / 1000;
            }""",
            [command, RUN_SECONDS],
        )
        self.page.set_default_timeout(WAIT_MS)
        self.settle()
        return seconds

    def settle(self) -> None:
        """Wait until what was changed is painted."""
        self.page.evaluate(TWO_FRAMES)

    def _wait_for_kernel(self) -> None:
        script = f"() => {{ {NOTEBOOK} return panel.context.sessionContext.session?.kernel?.status === 'idle'; }}"
        self.page.wait_for_function(script, timeout=60_000)

    # ---- looking

    def cells(self) -> list[dict[str, Any]]:
        """Every cell as stored: cell_type, source, execution_count, outputs."""
        script = f"() => {{ {NOTEBOOK} return notebook.model.toJSON().cells; }}"
        cells: list[dict[str, Any]] = self.page.evaluate(script)
        return [cell | {"source": "".join(cell["source"])} for cell in cells]

    def ids(self) -> list[str]:
        """The id and kind of every cell, in order."""
        ids: list[str] = self.page.evaluate(
            f"() => {{ {NOTEBOOK} return notebook.widgets.map(({{ model }}) => `${{model.id}} ${{model.type}}`); }}"
        )
        return ids

    def source(self, index: int) -> str:
        """What stands in a cell."""
        source: str = self.page.evaluate(
            f"index => {{ {NOTEBOOK} return notebook.widgets[index].model.sharedModel.getSource(); }}", index
        )
        return source

    def index(self, text: str) -> int:
        """The position of the first code cell that holds `text`."""
        index: int = self.page.evaluate(
            f"""text => {{ {NOTEBOOK} return notebook.widgets.findIndex(
                ({{ model }}) => model.type === "code" && model.sharedModel.getSource().includes(text)); }}""",
            text,
        )
        if index < 0:
            raise LookupError(f"No code cell of {self.name} holds {text!r}.")
        return index

    def cell(self, index: int) -> Locator:
        """A cell's place in the page, brought into view."""
        self.page.evaluate(f"async index => {{ {NOTEBOOK} await notebook.scrollToItem(index, 'start'); }}", index)
        place = self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"]')
        place.wait_for()
        return place

    def output(self, index: int) -> Locator:
        """A cell's output area, brought into view."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def widget(self, text: str, nth: int = 0) -> Locator:
        """Our widget in the output of the first code cell that holds `text`, drawn and in view."""
        root = self.output(self.index(text)).locator(".anatomy").nth(nth)
        root.wait_for()
        self.settle()
        return root

    def problems(self) -> list[str]:
        """All that went wrong so far: console and page errors, and requests for other machines."""
        return [*self.errors, *(f"request to {url}" for url in self.away)]

    # ---- appearance

    def theme(self, theme: Theme) -> None:
        """Switch JupyterLab's theme and wait until it shows."""
        name = f"JupyterLab {theme.capitalize()}"
        self.page.evaluate("name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: name })", name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)
        self.settle()


@contextmanager
def chromium_browser() -> Iterator[Browser]:
    """A quiet headless browser of this machine."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=[*QUIET])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_notebook(
    browser: Browser,
    lab: Lab,
    name: str,
    *,
    reduced_motion: bool = False,
    size: tuple[int, int] = (1400, 1000),
    scale: float = 1,
) -> Iterator[NotebookPage]:
    """Open a notebook, sections marked *more* unfolded, and wait for its kernel; close page and kernel in the end.

    Its pictures have `scale` times as many pixels as the page.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        device_scale_factor=scale,
        reduced_motion="reduce" if reduced_motion else "no-preference",
    )
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    opened = NotebookPage(page, name)
    _listen(opened)
    page.goto(lab.address(name), wait_until="domcontentloaded")
    page.wait_for_function(
        "() => window.jupyterapp?.shell?.currentWidget?.context?.sessionContext?.session?.kernel", timeout=60_000
    )
    opened._wait_for_kernel()
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:expand-all-headings')")  # nothing stays folded
    try:
        yield opened
    finally:
        page.evaluate(f"async () => {{ {NOTEBOOK} await panel.context.sessionContext.shutdown(); }}")
        context.close()


def _listen(opened: NotebookPage) -> None:
    def console(line: ConsoleMessage) -> None:
        if line.type == "error" and not any(noise in line.text for noise in OWN_NOISE):
            opened.errors.append(f"console: {line.text}")

    def request(request: Request | WebSocket) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in LOCAL_SCHEMES and parts.hostname != "127.0.0.1":
            opened.away.append(request.url)

    opened.page.on("console", console)

    def page_error(error: Error) -> None:
        if not any(noise in str(error) for noise in OWN_NOISE):
            opened.errors.append(f"page: {error}")

    opened.page.on("pageerror", page_error)
    opened.page.on("request", request)
    opened.page.on("websocket", request)
