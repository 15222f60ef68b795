"""T5 1.1, whose projection is its own."""

import torch
from zoo_cases import T5, ZooCase, batch

from anatomy_utils.zoo import checkpoint, loader


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
    torch.testing.assert_close(model(input_ids, target_ids, attention_mask), wanted, atol=1e-5, rtol=1e-5)
