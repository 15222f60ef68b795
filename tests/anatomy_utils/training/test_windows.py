"""Windows of one long text: labels, ends of the text, chance, and what is refused."""

import pytest
import torch

from anatomy_utils.training import random_windows

IDS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6]) * 10 + torch.arange(8)


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_labels_are_the_next_tokens_and_every_window_comes() -> None:
    inputs, labels = random_windows(IDS, 500, 3, seeded())
    assert inputs.shape == labels.shape == (500, 3)
    windows = {tuple(row) for row in torch.cat([inputs, labels[:, -1:]], 1).tolist()}
    assert windows == {tuple(IDS[start : start + 4].tolist()) for start in range(5)}
    assert torch.equal(inputs[:, 1:], labels[:, :-1])
    assert torch.equal(labels, random_windows(IDS, 500, 3, seeded())[1]), "the same state, the same batch"
    assert random_windows(IDS[:4], 1, 3, seeded())[1].tolist() == [IDS[1:4].tolist()], "a text that just fits"


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="text has 3 tokens, but a window of 3 and the token after it need 4"):
        random_windows(IDS[:3], 2, 3, seeded())
    with pytest.raises(ValueError, match="batch_size is 0"):
        random_windows(IDS, 0, 3, seeded())
    with pytest.raises(ValueError, match="length is 0"):
        random_windows(IDS, 2, 0, seeded())
