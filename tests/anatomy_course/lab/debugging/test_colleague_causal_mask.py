"""The case of notebook 04, its solutions as organs, and its functions against the package's own."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from solutions import solution
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.lab.debugging.colleague.causal_mask import (
    colleagues_causal_mask,
    symptoms_of_causal_mask,
    writing_trial,
)
from anatomy_course.lab.experiments.manual_cache import empty_pasts, step_by_hand
from anatomy_course.lab.transplant import reject
from anatomy_utils.decoding import SeenIds, generate, uncached
from anatomy_utils.functional.masks import causal, causal_with_past
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training import cross_entropy, losses
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.llama import LlamaConfig, llama


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def model(request: pytest.FixtureRequest) -> LanguageModel:
    """A model without training: grouped heads and rotary positions, or learned positions and biases."""
    torch.manual_seed(0)
    if request.param == "llama":
        config = LlamaConfig(61, d_model=24, num_layers=2, num_heads=6, num_kv_heads=2, d_ff=35)
        body: Any = llama(config)
    else:
        body = gpt2(Gpt2Config(61, d_model=24, num_layers=3, num_heads=4, max_positions=40, d_ff=35))
    made = LanguageModel(body, torch.nn.Linear(24, 61, bias=False)).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return made


PROMPT = torch.tensor([[7, 3, 50, 3]])


def test_the_solutions_write_what_the_package_writes(model: LanguageModel) -> None:
    text = generate(model.step, model.start(1, 25), PROMPT, max_new_tokens=21).ids
    assert len(set(text[0].tolist())) > 3
    write, attend = solution("decoder.write"), solution("decoder.attend_with_cache")
    assert torch.equal(write(model.step, model.start(1, 25), PROMPT, 21, -1), text)
    assert torch.equal(write(step_by_hand(model, attend), empty_pasts(model), PROMPT, 21, -1), text)
    stop = int(text[0, 9])
    wanted = generate(model.step, model.start(1, 25), PROMPT, max_new_tokens=21, stop_ids=[stop]).ids
    assert torch.equal(write(step_by_hand(model, attend), empty_pasts(model), PROMPT, 21, stop), wanted)


def test_a_broken_cache_says_something_else(model: LanguageModel) -> None:
    with torch.no_grad():
        wanted = model(PROMPT)[:, -1]
    broken = {mistake.name: mistake.function for mistake in find_exercise("decoder.attend_with_cache").mistakes}
    for name in ("no_mask", "new_only", "past_forgotten", "not_scaled"):
        step = step_by_hand(model, broken[name])
        _, pasts = step(PROMPT[:, :2], empty_pasts(model))
        _, pasts = step(PROMPT[:, 2:3], pasts)
        assert not torch.allclose(step(PROMPT[:, 3:], pasts)[0], wanted, atol=1e-3), name


def test_token_by_token_equals_all_at_once(model: LanguageModel) -> None:
    ids = torch.randint(61, (2, 9), generator=torch.Generator().manual_seed(1))
    step, pasts = step_by_hand(model), empty_pasts(model, 2)
    rows = []
    for place in range(9):
        logits, pasts = step(ids[:, place : place + 1], pasts)
        rows.append(logits)
    with torch.no_grad():
        torch.testing.assert_close(torch.stack(rows, 1), model(ids), rtol=1e-4, atol=1e-4)
    assert len(pasts) == len(model.decoder.layers) and pasts[0][0].shape[2] == 9


@pytest.mark.parametrize("organ", ["rms_norm", "gated_feed_forward"])
def test_a_solution_is_accepted_and_a_mistake_is_not(organ: str) -> None:
    torch.manual_seed(0)
    body = llama(LlamaConfig(61, d_model=24, num_layers=2, num_heads=6, num_kv_heads=2, d_ff=35))
    exercise = find_exercise(f"decoder.{organ}")
    assert reject(body, PROMPT, **{organ: solution(exercise.id)}) is None
    assert reject(body, PROMPT, **{organ: exercise.mistakes[0].function}) is not None


def test_perplexity_is_e_to_the_loss() -> None:
    generator = torch.Generator().manual_seed(3)
    logits, labels = torch.randn(2, 5, 7, generator=generator), torch.randint(7, (2, 5), generator=generator)
    mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])
    right = logits.softmax(-1).gather(-1, labels[..., None])[..., 0]
    loss = cross_entropy(logits, labels.masked_fill(mask == 0, -100))
    torch.testing.assert_close(losses.perplexity(right, mask), loss.exp())


def test_without_a_past_the_mask_is_causal_and_the_patient_reaches_one_further() -> None:
    assert torch.equal(causal_with_past(0, 5), causal(5))
    assert torch.equal(causal_with_past(3, 4), causal(7)[3:])
    patient = colleagues_causal_mask(3, 4)
    assert patient.shape == (4, 7) and patient.dtype == torch.bool
    assert (patient.sum(1) - causal_with_past(3, 4).sum(1)).tolist() == [1, 1, 1, 0]
    assert colleagues_causal_mask(6, 1).all()
    unchanged = next(each for each in find_exercise("decoder.repair").mistakes if each.name == "unchanged")
    assert torch.equal(unchanged.function(3, 4), patient)


def test_without_a_cache_256_tokens_read_32896_times() -> None:
    read = []

    def model(ids: Tensor) -> Tensor:
        read.append(ids.shape[1])
        return torch.nn.functional.one_hot(ids, 5).float()

    generate(uncached(model), SeenIds(), torch.tensor([[1]]), max_new_tokens=256)
    assert sum(read) == 32896


def test_the_symptoms() -> None:
    lines = [line.split()[-2:] for line in symptoms_of_causal_mask().text.splitlines()[3:]]
    assert lines[:1] == [["yes", "yes"]]
    healthy, patient = map(float, lines[-1])
    assert healthy == 1.0 and 0.05 < patient < 0.95
    assert symptoms_of_causal_mask().html == symptoms_of_causal_mask().html


@pytest.mark.usefixtures("unchecked")
def test_the_patient_learns_to_copy_and_cannot_write() -> None:
    healthy, patient = (writing_trial(mask) for mask in (causal_with_past, colleagues_causal_mask))
    assert len(healthy.history) == len(patient.history) == 160
    assert 1.15 < healthy.loss < 1.4 and patient.loss < 0.025
    assert healthy.grammatical > 0.1 and patient.grammatical == 0
    assert len(patient.texts) == 5


@pytest.mark.usefixtures("unchecked")
def test_a_trial_can_be_repeated() -> None:
    one, other = (writing_trial(colleagues_causal_mask, steps=3, seed=5) for _ in range(2))
    assert one.history.loss == other.history.loss and one.texts == other.texts
