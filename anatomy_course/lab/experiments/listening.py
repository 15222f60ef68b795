"""A published encoder–decoder listens: Whisper tiny.en writes what was said, and its heads tell when. Notebook 06.

Its weights are a package of 71 MB, which not everybody installs: what it answers to the course's own clip is recorded.
"""

from __future__ import annotations

import json
import zlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from IPython.display import Audio
from jaxtyping import Float
from torch import Tensor

from anatomy_utils import pretrained
from anatomy_utils.decoding import generate
from anatomy_utils.interpret import WHISPER_TINY_EN, token_times
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import watch
from anatomy_utils.zoo.sound import log_mel, read_wave

CLIP = Path(__file__).with_name("too_tired.wav")
"""What `espeak-ng -v en-us -s 150` says, 4.0 seconds at 16,000 samples each."""
RECORDED = Path(__file__).with_name("heard.json")
START, NO_TIMES, END = 50257, 50362, 50256
"""Tokens: a transcript begins, without times between its words, and is over."""
MOST_WRITTEN = 200
SAMPLES_PER_POSITION = 320


class Heard(NamedTuple):
    """What was said, its words, and when each of them begins, in seconds."""

    text: str
    words: list[str]
    seconds: list[float]
    is_recorded: bool = False
    """Whether it was heard on another machine, since Whisper's weights are not on this one."""


def clip() -> Float[Tensor, " sample"]:
    """The course's recording: a speech synthesizer reads the animal's sentence."""
    return read_wave(CLIP)


def player() -> Audio:
    """The same, to be heard in the notebook."""
    return Audio(str(CLIP))


@cache
def _listener() -> pretrained.Pretrained:
    return pretrained.load("whisper")


def heard(sound: Float[Tensor, " sample"] | str | Path) -> Heard:
    """Let Whisper write down a sound.

    Without its weights, the answers to `clip()` and to `clip()` after a second of silence are recorded.

    Args:
        sound: 16,000 samples a second, or a .wav file; at most half a minute of English.

    Raises:
        ValueError: as `read_wave` and `log_mel`; or Whisper's weights are not installed, and there is no record.
    """
    samples = sound if isinstance(sound, Tensor) else read_wave(sound)
    if pretrained.PACKAGES["whisper"].path() is None:
        recorded = json.loads(RECORDED.read_text(encoding="utf-8")).get(fingerprint(samples))
        if recorded:
            return Heard(**recorded, is_recorded=True)
    return listen(samples)


def fingerprint(samples: Float[Tensor, " sample"]) -> str:
    """What tells one sound from another."""
    return f"{zlib.crc32((samples * 2**15).short().numpy().tobytes()):08x}"


def listen(samples: Float[Tensor, " sample"]) -> Heard:
    """What Whisper hears, without looking at what is recorded.

    Raises:
        ValueError: its weights are not installed.
    """
    model, tokenizer = _listener()
    assert isinstance(model, EncoderDecoder)
    prompt, frames = torch.tensor([[START, NO_TIMES]]), log_mel(samples)
    start, end = prompt.shape[1], prompt.shape[1] + MOST_WRITTEN
    with torch.inference_mode():
        ids = generate(model.step, model.start(frames, end), prompt, max_new_tokens=MOST_WRITTEN, stop_ids=[END]).ids
        with watch(model, "decoder.layers.*.cross_attention.weights") as seen:
            model(frames, ids)
    layers = list(seen.values())
    asked = slice(start - 1, ids.shape[1] - 1)  # a token is written at the place of the one before it
    positions = -(-len(samples) // SAMPLES_PER_POSITION)
    weights = torch.stack([layers[layer][0, head, asked, :positions] for layer, head in WHISPER_TINY_EN])
    words: list[str] = []
    seconds: list[float] = []
    for token, begins in zip(ids[0, start:].tolist(), token_times(weights).tolist(), strict=True):
        piece = tokenizer.decode([token])
        if piece.startswith(" ") or not words:
            words.append(piece.strip())
            seconds.append(round(begins, 2))
        else:
            words[-1] += piece
    return Heard(tokenizer.decode(ids[0]).strip(), words, seconds)
