"""Which scenes a model may learn from, and which are kept for judging it.

All scenes with the same pair of nouns fall on the same side. So no combination of subject, object and reason of the
test was seen in training, not even the two nouns together; each noun by itself was. The scene of the course's first
sentence, animal and street, is always in the test.
"""

from __future__ import annotations

from zlib import crc32

from anatomy_course.lab.street.scene import Scene

Split = str
"""One of `SPLITS`."""

SPLITS = ("train", "validation", "test")

KEPT_FOR_TEST = ("animal", "street")


def split_of(scene: Scene) -> Split:
    """The side on which a scene falls: about a tenth of the pairs each for validation and test, the rest for training.

    >>> split_of(Scene("animal", "cross", "street", "tired"))
    'test'
    """
    nouns = (scene.subject, scene.object)
    if nouns == KEPT_FOR_TEST:
        return "test"
    # A checksum scatters the pairs; unlike Python's own hash it is the same on every machine and in every run.
    match crc32(" ".join(nouns).encode()) % 10:
        case 0:
            return "test"
        case 1:
            return "validation"
    return "train"
