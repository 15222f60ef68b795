"""The family tree: its rows, the small versions that run, and the parts that are read off the modules."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from anatomy_course.lab.objectives import OBJECTIVES
from anatomy_utils import tap
from anatomy_utils.taxonomy import TREE, children, find, lineage
from anatomy_utils.taxonomy.build import build, small
from anatomy_utils.taxonomy.describe import describe, difference
from anatomy_utils.taxonomy.structure import texts_of

RUNNING = [model for model in TREE if model.runs]


def described(name):
    model = find(name)
    return describe(build(model, model.sizes[0]))


def differences(name):
    """Part → (parent's, child's), numbers that only grow left out."""
    found = difference(described(name), described(find(name).parent))
    return {each.part: (each.parent, each.child) for each in found if not each.is_size}


def test_every_parent_exists_and_is_not_younger():
    names = [model.name for model in TREE]
    assert len(set(names)) == len(names)
    for model in TREE:
        if model.parent:
            assert find(model.parent).year <= model.year
            assert names.index(model.parent) < names.index(model.name)
        else:
            assert model.branch == "root"


def test_every_row_says_what_a_reader_wants_to_know():
    for model in TREE:
        assert model.change and model.objectives
        assert model.paper == "" or model.paper[4] == "."
        assert set(model.objectives) <= set(OBJECTIVES), model.name
        assert model.runs == bool(model.sizes), model.name


def test_lineage_and_children():
    assert [model.name for model in lineage("GPT-3")][-3:] == ["GPT", "GPT-2", "GPT-3"]
    assert {model.name for model in children("GPT-3")} == {"GPT-Neo", "GPT-J", "Llama"}
    with pytest.raises(ValueError, match="no model 'Bert'"):
        find("Bert")


def test_importing_the_tree_needs_no_torch():
    asked = "import anatomy_utils.taxonomy, sys; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.parametrize("model", RUNNING, ids=lambda model: model.name)
@pytest.mark.usefixtures("shapes_unchecked")
def test_the_small_version_runs_and_is_the_published_kind(model):
    module = small(model, generator=torch.Generator().manual_seed(0), vocab_size=61)
    ids = torch.randint(3, 61, (2, 11), generator=torch.Generator().manual_seed(1))
    texts = (ids,) * texts_of(module)
    with torch.no_grad(), tap.watch(module) as seen:
        module(*texts)
    assert seen
    published = described(model.name)
    assert not [each for each in difference(describe(module), published) if not each.is_size]


def test_the_same_generator_makes_the_same_small_model():
    one, same, other = (
        small(find("GPT-2"), generator=torch.Generator().manual_seed(seed)).decoder.embeddings.tokens.weight
        for seed in (0, 0, 1)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_bert_against_the_transformer():
    found = differences("BERT")
    assert found["sees"] == ("encoder: the whole text; decoder: itself and its past", "the whole text")
    assert found["positions"][1].startswith("learned")
    assert found["segments"] == ("none", "2")
    assert "norms placed" not in found  # both after the residual sum


def test_llama_against_gpt3():
    found = differences("Llama")
    assert found["norm"] == ("LayerNorm", "RMSNorm")
    assert found["feed-forward"] == ("two layers, GELU", "gated, SiLU")
    assert found["biases"] == ("everywhere", "none")
    assert found["positions"][1].startswith("rotary")
    assert "keys and values" not in found  # Llama 1 shares none
    assert differences("SmolLM2")["keys and values"][1] == "shared by groups of query heads"


def test_two_ways_to_compute_gelu_are_no_difference_of_design():
    assert "feed-forward" not in differences("ALBERT") and "feed-forward" not in differences("BigBird")


def test_t5_against_the_transformer():
    found = differences("T5")
    assert found["norms placed"] == ("after each residual sum", "before each sub-layer")
    assert found["scores times"] == ("1/√d_head", "1")
    assert "offset" in found["positions"][1]


def test_windows_pairs_and_side_by_side():
    assert differences("Mistral")["sees"][1] == "itself and a window before"
    assert differences("GPT-Neo")["sees"][1].startswith("some layers: itself and its past; others")
    assert described("ModernBERT")["window"] == "129"
    assert differences("GPT-J")["sub-layers"][1].endswith("side by side")
    assert differences("GPT-J")["positions"][1] == (
        "rotary: a share of queries and keys rotated in pairs, neighbors with each other"
    )
    assert differences("Qwen 3") == {
        "norms on queries and keys": ("none", "yes"),
        "biases": ("queries, keys, values", "none"),
    }
    assert differences("ALBERT")["layers"] == ("each has its own weights", "all share one layer's")
    assert differences("XLM-R") == {}


def test_a_model_does_not_differ_from_itself():
    assert difference(described("T5"), described("T5")) == []


def test_blocks_stand_as_the_modules_do():
    (gpt,) = described("GPT-2").stacks
    assert [block.label for block in gpt.layer][:3] == ["LayerNorm", "causal\nself-attention", "+"]
    assert [block.label for block in gpt.above] == ["LayerNorm", "to the vocabulary"]
    (bert,) = described("BERT").stacks
    assert [block.label for block in bert.layer][:3] == ["self-attention", "+", "LayerNorm"]
    decoder = described("T5").stacks[1]
    assert decoder.repeats == 6
    assert any("encoder's output" in block.label for block in decoder.layer)
    (gptj,) = described("GPT-J").stacks
    assert [block.label for block in gptj.layer] == [
        "LayerNorm",
        "rotary causal\nself-attention\nbeside feed-forward",
        "+",
    ]
    for model in RUNNING:
        anatomy = described(model.name)
        known = {part.name for part in anatomy.parts}
        for stack in anatomy.stacks:
            for block in (*stack.below, *stack.layer, *stack.above):
                assert set(block.parts) <= known
