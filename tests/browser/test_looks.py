"""Both themes, assistive technology, keys that must not reach the notebook, styles that must not leak, less motion."""

from __future__ import annotations

import re

import pytest
from access import RULES, all_cells_laid_out, load_axe, nameless_controls, violations
from conftest import Ran
from driving import wait_until
from lab_page import NotebookPage, Theme

THEMES: tuple[Theme, ...] = ("light", "dark")

# What each element of a widget looks like: with all stylesheets, and while only the one with the id `own` is on.
STYLES = """([root, own]) => {
  const names = ['color', 'backgroundColor', 'font', 'display', 'padding', 'margin', 'border'];
  const sheets = [...document.querySelectorAll('style')].filter((style) => style.textContent.includes('.anatomy'));
  const look = (off) => {
    for (const style of sheets) style.sheet.disabled = off.includes(style);
    for (const animation of root.getAnimations({ subtree: true })) animation.finish();
    return [root, ...root.querySelectorAll('*')].map((node) => {
      const style = getComputedStyle(node);
      return [node.tagName, node.getAttribute('class'), ...names.map((name) => style[name])].join('|');
    });
  };
  const looks = [look([]), look(sheets.filter((style) => style.id !== own))];
  look([]);
  return [sheets.length, ...looks];
}"""
KEYS = ("d", "d", "a", "m")
"""Delete the cell, insert one above, turn it into Markdown."""
KEY_BY_SCRIPT = "a"
"""All of them take the same way."""
# Marks what Tab can reach: of each kind of widget, one control of each kind. One of each tag and role has a number.
MARK_CONTROLS = """() => {
  const widgets = new Map();
  const tags = new Set();
  let count = 0;
  for (const root of document.querySelectorAll('.anatomy')) {
    const seen = widgets.get(root.className) ?? 0;
    widgets.set(root.className, seen + 1);
    if (seen === 1) continue;
    const kinds = new Set();
    const reachable = ":is(button, input, select, textarea, a[href], [tabindex]:not([tabindex='-1'])):not([disabled])";
    for (const node of root.querySelectorAll(reachable)) {
      const kind = [node.tagName, node.type, node.getAttribute('role'), node.getAttribute('class')].join();
      if (kinds.has(kind) || !node.getClientRects().length) continue;
      kinds.add(kind);
      node.setAttribute('data-try', count++);
      const tag = [node.tagName, node.type, node.getAttribute('role')].join();
      if (!tags.has(tag)) node.setAttribute('data-real', tags.size);
      tags.add(tag);
    }
  }
  return [count, tags.size];
}"""
# Gives the focus to each marked control in turn and sends it keys, until one changes the notebook's cells; how many had
# them, and which one did that. Keys sent by a script take the way of real ones, but type nothing.
SEND_KEYS = """async ([controls, keys]) => {
  const { model } = window.jupyterapp.shell.currentWidget.content;
  const ids = () => JSON.stringify([...model.cells].map((cell) => `${cell.id} ${cell.type}`));
  const before = ids();
  let tried = 0;
  for (const node of document.querySelectorAll(controls)) {
    node.focus();
    if (node !== document.activeElement) continue;  // a key given to one control may have replaced another
    tried += 1;
    for (const key of keys) for (const kind of ['keydown', 'keypress', 'keyup']) {
      const keyCode = key.toUpperCase().charCodeAt(0);
      document.activeElement.dispatchEvent(new KeyboardEvent(kind, { key, code: `Key${key.toUpperCase()}`, keyCode,
        which: keyCode, bubbles: true, cancelable: true, composed: true }));
    }
    await new Promise((done) => setTimeout(done));  // commands are carried out a moment later
    if (ids() !== before) return [tried, node.outerHTML.slice(0, 150)];
  }
  return [tried, null];
}"""
# Gives the focus to a control and says what it is; null if it is gone.
FOCUS = """(number) => {
  const node = document.querySelector(`[data-real="${number}"]`);
  node?.focus();
  return node && node === document.activeElement ? node.outerHTML.slice(0, 150) : null;
}"""
FOCUS_FIRST_CELL = """() => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.findIndex(({ model }) => model.type === 'code');
  notebook.mode = 'command';
  notebook.activate();
}"""
# A widget's name, and how bright its background is.
LOOK = """(root) => {
  const background = (node) => getComputedStyle(node).backgroundColor;
  let node = root;
  while (node.parentElement && /rgba\\(.*, 0\\)/.test(background(node))) node = node.parentElement;
  const brightest = Math.max(...background(node).match(/\\d+/g).slice(0, 3).map(Number));
  return [root.getAttribute('aria-label') ?? '', brightest];
}"""


@pytest.fixture
def notebook(ran: Ran) -> NotebookPage:
    return ran.notebook


@pytest.mark.parametrize("theme", THEMES)
def test_widgets_are_accessible_and_follow_the_theme(notebook: NotebookPage, theme: Theme) -> None:
    load_axe(notebook)
    notebook.theme(theme)
    try:
        with all_cells_laid_out(notebook):
            if theme == "light":  # names do not depend on it, and of axe-core's rules only one does
                faults = [*nameless_controls(notebook), *violations(notebook, RULES)]
            else:
                faults = violations(notebook, ["color-contrast"])
            for root in notebook.page.locator(".anatomy").all():
                name, brightest = root.evaluate(LOOK)
                if (brightest > 200) != (theme == "light"):
                    faults.append(f"“{name}” does not follow the {theme} theme")
    finally:
        notebook.theme("light")
    assert faults == []


def test_no_key_typed_into_a_widget_reaches_the_notebook(notebook: NotebookPage) -> None:
    before = notebook.ids()
    count, tags = notebook.page.evaluate(MARK_CONTROLS)
    assert count >= 4 and tags >= (3 if notebook.name.startswith("08") else 4)  # it has no live view but the map
    tried, deaf = notebook.page.evaluate(SEND_KEYS, ["[data-try]", [KEY_BY_SCRIPT]])
    assert deaf is None, f"keys sent to {deaf}"
    assert tried >= 0.8 * count
    for number in range(tags):
        control = notebook.page.evaluate(FOCUS, number)
        for key in KEYS if control else ():
            notebook.page.keyboard.press(key)
        assert notebook.ids() == before, f"keys typed into {control}"
    for field in notebook.page.locator(".anatomy input[type=text]").all():
        if field.get_attribute("data-real"):
            assert field.input_value().endswith("ddam"), "a field keeps what is typed into it"
            field.fill(field.input_value().removesuffix("ddam"))


def test_keys_sent_by_a_script_reach_a_notebook_that_has_the_focus(attention: NotebookPage) -> None:
    before = attention.ids()
    attention.page.evaluate(FOCUS_FIRST_CELL)
    attention.settle()
    assert attention.page.evaluate(SEND_KEYS, [".jp-Cell:focus", ["m"]])[1], "the key makes a cell one of Markdown"
    attention.page.keyboard.press("y")
    assert attention.ids() == before, "a real key makes it one of code again"


def test_each_widget_needs_only_its_own_stylesheet(attention: NotebookPage) -> None:
    kinds = attention.ask_kernel("{i: shown._anywidget_id for i, shown in _oh.items() if hasattr(shown, 'traits')}")
    assert len(kinds) >= 5
    leaks = []
    for index, cell in enumerate(attention.cells()):
        if (kind := kinds.get(str(cell.get("execution_count")))) is None:
            continue
        root = attention.output(index).locator(".anatomy").first.element_handle()
        sheets, together, alone = attention.page.evaluate(STYLES, [root, kind])
        assert sheets >= 5
        changed = [(now, own) for now, own in zip(together, alone, strict=True) if now != own]
        leaks += [f"{kind}: {now} instead of {own}" for now, own in changed[:3]]
    assert leaks == []


def test_less_motion_is_respected(attention: NotebookPage) -> None:
    stepper = attention.widget("views.attention_stepper(")
    step = stepper.get_by_role("button", name=re.compile("^Step"))
    running = "root => root.getAnimations({ subtree: true }).filter((each) => each.effect.getTiming().duration).length"
    step.nth(0).click()
    under_way = """(button, step) => {
      button.click();
      return button.closest('.anatomy').querySelector('.as-bodies').style.getPropertyValue('--at') !== `${step}.000`;
    }"""
    for count in (3, 0, 3):
        assert step.nth(count).evaluate(under_way, count + 1), "with motion, the numbers are carried to their columns"

    attention.page.emulate_media(reduced_motion="reduce")
    try:
        step.nth(0).click()
        stepper.get_by_role("button", name="Play").click()
        counts = []

        def moved_on() -> bool:
            counts.append(stepper.evaluate(running))
            return "Step 2" in (stepper.locator("[aria-current=step]").get_attribute("aria-label") or "")

        wait_until(moved_on, stepper, "playing goes on to step 2")
        attention.page.wait_for_timeout(100)
        assert max([*counts, stepper.evaluate(running)]) == 0, "nothing moves or fades"
        stepper.get_by_role("button", name="Play").click()

        mixer = attention.widget("views.mixer(")
        mixer.get_by_role("button", name="an apple and a pear", exact=True).click()
        attention.settle()
        first = mixer.get_by_role("slider").nth(1)
        assert first.get_attribute("aria-valuetext") == "0.50", "a preset is there at once"
    finally:
        attention.page.emulate_media(reduced_motion="no-preference")
        step.nth(0).click()
