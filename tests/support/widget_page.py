"""A plain web page that shows one of our widgets with a stand-in for the notebook's model: quick to open, no kernel.

The page gets the widget's real state (binary traits included) and its real module and stylesheet. What the page saves
goes straight back into the Python object, so a test can drive the page and then look at the widget:

    with widget_browser() as browser:
        shown = show(browser, Mixer(...), theme="dark")
        shown.page.get_by_role("slider").first.press("ArrowRight")
        assert shown.widget.weights[0] > 0.25
        shown.check()
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from chromium import find_chromium
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from anatomy_course.views._kit.base import AnatomyWidget

Theme = Literal["light", "dark"]
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Widget</title><link rel="icon" href="data:,">
<style>body { margin: 16px; background: %(background)s; }</style><style>%(css)s</style></head>
<body data-jp-theme-light="%(light)s"><main id="views"></main>
<script type="module">
const revive = (key, value) => (value && value.$bytes !== undefined
  ? new DataView(Uint8Array.from(atob(value.$bytes), (letter) => letter.charCodeAt(0)).buffer) : value);
const state = JSON.parse(document.getElementById("state").textContent, revive);
const pack = (value) => {
  const raw = value instanceof ArrayBuffer ? new Uint8Array(value)
    : ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : null;
  return raw ? { $bytes: btoa(Array.from(raw, (byte) => String.fromCharCode(byte)).join("")) } : value;
};
const listeners = new Map();
const changed = new Set();
const tell = (event, ...details) => [...(listeners.get(event) ?? [])].forEach((callback) => callback(...details));
window.listenerCount = () => [...listeners.values()].reduce((count, set) => count + set.size, 0);
window.model = {
  get: (name) => state[name],
  set(name, value) {
    if (state[name] === value) return;
    state[name] = value;
    changed.add(name);
    tell(`change:${name}`, window.model, value);
    tell("change", window.model);
  },
  save_changes() {
    const names = [...changed];
    changed.clear();
    if (names.length) window.anatomySave(Object.fromEntries(names.map((name) => [name, pack(state[name])])));
  },
  on: (event, callback) => listeners.set(event, (listeners.get(event) ?? new Set()).add(callback)),
  off: (event, callback) => (callback ? listeners.get(event)?.delete(callback) : listeners.delete(event)),
  send: (message) => window.anatomySend(message),
};
window.receive = (text) => {
  for (const [name, value] of Object.entries(JSON.parse(text, revive))) window.model.set(name, value);
  changed.clear();
};
window.receiveMessage = (message) => tell("msg:custom", message, []);
const source = URL.createObjectURL(new Blob([state._esm], { type: "text/javascript" }));
const { default: widget } = await import(source);
window.cleanups = [];
for (let i = 0; i < %(views)d; i += 1) {
  const el = document.createElement("div");
  if (i) el.style.marginTop = "16px";
  await widget.initialize?.({ model: window.model });
  const cleanup = await widget.render({ model: window.model, el });
  document.getElementById("views").append(el);  // attached after rendering, as JupyterLab does
  window.cleanups.push(cleanup);
}
window.ready = true;
</script><script type="application/json" id="state">%(state)s</script></body></html>
"""


@dataclass
class Shown:
    """A widget on its page, and everything that went wrong there."""

    widget: AnatomyWidget
    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)

    def update(self, **traits: Any) -> None:
        """Set traits in Python and let the page receive them, as a kernel would."""
        for name, value in traits.items():
            setattr(self.widget, name, value)
        self.page.evaluate("text => window.receive(text)", _state(self.widget.get_state(list(traits))))
        self.settle()

    def settle(self) -> None:
        """Wait until what was done is drawn and has reached the Python object."""
        self.page.evaluate(TWO_FRAMES)
        self.page.evaluate("window.anatomySave({})")  # answered in order: what was saved before it has arrived

    def theme(self, theme: Theme) -> None:
        self.page.evaluate("light => document.body.setAttribute('data-jp-theme-light', light)", _light(theme))

    def clean_up(self) -> None:
        self.page.evaluate("window.cleanups.forEach((cleanup) => cleanup())")

    def check(self) -> None:
        """No error in the console, no request that leaves the page, and no listener that outlives the views."""
        assert self.errors == []
        assert self.requests == []
        self.clean_up()
        assert self.page.evaluate("window.listenerCount()") == 0
        assert self.page.evaluate("document.querySelectorAll('.anatomy').length") == 0


def widget_html(widget: AnatomyWidget, *, theme: Theme = "light", views: int = 1) -> str:
    """The page's source; the state stands in a data block in which no token can close the script."""
    return PAGE % {
        "css": widget._css,
        "light": _light(theme),
        "background": "#ffffff" if theme == "light" else "#111111",
        "views": views,
        "state": _state(widget.get_state()).replace("<", "\\u003c"),
    }


def show(
    browser: Browser,
    widget: AnatomyWidget,
    *,
    theme: Theme = "light",
    views: int = 1,
    size: tuple[int, int] = (1000, 800),
    reduced_motion: bool = False,
) -> Shown:
    """Open the widget on a fresh page and wait until it is drawn."""
    context: BrowserContext = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        device_scale_factor=1,
        reduced_motion="reduce" if reduced_motion else "no-preference",
    )
    page = context.new_page()
    page.set_default_timeout(30_000)  # a busy machine may take its time
    shown = Shown(widget, page)
    page.on("pageerror", lambda error: shown.errors.append(str(error)))
    page.on("console", lambda line: shown.errors.append(line.text) if line.type in ("error", "warning") else None)
    page.on("request", lambda request: shown.requests.append(request.url) if _leaves(request.url) else None)
    page.expose_function("anatomySave", lambda state: widget.set_state({k: _unpack(v) for k, v in state.items()}))
    page.expose_function("anatomySend", lambda message: shown.messages.append(message))
    page.set_content(widget_html(widget, theme=theme, views=views))
    page.wait_for_function("window.ready === true")
    shown.settle()
    return shown


@contextmanager
def widget_browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def _state(state: dict[str, Any]) -> str:
    return json.dumps(state, default=lambda raw: {"$bytes": base64.b64encode(bytes(raw)).decode("ascii")})


def _unpack(value: Any) -> Any:
    if isinstance(value, dict) and "$bytes" in value:
        return memoryview(base64.b64decode(value["$bytes"]))
    return value


def _light(theme: Theme) -> str:
    return "true" if theme == "light" else "false"


def _leaves(url: str) -> bool:
    return not url.startswith(("blob:", "data:", "about:"))
