"""The tokenizer of MiniLM against the Hugging Face implementation, and files that are damaged."""

import json
import os

import pytest
from tokenizers import Tokenizer as RustTokenizer, models
from unchecked import shapes_unchecked

from anatomy_utils import pretrained
from anatomy_utils.zoo.tokenizer import Tokenizer

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

TEXTS = [
    "The animal didn't cross the street because it was too tired.",
    "time flies like an arrow",
    "fruit flies like a banana 🍌",
]


@pytest.fixture(scope="module")
def tokenizer():
    return pretrained.load("minilm").tokenizer


def test_tokenizer_equals_reference(tokenizer):
    reference = transformers.AutoTokenizer.from_pretrained(str(pretrained.PACKAGES["minilm"].path()))
    wanted = reference(TEXTS, padding=True, return_tensors="pt")
    got = tokenizer(TEXTS)
    assert got.input_ids.tolist() == wanted["input_ids"].tolist()
    assert got.attention_mask.tolist() == wanted["attention_mask"].tolist()
    assert tokenizer.decode(got.input_ids[1]) == TEXTS[1]
    assert got.position("flies", row=1) == 2
    with pytest.raises(ValueError, match="no token 'cat'"):
        got.position("cat")


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (None, "Give a text or a list of texts, not None"),
        ([], r"Give a text or a list of texts, not \[\]"),
        (b"time", "Give a text or a list of texts, not b'time'"),
        ({"time": 1}, "Give a text or a list of texts, not {'time': 1}"),
        (["time", 2], "Give a text or a list of texts; number 1 of these is 2"),
        ("\ud800", r"Text 0 holds half of a character at 0 \('\\ud800', a lone surrogate\).*leave it out"),
        (["time", "fl\udc80ies"], r"Text 1 holds half of a character at 2 \('\\udc80', a lone surrogate\)"),
    ],
)
def test_what_is_no_text_is_named(texts, sentence, tokenizer):
    with shapes_unchecked(), pytest.raises(ValueError, match=sentence):
        tokenizer(texts)


def test_long_texts_are_cut_off_where_asked(tokenizer):
    cut = tokenizer([TEXTS[1], "time"], max_length=4)
    assert cut.tokens == [["[CLS]", "time", "flies", "[SEP]"], ["[CLS]", "time", "[SEP]", "[PAD]"]]
    assert tokenizer(TEXTS[1]).input_ids.shape == (1, 7)  # the next call knows no limit
    for wrong in (2, 2.5, 10**30):
        with (
            shapes_unchecked(),
            pytest.raises(ValueError, match=f"max_length is {wrong!r}, but a whole number above 2"),
        ):
            tokenizer("time", max_length=wrong)


def test_a_text_beyond_the_models_positions_names_the_cure(tokenizer):
    model, long = pretrained.load("minilm").model, "time " * 600
    with pytest.raises(ValueError, match=r"has 602 positions, .* ends at 512; .*tokenizer\(texts, max_length=512\)"):
        model(tokenizer(long).input_ids)
    assert model(tokenizer(long, max_length=512).input_ids).shape == (1, 512, 384)


@pytest.mark.parametrize("ids", [None, ["a"], [-1]])
def test_what_is_no_list_of_ids_is_named(ids, tokenizer):
    with shapes_unchecked(), pytest.raises(ValueError, match=r"Give a list of ids, whole numbers from 0 on, not "):
        tokenizer.decode(ids)


@pytest.fixture
def stored(tmp_path):
    """Writes MiniLM's file with some entries changed."""

    def write(**changes):
        minilm = (pretrained.PACKAGES["minilm"].path() / "tokenizer.json").read_text(encoding="utf-8")
        (tmp_path / "tokenizer.json").write_text(json.dumps(json.loads(minilm) | changes), encoding="utf-8")
        return tmp_path / "tokenizer.json"

    return write


@pytest.mark.parametrize("where", ["normalizer", "pre_tokenizer", "decoder"])
def test_a_tokenizer_that_blows_texts_up_is_refused(where, stored):
    double = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    parts = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}[where]

    def doubled(times):
        return stored(**{where: {"type": "Sequence", parts: [{"type": "Sequence", parts: [double] * times}]}})

    with pytest.raises(ValueError, match="may make a text more than 10,000 times as long; fetch it again"):
        Tokenizer.from_file(doubled(26))
    if where != "pre_tokenizer":  # which the library knows no Replace for
        Tokenizer.from_file(doubled(3))


def test_damaged_files_are_refused(stored, tmp_path):
    words = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {"time": 0}}
    unknown = Tokenizer.from_file(stored(model={"type": "WordPiece", "unk_token": "[UNK]"} | words))
    with pytest.raises(ValueError, match=r"cannot read the text \(.*\[UNK\].*\); fetch its tokenizer.json again"):
        unknown("zebra")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="damaged or not a tokenizer file"):
        Tokenizer.from_file(tmp_path / "tokenizer.json")
    os.truncate(tmp_path / "tokenizer.json", 50_000_001)
    with pytest.raises(ValueError, match="has 50,000,001 bytes, but at most 50,000,000 are expected"):
        Tokenizer.from_file(tmp_path / "tokenizer.json")


def test_byte_pairs_are_as_published(tokenizer):
    made = RustTokenizer(models.BPE({"b": 0, "a": 1, "ab": 2, "aba": 3}, [("a", "b"), ("ab", "a")]))
    assert Tokenizer(made).byte_pairs() == (["b", "a", "ab", "aba"], ["a b", "ab a"])
    with pytest.raises(ValueError, match="This is a WordPiece tokenizer, which merges no pairs"):
        tokenizer.byte_pairs()
