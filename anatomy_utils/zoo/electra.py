"""ELECTRA: a BERT that learns to tell which words were replaced.

Clark et al. 2020 (arXiv:2003.10555). Two models learn together: a small generator fills in masked words as BERT does
(task "MaskedLM"), and the discriminator, which is kept, says of every token whether it was in the text (task
"PreTraining"). Against BERT: the tables may be narrower than the stack, and classifiers have GELU where BERT has tanh.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.heads import (
    MaskedLanguageHead,
    MultipleChoice,
    ReplacedTokenHead,
    SequenceHead,
    SpanHead,
    TokenHead,
    WithHead,
)
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.zoo import bert
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.family import Family, read, require


@dataclass(frozen=True)
class ElectraConfig(bert.BertConfig):
    """The numbers of an ELECTRA; the defaults are ELECTRA-small's discriminator's."""

    d_model: int = 256
    num_heads: int = 4
    d_ff: int = 1024
    d_embedding: int = 128
    """Width of the tables."""
    classifier_dropout: float = 0.1
    choice_dropout: float = 0.1
    """Before the label of a multiple-choice head."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> ElectraConfig:
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that ELECTRA does not have.
        """
        require(config, "ELECTRA", summary_type="first", summary_use_proj=True, summary_activation="gelu")
        known, given = bert.BertConfig.from_published(config), config.get("classifier_dropout")
        its_own = {
            "d_embedding": read(config, "embedding_size")[0],
            "classifier_dropout": known.dropout if given is None else given,
            "choice_dropout": config.get("summary_last_dropout", 0.1),
        }
        return cls(**asdict(known) | its_own)


def electra(config: ElectraConfig) -> Encoder:
    """An ELECTRA of the given size, with fresh weights: a BERT with tables of another width."""
    encoder = bert.bert(config)
    wide = config.d_embedding == config.d_model
    encoder.embeddings = Embeddings(
        config.vocab_size,
        config.d_embedding,
        LearnedPositions(config.max_positions, config.d_embedding),
        num_segments=config.num_segments,
        norm=LayerNorm(config.d_embedding, config.norm_epsilon),
        dropout=config.dropout,
        projection=None if wide else nn.Linear(config.d_embedding, config.d_model),
    )
    return encoder


def with_head(config: ElectraConfig, task: str, num_labels: int = 2) -> nn.Module:
    """An ELECTRA with the head of a task, with fresh weights; see `TASKS`."""
    body, width, dropout = electra(config), config.d_model, config.classifier_dropout
    if task == "MultipleChoice":
        return MultipleChoice(body, SequenceHead(width, 1, activation=F.gelu, dropout=config.choice_dropout))
    heads = {
        "MaskedLM": lambda: MaskedLanguageHead(
            body.embeddings.tokens, LayerNorm(config.d_embedding, config.norm_epsilon), d_model=width
        ),
        "PreTraining": lambda: ReplacedTokenHead(width),
        "SequenceClassification": lambda: SequenceHead(
            width, num_labels, activation=F.gelu, dropout=dropout, input_dropout=dropout
        ),
        "TokenClassification": lambda: TokenHead(width, num_labels, dropout=dropout),
        "QuestionAnswering": lambda: SpanHead(width),
    }
    return WithHead(body, heads[task]()) if task in heads else body


KEYS = KeyMap(
    rename=[*bert.KEYS.rename, (r"(?:electra\.)?embeddings_project\.(weight|bias)", r"embeddings.projection.\1")],
    ignore=[
        r"(?:electra\.)?embeddings\.position_ids",  # the numbers 0, 1, 2 … that old files stored
        r"(?:generator|discriminator)_\w+\..*",  # the pretraining heads
    ],
)
TASKS: dict[str, KeyMap] = {
    "Model": KEYS,
    "MaskedLM": KEYS.within(
        "body.",
        (r"generator_predictions\.dense\.(weight|bias)", r"head.dense.\1"),
        (r"generator_predictions\.LayerNorm\.(weight|bias)", r"head.norm.\1"),
        (r"generator_lm_head\.(weight|bias)", r"head.vocabulary.\1"),
        ignore=[KEYS.ignore[0], r"discriminator_\w+\..*"],
    ),
    "PreTraining": KEYS.within(
        "body.",
        (r"discriminator_predictions\.dense\.(weight|bias)", r"head.dense.\1"),
        (r"discriminator_predictions\.dense_prediction\.(weight|bias)", r"head.replaced.\1"),
        ignore=[KEYS.ignore[0], r"generator_\w+\..*"],
    ),
    "SequenceClassification": KEYS.within(
        "body.",
        (r"classifier\.dense\.(weight|bias)", r"head.dense.\1"),
        (r"classifier\.out_proj\.(weight|bias)", r"head.labels.\1"),
    ),
    "MultipleChoice": KEYS.within(
        "body.",
        (r"sequence_summary\.summary\.(weight|bias)", r"head.dense.\1"),
        (r"classifier\.(weight|bias)", r"head.labels.\1"),
    ),
    "TokenClassification": KEYS.within("body.", (r"classifier\.(weight|bias)", r"head.labels.\1")),
    "QuestionAnswering": KEYS.within("body.", (r"qa_outputs\.(weight|bias)", r"head.ends.\1")),
}

FAMILY = Family("Electra", ElectraConfig.from_published, with_head, TASKS)
