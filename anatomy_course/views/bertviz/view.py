"""bertviz's head view and model view of tensors from `watch`, made to work offline.

bertviz (Jesse Vig, 2019, arXiv:1906.05714) draws attention as lines between two columns of words. Its page fetches
three libraries from the internet, sometimes too late, draws black on black in a dark notebook, and does not escape
what stands in the tokens. Here its own page runs with local copies of d3 and jQuery in a sandboxed frame that can
reach nothing outside itself, and follows the notebook's theme. The weights are its own, rounded to four decimals; every
head has its own color and number, and its lines do not vanish where twelve heads are shown together.

Notebook 02 uses both views, and that of `bertviz_neurons`; `AttentionViewer` shows the same weights for sentences of up
to 256 tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import torch
import traitlets
from torch import Tensor

from anatomy_course.figures import plots
from anatomy_course.figures.arrays import to_array
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views._kit.checks import word_list

MOST_TOKENS = 32
DIGITS = 4
MENDED = {
    "d3.scaleOrdinal(d3.schemeCategory10)": "headColorOf",
    "d3.scale.category10()": "headColorOf",
    "lighten(headColors(i))": "HEAD_OFF",
    "return d / activeHeads()": "return d / Math.sqrt(activeHeads())",
    "config.thumbnailBoxHeight = 7 * (12 / config.totalHeads)": (
        "config.thumbnailBoxHeight = rowHeight(7 * (12 / config.totalHeads), config.numLayers, config.leftText.length)"
    ),
}
"""What bertviz's script says → what it says here."""
SELF_ATTENTION = "layers.*.self_attention.weights"
MISSING = "bertviz is not installed, and only this view needs it: run `pip install bertviz`, then restart the kernel."


class BertvizView(AnatomyWidget):
    """bertviz's page in a frame. It lives in the page only: a saved notebook keeps the picture, not the page."""

    page = traitlets.Unicode("").tag(sync=True)
    hint = traitlets.Unicode("").tag(sync=True)

    def __init__(self, page: str, weights: Tensor, tokens: list[str], layer: int = 0, **traits: Any) -> None:
        super().__init__(page=page, **traits)
        self._weights = weights
        self._tokens = tokens
        self._layer = layer

    def still_picture(self) -> Picture:
        """The heads of the layer shown first, as small maps."""
        maps = [(f"head {head}", weights) for head, weights in enumerate(to_array(self._weights[self._layer]))]
        where = f"{self.label}: layer {self._layer}, every head"
        return plots.heatmaps(
            maps, self._tokens, self._tokens, title=where, per_row=3, values=False,
            alt=f"{where}: {len(maps)} small attention maps of “{' '.join(self._tokens)}”.",
        )  # fmt: skip


def head_view(
    seen: Mapping[str, Tensor] | Sequence[Tensor],
    tokens: Sequence[str],
    *,
    layer: int = 0,
    heads: Sequence[int] | None = None,
    sentence: int = 0,
    label: str = "bertviz head view",
) -> BertvizView:
    """Lines from every word to the words it attends to, one color per head, for one layer at a time.

    Args:
        seen: what `watch` collected, or one weights tensor (heads query key) or (batch heads query key) per layer.
        tokens: the words of the sentence, at most 32.
        layer: the layer shown first, from 0.
        heads: the heads shown first; all of them if None.
        sentence: which sentence of the batch.
        label: the view's title and accessible name.

    Raises:
        ValueError: no weights were seen, they do not fit the tokens, or there are more than 32 tokens.
        ImportError: bertviz is not installed.
    """
    weights, words = checked_weights(seen, tokens, sentence)
    layers, count = weights.shape[:2]
    for name, value, size in [("layer", layer, layers), *(("head", head, count) for head in heads or ())]:
        if not 0 <= value < size:
            raise ValueError(f"{name}={value} was asked for; these weights have {name} 0 to {size - 1}.")
    made = _bertviz("head_view")(
        list(weights[:, None]), words, layer=layer, heads=None if heads is None else list(heads), html_action="return"
    )
    hint = (
        "Point at a word to see only its lines. Click a numbered square to switch a head, double-click to keep only "
        "it; by keyboard: Tab, arrow keys, Enter, Shift + Enter."
    )
    return BertvizView(_page(made.data), weights, words, layer, label=label, hint=hint)


def model_view(
    seen: Mapping[str, Tensor] | Sequence[Tensor],
    tokens: Sequence[str],
    *,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    sentence: int = 0,
    label: str = "bertviz model view",
) -> BertvizView:
    """Every head of every layer as a small drawing of lines; click one to see it large.

    Args:
        layers: which layers; all of them if None.
        heads: which heads; all of them if None.
        seen, tokens, sentence, label: as for `head_view`, which raises the same.
    """
    weights, words = checked_weights(seen, tokens, sentence)
    chosen: dict[str, list[int]] = {}
    for name, wanted, size in (("layer", layers, weights.shape[0]), ("head", heads, weights.shape[1])):
        chosen[name] = list(range(size)) if wanted is None else list(wanted)
        if not chosen[name] or not all(0 <= value < size for value in chosen[name]):
            raise ValueError(f"{name}s={wanted} was asked for; these weights have {name} 0 to {size - 1}.")
    made = _bertviz("model_view")(
        list(weights[:, None]), words, display_mode="light", html_action="return",
        include_layers=chosen["layer"], include_heads=chosen["head"],
    )  # fmt: skip
    hint = (
        "Click a small drawing to see it large; by keyboard: Tab, arrow keys, Enter. In a narrow window, scroll it "
        "sideways."
    )
    return BertvizView(_page(made.data), weights, words, label=label, hint=hint)


def checked_weights(
    seen: Mapping[str, Tensor] | Sequence[Tensor], tokens: Sequence[str], sentence: int
) -> tuple[Tensor, list[str]]:
    """The weights as one tensor (layers heads query key), and the words; or one sentence saying what does not fit."""
    if isinstance(tokens, list | tuple) and len(tokens) > MOST_TOKENS:
        raise ValueError(
            f"bertviz draws one line per pair of words and gets slow above {MOST_TOKENS} tokens, and here are "
            f"{len(tokens)}: shorten the sentence or use AttentionViewer, which shows up to 256."
        )
    words = word_list(tokens, "tokens", at_most=MOST_TOKENS)
    if isinstance(seen, Mapping):
        found = [tensor for name, tensor in seen.items() if fnmatchcase(name, SELF_ATTENTION)]
        if not found:
            raise ValueError(
                f"No tensor named {SELF_ATTENTION} was seen; run the model inside `with watch(model) as seen:`."
            )
    else:
        found = list(seen)
    found = [torch.as_tensor(layer).detach().float().cpu() for layer in found]
    shapes = list(dict.fromkeys(tuple(layer.shape) for layer in found))
    if len(shapes) != 1 or len(shapes[0]) not in (3, 4):
        raise ValueError(
            f"The weights have shapes {', '.join(map(str, shapes)) or 'of no layer at all'}; "
            "give one tensor (heads query key) or (batch heads query key) per layer, all of one shape."
        )
    if len(shapes[0]) == 4:
        if not 0 <= sentence < shapes[0][0]:
            raise ValueError(f"sentence={sentence} was asked for; this batch has sentences 0 to {shapes[0][0] - 1}.")
        found = [layer[sentence] for layer in found]
    weights = torch.stack(found)
    if weights.shape[2:] != (len(words), len(words)):
        raise ValueError(
            f"{len(words)} tokens were given for weights with {weights.shape[2]} query and {weights.shape[3]} key "
            "positions; give one token for each position, padding included."
        )
    return weights, words


def _bertviz(view: str) -> Any:
    """One of bertviz's two functions; the import waits until here because it takes a while."""
    try:
        import bertviz
    except ImportError:
        raise ImportError(MISSING) from None
    return getattr(bertviz, view)


@cache
def _text(*path: str) -> str:
    return Path(__file__).parent.joinpath(*path).read_text(encoding="utf-8")


def _page(made: str) -> str:
    """bertviz's HTML as one page: its CDN tag gone, our libraries in, its data small and unable to end the script."""
    opening = '<script type="text/javascript">'
    body, script = made.split(opening, 1)
    body = re.sub(r"<script\b[^>]*>\s*</script>", "", body)
    script = script.rsplit("</script>", 1)[0]
    start = script.index("const params = ") + len("const params = ")
    data, length = json.JSONDecoder().raw_decode(script[start:])
    # bertviz's comment behind the data holds all of it once more.
    rest = script[start + length :].split("\n", 1)[1]
    small = json.dumps(rounded_numbers(data), separators=(",", ":")).replace("<", "\\u003c")
    script = f"{script[:start]}{small};\n{rest}"
    for theirs, ours in MENDED.items():
        script = script.replace(theirs, ours)
    return frame_page(body, re.sub(r"^\s*console\.log\(.*$", "", script, flags=re.MULTILINE))


def frame_page(body: str, script: str) -> str:
    """A page that can reach nothing outside itself: our libraries, then bertviz's script, which finds its elements."""
    scripts = [_text("vendor", "jquery.slim.min.js"), _text("vendor", "d3.min.js"), script]
    page = _text("page.html").replace("<!-- body -->", body)
    return page.replace("<!-- scripts -->", "\n".join(f"<script>{text}</script>" for text in scripts))


def rounded_numbers(value: Any) -> Any:
    """`value` with every float in it rounded, at any depth."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, list):
        return [rounded_numbers(part) for part in value]
    return {key: rounded_numbers(part) for key, part in value.items()} if isinstance(value, dict) else value
