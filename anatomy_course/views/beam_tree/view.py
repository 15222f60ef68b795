"""The beam tree: beam search step by step, with what it drops, what it finishes, and what greedy choice would write.

The class knows no model: it is given `search`, which runs the search on a prompt and tells all its steps. Notebooks 05
and 05.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
import traitlets

from anatomy_course.figures.picture import Picture
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views._kit.checks import Whole
from anatomy_course.views._kit.request import Asking
from anatomy_course.views._kit.token_text import Spelling, spelling
from anatomy_course.views._kit.writing import continuation, room_to_write, stepper_of
from anatomy_utils.decoding.beams import Hypothesis, beam_steps
from anatomy_utils.decoding.stepper import Stepper
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_BEAMS = 5
"""More do not fit under each other."""
PENALTIES = (0.0, 0.5, 1.0, 1.5, 2.0)


@dataclass(frozen=True)
class Node:
    """One text that a step considered."""

    parent: int
    """The row of the text it continues, in the step before; −1 for the prompt."""
    word: str
    """Its last token."""
    text: str
    log_probability: float
    """The sum over its tokens."""
    score: float
    """log_probability / length ** length_penalty"""
    fate: Literal["alive", "ended", "dropped"]
    stops: bool
    """Whether its last token ends a text; a text may also end because there is no room for more."""


@dataclass(frozen=True)
class Greedy:
    """The text that the likeliest token makes at every step."""

    text: str
    log_probability: float
    score: float
    rows: Sequence[int]
    """In each step the row where it stands; −1 where the search has lost it."""


@dataclass(frozen=True)
class Found:
    """A whole search."""

    prompt: Sequence[str]
    columns: Sequence[Sequence[Node]]
    """What every step considered, likeliest first."""
    greedy: Greedy
    vocab_size: int


Find = Callable[[str, int, float], Found]
"""(prompt, num_beams, length_penalty) → the search."""


class BeamTree(Asking):
    """A column for every step: the texts that were considered, kept, dropped and finished.

    Args:
        search: (prompt, num_beams, length_penalty) → `Found`. A `ValueError` it raises is shown as its one sentence.
        prompt: the text to continue at first.
        num_beams: how many texts are kept, 1 to 5.
        length_penalty: the exponent of the length that a log-probability is divided by: 0, 0.5, 1, 1.5 or 2.
        step: how many steps are shown at first; all unless told.

    Raises:
        ValueError: `search` refuses the prompt, or a setting is out of its range.
    """

    prompt = traitlets.List(traitlets.Unicode()).tag(sync=True)
    prompt_text = traitlets.Unicode().tag(sync=True)
    num_beams = traitlets.Int(3).tag(sync=True)
    length_penalty = traitlets.Float(1.0).tag(sync=True)
    columns = traitlets.List(traitlets.List(traitlets.Dict())).tag(sync=True)
    """The fields of `Node` for every text of every step."""
    ranking = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    """[step, row] of the best finished texts, best first."""
    greedy = traitlets.Dict().tag(sync=True)
    vocab_size = traitlets.Int().tag(sync=True)
    step = Whole("columns", low=1).tag(sync=True)
    """How many steps are shown."""

    def __init__(
        self,
        search: Find,
        prompt: str,
        *,
        num_beams: int = 3,
        length_penalty: float | int = 1.0,
        step: int | None = None,
        label: str = "Beam search as a tree",
    ) -> None:
        self._search = search
        told = self._found(prompt, num_beams, length_penalty)
        question = {"prompt": prompt, "num_beams": num_beams, "length_penalty": float(length_penalty)}
        super().__init__(**told, step=len(told["columns"]) if step is None else step, label=label, question=question)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Another search, shown from its first step."""
        return {
            **self._found(str(question["prompt"]), int(question["num_beams"]), float(question["length_penalty"])),
            "step": 1,
        }

    @property
    def best(self) -> str:
        """The text with the highest score."""
        step, row = self.ranking[0]
        return str(self.columns[step][row]["text"])

    def way(self, step: int, row: int) -> list[int]:
        """The rows on the way to a text, from the first step on."""
        rows = [row]
        for column in range(step, 0, -1):
            rows.append(int(self.columns[column][rows[-1]]["parent"]))
        return rows[::-1]

    def _found(self, prompt: str, num_beams: int, length_penalty: float | int) -> dict[str, Any]:
        if not 1 <= num_beams <= MOST_BEAMS:
            raise ValueError(f"num_beams is {num_beams}; the tree has room for 1 to {MOST_BEAMS}.")
        if length_penalty not in PENALTIES:
            raise ValueError(f"length_penalty is {length_penalty}; choose one of {', '.join(map(str, PENALTIES))}.")
        found = self._search(prompt, num_beams, float(length_penalty))
        columns = [[asdict(node) for node in column] for column in found.columns]
        ended = [
            [step, row]
            for step, column in enumerate(columns)
            for row, node in enumerate(column)
            if node["fate"] == "ended"
        ]
        ended.sort(key=lambda place: -columns[place[0]][place[1]]["score"])
        return {
            "prompt": list(found.prompt), "prompt_text": prompt, "num_beams": num_beams,
            "length_penalty": float(length_penalty), "columns": columns, "ranking": ended[:num_beams],
            "greedy": {**asdict(found.greedy), "rows": list(found.greedy.rows)}, "vocab_size": found.vocab_size,
        }  # fmt: skip

    def still_picture(self) -> Picture:
        """The whole tree."""
        from anatomy_course.figures.diagrams.beams import beam_tree

        step, row = self.ranking[0]
        best = self.columns[step][row]
        return beam_tree(
            self.prompt[-1], self.columns, self.way(step, row), title=f"{self.label}: {self.num_beams} kept at a time",
            alt=f"Beam search with {self.num_beams} beams after “{self.prompt_text}”, {len(self.columns)} steps. The "
            f"best text: “{best['text']}”, log-probability {best['log_probability']:.2f}. Greedy choice writes "
            f"“{self.greedy['text']}”, log-probability {self.greedy['log_probability']:.2f}.",
        )  # fmt: skip


def beam_tree(
    model: LanguageModel,
    words: Vocabulary | Tokenizer,
    prompt: str,
    *,
    num_beams: int = 3,
    max_new_tokens: int = 8,
    length_penalty: float | int = 1.0,
    step: int | None = None,
) -> BeamTree:
    """Beam search as a tree that grows step by step, and what greedy choice writes instead.

    Args:
        prompt: what is continued; for the street it may be empty.
        max_new_tokens: how many steps there are at most.
        num_beams, length_penalty, step: see `BeamTree` and `decoding.beams`.
    """
    spelled = spelling(words)

    def search(text: str, beams: int, penalty: float) -> Found:
        ids = spelled.ids(text)
        most = room_to_write(model, len(ids), max_new_tokens)
        steps = beam_steps(
            model.step, model.start(1, len(ids) + most), torch.tensor([ids]), num_beams=beams, max_new_tokens=most,
            stop_ids=spelled.stop_ids, length_penalty=penalty,
        )  # fmt: skip
        stepper = stepper_of(model, spelled, ids, most, show=1)
        while not stepper.ended and len(stepper.token_ids) < most:
            stepper.advance()
        return _found(ids, steps, stepper, penalty, spelled, model.vocabulary.out_features, beams)

    return BeamTree(search, prompt, num_beams=num_beams, length_penalty=length_penalty, step=step)


def _found(
    ids: list[int],
    steps: Iterable[tuple[Hypothesis, ...]],
    greedy: Stepper[KeyValueCache],
    length_penalty: float,
    spelled: Spelling,
    vocab_size: int,
    num_beams: int,
) -> Found:
    columns: list[list[Node]] = []
    before: dict[tuple[int, ...], int] = {(): -1}
    rows = []
    for length, considered in enumerate(steps, start=1):
        shown = [each for i, each in enumerate(considered) if i < 2 * num_beams or each.fate != "dropped"]
        columns.append([
            Node(
                before[each.parent], spelled.word(each.token_ids[-1]), continuation(spelled, ids, each.token_ids),
                each.log_probability, each.score, each.fate, each.token_ids[-1] in spelled.stop_ids,
            )
            for each in shown
        ])  # fmt: skip
        before = {each.token_ids: row for row, each in enumerate(shown)}
        if length <= len(greedy.token_ids):
            rows.append(before.get(greedy.token_ids[:length], -1))
    sum_of = sum(math.log(chosen.candidates[0].before) for chosen in greedy.steps)
    score = sum_of / len(greedy.token_ids) ** length_penalty
    text = continuation(spelled, ids, greedy.token_ids)
    return Found([spelled.word(each) for each in ids], columns, Greedy(text, sum_of, score, rows), vocab_size)
