"""Wrong answers to the exercises of notebook 08 on batches and training that are in no catalogue."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import torch
from torch.nn import functional as F

from answers import answer


@answer("workshop.random_windows", "crash", "nothing to draw. Is the text shorter than a window")
def windows_two_short(ids, batch_size, length, generator):
    starts = torch.randint(len(ids) - length - 1, (batch_size, 1), generator=generator)
    positions = starts + torch.arange(length)
    return ids[positions], ids[positions + 1]


@answer("workshop.random_windows", "crash", "is beyond the end of axis 0")
def windows_beyond_the_end(ids, batch_size, length, generator):
    starts = torch.randint(len(ids), (batch_size, 1), generator=generator)
    positions = starts + torch.arange(length)
    return ids[positions], ids[positions + 1]


@answer("workshop.random_windows", "objection:set_back", "the same batch again, so training would see nothing else")
def windows_set_back(ids, batch_size, length, generator):
    generator.manual_seed(generator.initial_seed())
    starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)
    positions = starts + torch.arange(length)
    return ids[positions], ids[positions + 1]


@answer("workshop.random_windows", "objection:type", "You return a Tensor; two tensors are wanted")
def windows_in_one(ids, batch_size, length, generator):
    starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)
    return ids[starts + torch.arange(length + 1)]


@answer("workshop.random_windows", "objection:dtype", "Your labels are of type float32")
def windows_float(ids, batch_size, length, generator):
    starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)
    positions = starts + torch.arange(length)
    return ids[positions], ids[positions + 1].float()


@answer("workshop.parameter_groups", "objection:names", "the optimizer wants the parameters themselves")
def groups_of_names(model, weight_decay):
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    return [
        {"params": [name for name, p in named if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": [name for name, p in named if p.dim() < 2], "weight_decay": 0.0},
    ]


@answer("workshop.parameter_groups", "objection:key", "has no `weight_decay`")
def groups_without_decay(model, weight_decay):
    trained = [p for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in trained if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": [p for p in trained if p.dim() < 2]},
    ]


@answer("workshop.parameter_groups", "objection:copies", "no parameter of the model, such as a copy")
def groups_of_copies(model, weight_decay):
    trained = [p.detach() for p in model.parameters() if p.requires_grad]
    return [
        {"params": [p for p in trained if p.dim() >= 2], "weight_decay": weight_decay},
        {"params": [p for p in trained if p.dim() < 2], "weight_decay": 0.0},
    ]


@answer("workshop.learning_rate", "crash", "Something is divided by zero")
def rate_divided_first(step, steps, warmup, peak, end):
    up = peak * (step + 1) / warmup
    if step < warmup:
        return up
    return end + (peak - end) * (1 + math.cos(math.pi * (step + 1 - warmup) / (steps - warmup))) / 2


@answer("workshop.learning_rate", "objection:tensor", "use `math.cos`")
def rate_as_a_tensor(step, steps, warmup, peak, end):
    if step < warmup:
        return torch.tensor(peak * (step + 1) / warmup)
    progress = torch.tensor((step + 1 - warmup) / (steps - warmup))
    return end + (peak - end) * (1 + torch.cos(math.pi * progress)) / 2


@answer("workshop.training_step", "crash", "takes axis 1 for the classes")
def step_not_flattened(model, optimizer, parts, max_norm):
    optimizer.zero_grad()
    for inputs, labels in parts:
        F.cross_entropy(model(inputs), labels).backward()
    optimizer.step()
    return 0.0


@answer("workshop.training_step", "objection:tensor", "`.item()`")
def step_returns_a_tensor(model, optimizer, parts, max_norm):
    optimizer.zero_grad()
    count = sum(labels.numel() for _, labels in parts)
    total = 0
    for inputs, labels in parts:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / count
        loss.backward()
        total = total + loss
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total


@answer("workshop.save_training", "objection:no_torch", "not written by `torch.save`")
def saved_by_hand(path, model, optimizer, generator, step):
    Path(path).write_text(str(model.state_dict()))


@answer("workshop.save_training", "objection:no_torch", "`torch.load` could not read it")
def saved_with_pickle(path, model, optimizer, generator, step):
    run = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    Path(path).write_bytes(pickle.dumps(run))


@answer("workshop.save_training", "crash", "The file was opened for text")
def saved_as_text(path, model, optimizer, generator, step):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    with Path(path).open("w") as file:
        torch.save({**state, "generator": generator.get_state(), "step": step}, file)


@answer("workshop.resume_training", "likeness:zero", "but not with a checkpoint from another model")
def resumed_without_refusing(path, model, optimizer, generator):
    run = torch.load(path, weights_only=True)
    model.load_state_dict(run["model"], strict=False)
    optimizer.load_state_dict(run["optimizer"])
    generator.set_state(run["generator"])
    return run["step"] + 1


@answer("workshop.save_training", "objection:part", "not all of it")
def saved_averages_only(path, model, optimizer, generator, step):
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict()["state"],
            "generator": generator.get_state(),
            "step": step,
        },
        path,
    )


@answer("workshop.resume_training", "crash", "The saved weights come from another model")
def resumed_into_itself(path, model, optimizer, generator):
    run = torch.load(path, weights_only=True)
    model.load_state_dict(run)
    return run["step"]


@answer("workshop.resume_training", "objection:type", "You return a dict")
def resumed_and_returned(path, model, optimizer, generator):
    run = torch.load(path, weights_only=True)
    model.load_state_dict(run["model"])
    optimizer.load_state_dict(run["optimizer"])
    generator.set_state(run["generator"])
    return run


@answer("workshop.next_id", "objection:tensor", "`.item()` makes a plain number")
def next_as_a_tensor(logits, temperature, top_k, generator):
    if temperature == 0:
        return logits.argmax()
    best = logits.topk(min(top_k, len(logits)))
    return best.indices[torch.multinomial((best.values / temperature).softmax(-1), 1, generator=generator)]


@answer("workshop.next_id", "crash", "was something divided by 0")
def next_divided_by_zero(logits, temperature, top_k, generator):
    best = logits.topk(min(top_k, len(logits)))
    chances = (best.values / temperature).softmax(-1)
    return best.indices[torch.multinomial(chances, 1, generator=generator)].item()


@answer("workshop.next_id", "crash", "asked for more numbers than the axis holds")
def next_of_a_short_vocabulary(logits, temperature, top_k, generator):
    if temperature == 0:
        return logits.argmax().item()
    best = logits.topk(top_k)
    chances = (best.values / temperature).softmax(-1)
    return best.indices[torch.multinomial(chances, 1, generator=generator)].item()


@answer("workshop.next_id", "objection:changed", "changes `logits` in place")
def next_in_place(logits, temperature, top_k, generator):
    if temperature == 0:
        return logits.argmax().item()
    logits[logits < logits.topk(min(top_k, len(logits))).values[-1]] = -math.inf
    return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator).item()


@answer("workshop.repair", "crash", "takes axis 1 for the classes")
def repaired_without_flatten(model, optimizer, inputs, labels, max_norm):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(inputs.T), labels.T)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@answer("workshop.save_training", "objection:part", "What you save of the optimizer is not all of it")
def saved_without_settings(path, model, optimizer, generator, step):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()["state"]}
    torch.save({**state, "generator": generator.get_state(), "step": step}, path)


@answer("workshop.save_training", "objection:step", "The step in your file is a tensor; the plain number is wanted.")
def saved_step_as_a_tensor(path, model, optimizer, generator, step):
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save({**state, "generator": generator.get_state(), "step": torch.tensor(step)}, path)


@answer("workshop.save_training", "objection:eval_mode", "After your function the model is in evaluation mode")
def saved_in_evaluation_mode(path, model, optimizer, generator, step):
    state = {"model": model.eval().state_dict(), "optimizer": optimizer.state_dict()}
    torch.save({**state, "generator": generator.get_state(), "step": step}, path)


@answer("workshop.resume_training", "objection:eval_mode", "training would go on without dropout")
def resumed_in_evaluation_mode(path, model, optimizer, generator):
    run = torch.load(path, weights_only=True)
    model.load_state_dict(run["model"])
    model.eval()
    optimizer.load_state_dict(run["optimizer"])
    generator.set_state(run["generator"])
    return run["step"]
