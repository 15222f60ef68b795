"""Looking at and changing tensors by name."""

import pytest
import torch
from torch import nn

from anatomy_utils.tap import edit, is_tapped, tap, watch


class Doubler(nn.Module):
    def forward(self, numbers):
        return tap(self, "doubled", numbers * 2)


@pytest.fixture
def model():
    return nn.Sequential(Doubler(), Doubler())


def test_watch_collects_by_name_and_leaves_no_trace(model):
    with watch(model) as seen:
        model(torch.tensor([1.0]))
    assert {name: tensor.item() for name, tensor in seen.items()} == {"0.doubled": 2.0, "1.doubled": 4.0}
    assert not any(is_tapped(part) for part in model.modules())


def test_watch_keeps_each_call_and_only_what_was_asked(model):
    with watch(model, "1.*") as seen:
        model(torch.tensor([1.0]))
        model(torch.tensor([10.0]))
    assert [tensor.item() for tensor in seen.all("1.doubled")] == [4.0, 40.0]
    assert seen["1.doubled"].item() == 40.0
    assert list(seen.matching("*.doubled")) == ["1.doubled"]


def test_watch_suggests_the_right_name(model):
    with watch(model) as seen:
        model(torch.tensor([1.0]))
    with pytest.raises(KeyError, match="Did you mean '1.doubled'"):
        seen["1.doubledd"]


def test_no_more_than_three_names_are_suggested():
    model = nn.Sequential(*(Doubler() for _ in range(5)))
    with watch(model) as seen:
        model(torch.tensor([1.0]))
    with pytest.raises(KeyError, match="Did you mean '4.doubled' or '3.doubled' or '2.doubled'[?]"):
        seen["9.doubled"]


def test_watch_lets_go_when_the_model_fails(model):
    with pytest.raises(RuntimeError), watch(model):
        raise RuntimeError
    assert not is_tapped(model[0])


def test_edit_changes_what_flows_and_watch_sees_it(model):
    with watch(model) as seen, edit(model, {"0.doubled": lambda tensor: tensor + 1}):
        assert model(torch.tensor([1.0])).item() == 6.0
    assert seen["0.doubled"].item() == 3.0
    assert model(torch.tensor([1.0])).item() == 4.0


def test_edit_lets_gradients_through(model):
    numbers = torch.tensor([1.0], requires_grad=True)
    with edit(model, {"0.doubled": lambda tensor: tensor * 5}):
        model(numbers).backward()
    assert numbers.grad.item() == 20.0


@pytest.mark.parametrize(
    ("name", "function", "complaint"),
    [
        ("2.doubled", torch.neg, "no module '2'"),
        ("0.tripled", torch.neg, "never reached; tensors made there: doubled"),
        ("0.doubled", lambda tensor: tensor.repeat(2), r"shape \(2,\).*keep the shape \(1,\)"),
    ],
)
def test_edit_names_what_is_wrong(model, name, function, complaint):
    with pytest.raises(ValueError, match=complaint), edit(model, {name: function}):
        model(torch.tensor([1.0]))
