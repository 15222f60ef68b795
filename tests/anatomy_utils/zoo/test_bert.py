"""BERT with segments, and the real MiniLM, against the Hugging Face implementation."""

import pytest
import torch

from anatomy_utils import pretrained
from anatomy_utils.tap import watch
from anatomy_utils.zoo import bert

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "time flies like an arrow",
    "fruit flies like a banana 🍌",
]


def test_tiny_bert_equals_reference_with_gradients(saved_bert, published):
    reference, ours = saved_bert[0], bert.FAMILY.load(*published)
    generator = torch.Generator().manual_seed(1)
    input_ids, segment_ids = (torch.randint(0, high, (3, 17), generator=generator) for high in (53, 2))
    attention_mask = torch.ones_like(input_ids)
    attention_mask[1, 11:] = 0
    wanted = reference(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=segment_ids)[0]
    got = ours(input_ids, attention_mask, segment_ids)
    real = attention_mask.bool()
    torch.testing.assert_close(got[real], wanted[real], atol=1e-5, rtol=0)
    upstream = torch.randn(wanted[real].shape, generator=torch.Generator().manual_seed(2))
    got[real].backward(upstream)
    wanted[real].backward(upstream)
    for theirs, parameter in reference.named_parameters():
        for name in bert.KEYS.ours(theirs, parameter):
            torch.testing.assert_close(ours.get_parameter(name).grad, parameter.grad, atol=1e-5, rtol=1e-4, msg=name)


def test_minilm_equals_reference_in_every_layer():
    encoder, tokenizer = pretrained.load("minilm")
    folder = str(pretrained.PACKAGES["minilm"].path())
    reference = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    encoded = tokenizer(TEXTS)
    with torch.no_grad(), watch(encoder) as seen:
        encoder(encoded.input_ids, encoded.attention_mask)
        wanted = reference(encoded.input_ids, encoded.attention_mask, output_hidden_states=True, output_attentions=True)
    real = encoded.attention_mask.bool()
    layers = [seen["embeddings.output"], *(seen[f"layers.{i}.output"] for i in range(6))]
    assert len(wanted.hidden_states) == len(layers) == 7
    for got, reference_states in zip(layers, wanted.hidden_states, strict=True):
        torch.testing.assert_close(got[real], reference_states[real], atol=1e-5, rtol=0)
    for i, reference_weights in enumerate(wanted.attentions):
        torch.testing.assert_close(seen[f"layers.{i}.self_attention.weights"], reference_weights, atol=1e-5, rtol=0)
