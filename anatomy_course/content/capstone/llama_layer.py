"""Notebook 07: a Llama's layer, put together from its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from anatomy_course.content.capstone.shared import whole_layer_cases
from anatomy_course.content.encoder.shared import post_norm, pre_norm
from anatomy_course.judge.definition import Exercise, Mistake, Output
from anatomy_utils.functional.layers import Part


class _Parts(NamedTuple):
    """What the layer is made of, in the order of its arguments."""

    norm1: Part
    project: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]
    rotate: Part
    attend: Callable[..., Tensor]
    merge: Part
    out: Part
    norm2: Part
    feed: Part


Mixing = Callable[[Tensor, _Parts], Tensor]


def _attention(x: Tensor, parts: _Parts) -> Tensor:
    query, key, value = parts.project(x)
    return parts.out(parts.merge(parts.attend(parts.rotate(query), parts.rotate(key), value)))


def _around(
    order: Callable[[Tensor, Part, Part, Part, Part], Tensor], attention: Mixing = _attention
) -> Callable[..., Tensor]:
    """A layer with its parts in another order: `order(x, mix, feed, norm1, norm2)`."""

    def layer(x: Tensor, *given: Any) -> Tensor:
        parts = _Parts(*given)
        return order(x, lambda states: attention(states, parts), parts.feed, parts.norm1, parts.norm2)

    return layer


def _with(attention: Mixing) -> Callable[..., Tensor]:
    """A right layer around another attention."""
    return _around(lambda x, mix, feed, norm1, norm2: pre_norm(pre_norm(x, mix, norm1), feed, norm2), attention)


def _turned(*which: int) -> Mixing:
    def mix(x: Tensor, parts: _Parts) -> Tensor:
        three = [parts.rotate(part) if number in which else part for number, part in enumerate(parts.project(x))]
        return parts.out(parts.merge(parts.attend(*three)))

    return mix


def _key_first(x: Tensor, parts: _Parts) -> Tensor:
    return _attention(x, parts._replace(attend=lambda query, key, value: parts.attend(key, query, value)))


def _turned_afterwards(x: Tensor, parts: _Parts) -> Tensor:
    return parts.out(parts.merge(parts.rotate(parts.attend(*parts.project(x)))))


def _one_line(x: Tensor, *given: Any) -> Tensor:
    parts = _Parts(*given)
    x = torch.add(_attention(parts.norm1(x), parts), x)
    return torch.add(parts.feed(parts.norm2(x)), x)


def _steps(x: Tensor, *given: Any) -> Mapping[str, Tensor]:
    parts = _Parts(*given)
    query, key, value = parts.project(parts.norm1(x))
    turned_query, turned_key = parts.rotate(query), parts.rotate(key)
    context = parts.attend(turned_query, turned_key, value)
    attended = parts.out(parts.merge(context))
    middle = x + attended
    return {
        "normed states": parts.norm1(x),
        "turned queries": turned_query,
        "turned keys": turned_key,
        "context vectors": context,
        "merged heads": parts.merge(context),
        "attention's results": attended,
        "states after attention": middle,
        "results of the feed-forward network": parts.feed(parts.norm2(middle)),
    }


def _from_normed(x: Tensor, part: Part, norm: Part) -> Tensor:
    return norm(x) + part(norm(x))


EXERCISE = Exercise(
    id="capstone.llama_layer",
    title="A whole layer",
    task="Put one layer of a Llama together from its parts.",
    difficulty="hard",
    minutes=8,
    signature="llama_layer(\n"
    "    hidden_states: Tensor, attention_norm, project, rotate, attend, merge_heads, to_output,\n"
    "    feed_forward_norm, feed_forward\n"
    ") -> Tensor",
    docstring="project gives a query, a key and a value, (batch, heads, position, d_head) each; rotate turns one\n"
    "of them by its positions; attend takes all three, causal mask included, and gives a tensor like each;\n"
    "merge_heads makes it (batch, position, heads · d_head). The others keep (batch, position, d_model)\n"
    "→ the layer's output, shaped as hidden_states.",
    reference="anatomy_utils.functional.layers.llama_layer",
    returns=(Output("output", "batch position d_model"),),
    cases=whole_layer_cases,
    mistakes=(
        Mistake(
            "not_turned",
            _with(_turned()),
            "Your scores are those of unturned queries and keys, so your layer does not know the order of its words, "
            "except through the mask.",
        ),
        Mistake(
            "all_turned",
            _with(_turned(0, 1, 2)),
            "You turn the values, too. Positions should decide who looks at whom, not what is handed over.",
        ),
        Mistake(
            "query_alone",
            _with(_turned(0)),
            "Your queries are turned and your keys are not, so a score knows the position of the query, but not the "
            "offset between the two.",
        ),
        Mistake(
            "key_alone",
            _with(_turned(1)),
            "Your keys are turned and your queries are not, so a score knows the position of the key, but not the "
            "offset between the two.",
        ),
        Mistake(
            "turned_afterwards",
            _with(_turned_afterwards),
            "You turn the result of attention; by then the weights have been decided.",
        ),
        Mistake("key_first", _with(_key_first), "Query and key have changed places: in your attention the keys ask."),
        Mistake(
            "heads_mixed_up",
            _with(lambda x, parts: _attention(x, parts._replace(merge=lambda context: context.reshape(x.shape)))),
            "Your context is as if reshaped without bringing heads and features together, so each vector gets numbers "
            "of other positions. merge_heads does it right.",
        ),
        Mistake(
            "no_output_projection",
            _with(lambda x, parts: _attention(x, parts._replace(out=lambda states: states))),
            "Your heads are side by side, but nothing mixes them: to_output has no effect.",
        ),
        Mistake(
            "post_norm",
            _around(lambda x, mix, feed, norm1, norm2: post_norm(post_norm(x, mix, norm1), feed, norm2)),
            "Your norms come after the sums, as in 2017; a Llama has them before the sub-layers.",
        ),
        Mistake(
            "side_by_side",
            _around(lambda x, mix, feed, norm1, norm2: x + mix(norm1(x)) + feed(norm2(x))),
            "Your feed-forward network reads what came into the layer; what attention added does not reach it.",
        ),
        Mistake(
            "no_residuals",
            _around(lambda x, mix, feed, norm1, norm2: feed(norm2(mix(norm1(x))))),
            "The results of both sub-layers go on alone, without their inputs.",
        ),
        Mistake(
            "no_first_residual",
            _around(lambda x, mix, feed, norm1, norm2: pre_norm(mix(norm1(x)), feed, norm2)),
            "The result of attention goes on alone, as if the first residual connection were missing.",
        ),
        Mistake(
            "no_second_residual",
            _around(lambda x, mix, feed, norm1, norm2: feed(norm2(pre_norm(x, mix, norm1)))),
            "The result of the feed-forward network goes on alone, as if the second residual connection were missing.",
        ),
        Mistake(
            "second_residual_from_below",
            _around(lambda x, mix, feed, norm1, norm2: x + feed(norm2(pre_norm(x, mix, norm1)))),
            "Your second sum adds to what came into the layer, not to what came out of the first half.",
        ),
        Mistake(
            "normed_residuals",
            _around(lambda x, mix, feed, norm1, norm2: _from_normed(_from_normed(x, mix, norm1), feed, norm2)),
            "You add the results to the normed states; they should be added to the states before the norm.",
        ),
        Mistake(
            "norms_swapped",
            _around(lambda x, mix, feed, norm1, norm2: pre_norm(pre_norm(x, mix, norm2), feed, norm1)),
            "Your two norms have changed places.",
        ),
        Mistake(
            "one_norm_twice",
            _around(lambda x, mix, feed, norm1, norm2: pre_norm(pre_norm(x, mix, norm1), feed, norm1)),
            "Your first norm is at work in both halves, and the second has no effect.",
        ),
        Mistake(
            "no_second_norm",
            _around(lambda x, mix, feed, norm1, norm2: pre_norm(x, mix, norm1) + feed(pre_norm(x, mix, norm1))),
            "Your feed-forward network reads states that have not been normed.",
        ),
        Mistake(
            "no_first_norm",
            _around(lambda x, mix, feed, norm1, norm2: pre_norm(x + mix(x), feed, norm2)),
            "Your projections read states that have not been normed.",
        ),
        Mistake(
            "feed_forward_first",
            _around(lambda x, mix, feed, norm1, norm2: pre_norm(pre_norm(x, feed, norm2), mix, norm1)),
            "Your halves have changed places: the feed-forward network comes first.",
        ),
        Mistake(
            "attention_only",
            _around(lambda x, mix, feed, norm1, norm2: pre_norm(x, mix, norm1)),
            "The first half is right; the feed-forward network has no effect.",
        ),
    ),
    also_right={
        "two lines": _one_line,
        "in halves": _around(lambda x, mix, feed, norm1, norm2: pre_norm(pre_norm(x, mix, norm1), feed, norm2)),
        "turned in a list": _with(_turned(0, 1)),
    },
    hints=(
        "Two halves, each `states + sub_layer(norm(states))`. The first sub-layer has five parts.",
        "In the first half: norm, project, turn two of the three, attend, merge, to_output. The second half begins "
        "with the sum that the first one made.",
        "`query, key, value = project(attention_norm(hidden_states))`, then `attend(rotate(query), rotate(key), value)`"
        "; the rest goes around it.",
    ),
    solution="query, key, value = project(attention_norm(hidden_states))\n"
    "context = attend(rotate(query), rotate(key), value)\n"
    "hidden_states = hidden_states + to_output(merge_heads(context))\n"
    "return hidden_states + feed_forward(feed_forward_norm(hidden_states))",
    explanation="Llama, Mistral and SmolLM2 are stacks of this layer, with a token table below and above. Positions "
    "enter in each layer, and only in the scores. The sums form one unbroken path from bottom to top, so a wrong "
    "number travels along it, too.",
    stages=_steps,
)
