"""Takes the README's pictures of live views and its short film from the running course: `make screenshots`.

JupyterLab runs the notebooks in a browser without windows. Each picture is taken light and dark; `screenshots.json` has
their alternative texts, their sizes, and every word that can be read in them, so that a test can say when the course
looks different.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IMAGES = ROOT / "images"
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "support"), str(ROOT)]

import film  # noqa: E402
from lab_page import Theme, chromium_browser, open_notebook  # noqa: E402
from lab_server import Lab, jupyter_lab  # noqa: E402
from PIL import Image  # noqa: E402
from playwright.sync_api import Browser  # noqa: E402
from shots import SHOTS, WINDOW, Shot, posed, ready  # noqa: E402

LIST = IMAGES / "screenshots.json"
README = ROOT / "README.md"
MARKERS = {"film": ("<!-- film -->", "<!-- /film -->"), "pictures": ("<!-- pictures -->", "<!-- /pictures -->")}
THEMES: tuple[Theme, ...] = ("light", "dark")
SCALE = 2
FILM_SCALE = 1.5


def file_name(name: str, theme: Theme) -> str:
    """The file of a picture in one theme."""
    return f"view_{name}_{theme}.webp"


def take(browser: Browser, lab: Lab, shot: Shot) -> dict[str, Any]:
    """Write a picture in both themes; what the list says of it."""
    with open_notebook(browser, lab, f"{shot.notebook}.ipynb", reduced_motion=True, size=WINDOW, scale=SCALE) as page:
        ready(page, shot)
        seen = {}
        for theme in THEMES:
            page.theme(theme)
            view = posed(page, shot)
            picture = Image.open(io.BytesIO(view.view.screenshot())).convert("RGB")
            picture.save(IMAGES / file_name(shot.name, theme), lossless=True, quality=100, method=6)
            seen[theme] = {"size": list(view.size), "text": view.text}
    if seen["light"] != seen["dark"]:
        raise RuntimeError(f"The picture {shot.name} is not the same in light and dark: {seen}")
    return {"alt": shot.alt, "caption": shot.caption, **seen["light"]}


def take_film(browser: Browser, lab: Lab) -> dict[str, Any]:
    """Write the film in both themes; what the list says of it."""
    for theme in THEMES:
        with open_notebook(browser, lab, f"{film.NOTEBOOK}.ipynb", size=WINDOW, scale=FILM_SCALE) as page:
            page.theme(theme)
            for text in ("#@title Imports", film.VIEW):
                page.run_cell(page.index(text))
            taken = film.Film(page)
            film.a_sentence(taken)
            film.an_answer(taken)
        taken.save(IMAGES / file_name("film", theme))
    return {"alt": film.ALT, "size": [film.WIDTH, film.HEIGHT]}


def shown(name: str, told: dict[str, Any]) -> str:
    """A picture as GitHub shows it, in the theme of the page."""
    light, dark = (f"images/{file_name(name, theme)}" for theme in THEMES)
    return (
        f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{told["alt"]}" width="{told["size"][0]}"></picture>'
    )


def with_pictures(readme: str, told: dict[str, Any]) -> str:
    """The README with the film and the pictures between their markers."""
    pictures = [f"<p>{each['caption']}<br>{shown(name, each)}</p>" for name, each in told.items() if name != "film"]
    for name, text in (("film", shown("film", told["film"])), ("pictures", "\n".join(pictures))):
        start, end = (readme.index(marker) for marker in MARKERS[name])
        readme = readme[:start] + MARKERS[name][0] + text + readme[end:]
    return readme


def stored() -> dict[str, Any]:
    """What is known of each picture, in the order of the README; empty before the first was taken."""
    told: dict[str, Any] = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {}
    return told


def take_all(only: list[str]) -> dict[str, Any]:
    """Take the film and the pictures, or only those named, and tell of all of them."""
    told, wanted = stored(), only or ["film", *(shot.name for shot in SHOTS)]
    shots = [shot for shot in SHOTS if shot.name in wanted]
    os.environ.setdefault("ANATOMY_CACHE", str(ROOT / ".cache" / "unpacked"))
    notebooks = sorted({ROOT / "notebooks" / f"{name}.ipynb" for name in (film.NOTEBOOK, *(s.notebook for s in shots))})
    with (
        tempfile.TemporaryDirectory() as home,
        chromium_browser() as browser,
        jupyter_lab(Path(home) / "lab", notebooks) as lab,
    ):
        if "film" in wanted:
            told["film"] = take_film(browser, lab)
        for shot in shots:
            told[shot.name] = take(browser, lab, shot)
    return {name: told[name] for name in ("film", *(shot.name for shot in SHOTS)) if name in told}


def main() -> None:
    """Take what is asked for, and write the list and the README again."""
    names = ["film", *(shot.name for shot in SHOTS)]
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all without any")
    told = take_all(options.parse_args().names)
    LIST.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    readme = with_pictures(README.read_text(encoding="utf-8"), told)
    README.write_text(readme, encoding="utf-8", newline="\n")
    for path in sorted(IMAGES.glob("view_*.webp")):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
