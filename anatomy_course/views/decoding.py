"""A language model at work, for notebook 04: its logits, its text token by token, its beams as a tree.

Each view takes the street's vocabulary or a published tokenizer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views.beam_tree.view import BeamTree, Found, Greedy, Node
from anatomy_course.views.decoding_stepper.view import DecodingStepper, Option, Rule, WrittenToken
from anatomy_course.views.logits_explorer.view import LogitsExplorer, Outputs
from anatomy_course.views.token_text import Spelling, spelling
from anatomy_utils.decoding.beams import Hypothesis, beam_steps
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generation import NO_FILTERS
from anatomy_utils.decoding.stepper import Stepper
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_WRITTEN = 40
"""Tokens that a view writes at most, unless told otherwise."""


def explore_logits(
    model: LanguageModel,
    words: Vocabulary | Tokenizer,
    text: str,
    *,
    after: str | None = None,
    filters: Filters = NO_FILTERS,
) -> LogitsExplorer:
    """What may come next behind every token of a text: hidden state, logits, probabilities, filters.

    Args:
        after: the token whose successor is asked for at first, as the view writes it; the last one when left out.
        filters: temperature, top-k and top-p at first.

    Raises:
        ValueError: the text has no such token, or there is a filter that the view has no control for.
    """
    check_known(filters)
    spelled = spelling(words)
    ids = spelled.ids(text)
    with torch.no_grad():
        states = model.decoder(torch.tensor([ids]))[0]
        logits = model.vocabulary(states)
    tokens = [spelled.word(each) for each in ids]
    if after is not None and after not in tokens:
        raise ValueError(f"There is no token {after!r} in {tokens}.")
    return LogitsExplorer(
        Outputs(
            tokens, states, logits, model.vocabulary.weight, [spelled.word(i) for i in range(logits.shape[1])], ids[1:],
            tied=model.vocabulary.weight is model.decoder.embeddings.tokens.weight,
        ),
        position=None if after is None else tokens.index(after),
        temperature=filters.temperature, top_k=filters.top_k or 0, top_p=filters.top_p or 1.0,
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
    return DecodingStepper(lambda text: _Writing(model, spelled, text, max_new_tokens, show), prompt, rule=rule)


class _Writing:
    """A `Stepper` with its tokens as words."""

    def __init__(self, model: LanguageModel, spelled: Spelling, prompt: str, max_new_tokens: int, show: int) -> None:
        ids = spelled.ids(prompt)
        self._spelled, self._ids = spelled, ids
        self._most = room_to_write(model, len(ids), max_new_tokens)
        self.prompt = [spelled.word(each) for each in ids]
        self.vocab_size = model.vocabulary.out_features
        self._stepper: Stepper[KeyValueCache] = Stepper(
            model.step,
            lambda: model.start(1, len(ids) + self._most),
            torch.tensor([ids]),
            stop_ids=spelled.stop_ids,
            show=show,
        )

    @property
    def written(self) -> Sequence[WrittenToken]:
        return [
            WrittenToken(
                self._spelled.word(step.token_id),
                next(each.before for each in step.candidates if each.token_id == step.token_id),
                step.ended,
            )
            for step in self._stepper.steps
        ]

    @property
    def options(self) -> Sequence[Option]:
        return [
            Option(each.token_id, self._spelled.word(each.token_id), each.before, each.after)
            for each in self._stepper.candidates
        ]

    @property
    def room(self) -> int:
        return self._most - len(self._stepper.token_ids)

    def text(self) -> str:
        return continuation(self._spelled, self._ids, self._stepper.token_ids)

    def follow(self, rule: Rule) -> None:
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
        self._stepper.advance(token_id)

    def back(self, count: int) -> None:
        self._stepper.back(count)


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
        num_beams: how many texts are kept at first.
        max_new_tokens: how many steps there are at most.
        length_penalty: 0, 0.5, 1, 1.5 or 2, at first; see `decoding.beams`.
        step: how many steps are shown at first; all when left out.
    """
    spelled = spelling(words)

    def search(text: str, beams: int, penalty: float) -> Found:
        ids = spelled.ids(text)
        most = room_to_write(model, len(ids), max_new_tokens)
        capacity = len(ids) + most
        prompt_ids = torch.tensor([ids])
        steps = list(
            beam_steps(
                model.step, model.start(1, capacity), prompt_ids, num_beams=beams, max_new_tokens=most,
                stop_ids=spelled.stop_ids, length_penalty=penalty,
            )
        )  # fmt: skip
        stepper: Stepper[KeyValueCache] = Stepper(
            model.step, lambda: model.start(1, capacity), prompt_ids, stop_ids=spelled.stop_ids, show=1
        )
        while not stepper.ended and len(stepper.token_ids) < most:
            stepper.advance()
        return _found(ids, steps, stepper, penalty, spelled, model.vocabulary.out_features, beams)

    return BeamTree(search, prompt, num_beams=num_beams, length_penalty=length_penalty, step=step)


def _found(
    ids: list[int],
    steps: list[tuple[Hypothesis, ...]],
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


def continuation(spelled: Spelling, prompt_ids: Sequence[int], new_ids: Sequence[int]) -> str:
    """What was written behind a prompt, spelled as it is there: without a capital in the middle of a sentence."""
    start, whole = spelled.text(prompt_ids), spelled.text([*prompt_ids, *new_ids])
    return (whole[len(start) :] if whole.startswith(start) else spelled.text(new_ids)).strip()


def room_to_write(model: LanguageModel, prompt_length: int, wanted: int) -> int:
    """How many tokens may follow a prompt: as many as are wanted, or as the model's positions allow.

    Raises:
        ValueError: none has room, or none is wanted.
    """
    positions = model.decoder.embeddings.positions
    free = positions.max_positions - prompt_length if isinstance(positions, LearnedPositions) else wanted
    if min(free, wanted) < 1:
        raise ValueError(
            f"The prompt has {prompt_length} tokens, and {min(free, wanted)} more have room; shorten it, or raise "
            "max_new_tokens to at least 1."
        )
    return min(free, wanted)


def check_known(filters: Filters) -> None:
    """Raise one clear sentence where a filter has no control on the page.

    Raises:
        ValueError: there is a min-p or a repetition penalty.
    """
    known = Filters(temperature=filters.temperature, top_k=filters.top_k, top_p=filters.top_p)
    if filters != known:
        raise ValueError(f"{filters} holds a filter without a slider here; use temperature, top_k and top_p.")
