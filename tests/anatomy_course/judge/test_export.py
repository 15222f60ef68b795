"""The exported program: the learner's own code, which trains, writes and runs published weights without the course."""

from __future__ import annotations

import argparse
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from exported import loaded, solved
from unchecked import unchecked

from anatomy_course.capstone.program.export import export
from anatomy_course.capstone.program.own import pieces
from anatomy_utils import pretrained
from anatomy_utils.decoding.generation import generate
from anatomy_utils.training.byte_pairs import train_byte_pairs

SMALL = (
    "--steps 6 --batch 4 --length 16 --d-model 16 --num-layers 1 --num-heads 2 --vocabulary-size 280 --warmup 2 "
    "--every 3"
).split()
PROMPTS = """The capital of France is|Water boils at|Once upon a time|def add(a, b):|import torch|The opposite of hot is
Two plus two is|The sky is|Dear Sir or Madam,|In 1969, humans|A cat sat on|My favorite color|Roses are red,|1, 2, 3, 4,
The largest planet|An apple a day|To be or not|She opened the door|He said, "|The price is $19.99|Paris, London, Berlin
for i in range(10):|class Dog:|print("Hello|x = [1, 2, 3]|The moon|Winter is|I don't know|They're going|We've been here
Naïve café|Ελλάδα|Добрый день|日本|emoji 🙂 and|100 000|3.14159|a+b=c|http://example.com|   three spaces|Name:\tAda
What is love?|The train leaves|After the rain|Bread and|Once more,|Nobody knows|The first law|If you|Music is"""
PROMPTS_LIST = [prompt for line in PROMPTS.splitlines() for prompt in line.split("|")]
WRITTEN = 8
"""Tokens after each prompt."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("elsewhere")
    export(folder / "my_gpt.py", record=solved(folder))
    return loaded(folder / "my_gpt.py")


@pytest.fixture
def texts(tmp_path: Path) -> str:
    folder = tmp_path / "texts"
    (folder / "inner").mkdir(parents=True)
    for number in range(25):
        (folder / "inner" / f"{number}.py").write_text(f"def add_{number}(a, b):\n    return a + b + {number}\n")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return str(folder)


def test_it_holds_the_pieces_in_their_order_and_nothing_of_the_course(tmp_path: Path) -> None:
    made = export(tmp_path / "my_gpt.py", record=solved(tmp_path))
    text = made.path.read_text()
    assert made.yours == tuple(pieces()) and not made.ours
    assert re.findall(r"^# (workshop\.\w+): yours$", text, re.M) == [each.id for each in pieces().values()]
    assert "anatomy_utils" not in text and "exercise(" not in text and "jaxtyping" not in text
    assert max(map(len, text.splitlines())) <= 120


def test_a_missing_piece_is_ours_and_marked(tmp_path: Path) -> None:
    made = export(tmp_path / "my_gpt.py", record=solved(tmp_path, without=("own_name", "FeedForward")))
    assert made.ours.keys() == {"own_name", "FeedForward"}
    mark = "# workshop.own_name: the course's own, since you have not passed this exercise yet\n"
    assert mark in made.path.read_text()
    assert "FeedForward: the course's own, since you have not passed" in repr(made)


def test_a_piece_that_uses_the_course_is_ours(tmp_path: Path) -> None:
    own = "from anatomy_utils.decoding.sampling import greedy as greedy\n"
    own += "def next_id(logits, temperature, top_k, generator):\n    return greedy(logits)\n"
    made = export(tmp_path / "my_gpt.py", record=solved(tmp_path, next_id=own))
    assert made.ours == {"next_id": "since yours uses anatomy_utils.decoding.sampling, a part of the course"}


def test_helpers_of_the_same_name_stay_apart_and_earlier_pieces_are_not_repeated(tmp_path: Path) -> None:
    helper = "LIMIT = {}\ndef helped(x):\n    return x + LIMIT\n"
    rate = "def learning_rate(step, steps, warmup, peak, end):\n    return helped(step)\n"
    name = "def own_name(published):\n    return helped(x=published, LIMIT=1)\n"
    first = helper.format(1) + rate
    second = helper.format(2) + "class GPT:\n    pass\n" + name
    made = export(tmp_path / "my_gpt.py", record=solved(tmp_path, learning_rate=first, own_name=second))
    text = made.path.read_text()
    assert not made.ours and text.count("class GPT") == 1
    assert "return helped_of_own_name(x=published, LIMIT=1)" in text and "return x + LIMIT_of_own_name" in text
    assert loaded(made.path).learning_rate(5, 0, 0, 0, 0) == 6


def test_a_renamed_piece_has_its_usual_name(tmp_path: Path) -> None:
    own = "class Mine(torch.nn.Module):\n"
    own += "    def __init__(self, d_model, d_inner):\n        super(Mine, self).__init__()\n"
    made = export(tmp_path / "my_gpt.py", record=solved(tmp_path, FeedForward=own))
    assert "class FeedForward(torch.nn.Module):" in made.path.read_text()
    assert "super(FeedForward, self)" in made.path.read_text()


@pytest.mark.parametrize("path", ["my_gpt", "missing/folder/my_gpt.py"])
def test_a_place_that_cannot_be_is_told(path: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ends in .py|cannot be written"):
        export(tmp_path / path, record=solved(tmp_path))


def test_its_vocabulary_is_the_course_s(program: Any) -> None:
    text = "low lower lowest, newer newest 🙂 wide wider widest " * 3 + "aaaa aaa"
    assert program.learn_merges(text, 300) == train_byte_pairs(text, 300)


def test_it_trains_saves_resumes_and_writes(
    program: Any, texts: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, parts = tmp_path / "whole.pt", tmp_path / "parts.pt"
    losses = tmp_path / "losses.json"
    assert program.main(["train", texts, "--model", str(whole), "--losses", str(losses), *SMALL]) == 0
    first = json.loads(losses.read_text())
    assert len(first) == 6 and first[0] == pytest.approx(math.log(280), abs=0.3) and first[-1] < first[0] - 0.1

    step, calls = program.training_step, []

    def interrupted(*given: Any) -> float:
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(0)
        return float(step(*given))

    monkeypatch.setattr(program, "training_step", interrupted)
    assert program.main(["train", texts, "--model", str(parts), *SMALL]) == 0
    assert "Stopped at step 3; what was learned is kept" in capsys.readouterr().out
    monkeypatch.setattr(program, "training_step", step)
    program.main(["train", texts, "--model", str(parts), "--losses", str(losses), *SMALL])
    assert first == [*first[:3], *json.loads(losses.read_text())], "it goes on to the last bit"

    capsys.readouterr()
    write = ["write", "def é", "--model", str(parts), "--tokens", "9", "--temperature", "0.7", "--top-k", "5"]
    once, again = [(program.main(write), capsys.readouterr().out) for _ in range(2)]
    assert once == again and once[0] == 0 and once[1].startswith("def é") and len(once[1]) > 6


def test_bad_input_gets_one_sentence(
    program: Any, texts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    other = tmp_path / "short"
    other.mkdir()
    (other / "a.txt").write_text("short")
    model = str(tmp_path / "none.pt")
    for words, said in (
        (["train", str(tmp_path / "nowhere")], "There is no folder"),
        (["train", str(tmp_path / "empty")], "No file in"),
        (["train", str(other), *SMALL], "window"),
        (["write", "def"], "train a model first"),
        (["smollm2", model, "Hi"], "There is no file"),
        (["smollm2", str(other / "a.txt"), "Hi"], "is damaged or no GGUF file"),
    ):
        assert program.main([*words, *([] if words[0] == "smollm2" else ["--model", model])]) == 2
        complaint = capsys.readouterr().err.strip()
        assert said in complaint and "\n" not in complaint


def test_characters_wait_until_they_are_whole(program: Any) -> None:
    pieces_of = list(program.streamed(list("a🙂b".encode()), lambda ids: bytes(ids).decode("utf-8", "replace")))
    assert pieces_of == ["a", "🙂", "b", ""]


@pytest.fixture(scope="module")
def smollm2(program: Any) -> Any:
    package = pretrained.PACKAGES["smollm2"].path()
    assert package is not None
    return package, program.load_smollm2(str(package))


def test_smollm2_writes_the_same_as_the_course_s_own(program: Any, smollm2: Any) -> None:
    """With a cache, after each prompt, the text of the course's own model."""
    _, (model, read, say, _) = smollm2
    own, tokenizer = pretrained.load("smollm2")
    batch = tokenizer(PROMPTS_LIST)
    assert len(PROMPTS_LIST) >= 50
    cache = own.start(len(PROMPTS_LIST), batch.input_ids.shape[1] + WRITTEN, attention_mask=batch.attention_mask)
    with unchecked():
        written = generate(
            own.step, cache, batch.input_ids, max_new_tokens=WRITTEN, attention_mask=batch.attention_mask
        ).new_ids
    asked = [ids[mask.bool()].tolist() for ids, mask in zip(batch.input_ids, batch.attention_mask, strict=True)]
    assert [read(prompt) for prompt in PROMPTS_LIST] == asked
    assert [say(new) for new in written.tolist()] == [tokenizer.decode(new) for new in written.tolist()]
    cached = program.CachedModel(model, model.num_heads, model.base)
    for prompt, ids, new in zip(PROMPTS_LIST, asked, written.tolist(), strict=True):
        assert list(program.continued(cached, ids, torch.argmax, WRITTEN, 2048, [])) == new, prompt
        assert cached.read == len(ids) + WRITTEN - 1, "each token was read once"


@pytest.mark.parametrize("kind", ["GPT", "Llama"])
def test_with_a_cache_the_logits_are_the_same(program: Any, kind: str) -> None:
    torch.manual_seed(0)
    model = program.GPT(11, 9, 12, 2, 3) if kind == "GPT" else program.Llama(11, 24, 2, 6, 2, 7, 50.0, 1e-3)
    for parameter in model.parameters():
        parameter.data += torch.randn_like(parameter) / 3
    cached = program.CachedModel(model, *((3,) if kind == "GPT" else (6, 50.0)))
    ids = torch.randint(11, (2, 9))
    with torch.no_grad():
        parts = [cached(part) for part in ids.split([4, 1, 1, 3], dim=1)]
        torch.testing.assert_close(torch.cat(parts, dim=1), model(ids), rtol=1e-4, atol=1e-4)


def test_a_text_beyond_the_window_is_read_anew(program: Any) -> None:
    torch.manual_seed(0)
    model, ids = program.GPT(11, 6, 12, 2, 3), [1, 2, 3]
    cached, whole = program.CachedModel(model, 3), list(ids)
    one, other = (argparse.Namespace(seed=4, temperature=1.0, top_k=11) for _ in range(2))
    written = list(program.continued(cached, ids, program.chooser(one), 9, 6, []))
    choose = program.chooser(other)
    for _ in range(9):
        whole.append(choose(model(torch.tensor([whole[-6:]]))[0, -1]))
    assert [*ids, *written] == whole and len(set(written)) > 2


def test_smollm2_streams(program: Any, smollm2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, parts = smollm2
    monkeypatch.setattr(program, "load_smollm2", lambda given: parts)
    options = argparse.Namespace(
        gguf=str(path), prompt="The capital of France is", tokens=2, temperature=0.0, top_k=5, seed=0
    )
    assert list(program.smollm2(options))[:2] == [" Paris", "."]


def test_weights_that_do_not_fit_get_one_sentence(program: Any) -> None:
    torch.manual_seed(0)
    model = program.Llama(11, 12, 2, 3, 1, 7, 100.0, 1e-5)
    published = {program_name(name): parameter.detach() for name, parameter in model.named_parameters()}
    program.load_by_name(model, published, program.own_name)
    down = "model.layers.1.mlp.down_proj.weight"

    def told(tensors: dict[str, torch.Tensor], own_name: Any = program.own_name) -> str:
        with pytest.raises(ValueError, match=r"\.$") as error:
            program.load_by_name(model, tensors, own_name)
        return str(error.value)

    assert "(7, 12), but blocks.1.feed_forward.output.weight has (12, 7): it is transposed." in told(
        {**published, down: published[down].T}
    )
    wide = torch.zeros(13, 12)
    assert "is it the checkpoint of another size?" in told({**published, "model.embed_tokens.weight": wide})
    assert told({"transformer.wte.weight": wide}).startswith("This checkpoint comes from another model. None of")
    assert "1 of its 21 names are not known, such as lm_head" in told({**published, "lm_head.weight": wide})
    assert told({name: each for name, each in published.items() if name != down}).startswith("No tensor became")
    assert "became blocks, but the model has no parameter" in told(published, lambda name: "blocks")
    assert "both became tokens.weight" in told({"a": wide[:11], "b": wide[:11]}, lambda name: "tokens.weight")


def program_name(own: str) -> str:
    """The published name of a parameter: `own_name` backwards."""
    table = {
        "attention_norm": "input_layernorm",
        "feed_forward_norm": "post_attention_layernorm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.o_proj",
        "feed_forward.gate": "mlp.gate_proj",
        "feed_forward.inner": "mlp.up_proj",
        "feed_forward.output": "mlp.down_proj",
        "tokens": "embed_tokens",
    }
    block = re.fullmatch(r"blocks\.(\d+)\.(.+)\.weight", own)
    if block:
        return f"model.layers.{block[1]}.{table[block[2]]}.weight"
    return f"model.{table.get(own.removesuffix('.weight'), own.removesuffix('.weight'))}.weight"


@pytest.mark.parametrize("shared", [1, 3])
def test_the_llama_is_that_of_transformers(program: Any, shared: int) -> None:
    transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
    config = transformers.LlamaConfig(
        vocab_size=11, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, num_key_value_heads=shared,
        intermediate_size=7, rms_norm_eps=1e-3, rope_theta=50.0, tie_word_embeddings=True,
    )  # fmt: skip
    torch.manual_seed(0)
    theirs = transformers.LlamaForCausalLM(config).eval()
    ours = program.Llama(11, 24, 2, 3, shared, 7, 50.0, 1e-3)
    tensors = {name: 2 * each for name, each in theirs.named_parameters()}
    theirs.load_state_dict(tensors, strict=False)
    program.load_by_name(ours, tensors, program.own_name)
    ids = torch.randint(11, (2, 13))
    with torch.no_grad():
        torch.testing.assert_close(ours(ids), theirs(ids).logits, rtol=1e-4, atol=1e-4)
