"""Notebook 10's modules: equal to torch's own, built on each other, and what is said of bad ones."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from answer_cells import run_cell, solved
from solutions import solution
from torch import nn
from torch.nn import functional as F

from anatomy_course.judge import exercise, find_exercise, solution_source
from anatomy_course.judge.attempt.answer_key import AnswerKey
from anatomy_course.judge.effects.initial import InitialSpread
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.stub import names_used

ATTENTION, FEED, BLOCK, GPT = (f"workshop.{name}" for name in ("causal_self_attention", "feed_forward", "block", "gpt"))
IDS = (ATTENTION, FEED, BLOCK, GPT)


def test_a_piece_two_levels_down_that_was_replaced_is_the_courses_own(record: Progress) -> None:
    """The learner's Block passed; then a cell gave the attention that it uses another meaning."""
    found = {find_exercise(id).function_name: find_exercise(id) for id in IDS}
    names: dict[str, Any] = {"exercise": lambda id: exercise(id, record=record), "nn": nn}
    for id in IDS[:3]:
        names = solved(id, **{name: names[name] for name in (*found, "exercise") if name in names})
    names["CausalSelfAttention"] = type("CausalSelfAttention", (nn.Module,), {})
    assert names["Block"].passed and names["Block"].forward.__globals__ is names
    run_cell(solution_source(GPT), names)
    assert names["GPT"].passed, names["GPT"].verdict.sentence
    assert any("`CausalSelfAttention` in your notebook" in note for note in names["GPT"].verdict.notes)


def test_attention_is_torchs() -> None:
    torch.manual_seed(0)
    ours, theirs = find_exercise(ATTENTION).resolve()(15, 3), nn.MultiheadAttention(15, 3, batch_first=True)
    parts = (ours.query, ours.key, ours.value)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        theirs.out_proj.load_state_dict(ours.output.state_dict())
    states = torch.randn(2, 7, 15)
    later = torch.ones(7, 7, dtype=torch.bool).triu(1)
    wanted, _ = theirs(states, states, states, attn_mask=later, need_weights=False)
    torch.testing.assert_close(ours(states), wanted)


def test_a_block_is_torchs_pre_norm_layer() -> None:
    torch.manual_seed(1)
    ours = find_exercise(BLOCK).resolve()(10, 2, 23)
    theirs = nn.TransformerEncoderLayer(10, 2, 23, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    attention = ours.attention
    parts = (attention.query, attention.key, attention.value)
    with torch.no_grad():
        theirs.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
        theirs.self_attn.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
        for mine, other in (
            (attention.output, theirs.self_attn.out_proj),
            (ours.feed_forward.inner, theirs.linear1),
            (ours.feed_forward.output, theirs.linear2),
        ):
            other.load_state_dict(mine.state_dict())
        for norm in (ours.attention_norm, ours.feed_forward_norm):
            norm.weight.normal_()
            norm.bias.normal_()
    theirs.norm1.load_state_dict(ours.attention_norm.state_dict())
    theirs.norm2.load_state_dict(ours.feed_forward_norm.state_dict())
    states = torch.randn(3, 7, 10)
    mask = nn.Transformer.generate_square_subsequent_mask(7)
    torch.testing.assert_close(ours(states), theirs(states, src_mask=mask, is_causal=True))


SIZES = (211, 31, 24, 3, 2)
"""vocabulary_size, length, d_model, num_layers, num_heads"""


def test_the_number_of_parameters_is_that_by_hand() -> None:
    vocabulary, length, d, layers, _ = SIZES
    block = (4 * d * d + 4 * d) + (8 * d * d + 5 * d) + 2 * 2 * d  # attention, feed-forward network, two norms
    by_hand = vocabulary * d + length * d + layers * block + 2 * d
    for model in (find_exercise(GPT).resolve()(*SIZES), solution(GPT)(*SIZES)):
        assert sum(parameter.numel() for parameter in model.parameters()) == by_hand


def test_the_first_loss_is_near_that_of_a_guess() -> None:
    torch.manual_seed(0)
    model, ids = find_exercise(GPT).resolve()(*SIZES), torch.randint(SIZES[0], (8, 32))
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    assert abs(loss.item() - math.log(SIZES[0])) < 0.05


def test_no_position_sees_a_later_one() -> None:
    torch.manual_seed(0)
    model, ids = solution(GPT)(*SIZES), torch.randint(1, SIZES[0], (2, 11))
    changed = ids.clone()
    changed[:, 6] = 0
    same = torch.isclose(model(ids), model(changed)).all(-1).all(0)
    assert same.tolist() == [position < 6 for position in range(11)]


def test_the_solutions_train_to_the_references_loss() -> None:
    """From the same weights, the classes that a learner has at the end reach the same loss in a few steps."""
    pieces = {piece: solution(id) for id in IDS for piece in [find_exercise(id).function_name]}
    learners = solved(BLOCK, **{name: pieces[name] for name in ("CausalSelfAttention", "FeedForward")})["Block"]
    torch.manual_seed(0)
    mine, ours = solved(GPT, Block=learners)["GPT"](*SIZES), find_exercise(GPT).resolve()(*SIZES)
    assert type(mine.blocks[0].attention) is pieces["CausalSelfAttention"]
    mine.load_state_dict(ours.state_dict())
    ids = torch.arange(4 * 20).reshape(4, 20) % 37
    losses = []
    for model in (mine, ours):
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        for _ in range(20):
            loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-4) and losses[0] < 4.0


def test_the_spread_of_new_weights() -> None:
    def wanted(name: str) -> tuple[float, str]:
        return (0.0, "0") if name == "bias" else (0.1, "0.1")

    def linear(spread: float, bias: float = 0.0, mean: float = 0.0):  # type: ignore[no-untyped-def]
        def build(width: int) -> nn.Module:
            layer = nn.Linear(width, width)
            nn.init.normal_(layer.weight, mean, spread)
            nn.init.constant_(layer.bias, bias)
            return layer

        return build

    def said(answer) -> str:  # type: ignore[no-untyped-def]
        objection = InitialSpread((47,), wanted).objection_to(answer, lambda width: nn.Linear(width, width))
        return objection.sentence if objection else ""

    assert said(linear(0.1)) == ""
    assert "`weight`" in said(linear(0.12)), "2,209 weights tell a fifth apart"
    assert "`weight` is about 0.2; wanted is 0.1" in said(linear(0.2))
    assert "`bias` are not all 0" in said(linear(0.1, bias=0.01))
    assert "`weight`" in said(linear(0.1, mean=0.1)), "it is around 0"


def test_the_shape_of_what_is_drawn() -> None:
    def said(numbers: Tensor) -> str:
        def answer() -> nn.Module:
            layer = nn.Linear(47, 47, bias=False)
            layer.weight.data = 0.1 * numbers
            return layer

        wanted = InitialSpread((), lambda name: (0.1, "0.1"), normal=("weight",))
        objection = wanted.objection_to(answer, lambda: nn.Linear(47, 47, bias=False))
        return objection.sentence if objection else ""

    normal, even = (draw(47, 47, generator=torch.Generator().manual_seed(0)) for draw in (torch.randn, torch.rand))
    assert said(normal) == ""
    assert "not drawn around 0" in said(normal.abs()) and "its mean is about 0.1" in said(torch.ones(47, 47))
    assert "not drawn from a normal distribution" in said((2 * even - 1) * 3**0.5)


def test_a_piece_uses_the_learners_earlier_ones(record: Progress) -> None:
    check = {"exercise": lambda id: exercise(id, record=record)}
    names = solved(ATTENTION, **check)
    names |= solved(FEED, **names)
    block = solved(BLOCK, **{**names, **check})["Block"]
    assert block.passed and type(block(6, 2, 5).attention) is names["CausalSelfAttention"]
    assert not [note for note in block.verdict.notes if "course" in note]
    assert "class CausalSelfAttention" in (record.source(BLOCK) or "")


def test_a_piece_that_was_skipped_is_the_courses(record: Progress) -> None:
    names = solved(BLOCK, exercise=lambda id: exercise(id, record=record))
    assert names["Block"].passed and names["FeedForward"] is find_exercise(FEED).resolve()
    assert "The cell of `workshop.feed_forward` was not run, so `FeedForward` is the course's own." in (
        names["Block"].verdict.notes
    )
    assert names["Block"](6, 2, 5)(torch.zeros(1, 3, 6)).shape == (1, 3, 6), "it works in later cells"
    again = solved(BLOCK, **{**names, "exercise": lambda id: exercise(id, record=record)})["Block"]
    assert not [note for note in again.verdict.notes if "did not come from" in note], "it was lent, not somebody else's"


def test_a_piece_that_did_not_pass_is_the_courses(record: Progress) -> None:
    check = {"exercise": lambda id: exercise(id, record=record)}
    names = solved(FEED, "gelu", "relu", **check)
    assert not names["FeedForward"].passed
    names = solved(BLOCK, **{**names, **check})
    assert names["Block"].passed and isinstance(names["Block"](6, 2, 5).feed_forward, find_exercise(FEED).resolve())


def test_a_piece_of_unknown_origin_is_set_aside_for_the_check(record: Progress) -> None:
    class FeedForward(nn.Module):
        pass

    names = solved(BLOCK, FeedForward=FeedForward, exercise=lambda id: exercise(id, record=record))
    assert names["Block"].passed and names["FeedForward"] is FeedForward
    assert any("did not come from `workshop.feed_forward`" in note for note in names["Block"].verdict.notes)


def test_the_rounding_of_long_gradients_is_no_mistake() -> None:
    exercise = find_exercise("workshop.grouped_attention")
    right = exercise.also_right["groups as an axis"]
    verdict = judge(exercise, right, answer_key=AnswerKey(exercise, 48))  # rounding alone was refused on it
    assert verdict.passed, verdict.sentence


def test_the_names_that_code_speaks_of() -> None:
    assert {"CausalSelfAttention", "FeedForward", "torch"} <= names_used(solution(BLOCK))
    assert "here" in names_used(lambda: [here for _ in range(2)])  # type: ignore[name-defined]


def test_an_adapter_begins_as_nothing_learns_alone_and_is_merged_and_taken_out() -> None:
    """In a Llama's block, as notebook 10 uses it."""
    torch.manual_seed(3)
    block = find_exercise("workshop.llama_block").resolve()(24, 6, 2, 35, 100.0, 1e-6).requires_grad_(False)
    states = torch.randn(2, 7, 24)
    before, plain = block(states), block.attention.value
    adapter = block.attention.value = find_exercise("workshop.low_rank_adapter").resolve()(plain, 3, 6.0)
    torch.testing.assert_close(block(states), before, rtol=0, atol=0)
    learning = {name: weight for name, weight in block.named_parameters() if weight.requires_grad}
    assert {name: tuple(weight.shape) for name, weight in learning.items()} == {
        "attention.value.down": (3, 24),
        "attention.value.up": (8, 3),
    }
    block(states).square().sum().backward()
    assert adapter.up.grad.abs().max() > 0 and adapter.down.grad.abs().max() == 0, "`up` is zeros, so it learns first"
    with torch.no_grad():
        adapter.up.normal_()
    taught = block(states)
    assert (taught - before).abs().max() > 0.1
    block.attention.value = find_exercise("workshop.merged").resolve()(adapter)
    assert type(block.attention.value) is nn.Linear
    torch.testing.assert_close(block(states), taught)
    block.attention.value = plain
    torch.testing.assert_close(block(states), before, rtol=0, atol=0)


@pytest.mark.parametrize(("epsilon", "weight_decay"), [(1e-8, 0.3), (0.2, 0.0)])
def test_steps_of_adamw_are_torchs(epsilon: float, weight_decay: float) -> None:
    adamw_step = solution("workshop.adamw_step")
    torch.manual_seed(0)
    theirs = nn.Parameter(torch.randn(3, 5))
    ours, mean, square = theirs.detach().clone(), torch.zeros(3, 5), torch.zeros(3, 5)
    optimizer = torch.optim.AdamW([theirs], lr=0.1, betas=(0.7, 0.9), eps=epsilon, weight_decay=weight_decay)
    for step in range(1, 8):
        theirs.grad = torch.randn(3, 5)
        optimizer.step()
        ours, mean, square = adamw_step(ours, theirs.grad, mean, square, step, 0.1, (0.7, 0.9), epsilon, weight_decay)
        torch.testing.assert_close(ours, theirs.detach())
    torch.testing.assert_close(square, optimizer.state[theirs]["exp_avg_sq"])
