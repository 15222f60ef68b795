"""What *it* looks at and what it needs, in a tagger whose weights and values are set by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from anatomy_course.lab.experiments.attention_or_ablation import attended_and_needed_words
from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, small_encoder
from anatomy_course.lab.street import Scene
from anatomy_course.lab.street.labels import TAGS
from anatomy_utils.nn.heads import TokenHead, WithHead
from anatomy_utils.tap import edit
from anatomy_utils.training import seeded

SCENE = Scene("animal", "cross", "street", "tired", subject_adjective="old")
WORDS = "<bos> the old animal didn't cross the street because it was too tired .".split()


@pytest.fixture
def model() -> Iterator[WithHead]:
    """*it*, at 9, looks at "street" most in the last layer, whatever its weights were."""
    with seeded(torch.Generator().manual_seed(0)):
        model = WithHead(small_encoder(), TokenHead(D_MODEL, len(TAGS))).eval()

    def to_street(weights: Tensor) -> Tensor:
        weights = weights.clone()
        weights[:, :, 9] = 0.01
        weights[:, :, 9, WORDS.index("street")] = 0.8
        return weights

    with edit(model, {"body.layers.1.self_attention.weights": to_street}):
        yield model


def test_the_word_that_is_looked_at(model: WithHead) -> None:
    (found,) = attended_and_needed_words(model, [SCENE])
    assert found.looked_at == "street" and found.reason == "tired"


@pytest.mark.parametrize("needed", ["old", "tired"])
def test_the_word_that_is_needed_is_what_the_effects_say(model: WithHead, needed: str) -> None:
    def effects(read: object, length: int) -> Tensor:
        assert length == len(WORDS)
        moved = torch.rand(length, generator=torch.Generator().manual_seed(1))
        moved[WORDS.index(needed)], moved[9] = 2, 3  # *it* itself does not count
        return moved

    assert attended_and_needed_words(model, [SCENE], effects)[0].needed == needed


def test_what_is_read_is_the_answer_at_it(model: WithHead) -> None:
    given = []

    def effects(read, length):  # type: ignore[no-untyped-def]
        given.append(read(torch.ones(2, length, dtype=torch.long)))
        return torch.zeros(length)

    attended_and_needed_words(model, [SCENE], effects)
    assert given[0].shape == (2, len(TAGS))
    torch.testing.assert_close(given[0][0], given[0][1])
