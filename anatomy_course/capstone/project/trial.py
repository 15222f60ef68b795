"""Training with and without the organ, over all registered seeds, and what the paired differences say.

For each seed both models begin with the same numbers, except where the organ brings its own, and read the same windows
of the street in the same order. The rule of the verdict is in `verdict`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from anatomy_course.capstone.project.plan import ANOTHER, METRICS, Project, Shown, guarded, now, read, registration
from anatomy_course.lab.small_models.workshop import write_texts
from anatomy_course.lab.street.inventory import Split
from anatomy_course.lab.street.parser import is_grammatical, say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.page.page import CellOutput, table
from anatomy_utils.training.threads import threads

SCENES = {"train": 4000, "test": 400}
WINDOWS, TEXTS, LONGEST, TEMPERATURE, WARM_UP = 64, 100, 20, 0.5, 0.1
STUDENT = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262, 11: 2.228, 12: 2.201}
"""Number of seeds → 97.5 % quantile of Student's t with one degree of freedom less."""


class Interval(NamedTuple):
    """95 % confidence interval of a mean."""

    mean: float
    low: float
    high: float


def paired_interval(differences: Sequence[float]) -> Interval:
    """Mean and 95 % interval by Student's t: mean ± t · s / √n, s the standard deviation over n − 1.

    Args:
        differences: one for each of 3 to 12 seeds.

    >>> [round(each, 3) for each in paired_interval([0.1, 0.2, 0.3])]
    [0.2, -0.048, 0.448]
    """
    count = len(differences)
    mean = sum(differences) / count
    spread = math.sqrt(sum((each - mean) ** 2 for each in differences) / (count - 1))
    half = STUDENT[count] * spread / math.sqrt(count)
    return Interval(mean, mean - half, mean + half)


def verdict(interval: Interval, better_by: float) -> str:
    """What an interval says about the claim "better by at least `better_by`". Each verdict is worth full marks.

    - supported: the whole interval is at or above `better_by`
    - not supported: the whole interval is below it
    - cannot tell: `better_by` is inside; it would take more seeds or a larger budget

    >>> [verdict(Interval(0.2, low, high), 0.1) for low, high in ((0.1, 0.3), (-0.1, 0.05), (0.05, 0.2))]
    ['supported', 'not supported', 'cannot tell']
    """
    if interval.low >= better_by:
        return "supported"
    return "not supported" if interval.high < better_by else "cannot tell"


@dataclass(frozen=True, repr=False)
class Results(Shown):
    """What came out of a project's run; shows itself as a table.

    Attributes:
        started: when, in UTC.
        hashes: of plan, file and program as they ran.
        metric: what was measured.
        better_by: the registered smallest difference.
        work: multiply–adds per token of a whole window, without and with the organ.
        runs: for each seed the "seed" and, for "control" and "organ", [steps, tokens, metric].
    """

    started: str
    hashes: dict[str, str]
    metric: str
    better_by: float
    work: list[int]
    runs: list[dict[str, Any]]

    @property
    def differences(self) -> list[float]:
        """By how much the organ is better, for each seed."""
        return [METRICS[self.metric] * (run["organ"][2] - run["control"][2]) for run in self.runs]

    @property
    def interval(self) -> Interval:
        """Of the mean difference."""
        return paired_interval(self.differences)

    @property
    def verdict(self) -> str:
        """See the function of this name."""
        return verdict(self.interval, self.better_by)

    @property
    def sentence(self) -> str:
        """The verdict with its figures."""
        mean, low, high = (f"{each:.3f}".replace("-", "−") for each in self.interval)
        found = f"better by {mean} on average, 95 % interval {low} to {high}"
        return f"{self.verdict.capitalize()}: {found}; claimed: at least {self.better_by:g}.".replace(" -", " −")

    def table(self) -> CellOutput:
        """Seed by seed."""
        pairs = zip(self.runs, self.differences, strict=True)
        rows = [[f"seed {run['seed']}", run["control"][2], run["organ"][2], gain] for run, gain in pairs]
        return table(self.sentence, [self.metric, "without the organ", "with it", "better by"], rows, digits=3)


def run(path: str | Path) -> Results:
    """Train the program without and with its organ on every registered seed; what came out is stored beside the file.

    With "equal": "steps", both are trained for the registered number. With "work", the organ's model is trained for as
    many steps as cost the same number of multiply–adds, rounded.

    Args:
        path: of the project's file.

    Raises:
        ValueError: the plan is not registered or changed, the code changed since, it stops, or a number is not finite.
    """
    project = read(path)
    name, plan, started = project.path.name, project.plan, now()
    if changed := project.changed_since(registration(project).hashes):
        what = f'note it first: project.register("{name}")'
        if project.beside(".results.json").exists():
            what = ANOTHER
        raise ValueError(f"{changed} changed after it was registered; {what}.")
    with threads(1), torch.random.fork_rng():
        length, steps = plan["size"]["length"], plan["steps"]
        models = [build(project, plan["seeds"][0], on) for on in (None, True)]
        work = [guarded(project.path, partial(measured_work, model, length)) for model in models]
        own_steps = max(1, round(steps * work[0] / work[1])) if plan["equal"] == "work" else steps
        runs = [
            {
                "seed": seed,
                "control": _trial(project, seed, None, steps),
                "organ": _trial(project, seed, True, own_steps),
            }
            for seed in plan["seeds"]
        ]
    found = Results(started, project.hashes, plan["metric"], plan["better_by"], work, runs)
    text = json.dumps(vars(found), indent=1, ensure_ascii=False)
    project.beside(".results.json").write_text(text + "\n", encoding="utf-8")
    return found


def results(project: Project) -> Results:
    """What a run stored.

    Raises:
        ValueError: the plan is not registered or changed, nothing was run, or the file is damaged.
    """
    registration(project)
    place, name = project.beside(".results.json"), project.path.name
    if not place.exists():
        raise ValueError(f'{name} was not run yet; do that: project.run("{name}").')
    try:
        found = Results(**json.loads(place.read_text(encoding="utf-8")))
        found.table()
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise ValueError(f"{place.name} is damaged; run the project again.") from error
    return found


def build(project: Project, seed: int, on: bool | None) -> Any:
    """A new model of the program, its numbers drawn by a seed; given to `with_organ` unless `on` is None.

    Raises:
        ValueError: `with_organ` stops, or gives back no module.
    """
    torch.manual_seed(seed)
    size = project.size
    model = project.program.GPT(size.vocabulary_size, size.length, size.d_model, size.num_layers, size.num_heads)
    made = model if on is None else project.call("with_organ", model, on)
    if not isinstance(made, nn.Module):
        raise ValueError(f"with_organ gives back {type(made).__name__}, not the model; end it with `return model`.")
    return made


def train(project: Project, seed: int, on: bool | None, steps: int) -> tuple[Any, int]:
    """Build a model and train it with the program's own pieces; also counts the tokens that it was really given.

    Raises:
        ValueError: it stops, or its loss is not finite.
    """
    plan, program, text = project.plan, project.program, street_text("train")
    model, given = build(project, seed, on), []
    counting = model.register_forward_pre_hook(lambda _, arguments: given.append(arguments[0].numel()))
    optimizer = torch.optim.AdamW(program.parameter_groups(model, 0.1), lr=plan["peak"])
    source = torch.Generator().manual_seed(seed)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = program.learning_rate(step, steps, int(WARM_UP * steps), plan["peak"], plan["peak"] / 10)
        windows = program.random_windows(text, plan["batch"], plan["size"]["length"], source)
        loss = guarded(project.path, partial(program.training_step, model, optimizer, [windows], 1.0))
        if not math.isfinite(loss):
            raise ValueError(
                f"The loss is {loss} in step {step + 1} with seed {seed}, {'with' if on else 'without'} the organ, so "
                "nothing was stored; look for a division by 0, a root or a logarithm of 0, or lower the peak."
            )
    counting.remove()
    return model.eval(), sum(given)


def _trial(project: Project, seed: int, on: bool | None, steps: int) -> list[Any]:
    model, tokens = train(project, seed, on, steps)
    value = guarded(project.path, partial(_measure, project, model))
    if not math.isfinite(value):
        raise ValueError("The trained model gives numbers that are not finite, so nothing was stored; see its eval().")
    return [steps, tokens, value]


@cache
def street_text(split: Split) -> Tensor:
    """Sentences of the street, each after <bos>, as one row of ids; "test" has pairs of nouns that "train" has not."""
    vocabulary = street_vocabulary()
    scenes = sample_scenes(SCENES[split], torch.Generator().manual_seed(0), split)
    told = [token for scene in scenes for token in ("<bos>", *say(scene, "english").tokens)]
    return torch.tensor(vocabulary.ids([*told, "<bos>"]))


@torch.no_grad()
def _measure(project: Project, model: Any) -> float:
    """The registered metric of a trained model, on sentences that it has not seen."""
    metric, length, text = project.plan["metric"], project.plan["size"]["length"], street_text("test")
    if metric == "grammatical sentences":
        chance, vocabulary = torch.Generator().manual_seed(0), street_vocabulary()

        def choose(logits: Tensor) -> int:
            return int(torch.multinomial((logits / TEMPERATURE).softmax(-1), 1, generator=chance))

        rows = write_texts(model, choose, TEXTS, length=length, most=LONGEST, end_id=vocabulary.bos_id)
        return sum(is_grammatical(vocabulary.text(row)) for row in rows) / TEXTS
    starts = torch.linspace(0, len(text) - length - 1, WINDOWS).long()[:, None] + torch.arange(length)
    logits, labels = model(text[starts]).flatten(0, 1), text[starts + 1].flatten()
    value = (
        (logits.argmax(-1) == labels).float().mean()
        if metric == "right next words"
        else F.cross_entropy(logits, labels)
    )
    return value.item() if logits.isfinite().all() else math.nan


@torch.no_grad()
def measured_work(model: Any, tokens: int) -> int:
    """Multiply–adds per token that torch counts while the model reads a text of so many; products of matrices alone."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        model(torch.zeros(1, tokens, dtype=torch.long))
    return counter.get_total_flops() // 2 // tokens
