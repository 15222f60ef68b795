"""The records of the families: every file has one, and what a configuration lacks or has otherwise is named."""

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from zoo_cases import CASES, transformers

from anatomy_utils import zoo
from anatomy_utils.taxonomy import TREE
from anatomy_utils.zoo import loader
from anatomy_utils.zoo.family import Family, classifier_dropout, number_of_labels

HELPERS = set(
    "__init__ checkpoint ctranslate2 entries family gguf gguf_layout heads marian sound tokenizer unpacked".split()
)
FILES = {path.stem for path in Path(zoo.__file__).parent.glob("*.py")} - HELPERS


def test_every_file_ends_with_its_record():
    for name in FILES:
        family = zoo.find(name)
        assert isinstance(family, Family), name
        assert not family.tasks or family.usual_task in family.tasks, name
        assert any(model.family == name for model in TREE), name
    assert {name for name in FILES if zoo.find(name).tasks} == CASES.keys() | {"bergamot", "transfo_xl"}
    assert not any(zoo.find(name) for name in HELPERS | {"mamba", "../bert"})


def test_a_model_type_is_the_name_of_a_file():
    assert loader("deberta-v2") == zoo.find("deberta_v2").load
    assert loader("gpt_neo") == zoo.find("gpt_neo").load
    for unpublished in ("elmo", "checkpoint", None):
        with pytest.raises(ValueError, match="is not in the zoo; it has albert, bart, bergamot, bert, big_bird, clip"):
            loader(unpublished)


def test_importing_the_zoo_imports_no_family():
    asked = "import anatomy_utils.zoo, sys; print([name for name in sys.modules if 'utils.zoo.' in name])"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True).stdout == "[]\n"


def test_configurations_that_lack_entries_are_told_which(published):
    config, tensors = published
    with pytest.raises(ValueError, match=r"lacks num_hidden_layers"):
        loader("bert")({name: entry for name, entry in config.items() if name != "num_hidden_layers"}, tensors)


def test_a_configuration_without_an_architecture_means_the_usual_task():
    assert zoo.find("bert").task_of({}) == zoo.find("bert").task_of({"architectures": None}) == "Model"
    assert zoo.find("t5").task_of({}) == "ConditionalGeneration"
    assert zoo.find("gpt2").task_of({"architectures": ["GPT2LMHeadModel"]}) == "LMHeadModel"


LARGER = "d_model num_layers num_heads d_ff"
QWEN = f"{LARGER} num_kv_heads max_positions rotary_base tied"
OTHER_SIZE = {
    "albert": "d_model num_heads d_ff",
    "deberta_v2": f"{LARGER} num_buckets shared_projections offset_norm",
    "deepseek_v3": "max_positions yarn score_growth",
    "distilbert": "num_layers num_segments",
    "gemma": f"{LARGER} num_kv_heads",
    "gpt_neo": LARGER,
    "mistral": "max_positions norm_epsilon",
    "qwen2": f"{QWEN} d_head",
    "qwen3": QWEN,
    "qwen3_moe": "d_head num_layers max_positions rotary_base normalized",
    "qwen3_next": "d_ff max_positions rotary_base",
    "roberta": "max_positions num_segments norm_epsilon",
    "xlm_roberta": "vocab_size max_positions num_segments norm_epsilon",
}
"""Where our defaults are those of another published model than the reference's."""
DISENTANGLED = {"relative_attention": True, "position_biased_input": False, "pos_att_type": ["c2p", "p2c"]}
NEEDED = {"relative_attention", "position_biased_input", "pos_att_type", "rotary_dim"}
"""Entries without which a family is refused, in other words than that they are lacking."""


@contextmanager
def nothing_but_lacking(entry):
    try:
        yield
    except ValueError as error:
        if "lacks" not in str(error) and entry != "hidden_size":  # which others are compared with
            raise


@pytest.mark.parametrize("name", CASES)
def test_defaults_are_the_references(name):
    """Those of our numbers, and what is taken for each entry that a configuration leaves out."""
    family = zoo.find(name)
    given = DISENTANGLED if name.startswith("deberta") else {}
    reference = getattr(transformers, CASES[name][0].architecture).config_class(**given)
    published = json.loads(reference.to_json_string(use_diff=False))
    numbers = family.read(published)
    other = [field for field, value in vars(type(numbers)()).items() if value != getattr(numbers, field)]
    assert sorted(other) == sorted(OTHER_SIZE.get(name, "").split())
    for entry in published.keys() - NEEDED:
        rest = {other: value for other, value in published.items() if other != entry}
        with nothing_but_lacking(entry):
            assert family.read(rest) == numbers, entry


def test_what_configurations_leave_out():
    assert number_of_labels({}) == 2
    assert number_of_labels({"num_labels": 5}) == 5
    assert number_of_labels({"id2label": {0: "no", 1: "yes", 2: "perhaps"}}) == 3
    assert classifier_dropout({}) == classifier_dropout({"classifier_dropout": None}) == 0.1
    assert classifier_dropout({"hidden_dropout": 0.3}) == 0.3
