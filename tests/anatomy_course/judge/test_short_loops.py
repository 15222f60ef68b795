"""The short loops that notebooks 05 and 06 ask for: the same texts as the library's functions with all options."""

import pytest
import torch
from decoding_models import gpt2_step, hf_gpt2, normal, our_gpt2, prompts
from hypothesis import given, settings, strategies as st
from seeds import SEEDS

from anatomy_course.judge import find_exercise
from anatomy_utils.decoding import SeenIds, generate
from anatomy_utils.decoding.beam_step import Search, SearchRules, advance

FEW = settings(max_examples=15)
beam_step, translate = (find_exercise(f"encoder_decoder.{name}").resolve() for name in ("beam_step", "translate"))
write = find_exercise("decoder.write").resolve()


@pytest.fixture(scope="module")
def ours():
    return our_gpt2(hf_gpt2(1))


@FEW
@given(SEEDS, st.integers(1, 7))
def test_write_is_generate_for_one_text(ours, seed, length):
    ids = prompts(seed, 1, length)
    wanted = generate(ours.step, ours.start(1, length + 11), ids, max_new_tokens=11)
    stop_id = wanted.rows()[0][seed % 11]  # a token that is written, so that most texts end early
    wanted = generate(ours.step, ours.start(1, length + 11), ids, max_new_tokens=11, stop_ids=[stop_id]).ids
    assert write(ours.step, ours.start(1, length + 11), ids, 11, stop_id).tolist() == wanted.tolist()


@FEW
@given(SEEDS, st.integers(1, 5))
def test_translate_is_generate_without_a_cache(seed, batch):
    """The memory is one token for each text, which stands in front of what is written."""
    model, memory = hf_gpt2(seed % 3), prompts(seed, batch, 1)

    @torch.no_grad()
    def next_logits(ids, memory):
        return gpt2_step(model)(torch.cat([memory, ids], dim=1), SeenIds())[0]

    starts = torch.cat([memory, torch.full((batch, 1), 1)], dim=1)
    stop_id = generate(gpt2_step(model), SeenIds(), starts, max_new_tokens=9).rows()[-1][seed % 9]
    wanted = generate(gpt2_step(model), SeenIds(), starts, max_new_tokens=9, stop_ids=[stop_id], pad_id=22)
    assert translate(next_logits, memory, 1, stop_id, 22, 9).tolist() == wanted.ids[:, 1:].tolist()


def test_one_beam_step_by_hand():
    """0.75 · (0.25, 0.625, 0.125) and 0.25 · (0.9, 0.05, 0.05): two come from the likelier text, one from the other."""
    odds = torch.tensor([[0.25, 0.625, 0.125], [0.9, 0.05, 0.05], [0.2, 0.2, 0.6]])
    log_probabilities, parents, tokens = beam_step(torch.tensor([0.75, 0.25, 0.01]).log(), odds.log())
    torch.testing.assert_close(log_probabilities.exp(), torch.tensor([0.46875, 0.225, 0.1875]))
    assert (parents.tolist(), tokens.tolist()) == ([0, 1, 0], [1, 0, 0])


@given(SEEDS, st.integers(1, 5))
def test_beam_steps_are_a_search_that_nothing_ends(seed, beams):
    logits, rules = normal(3, beams, 7, seed=seed), SearchRules(beams, 9)
    never = torch.zeros(7, dtype=torch.bool)
    search = Search.started(1, rules)
    for at_step in logits:
        log_probabilities, parents, tokens = beam_step(search.log_probabilities[0], at_step.log_softmax(dim=-1))
        search, _ = advance(search, at_step[None], never, rules)
        torch.testing.assert_close(log_probabilities, search.log_probabilities[0])
        assert parents.tolist() == search.parents[0].tolist()
        assert tokens.tolist() == search.ids[0, :, search.length - 1].tolist()
