"""BERT and the real MiniLM against the Hugging Face implementation."""

from __future__ import annotations

import pytest
import torch
from zoo_cases import BERT, cases_of
from zoo_checks import ReferenceChecks

from anatomy_utils import pretrained
from anatomy_utils.tap import watch
from anatomy_utils.zoo import bert, checkpoint

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "time flies like an arrow",
    "fruit flies like a banana 🍌",
]
CASES = [
    *cases_of("Bert", "Model ForMaskedLM ForPreTraining ForNextSentencePrediction ForQuestionAnswering", BERT),
    *cases_of("Bert", "ForMultipleChoice ForSequenceClassification ForTokenClassification", BERT),
]


class TestBert(ReferenceChecks):
    cases = CASES
    lacks = (({"hidden_act": "relu"}, "hidden_act is 'relu', but BERT here has 'gelu'"),)


def load_tiny(folder):
    return bert.FAMILY.load(*checkpoint.read_folder(folder))


def batch():
    generator = torch.Generator().manual_seed(1)
    input_ids = torch.randint(0, 53, (3, 17), generator=generator)
    attention_mask = torch.ones_like(input_ids)
    attention_mask[1, 11:] = 0
    return input_ids, attention_mask, torch.randint(0, 2, (3, 17), generator=generator)


def test_tiny_bert_equals_reference_with_gradients(tiny):
    reference, folder = tiny
    ours = load_tiny(folder)
    input_ids, attention_mask, segment_ids = batch()
    wanted = reference(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=segment_ids)[0]
    got = ours(input_ids, attention_mask, segment_ids)
    real = attention_mask.bool()
    torch.testing.assert_close(got[real], wanted[real], atol=1e-5, rtol=0)
    upstream = torch.randn(wanted[real].shape, generator=torch.Generator().manual_seed(2))
    got[real].backward(upstream)
    wanted[real].backward(upstream)
    for published, parameter in reference.named_parameters():
        for name in bert.KEYS.ours(published, parameter):
            torch.testing.assert_close(ours.get_parameter(name).grad, parameter.grad, atol=1e-5, rtol=1e-4, msg=name)


def test_tiny_bert_in_bfloat16_runs(tiny):
    _, folder = tiny
    input_ids, attention_mask, _ = batch()
    assert load_tiny(folder).bfloat16()(input_ids, attention_mask).isfinite().all()


@pytest.mark.parametrize("batched", [True, False])
def test_minilm_equals_reference_in_every_layer(batched):
    encoder, tokenizer = pretrained.load("minilm")
    folder = str(pretrained.PACKAGES["minilm"].path())
    reference = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    for texts in [TEXTS] if batched else [[text] for text in TEXTS]:
        encoded = tokenizer(texts)
        with torch.no_grad(), watch(encoder) as seen:
            encoder(encoded.input_ids, encoded.attention_mask)
            wanted = reference(
                encoded.input_ids, encoded.attention_mask, output_hidden_states=True, output_attentions=True
            )
        real = encoded.attention_mask.bool()
        layers = [seen["embeddings.output"], *(seen[f"layers.{i}.output"] for i in range(6))]
        assert len(wanted.hidden_states) == len(layers) == 7
        for got, reference_states in zip(layers, wanted.hidden_states, strict=True):
            torch.testing.assert_close(got[real], reference_states[real], atol=1e-5, rtol=0)
        for i, reference_weights in enumerate(wanted.attentions):
            torch.testing.assert_close(seen[f"layers.{i}.self_attention.weights"], reference_weights, atol=1e-5, rtol=0)


def test_minilm_does_not_let_padding_leak():
    encoder, tokenizer = pretrained.load("minilm")
    together, alone = tokenizer(TEXTS), tokenizer(TEXTS[1])
    with torch.no_grad():
        got = encoder(together.input_ids, together.attention_mask)[1, : alone.input_ids.shape[1]]
        torch.testing.assert_close(got, encoder(alone.input_ids)[0], atol=1e-5, rtol=0)
