"""A published encoder–decoder listens: Whisper tiny.en writes what was said, and its heads tell when. Notebook 06.

Its weights are a package of 71 MB, which not everybody installs: what it answers to the course's own sounds is
recorded, by `docs/record_published.py`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import torch
from IPython.display import Audio
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils import pretrained
from anatomy_utils.decoding import beam_search, generate
from anatomy_utils.interpret import WHISPER_TINY_EN, token_times
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import watch
from anatomy_utils.zoo.sound import HOP, RATE, log_mel, read_wave

CLIP = Path(__file__).with_name("too_tired.wav")
"""What `espeak-ng -v en-us -s 150` says, 4.0 seconds at 16,000 samples each."""
SAID = (0.0, 0.132, 0.501, None, 0.951, 1.346, 1.473, 2.061, 2.451, 2.610, 2.821, 3.061)
"""When each word of the clip begins, in seconds, as espeak-ng itself reports it; *did not* is one piece to it."""
PAUSE_AT, PAUSE = 2.03, 1.0
"""Where the silence is put in, in seconds: before *because*, where the clip is silent for a moment; how long it is."""
RECORDED = Path(__file__).with_name("heard.json")
MOST_WRITTEN, DRAWS = 200, 20
PER_POSITION = 2 * HOP
"""Samples of a position of the encoder, which is two frames."""


class Heard(NamedTuple):
    """What was said, its words, when each of them begins in seconds, and how large the model is that heard it."""

    text: str
    words: list[str]
    seconds: list[float]
    parameters: int
    looked: list[list[int]]
    """(word, moment of 0.04 seconds): the eight heads' mean weight as the word was written, in thousandths."""
    is_recorded: bool = False
    """Whether it was heard on another machine, since Whisper's weights are not on this one."""


@cache
def clip() -> Float[Tensor, " sample"]:
    """The course's recording: a speech synthesizer reads the animal's sentence."""
    return read_wave(CLIP)


@cache
def clip_with_pause() -> Float[Tensor, " sample"]:
    """The same with a second of silence before *because*."""
    before, after = clip().tensor_split([round(PAUSE_AT * RATE)])
    return torch.cat([before, torch.zeros(round(PAUSE * RATE)), after])


def said_with_pause() -> list[float | None]:
    """`SAID` for `clip_with_pause`."""
    return [time if time is None or time < PAUSE_AT else time + PAUSE for time in SAID]


def player() -> Audio:
    """The clip, to be heard in the notebook."""
    return Audio(str(CLIP))


def heard(sound: Float[Tensor, " sample"] | str | Path, *, beams: int = 1) -> Heard:
    """Let Whisper write down a sound; without its weights, the answers to the course's two sounds are recorded.

    Args:
        sound: 16,000 samples a second, or a .wav file; at most half a minute of English.
        beams: how many texts are kept open; 1 always takes the likeliest token. What is recorded was heard with 1.

    Raises:
        ValueError: as `read_wave` and `log_mel`; or Whisper's weights are not installed, and there is no record.
    """
    samples = sound if isinstance(sound, Tensor) else read_wave(sound)
    if not _is_installed():
        for known, found in zip((clip(), clip_with_pause()), _recorded()["heard"], strict=True):
            if torch.equal(samples, known):
                looked = [[int(share) for share in row.split()] for row in found["looked"]]
                return Heard(**found | {"looked": looked}, is_recorded=True)
    return listen(samples, beams=beams)


def clock_distances() -> list[tuple[str, float, float]]:
    """How far from the truth words are put, in seconds, by the published heads and by what else could tell the time.

    Returns:
        (who tells the time, mean distance in the clip, in the clip with a pause); recorded without the weights.
    """
    return measure_clocks() if _is_installed() else [(name, *both) for name, *both in _recorded()["distances"]]


def listen(samples: Float[Tensor, " sample"], *, beams: int = 1) -> Heard:
    """What Whisper hears, without looking at what is recorded.

    Raises:
        ValueError: its weights are not installed.
    """
    pieces, maps = _attended(samples, beams)
    words, firsts = _words(pieces)
    model, _ = _listener()
    size = sum(parameter.numel() for parameter in model.parameters())
    return Heard("".join(pieces).strip(), words, _begin(maps, WHISPER_TINY_EN, firsts), size, _looked(maps, firsts))


def measure_clocks() -> list[tuple[str, float, float]]:
    """What `clock_distances` tells, without looking at what is recorded."""
    plain, paused = _distances(clip(), SAID), _distances(clip_with_pause(), said_with_pause())
    return [(name, round(plain[name], 3), round(paused[name], 3)) for name in plain]


@cache
def _listener() -> tuple[EncoderDecoder, Any]:
    model, tokenizer = pretrained.load("whisper")
    assert isinstance(model, EncoderDecoder)
    return model, tokenizer


def _is_installed() -> bool:
    return pretrained.PACKAGES["whisper"].path() is not None


def _recorded() -> Any:
    return json.loads(RECORDED.read_text(encoding="utf-8"))


@lru_cache(maxsize=4)  # by the sound's identity: the clip and the clip with a pause are asked for twice
def _attended(
    samples: Float[Tensor, " sample"], beams: int = 1
) -> tuple[list[str], Float[Tensor, "layer head token position"]]:
    """The tokens that Whisper writes, and where its cross-attention looks as it writes each; no further than the sound.

    Its tokenizer frames each text: a transcript begins, without times between its words, and is over.
    """
    model, tokenizer = _listener()
    *prompt, end = tokenizer("").input_ids[0].tolist()
    frames, start = log_mel(samples), torch.tensor([prompt])
    cache = model.start(frames, len(prompt) + MOST_WRITTEN)
    with torch.inference_mode():
        if beams == 1:
            ids = generate(model.step, cache, start, max_new_tokens=MOST_WRITTEN, stop_ids=[end]).ids
        else:
            found = beam_search(model.step, cache, start, num_beams=beams, max_new_tokens=MOST_WRITTEN, stop_ids=[end])
            ids = found.ranked().ids
        memory = model.encoder(frames)
        with watch(model, "decoder.layers.*.cross_attention.weights") as seen:
            model.decoder(ids, memory=memory)
    asked = slice(len(prompt) - 1, ids.shape[1] - 1)  # a token is written at the place of the one before it
    maps = torch.stack([each[0, :, asked, : -(-len(samples) // PER_POSITION)] for each in seen.values()])
    return [tokenizer.decode([token]) for token in ids[0, len(prompt) :].tolist()], maps


def _words(pieces: Sequence[str]) -> tuple[list[str], list[int]]:
    """The words that these tokens make, and the first token of each."""
    firsts = [i for i, piece in enumerate(pieces) if piece.startswith(" ") or i == 0]
    ends = [*firsts[1:], len(pieces)]
    return ["".join(pieces[first:end]).strip() for first, end in zip(firsts, ends, strict=True)], firsts


def _begin(maps: Tensor, heads: Sequence[tuple[int, int]], firsts: Sequence[int]) -> list[float]:
    """When words begin that have these first tokens, by the heads' (layer, head) maps."""
    times = token_times(torch.stack([maps[layer, head] for layer, head in heads])).tolist()
    return [round(times[first], 2) for first in firsts]


def _looked(maps: Tensor, firsts: Sequence[int]) -> list[list[int]]:
    """Where the published heads looked, as `Heard` has it."""
    mean = torch.stack([maps[layer, head] for layer, head in WHISPER_TINY_EN]).mean(dim=0)  # token position
    moments = F.pad(mean, (0, mean.shape[1] % 2)).unflatten(1, (-1, 2)).sum(dim=2)
    tokens = moments.tensor_split([*firsts[1:]])
    return [(1000 * each.mean(dim=0)).round().int().tolist() for each in tokens]


def _distances(samples: Tensor, said: Sequence[float | None]) -> dict[str, float]:
    pieces, maps = _attended(samples)
    words, firsts = _words(pieces)
    layers, heads = maps.shape[:2]
    others = [(i, j) for i in range(layers) for j in range(heads) if (i, j) not in WHISPER_TINY_EN]

    def distance(begins: Sequence[float]) -> float:
        """The first word, which any path puts at 0, is left out."""
        return mean(abs(time - true) for time, true in zip(begins[1:], said[1:], strict=True) if true is not None)

    draws = [random.Random(seed).sample(others, len(WHISPER_TINY_EN)) for seed in range(DRAWS)]
    drawn = [distance(_begin(maps, draw, firsts)) for draw in draws]
    evenly = [i * len(samples) / RATE / len(words) for i in range(len(words))]
    return {
        "the eight published heads": distance(_begin(maps, WHISPER_TINY_EN, firsts)),
        f"eight of the others, best of {DRAWS} draws": min(drawn),
        f"eight of the others, median of {DRAWS} draws": median(drawn),
        "words spread evenly over the sound": distance(evenly),
    }
