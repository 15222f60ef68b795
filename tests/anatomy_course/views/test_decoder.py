"""The cache lab's counts, the logit lens, and the three views of a decoder, with a small writer and with SmolLM2."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from small import STREET
from torch import nn
from unchecked import shapes_unchecked

from anatomy_course import views
from anatomy_course.lab.experiments import cache_cost, part_swaps
from anatomy_course.lab.street import street_vocabulary
from anatomy_utils import pretrained
from anatomy_utils.decoding import generate
from anatomy_utils.interpret.logit_lens import LogitLensReading, apply_logit_lens
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.tap import is_tapped
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.llama import LlamaConfig, with_head

VOCABULARY = street_vocabulary()


def writer_like() -> LanguageModel:
    """The street's writer in small, untrained, with clear opinions."""
    torch.manual_seed(2)
    config = Gpt2Config(len(VOCABULARY), d_model=12, num_layers=3, num_heads=3, max_positions=33, d_ff=17)
    model = LanguageModel(gpt2(config), nn.Linear(12, config.vocab_size, bias=False)).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, mean=1.0 if parameter.dim() == 1 else 0.0, std=0.4)
    return model


@pytest.fixture(scope="module")
def writer() -> LanguageModel:
    return writer_like()


@pytest.fixture(scope="module")
def smollm2() -> Any:
    return pretrained.load("smollm2")


# The lens ------------------------------------------------------------------------------------------------------------


def test_each_row_is_what_a_shorter_model_would_say(writer: LanguageModel) -> None:
    ids = torch.randint(len(VOCABULARY), (1, 7), generator=torch.Generator().manual_seed(0))
    lens = apply_logit_lens(writer, ids)
    for layers in range(4):
        shorter = writer_like()
        shorter.decoder.layers = nn.ModuleList(list(shorter.decoder.layers)[:layers])
        odds = shorter(ids)[0].softmax(-1)
        best = odds.topk(5)
        torch.testing.assert_close(lens.top_probabilities[layers], best.values)
        assert torch.equal(lens.top_ids[layers], best.indices)
        final = odds[torch.arange(7), lens.final_ids]
        torch.testing.assert_close(lens.final_probabilities[layers], final)
        assert lens.final_ranks[layers].tolist() == (1 + (odds > final[:, None]).sum(-1)).tolist()
    assert torch.equal(lens.final_ids, lens.top_ids[-1, :, 0]) and lens.final_ranks[-1].tolist() == [1] * 7
    assert (lens.final_ranks[0] > 1).any(), "the test sees ranks other than 1"
    assert apply_logit_lens(writer, ids, most=4).top_ids.shape == (4, 7, 4)
    assert not any(map(is_tapped, writer.modules()))
    with shapes_unchecked(), pytest.raises(ValueError, match="input_ids has 2 rows; give one"):
        apply_logit_lens(writer, torch.zeros(2, 3, dtype=torch.long))


def test_settled_is_the_first_layer_of_the_last_run() -> None:
    first = torch.tensor([[7, 5, 1], [5, 5, 2], [7, 5, 3], [5, 5, 4], [5, 5, 5]])
    nothing = torch.zeros(5, 3)
    lens = LogitLensReading(first[..., None], nothing[..., None], torch.tensor([5, 5, 5]), nothing, nothing.long())
    assert lens.settled.tolist() == [3, 0, 4]


# The cache's price ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kv_heads", "dtype"), [(1, torch.float32), (3, torch.float64)])
def test_the_formula_is_the_real_cache(kv_heads: int, dtype: torch.dtype) -> None:
    config = LlamaConfig(11, 12, 2, 3, num_kv_heads=kv_heads, d_ff=7, d_head=4)
    model = with_head(config, "CausalLM").to(dtype).eval()
    _, cache = model.step(torch.zeros(1, 5, dtype=torch.long), model.start(1, 9))
    entry = cache_cost.cache_entry_of(model)
    assert 5 * entry.bytes == cache.bytes
    assert 9 * entry.bytes == sum(part.numel() * part.element_size() for pair in cache.layers for part in pair)
    cost = cache_cost.measure_cache_cost(model, 6, rounds=1)
    assert cost.kept == 6 * entry.bytes and min(cost.with_cache, cost.without) > 0
    with pytest.raises(ValueError, match="at least 2 positions and 1 round"):
        cache_cost.measure_cache_cost(model, 1)


def test_arithmetic_by_hand() -> None:
    model = with_head(LlamaConfig(11, 6, 2, 3, num_kv_heads=1, d_ff=5, d_head=2), "CausalLM")
    weights = 2 * (6 * 6 + 2 * 6 * 2 + 6 * 6 + 3 * 6 * 5)  # layers · (query, key and value, output, feed-forward)
    logits = 2 * 11 * 6
    per_look = 4 * 2 * 3 * 2
    for written, looks in ((1, 5), (5, 15), (2, 9)):
        assert cache_cost.count_operations(model, 5, written) == written * 2 * weights + looks * per_look + logits


# The views with the street's writer ----------------------------------------------------------------------------------


def test_the_writers_cache_is_drawn_and_measured(writer: LanguageModel) -> None:
    view = views.cache_lab(writer, VOCABULARY, "The animal didn't", new_tokens=4, lengths=(2, 5))
    ids = torch.tensor([VOCABULARY.ids(["<bos>", "the", "animal", "didn't"])])
    written = generate(writer.step, writer.start(1, 8), ids, max_new_tokens=4).rows()[0]
    assert view.prompt == ["<bos>", "the", "animal", "didn't"] and view.written == VOCABULARY.tokens(written)
    assert view.entry["bytes"] == 2 * 3 * 3 * 4 * 4 == cache_cost.cache_entry_of(writer).bytes
    assert [(step.computed, step.read) for step in view.steps(cached=True)] == [(4, 0), (1, 4), (1, 5), (1, 6)]
    for length in (5, 2):
        view.set_state({"question": {"length": length}})
    assert view.error == "" and [cost["length"] for cost in view.costs] == [2, 5]
    assert [cost["kept"] for cost in view.costs] == [2 * view.entry["bytes"], 5 * view.entry["bytes"]]


def test_the_writer_through_the_lens(writer: LanguageModel) -> None:
    view = views.logit_lens(writer, VOCABULARY, STREET)
    ids = VOCABULARY.ids(view.tokens)
    lens = apply_logit_lens(writer, torch.tensor([ids]))
    assert view.tokens[0] == "<bos>" and view.layers == 4 and view.position == len(ids) - 1
    for layer, position in ((0, 2), (3, len(ids) - 1)):
        words, odds = zip(*view.said(layer, position), strict=True)
        assert list(words) == VOCABULARY.tokens(lens.top_ids[layer, position])
        assert odds == pytest.approx(lens.top_probabilities[layer, position].tolist(), abs=1e-6)
    assert [view.settled(place) for place in range(len(ids))] == lens.settled.tolist()
    view.set_state({"question": {"text": "The xylophone"}})
    assert "xylophone" in view.error and len(view.tokens) == len(ids)
    view.set_state({"question": {"text": "The dog"}})
    assert view.error == "" and view.tokens == ["<bos>", "the", "dog"] and view.position == 2


# SmolLM2 -------------------------------------------------------------------------------------------------------------


def test_smollm2_through_the_lens(smollm2: Any) -> None:
    model, tokenizer = smollm2
    view = views.logit_lens(model, tokenizer, "The capital of France is")
    odds = model(tokenizer("The capital of France is").input_ids)[0].softmax(-1)
    assert view.layers == 31 and view.said(30, 4)[0][0] == "␣Paris"
    assert view.said(30, 4)[0][1] == pytest.approx(odds[-1].max().item(), abs=1e-3)
    assert view.said(0, 4)[0][0] == "␣is", "a token table that is shared gives the token itself"
    assert view.settled(4) == 30


def test_smollm2_keeps_45_kilobytes_of_each_position(smollm2: Any) -> None:
    view = views.cache_lab(*smollm2, new_tokens=2, lengths=(8,))
    assert view.entry == {"layers": 30, "kv_heads": 3, "heads": 9, "d_head": 64, "number_bytes": 4, "bytes": 46080}
    assert view.written[0] == "␣choice"


def test_smollm2_without_some_modern_parts(smollm2: Any) -> None:
    """How much each exchange hurts, and that sharing keys is only a saving."""
    view = views.part_swapper(*smollm2, part_swaps.measure_swaps(*smollm2, ["multi-head"], progress=False))
    assert view.before["plain"] == pytest.approx(47.3, rel=0.02)
    assert view.before["street"] == pytest.approx(96.1, rel=0.02)
    assert set(view.results) == {"multi-head", "LayerNorm"} and view.blind == 49152
    grouped, whole = view.results["multi-head"], view.before
    assert grouped["plain"] == pytest.approx(whole["plain"], rel=1e-5)
    assert grouped["cache_bytes"] == 3 * whole["cache_bytes"] == 138240
    assert grouped["continuation"] == whole["continuation"]
    view.set_state({"question": {"name": "ReLU"}})
    assert view.error == "" and whole["plain"] < view.results["LayerNorm"]["plain"] < 2 * whole["plain"]
    assert view.results["ReLU"]["street"] > 1e9
