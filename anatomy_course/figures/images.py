"""Small images as they are, pixel for pixel, each with a few words below it."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from anatomy_course.figures.arrays import array
from anatomy_course.figures.canvas import finish, page, sheet, write
from anatomy_course.figures.cells import EDGE, WIDEST, head
from anatomy_course.figures.picture import Picture
from anatomy_course.figures.style import look


@look()
def images(
    images: Any, labels: Sequence[str], *, title: str = "", grid: int = 0, per_row: int = 2, alt: str = ""
) -> Picture:
    """Images side by side, in several rows where there are many.

    Args:
        images: (image, channel, height, width) numbers from 0 to 1: red, green and blue.
        labels: what is written below each; long ones take two lines.
        title: above all.
        grid: lines between squares of so many pixels; none by default.
        per_row: how many stand side by side.
        alt: alt text; the labels by default.

    Raises:
        ValueError: no images of three channels, or another number of labels.
    """
    pixels = array(images, 4, "images")
    count, channels, height, width = pixels.shape
    if channels != 3 or count != len(labels) or not count:
        raise ValueError(
            f"There are {count} images of {channels} channels and {len(labels)} labels; give 3 channels each."
        )
    across = (WIDEST - EDGE * (per_row + 1)) / per_row
    high, top = across * height / width, EDGE + (28 if title else 4)
    lines = [textwrap.wrap(label, int(across / 6)) for label in labels]
    below = 10 + 15 * max(map(len, lines))
    figure = page(WIDEST, top + -(-count // per_row) * (high + below) + EDGE)
    canvas = sheet(figure)
    if title:
        head(canvas, title, "")
    for number, image in enumerate(pixels):
        x, y = EDGE + number % per_row * (across + EDGE), top + number // per_row * (high + below)
        canvas.imshow(
            image.transpose(1, 2, 0).clip(0, 1),
            aspect="auto",
            interpolation="nearest",
            extent=(x, x + across, y + high, y),
        )
        if grid:
            step = across / width * grid
            canvas.vlines([x + step * i for i in range(1, width // grid)], y, y + high, colors="#777777", linewidth=0.8)
            canvas.hlines(
                [y + step * i for i in range(1, height // grid)], x, x + across, colors="#777777", linewidth=0.8
            )
        for line, words in enumerate(lines[number]):
            write(figure, x, y + high + 15 + 15 * line, words)
    return finish(figure, alt or f"{title or 'Images'}: {'; '.join(labels)}.")
