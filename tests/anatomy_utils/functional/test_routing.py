"""Routing by hand: who is chosen, and with what share."""

import torch
from random_tensors import normal

from anatomy_utils.functional.routing import route, route_within_groups


def test_the_best_are_chosen_with_their_shares():
    logits = torch.tensor([[1.0, 5.0, 2.0, 2.0]]).log()
    routes = route(logits, 2, normalized=False)
    assert routes.experts[0, 0] == 1
    torch.testing.assert_close(routes.shares, torch.tensor([[0.5, 0.2]]))
    torch.testing.assert_close(route(logits, 2).shares, torch.tensor([[5 / 7, 2 / 7]]))


def test_normalized_shares_are_the_softmax_over_the_chosen():
    logits = normal(3, 5, 11)
    routes = route(logits, 4)
    torch.testing.assert_close(routes.shares, logits.gather(-1, routes.experts).softmax(-1))


def test_a_group_is_as_good_as_its_two_best():
    chances = torch.tensor([0.9, 0.1, 0.1, 0.6, 0.5, 0.1, 0.2, 0.3, 0.7])  # in threes: 1.0, 1.1 and 1.0
    routes = route_within_groups(chances.logit(), torch.zeros(9), 2, num_groups=3, groups_per_token=1)
    assert routes.experts.tolist() == [3, 4]
    torch.testing.assert_close(routes.shares, torch.tensor([6 / 11, 5 / 11]))


def test_the_correction_chooses_and_is_not_in_the_shares():
    chances, correction = torch.tensor([0.4, 0.3, 0.2, 0.1]), torch.tensor([0.0, 0.0, 0.0, 0.9])
    routes = route_within_groups(chances.logit(), correction, 2, num_groups=1, groups_per_token=1, normalized=False)
    assert routes.experts.tolist() == [3, 0]
    torch.testing.assert_close(routes.shares, torch.tensor([0.1, 0.4]))
