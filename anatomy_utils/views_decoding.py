"""Where a language model meets a widget: its logits explored, its text written token by token, its beams as a tree.

Joins like those of `views.py`, for notebook 04. Each takes the street's vocabulary or a published tokenizer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from anatomy_utils.decoding import Filters
from anatomy_utils.decoding.generate import NO_FILTERS
from anatomy_utils.heads import LanguageModel
from anatomy_utils.spelling import spelling
from anatomy_utils.street import Vocabulary
from anatomy_utils.tokenization import Tokenizer

if TYPE_CHECKING:
    from anatomy_utils.widgets.logits_explorer import LogitsExplorer


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
    from anatomy_utils.widgets.logits_explorer import LogitsExplorer, Outputs

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


def check_known(filters: Filters) -> None:
    """Raise one clear sentence where a filter has no control on the page.

    Raises:
        ValueError: there is a min-p or a repetition penalty.
    """
    known = Filters(temperature=filters.temperature, top_k=filters.top_k, top_p=filters.top_p)
    if filters != known:
        raise ValueError(f"{filters} holds a filter without a slider here; use temperature, top_k and top_p.")
