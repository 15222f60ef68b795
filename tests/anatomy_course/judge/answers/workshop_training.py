"""Wrong answers to the exercises of notebook 10 on batches and training that are in no catalogue."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from answers import answer, answers


def sorted_by(model, decays, chosen):
    both = [(each, decays(name, each)) for name, each in model.named_parameters() if each.requires_grad]
    return [
        {"params": [each for each, decay in both if decay], "weight_decay": chosen},
        {"params": [each for each, decay in both if not decay], "weight_decay": 0.0},
    ]


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


def saved(path, run, step, **others):
    model, optimizer, generator = run
    whole = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "generator": generator.get_state()}
    torch.save({**whole, "step": step, **others}, path)


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


def same_shapes(mine, given):
    if {name: each.shape for name, each in mine.items()} != {name: each.shape for name, each in given.items()}:
        raise ValueError("another model")


def copied(names, mine, given, look):
    for name in names:
        if look and mine[name].shape != given[name].shape:
            raise ValueError(name)
        mine[name].copy_(given[name])


answers("""
workshop.random_windows
    windows_beyond_the_end:
        starts = torch.randint(len(ids), (batch_size, 1), generator=generator)
        positions = starts + torch.arange(length)
        return ids[positions], ids[positions + 1]
        “crash | is beyond the end of axis 0”
    windows_set_back:
        generator.manual_seed(generator.initial_seed())
        starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)
        positions = starts + torch.arange(length)
        return ids[positions], ids[positions + 1]
        “objection:set_back | the same batch again, so training would see nothing else”
    windows_in_one:
        starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)
        return ids[starts + torch.arange(length + 1)]
        “objection:type | You return a Tensor; two tensors are wanted”
    windows_float:
        starts = torch.randint(len(ids) - length, (batch_size, 1), generator=generator)
        positions = starts + torch.arange(length)
        return ids[positions], ids[positions + 1].float()
        “objection:dtype | Your labels are of type float32”

workshop.parameter_groups
    groups_of_names:
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        return [
            {"params": [name for name, p in named if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [name for name, p in named if p.dim() < 2], "weight_decay": 0.0},
        ]
        “objection:names | the optimizer wants the parameters themselves”
    groups_without_decay:
        trained = [p for p in model.parameters() if p.requires_grad]
        return [
            {"params": [p for p in trained if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in trained if p.dim() < 2]},
        ]
        “objection:key | has no `weight_decay`”
    groups_of_copies:
        trained = [p.detach() for p in model.parameters() if p.requires_grad]
        return [
            {"params": [p for p in trained if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in trained if p.dim() < 2], "weight_decay": 0.0},
        ]
        “objection:copies | no parameter of the model, such as a copy”
    groups_without_numbers:
        groups = sorted_by(model, lambda name, each: each.ndim > 1, weight_decay)
        groups[1]["params"] = [each for each in groups[1]["params"] if each.ndim == 1]
        return groups
        “mistake:number_left_out | It is in neither of your groups”
    groups_by_layer:
        layers = [part for part in model.modules() if isinstance(part, (torch.nn.Linear, torch.nn.Embedding))]
        return sorted_by(model, lambda name, each: any(each is layer.weight for layer in layers), weight_decay)
        “mistake:by_layer | The weights of Linear and Embedding decay in yours, but not a”

workshop.learning_rate
    rate_divided_first:
        up = peak * (step + 1) / warmup
        if step < warmup:
            return up
        return end + (peak - end) * (1 + math.cos(math.pi * (step + 1 - warmup) / (steps - warmup))) / 2
        “crash | Something is divided by zero”
    rate_as_a_tensor:
        if step < warmup:
            return torch.tensor(peak * (step + 1) / warmup)
        progress = torch.tensor((step + 1 - warmup) / (steps - warmup))
        return end + (peak - end) * (1 + torch.cos(math.pi * progress)) / 2
        “objection:tensor | use `math.cos`”
    rate_below_both:
        rising = peak * (step + 1) / warmup if warmup else math.inf
        p = (step + 1 - warmup) / (steps - warmup)
        return min(rising, end + (peak - end) * (1 + math.cos(math.pi * p)) / 2)
        “mistake:lower_of_both | You take the lower of line and cosine”
    rate_of_a_list:
        rates = [peak * number / warmup for number in range(1, warmup + 1)]
        way = torch.linspace(0, math.pi, steps - warmup, dtype=torch.float64).tolist()
        return [*rates, *(end + (peak - end) * (1 + math.cos(angle)) / 2 for angle in way)][step]
        “mistake:both_ends | the first of them has the peak once more”

workshop.training_step
    step_not_flattened:
        optimizer.zero_grad()
        for inputs, labels in parts:
            F.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
        return 0.0
        “crash | takes axis 1 for the classes”
    step_returns_a_tensor:
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
        “objection:tensor | `.item()`”
    step_telling_the_sum: sum(in_parts(model, optimizer, parts, max_norm))
        “mistake:sum_of_means_told | is the sum of the parts' mean losses”
    step_telling_the_last: in_parts(model, optimizer, parts, max_norm)[-1]
        “mistake:last_mean | is that of the last part.”

workshop.save_training
    saved_by_hand:
        Path(path).write_text(str(model.state_dict()))
        pass
        “objection:no_torch | not written by `torch.save`”
    saved_with_pickle:
        run = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
        Path(path).write_bytes(pickle.dumps(run))
        “objection:no_torch | `torch.load` could not read it”
    saved_as_text:
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        with Path(path).open("w") as file:
            torch.save({**state, "generator": generator.get_state(), "step": step}, file)
        “crash | The file was opened for text”
    saved_averages_only:
        torch.save(
            {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict()["state"],
                "generator": generator.get_state(),
                "step": step,
            },
            path,
        )
        pass
        “objection:part | not all of it”
    saved_without_settings:
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()["state"]}
        torch.save({**state, "generator": generator.get_state(), "step": step}, path)
        “objection:part | What you save of the optimizer is not all of it”
    saved_step_as_a_tensor:
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "generator": generator.get_state(), "step": torch.tensor(step)}, path)
        “objection:step | The step in your file is a tensor; the plain number is wanted.”
    saved_in_evaluation_mode:
        state = {"model": model.eval().state_dict(), "optimizer": optimizer.state_dict()}
        torch.save({**state, "generator": generator.get_state(), "step": step}, path)
        “objection:eval_mode | After your function the model is in evaluation mode”
    saved_without_buffers:
        weights = {name: each.detach().clone() for name, each in model.named_parameters()}
        saved(path, (model, optimizer, generator), step, model=weights)
        “mistake:parameters_only | `named_parameters()` and `parameters()` do not”
    saved_with_every_buffer:
        weights = {**model.state_dict(), **dict(model.named_buffers())}
        saved(path, (model, optimizer, generator), step, model=weights)
        “objection:more | has `latest`, which its `state_dict()` leaves out”
    saved_a_new_generator:
        fresh = torch.Generator()
        fresh.manual_seed(generator.initial_seed())
        saved(path, (model, optimizer, generator), step, generator=fresh.get_state())
        “mistake:state_of_a_new_one | Ask `generator` itself for its state”

workshop.resume_training
    resumed_without_refusing:
        run = torch.load(path, weights_only=True)
        model.load_state_dict(run["model"], strict=False)
        optimizer.load_state_dict(run["optimizer"])
        generator.set_state(run["generator"])
        return run["step"] + 1
        “likeness:zero | but not with a checkpoint from another model”
    resumed_into_itself:
        run = torch.load(path, weights_only=True)
        model.load_state_dict(run)
        return run["step"]
        “crash | The saved weights come from another model”
    resumed_and_returned:
        run = torch.load(path, weights_only=True)
        model.load_state_dict(run["model"])
        optimizer.load_state_dict(run["optimizer"])
        generator.set_state(run["generator"])
        return run
        “objection:type | You return a dict”
    resumed_in_evaluation_mode:
        run = torch.load(path, weights_only=True)
        model.load_state_dict(run["model"])
        model.eval()
        optimizer.load_state_dict(run["optimizer"])
        generator.set_state(run["generator"])
        return run["step"]
        “objection:eval_mode | training would go on without dropout”
    resumed_by_own_names:
        return resumed(path, model, optimizer, generator, lambda mine, given: copied(mine, mine, given, look=True))
        “mistake:extra_ignored | Weights in the file that your model has not are passed over”
    resumed_by_the_files_names:
        return resumed(path, model, optimizer, generator, lambda mine, given: copied(given, mine, given, look=True))
        “mistake:missing_ignored | A file that lacks some of your model's weights is accepted”

workshop.next_id
    next_as_a_tensor:
        if temperature == 0:
            return logits.argmax()
        best = logits.topk(min(top_k, len(logits)))
        return best.indices[torch.multinomial((best.values / temperature).softmax(-1), 1, generator=generator)]
        “objection:tensor | `.item()` makes a plain number”
    next_divided_by_zero:
        best = logits.topk(min(top_k, len(logits)))
        chances = (best.values / temperature).softmax(-1)
        return best.indices[torch.multinomial(chances, 1, generator=generator)].item()
        “crash | was something divided by 0”
    next_of_a_short_vocabulary:
        if temperature == 0:
            return logits.argmax().item()
        best = logits.topk(top_k)
        chances = (best.values / temperature).softmax(-1)
        return best.indices[torch.multinomial(chances, 1, generator=generator)].item()
        “crash | asked for more numbers than the axis holds”
    next_in_place:
        if temperature == 0:
            return logits.argmax().item()
        logits[logits < logits.topk(min(top_k, len(logits))).values[-1]] = -math.inf
        return torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator).item()
        “objection:changed | changes `logits` in place”
    next_of_divided_probabilities:
        if temperature == 0:
            return logits.argmax().item()
        best = logits.softmax(-1).topk(min(top_k, len(logits)))
        return best.indices[torch.multinomial(best.values / temperature, 1, generator=generator)].item()
        “mistake:no_temperature | where it divides probabilities, they keep their proportions”

workshop.advantages
    advantages_in_place:
        rewards -= rewards.mean()
        return rewards / (rewards.std(correction=0) + 1e-4)
        “mutated | changes its input: `rewards` held other numbers afterwards”
    advantages_of_one_length:
        return F.normalize(rewards - rewards.mean(), dim=0)
        “mistake:length_one | and the 1e-4 is missing too”
    advantages_with_equal_ones_apart:
        if rewards.std(correction=0) == 0:
            return torch.zeros_like(rewards)
        return (rewards - rewards.mean()) / rewards.std(correction=0)
        “mistake:asked_apart | rewards that are nearly equal come out too large”
    advantages_as_a_list:
        middle = rewards.mean()
        spread = (sum((each - middle) ** 2 for each in rewards) / len(rewards)) ** 0.5
        return [float((each - middle) / (spread + 1e-4)) for each in rewards]
        “type | a tensor is wanted”

workshop.judged_loss
    judged_without_gradients:
        with torch.no_grad():
            own = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0]
            d = first_logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0] - own
        return (-advantages[:, None] * own + leash * (d.exp() - d - 1))[counted].mean()
        “objection:no_gradient | Only the copy needs none”
    judged_as_a_number:
        own = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0]
        d = first_logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0] - own
        return (-advantages[:, None] * own + leash * (d.exp() - d - 1))[counted].mean().item()
        “objection:type | so that `backward()` can start from it”
    judged_word_by_word:
        own = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0]
        d = first_logits.detach().log_softmax(-1).gather(-1, ids[..., None])[..., 0] - own
        return -advantages[:, None] * own + leash * (d.exp() - d - 1)
        “objection:shape | one number is wanted: the mean over the counted tokens”
    judged_with_the_leash_held:
        own = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0]
        with torch.no_grad():
            d = first_logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0] - own
        return (-advantages[:, None] * own + leash * (d.exp() - d - 1))[counted].mean()
        “mistake:leash_without_gradient | pulls at nothing”
    judged_with_advantages_tiled:
        keep, chosen = counted.flatten(), ids.reshape(-1, 1)
        own = logits.flatten(0, 1).log_softmax(1).gather(1, chosen)[keep, 0]
        d = first_logits.detach().flatten(0, 1).log_softmax(1).gather(1, chosen)[keep, 0] - own
        return (leash * (d.exp() - d - 1) - advantages.repeat(ids.shape[1])[keep] * own).mean()
        “mistake:tiled | or `repeat_interleave`”

workshop.low_rank_adapter
    adapter_of_equal_numbers:
        torch.randn(rank, linear.in_features) / linear.in_features**0.5 ⇒
            torch.full((rank, linear.in_features), linear.in_features**-0.5)
        “objection:initial | it is not drawn around 0: its mean is about 0.04”
    adapter_drawn_evenly:
        torch.randn(rank, linear.in_features) / linear.in_features**0.5 ⇒
            (2 * torch.rand(rank, linear.in_features) - 1) * (3 / linear.in_features) ** 0.5
        “objection:initial | it is not drawn from a normal distribution”
    adapter_around_a_copy:
        self.linear = linear.requires_grad_(False) ⇒
            import copy
            self.linear = copy.deepcopy(linear).requires_grad_(False)
        “objection:copy | keep the layer itself”

workshop.merged
    merged_with_one_bias: result.bias.copy_(linear.bias) ⇒ result.bias = linear.bias
        “objection:shared | share one bias”
    merged_with_sizes_turned_round:
        linear, change = adapter.linear, adapter.scale * adapter.up @ adapter.down
        result = torch.nn.Linear(linear.out_features, linear.in_features, linear.bias is not None)
        result.weight = torch.nn.Parameter((linear.weight + change).detach())
        result.bias = None if linear.bias is None else torch.nn.Parameter(linear.bias.detach().clone())
        return result
        “objection:sizes | its weight, which is (features out, features in), is of shape”

workshop.repair
    repaired_by_reshape:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs.T).reshape(*labels.shape, -1).flatten(0, 1), labels.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return loss.item()
        “mistake:unchanged | their order in memory stays”
    repaired_by_position:
        optimizer.zero_grad()
        logits = model(inputs.T)
        loss = sum(F.cross_entropy(logits[place], labels[:, place]) for place in range(labels.shape[1]))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        return loss.item()
        “mistake:sum_of_positions | as many times too large as there are positions”
""")


@answer("workshop.resume_training", "mistake:no_model", "only tells what they are")
def resumed_in_a_copy(path, model, optimizer, generator):
    def put(mine, given):
        same_shapes(mine, given)
        mine.update(given)

    return resumed(path, model, optimizer, generator, put)


@answer("workshop.resume_training", "mistake:not_strict", "as with strict=False: names that do not fit are passed over")
def resumed_what_is_known(path, model, optimizer, generator):
    def put(mine, given):
        model.load_state_dict({**mine, **{name: weight for name, weight in given.items() if name in mine}})

    return resumed(path, model, optimizer, generator, put)
