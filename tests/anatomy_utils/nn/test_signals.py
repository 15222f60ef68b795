"""Signals as tokens: patches of images and frames of sounds, and what does not fit."""

import pytest
import torch
from random_tensors import normal
from torch.nn import functional as F

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import NormPlaces
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.nn.signals import ImagePatches, SignalEncoder, SoundFrames
from anatomy_utils.tap import watch


def encoder(embeddings):
    norms = {"self_attention_norms": NormPlaces(), "feed_forward_norms": NormPlaces()}
    return SignalEncoder(embeddings, [EncoderLayer(MultiHeadAttention(10, 5), FeedForward(10, 7), **norms)])


@torch.no_grad()
def test_patches_are_a_convolution_without_overlap_after_a_first_vector():
    torch.manual_seed(0)
    cut, images = ImagePatches(12, 4, 10), normal(2, 3, 12, 12)
    with watch(cut) as seen:
        row = cut(images)
    kernel = cut.patches.weight.unflatten(1, (3, 4, 4))
    wanted = F.conv2d(images, kernel, cut.patches.bias, stride=4).flatten(2).mT
    torch.testing.assert_close(seen["patches"], wanted)
    torch.testing.assert_close(row[:, 1:] - cut.positions.table.weight[1:], wanted)
    torch.testing.assert_close(row[0, 0] - cut.positions.table.weight[0], cut.first)


@torch.no_grad()
def test_two_frames_of_a_sound_make_a_position_that_hears_five():
    torch.manual_seed(0)
    frames, sound = SoundFrames(7, 10, SinusoidalPositions(10), max_positions=9), normal(1, 7, 18)
    assert frames(sound).shape == (1, 9, 10)
    sound.requires_grad_()
    with torch.enable_grad():
        frames(sound)[0, 4].sum().backward()
    assert sound.grad[0].abs().sum(0).nonzero().flatten().tolist() == [6, 7, 8, 9, 10]


@torch.no_grad()
def test_nobody_reads_padding():
    torch.manual_seed(0)
    model, sound = encoder(SoundFrames(7, 10, SinusoidalPositions(10), max_positions=9)).eval(), normal(1, 7, 18)
    real = torch.tensor([[1, 1, 1, 1, 1, 0, 0, 0, 0]])
    louder = sound.clone()
    louder[..., 11:] += 1
    torch.testing.assert_close(model(sound, real)[:, :5], model(louder, real)[:, :5])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: ImagePatches(12, 5, 10), "Patches of 5 pixels do not cover an image of 12"),
        (lambda: ImagePatches(12, 4, 10)(normal(2, 3, 12, 8)), r"with \(3, 12, 12\); resize them"),
        (lambda: SoundFrames(7, 10, SinusoidalPositions(10), max_positions=9)(normal(2, 7, 19)), "at most 18 frames"),
        (lambda: SoundFrames(7, 10, SinusoidalPositions(10), max_positions=9)(normal(2, 8, 18)), "with 7 bands"),
        (
            lambda: encoder(ImagePatches(12, 4, 10))(normal(2, 3, 12, 12), segment_ids=torch.zeros(2, 10).long()),
            "has no segments",
        ),
    ],
)
def test_what_does_not_fit_is_told(call, complaint):
    with pytest.raises(ValueError, match=complaint):
        call()
