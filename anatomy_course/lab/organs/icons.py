"""Pictures of the street: three icons side by side, who did not cross what, and why.

Each icon is a few boxes on 12 × 12 pixels. A noun is drawn in the color of its adjective; the reason is a white sign.
All icons of a picture are moved by up to a pixel, so that no two pictures of a scene need be equal. Notebook 08.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import torch
from jaxtyping import Float
from torch import Tensor

from anatomy_course.lab.street.lexicon import NOUN
from anatomy_course.lab.street.scene import REFERENTS, Scene, clear_reasons

SIZE = 12
"""Pixels of an icon, in height and width."""
COLORS = {"white": (1.0, 1.0, 1.0), "red": (1.0, 0.0, 0.0), "green": (0.0, 1.0, 0.0)}
"""Red, green and blue, each from 0 to 1. It is night: the ground is black, 0 in all three."""

ICONS = {
    "dog": "2 4 7 8 / 7 2 10 5 / 2 8 4 11 / 6 8 7 11 / 1 3 2 5",
    "bird": "3 4 9 7 / 8 3 11 5 / 5 2 7 4 / 5 7 6 10",
    "turtle": "3 4 9 8 / 4 3 8 4 / 9 6 11 8 / 3 8 4 10 / 8 8 9 10",
    "bus": "1 3 11 9 / 2 9 4 11 / 8 9 10 11",
    "car": "1 6 11 9 / 3 4 8 6 / 2 9 4 11 / 8 9 10 11",
    "robot": "4 1 8 4 / 3 5 9 9 / 4 9 5 11 / 7 9 8 11 / 1 5 2 8 / 10 5 11 8",
    "street": "4 1 8 11",
    "path": "2 1 4 4 / 3 4 6 7 / 5 7 8 9 / 7 9 10 11",
    "bridge": "1 4 11 6 / 1 6 3 10 / 9 6 11 10",
    "tunnel": "2 2 10 4 / 1 4 3 11 / 9 4 11 11",
    "river": "1 3 6 5 / 5 5 11 7 / 1 8 6 10",
    "lake": "3 3 9 5 / 1 5 11 8 / 3 8 9 10",
    "tired": "2 2 9 3 / 6 3 8 5 / 4 5 6 7 / 2 8 9 9",
    "slow": "1 9 11 10 / 3 5 7 9 / 8 6 9 9",
    "rusty": "1 1 3 3 / 6 2 8 4 / 3 6 5 8 / 8 8 10 10",
    "steep": "9 1 11 11 / 6 4 9 11 / 3 7 6 11 / 1 9 3 11",
    "deep": "5 1 7 8 / 3 7 9 9 / 5 9 7 11",
    "muddy": "1 9 11 11 / 2 7 4 9 / 6 6 9 9",
    "dangerous": "5 1 7 7 / 5 9 7 11",
}
"""What is drawn → its boxes: left, top, and the pixel after the right and after the bottom one."""

KEPT = 192
"""Scenes for the test, three times 64."""
SUBJECTS = "dog bird turtle bus car robot".split()
OBJECTS = "street path bridge tunnel river lake".split()


def drawn_scenes(generator: torch.Generator) -> tuple[list[Scene], list[Scene]]:
    """All scenes that can be drawn, in random order: those to learn from, and `KEPT` to be judged by."""
    scenes = []
    for subject, object, *colors in product(SUBJECTS, OBJECTS, COLORS, COLORS):
        kinds = NOUN[subject].kind, NOUN[object].kind
        reasons = [reason.english for referent in REFERENTS for reason in clear_reasons(*kinds, referent)]
        found = [reason for reason in reasons if reason in ICONS]
        scenes += [Scene(subject, "cross", object, reason, "didn't", *colors) for reason in found]
    order = torch.randperm(len(scenes), generator=generator).tolist()
    mixed = [scenes[number] for number in order]
    return mixed[KEPT:], mixed[:KEPT]


def draw(scenes: Sequence[Scene], generator: torch.Generator) -> Float[Tensor, "batch channel height width"]:
    """A picture of each scene, 12 pixels high and 36 wide, with three channels (red, green, blue) from 0 to 1."""
    pictures = torch.zeros(len(scenes), 3, SIZE, 3 * SIZE)
    moves = torch.randint(-1, 2, (len(scenes), 3, 2), generator=generator).tolist()
    for picture, scene, moved in zip(pictures, scenes, moves, strict=True):
        icons = (
            (scene.subject, COLORS[scene.subject_adjective]),
            (scene.object, COLORS[scene.object_adjective]),
            (scene.reason, COLORS["white"]),
        )
        for place, ((name, color), (right, down)) in enumerate(zip(icons, moved, strict=True)):
            for box in ICONS[name].split("/"):
                x1, y1, x2, y2 = map(int, box.split())
                x = place * SIZE + right
                picture[:, y1 + down : y2 + down, x + x1 : x + x2] = torch.tensor(color)[:, None, None]
    return pictures
