"""Windows of one long text: labels, ends of the text, chance, and what is refused."""

from __future__ import annotations

import pytest
import torch

from anatomy_utils.training import random_windows

IDS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6]) * 10 + torch.arange(8)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_labels_are_the_next_tokens_and_every_window_comes() -> None:
    inputs, labels = random_windows(IDS, 500, 3, seeded())
    assert inputs.shape == labels.shape == (500, 3)
    windows = {tuple(row) for row in torch.cat([inputs, labels[:, -1:]], 1).tolist()}
    assert windows == {tuple(IDS[start : start + 4].tolist()) for start in range(5)}
    assert torch.equal(inputs[:, 1:], labels[:, :-1])


def test_the_same_state_gives_the_same_batch() -> None:
    one, other, next_one = (seeded(), seeded(), seeded(1))
    assert torch.equal(random_windows(IDS, 7, 3, one)[0], random_windows(IDS, 7, 3, other)[0])
    assert torch.equal(random_windows(IDS, 7, 3, one)[1], random_windows(IDS, 7, 3, other)[1])
    assert not torch.equal(random_windows(IDS, 7, 3, seeded())[0], random_windows(IDS, 7, 3, next_one)[0])


def test_a_batch_of_one_and_a_text_that_just_fits() -> None:
    inputs, labels = random_windows(IDS[:4], 1, 3, seeded())
    assert inputs.tolist() == [IDS[:3].tolist()] and labels.tolist() == [IDS[1:4].tolist()]


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="text has 3 tokens, but a window of 3 and the token after it need 4"):
        random_windows(IDS[:3], 2, 3, seeded())
    with pytest.raises(ValueError, match="batch_size is 0"):
        random_windows(IDS, 0, 3, seeded())
    with pytest.raises(ValueError, match="length is 0"):
        random_windows(IDS, 2, 0, seeded())
