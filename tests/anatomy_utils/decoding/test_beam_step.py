"""One step of beam search: which texts go on and which end, by hand."""

import torch

from anatomy_utils.decoding.beam_step import NOBODY, Search, SearchRules, advance


def test_one_step_by_hand():
    """Two beams, token 2 stops: the likeliest text ends, the next two go on, the worse beam's first."""
    rules, is_stop = SearchRules(2, 5), torch.tensor([False, False, True])
    search = Search.started(1, rules)
    search, _ = advance(search, torch.tensor([[[0.5, 0.5, 0.0]] * 2]).log(), is_stop, rules)
    assert search.ids[0, :, 0].tolist() == [0, 1]
    odds = torch.tensor([[[0.25, 0.125, 0.625], [0.4375, 0.1875, 0.375]]])
    search, considered = advance(search, odds.log(), is_stop, rules)
    assert search.ids[0, :, :2].tolist() == [[1, 0], [0, 0]]
    assert search.parents.tolist() == [[1, 0]]
    torch.testing.assert_close(search.log_probabilities.exp(), torch.tensor([[0.5 * 0.4375, 0.5 * 0.25]]))
    assert considered.ids[0].tolist() == [[0, 2], [1, 0], [1, 2], [0, 0]]
    assert search.ended_ids[0, 0, :2].tolist() == [0, 2]
    torch.testing.assert_close(search.ended_scores[0, 0], torch.tensor(0.5 * 0.625).log() / 2)
    assert search.ended_lengths.tolist() == [[2, 0]], "[1, 2] was third: only the best two may end"


def test_enough_texts_go_on_when_every_stop_token_is_likelier():
    rules, is_stop = SearchRules(2, 5), torch.tensor([True, True, True, False, False])
    logits = torch.tensor([[[3.0, 2.0, 1.0, 0.0, -1.0]] * 2])
    search, considered = advance(Search.started(1, rules), logits, is_stop, rules)
    assert search.ids[0, :, 0].tolist() == [3, 4]
    assert considered.alive.tolist() == [[3, 4]]
    assert (search.log_probabilities > NOBODY / 2).all()
