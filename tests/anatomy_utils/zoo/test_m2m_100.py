"""M2M-100: prompts of unequal length, and one that names a language."""

import pytest
import torch
from zoo_cases import M2M_100, ZooCase, batch, ours

from anatomy_utils.functional import masks
from anatomy_utils.zoo.m2m_100 import Waves, prompt

TOLERANCE = {"atol": 1e-5, "rtol": 1e-5}


def test_waves_come_in_pairs():
    with pytest.raises(ValueError, match="pairs, but d_model is 7; choose an even width"):
        Waves(7, 2)


def test_target_prompts_may_be_padded_at_the_head(tmp_path):
    model = ours(ZooCase("M2M100Model", M2M_100).reference(), tmp_path)
    input_ids, attention_mask, target_ids = batch(True)
    prompts = torch.cat([torch.zeros(1, 3, dtype=torch.long), target_ids[:1, :5]], 1)
    prompts = torch.cat([prompts, target_ids[1:, :8]])
    prompt_mask = torch.ones_like(prompts)
    prompt_mask[0, :3] = 0
    with torch.no_grad():
        wanted = model(input_ids, target_ids, attention_mask)
        memory, memory_mask = model.encoder(input_ids, attention_mask), masks.padding(attention_mask)
        cache = model.decoder.start(2, 9, attention_mask=prompt_mask, memory=memory, memory_mask=memory_mask)
        states, cache = model.decoder.step(prompts, cache)
        torch.testing.assert_close(states[0, 3:], wanted[0, :5], **TOLERANCE)
        torch.testing.assert_close(states[1], wanted[1, :8], **TOLERANCE)
        states, _ = model.decoder.step(torch.stack([target_ids[0, 5:6], target_ids[1, 8:]]), cache)
        torch.testing.assert_close(states[:, 0], torch.stack([wanted[0, 5], wanted[1, 8]]), **TOLERANCE)


def test_m2m_100_writes_behind_a_language_token_as_the_reference_does(tmp_path):
    reference = ZooCase("M2M100ForConditionalGeneration", M2M_100).reference(2)
    model = ours(reference, tmp_path)
    input_ids, attention_mask, _ = batch(True)
    input_ids = input_ids.masked_fill(attention_mask == 0, 1)
    wanted = reference.generate(
        input_ids=input_ids, attention_mask=attention_mask, forced_bos_token_id=7, max_new_tokens=6, num_beams=1,
        return_dict_in_generate=True, output_logits=True,
    )  # fmt: skip
    prompts = prompt(torch.tensor([7, 7]))
    assert wanted.sequences[:, :2].tolist() == prompts.tolist()
    with torch.no_grad():
        logits, cache = model.step(prompts, model.start(input_ids, 7, attention_mask=attention_mask))
        for i, theirs in enumerate(wanted.logits[1:], 2):
            torch.testing.assert_close(logits, theirs, **TOLERANCE)
            logits, cache = model.step(wanted.sequences[:, i : i + 1], cache)
