"""Latent attention: what a cache keeps of it, and that scores can be read off what is kept."""

import torch
from random_tensors import normal

from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.latent_attention import LatentAttention
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.tap import watch


def made(query_rank=11):
    torch.manual_seed(0)
    return LatentAttention(14, 3, rank=5, query_rank=query_rank, d_plain=7, d_rotary=4, d_value=6)


@torch.no_grad()
def test_a_cache_keeps_the_latent_vector_and_one_small_key():
    for model in (made(), made(query_rank=None)):
        hidden_states, rotary = normal(2, 9, 14), RotaryPositions(4, layout="neighbors")
        wanted = model(hidden_states, causal=True, rotation=rotary(torch.arange(9)))
        cache = KeyValueCache((model.room(2, 10),), (model.projection(),))
        found = []
        for position in range(9):
            rotation = rotary(torch.tensor([position]))
            found.append(model(hidden_states[:, position : position + 1], rotation=rotation, cache=cache.layer(0)))
            cache = cache.advanced(1)
        torch.testing.assert_close(torch.cat(found, dim=1), wanted)
        assert cache.bytes == 2 * 9 * (5 + 4) * 4  # two texts of nine; all heads' keys and values have 3 · (11 + 6)


@torch.no_grad()
def test_the_matrix_of_keys_can_be_folded_into_the_query():
    """So no key has to be made: scores · √d_head = (query W) · latent + turned query · shared key."""
    model, rotary = made(), RotaryPositions(4)
    with watch(model) as seen:
        model(normal(2, 9, 14), causal=True, rotation=rotary(torch.arange(9)))
    plain, turned = seen["query"].split((7, 4), dim=-1)
    folded = plain @ model.to_key.weight.unflatten(0, (3, 7))  # batch heads query rank
    scores = folded @ seen["latent"].mT + turned @ seen["shared_key"].mT
    torch.testing.assert_close(scores * 11**-0.5, seen["scores"])
