"""Notebook 03's solutions run as organs of real encoders, and its functions agree with the package's modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.exercises import find_exercise, solution_source
from anatomy_utils.experiments.length_extrapolation import tiny_encoder
from anatomy_utils.experiments.norm_placement import narrow_encoder
from anatomy_utils.functional import embeddings, heads, layers, positions
from anatomy_utils.functional.spans import best_span
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, Norms
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.objectives.masked_tokens import mask_words
from anatomy_utils.transplant import reject


def solution(id: str) -> Callable[..., Any]:
    namespace = {"torch": torch, "Tensor": Tensor, "exercise": lambda id: lambda function: function}
    exec(solution_source(id), namespace)
    return namespace[find_exercise(id).function_name]


def seed(number: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(number)


IDS = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 0, 1, 1]])


@pytest.mark.parametrize(
    ("organ", "model"),
    [
        ("sinusoids", lambda: tiny_encoder("sinusoidal", seed())),
        ("rotary", lambda: tiny_encoder("rotary", seed())),
        ("feed_forward", lambda: narrow_encoder(2, "post", seed())),
        ("layer_norm", lambda: narrow_encoder(2, "pre", seed())),
        ("post_norm", lambda: narrow_encoder(2, "post", seed())),
        ("pre_norm", lambda: narrow_encoder(2, "pre", seed())),
    ],
)
def test_a_solution_is_accepted_and_a_mistake_is_not(organ: str, model: Callable[[], nn.Module]) -> None:
    exercise = find_exercise(f"encoder.{organ}")
    assert reject(model(), IDS, **{organ: solution(exercise.id)}) is None
    assert reject(model(), IDS, **{organ: exercise.mistakes[0].function}) is not None


def test_embed_is_what_the_embeddings_sum_up() -> None:
    module = Embeddings(13, 6, LearnedPositions(17, 6), num_segments=2)
    ids, segments = torch.tensor([[3, 3, 12], [0, 1, 2]]), torch.tensor([[0, 0, 1], [0, 1, 1]])
    assert module.positions is not None and module.segments is not None
    tables = module.tokens.weight, module.positions.table.weight, module.segments.weight
    torch.testing.assert_close(embeddings.embed(ids, segments, *tables), module(ids, segments))


@pytest.mark.parametrize(
    ("place", "function"),
    [("after", layers.encoder_layer), ("before", layers.pre_norm_layer)],
)
def test_the_layers_are_the_modules(place: str, function: Callable[..., Tensor]) -> None:
    self_attention_norms, feed_forward_norms = (Norms(**{place: LayerNorm(6)}) for _ in range(2))  # type: ignore[arg-type]
    layer = EncoderLayer(
        MultiHeadAttention(6, 3),
        FeedForward(6, 11),
        self_attention_norms=self_attention_norms,
        feed_forward_norms=feed_forward_norms,
    )
    states = torch.randn(2, 5, 6, generator=seed())
    norms = getattr(self_attention_norms, place), getattr(feed_forward_norms, place)
    torch.testing.assert_close(function(states, layer.self_attention, layer.feed_forward, *norms), layer(states))


def test_dropout_keeps_the_mean_and_is_torchs() -> None:
    states, uniform = torch.ones(400, 50), torch.rand(400, 50, generator=seed())
    dropped = layers.dropout(states, uniform, 0.3, True)
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.02)
    assert dropped.unique().tolist() == F.dropout(states, 0.3).unique().tolist()
    assert layers.dropout(states, uniform, 0.3, False) is states


def test_padding_has_no_say_in_a_label() -> None:
    states, weight, bias = torch.randn(1, 5, 7, generator=seed()), torch.randn(7, 3, generator=seed(1)), torch.ones(3)
    mask = torch.tensor([[1, 1, 1, 0, 0]])
    changed = states.clone()
    changed[:, 3:] = 100.0
    expected = heads.classify(states[:, :3], mask[:, :3], weight, bias)
    torch.testing.assert_close(heads.classify(changed, mask, weight, bias), expected)


def test_an_offset_bias_depends_on_the_offset_and_reaches_any_length() -> None:
    table = torch.randn(3, 5, generator=seed())
    bias = positions.offset_bias(table, 11)
    torch.testing.assert_close(bias[:, 1:, 1:], bias[:, :-1, :-1])
    torch.testing.assert_close(bias[:, 0, 2:], table[:, 4:].expand(3, 9))
    torch.testing.assert_close(positions.offset_bias(table, 4), bias[:, :4, :4])


def test_the_best_span_is_the_best_of_all() -> None:
    start, end = torch.randn(2, 29, 13, generator=seed())
    first, last = best_span(start, end, 4)
    for row, (i, j) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        legal = [(start[row, a] + end[row, b]).item() for a in range(13) for b in range(a, min(a + 4, 13))]
        assert 0 <= j - i < 4 and (start[row, i] + end[row, j]).item() == pytest.approx(max(legal))
    with pytest.raises(ValueError, match="max_length is 0, but a span has at least 1 word"):
        best_span(start, end, 0)


def test_the_shares_of_masked_words() -> None:
    shape, generator = (300, 101), seed()
    ids, other = torch.zeros(shape, dtype=torch.long), torch.ones(shape, dtype=torch.long)
    attention_mask = (torch.arange(101) < 90).long().expand(shape)
    choice, action = torch.rand(2, *shape, generator=generator)
    masked, labels = mask_words(ids, attention_mask, choice, action, other, 2)
    asked = labels != -100
    assert not asked[:, 90:].any() and asked[:, :90].float().mean().item() == pytest.approx(0.15, abs=0.01)
    for value, share in ((2, 0.8), (1, 0.1), (0, 0.1)):
        assert (masked[asked] == value).float().mean().item() == pytest.approx(share, abs=0.02)
    assert (masked[~asked] == 0).all() and (labels[asked] == 0).all()
