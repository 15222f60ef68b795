"""One token at a time: the same text as `generate`, and another one after going back."""

import pytest
import torch
from decoding_models import gpt2_step, hf_gpt2, our_gpt2, prompts, table_model
from hypothesis import given, settings, strategies as st
from seeds import generator
from unchecked import shapes_unchecked

from anatomy_utils.decoding import Filters, SeenIds, Stepper, generate, stream

ODDS = torch.tensor([[0.25, 0.75, 0.0], [0.5, 0.25, 0.25], [0.0, 0.5, 0.5]])


@pytest.fixture(scope="module")
def ours():
    return our_gpt2(hf_gpt2(1))


def test_candidates_by_hand():
    stepper = Stepper(table_model(ODDS), SeenIds, torch.tensor([[1]]), filters=Filters(top_k=1), generator=generator())
    first, *_ = stepper.candidates
    assert (first.token_id, first.before, first.after) == (0, pytest.approx(0.5), pytest.approx(1.0))
    chosen = stepper.advance(2)  # by hand, although top_k rules it out
    assert (chosen.token_id, chosen.ended) == (2, False)
    assert [(c.token_id, round(c.before, 2), round(c.after, 2)) for c in chosen.candidates] == [
        (0, 0.5, 1.0),
        (1, 0.25, 0.0),
        (2, 0.25, 0.0),
    ]
    assert stepper.token_ids == (2,)


def test_the_written_token_is_always_listed():
    stepper = Stepper(table_model(ODDS), SeenIds, torch.tensor([[1]]), show=1)
    assert [candidate.token_id for candidate in stepper.advance(2).candidates] == [0, 2]


@settings(max_examples=6)
@given(st.integers(0, 1000), st.booleans())
def test_stream_writes_what_generate_writes(ours, seed, random):
    ids, options = prompts(seed, batch=1), {"max_new_tokens": 8, "stop_ids": [3, 5, 9]}

    def choice():
        filters = Filters(temperature=1.5, top_k=9) if random else Filters(repetition_penalty=1.3)
        return {"filters": filters, "generator": generator(seed) if random else None}

    written = generate(ours.step, ours.start(1, 12), ids, **options, **choice()).rows()[0]
    steps = list(stream(ours.step, ours.start(1, 12), ids, **options, **choice()))
    assert [chosen.token_id for chosen in steps] == written
    assert [chosen.ended for chosen in steps] == [token in (3, 5, 9) for token in written]
    for chosen in steps:
        assert sum(c.before for c in chosen.candidates) <= 1 + 1e-5
        assert next(c for c in chosen.candidates if c.token_id == chosen.token_id).after > 0


@settings(max_examples=8)
@given(st.integers(0, 1000), st.lists(st.integers(-4, 22), min_size=1, max_size=12))
def test_going_back_leaves_no_trace(ours, seed, moves):
    """Forward by hand (0 and above) and back (below 0), in any order: always what the ids alone would give."""
    ids = prompts(seed, batch=1)
    stepper = Stepper(ours.step, lambda: ours.start(1, 20), ids)
    for move in moves:
        if move < 0:
            stepper.back(min(-move, len(stepper.token_ids)))
        else:
            stepper.advance(move)
        fresh = Stepper(gpt2_step(hf_gpt2(1)), SeenIds, torch.cat([ids, torch.tensor([stepper.token_ids]).long()], 1))
        for candidate, wanted in zip(stepper.candidates, fresh.candidates, strict=True):
            assert (candidate.token_id, candidate.before) == (wanted.token_id, pytest.approx(wanted.before, abs=1e-5))


def test_going_back_costs_nothing_until_the_next_token():
    calls, starts = [], []

    def start():
        starts.append(1)
        return SeenIds()

    def step(ids, cache):
        calls.append(ids.tolist()[0])
        return table_model(ODDS)(ids, cache)

    stepper = Stepper(step, start, torch.tensor([[1, 0]]))
    for token in (1, 2, 1):
        stepper.advance(token)
    assert calls == [[1, 0], [1], [2]]
    stepper.back(2)
    assert stepper.candidates[0].token_id == 0  # known from the first time
    assert (len(calls), len(starts)) == (3, 1)
    stepper.advance(0)
    assert stepper.candidates[0].token_id == 1
    assert (calls[3:], len(starts)) == ([[1, 0, 1, 0]], 2)
    assert stepper.token_ids == (1, 0)
    stepper.advance()
    stepper.back()  # the last token was not read yet: the cache still fits
    stepper.advance(0)
    assert (len(stepper.candidates), calls[4:], len(starts)) == (3, [[0]], 2)


def test_another_rule_from_here_on():
    stepper = Stepper(table_model(ODDS), SeenIds, torch.tensor([[1]]))
    assert stepper.advance().token_id == 0
    stepper.follow(Filters(top_k=1), generator())
    assert [candidate.after for candidate in stepper.candidates] == [pytest.approx(1), 0, 0]
    stepper.follow(Filters(temperature=9.0), generator(1))
    drawn = set()
    for _ in range(40):
        drawn.add(stepper.advance().token_id)
        stepper.back()
    assert drawn == {0, 1}
    stepper.follow()
    assert stepper.advance().token_id == 1
    assert [chosen.candidates[0].after for chosen in stepper.steps] == [pytest.approx(0.5), pytest.approx(0.75)]
    with pytest.raises(ValueError, match="no generator"):
        stepper.follow(Filters(top_k=2))


def test_bad_input_is_named():
    step, one = table_model(ODDS), torch.tensor([[1]])
    stepper = Stepper(step, SeenIds, one, stop_ids=[0])
    with pytest.raises(ValueError, match="Token 3 is outside the vocabulary, whose ids run from 0 to 2"):
        stepper.advance(3)
    with pytest.raises(ValueError, match="1 tokens cannot be taken back: 0 are written"):
        stepper.back()
    stepper.advance()
    assert stepper.ended
    with pytest.raises(ValueError, match="ended with the stop token 0; go back"):
        stepper.advance()
    with shapes_unchecked(), pytest.raises(ValueError, match="has 2 rows"):
        Stepper(step, SeenIds, torch.tensor([[1], [2]]))
    with pytest.raises(ValueError, match="no generator"):
        Stepper(step, SeenIds, one, filters=Filters(top_k=2))
    with pytest.raises(ValueError, match="max_new_tokens is 0"):
        next(stream(step, SeenIds(), one, max_new_tokens=0))
