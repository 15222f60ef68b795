"""Recordings and mel spectrograms against the reference's feature extractor; other rates, damaged files."""

import wave

import numpy as np
import pytest
import torch

from anatomy_utils.zoo.sound import log_mel, read_wave, resampled

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")


def tone(pitch, rate, seconds=0.5):
    return torch.sin(2 * torch.pi * pitch * torch.arange(round(rate * seconds)) / rate)


def save(path, samples, rate=16_000, channels=1, width=2):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes((np.asarray(samples) * 32767).astype("<i2").tobytes())
    return path


@pytest.mark.parametrize("num_bands", [80, 128])
@pytest.mark.parametrize("length", [1, 399, 48_001, 480_000])
def test_what_is_heard_equals_the_reference(length, num_bands):
    samples = torch.randn(length, generator=torch.Generator().manual_seed(length)) / 9
    extractor = transformers.WhisperFeatureExtractor(feature_size=num_bands)
    wanted = extractor(samples.numpy(), sampling_rate=16_000, return_tensors="pt").input_features
    torch.testing.assert_close(log_mel(samples, num_bands), wanted, atol=1e-5, rtol=0)


def test_other_rates_and_channels_are_the_same_sound(tmp_path):
    wanted = tone(440, 16_000)
    for rate in (8000, 22_050, 44_100):
        both = torch.stack([tone(440, rate), torch.zeros(rate // 2)], dim=1)
        found = 2 * read_wave(save(tmp_path / "tone.wav", both, rate, channels=2))
        torch.testing.assert_close(found[800:-800], wanted[800:-800], atol=5e-3, rtol=0)  # 16 bits, and the ends
    assert resampled(tone(11_000, 44_100), 44_100)[800:-800].abs().max() < 0.01, "what cannot be held is left out"


def test_damaged_recordings_are_told_in_a_sentence(tmp_path):
    path = tmp_path / "sound.wav"
    with pytest.raises(ValueError, match=r"There is no .*sound\.wav; give a \.wav file"):
        read_wave(path)
    save(path, tone(440, 16_000))
    whole = path.read_bytes()
    for damaged, reason in (
        (whole[:11], "damaged or not a .wav file"),
        (b"RIFF" + whole[3:], "damaged or not a .wav file"),
        (b"", "damaged or not a .wav file"),
        (whole[:44], "holds no sound"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=reason):
            read_wave(path)
    with pytest.raises(ValueError, match="lasts longer than 30 seconds"):
        read_wave(save(path, torch.zeros(61), rate=2))  # resampled first, a rate of 1 would fill the memory
    with pytest.raises(ValueError, match="8 bits a sample"):
        read_wave(save(path, tone(440, 16_000), width=1))


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (torch.zeros(0), "shape \\(0,\\)"),
        (torch.zeros(2, 5), "shape \\(2, 5\\)"),
        (torch.zeros(480_001), "1 to 480,000 decimal numbers"),
        (torch.zeros(5, dtype=torch.int16), "torch.int16"),
        (torch.tensor([0.0, float("nan")]), "NaN or infinity"),
    ],
    ids=["none", "two axes", "too long", "whole numbers", "NaN"],
)
@pytest.mark.usefixtures("shapes_unchecked")
def test_what_cannot_be_heard_is_refused(samples, reason):
    with pytest.raises(ValueError, match=reason):
        log_mel(samples)
