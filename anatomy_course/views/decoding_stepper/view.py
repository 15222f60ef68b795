"""The decoding stepper: a text written one token per click, each with all that might have come instead.

The next token is chosen by a rule (the likeliest, or one at random) or by hand, and taken back again. The class knows
no model: it is given `begin`, which makes a `Writing` of a prompt. Notebook 05.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views._kit.request import Asking
from anatomy_course.views._kit.token_text import Spelling, spelling
from anatomy_course.views._kit.writing import check_known, continuation, cuts_in_words, room_to_write, stepper_of
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generation import NO_FILTERS
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

COLDEST, HOTTEST = 0.1, 3.0
LOWEST_P = 0.05
MOST_AT_ONCE = 10
"""Tokens that one question may ask for."""
MOST_WRITTEN = 40
"""Tokens that a view writes at most, unless told otherwise."""


@dataclass(frozen=True)
class Rule:
    """How the next token is chosen.

    Attributes:
        sample: at random, each token with its probability after the filters; the likeliest token otherwise.
        temperature: from 0.1 to 3.
        top_k: how many tokens are kept; 0 for all.
        top_p: the probability that the kept ones reach, from 0.05; 1 for all.
        seed: of the randomness, which begins anew with every rule.

    Raises:
        ValueError: a number is out of its range.
    """

    sample: bool = False
    temperature: float | int = 1.0
    top_k: int = 0
    top_p: float | int = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not COLDEST <= self.temperature <= HOTTEST:
            raise ValueError(f"temperature is {self.temperature}; give one from {COLDEST} to {HOTTEST}.")
        if self.top_k < 0:
            raise ValueError(f"top_k is {self.top_k}; give the number of tokens to keep, or 0 for all.")
        if not LOWEST_P <= self.top_p <= 1:
            raise ValueError(f"top_p is {self.top_p}; give one from {LOWEST_P} to 1, which keeps all.")

    def __str__(self) -> str:
        if not self.sample:
            return "greedy: the likeliest token"
        return ", ".join([f"at random, temperature {self.temperature:g}", *cuts_in_words(self.top_k, self.top_p)])


@dataclass(frozen=True)
class Option:
    """A token that may come next, with its probability as the model sees it and after the filters."""

    token_id: int
    word: str
    before: float
    after: float


@dataclass(frozen=True)
class WrittenToken:
    """A token of the text, with the probability that the model gave it."""

    word: str
    probability: float
    ends: bool
    """Whether it is a token that ends a text."""


class DecodingStepper(Asking):
    """One token per click: candidates as bars to choose from, a rule to choose by, and every word to go back to.

    Args:
        begin: prompt → `Writing`. A `ValueError` it raises is shown as its one sentence.
        prompt: the text to continue at first.
        rule: how tokens are chosen at first; greedily unless told.

    Raises:
        ValueError: `begin` refuses the prompt.
    """

    prompt = traitlets.List(traitlets.Unicode()).tag(sync=True)
    prompt_text = traitlets.Unicode().tag(sync=True)
    written = traitlets.List(traitlets.Dict()).tag(sync=True)
    """{word, probability, ends, by_hand} of every token written."""
    options = traitlets.List(traitlets.Dict()).tag(sync=True)
    """{token_id, word, before, after}, likeliest first; none where the text has ended."""
    rule = traitlets.Dict().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    vocab_size = traitlets.Int().tag(sync=True)
    room = traitlets.Int().tag(sync=True)
    """How many tokens may still be written."""

    def __init__(
        self,
        begin: Callable[[str], Writing],
        prompt: str,
        *,
        rule: Rule | None = None,
        label: str = "Writing token by token",
    ) -> None:
        self._begin, self._rule = begin, rule or Rule()
        self._by_hand: list[bool] = []
        self._writing = begin(prompt)
        self._writing.follow(self._rule)
        super().__init__(**self._told(), prompt_text=prompt, label=label, question={"do": "nothing"})

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Do what was asked: next, choose, back, restart, rule or prompt."""
        match question.get("do"):
            case "next":
                for _ in range(min(int(question.get("count", 1)), MOST_AT_ONCE)):
                    self._write(None)
                    if not self._can_go_on():
                        break
            case "choose":
                self._write(int(question["token_id"]))
            case "back":
                self._back(int(question.get("count", 1)))
            case "restart":
                self._back(len(self._by_hand))
                self._writing.follow(self._rule)
            case "rule":
                rule = Rule(**question["rule"])
                self._writing.follow(rule)
                self._rule = rule
            case "prompt":
                prompt = str(question.get("prompt", ""))
                writing = self._begin(prompt)
                writing.follow(self._rule)
                self._writing, self._by_hand, self.prompt_text = writing, [], prompt
            case do:
                raise ValueError(f"The stepper was asked to {do!r}; it can next, choose, back, restart, rule, prompt.")
        return {**self._told(), "prompt_text": self.prompt_text}

    @property
    def ended(self) -> bool:
        """Whether nothing can be written any more."""
        return self.room == 0 or bool(self.written and self.written[-1]["ends"])

    def _write(self, token_id: int | None) -> None:
        if not self._can_go_on():
            raise ValueError("The text has come to its end; go back to write another one.")
        self._writing.advance(token_id)
        self._by_hand.append(token_id is not None)

    def _can_go_on(self) -> bool:
        written = self._writing.written
        return self._writing.room > 0 and not (written and written[-1].ends)

    def _back(self, count: int) -> None:
        self._writing.back(count)
        del self._by_hand[len(self._by_hand) - count :]

    def _told(self) -> dict[str, Any]:
        """The traits that say where the writing stands."""
        writing = self._writing
        tokens = zip(writing.written, self._by_hand, strict=True)
        return {
            "prompt": writing.prompt,
            "written": [{**asdict(token), "by_hand": by_hand} for token, by_hand in tokens],
            "options": [asdict(option) for option in writing.options] if self._can_go_on() else [],
            "rule": asdict(self._rule), "text": writing.text(), "vocab_size": writing.vocab_size,
            "room": writing.room,
        }  # fmt: skip

    def still_picture(self) -> Picture:
        """What was written, and the candidates for the next token; those of the last where the text has ended."""
        text = self.text or "(nothing written yet)"
        if not self.options:
            return plots.bars(
                [token["word"] for token in self.written], [token["probability"] for token in self.written],
                xlabel="probability that the model gave it", title=self.label,
                alt=f"After “{self.prompt_text}” was written: “{text}”. The text has ended.",
            )  # fmt: skip
        words = [option["word"] for option in self.options]
        series = {"as the model sees it": [option["before"] for option in self.options]}
        if self._rule.sample:
            series["after the filters"] = [option["after"] for option in self.options]
        told = ", ".join(f"{option['word']} {option['before']:.0%}" for option in self.options[:5])
        return plots.bars(
            words, series, xlabel="probability", title=f"{self.label}, {self._rule}",
            alt=f"After “{self.prompt_text}” was written: “{text}”. The likeliest next tokens: {told}.",
        )  # fmt: skip


def step_through(
    model: LanguageModel,
    words: Vocabulary | Tokenizer,
    prompt: str,
    *,
    filters: Filters = NO_FILTERS,
    seed: int | None = None,
    max_new_tokens: int = MOST_WRITTEN,
    show: int = 10,
) -> DecodingStepper:
    """A text written token by token, by a rule or by hand, and back again.

    Args:
        prompt: what it continues; for the street it may be empty.
        filters: of random choice, at first; they need a seed.
        seed: of random choice; the likeliest token is chosen when left out.
        max_new_tokens: how many may be written, where the model has so many positions.
        show: how many candidates are listed.

    Raises:
        ValueError: the prompt cannot be read, filters without a seed, or one that the view has no control for.
    """
    check_known(filters)
    if seed is None and filters != NO_FILTERS:
        raise ValueError(
            f"{filters} is for choosing at random; add seed=0, or leave the filters out for greedy choice."
        )
    spelled = spelling(words)
    rule = Rule(seed is not None, filters.temperature, filters.top_k or 0, filters.top_p or 1.0, seed or 0)
    return DecodingStepper(lambda text: Writing(model, spelled, text, max_new_tokens, show), prompt, rule=rule)


class Writing:
    """A text that is being written: a `Stepper` with its tokens as words."""

    def __init__(self, model: LanguageModel, spelled: Spelling, prompt: str, max_new_tokens: int, show: int) -> None:
        self._spelled, self._ids = spelled, spelled.ids(prompt)
        self._most = room_to_write(model, len(self._ids), max_new_tokens)
        self.prompt = [spelled.word(each) for each in self._ids]
        """The tokens that it continues."""
        self.vocab_size = model.vocabulary.out_features
        """Among how many tokens the choice is."""
        self._stepper = stepper_of(model, spelled, self._ids, self._most, show)

    @property
    def written(self) -> list[WrittenToken]:
        """What was written so far."""
        return [
            WrittenToken(
                self._spelled.word(step.token_id),
                next(each.before for each in step.candidates if each.token_id == step.token_id),
                step.ended,
            )
            for step in self._stepper.steps
        ]

    @property
    def options(self) -> list[Option]:
        """The likeliest next tokens, likeliest first."""
        return [
            Option(each.token_id, self._spelled.word(each.token_id), each.before, each.after)
            for each in self._stepper.candidates
        ]

    @property
    def room(self) -> int:
        """How many tokens may still be written."""
        return self._most - len(self._stepper.token_ids)

    def text(self) -> str:
        """What was written, as people read it."""
        return continuation(self._spelled, self._ids, self._stepper.token_ids)

    def follow(self, rule: Rule) -> None:
        """Choose by this rule from here on."""
        if not rule.sample:
            self._stepper.follow()
            return
        filters = Filters(
            temperature=float(rule.temperature),
            top_k=rule.top_k or None,
            top_p=float(rule.top_p) if rule.top_p < 1 else None,
        )
        self._stepper.follow(filters, torch.Generator().manual_seed(rule.seed))

    def advance(self, token_id: int | None = None) -> None:
        """Write one token: this one, or the one that the rule chooses."""
        self._stepper.advance(token_id)

    def back(self, count: int) -> None:
        """Take the last tokens back."""
        self._stepper.back(count)
