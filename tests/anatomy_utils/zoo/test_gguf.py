"""The real SmolLM2 from its GGUF file against the transformers library's own reading of the same file."""

import warnings
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
import torch
from tiny_gguf import written
from unchecked import unchecked

from anatomy_course import views
from anatomy_utils import pretrained
from anatomy_utils.decoding import Filters, generate
from anatomy_utils.zoo.gguf import GgufFile
from anatomy_utils.zoo.unpacked import unpack

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
gguf = pytest.importorskip("gguf", reason="the gguf package is not installed")

BEGINNINGS = [
    "The capital of France is", "Thanks for lunch, I had a", "Water boils at", "My favourite animal is the",
    "Once upon a time there was", "2 + 2 =", "The sun rises in the", "She opened the door and",
    "Python is a language that", "The animal didn't cross the street because",
]  # fmt: skip
ENDINGS = ["", " not", " a very", " 7", " «"]
PROMPTS = [beginning + ending for beginning in BEGINNINGS for ending in ENDINGS]


@pytest.fixture(scope="module")
def smollm2():
    return pretrained.load("smollm2")


@pytest.fixture(scope="module")
def reference():
    path = pretrained.PACKAGES["smollm2"].path()
    with unchecked(), warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        for name in ("GGUFReader", "get_tensor_name_map"):  # which it asks again for every object and every tensor
            patch.setattr(gguf, name, cache(getattr(gguf, name)))
        model = transformers.AutoModelForCausalLM.from_pretrained(str(path.parent), gguf_file=path.name)
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(path.parent), gguf_file=path.name)
    return model.eval(), tokenizer


@pytest.mark.usefixtures("unchecked")
def test_logits_and_greedy_text_equal_the_reference(smollm2, reference):
    (model, tokenizer), (their_model, their_tokenizer) = smollm2, reference
    for prompt in PROMPTS:
        assert tokenizer(prompt).input_ids[0].tolist() == their_tokenizer(prompt)["input_ids"]
    by_length = defaultdict(list)
    for beginning in BEGINNINGS:
        input_ids = tokenizer(beginning).input_ids
        by_length[input_ids.shape[1]].append(input_ids)
    for length, alike in by_length.items():
        with torch.no_grad():
            ids = generate(model.step, model.start(len(alike), 64), torch.cat(alike), max_new_tokens=6).ids
            wanted = their_model(ids).logits
            torch.testing.assert_close(model(ids), wanted, atol=1e-3, rtol=0)
        assert ids[:, length:].tolist() == wanted.argmax(-1)[:, length - 1 : -1].tolist()


def test_the_tokenizer_reads_special_tokens_and_writes_text_back(smollm2):
    _, tokenizer = smollm2
    batch = tokenizer("<|im_start|>user\nHello, wörld 2026!<|im_end|>")
    assert batch.input_ids[0, 0] == 1
    assert batch.input_ids[0, -1] == 2
    assert tokenizer.decode(tokenizer("Hello, wörld 2026!").input_ids[0]) == "Hello, wörld 2026!"


def test_the_view_of_logits(smollm2):
    """49,152 logits do not travel whole, yet the probabilities are those of the filters; pieces keep their spaces."""
    model, tokenizer = smollm2
    filters = Filters(temperature=1.3, top_p=0.8)
    explorer = views.explore_logits(model, tokenizer, "Thanks for lunch, I had a", filters=filters)
    assert explorer.tokens[-2:] == ["␣had", "␣a"]
    with torch.no_grad():
        logits = model(tokenizer("Thanks for lunch, I had a").input_ids)[:, -1]
    wanted = filters(logits, torch.zeros(1, 1, dtype=torch.long)).softmax(-1)[0].sort(descending=True).values
    found = explorer.distribution()
    assert found.after[:60] == pytest.approx(wanted[:60].tolist(), rel=1e-3)
    assert found.after[60:].sum() == pytest.approx(float(wanted[60:].sum()), abs=1e-3)
    assert found.kept.sum() == pytest.approx(int((wanted > 0).sum()), rel=5e-3)
    assert explorer.truth[4]["name"] == explorer.names.index("␣had")


STRANGE = {
    "no sizes": ({"sizes": {}}, "hidden_size is None in this configuration, but a whole number"),
    "no vocabulary": ({"tokens": ()}, r"can be read here \(it lacks tokenizer\.ggml\.tokens\); fetch it again"),
    "a merge of nothing": ({"merges": ("x y",)}, r"can be read here \(.*`x` out of vocabulary\); fetch it again"),
    "padding out of range": ({"padding": 99}, r"can be read here \(list index out of range\); fetch it again"),
    "NaN": ({"queries": lambda shape, dtype: np.full(shape, np.nan, dtype)}, "NaN or infinity: decoder.layers.0.self_"),
    "whole numbers": (
        {"queries": lambda shape, dtype: np.ones(shape, np.int8)},
        r"can be read here \(.*I8 .*\); fetch",
    ),
    "another shape": ({"queries": lambda shape, dtype: np.ones((7, 8), dtype)}, r"can be read here \(shape .*"),
}


def test_the_first_token_pads_where_the_file_names_none(tmp_path):
    tokenizer = GgufFile(written(tmp_path / "model.gguf", padding=None)).tokenizer()
    assert tokenizer(["aab", "b"]).input_ids.tolist() == [[1, 3], [0, 2]]


@pytest.mark.parametrize("name", STRANGE)
def test_strange_files_get_one_sentence(name, tmp_path):
    changes, sentence = STRANGE[name]
    with pytest.raises(ValueError, match=sentence) as caught:
        pretrained.load(written(tmp_path / "model.gguf", **changes))
    assert "\n" not in str(caught.value)


def test_damaged_files_are_refused(tmp_path):
    path = pretrained.PACKAGES["smollm2"].path()
    broken = tmp_path / "model.gguf"
    broken.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(ValueError, match="damaged or not a GGUF file"):
        GgufFile(broken)
    with pytest.raises(ValueError, match="not the published file"):
        unpack(broken, "0" * 64)
    with pytest.raises(ValueError, match="There is no file"):
        pretrained.load(tmp_path / "missing.gguf")
