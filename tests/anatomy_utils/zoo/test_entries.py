"""A configuration that holds nonsense gets one sentence: what was given, what is expected, what to do."""

import math

import pytest
from zoo_cases import CASES, reference_case

from anatomy_utils import pretrained, zoo
from anatomy_utils.zoo import entries

WHOLE = "but a whole number from 1 to"
NONSENSE = {
    "text": ({"hidden_size": "wide"}, f"hidden_size is 'wide' in this configuration, {WHOLE} 100,000 is expected; fet"),
    "nothing": ({"num_hidden_layers": 0}, f"num_hidden_layers is 0 .*{WHOLE} 1,000"),
    "a million layers": ({"num_hidden_layers": 10**6}, f"num_hidden_layers is 1000000 .*{WHOLE} 1,000"),
    "a truth": ({"num_hidden_layers": True}, f"num_hidden_layers is True .*{WHOLE}"),
    "null where some have none": ({"intermediate_size": None}, "lacks intermediate_size"),
    "a nest": ({"hidden_size": [[[[[[[[[[]]]]]]]]]]}, rf"hidden_size is \[\[.*\.\.\..*\]\] .*{WHOLE}"),
    "dropout": ({"hidden_dropout_prob": 7}, "hidden_dropout_prob is 7 .*but a number from 0 to 1"),
    "epsilon": ({"layer_norm_eps": math.nan}, "layer_norm_eps is nan .*but a number above 0, at most 1"),
    "an epsilon of any size": ({"layer_norm_eps": 1e300}, r"layer_norm_eps is 1e\+300 .*above 0, at most 1 is"),
    "an architecture": (
        {"architectures": "BertModel"},
        "architectures is 'BertModel' .*but a list of texts is",
    ),
    "no architecture": ({"architectures": [None]}, r"architectures is \[None\] .*but a list of texts"),
    "labels": ({"id2label": 3}, "id2label is 3 .*but an object with a name for each label"),
    "an activation": ({"hidden_act": ["gelu"]}, r"hidden_act is \['gelu'\] .*but a text"),
    "a flag": ({"tie_word_embeddings": "no"}, "tie_word_embeddings is 'no' .*but true or false"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_gets_one_sentence(name, published):
    change, sentence = NONSENSE[name]
    config, tensors = published
    with pytest.raises(ValueError, match=sentence) as caught:
        zoo.loader("bert")(config | change, tensors)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1200


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "holds a list, but a configuration is a JSON object; fetch"),
        ("null", "holds null, but a configuration is a JSON object; fetch"),
        ("[" * 100_000, "not readable as JSON .*fetch the file again"),
        ('{"model_type": "bert", "hidden_size": ' + "9" * 5000 + "}", "not readable as JSON .*fetch the file again"),
        ('{"model_type": null}', "model_type None is not in the zoo"),
        ('{"model_type": ' + "[" * 300 + "]" * 300 + "}", r"model_type \[\[\[.*\.\.\..* is not in the zoo"),
    ],
    ids=["list", "null", "deep", "digits", "no type", "nested type"],
)
def test_what_is_no_configuration_is_named(text, sentence, tmp_path):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ValueError, match=sentence):
        pretrained.load(tmp_path)


@pytest.mark.parametrize("value", ["x", 7, [["global"]], [[["global"], 0]], [["global", 3]], [[[1], 3]]])
def test_what_are_no_kinds_of_attention_is_named(value):
    entries.check({"attention_types": [[["global", "local"], 6]]})
    with pytest.raises(ValueError, match=r"attention_types is .*but a list such as \[\[\["):
        entries.check({"attention_types": value})


@pytest.mark.parametrize("name", CASES)
def test_no_family_meets_nonsense_unprepared(name):
    """Whatever an entry that the zoo reads holds, the answer is one sentence, and a published file passes."""
    family, config = zoo.find(name), reference_case(name).published()
    with pytest.raises(ValueError, match="These weights do not belong"):  # none were given: the numbers are right
        family.load(config, {})
    for entry in config:
        if not entries.kinds_of(entry):
            continue
        for value in ("wide", -7, 10**6, None, [[[]]], {"rope_theta": "x"}):
            with pytest.raises(ValueError, match=r"^[^\n]{1,3000}$"):
                family.load({**config, entry: value}, {})
