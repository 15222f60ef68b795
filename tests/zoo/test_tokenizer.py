"""The tokenizer of MiniLM against the Hugging Face implementation, and files that are damaged."""

from __future__ import annotations

import pytest

from anatomy_utils import pretrained
from anatomy_utils.zoo.tokenizer import Tokenizer

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "time flies like an arrow",
    "fruit flies like a banana 🍌",
]


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


def test_damaged_files_are_refused(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="damaged or not a tokenizer file"):
        Tokenizer.from_file(tmp_path / "tokenizer.json")
