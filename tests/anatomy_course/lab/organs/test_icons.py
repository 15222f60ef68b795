"""Small pictures: what is drawn where, and in which color."""

import torch

from anatomy_course.lab import organs
from anatomy_course.lab.organs.icons import ICONS, KEPT, SIZE
from anatomy_course.lab.street import Scene, parse, say


def test_no_scene_of_the_test_is_learned_from_and_all_can_be_said():
    scenes, kept = organs.drawn_scenes(torch.Generator().manual_seed(0))
    assert len(kept) == KEPT and not set(kept) & set(scenes)
    assert all(parse(str(say(scene, "english")), "english") == scene for scene in kept[:20])


def test_each_icon_is_in_its_third_and_has_its_color():
    scene = Scene("dog", "cross", "lake", "deep", "didn't", "red", "green")
    pictures = organs.draw([scene] * 30, torch.Generator().manual_seed(0))
    assert pictures.shape == (30, 3, SIZE, 3 * SIZE)
    dog, lake, deep = pictures.split(SIZE, dim=-1)
    assert dog[:, 0].any() and not dog[:, 1:].any(), "red alone"
    assert lake[:, 1].any() and not lake[:, [0, 2]].any(), "green alone"
    assert torch.equal(deep[:, 0], deep[:, 1]) and torch.equal(deep[:, 0], deep[:, 2]), "white"
    assert len({tuple(picture.flatten().tolist()) for picture in pictures}) > 10, "moved by a pixel"


def test_no_icon_leaves_its_third_wherever_it_is_moved():
    for name, boxes in ICONS.items():
        for box in boxes.split("/"):
            left, top, right, bottom = map(int, box.split())
            assert 1 <= left < right <= SIZE - 1 and 1 <= top < bottom <= SIZE - 1, name
