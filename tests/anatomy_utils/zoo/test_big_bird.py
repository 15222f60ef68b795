"""BigBird's pattern: what it lets through, and the reference's block-sparse attention with the same random blocks."""

from copy import copy

import numpy as np
import pytest
import torch
from zoo_cases import BIG_BIRD, ZooCase, ours

from anatomy_utils.zoo.big_bird import BigBirdConfig, big_bird

BLOCK, RANDOM = 3, 2
SPARSE = {"block_size": BLOCK, "num_random_blocks": RANDOM, "max_position_embeddings": 48}
CLOSE = {"atol": 1e-5, "rtol": 1e-5}


def planned(attention, length):
    """Which blocks meet in a layer of the reference: its own random plan, and what its pattern has besides."""
    np.random.seed(attention.seed)  # noqa: NPY002 (as it does itself, in training)
    plan = attention._get_rand_attn_plan(length, BLOCK, RANDOM)
    drawn = attention._bigbird_block_rand_mask_with_head(
        length, length, BLOCK, BLOCK, attention.num_attention_heads, *plan
    )
    number = torch.arange(length // BLOCK)
    meets = (number[:, None] - number).abs() <= 1
    meets[0] = meets[-1] = meets[:, 0] = meets[:, -1] = True
    meets = meets.repeat(len(drawn), 1, 1)
    for head, rows in enumerate(drawn):
        for row, blocks in enumerate(rows, 1):
            assert len(set(blocks)) == RANDOM and not meets[head, row, blocks].any()
            meets[head, row, blocks] = True
    return meets


def test_equals_the_references_block_sparse_attention(tmp_path):
    reference = ZooCase("BigBirdModel", BIG_BIRD, SPARSE).reference()
    model = ours(reference, tmp_path).train()
    reference.train()  # only then it draws random blocks; every dropout is 0
    input_ids = torch.randint(3, 53, (2, 40), generator=torch.Generator().manual_seed(1))
    attention_mask = torch.ones_like(input_ids)
    attention_mask[1, 29:] = 0
    for layer, theirs in zip(model.layers, reference.encoder.layer, strict=True):
        meets = planned(theirs.attention.self, 42)  # 40 positions fill 14 blocks of 3
        layer.pattern = lambda count, meets=meets: meets if count == 14 else meets[:, :0]
    real = attention_mask.bool()
    wanted = reference(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state[real]
    assert reference.attention_type == "block_sparse"
    got = model(input_ids, attention_mask)[real]
    torch.testing.assert_close(got, wanted, **CLOSE)
    upstream = torch.randn(wanted.shape, generator=torch.Generator().manual_seed(2))
    torch.autograd.backward([got, wanted], [upstream, upstream])
    got, wanted = model.embeddings.tokens.weight.grad, reference.embeddings.word_embeddings.weight.grad
    torch.testing.assert_close(got / wanted.abs().max(), wanted / wanted.abs().max(), atol=1e-5, rtol=0)


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(0)
    return big_bird(BigBirdConfig(53, 30, 1, 5, 41, 64, block_size=BLOCK, num_random=RANDOM)).eval()


def test_heads_and_layers_draw_their_own_blocks_and_keep_them():
    config = BigBirdConfig(53, 30, 2, 5, 41, 64, block_size=BLOCK, num_random=RANDOM)
    first, second = big_bird(config).layers
    assert torch.equal(first.meets(40), first.meets(40))
    assert not torch.equal(first.meets(40), second.meets(40))
    assert not torch.equal(first.meets(40)[0], first.meets(40)[1])


def test_as_many_blocks_meet_as_the_text_fills(small):
    counts = []
    layer, pattern = copy(small.layers[0]), small.layers[0].pattern
    layer.pattern = lambda count: counts.append(count) or pattern(count)
    assert [layer.meets(length).shape for length in (39, 40, 42)] == [(5, 39, 39), (5, 40, 40), (5, 42, 42)]
    assert counts == [13, 14, 14]


def test_in_a_short_text_all_pairs_meet(small):
    full = big_bird(BigBirdConfig(53, 30, 1, 5, 41, 64, sparse=False)).eval()
    full.load_state_dict(small.state_dict())
    input_ids = torch.randint(3, 53, (2, 40), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert torch.equal(small(input_ids[:, :27]), full(input_ids[:, :27]))  # (5 + 2 · 2) · 3
        assert not torch.allclose(small(input_ids), full(input_ids))
