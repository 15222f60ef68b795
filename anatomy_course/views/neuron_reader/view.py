"""The neuron reader: what makes one neuron of a real model fire, which words it writes, and what changes without it.

All of it was measured beforehand, by `docs/record_neurons.py`, for every neuron of one layer of SmolLM2. Notebook 03.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import Whole, numbers

RECORDED = Path(__file__).with_name("recorded.json")


class NeuronReader(AnatomyWidget):
    """One neuron at a time: contexts in which it fires, words that it writes, sentences with it and without it.

    Args:
        tokens: of all texts, one text after the other.
        starts: the place at which each text begins.
        places: (neuron, most) where each neuron fires most, counted over all texts, the strongest first.
        activations: (neuron, most) how much.
        written: (neuron, most) tokens that each one writes.
        scores: (neuron, most) how far each stands out in the vocabulary.
        groups: name → neurons to begin with.
        trials: neuron → beginnings of sentences: the `text`, the `word` that the neuron writes, and this word's
            probability `intact`, with the neuron `off`, and with `other`, another neuron, off.
        neuron: shown at first.
    """

    drawn_height = 625
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Every token that is shown somewhere, once."""
    tokens = buffer_trait()
    """Places in `words`, as uint16."""
    starts = traitlets.List(traitlets.Int()).tag(sync=True)
    most = traitlets.Int(1).tag(sync=True)
    """Contexts of a neuron."""
    named = traitlets.Int(1).tag(sync=True)
    """Words that a neuron writes."""
    places = buffer_trait()
    activations = buffer_trait()
    written = buffer_trait()
    scores = buffer_trait()
    count = traitlets.Int().tag(sync=True)
    groups = traitlets.List(traitlets.Dict()).tag(sync=True)
    trials = traitlets.Dict().tag(sync=True)
    neuron = Whole("count").tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        starts: Sequence[int],
        places: Any,
        activations: Any,
        written: Sequence[Sequence[str]],
        scores: Any,
        *,
        groups: Mapping[str, Sequence[int]],
        trials: Mapping[str, Sequence[Mapping[str, Any]]],
        neuron: int,
        label: str = "What makes a neuron fire, and what it writes",
    ) -> None:
        fires = numbers(activations, "activations", "neuron most")
        at = numbers(places, "places", "neuron most", neuron=len(fires), most=fires.shape[1])
        stand_out = numbers(scores, "scores", "neuron named", neuron=len(fires))
        words = list(dict.fromkeys([*tokens, *(word for row in written for word in row)]))
        number = {word: place for place, word in enumerate(words)}
        super().__init__(
            words=words, tokens=_whole([number[each] for each in tokens]), starts=list(starts),
            most=fires.shape[1], named=stand_out.shape[1], count=len(fires), label=label,
            places=_whole(at), activations=float_bytes(fires), scores=float_bytes(stand_out),
            written=_whole([[number[word] for word in row] for row in written]),
            groups=[{"name": name, "neurons": list(each)} for name, each in groups.items()],
            trials={str(each): list(map(dict, tried)) for each, tried in trials.items()}, neuron=neuron,
        )  # fmt: skip

    def writes(self, neuron: int) -> list[str]:
        """The words that a neuron writes, as the browser has them."""
        table = np.frombuffer(self.written, "<u2").reshape(self.count, self.named)
        return [self.words[place] for place in table[neuron]]

    @property
    def pointed(self) -> npt.NDArray[np.float32]:
        """How far the word that each neuron favors most stands out, in standard deviations of the vocabulary."""
        return np.frombuffer(self.scores, "<f4").reshape(self.count, self.named)[:, 0]

    def contexts(self, neuron: int, before: int = 8) -> list[tuple[str, str, float]]:
        """What comes before each token at which a neuron fires most, that token, and how much it fires."""
        tokens = np.frombuffer(self.tokens, "<u2")
        found = []
        for place in np.frombuffer(self.places, "<u2").reshape(self.count, self.most)[neuron].tolist():
            start = max(place - before, max(begin for begin in self.starts if begin <= place))
            found.append(("".join(self.words[i] for i in tokens[start:place]), self.words[tokens[place]]))
        table = np.frombuffer(self.activations, "<f4").reshape(self.count, self.most)
        return [(text, token, float(fires)) for (text, token), fires in zip(found, table[neuron], strict=True)]

    def still_picture(self) -> Picture:
        """What six of the neurons do to their words: the probability as it is, without it, and without another one."""
        rows = [(each, trial) for each, tried in [*self.trials.items()][:6] for trial in tried[:1]]
        told = "; ".join(
            f"neuron {each}, which writes {', '.join(self.writes(int(each))[:3])}: “{trial['text']}” → "
            f"“{trial['word']}” {trial['intact']:.2f}, without it {trial['off']:.2f}"
            for each, trial in rows
        )
        return plots.bars(
            [f"{each}: {trial['text']} → {trial['word']}" for each, trial in rows],
            {
                "as it is": [trial["intact"] for _, trial in rows],
                "this neuron off": [trial["off"] for _, trial in rows],
                "another one off": [trial["other"] for _, trial in rows],
            },
            xlabel="probability of the next token", title=self.label,
            alt=f"The probability of a token with one neuron off. {told}. With another neuron off hardly anything "
            "changes.",
        )  # fmt: skip


def _whole(values: Any) -> bytes:
    return np.asarray(values, dtype="<u2").tobytes()


def neuron_reader(neuron: int | None = None) -> NeuronReader:
    """The neurons of a layer of SmolLM2: ten that were chosen and ten drawn at random in front; the first one shown."""
    kept = json.loads(RECORDED.read_text("utf-8"))
    words = kept.pop("words")
    first = next(iter(kept["groups"].values()))[0] if neuron is None else neuron
    tokens, written = (_spelled(kept.pop(name), words) for name in ("tokens", "written"))
    return NeuronReader(tokens=tokens, written=written, neuron=first, **kept)


def _spelled(numbers: Any, words: list[str]) -> Any:
    return [_spelled(each, words) if isinstance(each, list) else words[each] for each in numbers]
