"""The measuring of views finds each kind of planted fault, and none on a tidy page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from measure import Look, look_around, look_at, views
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

STYLE = """<style>body { margin: 0; font: 14px monospace; } .anatomy { width: 400px; padding: 10px; }
.visually-hidden { position: absolute; overflow: hidden; width: 1px; height: 1px; }</style>"""
CLEAN = """<p style="margin: 0">Plain text, x<sub style="font-size: 11px">2</sub>,
  <b class="visually-hidden">tiny</b></p>
  <div style="overflow: auto; width: 200px"><div style="width: 900px">much to scroll</div></div>
  <div title="a long one" style="overflow: hidden; text-overflow: ellipsis; width: 40px; white-space: nowrap">a long one
  </div>
  <svg width="200" height="80"><text x="10" y="20" font-size="12">one</text>
    <text x="10" y="34" font-size="12">two</text>
    <text transform="translate(60 70) rotate(-60)" font-size="12">turned</text>
    <text transform="translate(78 70) rotate(-60)" font-size="12">turned too</text></svg>
  <details><summary>more</summary><p style="font-size: 6px">folded</p></details>"""
STEPS = """<div><input type="range" min="0" max="4" value="0" aria-label="step"
    oninput="this.parentNode.nextElementSibling.style.height = `${100 + this.value * BY}px`"></div>
  <div style="height: 100px">it grows</div>"""
HIGH = (
    '<p data-glance="cause">slider</p><p data-glance="{}" style="height: 300px">chart</p><p style="height: 500px">.</p>'
)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 500, "height": 600})
    yield page
    page.close()


def look(page: Page, html: str, *, window: int = 1440, press: bool = False) -> Look:
    """A page with one view."""
    page.set_content(f'{STYLE}<div class="anatomy tidy" aria-label="A view">{html}</div>')
    (root,) = views(page)
    return look_at(root, window=window, press=press, thorough=press)


def drawing(*texts: str, options: str = 'width="200" height="80"') -> str:
    return f"<svg {options}>{''.join(texts)}</svg>"


def label(text: str, x: float, y: float, size: float = 12) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}">{text}</text>'


def test_a_tidy_view_has_no_findings_and_its_measures(page: Page) -> None:
    seen = look(page, CLEAN)
    assert seen.findings == []
    assert (seen.name, seen.kind, seen.width, seen.scrolls) == ("A view", "tidy", 420, True)
    assert (seen.text, seen.drawn) == ([12, 14], [12, 12])
    assert seen.jump == seen.presses == 0 and seen.at_once == seen.height


@pytest.mark.parametrize(
    ("html", "finding"),
    [
        ('<p style="font-size: 9px">one</p><p style="font-size: 9px">two</p>', "small: 9.0 px: “one” and 1 more"),
        ('<input type="text" style="font-size: 10px">', "small: 10 px in a field"),
        (drawing(label("wide", 5, 40, 18)), "large: 18.0 px: “wide”"),
        # twelve pixels in a drawing that is shown at half its size
        (drawing(label("half", 5, 40), options='width="200" viewBox="0 0 400 160"'), "small: 6.0 px: “half”"),
        (
            '<iframe style="transform: scale(0.5)" srcdoc="<p style=font-size:12px>in</p>">',
            "“in”, in its frame",
        ),
        ('<div style="overflow: hidden; width: 30px; white-space: nowrap">cut off</div>', "“cut off”"),
        (drawing(label("beyond", 180, 40)), "“beyond” 23 px out of its <svg>"),
        ('<p style="position: absolute; left: 380px; white-space: nowrap">over the edge</p>', "of the card"),
        ('<div style="overflow: auto"><p style="margin-left: -40px">left</p></div>', "what can be scrolled"),
        ('<canvas style="position: absolute; left: 300px"></canvas>', "<canvas>"),
        (drawing(label("fruit", 10, 40), label("flies", 30, 43)), "overlap: “fruit” on “flies”"),
        ('<div style="width: 480px; background: red">.</div>', "wide: 70 px beyond the page"),
        (HIGH.format(""), "high: "),
    ],
)
def test_each_fault_is_found(page: Page, html: str, finding: str) -> None:
    assert any(finding in found for found in look(page, html).findings)


@pytest.mark.parametrize(("by", "jumps"), [(2, False), (3, True)])
def test_a_view_that_jumps_between_steps_is_found(page: Page, by: int, jumps: bool) -> None:
    seen = look(page, STEPS.replace("BY", str(by)), press=True)
    assert (seen.jump, seen.presses) == (4 * by, 6)
    assert [found.startswith("jump: ") for found in seen.findings] == [True] * jumps


def test_height_counts_in_the_large_window_and_from_cause_to_effect(page: Page) -> None:
    assert look(page, HIGH.format(""), window=1024).findings == []
    seen = look(page, HIGH.format("effect"))
    assert seen.findings == [] and seen.at_once < 400 < 800 < seen.height


def test_what_is_unfolded_is_measured_but_is_no_jump(page: Page) -> None:
    unfold = "this.nextElementSibling.hidden = !this.nextElementSibling.hidden"
    below = '<div hidden style="height: 900px"><i style="font-size: 5px">fine print</i></div>'
    folded = f'<button aria-expanded="false" onclick="{unfold}">All</button>{below}'
    assert look(page, folded, press=True).findings == ["small: 5.0 px: “fine print”, after unfolding"]
    assert page.locator("i").is_hidden()


def test_each_kind_of_control_is_pressed_and_put_back_but_no_answer(page: Page) -> None:
    controls = """<ol class="steps"><li><button aria-current="step">1</button><li><button>2</button></ol>
        <button role="radio" aria-checked="true">A</button><button role="radio">B</button>
        <select aria-label="model"><option>x</option><option>y</option></select>
        <button>Next ▶</button><button>Translate</button><button disabled>Gone</button>"""
    page.set_content(f'{STYLE}<div class="anatomy" aria-label="A view">{controls}</div>')
    page.evaluate("""() => {
        window.pressed = [];
        document.addEventListener("click", ({ target }) => window.pressed.push(target.textContent));
        document.addEventListener("change", ({ target }) => window.pressed.push(target.value));
    }""")
    look_at(views(page)[0], window=390, press=True)
    pressed = page.evaluate("window.pressed")
    assert pressed[:9] == ["x", "y", "x", "1", "2", "1", "A", "B", "A"] and set(pressed[9:]) == {"Next ▶"}
    page.set_content(f'{STYLE}<div class="anatomy choice-question" aria-label="x"><button>A</button></div>')
    assert look_at(views(page)[0], window=1440, press=True, thorough=True).presses == 0


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ('<p style="font-size: 11px">tiny</p>', {"small"}),
        ('<div class="cell_input"><pre style="width: 90px; overflow: auto">long = of(code)</pre></div>', {"cut code"}),
        ('<div style="width: 60px; overflow: hidden"><table><tr><td>reaches_out</table></div>', {"clipped"}),
        ('<div style="width: 60px; overflow: auto"><table><tr><td>can_be_scrolled</table></div>', set()),
    ],
)
def test_what_cannot_be_read_around_the_views_is_found(page: Page, html: str, kinds: set[str]) -> None:
    page.set_content(f"{STYLE}<article>{html}<div class='live' style='font-size: 6px'>a view</div></article>")
    article = page.query_selector("article")
    assert article
    assert {line.partition(":")[0] for line in look_around(article)} == kinds
