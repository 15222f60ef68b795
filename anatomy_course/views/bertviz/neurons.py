"""bertviz's neuron view of tensors from `watch`: one head's queries and keys, feature by feature, made to work offline.

bertviz (Jesse Vig, 2019, arXiv:1906.05714) runs models of its own for this view, because it needs their queries and
keys. Here its page is given those of our encoder, in the same sandboxed frame as `bertviz.head_view`. Notebook 02.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from importlib import resources
from typing import Any

import torch
from torch import Tensor

from anatomy_course.figures import plots
from anatomy_course.figures.arrays import to_array
from anatomy_course.figures.picture import Picture
from anatomy_course.views.bertviz.view import MISSING, BertvizView, checked_weights, frame_page, rounded_numbers

NEURON_BODY = (
    '<div id="neurons" data-query="{}" style="padding: 8px">'
    '<label class="dropdown-label">Layer: <select id="layer"></select></label> '
    '<label class="dropdown-label">Head: <select id="att_head"></select></label><div id="vis"></div></div>'
)
NEURON_MENDED = {
    "'attn': 'blue'": "'attn': '#4a90d9'",
    "'pos': '#0c36d8'": "'pos': '#4a90d9'",
    "'connector': \"blue\"": "'connector': '#4a90d9'",
    "'text': '#202020'": "'text': 'var(--ink)'",
    "'selected_text': 'black'": "'selected_text': 'var(--ink)'",
    "'heading_text': 'black'": "'heading_text': 'var(--ink)'",
    "'dropdown': 'black'": "'dropdown': 'var(--ink)'",
    "'background': 'white'": "'background': 'var(--page)'",
    "'vector_border': \"#EEE\"": "'vector_border': 'var(--faint)'",
    "config.expanded = false;\n            config.bidi": "config.expanded = true;\n            config.bidi",
}
"""What bertviz's script says → what it says here: colors that follow the theme, and vectors shown from the start."""
NEURON_HINT = (
    "Point at a word on the left: its query meets every key. Blue is positive, orange negative. Choose another layer "
    "or head above; by keyboard: Tab, and Enter to hide or show the vectors. In a narrow window, scroll it sideways."
)


class NeuronView(BertvizView):
    """bertviz's neuron view in a frame; a saved notebook keeps the products of one query."""

    def __init__(
        self, page: str, weights: Tensor, tokens: list[str], products: Tensor, where: str, **traits: Any
    ) -> None:
        super().__init__(page, weights, tokens, **traits)
        self._products = products
        self._where = where

    def still_picture(self) -> Picture:
        """Query × key of one word, feature by feature, one row for each key."""
        summed = [f"{token}  Σ {row.sum():+.1f}" for token, row in zip(self._tokens, self._products, strict=True)]
        return plots.heatmap(
            to_array(self._products), summed, title=self._where, kind="signed", axes=("key", "feature"),
            values=False,
            alt=f"{self._where}: {len(self._tokens)} keys × {self._products.shape[1]} features, each the feature of "
            "the query times that of the key. A row adds up to the score of its key, times √d_head.",
        )  # fmt: skip


def neuron_view(
    seen: Mapping[str, Tensor],
    tokens: Sequence[str],
    *,
    layer: int = 0,
    head: int = 0,
    word: str = "",
    sentence: int = 0,
    label: str = "bertviz neuron view",
) -> NeuronView:
    """One head's queries and keys: what a word's query and each key have in common, feature by feature.

    Args:
        seen: what `watch` collected from an encoder, with weights, queries and keys of every layer.
        head: the head shown first, from 0.
        word: the word whose query is shown first, and in the saved picture; the first one when left out.
        tokens, layer, sentence, label: as for `bertviz.head_view`, which raises the same.
    """
    weights, words = checked_weights(seen, tokens, sentence)
    for name, value, size in (("layer", layer, weights.shape[0]), ("head", head, weights.shape[1])):
        if not 0 <= value < size:
            raise ValueError(f"{name}={value} was asked for; these weights have {name} 0 to {size - 1}.")
    queries, keys = (_vectors(seen, role, weights, sentence) for role in ("query", "key"))
    shown = {"left_text": words, "right_text": words, "attn": weights, "queries": queries, "keys": keys}
    listed = {name: value.tolist() if isinstance(value, Tensor) else value for name, value in shown.items()}
    params = {
        "attention": {"all": rounded_numbers(listed)}, "default_filter": "all", "root_div_id": "neurons",
        "bidirectional": True, "display_mode": "light", "layer": layer, "head": head,
    }  # fmt: skip
    query = words.index(word) if word in words else 0
    products = queries[layer, head, query] * keys[layer, head]
    where = f"layer {layer}, head {head}: query of “{words[query]}” × each key"
    page = frame_page(NEURON_BODY.format(query), _script(params))
    return NeuronView(page, weights, words, products, where, label=label, hint=NEURON_HINT)


def _vectors(seen: Mapping[str, Tensor], role: str, weights: Tensor, sentence: int) -> Tensor:
    """Queries or keys of all layers, (layers heads position d_head)."""
    name = f"layers.*.self_attention.{role}"
    found = [tensor[sentence].detach().float().cpu() for path, tensor in seen.items() if fnmatchcase(path, name)]
    if len(found) != len(weights) or any(each.shape[:2] != weights.shape[1:3] for each in found):
        raise ValueError(
            f"{len(found)} tensors named {name} were seen that could go with weights of {len(weights)} layers; run the "
            "model inside `with watch(model) as seen:` and give all that it saw."
        )
    return torch.stack(found).round(decimals=2)


def _script(params: dict[str, Any]) -> str:
    """bertviz's script with our numbers in it, unable to end the script."""
    try:
        script = resources.files("bertviz").joinpath("neuron_view.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        raise ImportError(MISSING) from None
    data = json.dumps(params, separators=(",", ":")).replace("<", "\\u003c")
    for theirs, ours in NEURON_MENDED.items():
        script = script.replace(theirs, ours)
    return script.replace("const params = window.bertviz_params", f"const params = {data};")
