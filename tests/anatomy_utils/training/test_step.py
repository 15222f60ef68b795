"""One training step: as a step of the loop, and as a sum of parts."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from anatomy_course.judge import find_exercise
from anatomy_utils.training import fit, training_step
from anatomy_utils.training.losses import cross_entropy

train_step = find_exercise("encoder.train_step").resolve()


class Bags(nn.Module):
    """Logits from the sum of the real words' rows."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)
        self.dropout = nn.Dropout(0.5)
        nn.init.zeros_(self.table.weight)

    def forward(self, input_ids, attention_mask):
        return self.dropout((self.table(input_ids) * attention_mask[..., None]).sum(1))


def batch():
    ids = torch.tensor([[1, 2], [3, 4]])
    return SimpleNamespace(input_ids=ids, attention_mask=torch.tensor([[1, 0], [1, 1]]), labels=torch.tensor([0, 2]))


def test_it_is_a_step_of_the_loop_and_sets_the_mode_and_clears_gradients():
    one, other = Bags(), Bags()
    one.eval().table.weight.grad = torch.full((5, 3), 7.0)
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.3) for each in (one, other)]
    torch.manual_seed(0)
    losses = [train_step(one, optimizers[0], batch(), 0.1) for _ in range(3)]
    torch.manual_seed(0)
    history = fit(
        other,
        [batch()] * 3,
        lambda model, each: cross_entropy(model(each.input_ids, each.attention_mask), each.labels),
        learning_rate=0.3,
        optimizer=optimizers[1],
        clip=0.1,
        progress=False,
    )
    assert history.loss == pytest.approx(losses)
    torch.testing.assert_close(one.table.weight, other.table.weight)


class Bigrams(nn.Module):
    """Logits from the last token alone."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(7, 7, generator=torch.Generator().manual_seed(2)))

    def forward(self, input_ids):
        return self.table[input_ids]


@pytest.mark.parametrize("rows", [(6,), (3, 3), (1, 3, 2), (1,) * 6])
def test_parts_add_up_to_the_large_batch(rows):
    inputs, labels = torch.randint(7, (2, 6, 5), generator=torch.Generator().manual_seed(1))
    whole, parted = Bigrams(), Bigrams()
    parted.table.grad = torch.ones(7, 7)
    parts = list(zip(inputs.split(rows), labels.split(rows), strict=True))
    for max_norm in (0.05, 100.0):
        before = pytest.approx(cross_entropy(whole(inputs), labels).item(), rel=1e-5)
        wanted, found = (
            training_step(model, torch.optim.SGD(model.parameters(), lr=1.0), given, max_norm)
            for model, given in ((whole, [(inputs, labels)]), (parted, parts))
        )
        assert found == pytest.approx(wanted, rel=1e-5)
        assert wanted == before
        torch.testing.assert_close(parted.table, whole.table)


def test_a_step_without_tokens():
    with pytest.raises(ValueError, match="0 parts with no token"):
        training_step(Bigrams(), torch.optim.SGD([nn.Parameter(torch.ones(1))]), [], 1.0)
