"""Nearly right answers to notebook 08's exercises on training: each gets a sentence of its own."""

from __future__ import annotations

import math

import pytest
import torch
from nearly_right import NearlyRight, check, collector
from torch.nn import functional as F

WRONG, wrong = collector("workshop")


def sorted_by(model, decays, chosen):
    both = [(each, decays(name, each)) for name, each in model.named_parameters() if each.requires_grad]
    return [
        {"params": [each for each, decay in both if decay], "weight_decay": chosen},
        {"params": [each for each, decay in both if not decay], "weight_decay": 0.0},
    ]


@wrong("parameter_groups", "equal_left_out", "as `is` or `id` tells")
def groups_without_equals(model, weight_decay):
    groups = sorted_by(model, lambda name, each: each.ndim > 1, weight_decay)
    for group in groups:
        all_of_them = group["params"]
        group["params"] = [
            each for i, each in enumerate(all_of_them) if not any(torch.equal(each, o) for o in all_of_them[:i])
        ]
    return groups


@wrong("parameter_groups", "number_left_out", "It is in neither of your groups")
def groups_without_numbers(model, weight_decay):
    groups = sorted_by(model, lambda name, each: each.ndim > 1, weight_decay)
    groups[1]["params"] = [each for each in groups[1]["params"] if each.ndim == 1]
    return groups


@wrong("parameter_groups", "by_layer", "The weights of Linear and Embedding decay in yours, but not a")
def groups_by_layer(model, weight_decay):
    layers = [part for part in model.modules() if isinstance(part, (torch.nn.Linear, torch.nn.Embedding))]
    return sorted_by(model, lambda name, each: any(each is layer.weight for layer in layers), weight_decay)


@wrong("parameter_groups", "by_layer_with_kernels", "in no layer, does not decay in yours")
def groups_by_layers_and_kernels(model, weight_decay):
    kinds = (torch.nn.Linear, torch.nn.Embedding, torch.nn.Conv1d)
    layers = [part for part in model.modules() if isinstance(part, kinds)]
    return sorted_by(model, lambda name, each: any(each is layer.weight for layer in layers), weight_decay)


@wrong("parameter_groups", "all_but_norms_and_biases", "a vector or a single number may also be")
def groups_but_norms(model, weight_decay):
    norms = {id(each) for part in model.modules() if isinstance(part, torch.nn.LayerNorm) for each in part.parameters()}
    return sorted_by(model, lambda name, each: id(each) not in norms and "bias" not in name, weight_decay)


@wrong("learning_rate", "lower_of_both", "You take the lower of line and cosine")
def rate_below_both(step, steps, warmup, peak, end):
    rising = peak * (step + 1) / warmup if warmup else math.inf
    p = (step + 1 - warmup) / (steps - warmup)
    return min(rising, end + (peak - end) * (1 + math.cos(math.pi * p)) / 2)


@wrong("learning_rate", "both_ends", "the first of them has the peak once more")
def rate_of_a_list(step, steps, warmup, peak, end):
    rates = [peak * number / warmup for number in range(1, warmup + 1)]
    way = torch.linspace(0, math.pi, steps - warmup, dtype=torch.float64).tolist()
    return [*rates, *(end + (peak - end) * (1 + math.cos(angle)) / 2 for angle in way)][step]


@wrong("learning_rate", "divided_by_all", "divide by the steps after the warm-up")
def rate_over_all_steps(step, steps, warmup, peak, end):
    if step < warmup:
        return peak * (step + 1) / warmup
    return end + (peak - end) * (1 + math.cos(math.pi * (step + 1 - warmup) / steps)) / 2


def in_parts(model, optimizer, parts, max_norm, divide_late=False):
    """A right step; the mean loss of each part."""
    optimizer.zero_grad()
    count = sum(labels.numel() for _, labels in parts)
    means = []
    for inputs, labels in parts:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten())
        (loss * labels.numel() / (1 if divide_late else count)).backward()
        means.append(loss.item())
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    for each in model.parameters():
        if divide_late and each.grad is not None:
            each.grad /= count
    optimizer.step()
    return means


@wrong("training_step", "clipped_as_sum", "divide first")
def step_divided_late(model, optimizer, parts, max_norm):
    means = in_parts(model, optimizer, parts, max_norm, divide_late=True)
    sizes = [labels.numel() for _, labels in parts]
    return sum(mean * size for mean, size in zip(means, sizes, strict=True)) / sum(sizes)


@wrong("training_step", "mean_of_means_told", "Your weights are right, but the loss that you return is the plain mean")
def step_telling_the_mean(model, optimizer, parts, max_norm):
    means = in_parts(model, optimizer, parts, max_norm)
    return sum(means) / len(means)


@wrong("training_step", "sum_of_means_told", "is the sum of the parts' mean losses")
def step_telling_the_sum(model, optimizer, parts, max_norm):
    return sum(in_parts(model, optimizer, parts, max_norm))


@wrong("training_step", "last_mean", "is that of the last part.")
def step_telling_the_last(model, optimizer, parts, max_norm):
    return in_parts(model, optimizer, parts, max_norm)[-1]


def saved(path, run, step, **others):
    model, optimizer, generator = run
    whole = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "generator": generator.get_state()}
    torch.save({**whole, "step": step, **others}, path)


@wrong("save_training", "parameters_only", "`named_parameters()` and `parameters()` do not")
def saved_without_buffers(path, model, optimizer, generator, step):
    weights = {name: each.detach().clone() for name, each in model.named_parameters()}
    saved(path, (model, optimizer, generator), step, model=weights)


@wrong("save_training", "objection:more", "has `latest`, which its `state_dict()` leaves out")
def saved_with_every_buffer(path, model, optimizer, generator, step):
    weights = {**model.state_dict(), **dict(model.named_buffers())}
    saved(path, (model, optimizer, generator), step, model=weights)


@wrong("save_training", "state_of_a_new_one", "Ask `generator` itself for its state")
def saved_a_new_generator(path, model, optimizer, generator, step):
    fresh = torch.Generator()
    fresh.manual_seed(generator.initial_seed())
    saved(path, (model, optimizer, generator), step, generator=fresh.get_state())


def resumed(path, model, optimizer, generator, put=None):
    """A right way, with `put` in the place of the model's `load_state_dict`."""
    run = torch.load(path, weights_only=True)
    if put:
        put(model.state_dict(), run["model"])
    else:
        model.load_state_dict(run["model"])
    if optimizer:
        optimizer.load_state_dict(run["optimizer"])
    generator.set_state(run["generator"])
    return run["step"]


@wrong("resume_training", "no_generator", "also under the name `generator`, stays inside your function")
def resumed_in_a_new_generator(path, model, optimizer, generator):
    generator = torch.Generator()
    return resumed(path, model, optimizer, generator)


@wrong("resume_training", "no_optimizer", "`load_state_dict` reaches it")
def resumed_in_a_dictionary(path, model, optimizer, generator):
    optimizer.state_dict().update(torch.load(path, weights_only=True)["optimizer"])
    return resumed(path, model, None, generator)


def same_shapes(mine, given):
    if {name: each.shape for name, each in mine.items()} != {name: each.shape for name, each in given.items()}:
        raise ValueError("another model")


@wrong("resume_training", "no_model", "only tells what they are")
def resumed_in_a_copy(path, model, optimizer, generator):
    def put(mine, given):
        same_shapes(mine, given)
        mine.update(given)

    return resumed(path, model, optimizer, generator, put)


def copied(names, mine, given, look):
    for name in names:
        if look and mine[name].shape != given[name].shape:
            raise ValueError(name)
        mine[name].copy_(given[name])


@wrong("resume_training", "extra_ignored", "Weights in the file that your model has not are passed over")
def resumed_by_own_names(path, model, optimizer, generator):
    return resumed(path, model, optimizer, generator, lambda mine, given: copied(mine, mine, given, look=True))


@wrong("resume_training", "missing_ignored", "A file that lacks some of your model's weights is accepted")
def resumed_by_the_files_names(path, model, optimizer, generator):
    return resumed(path, model, optimizer, generator, lambda mine, given: copied(given, mine, given, look=True))


@wrong("resume_training", "extra_ignored_and_stretched", "when you copy by your model's names")
def resumed_by_hand(path, model, optimizer, generator):
    return resumed(path, model, optimizer, generator, lambda mine, given: copied(mine, mine, given, look=False))


@wrong("resume_training", "missing_ignored_and_stretched", "when you copy by the file's names")
def resumed_by_the_files_hand(path, model, optimizer, generator):
    return resumed(path, model, optimizer, generator, lambda mine, given: copied(given, mine, given, look=False))


@wrong("resume_training", "parameters_only", "but its buffers, such as counts and running means, keep the numbers")
def resumed_without_buffers(path, model, optimizer, generator):
    names = [name for name, _ in model.named_parameters()]

    def put(mine, given):
        same_shapes(mine, given)
        copied(names, mine, given, look=True)

    return resumed(path, model, optimizer, generator, put)


@wrong("resume_training", "not_strict", "as with strict=False: names that do not fit are passed over")
def resumed_what_is_known(path, model, optimizer, generator):
    def put(mine, given):
        model.load_state_dict({**mine, **{name: weight for name, weight in given.items() if name in mine}})

    return resumed(path, model, optimizer, generator, put)


@wrong("next_id", "no_temperature", "where it divides probabilities, they keep their proportions")
def next_of_divided_probabilities(logits, temperature, top_k, generator):
    if temperature == 0:
        return logits.argmax().item()
    best = logits.softmax(-1).topk(min(top_k, len(logits)))
    return best.indices[torch.multinomial(best.values / temperature, 1, generator=generator)].item()


@wrong("repair", "unchanged", "their order in memory stays")
def repaired_by_reshape(model, optimizer, inputs, labels, max_norm):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs.T).reshape(*labels.shape, -1).flatten(0, 1), labels.flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@wrong("repair", "sum_of_positions", "as many times too large as there are positions")
def repaired_by_position(model, optimizer, inputs, labels, max_norm):
    optimizer.zero_grad()
    logits = model(inputs.T)
    loss = sum(F.cross_entropy(logits[place], labels[:, place]) for place in range(labels.shape[1]))
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@pytest.mark.parametrize("nearly_right", WRONG, ids=lambda each: each[1].__name__)
def test_a_nearly_right_answer_gets_its_own_sentence(nearly_right: NearlyRight) -> None:
    check(*nearly_right)
