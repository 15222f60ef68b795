"""The measuring of views, tried on a page with planted faults; a clean page has none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from measure import Look, look_at, views
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

STYLE = """<style>body { margin: 0; font: 14px monospace; } .anatomy { width: 400px; padding: 10px; }
.visually-hidden { position: absolute; overflow: hidden; width: 1px; height: 1px; }</style>"""
CLEAN = """<div class="anatomy tidy" aria-label="A tidy view">
  <p style="margin: 0">Plain text, x<sub style="font-size: 9px">2</sub>, <span class="visually-hidden">tiny</span></p>
  <div style="overflow: auto; width: 200px"><div style="width: 900px">much to scroll</div></div>
  <svg width="200" height="80"><text x="10" y="20" font-size="12">one</text>
    <text x="10" y="34" font-size="12">two</text>
    <text transform="translate(60 70) rotate(-60)" font-size="12">turned</text>
    <text transform="translate(78 70) rotate(-60)" font-size="12">turned too</text></svg>
  <details><summary>more</summary><p style="font-size: 6px">folded</p></details>
</div>"""
STEPS = """<div class="anatomy stepping" aria-label="Steps">
  <div><input type="range" min="0" max="4" value="0" aria-label="step"
    oninput="this.parentNode.nextElementSibling.style.height = `${100 + this.value * BY}px`"></div>
  <div style="height: 100px">it grows</div></div>"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 500, "height": 600})
    yield page
    page.close()


def look(page: Page, html: str, *, window: int = 1440, press: bool = False) -> Look:
    """The only view of a page."""
    page.set_content(STYLE + html)
    (root,) = views(page)
    return look_at(root, window=window, press=press, thorough=press)


def in_view(html: str) -> str:
    return f'<div class="anatomy" aria-label="A view">{html}</div>'


def drawing(*texts: str, options: str = 'width="200" height="80"') -> str:
    return in_view(f"<svg {options}>{''.join(texts)}</svg>")


def label(text: str, x: float, y: float, size: float = 12, more: str = "") -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" {more}>{text}</text>'


def test_a_tidy_view_has_no_findings_and_its_measures(page: Page) -> None:
    seen = look(page, CLEAN)
    assert seen.findings == []
    assert (seen.name, seen.kind, seen.width, seen.scrolls) == ("A tidy view", "tidy", 420, True)
    assert seen.text == [12, 14]
    assert seen.drawn == [12, 12]
    assert seen.jump == seen.presses == 0
    assert seen.at_once == seen.height


@pytest.mark.parametrize(
    ("html", "finding"),
    [
        (in_view('<p style="font-size: 9px">tiny</p>'), "small: 9.0 px: “tiny”"),
        (in_view('<input type="text" style="font-size: 10px">'), "small: 10 px in a field"),
        (in_view('x<sub style="font-size: 7px">2</sub>'), "small: 7.0 px: “2”"),
        (drawing(label("wide", 5, 40, 18)), "large: 18.0 px: “wide”"),
        # twelve pixels in a drawing that is shown at half and at double its size
        (drawing(label("half", 5, 40), options='width="200" viewBox="0 0 400 160"'), "small: 6.0 px: “half”"),
        (drawing(label("twice", 5, 20), options='width="200" viewBox="0 0 100 40"'), "large: 24.0 px: “twice”"),
        (in_view('<p style="font-size: 9px">one</p><p style="font-size: 9px">two</p>'), "“one” and 1 more"),
    ],
)
def test_the_size_of_text_is_that_on_the_screen(page: Page, html: str, finding: str) -> None:
    (found,) = look(page, html).findings
    assert finding in found


@pytest.mark.parametrize(
    ("html", "finding"),
    [
        (in_view('<div style="overflow: hidden; width: 30px; white-space: nowrap">cut off</div>'), "“cut off”"),
        (drawing(label("beyond", 180, 40)), "“beyond” 23 px out of its <svg>"),
        (drawing(label("below", 10, 88)), "“below”"),
        (in_view('<p style="position: absolute; left: 380px; white-space: nowrap">over the edge</p>'), "of the card"),
        (in_view('<div style="overflow: auto"><p style="margin-left: -40px">left</p></div>'), "what can be scrolled"),
        (in_view('<canvas style="position: absolute; left: 300px"></canvas>'), "<canvas>"),
    ],
)
def test_text_and_pictures_outside_their_box_are_found(page: Page, html: str, finding: str) -> None:
    assert [found for found in look(page, html).findings if found.startswith("clipped") and finding in found]


def test_text_shortened_on_purpose_counts_if_nothing_says_it_whole(page: Page) -> None:
    short = (
        '<div style="overflow: hidden; text-overflow: ellipsis; width: 40px; white-space: nowrap" {}>a long one</div>'
    )
    assert look(page, in_view(short.format('title="a long one"'))).findings == []
    assert len(look(page, in_view(short.format(""))).findings) == 1


def test_labels_on_each_other_are_found_by_their_ink(page: Page) -> None:
    (found,) = look(page, drawing(label("fruit", 10, 40), label("flies", 30, 43))).findings
    assert found.startswith("overlap: “fruit” on “flies”")
    # the lines' empty parts may meet: no letter of the first reaches down, of the second up
    assert look(page, drawing(label("one", 10, 40), label("one", 12, 49))).findings == []
    words = '<p>.</p><b style="position: absolute">above</b><b style="position: absolute">below</b><br><br>'
    (found,) = look(page, in_view(words)).findings
    assert found.startswith("overlap: “above” on “below”")


def test_turned_labels_overlap_only_if_their_letters_do(page: Page) -> None:
    def turned(x: float, y: float) -> str:
        return label("a long label", 0, 0, more=f'transform="translate({x} {y}) rotate(-45)"')

    size = 'width="300" height="200"'
    assert look(page, drawing(turned(20, 150), turned(44, 150), options=size)).findings == []
    (found,) = look(page, drawing(turned(20, 150), turned(26, 150), options=size)).findings
    assert found.startswith("overlap")


def test_what_is_wider_than_the_page_is_found(page: Page) -> None:
    (found,) = look(page, '<div class="anatomy" style="width: 600px">wide</div>').findings
    assert found == "wide: 120 px beyond the page"
    inside = '<div style="width: 480px; background: red">.</div>'
    assert "wide: 70 px beyond the page" in look(page, in_view(inside)).findings


def test_text_in_a_frame_counts_as_it_is_drawn(page: Page) -> None:
    frame = '<iframe sandbox="allow-scripts" style="transform: scale({})" srcdoc="<p style=font-size:{}px>inside</p>">'
    assert look(page, in_view(frame.format(1, 12))).findings == []
    assert look(page, in_view(frame.format(0.5, 12))).findings == ["small: 6.0 px: “inside”, in its frame"]


@pytest.mark.parametrize(("by", "jumps"), [(2, False), (3, True)])
def test_a_view_that_jumps_between_steps_is_found(page: Page, by: int, jumps: bool) -> None:
    seen = look(page, STEPS.replace("BY", str(by)), press=True)
    assert seen.jump == 4 * by
    assert seen.presses == 6
    assert [found.startswith("jump: ") for found in seen.findings] == [True] * jumps
    assert not jumps or seen.findings[0].endswith("(step = 4)")


def test_what_only_a_step_shows_is_measured(page: Page) -> None:
    shows = """<button aria-pressed="false" onclick="this.nextElementSibling.hidden = !this.nextElementSibling.hidden">
        Details</button><i style="position: absolute; font-size: 5px" hidden>fine print</i>"""
    seen = look(page, in_view(shows), press=True)
    assert seen.findings == ["small: 5.0 px: “fine print”, after Details"]


@pytest.mark.parametrize("mark", ["data-unfolds", 'aria-expanded="false"'])
def test_what_is_unfolded_is_measured_but_is_no_jump(page: Page, mark: str) -> None:
    folded = f"""<button {mark} onclick="this.nextElementSibling.hidden = !this.nextElementSibling.hidden">All</button>
        <div hidden style="height: 900px"><i style="font-size: 5px">fine print</i></div>"""
    seen = look(page, in_view(folded), press=True)
    assert seen.findings == ["small: 5.0 px: “fine print”, after unfolding"]
    assert page.locator("i").is_hidden()


def test_each_kind_of_control_is_pressed_and_put_back(page: Page) -> None:
    controls = """<ol class="steps"><li><button aria-current="step">1</button><li><button>2</button></ol>
        <button role="radio" aria-checked="true">A</button><button role="radio">B</button>
        <select aria-label="model"><option>x</option><option>y</option></select>
        <button>Next ▶</button><button>Translate</button><button disabled>Gone</button><button>Preset</button>
        <svg width="20" height="20"><g role="button" aria-label="part"><rect width="9" height="9"/></g></svg>
        <div role="tree"><span role="treeitem">GPT</span></div>"""
    page.set_content(STYLE + in_view(controls))
    page.evaluate("""() => {
        window.pressed = [];
        document.addEventListener("click", ({ target }) =>
          window.pressed.push(target.getAttribute("aria-label") || target.textContent));
        document.addEventListener("change", ({ target }) => window.pressed.push(target.value));
    }""")
    (root,) = views(page)
    look_at(root, window=390, press=True)
    pressed = page.evaluate("window.pressed")
    assert pressed[:9] == ["x", "y", "x", "1", "2", "1", "A", "B", "A"]
    assert set(pressed[9:]) == {"GPT", "part", "Next ▶", "Preset"}


def test_height_counts_in_the_large_window_and_from_cause_to_effect(page: Page) -> None:
    high = """<p data-glance="cause">slider</p><p data-glance="{}" style="height: 300px">chart</p>
        <p style="height: 500px">.</p>"""
    assert look(page, in_view(high.format(""))).findings[0].startswith("high: ")
    assert look(page, in_view(high.format("")), window=1024).findings == []
    seen = look(page, in_view(high.format("effect")))
    assert seen.findings == []
    assert seen.at_once < 400 < 800 < seen.height


def test_answers_and_hints_are_not_pressed(page: Page) -> None:
    seen = look(page, '<div class="anatomy choice-question"><button>A</button></div>', press=True)
    assert seen.presses == 0


def test_of_many_findings_a_few_are_told(page: Page) -> None:
    words = "".join(f'<p style="font-size: {size}px">w</p>' for size in range(4, 11))
    seen = look(page, in_view(words))
    assert seen.findings[-1] == "small: 3 more"
    assert len(seen.findings) == 5
