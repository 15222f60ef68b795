"""The residual stream: one line per position, parts that read it and add to it, and what is lost without one of them.

Every part of every layer at every position was taken out beforehand, so the page needs no Python. The class knows no
model: it is given the numbers. Notebook 02.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes, weight_bytes
from anatomy_course.views._kit.checks import Whole, numbers, word_list
from anatomy_course.views._kit.token_text import spelling
from anatomy_utils.interpret.residual_stream import read_residual_stream, without_each_part
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_TOKENS = 12
MOST = 5
"""How many next tokens are shown."""


class ResidualStream(AnatomyWidget):
    """Streams, the parts on them, and the next token with and without one part at one position, or at all of them.

    Args:
        tokens: of the text, one for each position.
        moved: as a share of its length, how far the stream is from what it was after each part: when a part is out,
            (out, place, part, position); the last of the places is all positions at once.
        top: the likeliest next tokens with nothing taken out, `top[0]`, and without each part, (1 + out, place, most).
        probabilities: theirs.
        kept: the probability that what was the likeliest next token has left, (out, place).
        shares: what each part adds to its lead over the second likeliest, (part,).
        part: taken out at first. Part 0 is the embedding, then come attention and feed-forward network of each layer.
        place: where it is taken out; all positions when left out.

    Raises:
        ValueError: numbers that do not fit together.
    """

    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    parts = traitlets.Int().tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Every next token that is named somewhere, once."""
    top = buffer_trait()
    """Places in `words` (1 + out, place, most) as uint16."""
    probabilities = buffer_trait()
    kept = buffer_trait()
    moved = buffer_trait()
    """(out, place, part, position), one byte each; 255 is the stream's own length or more."""
    shares = traitlets.List(traitlets.Float()).tag(sync=True)
    part = Whole("parts").tag(sync=True)
    place = Whole("tokens", past=1).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        moved: Any,
        top: Sequence[Sequence[Sequence[str]]],
        probabilities: Any,
        kept: Any,
        shares: Any,
        *,
        part: int = 0,
        place: int | None = None,
        label: str = "The residual stream: take out one part",
    ) -> None:
        words = word_list(tokens, "tokens", at_most=MOST_TOKENS)
        places, positions = len(words) + 1, len(words)
        lead = numbers(shares, "shares", "part")
        far = numbers(moved, "moved", "out place part position", out=len(lead), place=places, part=len(lead),
                      position=positions)  # fmt: skip
        left = numbers(kept, "kept", "out place", out=len(lead), place=places)
        likely = numbers(probabilities, "probabilities", "rows place most", rows=len(lead) + 1, place=places)
        named = np.array(top, dtype=object)
        if named.shape != likely.shape:
            raise ValueError(f"top has shape {named.shape} and probabilities {likely.shape}; give one for each.")
        known = list(dict.fromkeys(named.ravel().tolist()))
        number = {each: i for i, each in enumerate(known)}
        super().__init__(
            tokens=words, parts=len(lead), words=known, shares=lead.tolist(), label=label, part=part,
            place=positions if place is None else place, moved=weight_bytes(far), kept=float_bytes(left),
            probabilities=float_bytes(likely), top=np.array([number[each] for each in named.ravel()], "<u2").tobytes(),
        )  # fmt: skip

    def left(self) -> np.ndarray:
        """What probability is left to the likeliest next token, (out, place), as the browser has it."""
        return np.frombuffer(self.kept, "<f4").reshape(self.parts, -1)

    def still_picture(self) -> Picture:
        """What is left without each part, at each position and at all."""
        left = self.left().T
        best = float(np.frombuffer(self.probabilities, "<f4")[0])
        word = self.words[int(np.frombuffer(self.top, "<u2")[0])]
        worst = [name_of(int(part)) for part in left[-2].argsort()[:3]]
        return plots.heatmap(
            left, [*self.tokens, "all"], [str(part) for part in range(self.parts)], values=False, limit=best,
            title=f"Probability of “{word}” without one part at one position", axes=("taken out at", "part"),
            alt=f"Probability of “{word}”, {best:.2f} as it is, without each of {self.parts} parts at each of "
            f"{len(self.tokens)} positions. At the last position, least is left without {', '.join(worst)}.",
        )  # fmt: skip


def name_of(part: int) -> str:
    """Part 0 is the embedding; then attention and feed-forward network take turns."""
    return f"layer {(part - 1) // 2}, {'attention' if part % 2 else 'feed-forward'}" if part else "embedding"


def residual_stream(
    model: LanguageModel, words: Vocabulary | Tokenizer, text: str, *, part: int = 0, place: int | None = None
) -> ResidualStream:
    """The streams of one text in a pre-norm decoder, and what it says next without each of its parts.

    Args:
        words: the street's vocabulary, or the tokenizer of a published model.
        part, place: see `ResidualStream`.
    """
    spell = spelling(words)
    ids = spell.ids(text)

    def bare(id: int) -> str:
        return spell.word(id).removeprefix("␣") or spell.word(id)

    whole = read_residual_stream(model, torch.tensor([ids]))
    without = without_each_part(model, torch.tensor([ids]))
    with torch.no_grad():
        intact = model(torch.tensor([ids]))[0, -1].expand(1, *without.logits.shape[1:])
    chances = torch.cat([intact, without.logits]).softmax(dim=-1)
    top = chances.topk(MOST, dim=-1)
    return ResidualStream(
        [bare(i) for i in ids], without.moved,
        [[[bare(i) for i in row] for row in rows] for rows in top.indices.tolist()],
        top.values, chances[1:, :, int(intact[0, 0].argmax())], whole.shares, part=part, place=place,
    )  # fmt: skip
