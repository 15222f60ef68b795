"""How large a view is drawn on its plain page: its height, the text in its SVGs, and what stands outside the card."""

from __future__ import annotations

from playwright.sync_api import Page

LAB = {960: 1000, 592: 624, 330: 362}
"""Width of a card → width of a plain page that gives it."""

# [smallest, largest] font size of the text in SVGs, in pixels of the screen.
SVG_TEXT = """() => {
  const sizes = [...document.querySelectorAll('.anatomy svg text, .anatomy svg tspan')]
    .filter((node) => node.textContent.trim() && node.getClientRects().length)
    .map((node) => parseFloat(getComputedStyle(node).fontSize) * Math.hypot(node.ownerSVGElement.getScreenCTM().a,
      node.ownerSVGElement.getScreenCTM().b));
  return sizes.length ? [Math.min(...sizes), Math.max(...sizes)] : [];
}"""

# The smallest font size of any other visible text.
TEXT = """() => {
  const walker = document.createTreeWalker(document.querySelector('.anatomy'), NodeFilter.SHOW_TEXT);
  const sizes = [];
  while (walker.nextNode()) {
    const { parentElement: node, textContent } = walker.currentNode;
    if (!textContent.trim() || node.closest('svg, .visually-hidden, option, [inert]')) continue;
    if (node.getClientRects().length) sizes.push(parseFloat(getComputedStyle(node).fontSize));
  }
  return Math.min(...sizes);
}"""

# By how many pixels the page or the card is too narrow for what stands in it.
OVERHANG = """() => {
  const root = document.querySelector('.anatomy');
  const page = document.documentElement;
  return Math.max(root.scrollWidth - root.clientWidth, page.scrollWidth - page.clientWidth);
}"""


def height_of(page: Page) -> float:
    """Of the first card, in CSS pixels."""
    box = page.locator(".anatomy").first.bounding_box()
    assert box is not None
    return box["height"]


def assert_fits(page: Page) -> None:
    """Text in SVGs is 11 to 16 pixels, no other text below 11, nothing wider than its card, a wide card at most 700."""
    sizes = page.evaluate(SVG_TEXT)
    assert not sizes or 10.99 <= sizes[0] <= sizes[1] <= 16.01, f"text in SVGs: {sizes}"
    assert page.evaluate(TEXT) >= 10.99
    assert page.evaluate(OVERHANG) <= 0
    assert page.viewport_size is not None
    assert page.viewport_size["width"] < LAB[960] or height_of(page) <= 700
