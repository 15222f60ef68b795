"""Notebook 02: multi-head attention as a whole."""

from anatomy_course.content.multi_head.shared import four_weights, lift_weights
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written
from anatomy_utils.functional import multi_head


# fmt: off
def multi_head_attention(
    hidden_states: Tensor, query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,
    output_weight: Tensor, num_heads: int,
) -> Tensor:
    """hidden_states (batch, position, d_model), four weights (d_model, d_model):
    W_Q, W_K, W_V and W_O → output (batch, position, d_model). No biases, no mask."""
    projected = (hidden_states @ weight for weight in (query_weight, key_weight, value_weight))
    query, key, value = (each.unflatten(-1, (num_heads, -1)).transpose(1, 2) for each in projected)
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    context = scores.softmax(dim=-1) @ value
    return context.transpose(1, 2).flatten(2) @ output_weight
# fmt: on


def cases(generator: Generator) -> Cases:
    for kind in ("a batch of sentences", "one sentence", "a batch of sentences", "strong matches"):
        draw = Draw(generator, "batch position heads d_head", (2, 3, 5, 7), kind)
        hidden_states, weights = draw("batch position heads d_head").flatten(2), four_weights(draw)
        if kind == "strong matches":
            hidden_states[..., 0] = 12.0
            lift_weights(weights["query_weight"], weights["key_weight"], draw["d_head"])
        yield draw.case(hidden_states=hidden_states, **weights, num_heads=draw["heads"])


EXERCISE = written(
    multi_head_attention,
    same_as=multi_head.multi_head_attention,
    title="Multi-head attention, the whole of it",
    task="Project into queries, keys and values, split them into heads, attend in each, merge, and mix with W_O.",
    level="hard, 8 minutes",
    returns="output: position d_model",
    cases=and_short(cases, "position", "a single word"),
    stages="""
    queries: hidden_states @ query_weight
    queries of each head: query
    keys of each head: key
    scores
    weights: scores.softmax(dim=-1)
    contexts of each head: context
    contexts, side by side: context.transpose(1, 2).flatten(2)
    """,
    mistakes="""
    one_wide_head: (num_heads, -1) ⇒ (1, -1)
        “Your output is that of a single head, as wide as d_model: num_heads plays no part in it.”
    scaled_by_d_model: query.shape[-1] ⇒ hidden_states.shape[-1]
        “Your scores were divided by √d_model, but each dot product here runs over the d_head features of one head: your
        weights are too even.”
    not_scaled: / query.shape[-1] ** 0.5 ⇒
        “Your weights are too sharp: the scores of your heads went into the softmax as bare dot products.”
    not_mixed: @ output_weight ⇒
        “You have the contexts of all heads side by side; they have not gone through W_O yet.”
    output_turned: @ output_weight ⇒ @ output_weight.T
        “Everything is right up to the last step, but there the transpose of W_O was used.”
    all_turned:
        hidden_states @ weight ⇒ hidden_states @ weight.T
        @ output_weight ⇒ @ output_weight.T
        “All four weights were used as their transposes. nn.Linear stores them that way; these are the matrices
        themselves.”
    view_alone:
        .unflatten(-1, (num_heads, -1)).transpose(1, 2) ⇒ .view(len(each), num_heads, each.shape[1], -1)
        context.transpose(1, 2).flatten(2) ⇒ context.reshape(hidden_states.shape)
        “Each of your heads sees pieces of a few neighboring words, not all words: the sentence was cut into heads, not
        the vectors.”
    merged_without_moving: context.transpose(1, 2).flatten(2) ⇒ context.reshape(hidden_states.shape)
        “Your heads are right. On the way back, it is as if no axes changed places: each row that goes into W_O holds
        several positions of one head.”
    interleaved:
        .unflatten(-1, (num_heads, -1)).transpose(1, 2) ⇒ .unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)
        context.transpose(1, 2).flatten(2) ⇒ context.permute(0, 2, 3, 1).flatten(2)
        “The features of your heads are num_heads apart; those of one head should be neighbors.”
    positions_never_meet: .transpose(1, 2) ⇒
        “In your attention each word is alone, and its heads attend to one another, as if the heads still came after the
        positions.”
    over_the_heads: softmax(dim=-1) ⇒ softmax(dim=1)
        “Your weights sum to 1 over the heads; they should sum to 1 over the keys, in each head.”
    input_added: hidden_states + result
        “You have added the input to the output. A block does that too, but outside of its attention (notebook 03).”
    """,
    also_right="""
    head by head:
        contexts = []
        weights = (query_weight, key_weight, value_weight)
        for own in zip(*(weight.chunk(num_heads, 1) for weight in weights), strict=True):
            query, key, value = (hidden_states @ weight for weight in own)
            contexts.append((query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value)
        return torch.cat(contexts, -1) @ output_weight
    einsum:
        query @ key.transpose(-2, -1) ⇒ torch.einsum("bhqd,bhkd->bhqk", query, key)
        scores.softmax(dim=-1) @ value ⇒ torch.einsum("bhqk,bhkd->bqhd", scores.softmax(dim=-1), value)
        context.transpose(1, 2).flatten(2) @ output_weight ⇒
            torch.einsum("bqhd,hdm->bqm", context, output_weight.unflatten(0, (num_heads, -1)))
    fused kernel: scores.softmax(dim=-1) @ value ⇒ F.scaled_dot_product_attention(query, key, value)
    """,
    again="""
    query @ key.transpose(-2, -1) ⇒ query @ key[:, :1].transpose(-2, -1)
    @ value ⇒ @ value[:, :1]
        “This time all heads use the keys and the values of head 0.”
        Not here: positions_never_meet view_alone
    """,
    hints="""
    - Five steps: project three times, split, attend, merge, project. You may call `split_heads` and `merge_heads`.
    - `hidden_states @ query_weight` makes the queries of all heads at once. Split queries, keys and values alike. The
      scores of one head are divided by the root of a width. Which one?
    - After the split, d_head is the last axis of `query`. Scores, softmax over the last axis, times `value`; then
      `.transpose(1, 2).flatten(2)`, and `@ output_weight`.
    """,
    explanation="""
    Section 3.2.2 of the 2017 paper. The attention in the middle is the one of notebook 01, unchanged. Only the split
    and the merge know about heads.
    """,
)
