"""Broken models: each with one bug, and what can be seen and measured beside a healthy baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from tqdm.auto import tqdm

from anatomy_course.lab.debugging.cases import BUG_CASES, BugCase
from anatomy_course.lab.debugging.checks import CHECKS, PROMPTS, CheckedModel, complete_prompts
from anatomy_course.lab.debugging.inspect_plots import (
    HeadMap,
    all_attention_weights,
    attention_map,
    loss_curve,
    most_different_head,
)
from anatomy_course.lab.debugging.pipeline import HEALTHY, STEPS, Pipeline, Trainer, sample_datasets
from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.page.page import CellOutput, details, table
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.history import History
from anatomy_utils.training.seeding import seeded

if TYPE_CHECKING:
    from anatomy_course.figures.picture import Picture

LAST_STEPS = 20
"""Steps over whose mean a training's loss ends."""


@dataclass(frozen=True)
class CheckResult:
    """The result of a check.

    Attributes:
        check: its name.
        value: the number; NaN where the model gave none.
        healthy: the number of the healthy baseline.
        passed: whether all is well.
        sentence: both numbers in words.
    """

    check: str
    value: float
    healthy: float
    passed: bool
    sentence: str

    def __repr__(self) -> str:
        return f"{'✓' if self.passed else '✗'} {self.sentence}"


class Samples(list[str]):
    """Texts, shown one a line."""

    def __repr__(self) -> str:
        return "\n".join(self)


class BrokenModel:
    """A deployed model, compared with the healthy baseline.

    Args:
        case: what is known of its bug; None for the baseline itself.
        pipeline: how it is built, trained and deployed.
        trainer: trains it.
        baseline: the healthy model that it is compared with; itself when left out.
    """

    def __init__(
        self, case: BugCase | None, pipeline: Pipeline, trainer: Trainer, baseline: BrokenModel | None = None
    ) -> None:
        self.case = case
        self.baseline = baseline or self
        trained = trainer.trained(pipeline)
        self._trainer = trainer
        self._checked = CheckedModel(pipeline.deploy(trained.model), trained, trainer.datasets)
        self._generator = torch.Generator().manual_seed(trainer.seed)
        self._measured: dict[str, float] = {}

    @property
    def name(self) -> str:
        """Of the model."""
        return self.case.name if self.case else "the healthy twin"

    @property
    def team_report(self) -> str:
        """What its team says."""
        return self.case.team_report if self.case else "Nothing ails it."

    @property
    def history(self) -> History:
        """Of its training, by the loss that it was trained with."""
        return self._checked.trained.history

    @property
    def final_loss(self) -> float:
        """Where the loss of its training ends: the mean of the last 20 steps."""
        last = self.history.loss[-LAST_STEPS:]
        return sum(last) / len(last)

    @property
    def test_loss(self) -> float:
        """The loss that its team reports after training: on its team's test sentences, by its team's loss."""
        return self._checked.trained.test_loss

    def __repr__(self) -> str:
        return f"{self.name}: {self.team_report}"

    def check(self, name: str) -> CheckResult:
        """Run one check on this model and on the baseline.

        Args:
            name: one of `CHECKS`.

        Raises:
            ValueError: there is no such check.
        """
        if name not in CHECKS:
            close = get_close_matches(str(name), CHECKS, n=2, cutoff=0.3) or list(CHECKS)
            raise ValueError(f"There is no check {name!r}; did you mean {' or '.join(map(repr, close))}?")
        check = CHECKS[name]
        value, healthy = self.measure(name), self.baseline.measure(name)
        sentence = f"{check.says.format(check.show(value))}; the healthy twin's number is {check.show(healthy)}."
        return CheckResult(name, value, healthy, check.passes(value, healthy), sentence)

    @property
    def was_examined(self) -> bool:
        """Whether any check was run on it."""
        return bool(self._measured)

    def measure(self, name: str) -> float:
        """A check's number alone; the baseline is measured once."""
        if name not in self._measured or self.baseline is not self:
            with torch.inference_mode(), seeded(self._generator):
                self._measured[name] = CHECKS[name].measure(self._checked)
        return self._measured[name]

    def samples(self) -> Samples:
        """How it completes the beginnings of five sentences, all in one batch, by greedy decoding."""
        vocabulary = street_vocabulary()
        with seeded(self._generator):
            rows = complete_prompts(self._checked.model).rows()
        written = []
        for prompt, row in zip(PROMPTS, rows, strict=True):
            whole = vocabulary.text([*vocabulary.ids(tokenize(prompt)), *row])
            cut_off = "" if vocabulary.eos_id in row else " …"
            written.append(f"{prompt} |{whole[len(prompt) :]}{cut_off}")
        return Samples(written)

    def head(self) -> HeadMap:
        """The head whose weights differ most from the baseline's on one sentence; see `inspect_plots`."""
        return most_different_head(self._weights, self.baseline._weights)

    @cached_property
    def _weights(self) -> Tensor:
        with torch.inference_mode(), seeded(self._generator):
            return all_attention_weights(self._checked.model)

    def loss_curve(self) -> Picture:
        """The loss of each training step, beside the baseline's."""
        return loss_curve(self.name, self.history.loss, self.baseline.history.loss)

    def attention_map(self) -> Picture:
        """The weights of `head`, beside the baseline's."""
        return attention_map(self.name, self.head())

    def fixed(self) -> BrokenModel:
        """The same model with its bug fixed: trained again, unless only its deployment was wrong.

        A model that then has the baseline's training shares the baseline's weights.

        Raises:
            ValueError: it has no bug.
        """
        if self.case is None:
            raise ValueError("The healthy twin has no bug to fix; take one of the broken models.")
        return BrokenModel(self.case, self.case.fixed_pipeline, self._trainer, self.baseline)

    def deployed_with(self, deploy: Callable[[LanguageModel], LanguageModel]) -> BrokenModel:
        """The same trained model, deployed in another way; nothing is trained again.

        Args:
            deploy: a trained model → the model that is used.

        Raises:
            ValueError: it is the healthy twin.
        """
        if self.case is None:
            raise ValueError("The healthy twin needs no other deployment; take one of the broken models.")
        return BrokenModel(self.case, replace(self.case.pipeline, deploy=deploy), self._trainer, self.baseline)


class CheckTable(dict[str, dict[str, CheckResult]]):
    """Model → check → result, shown as a table of numbers with ✗ where a check failed."""

    def _table(self) -> CellOutput:
        numbers = {
            name: [f"{'✓' if f.passed else '✗'} {CHECKS[f.check].show(f.value)}" for f in found.values()]
            for name, found in self.items()
        }
        # checks have long names: a column for each model
        rows = [[check, *marked] for check, *marked in zip(CHECKS, *numbers.values(), strict=True)]
        return table("", ["", *numbers], rows, words=range(len(numbers) + 1))

    def __repr__(self) -> str:
        return self._table().text

    def _repr_html_(self) -> str:
        """Folded: it gives away every diagnosis."""
        return details("All probes of all models", self._table().html)


class BrokenModels:
    """Eight broken models and their healthy baseline. Make them with `train_broken_models`.

    Args:
        trainer: trains all of them.
        progress: show a bar.
    """

    def __init__(self, trainer: Trainer, *, progress: bool = False) -> None:
        models = []
        with tqdm(total=1 + len(BUG_CASES), disable=not progress, unit="model") as bar:
            bar.set_description("the healthy twin is trained")
            self.baseline = BrokenModel(None, HEALTHY, trainer)
            for case in BUG_CASES:
                bar.update()
                bar.set_description(f"{case.name} is trained")
                models.append(BrokenModel(case, case.pipeline, trainer, self.baseline))
            bar.update()
            bar.set_description("all are trained")
        self._models = tuple(models)

    def models(self) -> tuple[BrokenModel, ...]:
        """The broken ones, in the order of their cases."""
        return self._models

    def __getitem__(self, name: str) -> BrokenModel:
        """The model of that name.

        Raises:
            ValueError: no model has this name.
        """
        for model in self._models:
            if model.name == name:
                return model
        raise ValueError(f"Nobody here is called {name!r}; there are {', '.join(m.name for m in self._models)}.")

    def table(self) -> CheckTable:
        """Every check of every model, the baseline first."""
        everybody = (self.baseline, *self._models)
        return CheckTable({model.name: {name: model.check(name) for name in CHECKS} for model in everybody})

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._models))


def train_broken_models(seed: int = 0, *, steps: int = STEPS, progress: bool = True) -> BrokenModels:
    """Train the healthy baseline and the broken models. Those with a bug only in deployment share its weights.

    Args:
        seed: of weights, sentences and sampling.
        steps: of 64 sentences each.
        progress: show a bar.
    """
    datasets = sample_datasets(steps, torch.Generator().manual_seed(seed))
    return BrokenModels(Trainer(datasets, seed), progress=progress)
