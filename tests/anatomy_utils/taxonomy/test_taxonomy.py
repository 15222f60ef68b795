"""The family tree: its rows, the small versions that run, and the parts that are read off the modules."""

import re
import subprocess
import sys

import pytest
import torch

from anatomy_course.lab.objectives import OBJECTIVES
from anatomy_utils import tap
from anatomy_utils.taxonomy import TREE, children, find, lineage
from anatomy_utils.taxonomy.build import small
from anatomy_utils.taxonomy.describe import anatomy_of, changes, describe, difference
from anatomy_utils.taxonomy.grid import PARTS, part_grid
from anatomy_utils.taxonomy.structure import example

RUNNING = [model for model in TREE if model.runs]


def test_every_parent_exists_and_is_not_younger_and_every_row_says_what_a_reader_wants_to_know():
    names = [model.name for model in TREE]
    assert len(set(names)) == len(names)
    for model in TREE:
        if model.parent:
            assert find(model.parent).year <= model.year
            assert names.index(model.parent) < names.index(model.name)
        else:
            assert model.branch == "root"
        assert model.change and (
            model.objectives or model.note
        )  # none of the course's objectives, which the note tells
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
    with torch.no_grad(), tap.watch(module) as seen:
        module(*example(module, ids))
    assert seen
    published = anatomy_of(model.name)
    assert not [each for each in difference(describe(module), published) if not each.is_size]


def test_the_same_generator_makes_the_same_small_model():
    one, same, other = (
        small(find("GPT-2"), generator=torch.Generator().manual_seed(seed)).decoder.embeddings.tokens.weight
        for seed in (0, 0, 1)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


DIFFERENCES = [
    ("BERT", "sees", "encoder: the whole text; decoder: itself and its past", "the whole text"),
    ("BERT", "segments", "none", "2"),
    ("Llama", "norm", "LayerNorm", "RMSNorm"),
    ("Llama", "feed-forward", "two layers, GELU", "gated, SiLU"),
    ("Llama", "biases", "everywhere", "none"),
    ("T5", "norms placed", "after each residual sum", "before each sub-layer"),
    ("T5", "scores times", "1/√d_head", "1"),
    ("ALBERT", "layers", "each has its own weights", "all share one layer's"),
    ("BERT", "positions", "", "learned"),
    ("Llama", "positions", "", "rotary"),
    ("T5", "positions", "", ".*offset"),
    ("SmolLM2", "keys and values", "", "shared by groups of query heads"),
    ("Mistral", "sees", "", "itself and a window before"),
    ("GPT-Neo", "sees", "", "some layers: itself and its past; others"),
    ("GPT-J", "sub-layers", "", ".*side by side"),
    ("GPT-J", "positions", "", "rotary: a share of queries and keys rotated in pairs, neighbors with each other"),
]


@pytest.mark.parametrize(("name", "part", "before", "now"), DIFFERENCES)
def test_what_tells_a_child_from_its_parent(name, part, before, now):
    (found,) = [each for each in changes(name) if each.part == part]
    assert found.parent == (before or found.parent) and re.match(now, found.child)


def test_what_is_as_in_the_parent_is_not_listed():
    norms_of_qwen = {("norms on queries and keys", "none", "yes"), ("biases", "queries, keys, values", "none")}
    for name, wanted in (("Qwen 3", norms_of_qwen), ("XLM-R", set())):
        assert {(each.part, each.parent, each.child) for each in changes(name) if not each.is_size} == wanted
    same = {"BERT": "norms placed", "Llama": "keys and values", "ALBERT": "feed-forward", "BigBird": "feed-forward"}
    for name, part in same.items():  # two ways to compute GELU are no difference of design
        assert part not in [each.part for each in changes(name)], name
    assert anatomy_of("ModernBERT")["window"] == "129"


def test_blocks_stand_as_the_modules_do():
    (gpt,) = anatomy_of("GPT-2").stacks
    assert [block.label for block in gpt.layer][:3] == ["LayerNorm", "causal\nself-attention", "+"]
    assert [block.label for block in gpt.above] == ["LayerNorm", "to the vocabulary"]
    (bert,) = anatomy_of("BERT").stacks
    assert [block.label for block in bert.layer][:3] == ["self-attention", "+", "LayerNorm"]
    decoder = anatomy_of("T5").stacks[1]
    assert decoder.repeats == 6
    assert any("encoder's output" in block.label for block in decoder.layer)
    (gptj,) = anatomy_of("GPT-J").stacks
    assert [block.label for block in gptj.layer] == [
        "LayerNorm",
        "rotary causal\nself-attention\nbeside feed-forward",
        "+",
    ]
    for model in RUNNING:
        anatomy = anatomy_of(model.name)
        known = {part.name for part in anatomy.parts}
        for stack in anatomy.stacks:
            for block in (*stack.below, *stack.layer, *stack.above):
                assert set(block.parts) <= known


def test_the_grid_finds_every_part_and_who_had_it_first() -> None:
    grid = part_grid()
    assert set(grid.parts) == set(PARTS), "each is in some model"
    months = [model.published for model in grid.models]
    assert months == sorted(months) and all(month for _, month in months) and len(grid.has) == len(RUNNING)
    having = {name: {part for part, has in zip(grid.parts, row, strict=True) if has}
              for name, row in zip((model.name for model in grid.models), grid.has, strict=True)}  # fmt: skip
    assert having["BERT"] == set()
    assert having["Mistral"] == {"norm before", "RMSNorm", "window", "rotary", "gate", "shared keys"}
    assert having["gpt-oss"] - having["Mistral"] == {"experts", "sinks"}
    assert having["SmolLM3"] - having["SmolLM2"] == {"layers without order"}
    first = {"norm before": "GPT-2", "RMSNorm": "T5", "rotary": "GPT-J", "norm after, inside": "Gemma 2"}
    first |= {"experts": "Mixtral", "state, not pairs": "Bergamot"}
    assert {part: grid.first[part].name for part in first} == first
