"""The heads of all families in one place: how they stand on a stack, and what published files call their parts.

A family says in a word or two what is its own: the dropout, the layer before a text's label, the names of its layers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from torch import nn

from anatomy_utils.nn.decoder import Decoder
from anatomy_utils.nn.heads import (
    CappedVocabulary,
    LanguageModel,
    MultipleChoice,
    SequenceHead,
    SpanHead,
    TokenHead,
    WithHead,
)
from anatomy_utils.zoo.checkpoint import KeyMap, Pair, part


def headed(
    body: nn.Module,
    width: int,
    task: str,
    num_labels: int,
    *,
    text: Callable[[int], SequenceHead],
    dropout: float = 0.0,
    **others: Callable[[], nn.Module],
) -> nn.Module:
    """A stack with the head of a task, with fresh weights; the stack itself where the task has no head ("Model").

    Args:
        body: the stack.
        width: of its vectors.
        task: as published architectures name it.
        num_labels: how many labels a classifier has.
        text: number of labels → the head that answers once for a whole text.
        dropout: before the label of each token.
        others: task → its head, where a family has further tasks, or another head for one of these.
    """
    heads: dict[str, Callable[[], nn.Module]] = {
        "SequenceClassification": lambda: text(num_labels),
        "MultipleChoice": lambda: text(1),
        "TokenClassification": lambda: TokenHead(width, num_labels, dropout=dropout),
        "QuestionAnswering": lambda: SpanHead(width),
        **others,
    }
    if task not in heads:
        return body
    head = heads[task]()
    if task == "MultipleChoice" and isinstance(head, SequenceHead):
        return MultipleChoice(body, head)
    return WithHead(body, head)


def on_decoder(
    body: Decoder,
    task: str,
    num_labels: int,
    *,
    tied: bool = True,
    bias: bool = False,
    dropout: float = 0.0,
    logit_cap: float | None = None,
) -> nn.Module:
    """A decoder that writes, or that reads: what it knows of a text is in the vector of the last token.

    Args:
        body: the stack.
        task: as published architectures name it.
        num_labels: how many labels a classifier has.
        tied: whether the projection onto the vocabulary shares its weight with the token table.
        bias: whether that projection adds a bias.
        dropout: before the label of each token.
        logit_cap: bounds the logits of a vocabulary without bias softly; no bound when left out.
    """
    vocab_size, width = body.embeddings.tokens.weight.shape
    if task in ("CausalLM", "LMHeadModel"):
        capped = None if logit_cap is None else CappedVocabulary(width, vocab_size, logit_cap)
        return LanguageModel(body, capped or nn.Linear(width, vocab_size, bias=bias), tied=tied)
    text = partial(SequenceHead, width, at="last", activation=None, bias=False)
    return headed(body, width, task, num_labels, text=text, dropout=dropout)


LABELS = part("classifier", "head.labels")
SCORE = part("score", "head.labels")
POOLER = part(r"(?:\w+\.)?pooler(?:\.dense)?", "head.dense")
POOLED = [POOLER, LABELS]
BY_TOKEN = {"TokenClassification": [LABELS], "QuestionAnswering": [part("qa_outputs", "head.ends")]}
"""What nearly all families call the parts of these two."""


def two_layers(name: str) -> list[Pair]:
    """A text's head that is stored as one module of two layers, as in all that was trained with fairseq."""
    return [part(name + r"\.dense", "head.dense"), part(name + r"\.out_proj", "head.labels")]


def masked(transform: str, vocabulary: str, head: str = "head.") -> list[Pair]:
    """A head for masked words: a layer and its norm, then the projection, whose bias may be stored twice."""
    return [
        part(transform + r"\.dense", head + "dense"),
        part(transform + r"\.(?:LayerNorm|layer_norm)", head + "norm"),
        part(vocabulary + r"\.decoder", head + "vocabulary"),
        (vocabulary + r"\.(bias)", head + r"vocabulary.\1"),
    ]


def under_heads(keys: KeyMap, prefix: str = "body.", /, **heads: Sequence[Pair]) -> dict[str, KeyMap]:
    """Task → where each tensor goes, for the stack by itself ("Model") and under each head.

    What the stack leaves unread, a head leaves unread too, unless it is its own.
    """
    return {"Model": keys} | {task: keys.within(prefix, *pairs) for task, pairs in heads.items()}


def under_decoder_heads(keys: KeyMap, writes: str = "CausalLM", /, **heads: Sequence[Pair]) -> dict[str, KeyMap]:
    """The same for a decoder; `writes` is its name for the task of writing."""
    found = under_heads(keys, **heads or {"SequenceClassification": [SCORE], **BY_TOKEN})
    return found | {writes: keys.within("decoder.", part("lm_head", "vocabulary"))}
