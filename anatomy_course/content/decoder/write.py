"""Notebook 05: the greedy decoding loop."""

from dataclasses import dataclass

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, primes, written
from anatomy_utils.decoding.steps import SeenIds


def write(step, cache, prompt_ids: Tensor, max_new_tokens: int, stop_id: int) -> Tensor:
    """step(new_ids, cache) → (logits (1, vocab_size) of what follows, the longer cache);
    new_ids (1, new) are those it has not read yet.
    prompt_ids (1, position) → ids (1, longer): prompt and text, stop token included."""
    ids = new_ids = prompt_ids
    for _ in range(max_new_tokens):
        logits, cache = step(new_ids, cache)
        new_ids = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([ids, new_ids], dim=1)
        if new_ids.item() == stop_id:
            break
    return ids


@dataclass(frozen=True)
class TableStep:
    """What follows depends on all tokens that were read, most on the last ones.

    Args:
        table: (vocab_size, vocab_size) of random numbers.
        stop_id: the token that ends a text.
        ends_at: the stop token is the likeliest when so many tokens were read, and else the unlikeliest.
    """

    table: Tensor
    stop_id: int
    ends_at: int

    def __call__(self, input_ids: Tensor, cache: SeenIds) -> tuple[Tensor, SeenIds]:
        cache = cache.extended(input_ids)
        assert cache.ids is not None
        ids = cache.ids[0]
        nearness = 0.6 ** torch.arange(len(ids) - 1, -1, -1)
        logits = (nearness @ self.table[ids])[None]
        logits[:, self.stop_id] = 50.0 if len(ids) == self.ends_at else -50.0
        return logits, cache

    def __repr__(self) -> str:
        return "a model's step"


def cases(generator: Generator) -> Cases:
    vocab_size = 17
    stop_in_prompt = "a prompt that contains the stop token"
    for kind, length in (
        ("a text that ends by itself", 4),
        ("a text that fills its allowance", 99),
        ("a text that ends with its first new token", 1),
        ("a prompt of one token", 3),
        (stop_in_prompt, 5),
    ):
        position = 1 if kind == "a prompt of one token" else primes(generator, 1, (3, 5))[0]
        stop_id = int(torch.randint(vocab_size, (1,), generator=generator)) if length != 3 else 0
        prompt = torch.randint(vocab_size - 1, (1, position), generator=generator)
        prompt += prompt >= stop_id  # no stop token among them
        arguments = {
            "step": TableStep(normal(generator, vocab_size, vocab_size) - 3, stop_id, position + length - 1),
            "cache": SeenIds(),
            "prompt_ids": prompt,
            "max_new_tokens": 7,
            "stop_id": stop_id,
        }
        if kind == stop_in_prompt:  # as in GPT-2, where a text begins with the token that ends it
            prompt[0, 0] = stop_id
        yield Case(arguments, kind, {"position": position})


EXERCISE = written(
    write,
    title="The loop that writes",
    task="Write the likeliest token again and again, until it is the stop token or max_new_tokens are written; read "
    "each token only once, since the cache remembers it.",
    level="medium, 7 minutes",
    returns="ids: batch position",
    cases=cases,
    mistakes="""
    cache_forgotten: logits, cache = step ⇒ logits, _ = step
        “Your first new token is right. After that the model knows only the last one: the cache that step gives back
        does not reach the next step.”
    all_again: step(new_ids, cache) ⇒ step(ids, cache)
        “The whole text is read again at every step, although the cache remembers it: the model sees everything several
        times.”
    prompt_again:
        ids = new_ids = prompt_ids ⇒
            _, cache = step(prompt_ids, cache)
            ids, new_ids = prompt_ids, prompt_ids[:, -1:]
        “The model reads the last token of the prompt twice.”
    no_prompt: result[:, prompt_ids.shape[1] :]
        “You return the right new tokens, but without the prompt before them.”
    without_the_stop: break ⇒ return ids[:, :-1]
        “The stop token is missing at the end; it belongs to what was written.”
    never_stops: new_ids.item() == stop_id ⇒ False
        “Your text goes on after the stop token.”
    nothing_after_a_stop: range(max_new_tokens) ⇒ range(0 if stop_id in prompt_ids else max_new_tokens)
        “You write nothing after a prompt that contains the stop token. Only one that the model writes ends the text.”
    stopped_by_the_prompt: new_ids.item() == stop_id ⇒ stop_id in ids
        “After a prompt that contains the stop token you write one token and no more. Only a stop token that the model
        writes ends the text.”
    one_too_few: range(max_new_tokens) ⇒ range(max_new_tokens - 1)
        “A text that does not end by itself is one token too short in yours.”
    one_too_many: range(max_new_tokens) ⇒ range(max_new_tokens + 1)
        “A text that does not end by itself is one token too long in yours.”
    prompt_counted: range(max_new_tokens) ⇒ range(max_new_tokens - prompt_ids.shape[1])
        “The prompt counts among your max_new_tokens; only new tokens should.”
    unlikeliest: argmax ⇒ argmin
        “You write the unlikeliest token.”
    """,
    also_right="""
    reads the prompt first:
        logits, cache = step(prompt_ids, cache)
        new = []
        while len(new) < max_new_tokens:
            new.append(logits.argmax(-1))
            if new[-1] == stop_id:
                break
            logits, cache = step(new[-1][:, None], cache)
        return torch.cat([prompt_ids, torch.stack(new, 1)], 1)
    the prompt token by token:
        ids = new_ids = prompt_ids ⇒
            for place in range(prompt_ids.shape[1] - 1):
                _, cache = step(prompt_ids[:, place : place + 1], cache)
            ids, new_ids = prompt_ids, prompt_ids[:, -1:]
    without a cache: logits, cache = step(new_ids, cache) ⇒ logits, _ = step(ids, cache)
    """,
    hints="""
    - A loop of at most max_new_tokens turns. In each: call step, choose, append, perhaps stop.
    - The first time, the model reads the prompt; from then on, one token each time. Both are `new_ids`. And each step
      gives you the cache for the next one.
    - `new_ids = logits.argmax(dim=-1, keepdim=True)` is (1, 1) and fits after the text: `torch.cat([ids, new_ids],
      dim=1)`. `new_ids.item()` is a plain number.
    """,
    explanation="""
    This loop knows no model: it works with anything that reads tokens and gives logits for the next one. Put
    temperature and top-p before the choice, draw in place of argmax, and you have a sampler.
    """,
)
