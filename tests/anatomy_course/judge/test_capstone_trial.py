"""The capstone's trials: the table of all models, and a learner's layer in every layer of a small Llama."""

from __future__ import annotations

import torch

from anatomy_course.capstone.body import Body, assemble
from anatomy_course.capstone.parts_tried import examined, original_transformer, run_layers
from anatomy_course.judge.progress.record import Progress
from anatomy_utils.functional.layers import llama_layer
from anatomy_utils.zoo.llama import LlamaConfig, with_head


def body(tmp_path) -> Body:
    return assemble(record=Progress(tmp_path / "progress.json", own=True))


def test_the_table_counts_and_names_what_is_rejected(tmp_path, unchecked):
    model, *inputs = original_transformer()
    good = body(tmp_path)
    bad = good.replaced(softmax=lambda scores, mask=None: torch.zeros_like(scores))
    shown = examined({"good": good.examine(model, *inputs), "bad": bad.examine(model, *inputs)})
    lines = shown.text.splitlines()
    assert lines[1].split()[:4] == ["good", "13,", "0", "yours"] and "13        off by less than 0.0001" in lines[1]
    assert "12 " in lines[2] and lines[3] == "rejected" and lines[4].startswith("bad, ") and "your softmax" in lines[4]
    assert "rejected" not in examined({"good": good.examine(model, *inputs)}).text


def test_a_transformer_of_one_seed_is_always_the_same():
    one, other = (original_transformer(seed=3) for _ in range(2))
    with torch.no_grad():
        assert torch.equal(one[0](*one[1:]), other[0](*other[1:]))
    assert one[3].tolist()[1] == [1] * 6 + [0] * 3


def test_a_layer_runs_in_every_layer(tmp_path, unchecked):
    torch.manual_seed(1)
    sizes = {"d_model": 24, "num_layers": 3, "num_heads": 4, "num_kv_heads": 2, "d_ff": 40, "d_head": 6}
    model = with_head(LlamaConfig(vocab_size=31, **sizes), "CausalLM").eval()
    ids = torch.randint(31, (2, 5))
    with torch.no_grad():
        wanted = model(ids)
    states, logits = run_layers(model, ids, llama_layer, body(tmp_path))
    assert states.shape == (3, 2, 5, 24) and torch.allclose(logits, wanted, atol=1e-4)
    called = []
    states, _ = run_layers(model, ids, lambda hidden, *parts: called.append(len(parts)) or hidden, body(tmp_path))
    assert called == [8] * 3 and torch.equal(states[0], states[2])
