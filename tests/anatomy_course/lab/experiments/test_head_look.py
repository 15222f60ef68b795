"""Where a published encoder's heads look."""

from anatomy_course.lab.experiments import looks
from anatomy_utils import interpret, pretrained


def test_a_look_is_a_weight_of_that_head() -> None:
    encoder, tokenizer = pretrained.load("minilm")
    text = "The dog did not see the river because it was deep."
    tokens, seen = interpret.read_activations(encoder, tokenizer, text)
    each = looks(encoder, tokenizer)
    assert len(each) == 72
    weights = seen["layers.4.self_attention.weights"][0, 7, tokens.index("it")]
    assert each[4, 7](text, "it", "river") == float(weights[tokens.index("river")])
