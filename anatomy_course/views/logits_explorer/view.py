"""The logits explorer: from a hidden state to a probability for every token, and what temperature and filters do to it.

A decoder's last step. Each position's state times the token table gives one logit per token; softmax makes
probabilities of them. All is computed in the browser. A large vocabulary does not travel whole: the likeliest `KEPT`
tokens come one by one, and the rest in groups of neighbors in rank (`grouped`), so close together that their mean
stands for them. Notebook 05.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import Real, Whole, arrays_of, word_list
from anatomy_course.views._kit.token_text import spelling
from anatomy_course.views._kit.writing import check_known, cuts_in_words
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generation import NO_FILTERS
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

WHOLE = 1024
"""A vocabulary of at most so many tokens travels whole."""
KEPT = 60
"""Of a larger one, so many tokens of each position are known by name."""
FINENESS = 0.02
"""A group of the others spans so large a part of its rank."""
COLDEST, HOTTEST = 0.1, 3.0
LOWEST_P = 0.05
SHOWN = 20
MOST_IN_TWIN = 10
TENSORS = {"states": "position d_model", "logits": "position vocab_size", "table": "vocab_size d_model"}


@dataclass(frozen=True)
class Outputs:
    """What a language model says behind every token of a text."""

    tokens: Sequence[str]
    states: Any
    """(position, d_model): what the last linear layer reads."""
    logits: Any
    """(position, vocab_size)"""
    table: Any
    """(vocab_size, d_model): the weight of that layer, one row per token."""
    names: Sequence[str]
    """The vocabulary's tokens as they are to be shown."""
    next_ids: Sequence[int]
    """The token that really follows each position; one fewer where nothing follows the last."""
    tied: bool
    """Whether the table is the embeddings' own."""


@dataclass(frozen=True)
class Distribution:
    """What temperature and filters make of one position, for tokens in the order of their logits."""

    before: npt.NDArray[np.float64]
    """softmax(logits / T); of a group, all its tokens together."""
    after: npt.NDArray[np.float64]
    """The same after the filters, summing to 1 again."""
    kept: npt.NDArray[np.float64]
    """How many tokens the filters leave of each entry, a single token's being 1 or 0."""


class LogitsExplorer(AnatomyWidget):
    """The distribution over the next token at any position of a text, under temperature, top-k and top-p.

    Args:
        outputs: what the model says; see `Outputs`.
        position: the position chosen at first, the last unless told.
        temperature: at first, from 0.1 to 3.
        top_k: how many tokens are kept at first; 0 for all.
        top_p: the probability that the kept ones reach, from 0.05; 1 for all.

    Raises:
        ValueError: shapes that do not fit together, or a setting out of its range.
    """

    drawn_height = 680
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    vocab_size = traitlets.Int().tag(sync=True)
    d_model = traitlets.Int().tag(sync=True)
    tied = traitlets.Bool(True).tag(sync=True)
    states = buffer_trait()
    """(position, d_model) float32."""
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """The tokens that are known by name."""
    order = buffer_trait()
    """(position, entry) float32: which of `names` stands at each rank."""
    logits = buffer_trait()
    """(position, entry) float32, largest first."""
    group_sizes = traitlets.List(traitlets.Int()).tag(sync=True)
    """How many of the other tokens each group holds, largest logits first."""
    group_logits = buffer_trait()
    """(position, group) float32: their mean."""
    rows = buffer_trait()
    """(name, d_model): the tokens' rows of the table in 127ths of `row_limit`, as signed bytes."""
    row_limit = traitlets.Float().tag(sync=True)
    truth = traitlets.List(traitlets.Dict()).tag(sync=True)
    """{name, rank, logit} of what follows each position, {} for nothing: its place in `names`, and from 0 among all."""
    position = traitlets.Int(0).tag(sync=True)
    token = traitlets.Int(0).tag(sync=True)
    """The rank of the token whose row is shown."""
    temperature = Real(COLDEST, HOTTEST, 1.0).tag(sync=True)
    top_k = Whole(None).tag(sync=True)
    top_p = Real(LOWEST_P, 1.0, 1.0).tag(sync=True)

    def __init__(
        self,
        outputs: Outputs,
        *,
        position: int | None = None,
        temperature: float | int = 1.0,
        top_k: int = 0,
        top_p: float | int = 1.0,
        label: str = "From a hidden state to the next token",
    ) -> None:
        tokens = word_list(outputs.tokens, "tokens")
        count, vocab_size = len(tokens), len(outputs.names)
        states, logits, table = arrays_of(outputs, TENSORS, position=count, vocab_size=vocab_size).values()
        _check_next_ids(outputs.next_ids, count, vocab_size)
        chosen = len(tokens) - 1 if position is None else position
        if not 0 <= chosen < len(tokens):
            raise ValueError(f"position is {position}; this text has positions 0 to {len(tokens) - 1}.")
        by_rank = np.argsort(-logits, axis=-1, kind="stable")
        entries = logits.shape[1] if logits.shape[1] <= WHOLE else KEPT
        known = np.unique(np.concatenate([by_rank[:, :entries].ravel(), np.array(outputs.next_ids, dtype=np.int64)]))
        sorted_logits = np.take_along_axis(logits, by_rank, axis=-1)
        sizes, means = grouped(sorted_logits, entries)
        limit = float(np.abs(table[known]).max()) or 1.0
        super().__init__(
            tokens=tokens, vocab_size=logits.shape[1], d_model=states.shape[1], tied=outputs.tied,
            states=float_bytes(states), names=[str(outputs.names[i]) for i in known],
            order=float_bytes(np.searchsorted(known, by_rank[:, :entries])),
            logits=float_bytes(sorted_logits[:, :entries]), group_sizes=sizes, group_logits=float_bytes(means),
            rows=np.rint(table[known] / limit * 127).astype(np.int8).tobytes(), row_limit=limit,
            truth=_truth(outputs.next_ids, known, by_rank, sorted_logits),
            position=chosen, temperature=temperature, top_k=top_k, top_p=top_p, label=label,
        )  # fmt: skip

    def distribution(self, position: int | None = None) -> Distribution:
        """The probabilities at a position, the chosen one unless told, as the page shows them."""
        at = self.position if position is None else position
        return distribution(*self._entries(at), self.temperature, self.top_k, self.top_p)

    def words(self, position: int | None = None) -> list[str]:
        """The tokens known by name at a position, likeliest first."""
        at = self.position if position is None else position
        return [self.names[int(i)] for i in np.frombuffer(self.order, "<f4").reshape(len(self.tokens), -1)[at]]

    def _entries(self, position: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        single, groups = (
            np.frombuffer(trait, "<f4").reshape(len(self.tokens), -1)[position].astype(np.float64)
            for trait in (self.logits, self.group_logits)
        )
        counts = np.concatenate([np.ones(len(single), dtype=np.int64), np.array(self.group_sizes, dtype=np.int64)])
        return np.concatenate([single, groups]), counts

    def still_picture(self) -> Picture:
        """The likeliest tokens at the chosen position; with a filter, where it cuts the added probabilities off."""
        found, words = self.distribution(), self.words()[:MOST_IN_TWIN]
        others = self.vocab_size - len(words)
        told = ", ".join(f"{word} {p:.0%}" for word, p in list(zip(words, found.after, strict=False))[:5])
        text = " ".join(self.tokens[: self.position + 1])
        title = f"{self.label}: after “{self.tokens[self.position]}”"
        alt = (
            f"What may follow “{text}”, of {self.vocab_size} tokens, at temperature {self.temperature:g}"
            f"{', ' if self._filters else ''}{self._filters}: {told}. "
            f"All other {others} tokens together: {found.after[len(words) :].sum():.0%}."
        )
        if self._filters:
            return self._where_it_cuts(found, title, f"{alt} {found.kept.sum():.0f} tokens are kept.")
        series = {f"softmax, T = {self.temperature:g}": found.before[: len(words)]}
        return plots.bars(words, series, xlabel="probability", title=title, alt=alt)

    def _where_it_cuts(self, found: Distribution, title: str, alt: str) -> Picture:
        """The probabilities added up over the rank, and the two filters as two lines."""
        ranks = np.cumsum(self._entries(self.position)[1])
        ranks, sums = (np.append(each, each[-1]) for each in (ranks, np.cumsum(found.before)))
        curves = {f"added up, T = {self.temperature:g}": sums}
        if self.top_p < 1:
            curves[f"p = {self.top_p:g}"] = np.full(len(ranks), self.top_p)
        if self.top_k:  # an upright line: two points at one rank
            place = min(int(np.searchsorted(ranks, self.top_k)), len(ranks) - 2)
            ranks = np.insert(ranks, place, ranks[place])[:-1]
            curves = {name: np.insert(curve, place, curve[place])[:-1] for name, curve in curves.items()}
            curves[f"k = {self.top_k}"] = np.full(len(ranks), np.nan)
            curves[f"k = {self.top_k}"][place : place + 2] = 0.0, 1.0
        return plots.lines(
            ranks, curves, log="x", limits=(0, 1.02), xlabel="rank of the token, 1 being the likeliest",
            ylabel="probability up to this rank", title=title, alt=alt,
        )  # fmt: skip

    @property
    def _filters(self) -> str:
        """Top-k and top-p in words, where they are on."""
        return ", ".join(cuts_in_words(self.top_k, self.top_p))

    @traitlets.validate("position")
    def _a_position(self, proposal: Any) -> int:
        return int(np.clip(proposal["value"], 0, max(len(self.tokens) - 1, 0)))


def grouped(sorted_logits: npt.NDArray[np.float64], start: int) -> tuple[list[int], npt.NDArray[np.float64]]:
    """The tokens from rank `start` on, in groups of neighbors: how many each holds, and their mean logit.

    A group's size is a fixed part of its rank, so that its logits lie close together; the sum of exp(logit / T) over
    all of them is then as good as exact.
    """
    vocab_size = sorted_logits.shape[1]
    cuts = [start]
    while cuts[-1] < vocab_size:
        cuts.append(min(vocab_size, cuts[-1] + max(1, int(FINENESS * cuts[-1]))))
    means = [sorted_logits[:, a:b].mean(axis=1) for a, b in zip(cuts, cuts[1:], strict=False)]
    stacked = np.stack(means, axis=1) if means else np.zeros((len(sorted_logits), 0))
    return np.diff(cuts).tolist(), stacked


def distribution(
    logits: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int64],
    temperature: float | int,
    top_k: int,
    top_p: float | int,
) -> Distribution:
    """Temperature, then top-k, then top-p, as `decoding.Filters` has them; the page computes the same.

    Args:
        logits: largest first; of a group, the mean.
        counts: how many tokens stand behind each.
        temperature: above 0.
        top_k: 0 for all.
        top_p: 1 for all.
    """
    scaled = logits / temperature
    each = np.exp(scaled - scaled.max())
    each /= (each * counts).sum()
    ranks = np.concatenate([[0], np.cumsum(counts)[:-1]])
    kept = counts.astype(np.float64)
    if top_k:
        kept = np.clip(top_k - ranks, 0, counts).astype(np.float64)
        last = scaled[kept > 0][-1]
        kept[(counts == 1) & (scaled == last)] = 1  # those that tie with the last stay too
    if top_p < 1:
        share = each * kept / (each * kept).sum()
        # From the least likely up: what can go is what adds up to 1 − p or less.
        below = np.concatenate([np.cumsum(share[::-1])[::-1][1:], [0]])
        with np.errstate(divide="ignore", invalid="ignore"):
            gone = np.floor((1 - top_p - below) / np.where(share > 0, share / np.maximum(kept, 1), 1) + 1e-9)
        kept -= np.clip(gone, 0, kept)
        kept[0] = max(kept[0], 1)
    after = each * kept
    return Distribution(each * counts, after / after.sum(), kept)


def _truth(
    next_ids: Sequence[int],
    known: npt.NDArray[np.int64],
    by_rank: npt.NDArray[np.int64],
    sorted_logits: npt.NDArray[np.float64],
) -> list[dict[str, Any]]:
    """What follows each position, {} behind the last."""
    found: list[dict[str, Any]] = []
    for position, token_id in enumerate(next_ids):
        rank = int(np.flatnonzero(by_rank[position] == token_id)[0])
        name = int(np.searchsorted(known, token_id))
        found.append({"name": name, "rank": rank, "logit": float(sorted_logits[position, rank])})
    return found + [{}] * (len(by_rank) - len(found))


def _check_next_ids(next_ids: Sequence[int], count: int, vocab_size: int) -> None:
    if count - len(next_ids) not in (0, 1) or any(not 0 <= i < vocab_size for i in next_ids):
        raise ValueError(
            f"next_ids holds {len(next_ids)} ids for {count} tokens; give the id that follows each, "
            f"from 0 to {vocab_size - 1}, and none for the last where nothing follows."
        )


def explore_logits(
    model: LanguageModel,
    words: Vocabulary | Tokenizer,
    text: str,
    *,
    after: str | None = None,
    filters: Filters = NO_FILTERS,
) -> LogitsExplorer:
    """What may come next behind every token of a text: hidden state, logits, probabilities, filters.

    Args:
        after: the token whose successor is asked for at first, as the view writes it; the last one when left out.
        filters: temperature, top-k and top-p at first.

    Raises:
        ValueError: the text has no such token, or there is a filter that the view has no control for.
    """
    check_known(filters)
    spelled = spelling(words)
    ids = spelled.ids(text)
    with torch.no_grad():
        states = model.decoder(torch.tensor([ids]))[0]
        logits = model.vocabulary(states)
    tokens = [spelled.word(each) for each in ids]
    if after is not None and after not in tokens:
        raise ValueError(f"There is no token {after!r} in {tokens}.")
    return LogitsExplorer(
        Outputs(
            tokens, states, logits, model.vocabulary.weight, [spelled.word(i) for i in range(logits.shape[1])], ids[1:],
            tied=model.vocabulary.weight is model.decoder.embeddings.tokens.weight,
        ),
        position=None if after is None else tokens.index(after),
        temperature=filters.temperature, top_k=filters.top_k or 0, top_p=filters.top_p or 1.0,
    )  # fmt: skip
