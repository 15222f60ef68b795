"""Notebook 09: a Llama's layer, put together from its parts."""

import torch

from anatomy_course.content.encoder.shared import Function, norm
from anatomy_course.content.writing import Case, Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import masks
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.nn.positions import RotaryPositions


def llama_layer(
    hidden_states: Tensor, attention_norm, project, rotate, attend, merge_heads, to_output,
    feed_forward_norm, feed_forward
) -> Tensor:  # fmt: skip
    """project gives a query, a key and a value, (batch, heads, position, d_head) each; rotate turns one
    of them by its positions; attend takes all three, causal mask included, and gives a tensor like each;
    merge_heads makes it (batch, position, heads · d_head). The others keep (batch, position, d_model)
    → the layer's output, shaped as hidden_states.
    """
    query, key, value = project(attention_norm(hidden_states))
    context = attend(rotate(query), rotate(key), value)
    hidden_states = hidden_states + to_output(merge_heads(context))
    return hidden_states + feed_forward(feed_forward_norm(hidden_states))


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return scaled_dot_product_attention(query, key, value, masks.causal(query.shape[-2])).context


def case_of(generator: torch.Generator, kind: str) -> Case:
    """A layer of unequal sizes, in parts."""
    draw = Draw(generator, "batch heads position", (2, 3, 5, 7), kind)
    draw.sizes["d_model"] = d_model = 4 * draw["heads"]
    scale = d_model**-0.5
    states, attention_norm = 2 * draw("batch position d_model"), norm(generator, d_model, "its norm")
    to_heads, to_output = 1.5 * scale * draw("3 heads d_model 4"), scale * draw("d_model d_model")
    feed_forward_norm = norm(generator, d_model, "its norm")
    expand, contract = scale * draw("d_model d_model"), scale * draw("d_model d_model")
    arguments = {
        "hidden_states": states,
        "attention_norm": attention_norm,
        "project": Function("three projections", lambda x: tuple(x[:, None] @ weight for weight in to_heads)),
        "rotate": Function("a rotation", RotaryPositions(4)(torch.arange(draw["position"]))),
        "attend": Function("causal attention", causal_attention),
        "merge_heads": Function("the heads side by side", lambda context: torch.cat(context.unbind(1), dim=-1)),
        "to_output": Function("a projection", lambda x: x @ to_output),
        "feed_forward_norm": feed_forward_norm,
        "feed_forward": Function("a feed-forward network", lambda x: (x @ expand).relu() @ contract),
    }
    return Case(arguments, kind, draw.sizes)


def cases(generator: Generator) -> Cases:
    return [case_of(generator, kind) for kind in ("one text", "a batch of texts")]


EXERCISE = written(
    llama_layer,
    same_as="anatomy_utils.functional.layers.llama_layer",
    title="A whole layer",
    task="Put one layer of a Llama together from its parts.",
    level="hard, 8 minutes",
    returns="output: batch position d_model",
    cases=cases,
    stages="""
    normed states: attention_norm(hidden_states - to_output(merge_heads(context)))
    turned queries: rotate(query)
    turned keys: rotate(key)
    context vectors: context
    merged heads: merge_heads(context)
    attention's results: to_output(merge_heads(context))
    states after attention: hidden_states
    results of the feed-forward network: feed_forward(feed_forward_norm(hidden_states))
    """,
    mistakes="""
    not_turned: rotate(query), rotate(key) ⇒ query, key
        “Your scores are those of unturned queries and keys, so your layer does not know the order of its words, except
        through the mask.”
    all_turned: rotate(key), value ⇒ rotate(key), rotate(value)
        “You turn the values, too. Positions should decide who looks at whom, not what is handed over.”
    query_alone: rotate(key) ⇒ key
        “Your queries are turned and your keys are not, so a score knows the position of the query, but not the offset
        between the two.”
    key_alone: rotate(query) ⇒ query
        “Your keys are turned and your queries are not, so a score knows the position of the key, but not the offset
        between the two.”
    turned_afterwards: attend(rotate(query), rotate(key), value) ⇒ rotate(attend(query, key, value))
        “You turn the result of attention; by then the weights have been decided.”
    key_first: rotate(query), rotate(key) ⇒ rotate(key), rotate(query)
        “Query and key have changed places: in your attention the keys ask.”
    heads_mixed_up: merge_heads(context) ⇒ context.reshape(hidden_states.shape)
        “Your context is as if reshaped without bringing heads and features together, so each vector gets numbers of
        other positions. merge_heads does it right.”
    post_norm:
        query, key, value = project(hidden_states)
        context = attend(rotate(query), rotate(key), value)
        hidden_states = attention_norm(hidden_states + to_output(merge_heads(context)))
        return feed_forward_norm(hidden_states + feed_forward(hidden_states))
        “Your norms come after the sums, as in 2017; a Llama has them before the sub-layers.”
    no_residuals: hidden_states + ⇒
        “The results of both sub-layers go on alone, without their inputs.”
    normed_residuals:
        hidden_states + to_output ⇒ attention_norm(hidden_states) + to_output
        hidden_states + feed_forward ⇒ feed_forward_norm(hidden_states) + feed_forward
        “You add the results to the normed states; they should be added to the states before the norm.”
    norms_swapped:
        feed_forward(feed_forward_norm ⇒ feed_forward(attention_norm
        project(attention_norm ⇒ project(feed_forward_norm
        “Your two norms have changed places.”
    feed_forward_first:
        hidden_states = hidden_states + feed_forward(feed_forward_norm(hidden_states))
        query, key, value = project(attention_norm(hidden_states))
        context = attend(rotate(query), rotate(key), value)
        return hidden_states + to_output(merge_heads(context))
        “Your halves have changed places: the feed-forward network comes first.”
    """,
    also_right="""
    two lines:
        query, key, value = project(attention_norm(hidden_states))
        middle = torch.add(to_output(merge_heads(attend(rotate(query), rotate(key), value))), hidden_states)
        return torch.add(feed_forward(feed_forward_norm(middle)), middle)
    in halves:
        residual = lambda part, norm, states: states + part(norm(states))
        turned = lambda query, key, value: attend(rotate(query), rotate(key), value)
        attention = lambda states: to_output(merge_heads(turned(*project(states))))
        return residual(feed_forward, feed_forward_norm, residual(attention, attention_norm, hidden_states))
    turned in a list: attend(rotate(query), rotate(key), value) ⇒ attend(*map(rotate, (query, key)), value)
    """,
    again="""
    hidden_states = hidden_states + to_output(merge_heads(context)) ⇒ attended = to_output(merge_heads(context))
    return hidden_states + ⇒ return hidden_states + attended +
        “This time both parts read what came in, side by side, each through its own norm, and both results are added
        to it.”
        Not here: no_residuals
    """,
    hints="""
    - Two halves, each `states + sub_layer(norm(states))`. The first sub-layer has five parts.
    - In the first half: norm, project, turn two of the three, attend, merge, to_output. The second half begins with the
      sum that the first one made.
    - `query, key, value = project(attention_norm(hidden_states))`, then `attend(rotate(query), rotate(key), value)`;
      the rest goes around it.
    """,
    explanation="""
    Llama, Mistral and SmolLM2 are stacks of this layer, with a token table below and above. Positions enter in each
    layer, and only in the scores. The sums form one unbroken path from bottom to top, so a wrong number travels along
    it, too.
    """,
)
