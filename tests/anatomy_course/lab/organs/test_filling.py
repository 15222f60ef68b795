"""Filling in: what is hidden, what is asked, and that the writer sees no next word."""

import torch

from anatomy_course.lab import organs
from anatomy_course.lab.organs import filling
from anatomy_course.lab.street import street_vocabulary
from anatomy_utils.training.seeding import seeded


def sentences(count=5):
    return filling.as_rows(filling.short_sentences(count, torch.Generator().manual_seed(3)))


def test_rows_are_sentences_filled_up_with_their_end():
    rows = sentences(40)
    assert rows.shape == (40, organs.LENGTH)
    ended = rows == street_vocabulary().eos_id
    assert ended[:, 1:].ge(ended[:, :-1]).all(), "after an end comes nothing but ends"
    assert len({int(count) for count in ended.sum(1)}) > 1, "of several lengths"


def test_only_hidden_words_are_asked_and_none_is_seen():
    texts, seen = sentences(), []

    class Model(torch.nn.Module):
        def forward(self, ids):
            seen.append(ids)
            logits = torch.zeros(*ids.shape, len(street_vocabulary()))
            logits[..., : len(logits[0, 0])].scatter_(-1, texts[..., None], 50.0)  # right about every word
            return torch.where((ids == organs.MASK_ID)[..., None], logits, -logits)  # and wrong about what it sees

    assert organs.filling_loss(Model(), texts, torch.Generator().manual_seed(0)) < 1e-6
    assert ((seen[0] == organs.MASK_ID) | (seen[0] == texts)).all()
    hidden = (seen[0] == organs.MASK_ID).float().mean(1)
    assert hidden.max() - hidden.min() > 0.3, "each text has a rate of its own"


def test_the_writer_is_causal_and_the_filler_is_not():
    texts, moved = sentences(3), {}
    other = texts.clone()
    other[:, 6] = organs.MASK_ID
    with seeded(torch.Generator().manual_seed(0)):
        bodies = {kind: filling.new_body(kind).eval() for kind in ("filler", "writer")}
    for kind, body in bodies.items():
        moved[kind] = (body(texts) - body(other)).abs().amax(dim=(0, 2)) > 1e-6
    assert moved["filler"].all()
    assert not moved["writer"][:6].any() and moved["writer"][6:].all()
    sizes = {sum(p.numel() for p in body.parameters()) for body in bodies.values()}
    assert len(sizes) == 1


def test_twins_read_the_same_and_guesses_are_repeatable():
    once, again = (organs.train_twins(1, steps=2) for _ in range(2))
    assert all(
        torch.equal(a, b) for a, b in zip(once["filler"].parameters(), again["filler"].parameters(), strict=True)
    )
    ids = torch.full((3, organs.LENGTH), organs.MASK_ID)
    first, second = (organs.Guesses(once["filler"], 5)(ids) for _ in range(2))
    assert torch.equal(first[0], second[0]) and (first[0] != organs.MASK_ID).all()
    assert ((first[1] > 0) & (first[1] <= 1)).all()
    shuffled = organs.Guesses(once["filler"], 5, shuffled=True)(ids)
    assert torch.equal(shuffled[0], first[0]) and not torch.allclose(shuffled[1], first[1])
    assert organs.write_on(once["writer"], 3, 0).shape == (3, organs.LENGTH)
