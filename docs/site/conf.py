"""Sphinx's settings for the course's site. `build.py` runs it; nothing here is loaded from another address.

MyST-NB reads notebooks as pages, and Furo is a book theme that works on a phone, has a light and a dark look, and loads
neither fonts nor icons from elsewhere. Formulas become MathML, which browsers draw themselves: no script, no fonts.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]

from docutils import nodes  # noqa: E402
from latex2mathml.converter import convert  # noqa: E402

from anatomy_course.figures import palette  # noqa: E402

project = "Transformer Anatomy"
html_title = project
language = "en"
copyright = "text and figures CC BY 4.0, code MIT License"
extensions = ["myst_nb"]
html_theme = "furo"
html_static_path = ["static", os.environ["SITE_MADE"]]
html_css_files = ["views.css", "outputs.css", "site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # a page that was opened as a file may not read others; search.js has excerpts
html_domain_indices = html_use_index = False
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
html_theme_options: dict[str, Any] = {
    "navigation_with_keys": False,  # arrow keys belong to the views
    "top_of_page_buttons": [],
    "light_css_variables": {
        "font-stack": '"Anatomy Text", system-ui, sans-serif',
        "font-stack--headings": "var(--font-stack)",
        "color-brand-primary": palette.ROLES["query"].light,
        "color-brand-content": palette.ROLES["query"].light,
        "color-background-primary": palette.PAGE.light,
    },
    "dark_css_variables": {
        "color-brand-primary": palette.ROLES["query"].dark,
        "color-brand-content": palette.ROLES["query"].dark,
        "color-background-primary": palette.PAGE.dark,
    },
}
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
sections: dict[str, list[dict[str, str]]] = {}
MORE = "· more"
SPACES = re.compile(r"\s*\\q?quad\b\s*(?![^{]*\})")
"""Where a formula may go on in a new line."""
LATEX = re.compile(r"[\\{}$]")
BLOCK_ENDS = re.compile(r"</(?:p|summary|div|li|td|th|caption)>(?=<)")


def formula(self: Any, node: nodes.Element, display: str) -> None:
    """A formula as MathML, which a browser does not break: a part for each piece between wide spaces."""
    latex = node.astext()
    aligned = latex if "\\begin" in latex or "\\\\" not in latex else rf"\begin{{aligned}}{latex}\end{{aligned}}"
    parts = [aligned] if "\\begin" in aligned else SPACES.split(aligned)
    mathml = "\n".join(re.sub(r'<math xmlns="[^"]*"', "<math", convert(part, display=display)) for part in parts)
    self.body.append(mathml if display == "inline" else f'<div class="formula">{mathml}</div>')
    raise nodes.SkipNode


def fold_more(app: Any, document: nodes.document) -> None:
    """Fold what is under a heading that says *more*: nothing after it needs it."""
    for section in list(document.findall(nodes.section)):
        title = section.next_node(nodes.title)
        if title is None or not title.astext().endswith(MORE):
            continue
        first = section.index(title) + 1
        start = '<details class="more"><summary>Show this section; nothing after it needs it</summary>'
        section.insert(first, nodes.raw("", start, format="html"))
        section.append(nodes.raw("", "</details>", format="html"))


def part_words(app: Any, doctree: nodes.document, name: str) -> None:
    """Begin a new line of HTML after each block: the search takes tags away, and two words must not become one."""
    for node in doctree.findall(nodes.raw):
        if "html" in node["format"]:
            node[:] = [nodes.Text(BLOCK_ENDS.sub(r"\g<0>\n", node.astext()))]


def keep_sections(app: Any, doctree: nodes.document, name: str) -> None:
    """Note the prose of each section, without the sections in it, for the search's excerpts."""
    kept = sections.setdefault(f"{name}.html", [])
    for section in doctree.findall(nodes.section):
        own = [child for child in section if not isinstance(child, (nodes.section, nodes.title, nodes.Invisible))]
        texts = [
            LATEX.sub("", words.astext().replace("\\sqrt", "√"))
            for child in own
            for words in child.findall(nodes.paragraph)
        ]
        title = section.next_node(nodes.title)
        kept.append({"id": section["ids"][0], "title": title.astext(), "text": " ".join(" ".join(texts).split())})


def write_sections(app: Any, error: Exception | None) -> None:
    """The sections of all pages as a script."""
    if not error:
        text = json.dumps(sections, ensure_ascii=False)
        (Path(app.outdir) / "_static" / "sections.js").write_text(f"anatomySections = {text};\n", encoding="utf-8")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda self, node: formula(self, node, "inline"), None),
        block_renderers=(lambda self, node: formula(self, node, "block"), None),
    )
    app.connect("doctree-read", fold_more)
    app.connect("doctree-resolved", part_words)
    app.connect("doctree-resolved", keep_sections)
    app.connect("build-finished", write_sections)


html_math_renderer = "mathml"
