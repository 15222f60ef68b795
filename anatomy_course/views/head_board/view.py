"""The head board: every head of every layer, ranked by what it attends to, and switched off at will.

The attention viewer asks "what does this head do?"; the board asks "which head does this?" and "what if it were gone?".
The class knows no model: it is given the measures, and `switch`, a function that runs the model without some heads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from torch import Tensor

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import buffer_trait, float_bytes
from anatomy_course.views._kit.checks import Name, OneOf, Whole, numbers
from anatomy_course.views._kit.request import Asking
from anatomy_course.views.attention_viewer.view import AttentionViewer
from anatomy_utils.interpret import activations, attention_patterns, head_ablation
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

Switch = Callable[[list[tuple[int, int]]], Any]
"""(layer, head) of the heads that are off → the output without them, (position, d_model)."""

PAIR = "the chosen pair"
"""The ranking that needs no measure: the weight from the chosen query to the chosen key."""
MOST_IN_TWIN = 12
IMPORTANCE = "effect on the output when off"
"""The head board's name for `head_ablation.head_importance`."""


class HeadBoard(AttentionViewer, Asking):
    """All heads as small maps, sorted and filtered by a measure; one large; and the output without those switched off.

    Args:
        measures: name → one number per head, (layers heads).
        switch: runs the model without some heads; heads cannot be switched where it is left out.
        rank: what the heads are ranked by at first: the name of a measure, or "the chosen pair".
        order: "layer" keeps the heads in the model's order, "highest" and "lowest" sort them by `rank`.
        key: position of the chosen key token.
        weights, tokens, layer, head, query: as for `AttentionViewer`.

    Raises:
        ValueError: weights, tokens and measures that do not fit together, or a place or name that does not exist.
    """

    measures = traitlets.List(traitlets.Dict()).tag(sync=True)
    """[{name, values}], the values of all heads one layer after the other."""
    rank = Name("measures", also=PAIR).tag(sync=True)
    order = OneOf("highest lowest layer").tag(sync=True)
    key = Whole("key_tokens").tag(sync=True)
    off = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    """[layer, head] of every head that is switched off; the page writes it, and it may be set from Python."""
    can_switch = traitlets.Bool(False).tag(sync=True)
    before = buffer_trait()
    """Cosine similarity of every two tokens' output vectors with all heads on, (position, position) float32."""
    after = buffer_trait()
    """The same with the heads in `off` switched off."""
    moved = buffer_trait()
    """How far each token's output vector has moved: 1 − cosine similarity, (position,) float32."""
    failed = "The model could not run without these heads ({}); switch them on again."

    def __init__(
        self,
        weights: Any,
        tokens: Sequence[str],
        measures: Mapping[str, Any] | None = None,
        *,
        switch: Switch | None = None,
        rank: str = PAIR,
        order: str = "highest",
        layer: int = 0,
        head: int = 0,
        query: int | None = None,
        key: int = 0,
        label: str = "Head board",
    ) -> None:
        super().__init__(weights, tokens, layer=layer, head=head, query=query, label=label)
        self.question = {"off": []}
        self.measures = [{"name": name, "values": self._per_head(name, of)} for name, of in (measures or {}).items()]
        self.rank, self.order, self.key = rank, order, key
        self._switch = switch
        if switch is not None:
            self._whole = self._output([])
            effect = self._effect(self._whole)
            self.before, self.after, self.moved = effect["after"], effect["after"], effect["moved"]
            self.can_switch = True

    def value_of(self, name: str) -> npt.NDArray[np.float64]:
        """One number per head of a measure or of "the chosen pair", (layers heads), as the browser has it."""
        layers, heads = self.shape[:2]
        if name == PAIR:
            weights = np.frombuffer(self.weights, np.uint8).reshape(self.shape)
            return weights[:, :, self.query, self.key].astype(np.float64) / 255
        found = next(measure["values"] for measure in self.measures if measure["name"] == name)
        return np.asarray(found, dtype=np.float64).reshape(layers, heads)

    def ranked(self) -> list[tuple[int, int]]:
        """(layer, head) of every head in the order in which the board shows them."""
        values = self.value_of(self.rank).ravel()
        sign = {"layer": 0, "highest": -1, "lowest": 1}[self.order]
        places = np.argsort(sign * values, kind="stable")
        return [(int(place) // self.shape[1], int(place) % self.shape[1]) for place in places]

    def still_picture(self) -> Picture:
        """The first heads of the ranking, as small maps."""
        values, first = self.value_of(self.rank), self.ranked()[:MOST_IN_TWIN]
        weights = np.frombuffer(self.weights, np.uint8).reshape(self.shape) / 255
        pair = f"“{self.tokens[self.query]}” to “{self.tokens[self.key]}”"
        name = pair if self.rank == PAIR else self.rank
        return plots.heatmaps(
            [(f"{layer}·{head}: {values[layer, head]:.2f}", weights[layer, head]) for layer, head in first],
            title=f"{self.label}: layer·head, {name}", per_row=6, values=False,
            alt=f"Small attention maps of {len(first)} heads, {self.order} first by {name}: "
            + ", ".join(f"layer {layer} head {head} {values[layer, head]:.2f}" for layer, head in first) + ".",
        )  # fmt: skip

    # ---- switching

    @traitlets.observe("off")
    def _ask(self, change: Any) -> None:
        """Heads that were switched off from Python are asked for like those of the page."""
        if self.can_switch and self.question["off"] != change["new"]:
            self.question = {"off": change["new"], "id": self.answered + 1}

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """How the output has changed without the heads that are off."""
        return self._effect(self._output([(layer, head) for layer, head in question["off"]]))

    def _output(self, off: list[tuple[int, int]]) -> npt.NDArray[np.float64]:
        assert self._switch is not None  # asked for only where heads can be switched
        output = numbers(self._switch(off), "what switch returned", "position d_model", position=len(self.tokens))
        return output / np.maximum(np.linalg.norm(output, axis=1, keepdims=True), 1e-12)

    def _effect(self, output: npt.NDArray[np.float64]) -> dict[str, bytes]:
        moved = np.maximum(0, 1 - (output * self._whole).sum(axis=1))
        return {"after": float_bytes(output @ output.T), "moved": float_bytes(moved)}

    # ---- what is refused

    def _per_head(self, name: str, values: Any) -> list[float]:
        layers, heads = self.shape[:2]
        array = numbers(values, f"measure {name!r}", "layers heads", layers=layers, heads=heads)
        found: list[float] = array.ravel().tolist()
        return found

    @traitlets.validate("off")
    def _on_the_board(self, proposal: traitlets.Bunch) -> list[list[int]]:
        layers, heads = self.shape[:2]
        for place in proposal["value"]:
            if len(place) != 2 or not (0 <= place[0] < layers and 0 <= place[1] < heads):
                raise ValueError(
                    f"off holds {place}; expected [layer, head] with layer 0 to {layers - 1} and head 0 to {heads - 1}."
                )
        return [list(place) for place in dict.fromkeys(map(tuple, proposal["value"]))]


def head_board(
    encoder: Encoder,
    tokenizer: Tokenizer,
    text: str,
    *,
    word: str = "",
    towards: str = "",
    rank: str = "the chosen pair",
    order: str = "highest",
) -> HeadBoard:
    """Every head of an encoder ranked by what it does with `text`, and the encoder without the heads switched off.

    Args:
        word: the query token chosen at first; the last word when left out.
        towards: the key token chosen at first.
        rank: see `HeadBoard`; the measures are those of `attention_patterns.measures` and `IMPORTANCE`.
        order: see `HeadBoard`.
    """
    tokens, seen = activations.read_activations(encoder, tokenizer, text)
    weights = torch.stack([each[0] for each in seen.matching("layers.*.self_attention.weights").values()])
    input_ids = tokenizer(text).input_ids

    def switch(off: list[tuple[int, int]]) -> Tensor:
        with torch.no_grad(), head_ablation.heads_off(encoder, off):
            return encoder(input_ids)[0]

    measures = attention_patterns.pattern_scores(weights, tokens)
    measures[IMPORTANCE] = head_ablation.head_importance(encoder, input_ids)
    query = tokens.index(word) if word in tokens else None
    key = tokens.index(towards) if towards in tokens else 0
    board = HeadBoard(weights, tokens, measures, switch=switch, rank=rank, order=order, query=query, key=key)
    board.layer, board.head = board.ranked()[0]
    return board
