"""All broken models with their healthy baseline, and the table of all check results."""

from __future__ import annotations

import torch
from tqdm.auto import tqdm

from anatomy_course.lab.debugging.broken_model import BrokenModel, CheckResult
from anatomy_course.lab.debugging.cases import BUG_CASES
from anatomy_course.lab.debugging.checks import CHECKS
from anatomy_course.lab.debugging.pipeline import HEALTHY, STEPS, Trainer, sample_datasets
from anatomy_course.page.page import CellOutput, details, table


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
