"""What *it* looks at and what it needs, in a tagger whose weights and values are set by hand."""

import pytest
import torch

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
def model():
    """*it*, at 9, looks at "street" most in the last layer, whatever its weights were."""
    with seeded(torch.Generator().manual_seed(0)):
        model = WithHead(small_encoder(), TokenHead(D_MODEL, len(TAGS))).eval()

    def to_street(weights):
        weights = weights.clone()
        weights[:, :, 9] = 0.01
        weights[:, :, 9, WORDS.index("street")] = 0.8
        return weights

    with edit(model, {"body.layers.1.self_attention.weights": to_street}):
        yield model


@pytest.mark.parametrize("needed", ["old", "tired"])
def test_the_word_that_is_looked_at_and_the_one_that_is_needed(model, needed):
    given = []

    def effects(read, length):
        assert length == len(WORDS)
        given.append(read(torch.ones(2, length, dtype=torch.long)))
        moved = torch.rand(length, generator=torch.Generator().manual_seed(1))
        moved[WORDS.index(needed)], moved[9] = 2, 3  # *it* itself does not count
        return moved

    (found,) = attended_and_needed_words(model, [SCENE], effects)
    assert (found.looked_at, found.needed, found.reason) == ("street", needed, "tired")
    assert given[0].shape == (2, len(TAGS))
    torch.testing.assert_close(given[0][0], given[0][1])
    assert attended_and_needed_words(model, [SCENE])[0].looked_at == "street"
