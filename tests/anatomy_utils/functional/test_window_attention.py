"""Window attention: what full attention gives under the same mask, without ever making the n² scores."""

import pytest
import torch
from hypothesis import given, strategies as st

from anatomy_course.lab.experiments.attention_cost import largest_tensor
from anatomy_utils.functional import masks
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.functional.window_attention import bigbird_blocks, window_attention, window_pairs


@given(length=st.integers(1, 23), reach=st.integers(0, 25), seed=st.integers(0, 99))
def test_it_is_full_attention_under_the_windows_mask(length: int, reach: int, seed: int) -> None:
    chance = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(2, 3, length, width, generator=chance) for width in (5, 5, 7))
    full = scaled_dot_product_attention(query, key, value, masks.local(length, reach)).context
    assert torch.allclose(window_attention(query, key, value, reach), full, atol=1e-5)
    assert window_pairs(length, reach) == masks.local(length, reach).sum()
    with pytest.raises(ValueError, match="-1 positions away"):
        window_attention(query, key, value, -1)


def test_gradients_are_the_same_too() -> None:
    chance = torch.Generator().manual_seed(0)
    given_vectors = [torch.randn(11, width, generator=chance) for width in (3, 3, 2)]
    gradients = []
    for attend in (
        lambda q, k, v: window_attention(q, k, v, 2),
        lambda q, k, v: scaled_dot_product_attention(q, k, v, masks.local(11, 2)).context,
    ):
        vectors = [each.clone().requires_grad_() for each in given_vectors]
        attend(*vectors).square().sum().backward()
        gradients.append([each.grad for each in vectors])
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(*gradients, strict=True))


def test_the_largest_tensor_grows_with_the_length_and_not_with_its_square() -> None:
    sizes = []
    for length in (64, 128, 256):
        vectors = torch.randn(1, length, 4)
        with largest_tensor() as size:
            window_attention(vectors, vectors, vectors, 8)
        sizes.append(size[0])
    assert sizes[2] == 2 * sizes[1] == 4 * sizes[0] == 4 * 4 * 64 * 24  # three blocks of 8 keys for each query


def test_bigbirds_blocks_are_neighbors_global_ones_and_chance() -> None:
    meets = bigbird_blocks(13, torch.Generator().manual_seed(1), random=2)
    assert meets[0].all() and meets[-1].all() and meets[:, 0].all() and meets[:, -1].all()
    assert torch.equal(meets & masks.local(13, 1), masks.local(13, 1))
    assert meets[2:-2].sum(dim=1).tolist() == [3 + 2 + 2] * 9
    other = bigbird_blocks(13, torch.Generator().manual_seed(2), random=2)
    assert not torch.equal(meets, other)
