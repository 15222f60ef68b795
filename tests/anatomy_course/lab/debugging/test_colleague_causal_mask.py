"""The case of notebook 05, its solutions as organs, and its functions against the package's own."""

import re

import pytest
import torch
from solutions import solution

from anatomy_course.judge import find_exercise
from anatomy_course.lab.debugging.colleague.causal_mask import (
    colleagues_causal_mask,
    symptoms_of_causal_mask,
    symptoms_of_suspects,
    writing_trial,
)
from anatomy_course.lab.experiments.manual_cache import empty_pasts, step_by_hand
from anatomy_course.lab.transplant import reject
from anatomy_utils.decoding import generate
from anatomy_utils.functional.masks import causal, causal_with_past
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.llama import LlamaConfig, llama

LLAMA = LlamaConfig(61, d_model=24, num_layers=2, num_heads=6, num_kv_heads=2, d_ff=35)
GPT2 = Gpt2Config(61, d_model=24, num_layers=3, num_heads=4, max_positions=40, d_ff=35)
PROMPT = torch.tensor([[7, 3, 50, 3]])


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def model(request):
    """A model without training: grouped heads and rotary positions, or learned positions and biases."""
    torch.manual_seed(0)
    body = llama(LLAMA) if request.param == "llama" else gpt2(GPT2)
    made = LanguageModel(body, torch.nn.Linear(24, 61, bias=False)).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return made


def test_the_solutions_write_what_the_package_writes(model):
    def written(**options):
        return generate(model.step, model.start(1, 25), PROMPT, max_new_tokens=21, **options).ids

    text = written()
    assert len(set(text[0].tolist())) > 3
    write, attend = solution("decoder.write"), solution("decoder.attend_with_cache")
    assert torch.equal(write(model.step, model.start(1, 25), PROMPT, 21, -1), text)
    for stop, wanted in ((-1, text), (int(text[0, 9]), written(stop_ids=[int(text[0, 9])]))):
        assert torch.equal(write(step_by_hand(model, attend), empty_pasts(model), PROMPT, 21, stop), wanted)


def test_a_broken_cache_says_something_else(model):
    with torch.no_grad():
        wanted = model(PROMPT)[:, -1]
    broken = {mistake.name: mistake.function for mistake in find_exercise("decoder.attend_with_cache").mistakes}
    for name in ("no_mask", "new_only", "past_forgotten", "not_scaled"):
        step, pasts = step_by_hand(model, broken[name]), empty_pasts(model)
        for ids in PROMPT.split([2, 1, 1], dim=1):
            logits, pasts = step(ids, pasts)
        assert not torch.allclose(logits, wanted, atol=1e-3), name


def test_token_by_token_equals_all_at_once(model):
    ids = torch.randint(61, (2, 9), generator=torch.Generator().manual_seed(1))
    step, pasts, rows = step_by_hand(model), empty_pasts(model, 2), []
    for token in ids.split(1, dim=1):
        logits, pasts = step(token, pasts)
        rows.append(logits)
    with torch.no_grad():
        torch.testing.assert_close(torch.stack(rows, 1), model(ids), rtol=1e-4, atol=1e-4)
    assert len(pasts) == len(model.decoder.layers) and pasts[0][0].shape[2] == 9


@pytest.mark.parametrize("organ", ["rms_norm", "gated_feed_forward"])
def test_a_solution_is_accepted_and_a_mistake_is_not(organ):
    torch.manual_seed(0)
    body, exercise = llama(LLAMA), find_exercise(f"decoder.{organ}")
    assert reject(body, PROMPT, **{organ: solution(exercise.id)}) is None
    assert reject(body, PROMPT, **{organ: exercise.mistakes[0].function}) is not None


def test_without_a_past_the_mask_is_causal_and_the_patient_reaches_one_further():
    assert torch.equal(causal_with_past(0, 5), causal(5))
    assert torch.equal(causal_with_past(3, 4), causal(7)[3:])
    patient = colleagues_causal_mask(3, 4)
    assert patient.shape == (4, 7) and patient.dtype == torch.bool
    assert (patient.sum(1) - causal_with_past(3, 4).sum(1)).tolist() == [1, 1, 1, 0]
    assert colleagues_causal_mask(6, 1).all()
    unchanged = next(each for each in find_exercise("decoder.repair").mistakes if each.name == "unchanged")
    assert torch.equal(unchanged.function(3, 4), patient)


def test_one_test_of_six_tells_the_suspects_apart():
    rows = [re.split(r"  +", line) for line in symptoms_of_suspects().text.splitlines()[2:]]
    assert [name for name, *told in rows if len(set(told)) == 5] == ["the second word sees"]


def test_the_symptoms():
    lines = [line.split()[-2:] for line in symptoms_of_causal_mask().text.splitlines()[3:]]
    assert lines[:1] == [["yes", "yes"]]
    healthy, patient = map(float, lines[-1])
    assert healthy == 1.0 and 0.05 < patient < 0.95


@pytest.mark.usefixtures("unchecked")
def test_the_patient_learns_to_copy_and_cannot_write():
    healthy, patient = writing_trial(causal_with_past, steps=90), writing_trial(colleagues_causal_mask)
    assert len(healthy.history) == 90 and len(patient.history) == 160
    assert 1.15 < healthy.loss < 1.4 and patient.loss < 0.025
    assert healthy.grammatical > 0.1 and patient.grammatical == 0
    assert len(patient.texts) == 5
