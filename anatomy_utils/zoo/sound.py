"""Sound for a model that listens: a recording, and the mel spectrogram that Whisper reads.

What a tokenizer is for text. Every hundredth of a second a window of 400 samples is taken apart into its frequencies,
and their energies are summed in bands: narrow ones below 1000 Hz, then wider and wider, as an ear hears pitch.
"""

from __future__ import annotations

import wave
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.zoo.checkpoint import check_file

RATE = 16_000
"""Samples a second."""
WINDOW, HOP = 400, 160
"""Samples that a frame is computed from, and from one frame to the next."""
SECONDS = 30
"""How long a sound is for the model; shorter ones are followed by silence."""
MOST_BYTES = 100_000_000
"""Of a recording's file."""


def read_wave(path: str | Path) -> Float[Tensor, " sample"]:
    """A recording as `log_mel` takes it: 16,000 samples a second, from -1 to 1; several channels become their mean.

    Args:
        path: a .wav file of 16 bits a sample, as every recorder can save it; of half a minute at most.

    Raises:
        ValueError: the file is missing, damaged, empty, too long, or of another kind.
    """
    path = Path(path)
    check_file(path, f"There is no {path}; give a .wav file.", most=MOST_BYTES)
    try:
        with wave.open(str(path)) as file:
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
            data = file.readframes(SECONDS * rate + 1)
    except (wave.Error, EOFError) as error:
        reason = error or "it ends early"
        raise ValueError(f"{path} is damaged or not a .wav file ({reason}); save it again.") from error
    if width != 2 or not rate:
        raise ValueError(f"{path} has {8 * width} bits a sample at {rate} Hz; save it with 16 bits.")
    if len(data) > 2 * channels * SECONDS * rate:
        raise ValueError(f"{path} lasts longer than {SECONDS} seconds, which is all that the model hears; cut it.")
    whole = len(data) // (2 * channels) * 2 * channels
    samples = torch.from_numpy(np.frombuffer(data[:whole], dtype="<i2").astype(np.float32)) / 2**15
    if not len(samples):
        raise ValueError(f"{path} holds no sound; record it again.")
    return resampled(samples.unflatten(0, (-1, channels)).mean(dim=1), rate)


def resampled(samples: Float[Tensor, " sample"], rate: int) -> Float[Tensor, " other_sample"]:
    """The same sound at 16,000 samples a second; pitches that these cannot hold, above 8000 Hz, are left out.

    Args:
        samples: of the sound.
        rate: how many of them are a second.
    """
    if rate == RATE:
        return samples
    length = max(1, round(len(samples) * RATE / rate))
    return torch.fft.irfft(torch.fft.rfft(samples), length) * (length / len(samples))


@lru_cache(maxsize=4)
def mel_bands(num_bands: int = 80) -> Float[Tensor, "band frequency"]:
    """How much each band hears of each frequency: triangles that overlap, of the same area.

    Args:
        num_bands: how many; their edges are equally far apart in mel, as Slaney defines it.

    Returns:
        (band, frequency), frequencies from 0 to 8000 Hz in steps of 40.
    """
    step, bend, growth = 200 / 3, 1000.0, np.log(6.4) / 27  # mel are even up to the bend, then logarithmic
    highest = bend / step + np.log(RATE / 2 / bend) / growth
    mel = np.linspace(0, highest, num_bands + 2)
    edges = np.where(mel < bend / step, mel * step, bend * np.exp(growth * (mel - bend / step)))
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    heard = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    triangles = np.minimum((heard - low) / (middle - low), (high - heard) / (high - middle)).clip(min=0)
    return torch.from_numpy(triangles * 2 / (high - low)).float()


def log_mel(samples: Float[Tensor, " sample"], num_bands: int = 80) -> Float[Tensor, "1 band frame"]:
    """What Whisper hears of a sound: half a minute of it, in bands of pitch.

    Radford et al. 2022, section 2.2 (arXiv:2212.04356). Energies are logarithms, none more than 80 decibels below the
    loudest, moved and scaled to about -1 to 1.

    Args:
        samples: 16,000 a second, from -1 to 1; see `read_wave`.
        num_bands: as the model has them; 80 in all Whispers but the latest.

    Returns:
        (1, band, frame) with 3000 frames, ready for the model.

    Raises:
        ValueError: there are none, they are no decimal numbers in a row, or they last longer than half a minute.
    """
    most = SECONDS * RATE
    if samples.dim() != 1 or not samples.is_floating_point() or not 0 < len(samples) <= most:
        raise ValueError(
            f"The sound has shape {tuple(samples.shape)} and type {samples.dtype}, but 1 to {most:,} decimal numbers "
            "in a row are expected, 16,000 a second; cut it, or read it with read_wave."
        )
    if not samples.isfinite().all():
        raise ValueError("The sound has NaN or infinity; read it again.")
    padded = F.pad(samples, (0, most - len(samples)))
    spectrum = torch.stft(padded, WINDOW, HOP, window=torch.hann_window(WINDOW), return_complex=True)[:, :-1]
    loudness = (mel_bands(num_bands) @ spectrum.abs() ** 2).clamp(min=1e-10).log10()
    return ((loudness.maximum(loudness.max() - 8) + 4) / 4)[None]
