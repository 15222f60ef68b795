"""The roots of the tree, described and counted as the Transformers are: what recurrence has, and what it lacks.

They have no stack of layers around attention, so their parts are read off their cells. Only parts that they have are
named; the rest is "none".
"""

from __future__ import annotations

from typing import Any

from torch import nn

from anatomy_utils.interpret.parameter_count import REST
from anatomy_utils.taxonomy.block_diagram import BlockDrawing, StackDrawing
from anatomy_utils.taxonomy.scaling import LengthFormula
from anatomy_utils.zoo.elmo import Elmo
from anatomy_utils.zoo.recurrent import AdditiveAttention, RecurrentTranslator

Root = Elmo | RecurrentTranslator
CELLS = {nn.LSTM: "LSTM", nn.GRU: "GRU", nn.GRUCell: "GRU"}


def is_root(model: nn.Module) -> bool:
    """Whether a model reads by recurrence."""
    return isinstance(model, Root)


def bodies_of(model: nn.Module) -> list[nn.Module]:
    """The cells: what carries the state, without tables and heads."""
    return [part for part in model.modules() if type(part) in CELLS]


def parts_of(model: Any) -> dict[str, str]:
    """The parts that a recurrent model has."""
    cells = bodies_of(model)
    found = {
        "remembers": "one state, carried from token to token",
        "sub-layers": f"{CELLS[type(cells[0])]}: each state is made from the one before",
        "biases": "everywhere",
        "layers": "each has its own weights",
    }
    if isinstance(model, Elmo):
        language_model = model.language_model
        return found | {
            "sees": "its past from the left, what follows from the right",
            "token table": "as wide as the layers",
            "output": "a learned mix of all layers",
            "number of layers": str(len(language_model.from_left)),
            "d_model": str(language_model.tokens.embedding_dim),
            "vocabulary": str(language_model.tokens.num_embeddings),
        }
    return found | {
        "sees": "encoder: the whole text; decoder: itself and its past",
        "also reads": "decoder: the encoder's output",
        "token table": "narrower than the layers",
        "scores times": "no scale: a small network compares",
        "output": "a matrix of its own",
        "number of layers": "1",
        "d_model": str(model.reader.hidden_size),
        "heads": "1",
        "vocabulary": str(model.source_tokens.num_embeddings),
    }


def drawings_of(model: Any) -> tuple[StackDrawing, ...]:
    """The blocks of a recurrent model."""
    shown = ("sees", "remembers", "sub-layers")
    table = BlockDrawing("token table", "value", ("token table",))
    if isinstance(model, Elmo):
        both = BlockDrawing("LSTM from the left,\nLSTM from the right", "residual", shown)
        mix = BlockDrawing("mix of all layers", "value", ("output",))
        return (StackDrawing("both directions", len(model.language_model.from_left), (table,), (both,), (mix,)),)
    reader = BlockDrawing("GRU, both ways", "residual", shown)
    look = BlockDrawing("additive attention to\nthe encoder's output", "memory", ("also reads", "scores times"))
    head = BlockDrawing("to the vocabulary", "value", ("output",))
    return (
        StackDrawing("encoder", 1, (table,), (reader,), ()),
        StackDrawing("decoder", 1, (table,), (look, BlockDrawing("GRU", "residual", shown)), (head,)),
    )


def organs_of(model: nn.Module) -> dict[str, int]:
    """How many numbers each kind of organ holds, named as in `parameters_by_part`."""

    def held(kind: type[nn.Module]) -> int:
        return sum(each.numel() for part in model.modules() if isinstance(part, kind) for each in part.parameters())

    counts = {"embeddings": held(nn.Embedding), "attention": held(AdditiveAttention), "feed-forward": 0, "norms": 0}
    return counts | {REST: sum(each.numel() for each in model.parameters()) - sum(counts.values())}


def work_of(model: Any) -> LengthFormula:
    """Operations per token; only the look back grows with the length."""
    cells = sum(2 * weight.numel() for part in bodies_of(model) for weight in part.parameters() if weight.dim() == 2)
    if isinstance(model, Elmo):
        both = 2 * model.language_model.tokens.embedding_dim
        return LengthFormula(cells + 2 * len(model.mix.weight) * both, ())
    attention = model.attention
    once_each = (attention.to_query, attention.to_key, model.readout, model.vocabulary)
    fixed = cells + sum(2 * part.weight.numel() for part in once_each)
    d_source = attention.to_key.in_features
    looking = 2 * attention.to_score.in_features + 2 * d_source
    return LengthFormula(fixed // 2, ((looking // 2, None),), once=model.first_state.weight.numel())


def cache_of(model: Any, bytes_per_number: int) -> LengthFormula:
    """What is kept while writing: the source as it was read, twice over, and one state."""
    if isinstance(model, Elmo):
        return LengthFormula(0, ())
    attention = model.attention
    each = attention.to_key.in_features + attention.to_key.out_features
    return LengthFormula(model.writer.hidden_size * bytes_per_number, ((each * bytes_per_number, None),))
