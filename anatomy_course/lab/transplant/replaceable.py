"""The organs that can be transplanted: what each is called with, what it must give back, and our own version of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from anatomy_utils.functional import attention, embeddings, feed_forward, layers, masks, multi_head, norm, positions
from anatomy_utils.objectives.prefix_lm import prefix_mask

Function = Callable[..., Any]
Calls = dict[str, Function]
"""Organ, or attribute of a module → what is called in its place."""
Shape = tuple[int, ...]

WEIGHTS = ("text", "head", "query", "key")


@dataclass(frozen=True)
class Replaceable:
    """One function that every model of a kind has inside, and that a learner can write.

    Attributes:
        name: the keyword in `transplant(model, name=function)`.
        arguments: what the function is called with, in order.
        axes: of what it gives back, the last ones first to be named; earlier ones may be missing.
        shapes: arguments → the shape of what it must give back (and of the weights that it may give back as well).
        reference: our own version; None where each module holds its own (`activation`).
        needed: how many of the arguments a function must take; one that takes fewer is not given the last ones.
        gives_truths: it gives back True and False instead of numbers.
    """

    name: str
    arguments: tuple[str, ...]
    axes: tuple[str, ...]
    shapes: Callable[..., Sequence[Shape]]
    reference: Function | None
    needed: int
    gives_truths: bool = False

    @property
    def call(self) -> str:
        """How the function is called: `scores(query, key)`."""
        return f"{self.name}({', '.join(self.arguments)})"

    def taken_by(self, function: object) -> int:
        """How many of the arguments a learner's function takes.

        Raises:
            ValueError: it is no function, or cannot be called with these arguments.
        """
        if not callable(function):
            raise ValueError(f"{self.name} must be a function, {self.call}, not {function!r}.")
        try:
            signature = inspect.signature(function)
        except ValueError:  # some built-in functions do not tell
            return len(self.arguments)
        for count in range(len(self.arguments), self.needed - 1, -1):
            try:
                signature.bind(*self.arguments[:count])
            except TypeError:
                continue
            return count
        raise ValueError(f"Your {self.name} takes {signature}, but it will be called as {self.call}.")


def new_organ(
    call: str,
    axes: str,
    shape: Callable[..., Shape],
    reference: Function | None,
    *,
    optional: int = 0,
    gives_truths: bool = False,
) -> Replaceable:
    """An organ by the way it is called: `"scores(query, key)"`; `axes` in words, `shape` of what it gives back."""
    name, _, rest = call.rstrip(")").partition("(")
    arguments = tuple(rest.split(", "))
    return Replaceable(
        name,
        arguments,
        tuple(axes.split()),
        lambda *given: [shape(*given)],
        reference,
        len(arguments) - optional,
        gives_truths,
    )


def _as_first(first: Any, *rest: Any) -> Shape:
    return tuple(first.shape)


def _attention_shapes(query: Any, key: Any, value: Any, mask: Any) -> Sequence[Shape]:
    return [(*query.shape[:-1], value.shape[-1]), (*query.shape[:-1], key.shape[-2])]


_VECTORS = "text position feature"
_PER_HEAD = "text head position feature"
_ALL = (
    Replaceable(
        "attention",
        ("query", "key", "value", "mask"),
        ("text", "head", "query", "feature"),
        _attention_shapes,
        attention.scaled_dot_product_attention,
        needed=3,
    ),
    new_organ(
        "scores(query, key)",
        " ".join(WEIGHTS),
        lambda query, key: (*query.shape[:-1], key.shape[-2]),
        attention.scores,
    ),
    new_organ("softmax(scores, mask)", " ".join(WEIGHTS), _as_first, attention.masked_softmax, optional=1),
    new_organ(
        "weighted_average(weights, vectors)",
        "query feature",
        lambda weights, vectors: (weights.shape[0], vectors.shape[1]),
        attention.weighted_average,
    ),
    new_organ("causal_mask(length)", "query key", lambda length: (length, length), masks.causal, gives_truths=True),
    new_organ(
        "project(hidden_states, weight, bias)",
        _VECTORS,
        lambda hidden_states, weight, bias: (*hidden_states.shape[:-1], weight.shape[1]),
        attention.project,
    ),
    new_organ(
        "split_heads(vectors, num_heads)",
        _PER_HEAD,
        lambda vectors, heads: (vectors.shape[0], heads, vectors.shape[1], vectors.shape[2] // heads),
        multi_head.split_heads,
    ),
    new_organ(
        "share_heads(vectors, num_heads)",
        _PER_HEAD,
        lambda vectors, heads: (vectors.shape[0], heads, *vectors.shape[2:]),
        multi_head.share_heads,
    ),
    new_organ(
        "merge_heads(vectors)",
        _VECTORS,
        lambda vectors: (vectors.shape[0], vectors.shape[2], vectors.shape[1] * vectors.shape[3]),
        multi_head.merge_heads,
    ),
    new_organ("layer_norm(hidden_states, weight, bias, epsilon)", _VECTORS, _as_first, norm.layer_norm, optional=1),
    new_organ("rms_norm(hidden_states, weight, epsilon)", _VECTORS, _as_first, norm.rms_norm, optional=1),
    new_organ("post_norm(hidden_states, sublayer, norm)", _VECTORS, _as_first, layers.post_norm),
    new_organ("pre_norm(hidden_states, sublayer, norm)", _VECTORS, _as_first, layers.pre_norm),
    new_organ(
        "attend_to_memory(query, key, value, attention_mask)",
        _PER_HEAD,
        lambda query, key, value, attention_mask: (*query.shape[:-1], value.shape[-1]),
        attention.attend_to_memory,
    ),
    new_organ(
        "decoder_layer(hidden_states, memory, self_attention, cross_attention, feed_forward, self_attention_norm, "
        "cross_attention_norm, feed_forward_norm)",
        _VECTORS,
        _as_first,
        layers.decoder_layer,
    ),
    new_organ(
        "feed_forward(hidden_states, expand_weight, expand_bias, contract_weight, contract_bias, activation)",
        _VECTORS,
        _as_first,
        feed_forward.feed_forward,
        optional=1,
    ),
    new_organ(
        "gated_feed_forward(hidden_states, gate_weight, expand_weight, contract_weight, activation)",
        _VECTORS,
        lambda hidden_states, gate, expand, contract, activation: (*hidden_states.shape[:-1], contract.shape[1]),
        feed_forward.gated_feed_forward,
        optional=1,
    ),
    new_organ("activation(values)", _VECTORS, _as_first, None),
    new_organ(
        "lookup(table, input_ids)",
        _VECTORS,
        lambda table, input_ids: (*input_ids.shape, table.shape[1]),
        embeddings.lookup,
    ),
    new_organ(
        "sinusoids(positions, d_model)",
        _VECTORS,
        lambda positions, d_model: (*positions.shape, d_model),
        positions.sinusoids,
    ),
    new_organ("rotary(vectors, cosines, sines)", _PER_HEAD, _as_first, positions.rotary),
)
ORGANS = {organ.name: organ for organ in _ALL}
"""Name → organ."""
FAMILY_ORGANS = {
    organ.name: organ
    for organ in (
        new_organ(
            "disentangled_scores(query, key, offset_query, offset_key, rows)",
            " ".join(WEIGHTS),
            lambda query, key, *rest: (*query.shape[:-1], key.shape[-2]),
            attention.disentangled_scores,
        ),
        new_organ(
            "parallel_layer(hidden_states, self_attention, feed_forward, norm)",
            "text position feature",
            lambda hidden_states, *rest: tuple(hidden_states.shape),
            layers.parallel_layer,
        ),
        new_organ(
            "prefix_mask(prefix_lengths, length)",
            " ".join(WEIGHTS),
            lambda prefix_lengths, length: (len(prefix_lengths), 1, length, length),
            prefix_mask,
            gives_truths=True,
        ),
    )
}
"""The same for functions that only some families have, from notebook 07; the capstone's body does without them."""


def find(name: str, among: Mapping[str, Replaceable] = ORGANS) -> Replaceable:
    """The organ of that name.

    Raises:
        ValueError: there is none.
    """
    if name not in among:
        close = get_close_matches(name, among, n=2)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"There is no organ {name!r}.{hint} There are: {', '.join(among)}.")
    return among[name]
