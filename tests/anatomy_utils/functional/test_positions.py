"""Positions as formulas: by hand, against the reference implementations, and what depends on the offset only."""

import math

import pytest
import torch

from anatomy_utils.functional.positions import (
    Yarn,
    alibi_slopes,
    frequencies,
    log_bucket,
    sinusoids,
    t5_bucket,
    yarn_frequencies,
)


def test_sinusoids_by_hand():
    first = [math.sin(3), math.cos(3), math.sin(3 / 100), math.cos(3 / 100)]
    torch.testing.assert_close(sinusoids(torch.tensor([3]), 4)[0], torch.tensor(first))
    torch.testing.assert_close(sinusoids(torch.tensor([3]), 4, interleaved=False)[0], torch.tensor(first)[[0, 2, 1, 3]])
    with pytest.raises(ValueError, match="d_model is 5"):
        sinusoids(torch.tensor([0]), 5)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_t5_buckets_equal_reference(bidirectional):
    transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
    reference = transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket
    offsets = torch.arange(-300, 301)
    wanted = reference(offsets, bidirectional=bidirectional, num_buckets=18, max_distance=77)
    assert torch.equal(t5_bucket(offsets, bidirectional=bidirectional, num_buckets=18, max_distance=77), wanted)


@pytest.mark.parametrize(("num_buckets", "max_distance"), [(256, 512), (6, 13), (7, 64)])
def test_offsets_fall_into_debertas_buckets(num_buckets, max_distance):
    from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

    offsets = torch.arange(-700, 701)
    wanted = make_log_bucket_position(offsets, num_buckets, max_distance).long()
    assert torch.equal(log_bucket(offsets, num_buckets, max_distance), wanted)


def test_alibi_slopes():
    torch.testing.assert_close(alibi_slopes(8), torch.tensor([2.0**-i for i in range(1, 9)]))
    twelve = alibi_slopes(12)
    torch.testing.assert_close(twelve[:8], alibi_slopes(8))
    torch.testing.assert_close(twelve[8:], alibi_slopes(16)[::2][:4])


def test_yarn_keeps_fast_waves_and_stretches_slow_ones():
    yarn = Yarn(4.0, 300, fast=8.0, slow=3.0, truncate=False)
    own, stretched = frequencies(16, 77.0, None), yarn_frequencies(16, 77.0, yarn)
    turns = own * 300 / (2 * math.pi)
    assert [(turns > 8).sum(), (turns > 3).sum()] == [4, 6]  # of eight: some of each kind
    torch.testing.assert_close(stretched[turns > 8], own[turns > 8])
    torch.testing.assert_close(stretched[turns < 3], own[turns < 3] / 4)
    between = (turns < 8) & (turns > 3)
    assert (stretched[between] < own[between]).all() and (stretched[between] > own[between] / 4).all()
    one_pair = Yarn(4.0, 300, fast=3.0, slow=3.0, truncate=False)  # nothing lies between
    torch.testing.assert_close(yarn_frequencies(16, 77.0, one_pair), torch.where(turns > 3, own, own / 4))
