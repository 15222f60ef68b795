"""A configuration of shapes and two guesses."""

import pytest

from anatomy_course.lab.debugging import with_guesses
from anatomy_utils.zoo.llama import LlamaConfig

FOUND = {"d_model": 576, "kv_width": 192, "d_ff": 1536, "num_layers": 30, "vocab_size": 49152, "tied": True}


def test_shapes_and_two_guesses_are_a_configuration():
    config = LlamaConfig.from_published(with_guesses(FOUND, 9, 100_000.0))
    assert (config.num_heads, config.num_kv_heads, config.d_ff, config.num_layers) == (9, 3, 1536, 30)
    assert (config.d_model, config.vocab_size, config.tied, config.rotary_base) == (576, 49152, True, 100_000)


@pytest.mark.parametrize("heads", [7, 2], ids=["no divisor of d_model", "wider than the keys"])
def test_heads_that_do_not_fit_are_refused(heads):
    with pytest.raises(ValueError, match=f"{heads} heads do not fit"):
        with_guesses(FOUND, heads, 10_000.0)
