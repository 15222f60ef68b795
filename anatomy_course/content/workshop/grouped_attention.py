"""Notebook 10: causal attention as SmolLM2 has it: rotary positions, and heads that share keys and values."""

from dataclasses import replace

import torch

from anatomy_course.content.writing import Case, Cases, Generator, ModuleDrive, Output, Tensor, normal, primes, written


class GroupedAttention(torch.nn.Module):
    """Has `query`, `key`, `value` and `output`, torch.nn.Linear without biases. `query` and `output` go from
    d_model to d_model; `key` and `value` to num_key_value_heads · d_head, where d_head = d_model / num_heads.
    Neighboring heads share keys and values: with 6 query heads and 2 key heads, query heads 0, 1, 2 use key head 0.
    Queries and keys are turned: at position p (from 0), features i and i + d_head/2 of a head, a and b,
    become a·cos − b·sin and b·cos + a·sin, with the angle p · base^(−2i/d_head).
    hidden_states (batch, position, d_model) → the same shape; no position sees a later one.
    No other parameters; a buffer must not be saved with them (persistent=False).
    """

    def __init__(self, d_model: int, num_heads: int, num_key_value_heads: int, base: float) -> None:
        super().__init__()
        self.num_heads, self.num_key_value_heads, self.base = num_heads, num_key_value_heads, base
        shared = num_key_value_heads * (d_model // num_heads)
        self.query = torch.nn.Linear(d_model, d_model, bias=False)
        self.key = torch.nn.Linear(d_model, shared, bias=False)
        self.value = torch.nn.Linear(d_model, shared, bias=False)
        self.output = torch.nn.Linear(d_model, d_model, bias=False)

    def rotate(self, vectors: Tensor) -> Tensor:
        half = vectors.shape[-1] // 2
        frequencies = self.base ** -(torch.arange(half, device=vectors.device) / half)
        angles = torch.arange(vectors.shape[-2], device=vectors.device)[:, None] * frequencies
        a, b = vectors.chunk(2, -1)
        return torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1)

    def forward(self, hidden_states: Tensor) -> Tensor:
        query = self.query(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        key = self.key(hidden_states).unflatten(-1, (self.num_key_value_heads, -1)).transpose(1, 2)
        value = self.value(hidden_states).unflatten(-1, (self.num_key_value_heads, -1)).transpose(1, 2)
        groups = self.num_heads // self.num_key_value_heads
        context = torch.nn.functional.scaled_dot_product_attention(
            self.rotate(query),
            self.rotate(key).repeat_interleave(groups, 1),
            value.repeat_interleave(groups, 1),
            is_causal=True,
        )
        return self.output(context.transpose(1, 2).flatten(2))


DRIVE = ModuleDrive(
    GroupedAttention,
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


def cases(generator: Generator) -> Cases:
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


EXERCISE = written(
    GroupedAttention,
    title="Attention with shared keys",
    task="Write causal attention as SmolLM2 has it: no biases, rotary positions, fewer keys and values than queries.",
    level="hard, 12 minutes",
    returns=DRIVE.outputs(Output("output", "batch position d_model")),
    cases=cases,
    observe=DRIVE,
    stages="""
    queries of each head: query
    keys of each head: key
    turned queries: self.rotate(query)
    turned keys: self.rotate(key)
    shared keys: self.rotate(key).repeat_interleave(groups, 1)
    context vectors: context
    merged heads: context.transpose(1, 2).flatten(2)
    """,
    also_right="""
    scores by hand:
        context = torch.nn.functional.scaled_dot_product_attention( ⇒ query, key, value = (
        is_causal=True, ⇒
        return self.output(context.transpose(1, 2).flatten(2)) ⇒
            scores = query @ key.mT / query.shape[-1] ** 0.5
            future = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(1)
            context = scores.masked_fill(future, -torch.inf).softmax(-1) @ value
            return self.output(context.transpose(1, 2).flatten(2))
    groups as an axis (scores by hand):
        .repeat_interleave(groups, 1) ⇒ [:, :, None]
        self.rotate(query) ⇒ self.rotate(query).unflatten(1, (-1, groups))
        scores[0, 0] ⇒ scores[0, 0, 0]
        context.transpose(1, 2).flatten(2) ⇒ context.flatten(1, 2).transpose(1, 2).flatten(2)
    positions from 1:
        torch.arange(vectors.shape[-2], device=vectors.device)[:, None] ⇒ (1 + torch.arange(vectors.shape[-2]))[:, None]
    """,
    mistakes="""
    full_keys: shared = num_key_value_heads * (d_model // num_heads) ⇒ shared = d_model
        “Your `key` makes one vector for each head of queries, so nothing is shared: its weight has the wrong shape.
        What about `value`?”
    not_turned:
        self.rotate(query) ⇒ query
        self.rotate(key) ⇒ key
        “Your queries and keys are not turned when they meet, so your module knows the order of its words only through
        the causal mask.”
    query_alone: self.rotate(key) ⇒ key
        “Your queries are turned, but your keys are not.”
    key_alone: self.rotate(query) ⇒ query
        “Your keys are turned, but your queries are not.”
    all_turned: value.repeat_interleave ⇒ self.rotate(value).repeat_interleave
        “You turn the values, too. Positions should decide who looks at whom, not what is handed over.”
    turned_back: * frequencies ⇒ * -frequencies
        “Queries and keys are turned by the right angles, but in the wrong direction: the sign of the sines is wrong.”
    neighbors:
        vectors.chunk(2, -1) ⇒ vectors[..., 0::2], vectors[..., 1::2]
        torch.cat( ⇒ torch.stack(
        a * angles.sin()), -1) ⇒ a * angles.sin()), -1).flatten(-2)
        “You turn neighboring features, 2i and 2i + 1, as GPT-J does; in a Llama i and i + d_head/2 make a pair.”
    over_heads: vectors.shape[-2], device=vectors.device)[:, None] ⇒ vectors.shape[1])[:, None, None]
        “Your angles grow with the number of the head, not with the position: these two axes have changed places.”
    before_splitting (not_turned):
        self.query(hidden_states) ⇒ self.rotate(self.query(hidden_states))
        self.key(hidden_states) ⇒ self.rotate(self.key(hidden_states))
        “You turn the whole vectors, before they are cut into heads; the features of each head make their own pairs.”
    usual_base: self.base ** ⇒ 10_000.0 **
        “Your angles come from the base 10,000, whatever `base` says.”
    half_exponent: / half) ⇒ / half / 2)
        “Your angles fall half as fast as they should from pair to pair: the exponent is −i/d_head.”
    one_angle: self.base ** -(torch.arange(half, device=vectors.device) / half) ⇒ torch.ones(half)
        “All pairs of your features turn by the same angle; `base` makes no difference.”
    tiled: repeat_interleave(groups, 1) ⇒ repeat(1, groups, 1, 1)
        “Your heads take the keys in turn (0, 1, 0, 1, …); neighboring heads should share one (0, 0, …, 1, 1, …).”
    first_key: .repeat_interleave(groups, 1) ⇒ [:, :1].expand(-1, self.num_heads, -1, -1)
        “All your heads use the first head's keys and values.”
    not_causal: is_causal=True ⇒ is_causal=False
        “Your positions see what comes after them, as if there were no causal mask.”
    zero_seen (scores by hand): masked_fill(future, ⇒ masked_fill(scores.triu(1) != 0,
        “A later position is masked only where its score is not 0; a vector of zeros is seen by those before it.”
    not_scaled: is_causal=True ⇒ is_causal=True, scale=1.0
        “Your weights are too sharp, as if the scores were not divided by √d_head.”
    scaled_by_width: is_causal=True ⇒ is_causal=True, scale=hidden_states.shape[-1] ** -0.5
        “You divide the scores by √d_model; each head's vectors have only d_head features.”
    reshaped: context.transpose(1, 2).flatten(2) ⇒ context.reshape(hidden_states.shape)
        “Each of your merged vectors has numbers of other positions, as if the context were reshaped without bringing
        heads and features together.”
    not_mixed: return self.output( ⇒ return (
        “Your heads are side by side, but nothing mixes them: what you return has not gone through `output`.”
    """,
    hints="""
    - Begin with your `CausalSelfAttention`. Three things change: `bias=False`, fewer heads of keys and values, and a
      turn before the scores. You have written the turn in notebook 04 and the sharing in notebook 05.
    - `frequencies = base ** -(torch.arange(half) / half)` with `half = d_head // 2`; angles are positions times
      frequencies, (position, half). `repeat_interleave(groups, dim=1)` gives neighboring heads the same keys.
    - `a, b = vectors.chunk(2, -1)`, then `torch.cat((a * angles.cos() - b * angles.sin(), b * angles.cos() + a *
      angles.sin()), -1)` for the query and the key. What follows is causal attention as before.
    """,
    explanation="""
    Shared keys and values make the cache smaller: SmolLM2 with 135 million parameters has 9 query heads and 3 key
    heads, so its cache is a third as large. Positions are not parameters: a checkpoint says nothing about the layout of
    the pairs, and one that was written for the other layout loads without a complaint and writes nonsense.
    """,
)

# The stub leaves it to the learner whether there is a method besides these two.
EXERCISE = replace(EXERCISE, methods=(EXERCISE.methods[0], EXERCISE.methods[2]))
