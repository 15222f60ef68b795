"""Pictures on dark pages: one picture each, light ink on the page's own color, roles and heat maps recognizable."""

import colorsys
import io
import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from anatomy_course.figures import canvas, palette, plots, style
from anatomy_course.views._kit.base import PAGE_STYLE
from anatomy_course.views._kit.modules import STATIC

pytestmark = pytest.mark.browser

HOSTS = {
    "JupyterLab": '<html><body data-jp-theme-light="{light}" style="background:{page}">',
    "VS Code": '<html><body class="vscode-{name}" style="background:{page}">',
    "Colab": '<html theme="{name}"><body style="background:{page}">',
}


def drawn(browser, picture, host, theme):
    """The picture's pixels, 0 to 1, as a page of this host shows them."""
    start = HOSTS[host].format(
        light=str(theme == "light").lower(), name=theme, page="#ffffff" if theme == "light" else "#111111"
    )
    return photographed(browser, f"{start}{picture._repr_mimebundle_()['text/html']}")


def photographed(browser, html):
    page = browser.new_page(viewport={"width": 900, "height": 800}, device_scale_factor=1)
    try:
        page.set_content(f"<!doctype html>{html}")
        image = page.locator("img:visible")
        assert image.count() == 1
        with Image.open(io.BytesIO(image.screenshot())) as shown:
            return np.asarray(shown.convert("RGB")) / 255
    finally:
        page.close()


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_has_the_pages_color_and_ink_that_can_be_read(browser, host, theme):
    pixels = drawn(browser, plots.lines([1, 2, 3], {"a": [1, 3, 2]}, title="One line"), host, theme)
    light = pixels @ [0.2126, 0.7152, 0.0722]
    page = 1.0 if theme == "light" else 17 / 255
    assert light[:8, :8] == pytest.approx(page, abs=0.01)
    assert np.mean(np.abs(light - page) < 0.01) > 0.8
    assert (light.min() < 0.2) if theme == "light" else (light.max() > 0.8)


def test_a_page_that_is_not_trusted_turns_it_by_the_courses_stylesheet(browser):
    html = str(plots.lines([1, 2], {"a": [1, 2]})._repr_mimebundle_()["text/html"])
    sheet = (STATIC / PAGE_STYLE).read_text(encoding="utf-8")
    kept = re.sub("<style>.*?</style>", "", html, flags=re.DOTALL)
    notebook = '<div class="jp-Notebook"><h1 data-jupyter-id="01-·-Attention">01</h1>'
    body = f'<style>{sheet}</style><body data-jp-theme-light="false" style="background:#111111">{notebook}{kept}'
    assert "<style>" not in kept and photographed(browser, body)[:8, :8] == pytest.approx(17 / 255, abs=0.01)


def swatches(colors):
    """A row of squares of ten pixels, one for each color."""
    with style.look():
        figure = canvas.page(10 * len(colors), 10)
        canvas.sheet(figure).imshow(
            [[to_rgb(c) for c in colors]],
            extent=(0, 10 * len(colors), 10, 0), interpolation="nearest", aspect="auto",
        )  # fmt: skip
        return canvas.finish(figure, "swatches")


def shown_dark(browser, colors):
    pixels = np.concatenate(
        [drawn(browser, swatches(colors[i : i + 80]), "JupyterLab", "dark") for i in range(0, len(colors), 80)],
        axis=1,
    )
    return [tuple(pixels[5, 10 * i + 5]) for i in range(len(colors))]


def test_roles_keep_contrast_and_hue_on_a_dark_page(browser):
    named = palette.ROLES | {"pass": palette.PASS, "fail": palette.FAIL, "ink": palette.INK}
    seen = dict(zip(named, shown_dark(browser, [color.light for color in named.values()]), strict=True))
    quiet = shown_dark(browser, [style.QUIET])[0]
    low = {name: canvas.contrast(color, palette.PAGE.dark) for name, color in [*seen.items(), ("quiet", quiet)]}
    assert min(low.values()) >= 4.5, low
    for name, color in seen.items():
        hue, _, strength = colorsys.rgb_to_hsv(*to_rgb(named[name].light))
        if strength > 0.4:
            apart = abs(colorsys.rgb_to_hsv(*color)[0] - hue)
            assert min(apart, 1 - apart) < 0.08, name


@pytest.mark.parametrize("kind", ["weights", "signed"])
def test_heat_maps_run_from_the_dark_page_to_the_full_color(browser, kind):
    shades = canvas.colors(kind)(np.linspace(0 if kind == "weights" else 0.5, 1, 40))[:, :3]
    levels = np.array([canvas.luminance(c) for c in shown_dark(browser, list(map(tuple, shades)))])
    assert canvas.contrast(shown_dark(browser, [tuple(shades[0])])[0], palette.PAGE.dark) < 1.1
    assert (np.diff(levels) > -0.004).all() and levels[-1] > 0.5


@pytest.mark.parametrize("kind", ["weights", "signed"])
def test_numbers_in_cells_can_be_read_on_both_pages(browser, kind):
    shades = [tuple(shade) for shade in canvas.colors(kind)(np.linspace(0, 1, 101))[:, :3]]
    ink = [canvas.ink_on(shade) for shade in shades]
    # what a letter touches: its cell, or the rim around it
    below = [tuple(0.6 * np.array(c) + 0.4) if i.get("path_effects") else c for c, i in zip(shades, ink, strict=True)]
    letters = [to_rgb(i["color"]) for i in ink]
    assert min(map(canvas.contrast, letters, below)) >= 4.5
    pairs = zip(shown_dark(browser, list(letters)), shown_dark(browser, list(below)), strict=True)
    assert min(canvas.contrast(one, other) for one, other in pairs) >= 4.4
