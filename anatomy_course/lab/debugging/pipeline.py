"""The training pipeline of a small language model: from building it to deploying it. A bug sits in one of its steps.

`HEALTHY` is the pipeline without a bug; `bugs` holds the wrong steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from anatomy_course.lab.debugging.model import new_model
from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.street.batches import Labeled, language_modeling
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.optimizers import adamw
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.training.threads import threads

BATCH_SIZE, LEARNING_RATE, STEPS = 64, 1.2e-2, 250
TEST_SENTENCES = 128


@dataclass(frozen=True)
class Datasets:
    """The sentences that every model of the debugging lab is trained and tested on.

    Attributes:
        training: a batch for each step; no sentence occurs twice.
        test: sentences whose two nouns never occur together in training.
    """

    training: tuple[Labeled, ...]
    test: Labeled


def sample_datasets(steps: int, generator: torch.Generator) -> Datasets:
    """Draw the sentences for models that train for so many steps."""
    training = language_modeling(sample_scenes(steps * BATCH_SIZE, generator, "train"))
    test = language_modeling(sample_scenes(TEST_SENTENCES, generator, "test"))
    batches = (training[step * BATCH_SIZE : (step + 1) * BATCH_SIZE] for step in range(steps))
    return Datasets(tuple(batches), test)


def all_batches(datasets: Datasets) -> Sequence[Labeled]:
    """Every training batch once."""
    return datasets.training


def unseen_sentences(datasets: Datasets) -> Labeled:
    """Sentences that do not occur in training."""
    return datasets.test


@dataclass(frozen=True)
class Pipeline:
    """The steps from nothing to a deployed model.

    Attributes:
        build: generator → an untrained model.
        optimizer: makes the optimizer, and whatever else is done to a model before training.
        batches: what the model is trained on, a batch for each step.
        loss: minimized in training.
        evaluate_on: what the model is evaluated on after training, by the same loss.
        deploy: a trained model → the model that is used; the trained one stays as it is.
    """

    build: Callable[[torch.Generator], LanguageModel] = new_model
    optimizer: Callable[[LanguageModel], torch.optim.Optimizer] = adamw
    batches: Callable[[Datasets], Sequence[Labeled]] = all_batches
    loss: Callable[[LanguageModel, Labeled], Tensor] = label_loss
    evaluate_on: Callable[[Datasets], Labeled] = unseen_sentences
    deploy: Callable[[LanguageModel], LanguageModel] = LanguageModel.eval

    @property
    def training(self) -> Pipeline:
        """The same pipeline but for its last step: pipelines that share it train the same weights."""
        return replace(self, deploy=LanguageModel.eval)


HEALTHY = Pipeline()


@dataclass(frozen=True)
class TrainedModel:
    """The result of a pipeline's training.

    Attributes:
        model: in evaluation mode.
        initial_weights: its weights before the first step.
        history: of the training.
        test_loss: of the evaluation.
        batches: what the model was trained on.
    """

    model: LanguageModel
    initial_weights: dict[str, Tensor]
    history: History
    test_loss: float
    batches: Sequence[Labeled]


@dataclass
class Trainer:
    """Trains each pipeline once: pipelines with equal training share one trained model.

    Args:
        datasets: for training and evaluation.
        seed: of all weights and of dropout.
    """

    datasets: Datasets
    seed: int = 0
    _trained: dict[Pipeline, TrainedModel] = field(default_factory=dict, repr=False)

    def trained(self, pipeline: Pipeline) -> TrainedModel:
        """The pipeline's model after training, the same object for all pipelines with the same training."""
        if pipeline.training not in self._trained:
            self._trained[pipeline.training] = self._train(pipeline)
        return self._trained[pipeline.training]

    def _train(self, pipeline: Pipeline) -> TrainedModel:
        generator = torch.Generator().manual_seed(self.seed)
        model = pipeline.build(generator)
        optimizer = pipeline.optimizer(model)
        initial_weights = deepcopy(model.state_dict())
        batches = pipeline.batches(self.datasets)
        with threads(1):
            history = fit(
                model,
                batches,
                pipeline.loss,
                learning_rate=linear_schedule(LEARNING_RATE, steps=len(batches), warmup=len(batches) // 10),
                optimizer=optimizer,
                generator=generator,
                progress=False,
            )
        with torch.no_grad():
            test_loss = pipeline.loss(model.eval(), pipeline.evaluate_on(self.datasets)).item()
        return TrainedModel(model, initial_weights, history, test_loss, batches)
