"""What only some families have, in the hands of a learner: DeBERTa's scores, GPT-J's layer, a prefix mask."""

import pytest
import torch

from anatomy_course.lab.experiments import join_texts, new_design
from anatomy_course.lab.street import sample_scenes
from anatomy_course.lab.transplant import organs_in, reject, transplant
from anatomy_utils.taxonomy import find, small


def scores(query, key, offset_query, offset_key, rows):
    to_offset = torch.einsum("bhid,bhijd->bhij", query, offset_key[:, :, rows])
    from_offset = torch.einsum("bhjd,bhijd->bhij", key, offset_query[:, :, rows])
    return (torch.einsum("bhid,bhjd->bhij", query, key) + to_offset + from_offset) / (3 * query.shape[-1]) ** 0.5


def scores_without_offsets(query, key, offset_query, offset_key, rows):
    return query @ key.mT / (3 * query.shape[-1]) ** 0.5


def layer(hidden_states, self_attention, feed_forward, norm):
    return hidden_states + self_attention(norm(hidden_states)) + feed_forward(norm(hidden_states))


def layer_in_turn(hidden_states, self_attention, feed_forward, norm):
    hidden_states = hidden_states + self_attention(norm(hidden_states))
    return hidden_states + feed_forward(norm(hidden_states))


def mask(prefix_lengths, length):
    position = torch.arange(length)
    return (position[:, None] >= position) | (position < prefix_lengths[:, None, None])[:, None]


def causal(prefix_lengths, length):
    return torch.ones(len(prefix_lengths), 1, length, length).tril().bool()


def zoo_model(name):
    model = small(find(name), generator=torch.Generator().manual_seed(0))
    return model, (torch.randint(3, 53, (2, 7), generator=torch.Generator().manual_seed(1)),)


def translator():
    texts = join_texts(sample_scenes(3, torch.Generator().manual_seed(0), "test"))
    return new_design("prefix decoder", torch.Generator().manual_seed(0)), (texts.input_ids, texts.prefix_lengths)


CASES = {
    "disentangled_scores": (lambda: zoo_model("DeBERTa"), scores, scores_without_offsets),
    "parallel_layer": (lambda: zoo_model("GPT-J"), layer, layer_in_turn),
    "prefix_mask": (translator, mask, causal),
}


@pytest.mark.usefixtures("shapes_unchecked")
@pytest.mark.parametrize("name", CASES)
@torch.no_grad()
def test_the_right_one_gives_the_models_own_numbers_and_a_wrong_one_is_named(name):
    make, right, wrong = CASES[name]
    model, inputs = make()
    assert name in organs_in(model)
    wanted = model(*inputs)
    with transplant(model, **{name: right}):
        torch.testing.assert_close(model(*inputs), wanted, atol=1e-5, rtol=1e-5)
    with transplant(model, **{name: wrong}):
        assert not torch.allclose(model(*inputs), wanted, atol=1e-3)
    torch.testing.assert_close(model(*inputs), wanted)
    assert reject(model, *inputs, **{name: right}) is None
    assert f"your {name} differs from ours, most at text" in str(reject(model, *inputs, **{name: wrong}))


def test_deberta_with_shared_projections_and_buckets():
    model, inputs = zoo_model("DeBERTa v3")
    assert reject(model, *inputs, disentangled_scores=scores) is None


def test_without_a_prefix_there_is_no_mask_to_replace():
    assert "prefix_mask" not in organs_in(new_design("causal decoder", torch.Generator().manual_seed(0)))
