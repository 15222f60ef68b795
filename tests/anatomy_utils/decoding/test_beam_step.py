"""One step of beam search where every text could end."""

import torch

from anatomy_utils.decoding.beam_step import NOBODY, Search, SearchRules, advance


def test_enough_texts_go_on_when_every_stop_token_is_likelier():
    rules, is_stop = SearchRules(2, 5), torch.tensor([True, True, True, False, False])
    logits = torch.tensor([[[3.0, 2.0, 1.0, 0.0, -1.0]] * 2])
    search, considered = advance(Search.started(1, rules), logits, is_stop, rules)
    assert search.ids[0, :, 0].tolist() == [3, 4]
    assert considered.alive.tolist() == [[3, 4]]
    assert (search.log_probabilities > NOBODY / 2).all()
