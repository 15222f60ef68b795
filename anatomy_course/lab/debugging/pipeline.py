"""The training pipeline of a small language model, from building it to deploying it. A bug sits in one of its steps.

`HEALTHY` is the pipeline without a bug; `bugs` holds the wrong steps. All broken models share an architecture: a small
decoder over the toy language's words, two layers as in Llama (rotary positions, RMSNorm, a gated feed-forward network),
48 features wide. Without a bug it writes sentences of the toy language after some seconds of training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from operator import attrgetter

import torch
from torch import Tensor, nn

from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.small_models.train import train_batches
from anatomy_course.lab.street.batches import Labeled, in_batches, language_modeling
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.functional.positions import Layout
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.norm import NormPlaces, RMSNorm
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.training.history import History
from anatomy_utils.training.optimizers import adamw
from anatomy_utils.zoo.gpt2 import initialize

D_MODEL, NUM_HEADS, NUM_LAYERS, D_FF = 48, 3, 2, 96
D_HEAD = D_MODEL // NUM_HEADS
ROTARY_BASE = 100.0
"""The longest wave is some hundred positions, which is enough for the toy language's sentences."""


def new_model(
    generator: torch.Generator,
    *,
    dropout: float = 0.0,
    layout: Layout = "halves",
) -> LanguageModel:
    """An untrained model.

    Args:
        generator: draws the weights.
        dropout: probability of dropping a feature of a sub-layer's output while training.
        layout: which features of queries and keys are rotated together.
    """

    def layer() -> DecoderLayer:
        return DecoderLayer(
            MultiHeadAttention(D_MODEL, NUM_HEADS, bias=False),
            GatedFeedForward(D_MODEL, D_FF),
            self_attention_norms=NormPlaces(before=RMSNorm(D_MODEL)),
            feed_forward_norms=NormPlaces(before=RMSNorm(D_MODEL)),
            dropout=dropout,
        )

    size = len(street_vocabulary())
    decoder = Decoder(
        Embeddings(size, D_MODEL),
        [layer() for _ in range(NUM_LAYERS)],
        norm=RMSNorm(D_MODEL),
        rotary=RotaryPositions(D_HEAD, base=ROTARY_BASE, layout=layout),
    )
    model = LanguageModel(decoder, nn.Linear(D_MODEL, size, bias=False))
    initialize(model, NUM_LAYERS, generator=generator)
    return model


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
    return Datasets(tuple(in_batches(training, BATCH_SIZE)), test)


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
    batches: Callable[[Datasets], Sequence[Labeled]] = attrgetter("training")
    loss: Callable[[LanguageModel, Labeled], Tensor] = label_loss
    evaluate_on: Callable[[Datasets], Labeled] = attrgetter("test")
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
        history = train_batches(
            model,
            batches,
            pipeline.loss,
            learning_rate=LEARNING_RATE,
            optimizer=optimizer,
            generator=generator,
            progress=False,
        )
        with torch.no_grad():
            test_loss = pipeline.loss(model, pipeline.evaluate_on(self.datasets)).item()
        return TrainedModel(model, initial_weights, history, test_loss, batches)
