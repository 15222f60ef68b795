"""Notebook 04: the greedy decoding loop."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.decoder.shared import TableStep
from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.decoding.steps import SeenIds

VOCAB_SIZE = 17
STOP_IN_PROMPT = "a prompt that contains the stop token"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, written in (
        ("a text that ends by itself", 4),
        ("a text that fills its allowance", 99),
        ("a text that ends with its first new token", 1),
        ("a prompt of one token", 3),
        (STOP_IN_PROMPT, 5),
    ):
        position = 1 if kind == "a prompt of one token" else primes(generator, 1, (3, 5))[0]
        stop_id = int(torch.randint(VOCAB_SIZE, (1,), generator=generator)) if written != 3 else 0
        prompt = torch.randint(VOCAB_SIZE - 1, (1, position), generator=generator)
        prompt += prompt >= stop_id  # no stop token among them
        arguments = {
            "step": TableStep(normal(generator, VOCAB_SIZE, VOCAB_SIZE) - 3, stop_id, position + written - 1),
            "cache": SeenIds(),
            "prompt_ids": prompt,
            "max_new_tokens": 7,
            "stop_id": stop_id,
        }
        if kind == STOP_IN_PROMPT:  # as in GPT-2, where a text begins with the token that ends it
            prompt[0, 0] = stop_id
        yield Case(arguments, kind, {"position": position})


def _write(
    step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int, *, largest: bool = True, stops: bool = True
) -> Tensor:
    ids = new = prompt
    for _ in range(most):
        logits, cache = step(new, cache)
        new = (logits if largest else -logits).argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], 1)
        if stops and new.item() == stop:
            break
    return ids


def _forgetful(step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int) -> Tensor:
    ids = new = prompt
    for _ in range(most):
        logits, _ = step(new, cache)
        new = logits.argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], 1)
        if new.item() == stop:
            break
    return ids


def _all_again(step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int, *, kept: bool = True) -> Tensor:
    ids = prompt
    for _ in range(most):
        logits, longer = step(ids, cache)
        cache = longer if kept else cache
        new = logits.argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], 1)
        if new.item() == stop:
            break
    return ids


def _without_the_stop(step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int) -> Tensor:
    ids = _write(step, cache, prompt, most, stop)
    return ids[:, :-1] if ids[0, -1] == stop else ids


def _stopped_by_the_prompt(step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int) -> Tensor:
    return _write(step, cache, prompt, 1 if (prompt == stop).any() else most, stop)


def _prompt_again(step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int) -> Tensor:
    _, cache = step(prompt, cache)
    return torch.cat([prompt[:, :-1], _write(step, cache, prompt[:, -1:], most, stop)], 1)


def _reads_first(step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int) -> Tensor:
    logits, cache = step(prompt, cache)
    written: list[Tensor] = []
    while len(written) < most:
        written.append(logits.argmax(-1))
        if written[-1] == stop:
            break
        logits, cache = step(written[-1][:, None], cache)
    return torch.cat([prompt, torch.stack(written, 1)], 1)


def _prompt_one_by_one(step: TableStep, cache: SeenIds, prompt: Tensor, most: int, stop: int) -> Tensor:
    for place in range(prompt.shape[1] - 1):
        _, cache = step(prompt[:, place : place + 1], cache)
    return torch.cat([prompt[:, :-1], _write(step, cache, prompt[:, -1:], most, stop)], 1)


EXERCISE = Exercise(
    id="decoder.write",
    title="The loop that writes",
    task="Write the likeliest token again and again, until it is the stop token or max_new_tokens are written; read "
    "each token only once, since the cache remembers it.",
    difficulty="medium",
    minutes=7,
    signature="write(step, cache, prompt_ids: Tensor, max_new_tokens: int, stop_id: int) -> Tensor",
    docstring="step(new_ids, cache) → (logits (1, vocab_size) of what follows, the longer cache); new_ids (1, new)\n"
    "are those it has not read yet. prompt_ids (1, position) → ids (1, longer): prompt and text, stop token included.",
    reference="anatomy_utils.decoding.by_hand.write",
    returns=(Output("ids", "batch position"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "cache_forgotten",
            _forgetful,
            "Your first new token is right. After that the model knows only the last one: the cache that step gives "
            "back does not reach the next step.",
        ),
        Mistake(
            "all_again",
            _all_again,
            "The whole text is read again at every step, although the cache remembers it: the model sees everything "
            "several times.",
        ),
        Mistake("prompt_again", _prompt_again, "The model reads the last token of the prompt twice."),
        Mistake(
            "only_the_last",
            lambda step, cache, prompt, most, stop: torch.cat(
                [prompt[:, :-1], _write(step, cache, prompt[:, -1:], most, stop)], 1
            ),
            "Your text goes on as if the model had read nothing of the prompt but its last token.",
        ),
        Mistake(
            "no_prompt",
            lambda step, cache, prompt, most, stop: _write(step, cache, prompt, most, stop)[:, prompt.shape[1] :],
            "You return the right new tokens, but without the prompt before them.",
        ),
        Mistake(
            "without_the_stop",
            _without_the_stop,
            "The stop token is missing at the end; it belongs to what was written.",
        ),
        Mistake(
            "never_stops",
            lambda step, cache, prompt, most, stop: _write(step, cache, prompt, most, stop, stops=False),
            "Your text goes on after the stop token.",
        ),
        Mistake(
            "nothing_after_a_stop",
            lambda step, cache, prompt, most, stop: _write(step, cache, prompt, most * (stop not in prompt), stop),
            "You write nothing after a prompt that contains the stop token. Only one that the model writes ends the "
            "text.",
        ),
        Mistake(
            "stopped_by_the_prompt",
            _stopped_by_the_prompt,
            "After a prompt that contains the stop token you write one token and no more. Only a stop token that the "
            "model writes ends the text.",
        ),
        Mistake(
            "one_too_few",
            lambda step, cache, prompt, most, stop: _write(step, cache, prompt, most - 1, stop),
            "A text that does not end by itself is one token too short in yours.",
        ),
        Mistake(
            "one_too_many",
            lambda step, cache, prompt, most, stop: _write(step, cache, prompt, most + 1, stop),
            "A text that does not end by itself is one token too long in yours.",
        ),
        Mistake(
            "prompt_counted",
            lambda step, cache, prompt, most, stop: _write(step, cache, prompt, most - prompt.shape[1], stop),
            "The prompt counts among your max_new_tokens; only new tokens should.",
        ),
        Mistake(
            "unlikeliest",
            lambda step, cache, prompt, most, stop: _write(step, cache, prompt, most, stop, largest=False),
            "You write the unlikeliest token.",
        ),
    ),
    also_right={
        "reads the prompt first": _reads_first,
        "the prompt token by token": _prompt_one_by_one,
        "without a cache": lambda *given: _all_again(*given, kept=False),
    },
    hints=(
        "A loop of at most max_new_tokens turns. In each: call step, choose, append, perhaps stop.",
        "The first time, the model reads the prompt; from then on, one token each time. Both are `new_ids`. And each "
        "step gives you the cache for the next one.",
        "`new_ids = logits.argmax(dim=-1, keepdim=True)` is (1, 1) and fits after the text: "
        "`torch.cat([ids, new_ids], dim=1)`. `new_ids.item()` is a plain number.",
    ),
    solution="ids = new_ids = prompt_ids\n"
    "for _ in range(max_new_tokens):\n"
    "    logits, cache = step(new_ids, cache)\n"
    "    new_ids = logits.argmax(dim=-1, keepdim=True)\n"
    "    ids = torch.cat([ids, new_ids], dim=1)\n"
    "    if new_ids.item() == stop_id:\n"
    "        break\n"
    "return ids",
    explanation="This loop knows no model: it works with anything that reads tokens and gives logits for the next one. "
    "Put temperature and top-p before the choice, draw in place of argmax, and you have a sampler.",
)
