"""Notebook 08: causal self-attention with several heads as a module of the learner's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.multi_head import shared
from anatomy_course.content.sizes import normal, primes
from anatomy_course.content.workshop.shared import (
    AttentionInSteps,
    Projections,
    attend,
    earlier,
    masked_afterwards,
    only_later,
    over_queries,
    scores_of_zero,
)
from anatomy_course.content.workshop.versions.causal_self_attention import (
    Einsum,
    HeadByHead,
    zero_masked,
)
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.module import ModuleDrive


class _CausalSelfAttention(Projections):
    """Each position attends to itself and to those before it, in several heads side by side.

    Args:
        d_model: length of a vector.
        num_heads: divides d_model.
    """

    def forward(self, hidden_states: Tensor) -> Tensor:
        """The states that the heads gather, mixed: shaped as hidden_states (batch, position, d_model)."""
        parts = (self.query(hidden_states), self.key(hidden_states), self.value(hidden_states))
        query, key, value = (part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in parts)
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(context.transpose(1, 2).flatten(2))


DRIVE = ModuleDrive(
    _CausalSelfAttention,
    construct=("d_model", "num_heads"),
    inputs=("hidden_states",),
    gradients=("query.weight", "key.weight", "value.weight", "hidden_states"),
    lengths=True,
)
ZEROS = "a vector of zeros"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("several heads", "one head", "one text", "one position", ZEROS):
        heads, d_head = primes(generator, 2, (2, 3, 5))
        heads = 1 if kind == "one head" else heads
        batch, position = primes(generator, 2, (7, 11))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "one position" else position
        construct = {"d_model": heads * d_head, "num_heads": heads}
        inputs = {"hidden_states": 1.5 * normal(generator, batch, position, heads * d_head)}
        sizes = {"batch": batch, "position": position, "heads": heads, "d_head": d_head}
        arguments = DRIVE.arguments(generator, construct, inputs)
        if kind == ZEROS:  # with biases of 0, as in a new GPT, all scores of the last position are 0
            inputs["hidden_states"][:, -1] = 0
            arguments |= {name: torch.zeros_like(arguments[name]) for name in ("query.bias", "key.bias")}
        yield Case(arguments, kind, sizes)


def _other(**methods: Callable[..., object]) -> type[AttentionInSteps]:
    """A child that does these steps otherwise."""
    return type("_Other", (AttentionInSteps,), methods)


class _NoBiases(_CausalSelfAttention):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(d_model, num_heads)
        for part in (self.query, self.key, self.value, self.output):
            part.register_parameter("bias", None)


class _NoInputBiases(_CausalSelfAttention):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(d_model, num_heads)
        for part in (self.query, self.key, self.value):
            part.register_parameter("bias", None)


class _OneWideHead(_CausalSelfAttention):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__(d_model, 1)


def _steps(d_model: int, num_heads: int, x: Tensor, *weights: Tensor) -> Mapping[str, Tensor]:
    w = DRIVE.weights(d_model, num_heads, x, *weights)
    parts = {name: F.linear(x, w[f"{name}.weight"], w[f"{name}.bias"]) for name in ("query", "key", "value")}
    query, key, value = (shared.split(part, num_heads) for part in parts.values())
    scores = query @ key.mT * query.shape[-1] ** -0.5
    attention = scores.masked_fill(~earlier(x.shape[1]), -torch.inf).softmax(-1)
    return {
        **{f"{name} before it is split": part for name, part in parts.items()},
        "query by heads": query,
        "scores": scores,
        "weights": attention,
        "context by heads": attention @ value,
        "context": shared.merge(attention @ value),
    }


EXERCISE = Exercise(
    id="workshop.causal_self_attention",
    title="Attention as a module",
    task="Write causal self-attention with several heads as a module of its own.",
    difficulty="hard",
    minutes=10,
    signature="CausalSelfAttention(torch.nn.Module)",
    docstring="Has `query`, `key`, `value` and `output`, each a torch.nn.Linear from d_model to d_model with a bias.\n"
    "hidden_states (batch, position, d_model) → the same shape. num_heads divides d_model; the first\n"
    "head has the first d_model / num_heads features. No position sees a later one, and there is no\n"
    "dropout. torch.nn.functional.scaled_dot_product_attention may be used.",
    reference=_CausalSelfAttention,
    returns=DRIVE.outputs(Output("output", "position d_model")),
    cases=_cases,
    mistakes=(
        Mistake(
            "no_mask",
            _other(mask=lambda self, length: torch.ones(length, length, dtype=torch.bool)),
            "Each of your positions sees all the others, later ones too, as if there were no causal mask.",
        ),
        Mistake(
            "later_ones",
            _other(mask=lambda self, length: earlier(length).T),
            "Your mask is turned around: each position sees itself and the later ones.",
        ),
        Mistake(
            "only_later",
            _other(attend=only_later),
            "Your mask is the wrong way round: in `scaled_dot_product_attention`, True means that a position may be "
            "looked at. Yours sees only the later ones.",
        ),
        Mistake(
            "not_itself",
            _other(mask=lambda self, length: earlier(length).tril(-1)),
            "Your positions do not see themselves, so nothing at all is left to the first one.",
        ),
        Mistake(
            "masked_afterwards",
            _other(attend=masked_afterwards),
            "Your weights no longer sum to 1, as if they were masked after the softmax.",
        ),
        Mistake(
            "masked_with_zero",
            _other(attend=scores_of_zero),
            "Your mask sets scores to 0, and a score of 0 still gets a weight.",
        ),
        Mistake(
            "zero_masked",
            _other(attend=zero_masked),
            "Where an allowed score is exactly 0, it gets no weight either, as if every score of 0 were masked.",
        ),
        Mistake(
            "over_queries",
            _other(attend=over_queries),
            "Your softmax runs over the queries; the weights of each query should sum to 1 over its keys.",
        ),
        Mistake(
            "not_scaled",
            _other(attend=lambda self, q, k, v: attend(q, k, v, self.mask(q.shape[-2]), 1.0)),
            "Your weights are too sharp, as if the scores were not divided by anything.",
        ),
        Mistake(
            "scaled_by_d_model",
            _other(
                attend=lambda self, q, k, v: attend(
                    q, k, v, self.mask(q.shape[-2]), (q.shape[-1] * self.num_heads) ** -0.5
                )
            ),
            "Your scores were divided by √d_model, but a dot product here runs over the d_head features of one head.",
        ),
        Mistake(
            "one_wide_head",
            _OneWideHead,
            "Your output is that of a single head as wide as d_model: num_heads plays no part in it.",
        ),
        Mistake(
            "split_by_view",
            _other(split=lambda self, states, heads: shared.split_scrambled(states, heads)),
            "Your split into heads cuts the text, not the vectors, as a view alone does: a head must get its features "
            "of every position.",
        ),
        Mistake(
            "merged_by_view",
            _other(merge=lambda self, context: shared.merge_scrambled(context)),
            "Your merged heads mix positions, as after a reshape alone: bring the heads next to their features first.",
        ),
        Mistake(
            "scrambled_twice",
            _other(
                split=lambda self, states, heads: shared.split_scrambled(states, heads),
                merge=lambda self, context: shared.merge_scrambled(context),
            ),
            "Each of your heads works on a piece of the text, not of the vectors, as if you split and merged by views "
            "alone.",
        ),
        Mistake(
            "every_other_feature",
            _other(
                split=lambda self, states, heads: shared.split_interleaved(states, heads),
                merge=lambda self, context: shared.merge_interleaved(context),
            ),
            "Your heads take turns: each gets every num_heads-th feature. The first should get the first d_head ones.",
        ),
        Mistake(
            "query_and_key_swapped",
            _other(projected=lambda self, x: (self.key(x), self.query(x), self.value(x))),
            "Query and key have changed places: in your attention the keys ask.",
        ),
        Mistake(
            "value_from_key",
            _other(projected=lambda self, x: (self.query(x), self.key(x), self.key(x))),
            "Your values are the keys once more; nothing of `value` reaches your output.",
        ),
        Mistake(
            "value_not_projected",
            _other(projected=lambda self, x: (self.query(x), self.key(x), x)),
            "Your values are the hidden states themselves; nothing of `value` reaches your output.",
        ),
        Mistake(
            "not_mixed",
            _other(mixed=lambda self, context, x: context),
            "Your heads are side by side, but what you return has not gone through `output` yet.",
        ),
        Mistake(
            "input_added",
            _other(mixed=lambda self, context, x: x + self.output(context)),
            "You have added the input to the output. The block will do that, outside this module.",
        ),
        Mistake("no_biases", _NoBiases, "None of your linear maps has a bias; here each has one."),
        Mistake(
            "no_input_biases",
            _NoInputBiases,
            "Your `query`, `key` and `value` have no biases; here each has one.",
        ),
        Mistake(
            "detached",
            _other(mixed=lambda self, context, x: self.output(context.detach())),
            "Your output is right, but no gradient reaches `query`, `key` and `value`: something cuts it off, such as "
            "`detach`, `no_grad` or `.data`.",
        ),
    ),
    also_right={"masked by hand": AttentionInSteps, "head by head": HeadByHead, "einsum": Einsum},
    hints=(
        "`__init__` makes the four maps and keeps num_heads. `forward` projects, splits into heads, attends, merges, "
        "and applies `output`: notebook 02 had each of these steps.",
        "`x.unflatten(-1, (num_heads, -1)).transpose(1, 2)` is (batch, heads, position, d_head). After attention, "
        "`transpose(1, 2).flatten(2)` undoes it.",
        "`torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)` scales and masks as it "
        "should.",
    ),
    solution="\n"
    "def __init__(self, d_model: int, num_heads: int) -> None:\n"
    "    super().__init__()\n"
    "    self.num_heads = num_heads\n"
    "    self.query = torch.nn.Linear(d_model, d_model)\n"
    "    self.key = torch.nn.Linear(d_model, d_model)\n"
    "    self.value = torch.nn.Linear(d_model, d_model)\n"
    "    self.output = torch.nn.Linear(d_model, d_model)\n"
    "\n"
    "def forward(self, hidden_states: Tensor) -> Tensor:\n"
    "    query = self.query(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)\n"
    "    key = self.key(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)\n"
    "    value = self.value(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)\n"
    "    context = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)\n"
    "    return self.output(context.transpose(1, 2).flatten(2))",
    explanation="A module holds the weights, and its `forward` is the function that you wrote in notebook 02. torch's "
    "own `scaled_dot_product_attention` computes what your attention from notebook 01 does, but never keeps the whole "
    "table of weights, so it is faster on long texts.",
    stages=_steps,
    methods=(
        "__init__(self, d_model: int, num_heads: int) -> None",
        "forward(self, hidden_states: Tensor) -> Tensor",
    ),
    observe=DRIVE,
)
