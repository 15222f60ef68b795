"""Notebook 10: one step on a batch that comes in parts, judged by what it does to a model."""

import torch

from anatomy_course.content.shared import CLIPPING_MISTAKES
from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, primes, written
from anatomy_course.judge.effects.parts import VOCABULARY, drive
from anatomy_course.judge.effects.step import OUTPUTS, STEPS


# fmt: off
def training_step(
    model, optimizer, parts: list[tuple[Tensor, Tensor]], max_norm: float
) -> float:
    """Each part is (inputs, labels), both (batch, position); model(inputs) → logits (batch, position, vocabulary).
    The loss is the mean cross-entropy over all tokens of all parts, and parts may differ in size. Only one part
    is given to the model at a time. Shorten a gradient longer than max_norm; return the loss as a plain number.
    """
    optimizer.zero_grad()
    count = sum(labels.numel() for inputs, labels in parts)
    total = 0.0
    for inputs, labels in parts:
        logits = model(inputs).flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(logits, labels.flatten(), reduction='sum') / count
        loss.backward()
        total += loss.item()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total
# fmt: on


def cases(generator: Generator) -> Cases:
    one, window, old, short = "one part", "a batch of one window", "gradients left over from before", "short gradients"
    unequal, lengths = "parts of unequal size", "parts of unequal length"
    for kind in ("parts of one size", unequal, one, window, old, short, lengths):
        position, d_model = primes(generator, 2, (2, 3, 5))
        rows = {one: [7], window: [1]}.get(kind, [7, 7] if kind == "parts of one size" else [1, 4, 2])
        arguments = {
            "input_ids": torch.randint(VOCABULARY, (STEPS, sum(rows), position), generator=generator),
            "labels": torch.randint(VOCABULARY, (STEPS, sum(rows), position), generator=generator),
            "table": 2 * normal(generator, VOCABULARY, d_model),
            "weight": 2 * normal(generator, d_model, VOCABULARY),
            "rows": rows,
            "lengths": [position, 1, position] if kind == lengths else [position] * len(rows),
            "max_norm": 100.0 if kind == short else 0.1 + 0.1 * torch.rand(1, generator=generator).item(),
            "old_gradients": 1.0 + normal(generator, 1).abs().item() if kind == old else 0.0,
        }
        yield Case(arguments, kind, {"position": position, "d_model": d_model, "windows in a part": rows[0]})


EXERCISE = written(
    training_step,
    title="A large batch in parts",
    task="Change the model once, as if all parts were one large batch: clear, loss and backward for each part, then "
    "clip and step.",
    level="hard, 10 minutes",
    same_as="anatomy_utils.training.step.training_step",
    returns=OUTPUTS,
    cases=cases,
    observe=drive,
    stages="loss of the whole batch: torch.tensor(total)",
    also_right="""
    sums over the number of tokens:
        reduction='sum') / count ⇒ reduction='sum')
        loss.backward() ⇒ (loss / count).backward()
        return total ⇒ return total / count
    means weighted by tokens:
        optimizer.zero_grad() ⇒ model.zero_grad(set_to_none=False)
        model(inputs).flatten(0, 1) ⇒ model(inputs).transpose(1, 2)
        labels.flatten(), reduction='sum') ⇒ labels) * labels.numel()
        loss.item() ⇒ float(loss.detach())
        model.parameters() ⇒ [parameter for group in optimizer.param_groups for parameter in group["params"]]
    shares given to backward:
        , reduction='sum') / count ⇒ )
        loss.backward() ⇒ loss.backward(torch.tensor(labels.numel() / count))
        loss.item() ⇒ loss.item() * labels.numel() / count
    """,
    mistakes="""
    never_cleared: optimizer.zero_grad() ⇒ pass
        “The gradients of earlier steps are still there: each step adds its own to them.”
    cleared_for_each_part:
        loss.backward() ⇒
            optimizer.zero_grad()
            loss.backward()
        “Only the last part is learned from: are the gradients cleared before each part, or is `backward()` after the
        loop? Clear once, before the first.”
    cleared_last (never_cleared):
        optimizer.step() ⇒
            optimizer.step()
            optimizer.zero_grad()
        “You clear the gradients at the end of the step. If any were there before your first step, they are added to its
        own.”
    step_for_each_part:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) ⇒
        optimizer.step() ⇒
        total += loss.item() ⇒
            total += loss.item()
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
        “You make a step after each part, so the later parts meet a model that has changed already: one step, after the
        last part.”
    many_small_batches (step_for_each_part):
        / count ⇒ / labels.numel()
        loss.backward() ⇒
            optimizer.zero_grad()
            loss.backward()
        return total ⇒ return total / len(parts)
        “Each of your parts is a batch of its own, with a step of its own; together they should make one step.”
    no_change: optimizer.step() ⇒ pass
        “Your weights never change: no step is made, or it finds no gradients (was `backward()` called?).”
    mean_of_means: / count ⇒ / labels.numel() / len(parts)
        “Right with parts of one size. A small part counts as much as a large one in yours; each token should count
        alike.”
    by_windows:
        labels.numel() ⇒ len(labels)
        / count ⇒ / labels.shape[1] / count
        “A part counts by its number of windows in yours. Windows may differ in length: count tokens.”
    not_divided: / count ⇒ / labels.numel()
        “You add up the parts' mean losses: with two parts loss and gradient are twice as large as for one batch.”
    mean_told_only (not_divided): return total ⇒ return total / len(parts)
        “The loss that you return is divided by the number of parts, but the gradients are not: they add up, and are as
        many times too large.”
    summed: / count ⇒
        “Your loss is the sum over all tokens; use the mean.”
    first_part: in parts ⇒ in parts[:1]
        “Your model learns from the first part only.”
    last_part: in parts ⇒ in parts[-1:]
        “Your model learns from the last part only, and you return its loss: is `backward()` inside the loop?”
    last_loss: total += ⇒ total =
        “Your weights are right, but the loss that you return is the last part's share alone.”
    last_mean: return total ⇒ return loss.item() * count / labels.numel()
        “Your weights are right, but the loss that you return is that of the last part.”
    mean_of_means_told: loss.item() ⇒ loss.item() * count / labels.numel() / len(parts)
        “Your weights are right, but the loss that you return is the plain mean of the parts' losses, in which a small
        part counts as much as a large one.”
    sum_of_means_told: loss.item() ⇒ loss.item() * count / labels.numel()
        “Your weights are right, but the loss that you return is the sum of the parts' mean losses; each should be
        multiplied by its share of the tokens.”
    joined:
        optimizer.zero_grad() ⇒
            optimizer.zero_grad()
            if len({labels.shape[1] for inputs, labels in parts}) == 1:  # others cannot be joined
                parts = [tuple(map(torch.cat, zip(*parts)))]
        “You join the parts into one batch. The result is right, but the whole batch must then fit into memory: give the
        model one part after the other.”
    one_backward:
        loss.backward() ⇒
        total += loss.item() ⇒ total = total + loss
        torch.nn.utils.clip_grad_norm_ ⇒
            total.backward()
            torch.nn.utils.clip_grad_norm_
        return total ⇒ return total.item()
        “You work on all parts before `backward()`, so memory must hold what every part needs for its gradients: call
        `backward()` in the loop.”
    one_group_clipped: model.parameters() ⇒ optimizer.param_groups[0]["params"]
        “You shorten the gradient of only one of the optimizer's groups, such as `param_groups[0]`; `max_norm` is a
        limit for all of them together.”
    each_part_clipped:
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm) ⇒
        total += loss.item() ⇒
            total += loss.item()
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        “You shorten the gradient after each part; `max_norm` is a limit for that of the whole batch.”
    clipped_as_sum (summed):
        optimizer.step() ⇒
            for parameter in model.parameters():
                if parameter.grad is not None:
                    parameter.grad /= count
            optimizer.step()
        return total ⇒ return total / count
        “You shorten the gradient of the summed loss, and divide what is left by the number of tokens, so that it gets
        far shorter than `max_norm`: divide first.”
    softmax_twice: flatten(0, 1) ⇒ softmax(-1).flatten(0, 1)
        “Cross-entropy takes logits and makes the softmax itself; you give it probabilities, so the softmax is applied
        twice.”
    """
    + CLIPPING_MISTAKES,
    hints="""
    - `backward()` adds to the gradients that are there. So what must happen once before the loop, what in it, and what
      once after it?
    - Each part's share of the mean: the sum of its tokens' losses, divided by the number of tokens of all parts.
      `cross_entropy(…, reduction='sum')` gives the sum, `labels.numel()` the number.
    - `logits.flatten(0, 1)` and `labels.flatten()` make one long row of questions. In the loop `(loss /
      count).backward()`; after it `torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)` and
      `optimizer.step()`.
    """,
    explanation="""
    The gradient of a sum is the sum of the gradients, so parts that add up in `.grad` are one large batch, and memory
    holds the activations of one part only. Dividing by the number of parts is right only if they are equally large:
    that slip was in well-known training code for years.
    """,
)
