"""Looks at the built site as a reader: every page, every live view used, two widths, both themes: `make look-site`.

It opens each page as a file, unfolds everything, scrolls to each view, uses it by mouse and keys, and writes pictures
to `.cache/screenshots/site`. It prints what went wrong: errors in the console, requests for anything outside the site,
views that do not answer, links to a heading that miss it, text that is too small, cut off or on other text, code or
tables that reach out of their frames, what is wider than the window, and what axe-core finds, before the views are
used and after.

    make look-site                                        # everything: a quarter of an hour
    make look-site LOOK_OPTIONS="01 --width 390"
    make look-site LOOK_OPTIONS=--keep-heights            # after a change of a view's height; then make site again
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from access import RULES
from lab_page import chromium_browser
from look import ALLOWED
from measure import look_around, look_at, views
from playwright.sync_api import Browser, ElementHandle, Error, JSHandle
from site_page import SitePage, open_page, strays

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site"
PICTURES = ROOT / ".cache" / "screenshots" / "site"
USE = Path(__file__).with_name("use.js")
WIDTHS = (1440, 390)
HEIGHTS = ROOT / "docs" / "site" / "heights.json"
PIECE = 1800
"""The height of one picture."""
WORDS = {"number": "2", "text": "The cat sleeps.", "search": "norm", "textarea": "The cat sleeps."}
BROUGHT_IN = 200
WHICH = "all => all.map(({ dataset }) => dataset.view)"
WAITING = "root => root.matches('[aria-busy=true]') || Boolean(root.querySelector('[aria-busy=true]'))"


@dataclass
class Swept:
    """What was done on a page at one width, and what is wrong there."""

    page: str
    width: int
    mounted: int = 0
    used: int = 0
    """Views with a control that was used."""
    presses: int = 0
    findings: list[str] = field(default_factory=list)

    def found(self, what: str, each: list[str]) -> None:
        """Note findings of a kind, each once."""
        self.findings += [
            line for line in dict.fromkeys(f"{what}: {text}" for text in each) if line not in self.findings
        ]


def sweep(browser: Browser, site: Path, name: str, width: int) -> Swept:
    """Open a page, look at it in both themes, and use all that is on it."""
    swept = Swept(name, width)
    shown = open_page(browser, site, name, width)
    shown.page.emulate_media(reduced_motion="reduce")
    swept.mounted = shown.mount_all()
    swept.found("jump", shown.jumps())
    swept.found("failed", shown.page.locator(".live.failed").evaluate_all(WHICH))
    _look(swept, shown, "as it opens")
    swept.found("axe, light", shown.violations("light", RULES))
    _pictures(shown, name, width, "light")
    shown.page.evaluate(USE.read_text(encoding="utf-8"))
    for root in views(shown.page):
        presses = _use(swept, shown, root)
        swept.presses += presses
        swept.used += presses > 0
    _look(swept, shown, "after use")
    swept.found("axe, light, after use", shown.violations("light", RULES))
    swept.found("axe, dark", shown.violations("dark", ["color-contrast"]))
    _pictures(shown, name, width, "dark")
    swept.found("a link misses its heading", strays(browser, site, name, width))
    swept.found("console", shown.errors)
    swept.found("foreign", shown.foreign())
    shown.page.context.close()
    return swept


def _use(swept: Swept, shown: SitePage, root: ElementHandle) -> int:
    """Use one view: real clicks and keys for one control of each kind, clicks by a script for the others."""
    name = root.get_attribute("aria-label") or root.get_attribute("class") or "view"
    if not root.is_visible():
        return 0
    root.scroll_into_view_if_needed()
    root.evaluate("root => window.use.watch(root)")
    controls = root.evaluate_handle("root => window.use.controls(root)")
    presses = 0
    for kind, act in (("buttons", _click), ("sliders", _move), ("fields", _type)):
        for node in _elements(controls.get_property(kind)):
            presses += act(shown, node) if _ready(node) else 0
    presses += int(root.evaluate("root => window.use.useAll(root)"))
    for node in _elements(controls.get_property("canvases"))[:3]:
        _point_at(shown, node)
    if presses and not root.evaluate("root => root.changes"):
        swept.found("no answer", [name])
    swept.found("answers in red", [f"“{name}”: {told}" for told in root.evaluate("root => root.refused")])
    if root.is_visible() and root.evaluate(WAITING):
        swept.found("waits forever", [name])
    return presses


def _elements(array: JSHandle) -> list[ElementHandle]:
    return [element for each in array.get_properties().values() if (element := each.as_element())]


def _ready(node: ElementHandle) -> bool:
    """Whether a control is still there: a press may have replaced it."""
    return bool(node.evaluate("node => node.isConnected && !node.disabled && node.checkVisibility()"))


def _click(shown: SitePage, node: ElementHandle) -> int:
    try:
        node.click(timeout=2000)
    except Error as error:
        if not _ready(node):
            return 0
        shown.errors.append(f"cannot be clicked: {node.evaluate('node => node.outerHTML')[:120]}: {error}"[:400])
    return 1


def _move(shown: SitePage, node: ElementHandle) -> int:
    node.focus()
    for key in ("ArrowRight", "ArrowLeft", "Home", "End"):
        shown.page.keyboard.press(key)
    return 1


def _type(shown: SitePage, node: ElementHandle) -> int:
    if not node.is_editable():
        return 0
    node.fill(WORDS.get(node.get_property("type").json_value(), WORDS["text"]))
    shown.page.keyboard.press("Enter")
    return 1


def _point_at(shown: SitePage, node: ElementHandle) -> None:
    box = node.bounding_box() if _ready(node) else None
    for part in (0.3, 0.7) if box else ():
        shown.page.mouse.move(box["x"] + part * box["width"], box["y"] + part * box["height"])


def _look(swept: Swept, shown: SitePage, when: str) -> None:
    """What is too wide, cut off, too small, or lies on something."""
    shown.page.wait_for_timeout(BROUGHT_IN)
    wide = shown.page.evaluate("document.documentElement.scrollWidth")
    swept.found(f"wide, {when}", [f"{wide} px"] if wide > swept.width else [])
    if article := shown.page.query_selector("article"):
        swept.found(f"page, {when}", look_around(article))
    for root in views(shown.page):
        look = look_at(root, window=0)
        findings = [] if (look.kind, swept.width) in ALLOWED else look.findings
        swept.found(f"view, {when}", [f"“{look.name}” {finding}" for finding in findings])


def _pictures(shown: SitePage, name: str, width: int, theme: str) -> None:
    """The whole page in pieces, from the top."""
    page = shown.page
    folder = PICTURES / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{width}-{theme}-*.png"):
        old.unlink()
    page.set_viewport_size({"width": width, "height": PIECE})
    page.wait_for_timeout(BROUGHT_IN)
    height = page.evaluate("document.documentElement.scrollHeight")
    for number, top in enumerate(range(0, height, PIECE)):
        page.evaluate("top => window.scrollTo({ top, behavior: 'instant' })", top)
        page.wait_for_timeout(BROUGHT_IN)
        page.screenshot(path=folder / f"{width}-{theme}-{number:02}.png")
    page.set_viewport_size({"width": width, "height": 900})


def keep_heights(browser: Browser, site: Path, names: list[str]) -> None:
    """Measure every view in both widths, and keep its height for the site's next build."""
    kept = json.loads(HEIGHTS.read_text(encoding="utf-8"))
    for name in names:
        seen = []
        for width in WIDTHS:
            shown = open_page(browser, site, name, width)
            shown.mount_all()
            seen.append({view: after for view, _, after in shown.grown()})
            shown.page.context.close()
        if not seen[0] and kept.get(name):
            raise RuntimeError(f"No view of {name} was drawn, where there are {len(kept[name])}; its heights stay.")
        kept[name] = {view: [each[view] for each in seen] for view in seen[0]}
    lines = [f'"{name}": {json.dumps(views)}' for name, views in sorted(kept.items()) if views]
    HEIGHTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> int:
    """Print what was done and found on each page; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="how their names begin, as 01 or index; all without any")
    parser.add_argument("--width", type=int, choices=WIDTHS, action="append", help="of the window; both without")
    parser.add_argument("--site", type=Path, default=SITE, help="the folder that `make site` wrote")
    parser.add_argument("--keep-heights", action="store_true", help="only measure the views for the next build")
    options = parser.parse_args()
    every = sorted(path.stem for path in options.site.glob("*.html"))
    names = [name for name in every if name.startswith(tuple(options.pages) or "")]
    if not names:
        print(f"There are no such pages in {options.site}; run make site first.", file=sys.stderr)
        return 2
    total = Swept("all", 0)
    with chromium_browser() as browser:
        if options.keep_heights:
            keep_heights(browser, options.site.resolve(), names)
            return 0
        for name in names:
            for width in options.width or WIDTHS:
                start = time.perf_counter()
                swept = sweep(browser, options.site.resolve(), name, width)
                took = time.perf_counter() - start
                done = f"{swept.mounted} views, {swept.used} used, {swept.presses} presses, {took:.0f} s"
                print(f"\n{name}, {width} px: {done}")
                print("\n".join(f"- {finding}" for finding in swept.findings), flush=True)
                total.mounted, total.used = total.mounted + swept.mounted, total.used + swept.used
                total.presses += swept.presses
                total.findings += swept.findings
    print(f"\n{len(names)} pages, {total.mounted} views mounted, {total.used} used, {total.presses} presses.")
    print(f"{len(total.findings)} findings. Pictures: {PICTURES.relative_to(ROOT)}")
    return int(bool(total.findings))


if __name__ == "__main__":
    raise SystemExit(main())
