"""The residual stream is the sum of what was added, and a part that is out adds nothing and changes nothing below."""

import pytest
import torch

from anatomy_course.lab.small_models.small_gpt import new_small_gpt
from anatomy_utils.interpret.residual_stream import read_residual_stream, without_each_part
from anatomy_utils.tap import edit
from anatomy_utils.taxonomy import find, small

IDS = torch.tensor([[3, 1, 4, 1, 5, 9, 2]])


@pytest.fixture(scope="module", params=["small GPT", "SmolLM3", "Mistral"])
def model(request):
    generator = torch.Generator().manual_seed(0)
    if request.param == "small GPT":
        return new_small_gpt(generator).eval()
    return small(find(request.param), generator=generator)  # a layer that turns nothing; a window of 4


def test_parts_add_up_to_the_last_vector_and_to_the_lead(model):
    stream = read_residual_stream(model, IDS)
    assert torch.allclose(stream.added.cumsum(0), stream.states, atol=1e-5)
    top = model(IDS)[0, -1].topk(2).values
    assert stream.shares.sum().item() == pytest.approx((top[0] - top[1]).item(), abs=1e-4)


def test_without_a_part_the_model_runs_as_if_it_added_nothing(model):
    without = without_each_part(model, IDS)
    part, place = 3, 1  # attention of layer 1, at the second position

    def silent(output):
        changed = output.clone()
        changed[:, place] = 0
        return changed

    with torch.no_grad(), edit(model.decoder, {"layers.1.self_attention.output": silent}):
        wanted = model(IDS)[0, -1]
    assert torch.allclose(without.logits[part, place], wanted, atol=1e-5)
    moved = without.moved[part, place]
    assert moved[:part].max() == 0 and moved[part, place] > 0 and moved[part, 0] == 0
    assert (without.moved[:, -1, -1] > 0).all()  # taken out everywhere, each part moves the last vectors


def test_several_texts_are_refused(model, unchecked):
    with pytest.raises(ValueError, match="2 rows; give one"):
        read_residual_stream(model, IDS.expand(2, -1))
