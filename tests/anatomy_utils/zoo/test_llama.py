"""Llama against the Hugging Face implementation; weights that are saved and loaded again."""

from __future__ import annotations

import torch
from zoo_cases import LLAMA, ZooCase, batch, cases_of, ours
from zoo_checks import LanguageModelChecks

TIED = {"tie_word_embeddings": True}
CASES = [
    *cases_of(
        "Llama", "Model ForCausalLM ForQuestionAnswering ForSequenceClassification ForTokenClassification", LLAMA
    ),
    ZooCase("LlamaForCausalLM", LLAMA, TIED | {"attention_bias": True, "mlp_bias": True}),
]


class TestLlama(LanguageModelChecks):
    cases = CASES
    lacks = (({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, "scaled"),)


def test_save_load_gives_the_same(tmp_path):
    model = ours(ZooCase("LlamaForCausalLM", LLAMA, TIED).reference(), tmp_path)
    again = ours(ZooCase("LlamaForCausalLM", LLAMA, TIED).reference(1), tmp_path)
    input_ids = batch(False)[0]
    assert not torch.equal(model(input_ids), again(input_ids))
    again.load_state_dict(model.state_dict())
    assert torch.equal(model(input_ids), again(input_ids))
