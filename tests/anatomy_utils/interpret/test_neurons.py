"""Neurons: what fires is what the network computes, what is written goes through the table, off leaves it out."""

import pytest
import torch

from anatomy_utils import pretrained
from anatomy_utils.interpret import neuron_activations, neurons_off, value_vectors, words_written
from anatomy_utils.tap import watch

LAYER, OFF = 22, [1465, 7]


@pytest.fixture(scope="module")
def smollm2():
    return pretrained.load("smollm2")


def test_a_network_is_the_sum_of_its_neurons_and_off_leaves_some_out(smollm2):
    model, tokenizer = smollm2
    ids, name = tokenizer(["The children relied"]).input_ids, f"layers.{LAYER}.output"
    fires, vectors = neuron_activations(model, ids, LAYER), value_vectors(model, LAYER)
    with torch.no_grad():
        assert torch.allclose(model.decoder.layers[LAYER].feed_forward.contract(fires), fires @ vectors, atol=1e-4)
        with watch(model.decoder, name) as intact:
            model(ids)
        with watch(model.decoder, name) as without, neurons_off(model, LAYER, OFF):
            model(ids)
    lost = fires[..., OFF] @ vectors[OFF]
    assert torch.allclose(intact[name] - without[name], lost, atol=1e-3) and lost.norm() > 1


def test_a_neuron_writes_what_its_vector_favors(smollm2):
    ids, scores = words_written(smollm2[0], -value_vectors(smollm2[0], LAYER)[[1465]], most=3)
    assert smollm2[1].decode([int(ids[0, 0])]) == " on" and (scores[0].diff() <= 0).all() and scores[0, 2] > 10


@pytest.mark.parametrize(("layer", "neurons", "said"), [(30, [0], "layers 0 to 29"), (3, [1536], "neurons 0 to 1535")])
def test_what_is_not_there_gets_one_sentence(smollm2, layer, neurons, said):
    with pytest.raises(ValueError, match=said), neurons_off(smollm2[0], layer, neurons):
        pass
