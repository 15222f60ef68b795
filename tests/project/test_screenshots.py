"""The README's pictures of live views: their files, what is told of them, and how the README shows them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("playwright", reason="the pictures are taken in a browser")

import film
from make_screenshots import FILM_SCALE, IMAGES, README, SCALE, SHOTS, THEMES, file_name, stored, with_pictures
from notebook_tools import code_cells, read

ROOT = IMAGES.parent
PICTURE_BYTES, FILM_BYTES = 150_000, 1_500_000
TEXT = README.read_text(encoding="utf-8")


def path(name: str, theme: str) -> Path:
    return IMAGES / file_name(name, theme)


def test_the_list_names_what_the_script_takes() -> None:
    told = stored()
    assert list(told) == ["film", *(shot.name for shot in SHOTS)], "run `make screenshots`"
    taken = {file_name(name, theme) for name in told for theme in THEMES}
    assert {file.name for file in IMAGES.glob("view_*")} == taken
    for shot in SHOTS:
        assert (told[shot.name]["alt"], told[shot.name]["caption"]) == (shot.alt, shot.caption), (
            "run `make screenshots`"
        )
    assert told["film"]["alt"] == film.ALT


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_a_picture_is_small_sharp_and_as_large_as_told(shot, theme) -> None:
    file, told = path(shot.name, theme), stored()[shot.name]
    assert file.stat().st_size <= PICTURE_BYTES
    with Image.open(file) as picture:
        assert picture.size == pytest.approx([SCALE * side for side in told["size"]], abs=2 * SCALE)


@pytest.mark.parametrize("theme", THEMES)
def test_the_film_moves_repeats_and_is_small(theme) -> None:
    file = path("film", theme)
    assert file.stat().st_size <= FILM_BYTES
    with Image.open(file) as moving:
        assert moving.n_frames > 30 and moving.info["loop"] == 0
        assert moving.size == (FILM_SCALE * film.WIDTH, FILM_SCALE * film.HEIGHT)


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_alternative_texts_quote_what_can_be_read_in_the_picture(shot) -> None:
    text = stored()[shot.name]["text"].replace(" ", "").lower()
    quoted = re.findall("“(.+?)”", shot.alt)
    assert quoted
    for words in quoted:
        for word in re.findall(r"\w+", words):
            assert word.lower() in text, f"{word} of {words!r} is not in the picture {shot.name}"


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_the_cells_are_in_the_notebook(shot) -> None:
    sources = [cell.source for cell in code_cells(read(ROOT / "notebooks" / f"{shot.notebook}.ipynb"))]
    for text in (*shot.needs, shot.cell):
        assert any(text in source for source in sources), text


def test_the_readme_shows_them_light_and_dark_with_their_texts() -> None:
    assert with_pictures(TEXT, stored()) == TEXT, "run `make screenshots`"
    assert TEXT.count("(prefers-color-scheme: dark)") == 1 + len(SHOTS)
    for told in stored().values():
        assert f'alt="{told["alt"]}"' in TEXT
        assert not set('"<>') & set(told["alt"])
