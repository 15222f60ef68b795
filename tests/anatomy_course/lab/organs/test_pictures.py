"""Bodies that see: patches reach the words, places count, and the contrastive loss by hand."""

import math

import torch

from anatomy_course.content.organs.patches import patches
from anatomy_course.lab import organs
from anatomy_course.lab.street import language_modeling, street_vocabulary
from anatomy_utils.training import cross_entropy


def few(count=7):
    scenes = organs.drawn_scenes(torch.Generator().manual_seed(0))[0][:count]
    return scenes, patches(organs.draw(scenes, torch.Generator().manual_seed(1)), organs.PATCH)


def test_what_is_written_depends_on_patches_and_on_their_places():
    _, shown = few(2)
    model = organs.PictureWriter(torch.Generator().manual_seed(0)).eval()
    ids = torch.ones(2, 5, dtype=torch.long)
    logits = model(shown, ids)
    assert logits.shape[:2] == (2, 5)
    assert not torch.allclose(logits[0], logits[1], atol=1e-5)
    assert not torch.allclose(model(shown.flip(1), ids), logits, atol=1e-5), "places count"


def test_training_lowers_the_loss_of_its_own_pictures():
    scenes, shown = few(40)
    model = organs.train_picture_writer(scenes, patches, 0, steps=60, batch=10)
    texts = language_modeling(scenes)
    own, other = (cross_entropy(model(each, texts.input_ids), texts.labels) for each in (shown, shown.roll(1, 0)))
    assert own < 0.9 * other


def test_it_writes_the_likeliest_word_each_time():
    scenes, shown = few(5)
    model = organs.train_picture_writer(scenes, patches, 0, steps=20, batch=5)
    words = street_vocabulary()
    ids = torch.full((5, 1), words.bos_id)
    for _ in range(14):
        ids = torch.cat([ids, model(shown, ids)[:, -1:].argmax(-1)], dim=1)
    assert model.write(shown) == [words.text(row) for row in ids]


def test_the_contrastive_loss_by_hand():
    vectors = torch.eye(3, 5)
    right = organs.contrastive_loss(vectors, vectors, scale=2.0)
    assert abs(right - math.log(1 + 2 * math.exp(-2))) < 1e-6
    assert organs.contrastive_loss(vectors, vectors.roll(1, 0), scale=2.0) > 2
    one, other = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    assert abs(organs.contrastive_loss(one, other) - organs.contrastive_loss(other, one)) < 1e-6, "both directions"


def test_a_pair_gives_vectors_of_length_one_and_finds_what_it_has_learned():
    scenes, shown = few(24)
    ids = language_modeling(scenes).input_ids
    pair = organs.train_pair(shown, ids, 0, steps=40, batch=16)
    seen, read = pair.see(shown), pair.read(ids)
    assert torch.allclose(seen.norm(dim=-1), torch.ones(24)) and torch.allclose(read.norm(dim=-1), torch.ones(24))
    assert ((seen @ read.T).argmax(1) == torch.arange(24)).float().mean() > 0.5
