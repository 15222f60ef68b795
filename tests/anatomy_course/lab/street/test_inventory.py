"""Scenes drawn by a number: what stands beside their nouns."""

from collections import Counter

import torch

from anatomy_course.lab.street.inventory import BESIDE, scene_from_number


def test_half_of_the_nouns_stand_alone_and_each_adjective_beside_as_many_of_the_others():
    numbers = torch.randint(2**63 - 1, (3000,), generator=torch.Generator().manual_seed(0)).tolist()
    scenes = map(scene_from_number, numbers)
    counts = Counter(word for scene in scenes for word in (scene.subject_adjective, scene.object_adjective))
    assert counts.keys() == set(BESIDE)
    assert all(abs(counts[word] / 6000 - (0.05 if word else 0.5)) < 0.02 for word in BESIDE), counts
