"""A mixture of experts against each expert by itself, and what is seen and changed of its routes."""

import pytest
import torch
from random_tensors import normal

from anatomy_utils.functional.feed_forward import gated_feed_forward
from anatomy_utils.nn.experts import Experts, GroupRouter, MixtureOfExperts, Router
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.tap import edit, watch


def mixture(**more):
    torch.manual_seed(0)
    return MixtureOfExperts(Router(6, 5, 2), Experts(6, 7, 5), **more)


def test_the_answer_is_the_sum_of_the_chosen_by_their_shares():
    model, hidden_states = mixture(), normal(2, 9, 6)
    with watch(model) as seen:
        got = model(hidden_states)
    weights = [getattr(model.experts, part).weight for part in ("gate", "expand", "contract")]
    for text in range(2):
        for position in range(9):
            wanted = torch.zeros(6)
            for expert, share in zip(seen["router.experts"][text, position], seen["router.shares"][text, position],
                                     strict=True):  # fmt: skip
                parts = (each[expert].T for each in weights)
                wanted += share * gated_feed_forward(hidden_states[text, position], *parts, model.experts.activation)
            torch.testing.assert_close(got[text, position], wanted)


def test_an_edit_sends_every_token_to_another_expert():
    model, hidden_states = mixture(), normal(1, 4, 6)
    with edit(model, {"router.experts": lambda experts: torch.full_like(experts, 3)}):
        got = model(hidden_states)
    alone = GatedFeedForward(6, 7)
    for name, part in alone.named_children():
        if isinstance(part, torch.nn.Linear):
            part.weight.data = getattr(model.experts, name).weight[3]
    torch.testing.assert_close(got, alone(hidden_states))  # the shares sum to 1


def test_what_all_tokens_pass_is_added_through_its_gate():
    shared, gate = GatedFeedForward(6, 11), torch.nn.Linear(6, 1, bias=False)
    hidden_states = normal(2, 3, 6)
    routed = mixture()(hidden_states)
    torch.testing.assert_close(mixture(shared=shared)(hidden_states), routed + shared(hidden_states))
    gated = mixture(shared=shared, shared_gate=gate)(hidden_states)
    torch.testing.assert_close(gated, routed + gate(hidden_states).sigmoid() * shared(hidden_states))


def test_routers_that_cannot_choose_are_refused():
    with pytest.raises(ValueError, match="6 of 5 experts; choose from 1 to 5"):
        Router(3, 5, 6)
    for groups, kept in ((4, 2), (6, 2), (3, 1)):  # unequal, of one expert, too few experts
        with pytest.raises(ValueError, match=f"3 of 6 experts are to come from {kept} of {groups} groups; choose"):
            GroupRouter(3, 6, 3, num_groups=groups, groups_per_token=kept)
