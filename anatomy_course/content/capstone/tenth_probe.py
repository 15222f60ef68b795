"""Notebook 09: a probe for what the nine do not see, judged by planted faults."""

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written
from anatomy_course.lab.debugging.mutants import HEALTHY_ONES, MUTANTS, alarms

WARDS = 2


def tenth_probe(model) -> bool:
    """model: a decoder over 316 tokens; input_ids (batch, position) may have up to 64 positions.
    model(input_ids) → logits (batch, position, 316), all positions at once, without a cache;
    model.start(batch, capacity, attention_mask=mask) → an empty cache; padding, if any, is in front;
    model.step(input_ids, cache) → logits (batch, 316) after the last of these tokens, and the cache
    to go on with
    → True if the model is broken.
    """
    text = torch.arange(10, 58)[None]
    other = text.clone()
    other[0, -1] = 60
    before, after = model(text)[:, :-1], model(other)[:, :-1]
    return not torch.allclose(before, after, atol=0.001)


def cases(generator: Generator) -> Cases:
    for seed in torch.randint(10**6, (WARDS,), generator=generator).tolist():
        yield Case({"seed": seed}, "a ward of models")


def drive(answer: Callable[[Any], object], seed: int) -> tuple[Tensor, ...] | Objection | None:
    """1 where no healthy model is suspected and a fault is caught that none of the nine probes sees."""
    said = [(mutant, _truth(found)) for mutant, found in alarms(answer, seed)]
    for _, found in said:
        if found is None or isinstance(found, Objection):
            return found
    caught = [mutant for mutant, found in said if found and mutant is not None]
    wrongly = sum(bool(found) for mutant, found in said if mutant is None)
    told = (wrongly, *(mutant.fault for mutant in caught))
    if wrongly:
        words = (
            f"Your probe calls {wrongly} of {HEALTHY_ONES} healthy models broken. What it measures is not 0 in health, "
            "or its threshold is lower than what rounding does."
        )
        return Objection("false_alarm", words, told)
    if not caught:
        return Objection("nothing", f"Your probe finds none of {len(MUTANTS)} broken models broken.", told)
    if all(mutant.seen_by for mutant in caught):
        pairs = ", and ".join(f"one that {mutant.fault} (“{mutant.seen_by}” sees it)" for mutant in caught)
        return Objection("seen", f"Your probe finds {pairs}. Find a fault that none of the nine probes sees.", told)
    return (torch.ones(()),)


def _truth(said: object) -> bool | Objection | None:
    if said is None or isinstance(said, bool):
        return said
    if isinstance(said, Tensor) and said.dtype == torch.bool and said.numel() == 1:
        return bool(said)
    return Objection("type", f"You return something of type {type(said).__name__}; True or False is wanted.")


EXERCISE = written(
    tenth_probe,
    title="A tenth probe",
    task="Find a fault that none of the nine probes sees, in models that you do not see, and call no healthy one "
    f"broken. {WARDS * len(MUTANTS)} broken and {WARDS * HEALTHY_ONES} healthy ones wait.",
    level="hard, 12 minutes",
    returns="what was said of the models",
    cases=cases,
    observe=drive,
    seconds=10.0,
    mistakes="""
    never: False
        “Your probe calls no model broken.”
    always: True
        “Your probe calls every model broken, the healthy ones as well.”
    turned_round: return not ⇒ return
        “Your probe calls healthy models broken, and some of the broken ones healthy: its answer is turned round.”
    short_text: torch.arange(10, 58) ⇒ torch.arange(10, 18)
        “Your probe sees a model that looks ahead anywhere, and so does “cached equals uncached”: with a cache nobody
        can look ahead. Which texts do the nine never read?”
    twice: model(other) ⇒ model(text)
        “Your probe sees a model that answers at random; “same answer twice” does that.”
    with_and_without_cache:
        text, cache = torch.arange(10, 18)[None], model.start(1, 8)
        for position in range(8):
            logits, cache = model.step(text[:, position : position + 1], cache)
        return bool((logits - model(text)[:, -1]).abs().max() > 0.001)
        “Your probe compares a short text with the cache and without; “cached equals uncached” does that.”
    """,
    also_right="""
    far memory:
        text, other = torch.arange(10, 74)[None], torch.arange(10, 74)[None]
        other[0, 0] = 5
        return bool((model(text)[0, -1] - model(other)[0, -1]).abs().max() < 1e-6)
    two pieces:
        text = torch.arange(10, 24)[None]
        at_once, _ = model.step(text, model.start(1, 14))
        _, cache = model.step(text[:, :6], model.start(1, 14))
        piecewise, _ = model.step(text[:, 6:], cache)
        return bool((at_once - piecewise).abs().max() > 0.001)
    padding and cache:
        texts = torch.stack([torch.arange(10, 22), torch.arange(30, 42)])
        mask = torch.ones_like(texts)
        mask[0, :4] = 0
        _, cache = model.step(texts[:, :8], model.start(2, 12, attention_mask=mask[:, :8]))
        together, _ = model.step(texts[:, 8:9], cache)
        _, cache = model.step(texts[:1, 4:8], model.start(1, 12))
        alone, _ = model.step(texts[:1, 8:9], cache)
        return bool((together[0] - alone[0]).abs().max() > 0.001)
    every word:
        logits = model(torch.arange(316)[:, None])[:, 0]
        return len(logits.unique(dim=0)) < 316
    """,
    hints="""
    - What do the nine do with a model? They read short texts as a whole, one text word by word, and prompts with
      padding in one go. What does somebody do who uses a model that is in no probe?
    - Something must be equal that you can have in two ways, or something must not depend on something else. In a text
      of 48 tokens, what may change when the last token is another one?
    - Only the logits of the last position. `model(text)[:, :-1]` and `model(other)[:, :-1]` agree in health, up to
      rounding: `torch.allclose(…, atol=0.001)`.
    """,
    explanation="""
    This one finds masks that are open where only long texts come. Others ask whether the first of 64 words still
    matters at the end, whether a prompt read in two pieces gives what it gives in one, whether padding stays hidden
    once the prompts are read, or whether any two words are the same to the model. A probe sees what its inputs bring
    to light, so each new kind of input is a new probe.
    """,
)
