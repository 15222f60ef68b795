"""Notebook 02: cross-attention, with keys and values from another sequence."""

from anatomy_course.content.multi_head.shared import four_weights, lift_weights
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written
from anatomy_utils.functional import multi_head


# fmt: off
def cross_attention(
    hidden_states: Tensor, memory: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,
    output_weight: Tensor, num_heads: int,
) -> Tensor:
    """hidden_states (batch, query, d_model), memory (batch, key, d_model), four weights (d_model, d_model)
    → output (batch, query, d_model): one vector for each that asks.
    """
    projected = (hidden_states @ query_weight, memory @ key_weight, memory @ value_weight)
    query, key, value = (each.unflatten(-1, (num_heads, -1)).transpose(1, 2) for each in projected)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    context = scores.softmax(dim=-1) @ value
    return context.transpose(1, 2).flatten(2) @ output_weight
# fmt: on


def cases(generator: Generator) -> Cases:
    for kind in ("a batch of sentences", "one sentence", "a memory of a single vector", "strong matches"):
        draw = Draw(generator, "batch query key heads d_head", (2, 3, 5, 7, 11), kind)
        if kind == "a memory of a single vector":
            draw.sizes["key"] = 1
        hidden_states, memory = draw("batch query heads d_head").flatten(2), draw("batch key heads d_head").flatten(2)
        if kind == "a batch of sentences":
            memory[0, 0] = 0.0  # a vector of zeros is no padding: it is asked, too
        weights = four_weights(draw)
        if kind == "strong matches":
            hidden_states[..., 0] = memory[..., 0] = 12.0
            lift_weights(weights["query_weight"], weights["key_weight"], draw["d_head"])
        yield draw.case(hidden_states=hidden_states, memory=memory, **weights, num_heads=draw["heads"])


EXERCISE = written(
    cross_attention,
    same_as=multi_head.cross_attention,
    title="Cross-attention",
    task="Let the hidden states attend to a memory: they ask, and keys and values come from the memory.",
    level="medium, 4 minutes",
    returns="output: query d_model",
    cases=and_short(cases, "query", "a single vector that asks"),
    stages="""
    queries: projected[0]
    keys: projected[1]
    values: projected[2]
    scores
    weights: scores.softmax(dim=-1)
    contexts, side by side: context.transpose(1, 2).flatten(2)
    """,
    mistakes="""
    memory_asks:
        memory @ ⇒ hidden_states @
        hidden_states @ query_weight ⇒ memory @ query_weight
        “You have one output for each vector of the memory: the memory asks, and the hidden states answer.”
    both_are_asked: memory @ ⇒ torch.cat((hidden_states, memory), dim=1) @
        “Your hidden states attend to the memory and to themselves as well; only the memory should be asked.”
    one_wide_head: (num_heads, -1) ⇒ (1, -1)
        “The right ones ask and the right ones answer, but in a single head, as wide as d_model.”
    keys_unprojected: memory @ key_weight, memory @ value_weight ⇒ memory, memory
        “Your keys and values are the memory's vectors just as they came: W_K and W_V have no effect.”
    scaled_by_d_model: query.shape[-1] ⇒ hidden_states.shape[-1]
        “The right ones ask and answer, but your scores were divided by √d_model: a head's dot products run over d_head
        features.”
    view_alone:
        .unflatten(-1, (num_heads, -1)).transpose(1, 2) ⇒ .view(len(each), num_heads, each.shape[1], -1)
        context.transpose(1, 2).flatten(2) ⇒ context.reshape(hidden_states.shape)
        “The right ones ask and answer, but the heads were cut out of the sentences, not out of the vectors.”
    input_added: hidden_states + result
        “You have added the hidden states to the output. A block does that, but outside of its attention.”
    """,
    also_right="""
    head by head:
        contexts = []
        projected = (hidden_states @ query_weight, memory @ key_weight, memory @ value_weight)
        for query, key, value in zip(*(each.chunk(num_heads, -1) for each in projected), strict=True):
            contexts.append((query @ key.mT * query.shape[-1] ** -0.5).softmax(-1) @ value)
        return torch.cat(contexts, -1) @ output_weight
    fused kernel: scores.softmax(dim=-1) @ value ⇒ F.scaled_dot_product_attention(query, key, value)
    einsum:
        query @ key.transpose(-2, -1) ⇒ torch.einsum("bhqd,bhkd->bhqk", query, key)
        scores.softmax(dim=-1) @ value ⇒ torch.einsum("bhqk,bhkd->bhqd", scores.softmax(dim=-1), value)
    """,
    hints="""
    - Take your multi-head attention. Three products make query, key and value: which of them should change?
    - Only the queries come from `hidden_states`. You need not know the two lengths: the table of scores is (query,
      key), and does not have to be square.
    - `hidden_states @ query_weight`, but `memory @ key_weight` and `memory @ value_weight`. The rest stays.
    """,
    explanation="""
    Self-attention is the case in which memory and hidden states are the same. In a translator the memory is what the
    encoder made of the sentence to translate (notebook 05).
    """,
)
