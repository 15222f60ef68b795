"""T5 against the Hugging Face implementation, and version 1.1, whose projection is its own."""

from __future__ import annotations

import torch
from zoo_cases import ZooCase, batch, cases_of
from zoo_checks import TOLERANCE, EncoderDecoderChecks

from anatomy_utils.zoo import checkpoint, loader

T5 = {
    "vocab_size": 53, "d_model": 30, "d_kv": 7, "d_ff": 41, "num_layers": 3, "num_decoder_layers": 2, "num_heads": 5,
    "relative_attention_num_buckets": 8, "relative_attention_max_distance": 12, "decoder_start_token_id": 0,
}  # fmt: skip
CASES = [
    ZooCase("T5ForConditionalGeneration", T5),
    ZooCase("T5ForConditionalGeneration", T5, {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
    *cases_of("T5", "Model EncoderModel ForQuestionAnswering ForSequenceClassification ForTokenClassification", T5),
]


class TestT5(EncoderDecoderChecks):
    cases = CASES
    lacks = (({"feed_forward_proj": "gated-silu"}, "feed_forward_proj"),)


def test_an_untied_t5_has_a_projection_of_its_own(tmp_path):
    # transformers 5 ties every T5 that it builds; published 1.1 folders say otherwise and carry lm_head.weight.
    reference = ZooCase("T5ForConditionalGeneration", T5, {"feed_forward_proj": "gated-gelu"}).reference()
    reference.config.scale_decoder_outputs = False
    reference.save_pretrained(tmp_path)
    config, tensors = checkpoint.read_folder(tmp_path)
    projection = 0.2 * torch.randn(53, 30, generator=torch.Generator().manual_seed(3))
    config |= {"tie_word_embeddings": False}
    model = loader("t5")(config, tensors | {"lm_head.weight": projection})
    assert model.vocabulary.weight is not model.decoder.embeddings.tokens.weight
    reference.lm_head.weight = torch.nn.Parameter(projection)
    input_ids, attention_mask, target_ids = batch(True)
    wanted = reference(input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=target_ids).logits
    torch.testing.assert_close(model(input_ids, target_ids, attention_mask), wanted, **TOLERANCE)
