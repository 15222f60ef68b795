"""The built site: its files by themselves, and its pages in a browser, opened as files, by mouse and keyboard."""

from __future__ import annotations

import functools
import html
import http.server
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import html5lib
import pytest
from look_at_site import USE
from make_fonts import MATH
from measure import look_around, views
from playwright.sync_api import Browser, expect
from site_page import NEAR_TOP, TOP, SitePage, open_page, strays

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("00_start_here", "01_attention", "06_encoder_decoder", "07_taxonomy", "09_capstone")
FIRST_LOAD, EVERYTHING = 1.5, 6.0
"""The most megabytes that a page may take before its first view, and with all of them."""
STYLE_WAIT = 700
BOXES = """[...document.querySelectorAll("article section > p, .formula, .live > .anatomy, .site-exercise")]
  .map((node) => node.getBoundingClientRect()).filter(({ width }) => width).map(({ left, right }) => [left, right])"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three notebooks as a site, in a folder of its own."""
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "docs/site/build.py", "--output", str(folder / "site"), "--work", str(folder / "work")]
    command += ["--repository", "someone/course", "--only", *(name[:2] for name in BUILT)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def opened(site: Path, browser: Browser) -> Iterator[SitePage]:
    """One page for several tests: each uses a view of its own."""
    shown = open_page(browser, site, "01_attention")
    yield shown
    shown.page.context.close()


@pytest.fixture
def attention(opened: SitePage) -> Iterator[SitePage]:
    yield opened
    assert opened.errors == []
    assert opened.foreign() == []


class Links(HTMLParser):
    """The ids of a page, and where its links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src"):
                self.targets.append(value or "")


def test_html_is_valid_and_every_link_leads_somewhere(site: Path) -> None:
    pages = {path.name: Links(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}
    assert {f"{name}.html" for name in BUILT} | {"index.html", "search.html"} == set(pages)
    for name, links in pages.items():
        html5lib.HTMLParser(strict=True).parse((site / name).read_text(encoding="utf-8"))
        assert len(links.ids) == len(set(links.ids)), f"{name} has an id twice"
        for target in links.targets:
            where = urlparse(target)
            if where.scheme in ("http", "https", "data"):
                continue
            file = unquote(where.path) or name
            if target.endswith(".ipynb"):  # a notebook that this small site has not
                continue
            assert (site / file).is_file(), f"{name} links to {target}"
            if where.fragment and file in pages:
                assert unquote(where.fragment) in pages[file].ids, f"{name} links to {target}"


def test_formulas_have_only_characters_of_the_math_font(site: Path) -> None:
    for name in BUILT:
        formulas = re.findall(r"<math.*?</math>", (site / f"{name}.html").read_text(encoding="utf-8"), re.DOTALL)
        text = html.unescape(re.sub(r"<[^>]*>|\s", "", "".join(formulas)))
        assert set(text) <= set(MATH), f"{name}: run docs/site/make_fonts.py with these"


def test_no_page_says_what_is_seen_where_nothing_is_live(site: Path) -> None:
    for path in site.glob("0*.html"):
        assert not re.search(r"On\s+a\s+page\s+(that|without)", path.read_text(encoding="utf-8")), path.name


def test_search_keeps_the_words_of_a_folded_title_and_of_its_code_apart(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))["terms"]
    assert "import" in found
    assert not [word for word in found if re.match("imports(import|from)", word)]


@pytest.mark.parametrize(("name", "width"), [("01_attention", 390), ("06_encoder_decoder", 1440)])
def test_every_view_is_mounted_without_errors_and_pages_stay_light(
    site: Path, browser: Browser, name: str, width: int
) -> None:
    shown = open_page(browser, site, name, width)
    assert shown.megabytes() < FIRST_LOAD
    assert shown.mount_all() == shown.page.locator(".live .anatomy").count() > 0
    assert shown.page.evaluate("document.documentElement.scrollWidth") == width, "nothing sticks out"
    assert shown.megabytes() < EVERYTHING
    assert shown.errors == []
    assert shown.foreign() == []
    shown.page.context.close()


@pytest.mark.parametrize(("name", "width"), [("01_attention", 1440), ("06_encoder_decoder", 390)])
def test_a_link_from_elsewhere_leads_to_its_heading_while_views_come(
    site: Path, browser: Browser, name: str, width: int
) -> None:
    assert strays(browser, site, name, width) == []


@pytest.mark.parametrize(("width", "most"), [(1440, 930), (390, 358)])
def test_prose_formulas_and_views_have_one_axis_and_all_can_be_read(
    site: Path, browser: Browser, width: int, most: int
) -> None:
    shown = open_page(browser, site, "01_attention", width)
    shown.mount_all()
    fonts = "document.fonts.ready.then(() => [...document.fonts].map(({ status }) => status))"
    assert shown.page.evaluate(fonts) == ["loaded"] * 3
    boxes: list[list[float]] = shown.page.evaluate(BOXES)
    assert len({round(left + right) for left, right in boxes}) == 1, "all are in the middle"
    assert max(right - left for left, right in boxes) <= most
    article = shown.page.query_selector("article")
    assert article
    assert look_around(article) == []
    shown.page.context.close()


def test_the_search_names_sections_with_an_excerpt_also_in_files(site: Path, browser: Browser) -> None:
    shown = open_page(browser, site, "search")
    shown.page.goto((site / "search.html").as_uri() + "?q=causal+mask")
    section = shown.page.locator("#search-results li li", has_text="Masks: where not to look")
    expect(section.locator("mark").first).to_have_text(re.compile("mask|causal"))
    section.get_by_role("link").click()
    assert shown.page.url.endswith("01_attention.html#masks-where-not-to-look")
    assert shown.errors == []
    shown.page.context.close()


def test_the_contents_lead_to_a_heading_and_the_reader_is_free_again(site: Path, browser: Browser) -> None:
    shown = open_page(browser, site, "01_attention")
    shown.page.locator(".toc-drawer a[href='#in-one-minute']").click()
    shown.page.wait_for_function(
        f"() => {{ const top = ({TOP})('in-one-minute'); return top > 0 && top < {NEAR_TOP}; }}"
    )
    shown.page.mouse.move(600, 400)
    shown.page.mouse.wheel(0, -3000)
    shown.mount_all()
    shown.page.evaluate("window.scrollTo({ top: 0, behavior: 'instant' })")
    shown.page.wait_for_timeout(STYLE_WAIT)
    assert shown.page.evaluate("scrollY") == 0
    shown.page.context.close()


def test_axe_finds_nothing_on_the_first_pages(site: Path, browser: Browser) -> None:
    for name in ("index", "search", "00_start_here"):
        shown = open_page(browser, site, name)
        if name[0] == "0":
            assert shown.mount_all() == shown.page.locator(".live .anatomy").count() > 0
        assert shown.errors == []
        assert shown.foreign() == []
        assert shown.violations("light") == []
        assert shown.violations("dark") == []
        shown.page.context.close()


@pytest.mark.parametrize("width", [1440, 390])
def test_no_view_moves_the_page_when_it_comes(site: Path, browser: Browser, width: int) -> None:
    shown = open_page(browser, site, "01_attention", width)
    shown.mount_all()
    assert len(shown.grown()) > 15
    assert shown.jumps() == []
    shown.page.context.close()


def test_the_mixer_answers_to_keys_and_mouse(attention: SitePage) -> None:
    mixer = attention.view("Mixer")
    slider = mixer.get_by_role("slider").nth(1)
    before = slider.get_attribute("aria-valuetext")
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuetext", str(before))
    mixer.get_by_role("button", name="all alike").click()
    attention.page.wait_for_timeout(STYLE_WAIT)
    shares = mixer.get_by_role("slider").evaluate_all("nodes => nodes.map((node) => node.ariaValueText)")
    assert len(shares) > 1
    assert max(map(float, shares)) - min(map(float, shares)) <= 0.011


def test_the_stepper_knows_recorded_sentences_and_no_others_can_be_typed(attention: SitePage) -> None:
    stepper = attention.view("AttentionStepper")
    words = stepper.get_by_role("listbox").first
    stepper.locator(".recorded button", has_text="banana").click()
    expect(words).to_contain_text("banana")
    assert stepper.locator(".sentence-form[inert]").count() == 1
    note = stepper.locator("xpath=preceding-sibling::p[1]")
    expect(note).to_contain_text("A sentence of your own needs a kernel")
    stepper.locator(".recorded button").first.click()
    expect(words).to_contain_text("animal")


def test_a_question_is_judged_on_the_page(attention: SitePage) -> None:
    count = attention.page.locator('.live[data-widget="ChoiceQuestion"]').count()
    questions = (attention.view("ChoiceQuestion", number) for number in range(count))  # the first ones are predictions
    question = next(each for each in questions if each.get_by_role("button", name="Check", exact=True).count())
    verdicts = []
    for choice in question.get_by_role("radio").all():
        choice.check()
        question.get_by_role("button", name="Check").click()
        expect(question.locator(".answer")).to_contain_text(re.compile("Right|Not this one"))
        verdicts.append("Right" in question.locator(".answer").inner_text())
    assert verdicts.count(True) == 1
    assert verdicts.count(False) >= 1


def test_what_came_out_and_the_text_on_it_are_covered_until_a_guess_is_noted(attention: SitePage) -> None:
    card = attention.page.locator(".anatomy-card:has([data-outcome='attention.predict_apple'])")
    card.scroll_into_view_if_needed()
    notice = attention.page.locator("p", has_text="Notice: both pictures begin with the same two numbers")
    expect(card.locator("img")).to_be_hidden()
    expect(notice).to_be_hidden()
    question = attention.view("ChoiceQuestion", number=1)
    question.get_by_label("All six.").check()
    question.get_by_role("button").click()
    expect(card).to_contain_text("It came out differently")
    expect(card.locator("img")).to_be_visible()
    expect(notice).to_be_visible()


def test_an_exercise_is_folded_and_opens_by_keyboard(attention: SitePage) -> None:
    exercise = attention.page.locator("#exercise-attention-softmax")
    assert exercise.locator("details").count() == 4
    solution = exercise.locator("details").last
    expect(solution.locator("pre")).to_be_hidden()
    solution.locator("summary").press("Enter")
    expect(solution.locator("pre")).to_contain_text("def softmax")
    link = exercise.get_by_role("link", name="Solve it in Colab").get_attribute("href")
    assert link is not None
    assert link.endswith("/github/someone/course/blob/main/notebooks/01_attention.ipynb")


def test_sections_marked_more_are_folded(attention: SitePage) -> None:
    folded = attention.page.locator("details.more")
    assert folded.count() == 5
    assert folded.evaluate_all("nodes => nodes.every((node) => !node.open && node.querySelector('p'))")


def test_every_swap_of_the_translator_is_answered_and_so_is_each_swap_of_that(site: Path, browser: Browser) -> None:
    shown = open_page(browser, site, "06_encoder_decoder")
    translator = shown.view("Translator")
    pronouns = set()
    for reason in ("wide", "tired", "narrow"):
        translator.get_by_role("button", name=re.compile(f"^Swap .* for {reason}$")).click()
        expect(translator.locator(".tr-compared mark")).not_to_have_count(0)
        expect(translator.locator(".tr-swaps .tr-reason")).to_have_text(reason)
        pronouns.add(translator.locator(".tr-pronoun").first.inner_text())
    assert pronouns == {"il", "elle"}
    shown.page.context.close()


def test_two_models_have_an_address_that_can_be_sent(site: Path, browser: Browser) -> None:
    shown = open_page(browser, site, "07_taxonomy", place="?view=06-050-0&first=BERT&second=T5Gemma&length=9&new=1")
    compared = shown.page.locator('.live[data-view="06-050-0"].mounted')
    expect(compared).to_be_in_viewport()
    left, right = (compared.get_by_label(side, exact=True) for side in ("Left", "Right"))
    expect(left).to_have_value("BERT")
    right.select_option("GPT-2")
    link = compared.get_by_role("link", name="Address of these two")
    expect(link).to_have_attribute("href", re.compile(r"07_taxonomy\.html\?view=06-050-0&first=BERT&second=GPT-2$"))
    link.click()
    expect(right).to_have_value("GPT-2")
    expect(compared).to_be_in_viewport()
    assert shown.errors == []
    shown.page.context.close()


def test_the_map_leads_to_pages_and_the_contents_close_behind_a_press(site: Path, browser: Browser) -> None:
    shown = open_page(browser, site, "01_attention", width=390)
    shown.view("TransformerMap").get_by_role("link", name="6").click()
    shown.page.wait_for_url("**/06_encoder_decoder.html")
    shown.page.locator(".header-right .toc-overlay-icon").click()
    shown.page.locator(".toc-drawer a", has_text="Cross-attention").click()
    expect(shown.page.locator("#__toc")).not_to_be_checked()
    shown.page.context.close()


def test_the_ward_can_be_played_and_what_was_found_stays(site: Path, browser: Browser) -> None:
    shown = open_page(browser, site, "09_capstone")
    ward = shown.view("DebuggingLab")
    ward.get_by_text("Probes", exact=True).click()
    for probe, found in (("stops", "not healthy"), ("cached equals uncached", "0.00, healthy")):
        ward.get_by_role("button", name=probe).click()
        expect(ward.get_by_role("row", name=probe)).to_contain_text(found)
    expect(ward.get_by_role("row", name="stops")).to_contain_text("not healthy")
    ward.get_by_text("Samples", exact=True).click()
    assert ward.locator(".wd-write[inert]").count() == 1
    shown.page.context.close()


@pytest.mark.parametrize("name", BUILT)
def test_no_control_that_can_be_used_answers_that_it_cannot(site: Path, browser: Browser, name: str) -> None:
    shown = open_page(browser, site, name)
    shown.page.emulate_media(reduced_motion="reduce")
    shown.mount_all()
    shown.page.evaluate(USE.read_text(encoding="utf-8"))
    refused = []
    for root in views(shown.page):
        root.evaluate("root => window.use.watch(root)")
        root.evaluate("root => window.use.useAll(root)")
        refused += root.evaluate("root => root.refused.map((text) => `${root.ariaLabel}: ${text}`)")
    assert refused == []
    said = shown.page.locator("article").inner_text()
    assert "Computing" not in said and "then loaded" not in said, "no view waits for what cannot come, or promises it"
    assert shown.errors == []
    shown.page.context.close()


def test_views_and_pictures_follow_the_theme(attention: SitePage) -> None:
    page, mixer = attention.page, attention.view("Mixer")
    theme = "() => getComputedStyle(document.querySelector('.mounted .anatomy')).getPropertyValue('--theme').trim()"
    assert page.evaluate(theme) == "light"
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(STYLE_WAIT)
    assert page.evaluate(theme) == "dark"
    page.get_by_role("button", name="theme").locator("visible=true").first.click()  # from the system's to light
    page.wait_for_timeout(STYLE_WAIT)
    assert page.evaluate(theme) == "light"
    expect(mixer).to_be_visible()


def test_it_works_under_a_sub_path_with_search(site: Path, browser: Browser) -> None:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Say nothing."""

    (site.parent / "at").mkdir()
    (site.parent / "at" / "course").symlink_to(site)
    handler = functools.partial(Quiet, directory=str(site.parent / "at"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        wrong: list[str] = []
        page.on("response", lambda answer: wrong.append(answer.url) if answer.status >= 400 else None)
        home = f"http://127.0.0.1:{server.server_port}/course/"
        page.goto(f"{home}search.html")
        expect(page.locator("#search-results")).to_contain_text("Type a word into the field")
        page.goto(f"{home}search.html?q=softmax")
        page.locator("#search-results a", has_text="01 · Attention").click()
        page.locator(".live.mounted .anatomy").first.wait_for()
        assert page.url.startswith(f"{home}01_attention.html")
        assert [url for url in wrong if not url.endswith("favicon.ico")] == []
        page.close()
        server.shutdown()
