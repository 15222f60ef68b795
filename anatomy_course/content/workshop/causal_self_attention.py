"""Notebook 10: causal self-attention with several heads as a module of the learner's own."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, ModuleDrive, Output, Tensor, normal, primes, written


class CausalSelfAttention(torch.nn.Module):
    """Has `query`, `key`, `value` and `output`, each a torch.nn.Linear from d_model to d_model with a bias.
    hidden_states (batch, position, d_model) → the same shape. num_heads divides d_model; the first
    head has the first d_model / num_heads features. No position sees a later one, and there is no
    dropout. torch.nn.functional.scaled_dot_product_attention may be used.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = torch.nn.Linear(d_model, d_model)
        self.key = torch.nn.Linear(d_model, d_model)
        self.value = torch.nn.Linear(d_model, d_model)
        self.output = torch.nn.Linear(d_model, d_model)

    def forward(self, hidden_states: Tensor) -> Tensor:
        query = self.query(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        key = self.key(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        value = self.value(hidden_states).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        context = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(context.transpose(1, 2).flatten(2))


DRIVE = ModuleDrive(
    CausalSelfAttention,
    construct=("d_model", "num_heads"),
    inputs=("hidden_states",),
    gradients=("query.weight", "key.weight", "value.weight", "hidden_states"),
    lengths=True,
)


def cases(generator: Generator) -> Cases:
    zeros = "a vector of zeros"
    for kind in ("several heads", "one head", "one text", "one position", zeros):
        heads, d_head = primes(generator, 2, (2, 3, 5))
        heads = 1 if kind == "one head" else heads
        batch, position = primes(generator, 2, (7, 11))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "one position" else position
        inputs = {"hidden_states": 1.5 * normal(generator, batch, position, heads * d_head)}
        arguments = DRIVE.arguments(generator, {"d_model": heads * d_head, "num_heads": heads}, inputs)
        if kind == zeros:  # with biases of 0, as in a new GPT, all scores of the last position are 0
            inputs["hidden_states"][:, -1] = 0
            arguments |= {name: torch.zeros_like(arguments[name]) for name in ("query.bias", "key.bias")}
        yield Case(arguments, kind, {"batch": batch, "position": position, "heads": heads, "d_head": d_head})


EXERCISE = written(
    CausalSelfAttention,
    title="Attention as a module",
    task="Write causal self-attention with several heads as a module of its own.",
    level="hard, 10 minutes",
    returns=DRIVE.outputs(Output("output", "position d_model")),
    cases=cases,
    observe=DRIVE,
    stages="""
    query before it is split: self.query(hidden_states)
    key before it is split: self.key(hidden_states)
    value before it is split: self.value(hidden_states)
    query by heads: query
    scores: query @ key.mT / query.shape[-1] ** 0.5
    weights: (query @ key.mT / query.shape[-1] ** 0.5 + torch.full((key.shape[-2],) * 2, -1e9).triu(1)).softmax(-1)
    context by heads: context
    context: context.transpose(1, 2).flatten(2)
    """,
    also_right="""
    masked by hand:
        context = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True) ⇒
            scores = query @ key.mT / query.shape[-1] ** 0.5
            earlier = torch.ones_like(scores[0, 0], dtype=torch.bool).tril()
            context = scores.masked_fill(~earlier, -torch.inf).softmax(-1) @ value
    view and permute:
        .unflatten(-1, (self.num_heads, -1)).transpose(1, 2) ⇒
            .view(*hidden_states.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3)
    a mask that is given:
        is_causal=True ⇒ attn_mask=torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    """,
    mistakes="""
    no_mask: is_causal=True ⇒ is_causal=False
        “Each of your positions sees all the others, later ones too, as if there were no causal mask.”
    later_ones (masked by hand): .tril() ⇒ .triu()
        “Your mask is turned around: each position sees itself and the later ones.”
    only_later: is_causal=True ⇒ attn_mask=torch.ones(len(query[0, 0]), len(query[0, 0])).triu(1).bool()
        “Your mask is the wrong way round: in `scaled_dot_product_attention`, True means that a position may be looked
        at. Yours sees only the later ones.”
    not_itself (masked by hand): .tril() ⇒ .tril(-1)
        “Your positions do not see themselves, so nothing at all is left to the first one.”
    masked_afterwards (masked by hand):
        scores.masked_fill(~earlier, -torch.inf).softmax(-1) ⇒ scores.softmax(-1) * earlier
        “Your weights no longer sum to 1, as if they were masked after the softmax.”
    masked_with_zero (masked by hand): -torch.inf ⇒ 0.0
        “Your mask sets scores to 0, and a score of 0 still gets a weight.”
    zero_masked (masked by hand): ~earlier ⇒ scores.tril() == 0
        “Where an allowed score is exactly 0, it gets no weight either, as if every score of 0 were masked.”
    over_queries (masked by hand): softmax(-1) ⇒ softmax(-2)
        “Your softmax runs over the queries; the weights of each query should sum to 1 over its keys.”
    not_scaled (masked by hand): / query.shape[-1] ** 0.5 ⇒
        “Your weights are too sharp, as if the scores were not divided by anything.”
    scaled_by_d_model (masked by hand): / query.shape[-1] ** 0.5 ⇒ / hidden_states.shape[-1] ** 0.5
        “Your scores were divided by √d_model, but a dot product here runs over the d_head features of one head.”
    one_wide_head: self.num_heads = num_heads ⇒ self.num_heads = 1
        “Your output is that of a single head as wide as d_model: num_heads plays no part in it.”
    split_by_view:
        .unflatten(-1, (self.num_heads, -1)).transpose(1, 2) ⇒
            .view(len(hidden_states), self.num_heads, hidden_states.shape[1], -1)
        “Your split into heads cuts the text, not the vectors, as a view alone does: a head must get its features of
        every position.”
    merged_by_view: context.transpose(1, 2).flatten(2) ⇒ context.reshape(hidden_states.shape)
        “Your merged heads mix positions, as after a reshape alone: bring the heads next to their features first.”
    scrambled_twice (split_by_view): context.transpose(1, 2).flatten(2) ⇒ context.reshape(hidden_states.shape)
        “Each of your heads works on a piece of the text, not of the vectors, as if you split and merged by views
        alone.”
    every_other_feature:
        .unflatten(-1, (self.num_heads, -1)).transpose(1, 2) ⇒ .unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)
        context.transpose(1, 2).flatten(2) ⇒ context.permute(0, 2, 3, 1).flatten(2)
        “Your heads take turns: each gets every num_heads-th feature. The first should get the first d_head ones.”
    query_and_key_swapped: (query, key, value ⇒ (key, query, value
        “Query and key have changed places: in your attention the keys ask.”
    value_from_key: (query, key, value ⇒ (query, key, key
        “Your values are the keys once more; nothing of `value` reaches your output.”
    value_not_projected: self.value(hidden_states) ⇒ hidden_states
        “Your values are the hidden states themselves; nothing of `value` reaches your output.”
    input_added: hidden_states + result
        “You have added the input to the output. The block will do that, outside this module.”
    detached: context.transpose ⇒ context.detach().transpose
        “Your output is right, but no gradient reaches `query`, `key` and `value`: something cuts it off, such as
        `detach`, `no_grad` or `.data`.”
    """,
    hints="""
    - `__init__` makes the four maps and keeps num_heads. `forward` projects, splits into heads, attends, merges, and
      applies `output`: notebook 02 had each of these steps.
    - `x.unflatten(-1, (num_heads, -1)).transpose(1, 2)` is (batch, heads, position, d_head). After attention,
      `transpose(1, 2).flatten(2)` undoes it.
    - `torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)` scales and masks as it
      should.
    """,
    explanation="""
    A module holds the weights, and its `forward` is the function that you wrote in notebook 02. torch's own
    `scaled_dot_product_attention` computes what your attention from notebook 01 does, but never keeps the whole table
    of weights, so it is faster on long texts.
    """,
)
