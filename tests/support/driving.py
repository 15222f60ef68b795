"""How a reader's hands move: sliders dragged, canvases pointed at, a stretch of text waited for."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, expect

NUMBER = re.compile(r"[−-]?\d+(?:\.\d+)?")


def numbers_in(text: str) -> list[float]:
    """Every number printed in `text`; a real minus sign counts."""
    return [float(found.replace("−", "-")) for found in NUMBER.findall(text)]


def printed(place: Locator) -> list[float]:
    """The number that each matching element shows, in order."""
    return [numbers_in(text)[0] for text in place.all_inner_texts()]


def drag_slider(slider: Locator, part: float) -> None:
    """Take a slider by its thumb and pull it to `part` (0 to 1) of its way, with the mouse."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    low, high, value = slider.evaluate("node => [Number(node.min), Number(node.max), Number(node.value)]")
    thumb = 18
    x = box["x"] + thumb / 2 + (value - low) / (high - low) * (box["width"] - thumb)
    to = box["x"] + thumb / 2 + part * (box["width"] - thumb)
    y = box["y"] + box["height"] / 2
    mouse = slider.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move((x + to) / 2, y, steps=3)
    mouse.move(to, y, steps=3)
    mouse.up()


def point_at(place: Locator, across: float, down: float) -> None:
    """Move the mouse to a place inside an element, in parts (0 to 1) of its width and height."""
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    assert box is not None
    place.page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])


def pixels(canvas: Locator) -> str:
    """A canvas's picture; two are equal only if every pixel is."""
    picture: str = canvas.evaluate("node => node.toDataURL()")
    return picture


def wait_until(condition: Callable[[], bool], place: Locator, what: str, seconds: float = 30) -> None:
    """Look again every 50 ms until `condition` holds."""
    for _ in range(int(seconds * 20)):
        if condition():
            return
        place.page.wait_for_timeout(50)
    raise AssertionError(f"In {seconds:.0f} s it did not happen that {what}.")


def press(place: Locator, *keys: str) -> None:
    """Focus an element and press keys one after the other."""
    place.focus()
    expect(place).to_be_focused()
    for key in keys:
        place.page.keyboard.press(key)
