"""What notebook 02 asks of heads: where they look, what the model is without them, what sharing them saves."""

import math

import pytest
import torch
from torch.nn import functional as F

from anatomy_course.lab.experiments.cache_cost import key_value_sharing
from anatomy_utils import pretrained
from anatomy_utils.interpret import activations, attention_patterns
from anatomy_utils.interpret.attention_patterns import ENTROPY
from anatomy_utils.interpret.head_ablation import head_importance, heads_off, scrambled_heads
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.tap import watch

STREET = "The animal didn't cross the street because it was too tired."
TOKENS = ["[CLS]", "the", "dog", ",", "the", "[SEP]"]


@pytest.fixture(scope="module")
def minilm():
    return pretrained.load("minilm")


def looking(offset: int = 0, key: int | None = None, length: int = 6) -> torch.Tensor:
    """Weights of a head that puts everything at one offset (clamped to the ends), or on one key."""
    keys = [min(max(i + offset, 0), length - 1) if key is None else key for i in range(length)]
    return torch.eye(length)[keys]


# ---- measures


def test_each_measure_finds_the_head_that_was_made_for_it():
    heads = torch.stack([looking(-1), looking(1), looking(0), looking(key=0), looking(key=3), looking()])
    heads[5] = 1 / 6
    heads[5, 1], heads[5, 4] = torch.eye(6)[4], torch.eye(6)[1]
    found = attention_patterns.pattern_scores(heads, TOKENS)
    sharp = dict(zip(found, [0, 1, 2, 3, 4, 5], strict=False))
    for name, head in sharp.items():
        assert found[name].argmax() == head, name
        assert found[name][head] == pytest.approx(1.0), name
    even = math.log2(6) * 4 / 6  # four of six queries look everywhere alike
    assert found[ENTROPY].tolist() == pytest.approx([0, 0, 0, 0, 0, even], abs=1e-6)


def test_measures_by_hand_on_rows_of_unequal_weights():
    weights = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2]])
    assert attention_patterns.attention_at_offset(weights, -1).item() == pytest.approx((0.1 + 0.4) / 2)
    assert attention_patterns.attention_at_offset(weights, 2).item() == pytest.approx(0.5)
    marked = torch.tensor([True, False, True])
    assert attention_patterns.attention_on_keys(weights, marked).item() == pytest.approx((0.7 + 0.4 + 0.6) / 3)
    pairs = torch.tensor([[False, True, True], [False, False, False], [True, False, False]])
    assert attention_patterns.attention_on_pairs(weights, pairs).item() == pytest.approx((0.8 + 0.4) / 2)


def test_measures_keep_the_axes_of_layers_and_heads():
    weights = torch.rand(2, 3, 5, 5, generator=torch.Generator().manual_seed(0)).softmax(-1)
    found = attention_patterns.pattern_scores(weights, ["a", "b", "c", "d", "e"])
    assert {tuple(value.shape) for value in found.values()} == {(2, 3)}
    assert "the same word" not in found and "punctuation and [SEP]" not in found
    assert found["the previous token"][1, 2] == attention_patterns.attention_at_offset(weights[1, 2], -1)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda _: attention_patterns.pattern_scores(looking(), ["a", "b", "c"]), "3 tokens were given for weights of"),
        (lambda _: attention_patterns.attention_at_offset(looking(), 6), "offset 6 leads outside 6 queries"),
        (lambda model: heads_off(model, [(6, 0)]).__enter__(), "layer=6 was asked for; this model has layers 0 to 5"),
        (lambda model: heads_off(model, [(1, 12)]).__enter__(), "head=12 was asked for; layer 1 has heads 0 to 11"),
        (lambda _: scrambled_heads(torch.nn.Linear(2, 2)).__enter__(), "Linear holds no MultiHeadAttention"),
    ],
)
def test_what_does_not_fit_is_named(ask, sentence, minilm):
    with pytest.raises(ValueError, match=sentence):
        ask(minilm[0])


def test_the_real_encoder_has_a_head_for_the_previous_token_and_one_for_it_and_animal(minilm):
    tokens, seen = activations.read_activations(*minilm, STREET)
    weights = torch.stack([layer[0] for layer in seen.matching("layers.*.self_attention.weights").values()])
    found = attention_patterns.pattern_scores(weights, tokens)
    assert found["the previous token"].argmax() == 0 * 12 + 2
    assert found["the previous token"][0, 2] > 0.99
    animal = weights[..., tokens.index("it"), tokens.index("animal")]
    assert {tuple(divmod(place, 12)) for place in animal.flatten().topk(2).indices.tolist()} == {(3, 1), (5, 11)}


# ---- switching off


def test_a_head_that_is_off_adds_nothing(minilm):
    encoder, tokenizer = minilm
    ids = tokenizer(STREET).input_ids
    with torch.no_grad(), heads_off(encoder, [(0, 4), (3, 1), (3, 5)]), watch(encoder) as seen:
        encoder(ids)
    for layer, off in ((0, [4]), (3, [1, 5])):
        context = seen[f"layers.{layer}.self_attention.context"].unflatten(-1, (12, 32))
        assert [head for head in range(12) if not context[..., head, :].any()] == off
    assert seen["layers.2.self_attention.context"].unflatten(-1, (12, 32)).any(dim=-1).all()


def test_importance_is_what_switching_off_one_head_does(minilm):
    encoder, tokenizer = minilm
    ids = tokenizer("bees buzz").input_ids
    importance = head_importance(encoder, ids)
    assert importance.shape == (6, 12)
    with torch.no_grad():
        whole = encoder(ids)
        with heads_off(encoder, [(5, 11)]):
            without = encoder(ids)
    by_hand = (1 - F.cosine_similarity(whole, without, dim=-1)).mean()
    assert importance[5, 11].item() == pytest.approx(by_hand.item(), abs=1e-5)
    assert importance[5, 11] > 0.01


# ---- the wrong view


def test_scrambled_heads_are_views_without_a_transpose():
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 3)
    hidden_states = torch.randn(2, 5, 12)
    with torch.no_grad(), scrambled_heads(attention):
        got = attention(hidden_states)
    query, key, value = (
        projection(hidden_states).view(2, 3, 5, 4)
        for projection in (attention.to_query, attention.to_key, attention.to_value)
    )
    context = F.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(got, attention.to_output(context.reshape(2, 5, 12)))
    assert not torch.allclose(got, attention(hidden_states), atol=0.05)


# ---- sharing


def test_sharing_counts_parameters_and_cache_of_real_modules():
    full, grouped, single = (
        key_value_sharing(MultiHeadAttention(576, 9, num_kv_heads=n, bias=False), 100) for n in (9, 3, 1)
    )
    assert full.parameters == 4 * 576 * 576
    assert grouped.parameters == 2 * 576 * 576 + 2 * 576 * 192
    assert full.cache_bytes == 2 * 576 * 100 * 4
    assert (full.cache_bytes / grouped.cache_bytes, full.cache_bytes / single.cache_bytes) == (3, 9)
    with pytest.raises(ValueError, match="positions=0"):
        key_value_sharing(MultiHeadAttention(4, 2), 0)
