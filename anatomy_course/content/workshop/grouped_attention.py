"""Notebook 08: causal attention as SmolLM2 has it: rotary positions, and heads that share keys and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.content.workshop import shared as other
from anatomy_course.content.workshop.shared import (
    GroupedAttention,
    attending,
    attention_with,
    with_angles,
)
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.module import ModuleDrive


class _GroupedAttention(GroupedAttention):
    """The reference."""


DRIVE = ModuleDrive(
    _GroupedAttention,
    construct=("d_model", "num_heads", "num_key_value_heads", "base"),
    inputs=("hidden_states",),
    gradients=("query.weight", "key.weight", "value.weight", "output.weight"),
    published=True,
    lengths=True,
)
ZEROS = "a vector of zeros"
KINDS = {
    "one text": (2, 3, 100.0),
    "several texts": (3, 2, 10.0),
    "keys for each head": (3, 1, 100.0),
    "one key for all heads": (1, 3, 30.0),
    "another base": (2, 3, 7.0),
    ZEROS: (3, 2, 50.0),
}
"""Kind → heads of keys and values, queries' heads on each of them, base."""


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, (shared, group, base) in KINDS.items():
        batch, position = primes(generator, 2, (5, 7, 11))
        batch, heads = 1 if kind == "one text" else batch, shared * group
        d_head = 4 * primes(generator, 1, (1, 2))[0]
        construct = {"d_model": heads * d_head, "num_heads": heads, "num_key_value_heads": shared, "base": base}
        states = {"hidden_states": 2 * normal(generator, batch, position, heads * d_head)}
        if kind == ZEROS:  # without biases its scores are all 0
            states["hidden_states"][:, -1] = 0
        sizes = {"batch": batch, "position": position, "d_model": heads * d_head, "heads": heads, "d_head": d_head}
        yield Case(DRIVE.arguments(generator, construct, states), kind, sizes)


def _steps(
    d_model: int, num_heads: int, num_key_value_heads: int, base: float, x: Tensor, *weights: Tensor
) -> Mapping[str, Tensor]:
    made = _GroupedAttention(d_model, num_heads, num_key_value_heads, base)
    heads = (num_heads, num_key_value_heads, num_key_value_heads)
    query, key, value = (made.split(x @ w.T, number) for w, number in zip(weights[:3], heads, strict=True))
    turned_query, turned_key = made.rotate(query), made.rotate(key)
    context = made.attend(turned_query, made.shared(turned_key), made.shared(value))
    return {
        "queries of each head": query,
        "keys of each head": key,
        "turned queries": turned_query,
        "turned keys": turned_key,
        "shared keys": made.shared(turned_key),
        "context vectors": context,
        "merged heads": made.merge(context),
    }


EXERCISE = Exercise(
    id="workshop.grouped_attention",
    title="Attention with shared keys",
    task="Write causal attention as SmolLM2 has it: no biases, rotary positions, fewer keys and values than queries.",
    difficulty="hard",
    minutes=12,
    signature="GroupedAttention(torch.nn.Module)",
    docstring="Has `query`, `key`, `value` and `output`, torch.nn.Linear without biases. `query` and `output` go from\n"
    "d_model to d_model; `key` and `value` to num_key_value_heads · d_head, where d_head = d_model / num_heads.\n"
    "Neighboring heads share keys and values: with 6 query heads and 2 key heads, query heads 0, 1, 2 use key head 0.\n"
    "Queries and keys are turned: at position p (from 0), features i and i + d_head/2 of a head, a and b,\n"
    "become a·cos − b·sin and b·cos + a·sin, with the angle p · base^(−2i/d_head).\n"
    "hidden_states (batch, position, d_model) → the same shape; no position sees a later one.",
    reference=_GroupedAttention,
    returns=DRIVE.outputs(Output("output", "batch position d_model")),
    cases=_cases,
    mistakes=(
        Mistake(
            "biases",
            attention_with(bias=True),
            "Your linear layers have biases; SmolLM2's have none: `bias=False`.",
        ),
        Mistake(
            "full_keys",
            other.FullKeys,
            "Your `key` makes one vector for each head of queries, so nothing is shared: its weight has the wrong "
            "shape. What about `value`?",
        ),
        Mistake(
            "not_turned",
            attention_with(turned=lambda self, query, key, value: (query, key, value)),
            "Your queries and keys are not turned when they meet, so your module knows the order of its words only "
            "through the causal mask.",
        ),
        Mistake(
            "query_alone",
            attention_with(turned=lambda self, query, key, value: (self.rotate(query), key, value)),
            "Your queries are turned, but your keys are not.",
        ),
        Mistake(
            "key_alone",
            attention_with(turned=lambda self, query, key, value: (query, self.rotate(key), value)),
            "Your keys are turned, but your queries are not.",
        ),
        Mistake(
            "all_turned",
            attention_with(turned=lambda self, *three: tuple(map(self.rotate, three))),
            "You turn the values, too. Positions should decide who looks at whom, not what is handed over.",
        ),
        Mistake(
            "turned_back",
            attention_with(angles=lambda self, vectors: -GroupedAttention.angles(self, vectors)),
            "Queries and keys are turned by the right angles, but in the wrong direction: the sign of the sines is "
            "wrong.",
        ),
        Mistake(
            "neighbors",
            attention_with(rotate=other.neighbors),
            "You turn neighboring features, 2i and 2i + 1, as GPT-J does; in a Llama i and i + d_head/2 make a pair.",
        ),
        Mistake(
            "over_heads",
            attention_with(rotate=other.over_heads),
            "Your angles grow with the number of the head, not with the position: these two axes have changed places.",
        ),
        Mistake(
            "before_splitting",
            attention_with(forward=other.before_splitting),
            "You turn the whole vectors, before they are cut into heads; the features of each head make their own "
            "pairs.",
        ),
        Mistake("usual_base", other.UsualBase, "Your angles come from the base 10,000, whatever `base` says."),
        Mistake(
            "half_exponent",
            with_angles(lambda d_head: -torch.arange(d_head // 2) / d_head),
            "Your angles fall half as fast as they should from pair to pair: the exponent is −i/d_head.",
        ),
        Mistake(
            "one_angle",
            with_angles(lambda d_head: torch.zeros(d_head // 2)),
            "All pairs of your features turn by the same angle; `base` makes no difference.",
        ),
        Mistake(
            "tiled",
            attention_with(shared=lambda self, vectors: vectors.repeat(1, self.num_heads // vectors.shape[1], 1, 1)),
            "Your heads take the keys in turn (0, 1, 0, 1, …); neighboring heads should share one (0, 0, …, 1, 1, …).",
        ),
        Mistake(
            "first_key",
            attention_with(shared=lambda self, vectors: vectors[:, :1].expand(-1, self.num_heads, -1, -1)),
            "All your heads use the first head's keys and values.",
        ),
        Mistake(
            "not_causal",
            attending(),
            "Your positions see what comes after them, as if there were no causal mask.",
        ),
        Mistake(
            "zero_seen",
            attention_with(attend=other.zero_seen),
            "A later position is masked only where its score is not 0; a vector of zeros is seen by those before it.",
        ),
        Mistake(
            "not_scaled",
            attending(is_causal=True, scale=1.0),
            "Your weights are too sharp, as if the scores were not divided by √d_head.",
        ),
        Mistake(
            "scaled_by_width",
            attention_with(attend=other.scaled_by_width),
            "You divide the scores by √d_model; each head's vectors have only d_head features.",
        ),
        Mistake(
            "reshaped",
            attention_with(merge=lambda self, context: context.reshape(len(context), context.shape[2], -1)),
            "Each of your merged vectors has numbers of other positions, as if the context were reshaped without "
            "bringing heads and features together.",
        ),
        Mistake(
            "not_mixed",
            attention_with(forward=other.not_mixed),
            "Your heads are side by side, but nothing mixes them: what you return has not gone through `output`.",
        ),
    ),
    also_right={
        "scores by hand": attention_with(attend=other.by_hand),
        "complex numbers": attention_with(rotate=other.by_complex_numbers),
        "groups as an axis": attention_with(attend=other.groups_as_axis, shared=lambda self, vectors: vectors),
        "positions from 1": attention_with(angles=other.from_one),
    },
    hints=(
        "Begin with your `CausalSelfAttention`. Three things change: `bias=False`, fewer heads of keys and values, "
        "and a turn before the scores. You have written the turn in notebook 03 and the sharing in notebook 04.",
        "`frequencies = base ** -(torch.arange(half) / half)` with `half = d_head // 2`; angles are positions times "
        "frequencies, (position, half). `repeat_interleave(groups, dim=1)` gives neighboring heads the same keys.",
        "`a, b = vectors.chunk(2, -1)`, then `torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + "
        "a * angles.sin()), -1)` for the query and the key. What follows is causal attention as before.",
    ),
    solution="\n"
    "def __init__(self, d_model: int, num_heads: int, num_key_value_heads: int, base: float) -> None:\n"
    "    super().__init__()\n"
    "    self.num_heads, self.num_key_value_heads, self.base = num_heads, num_key_value_heads, base\n"
    "    shared = num_key_value_heads * (d_model // num_heads)\n"
    "    self.query = torch.nn.Linear(d_model, d_model, bias=False)\n"
    "    self.key = torch.nn.Linear(d_model, shared, bias=False)\n"
    "    self.value = torch.nn.Linear(d_model, shared, bias=False)\n"
    "    self.output = torch.nn.Linear(d_model, d_model, bias=False)\n"
    "\n"
    "def rotate(self, vectors: Tensor) -> Tensor:\n"
    "    half = vectors.shape[-1] // 2\n"
    "    frequencies = self.base ** -(torch.arange(half, device=vectors.device) / half)\n"
    "    angles = torch.arange(vectors.shape[-2], device=vectors.device)[:, None] * frequencies\n"
    "    a, b = vectors.chunk(2, -1)\n"
    "    return torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1)\n"
    "\n"
    "def forward(self, hidden_states: Tensor) -> Tensor:\n"
    "    query = self.query(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)\n"
    "    key = self.key(hidden_states).unflatten(-1, (self.num_key_value_heads, -1)).transpose(1, 2)\n"
    "    value = self.value(hidden_states).unflatten(-1, (self.num_key_value_heads, -1)).transpose(1, 2)\n"
    "    groups = self.num_heads // self.num_key_value_heads\n"
    "    context = torch.nn.functional.scaled_dot_product_attention(\n"
    "        self.rotate(query),\n"
    "        self.rotate(key).repeat_interleave(groups, 1),\n"
    "        value.repeat_interleave(groups, 1),\n"
    "        is_causal=True,\n"
    "    )\n"
    "    return self.output(context.transpose(1, 2).flatten(2))",
    explanation="Shared keys and values make the cache smaller: SmolLM2 with 135 million parameters has 9 query "
    "heads and 3 key heads, so its cache is a third as large. Positions are not parameters: a checkpoint says nothing "
    "about the layout of the pairs, and one that was written for the other layout loads without a complaint and "
    "writes nonsense.",
    stages=_steps,
    methods=(
        "__init__(self, d_model: int, num_heads: int, num_key_value_heads: int, base: float) -> None",
        "forward(self, hidden_states: Tensor) -> Tensor",
    ),
    observe=DRIVE,
)
