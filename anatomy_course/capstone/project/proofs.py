"""What is proven of a project: its order, equal budgets, an organ that can be switched off, the counts, and probes.

Probes of the ward (`lab.debugging.checks`) are asked with its limits. Those of its probes that say how good a model is
are left out: that is the claim's own question. The probes look at a model with the organ that has learned a few windows
by heart, so that every part of it does something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from anatomy_course.capstone.project.plan import ANOTHER, Project, Shown, guarded, read, registration
from anatomy_course.capstone.project.trial import build, measured_work, results, street_text, train
from anatomy_course.lab.debugging.checks import CHECKS, EQUAL
from anatomy_course.page.page import CellOutput, table
from anatomy_utils.taxonomy.costs import parameters
from anatomy_utils.training.threads import threads

WINDOWS, BY_HEART, KNOWN = 4, 100, 0.5
"""Windows that are learned by heart, steps on them, and the loss that must be reached."""
BYTES = 4
"""Of a number."""
FEW = 5
"""Steps of the two trainings that must agree to the last bit."""
Told = tuple[bool | None, str]


class Proof(NamedTuple):
    """One row: what was looked at, whether it holds (None: not to be told yet), and why or what to do."""

    name: str
    passed: bool | None
    sentence: str


@dataclass(frozen=True, repr=False)
class Proofs(Shown):
    """All rows; shows itself as a table."""

    rows: list[Proof]

    @property
    def count(self) -> str:
        """Such as "14 of 14"."""
        return f"{sum(row.passed is True for row in self.rows)} of {len(self.rows)}"

    @property
    def failed(self) -> list[str]:
        """Names of the rows that do not hold."""
        return [row.name for row in self.rows if row.passed is False]

    def table(self) -> CellOutput:
        """Row by row."""
        return table(f"{self.count} proofs hold.", ["proof", "holds", ""], self.rows, words=[1, 2])


class _Look:
    """A project, and its model with the organ after it has learned a few windows by heart."""

    def __init__(self, project: Project) -> None:
        self.project, self.name, self.length = project, project.path.name, project.plan["size"]["length"]
        self.lengths = (self.length // 2, self.length)
        text = street_text("train")
        self.ids = text[: WINDOWS * self.length].view(WINDOWS, self.length)
        self.labels = text[1 : WINDOWS * self.length + 1].view(WINDOWS, self.length)
        self.untouched: set[str] = set()

    @cached_property
    def by_heart(self) -> tuple[Any, float]:
        """The model, and the loss that its last step noted; parameters without a gradient are `untouched`."""
        model = build(self.project, 0, True)
        optimizer, loss = torch.optim.AdamW(model.parameters(), lr=self.project.plan["peak"]), 0.0
        named = {name: each for name, each in model.named_parameters() if each.requires_grad}
        self.untouched = set(named)
        step, batch = self.project.program.training_step, [(self.ids, self.labels)]
        for _ in range(BY_HEART):
            loss = guarded(self.project.path, lambda: step(model, optimizer, batch, 1.0))
            self.untouched -= {name for name, each in named.items() if each.grad is not None and each.grad.any()}
        return model.eval(), loss

    def logits(self, ids: Tensor) -> Tensor:
        model, _ = self.by_heart
        with torch.no_grad():
            logits: Tensor = model(ids)
        return logits


def check(path: str | Path) -> Proofs:
    """Prove what can be proven of a project, row by row; a row that cannot be computed says why.

    Args:
        path: of the project's file.

    Raises:
        ValueError: the file is not whole (see `plan.read`).
    """
    look, rows = _Look(read(path)), []
    with threads(1), torch.random.fork_rng():
        for name, prove in PROOFS.items():
            try:
                rows.append(Proof(name, *prove(look)))
            except Exception as error:  # whatever the learner's code stops with
                told = " ".join(str(error).split())[:240]
                rows.append(
                    Proof(name, False, told if isinstance(error, ValueError) else f"Stops with {error!r}"[:240])
                )
    return Proofs(rows)


def _registered(look: _Look) -> Told:
    project = look.project
    for ending, do in ((".plan.json", "register"), (".results.json", "run")):
        if not project.beside(ending).exists():
            return None, f'Not yet: project.{do}("{look.name}").'
        plan = registration(project)
    found = results(project)
    if plan.hashes != found.hashes:
        return False, f'Registered again after the run: project.run("{look.name}").'
    if changed := project.changed_since(plan.hashes):
        return False, f"{changed} changed after the run; {ANOTHER}."
    if plan.registered > found.started:
        return False, f"The run began at {found.started}, before the plan was registered: run it again."
    return True, f"Registered at {plan.registered}, run at {found.started}; nothing changed since."


def _budgets(look: _Look) -> Told:
    plan = look.project.plan
    if not look.project.beside(".results.json").exists():
        return None, f'Not yet: project.run("{look.name}").'
    found = results(look.project)
    if [run["seed"] for run in found.runs] != plan["seeds"]:
        return False, "The results are not those of the registered seeds: run it again."
    by_work = plan["equal"] == "work"
    costs = found.work if by_work else [1, 1]
    rounding = plan["batch"] * look.length * max(costs) if by_work else 0
    for run in found.runs:
        (steps, tokens, _), (_, own, _) = run["control"], run["organ"]
        if steps != plan["steps"] or abs(tokens * costs[0] - own * costs[1]) > rounding:
            told = f"With seed {run['seed']} the control was given {tokens:,} tokens and the organ's model {own:,}"
            return False, f"{told}: both must be trained by project.run, with the registered budget."
    unit = "multiply–adds" if by_work else "tokens"
    return True, f"{tokens * costs[0]:,} {unit} without the organ, {own * costs[1]:,} with it, for each seed."


def _begins_alike(look: _Look) -> Told:
    seed = look.project.plan["seeds"][0]
    model = build(look.project, seed, None)
    before = list(model.named_parameters())  # held, so that no new tensor takes the place of an old one in memory
    numbers = {id(each): each.detach().clone() for _, each in before}
    named = {name: numbers[id(each)] for name, each in before}
    made = look.project.call("with_organ", model, True)
    after = {name: (each, numbers.get(id(each))) for name, each in made.named_parameters()}
    for name, (each, first) in after.items():
        if first is not None and not torch.equal(each, first):
            return False, f"with_organ changes {name}: train nothing in it, and leave the old parts' first numbers."
    kept = [
        name
        for name, (each, first) in after.items()
        if first is not None or (name in named and torch.equal(each, named[name]))
    ]
    told = f"{len(kept)} of the program's {len(before)} tensors are in both, with the same first numbers"
    if all(after[name][0].unique().numel() == 1 for name in kept):  # zeros and ones are the same in any model
        return False, "None of the numbers that the program draws is in both: change the given model, make no new one."
    own = [name for name in after if name not in kept]
    return True, f"{told}{f'; the first of {len(own)} others is {own[0]}' if own else ''}."


def _switched_off(look: _Look) -> Told:
    project, seed = look.project, look.project.plan["seeds"][0]
    old, _ = train(project, seed, None, FEW)
    build(project, seed, True)  # which must leave nothing behind
    off, _ = train(project, seed, False, FEW)
    states = old.state_dict(), off.state_dict()
    if extra := set(states[0]) ^ set(states[1]):
        return (
            False,
            f"Switched off, the model's parts are not the old program's ({min(extra)}): add them only `if on`.",
        )
    with torch.no_grad():
        same = torch.equal(old(look.ids), off(look.ids))
    if not same or any(not torch.equal(states[0][name], states[1][name]) for name in states[0]):
        return False, f"Switched off, {FEW} steps of training give other numbers than before: something is still on."
    on = train(project, seed, True, FEW)[0].state_dict()
    if set(on) == set(states[0]) and all(torch.equal(on[name], states[0][name]) for name in on):
        return False, f"Switched on, {FEW} steps of training give the same numbers, too: with_organ changes nothing."
    return True, f"Weights and logits are the old program's to the last bit, after {FEW} steps of training."


def _parameters(look: _Look) -> Told:
    model, old = build(look.project, 0, True), dict(build(look.project, 0, None).named_parameters())
    new = [f"{name} {tuple(each.shape)}" for name, each in model.named_parameters() if name not in old]
    told = f" New names: {', '.join(new[:3])}{' …' if len(new) > 3 else ''}." if new else ""
    return _compared(look, "parameters", [("parameters", (), parameters(model))], told)


def _work(look: _Look) -> Told:
    model = build(look.project, 0, True)
    counts = [(f"multiply–adds a token, {n} tokens", (n,), measured_work(model, n)) for n in look.lengths]
    return _compared(look, "work", counts)


def _compared(look: _Look, name: str, counts: Sequence[tuple[str, tuple[int, ...], int]], told: str = "") -> Told:
    for what, arguments, measured in counts:
        counted = int(look.project.call(name, look.project.size, *arguments))
        if counted != measured:
            gap = f"{abs(counted - measured):,} too {'many' if counted > measured else 'few'}"
            return False, f"By hand {counted:,} {what}, but the running model has {measured:,}: {gap}.{told}"
    return True, f"{measured:,} {what}, as counted by hand."


def _positions(kept: Any, tokens: int) -> list[int]:
    """Which of so many tokens are kept."""
    if kept == "all":
        return list(range(tokens))
    if not (
        isinstance(kept, tuple | list) and len(kept) == 2 and all(type(each) is int and each >= 0 for each in kept)
    ):
        raise ValueError(f'KEPT: {kept!r} is neither "all" nor a pair (the first so many, the last so many).')
    first, last = kept
    return sorted({*range(min(first, tokens)), *range(max(tokens - last, 0), tokens)})


@contextmanager
def _hooked(look: _Look, hook: Callable[[str, Any, Tensor], Tensor | None]) -> Iterator[None]:
    """Give (call, what is kept, output) of each module in KEPT to a hook; what that gives back takes its place."""
    model, calls, handles = look.by_heart[0], [], []

    def hooked(name: str, kept: Any, output: Any) -> Any:
        if not isinstance(output, Tensor) or output.dim() < 2:
            raise ValueError(f"KEPT: {name} gives back no tensor (batch, position, …); name a module that does.")
        calls.append(name)
        return hook(f"{name} {calls.count(name)}", kept, output)

    for pattern, kept in look.project.module.KEPT.items():
        found = [(name, module) for name, module in model.named_modules() if fnmatchcase(name, pattern)]
        if not found:
            raise ValueError(f"KEPT: no module of the model with the organ is called {pattern}; see named_modules().")
        for name, module in found:
            handles.append(module.register_forward_hook(lambda _, __, out, n=name, k=kept: hooked(n, k, out)))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _cache(look: _Look) -> Told:
    def measured(tokens: int) -> int:
        sizes: list[int] = []
        with _hooked(look, lambda _, kept, out: sizes.append(out[0, 0].numel() * len(_positions(kept, out.shape[1])))):
            look.logits(look.ids[:1, :tokens])
        return BYTES * sum(sizes)

    return _compared(look, "cache_bytes", [(f"bytes kept of {n} tokens", (n,), measured(n)) for n in look.lengths])


def _cached(look: _Look) -> Told:
    """Read a text with another past, and put in what is kept of the right one: the last token must not notice."""
    ids, stored = look.ids[:1], {}
    other = torch.cat([look.ids[1:2, :-1], ids[:, -1:]], dim=1)

    def store(call: str, kept: Any, output: Tensor) -> None:
        stored[call] = output.clone()

    def put_in(call: str, kept: Any, output: Tensor) -> Tensor:
        output, places = output.clone(), _positions(kept, output.shape[1] - 1)
        output[:, places] = stored[call][:, places]
        return output

    with _hooked(look, store):
        whole = look.logits(ids)[:, -1]
    with _hooked(look, put_in):
        gap = _gap(whole, look.logits(other)[:, -1])
    told = f"Read from what KEPT names and as a whole, the last token's logits differ by {gap:.2g}"
    return gap < EQUAL, f"{told}." if gap < EQUAL else f"{told}: more of the past is used."


def _gap(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().max().item()


def _of_the_ward(name: str, value: float, cause: str) -> Told:
    probe = CHECKS[name]
    passed = probe.passes(value, value)
    return passed, f"{probe.says.format(probe.show(value))}." + ("" if passed else f" {cause}")


def _no_future(look: _Look) -> Told:
    seen = look.logits(look.ids)
    for place in (1, look.length // 2, look.length - 1):
        changed = look.ids.clone()
        changed[:, place] = (changed[:, place] + 1) % look.project.size.vocabulary_size
        gap = _gap(seen[:, :place], look.logits(changed)[:, :place])
        if not gap < EQUAL:
            return False, f"A change at position {place} changes logits before it by {gap:.2g}: the future is seen."
    return True, "A changed token changes nothing before it."


def _twice(look: _Look) -> Told:
    gap = _gap(look.logits(look.ids), look.logits(look.ids))
    return _of_the_ward("same answer twice", gap, "It draws by chance though it is not trained: ask self.training.")


def _batched(look: _Look) -> Told:
    together = look.logits(look.ids)
    alone = torch.cat([look.logits(row[None]) for row in look.ids])
    return _of_the_ward("batch equals single", _gap(together, alone), "A text's logits depend on its neighbors.")


def _every_part(look: _Look) -> Told:
    _, missing = look.by_heart, look.untouched
    if missing:
        return False, f"No gradient ever reaches {min(missing)}: it is not used, or something cuts it off."
    return True, "A gradient reaches every parameter."


def _by_heart(look: _Look) -> Told:
    loss = look.by_heart[1]
    told = f"After {BY_HEART} steps on {WINDOWS} windows the loss is {loss:.2f}"
    return loss < KNOWN, f"{told}." if loss < KNOWN else f"{told}, not below {KNOWN}: something of the text is lost."


def _as_taught(look: _Look) -> Told:
    loss = nn.functional.cross_entropy(look.logits(look.ids).flatten(0, 1), look.labels.flatten()).item()
    gap = round(loss - look.by_heart[1], 4) + 0.0  # no −0
    return _of_the_ward("as it was taught", gap, "It does another thing in eval() than in training.")


PROOFS: dict[str, Callable[[_Look], Told]] = {
    "switched off": _switched_off,
    "registered before its run": _registered,
    "equal budgets": _budgets,
    "begins alike": _begins_alike,
    "parameters by hand": _parameters,
    "work by hand": _work,
    "cache by hand": _cache,
    "cached equals uncached": _cached,
    "sees no later token": _no_future,
    "same answer twice": _twice,
    "batch equals single": _batched,
    "every part learns": _every_part,
    "learns by heart": _by_heart,
    "as it was taught": _as_taught,
}
"""Name of a row → how it is proven, in the order of the table."""
