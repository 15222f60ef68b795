"""Notebook 07: a Llama's layer, put together from its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from anatomy_utils.exercises.catalogue.capstone.shared import Part, whole_layer_cases
from anatomy_utils.exercises.definition import Exercise, Mistake, Output

Project = Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]


def _attention(x: Tensor, project: Project, rotate: Part, attend: Attend, merge: Part, out: Part) -> Tensor:
    query, key, value = project(x)
    return out(merge(attend(rotate(query), rotate(key), value)))


Mixing = Callable[..., Tensor]


def _with(mix: Mixing) -> Callable[..., Tensor]:
    """A right layer around another attention."""

    def layer(
        x: Tensor,
        norm1: Part,
        project: Project,
        rotate: Part,
        attend: Attend,
        merge: Part,
        out: Part,
        norm2: Part,
        feed: Part,
    ) -> Tensor:
        x = x + mix(norm1(x), project, rotate, attend, merge, out)
        return x + feed(norm2(x))

    return layer


def _around(order: Callable[[Tensor, Part, Part, Part, Part], Tensor]) -> Callable[..., Tensor]:
    """Another layer around right attention: `order(x, mix, feed, norm1, norm2)`."""

    def layer(
        x: Tensor,
        norm1: Part,
        project: Project,
        rotate: Part,
        attend: Attend,
        merge: Part,
        out: Part,
        norm2: Part,
        feed: Part,
    ) -> Tensor:
        return order(x, lambda states: _attention(states, project, rotate, attend, merge, out), feed, norm1, norm2)

    return layer


def _turned(*which: int) -> Mixing:
    def mix(x: Tensor, project: Project, rotate: Part, attend: Attend, merge: Part, out: Part) -> Tensor:
        parts = [rotate(part) if number in which else part for number, part in enumerate(project(x))]
        return out(merge(attend(*parts)))

    return mix


def _key_first(x: Tensor, project: Project, rotate: Part, attend: Attend, merge: Part, out: Part) -> Tensor:
    query, key, value = project(x)
    return out(merge(attend(rotate(key), rotate(query), value)))


def _turned_behind(x: Tensor, project: Project, rotate: Part, attend: Attend, merge: Part, out: Part) -> Tensor:
    return out(merge(rotate(attend(*project(x)))))


def _one_line(
    x: Tensor,
    norm1: Part,
    project: Project,
    rotate: Part,
    attend: Attend,
    merge: Part,
    out: Part,
    norm2: Part,
    feed: Part,
) -> Tensor:
    x = torch.add(_attention(norm1(x), project, rotate, attend, merge, out), x)
    return torch.add(feed(norm2(x)), x)


def _steps(
    x: Tensor,
    norm1: Part,
    project: Project,
    rotate: Part,
    attend: Attend,
    merge: Part,
    out: Part,
    norm2: Part,
    feed: Part,
) -> Mapping[str, Tensor]:
    query, key, value = project(norm1(x))
    turned_query, turned_key = rotate(query), rotate(key)
    context = attend(turned_query, turned_key, value)
    attended = out(merge(context))
    middle = x + attended
    return {
        "normed states": norm1(x),
        "turned queries": turned_query,
        "turned keys": turned_key,
        "context vectors": context,
        "merged heads": merge(context),
        "attention's results": attended,
        "states after attention": middle,
        "results of the feed-forward network": feed(norm2(middle)),
    }


EXERCISE = Exercise(
    id="capstone.llama_layer",
    title="A whole layer",
    task="Put a layer of a Llama together from its parts.",
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
            "Nothing of yours is turned, so your layer does not know the order of its words, except by the mask.",
        ),
        Mistake(
            "all_turned",
            _with(_turned(0, 1, 2)),
            "You turn the values, too. Positions should decide who looks at whom, not what is handed over.",
        ),
        Mistake(
            "query_alone",
            _with(_turned(0)),
            "Your queries are turned and your keys are not, so a score knows where the query stands, and nothing of "
            "the offset between the two.",
        ),
        Mistake(
            "key_alone",
            _with(_turned(1)),
            "Your keys are turned and your queries are not, so a score knows where the key stands, and nothing of the "
            "offset between the two.",
        ),
        Mistake("turned_behind", _with(_turned_behind), "You turn what attention gives; by then it has been decided."),
        Mistake("key_first", _with(_key_first), "Query and key have changed places: the keys ask in your attention."),
        Mistake(
            "heads_mixed_up",
            _with(
                lambda x, project, rotate, attend, merge, out: _attention(
                    x, project, rotate, attend, lambda context: context.reshape(x.shape), out
                )
            ),
            "You give the context another shape without bringing heads and features together: numbers of other "
            "positions land in each vector. merge_heads does it right.",
        ),
        Mistake(
            "no_output_projection",
            _with(
                lambda x, project, rotate, attend, merge, out: _attention(
                    x, project, rotate, attend, merge, lambda states: states
                )
            ),
            "Your heads stand side by side, but nothing mixes them: to_output is missing.",
        ),
        Mistake(
            "post_norm",
            _around(lambda x, mix, feed, norm1, norm2: _post(_post(x, mix, norm1), feed, norm2)),
            "Your norms stand behind the sums, as in 2017; a Llama has them in front of the sub-layers.",
        ),
        Mistake(
            "side_by_side",
            _around(lambda x, mix, feed, norm1, norm2: x + mix(norm1(x)) + feed(norm2(x))),
            "Your feed-forward network reads what came into the layer; what attention has added does not reach it.",
        ),
        Mistake(
            "no_residuals",
            _around(lambda x, mix, feed, norm1, norm2: feed(norm2(mix(norm1(x))))),
            "Neither of your sub-layers has its input added.",
        ),
        Mistake(
            "no_first_residual",
            _around(lambda x, mix, feed, norm1, norm2: _pre(mix(norm1(x)), feed, norm2)),
            "What attention gives goes on alone: the first residual connection is missing.",
        ),
        Mistake(
            "no_second_residual",
            _around(lambda x, mix, feed, norm1, norm2: feed(norm2(_pre(x, mix, norm1)))),
            "What the feed-forward network gives goes on alone: the second residual connection is missing.",
        ),
        Mistake(
            "second_residual_from_below",
            _around(lambda x, mix, feed, norm1, norm2: x + feed(norm2(_pre(x, mix, norm1)))),
            "Your second sum takes up what came into the layer, and not what came out of the first half.",
        ),
        Mistake(
            "normed_residuals",
            _around(lambda x, mix, feed, norm1, norm2: _from_normed(_from_normed(x, mix, norm1), feed, norm2)),
            "You add the results to the normed states; the way past the sub-layers should be left alone.",
        ),
        Mistake(
            "norms_swapped",
            _around(lambda x, mix, feed, norm1, norm2: _pre(_pre(x, mix, norm2), feed, norm1)),
            "Your two norms have changed places.",
        ),
        Mistake(
            "one_norm_twice",
            _around(lambda x, mix, feed, norm1, norm2: _pre(_pre(x, mix, norm1), feed, norm1)),
            "The first norm of yours is used twice, and the second not at all.",
        ),
        Mistake(
            "no_second_norm",
            _around(lambda x, mix, feed, norm1, norm2: _pre(x, mix, norm1) + feed(_pre(x, mix, norm1))),
            "Your feed-forward network reads states that have not been normed.",
        ),
        Mistake(
            "no_first_norm",
            _around(lambda x, mix, feed, norm1, norm2: _pre(x + mix(x), feed, norm2)),
            "Your projections read states that have not been normed.",
        ),
        Mistake(
            "feed_forward_first",
            _around(lambda x, mix, feed, norm1, norm2: _pre(_pre(x, feed, norm2), mix, norm1)),
            "Your halves have changed places: the feed-forward network comes first.",
        ),
        Mistake(
            "attention_only",
            _around(lambda x, mix, feed, norm1, norm2: _pre(x, mix, norm1)),
            "The first half is right; the feed-forward network plays no part.",
        ),
    ),
    alternatives={
        "two lines": _one_line,
        "in halves": _around(lambda x, mix, feed, norm1, norm2: _pre(_pre(x, mix, norm1), feed, norm2)),
        "turned in a list": _with(_turned(0, 1)),
    },
    hints=(
        "Two halves, each `states + sub_layer(norm(states))`. The first sub-layer has five parts.",
        "In the first half: norm, project, turn two of the three, attend, merge, to_output. The second half begins "
        "with the sum that the first has made.",
        "`query, key, value = project(attention_norm(hidden_states))`, then `attend(rotate(query), rotate(key), value)`"
        "; the rest goes around it.",
    ),
    solution="query, key, value = project(attention_norm(hidden_states))\n"
    "context = attend(rotate(query), rotate(key), value)\n"
    "hidden_states = hidden_states + to_output(merge_heads(context))\n"
    "return hidden_states + feed_forward(feed_forward_norm(hidden_states))",
    explanation="Llama, Mistral, Qwen and SmolLM2 are piles of this layer, with a table of tokens below and above. "
    "Positions come in at each layer, in the scores alone. Nothing stands on the way from the first sum to the last: a "
    "difference, too, travels it unhindered.",
    stages=_steps,
)


def _post(x: Tensor, part: Part, norm: Part) -> Tensor:
    return norm(x + part(x))


def _pre(x: Tensor, part: Part, norm: Part) -> Tensor:
    return x + part(norm(x))


def _from_normed(x: Tensor, part: Part, norm: Part) -> Tensor:
    return norm(x) + part(norm(x))
