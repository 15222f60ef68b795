"""A page of the built site in a browser, with all that went wrong on it and all that it loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlparse

from access import RULES, load_axe
from playwright.sync_api import Browser, Locator, Page

MOUNT_ALL = """async () => {
  for (let tries = 0; tries < 500; tries += 1) {
    const next = document.querySelector(".live:not(.mounted, .failed)");
    if (!next) return;
    next.scrollIntoView({ behavior: "instant" });
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error("not all views were mounted");
}"""
# Without what would load stylesheets again, or send words to the frames of pictures that others drew.
RUN_AXE = """async (rules) => {
  const options = { runOnly: rules, preload: false, iframes: false, resultTypes: ['violations'] };
  const { violations } = await axe.run(document, options);
  return violations.flatMap(({ id, nodes }) => nodes.map((node) =>
    `${id}: ${node.html.slice(0, 160)} (${(node.failureSummary ?? '').replace(/\\s+/g, ' ').slice(0, 200)})`));
}"""


# How far below the page's own bar a heading stands; null at the page's end, where it cannot go up any more.
TOP = """(id) => {
  const { scrollHeight } = document.documentElement;
  if (innerHeight + scrollY >= scrollHeight - 2) return null;
  const bar = document.querySelector(".mobile-header")?.getBoundingClientRect().bottom ?? 0;
  return document.getElementById(id).querySelector("h1, h2, h3").getBoundingClientRect().top - Math.max(0, bar);
}"""
# How high the place of each view is before any is there, and how high each is now.
KEPT = """document.addEventListener("DOMContentLoaded", () => {
  const places = [...document.querySelectorAll(".live")];
  window.kept = Object.fromEntries(places.map((place) => [place.dataset.view, place.offsetHeight]));
})"""
GROWN = """() => {
  const places = [...document.querySelectorAll(".live")];
  return places.map((place) => [place.dataset.view, window.kept[place.dataset.view], place.offsetHeight]);
}"""
SETTLED = "document.querySelectorAll('.live:not(.settled)').length === 0"
JUMP = 24
HEADINGS = "[...document.querySelectorAll('article section[id]')].map((section) => section.id)"
AT_ONCE = 6
"""Pages that are opened beside each other."""
LANDED_MS = 3000
NEAR_TOP = 40


@dataclass
class SitePage:
    """One page."""

    page: Page
    folder: Path
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def view(self, widget: str, number: int = 0) -> Locator:
        """The place of one of the page's views of this class, mounted."""
        place = self.page.locator(f'.live[data-widget="{widget}"]').nth(number)
        place.scroll_into_view_if_needed()
        place.and_(self.page.locator(".mounted")).wait_for()
        return place

    def mount_all(self) -> int:
        """Unfold everything and go down the page, as a reader does; how many views are mounted then."""
        self.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        self.page.evaluate(MOUNT_ALL)
        return int(self.page.evaluate("anatomyViews.mounted"))

    def grown(self) -> list[tuple[str, int, int]]:
        """Each view that is not folded away, with the height of its place before and after it came."""
        self.page.wait_for_function(SETTLED)
        return [(view, before, after) for view, before, after in self.page.evaluate(GROWN) if before]

    def jumps(self) -> list[str]:
        """Views that moved what is below them when they came."""
        return [f"{v}: {old} to {new} px" for v, old, new in self.grown() if abs(new - old) > JUMP]

    def foreign(self) -> list[str]:
        """Requests for anything that is not a file of the site."""
        own = (self.folder.as_uri(), "data:", "blob:", "about:")
        return [url for url in self.requests if not url.startswith(own)]

    def megabytes(self) -> float:
        """All files that were loaded."""
        files = {Path(unquote(urlparse(url).path)) for url in self.requests if url.startswith("file:")}
        return sum(file.stat().st_size for file in files) / 1e6

    def violations(self, theme: Literal["light", "dark"], rules: Sequence[str] = RULES) -> list[str]:
        """What axe-core finds on the whole page by these rules (or groups of rules)."""
        self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        self.page.evaluate("window.scrollTo({ top: 0, behavior: 'instant' })")  # nothing floats over the page there
        self.page.wait_for_timeout(500)
        load_axe(self)
        found: list[str] = self.page.evaluate(RUN_AXE, [*rules])
        return found


def open_page(browser: Browser, folder: Path, name: str, width: int = 1440, place: str = "") -> SitePage:
    """Open `name`.html of the site in `folder` as a file, at a place such as `#softmax` if one is named."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme="light")
    context.add_init_script(KEPT)
    shown = SitePage(context.new_page(), folder)
    shown.page.set_default_timeout(30_000)  # a busy machine may take its time
    shown.page.on("console", lambda line: shown.errors.append(line.text) if line.type in ("error", "warning") else None)
    shown.page.on("pageerror", lambda error: shown.errors.append(str(error)))
    shown.page.on("request", lambda request: shown.requests.append(request.url))
    shown.page.goto((folder / f"{name}.html").as_uri() + place)
    return shown


def strays(browser: Browser, folder: Path, name: str, width: int) -> list[str]:
    """The headings of a page that a link from elsewhere misses, each opened cold."""
    first = open_page(browser, folder, name, width)
    ids: list[str] = first.page.evaluate(HEADINGS)
    first.page.context.close()
    missed = []
    for start in range(0, len(ids), AT_ONCE):
        pages = {id: open_page(browser, folder, name, width, f"#{id}").page for id in ids[start : start + AT_ONCE]}
        next(iter(pages.values())).wait_for_timeout(LANDED_MS)
        for id, page in pages.items():
            top = page.evaluate(TOP, id)
            missed += [f"#{id} is at {top:.0f} px"] if top is not None and not -1 <= top <= NEAR_TOP else []
            page.context.close()
    return missed
