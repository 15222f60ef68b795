"""What views of a model that writes share: how much it may write, what it wrote, and which filters have a slider."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from anatomy_course.views._kit.token_text import Spelling
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.stepper import Stepper
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.positions import LearnedPositions


def continuation(spelled: Spelling, prompt_ids: Sequence[int], new_ids: Sequence[int]) -> str:
    """What was written behind a prompt, spelled as it is there: without a capital in the middle of a sentence."""
    start, whole = spelled.text(prompt_ids), spelled.text([*prompt_ids, *new_ids])
    return (whole[len(start) :] if whole.startswith(start) else spelled.text(new_ids)).strip()


def room_to_write(model: LanguageModel, prompt_length: int, wanted: int) -> int:
    """How many tokens may follow a prompt: as many as are wanted, or as the model's positions allow.

    Raises:
        ValueError: none has room, or none is wanted.
    """
    positions = model.decoder.embeddings.positions
    free = positions.max_positions - prompt_length if isinstance(positions, LearnedPositions) else wanted
    if min(free, wanted) < 1:
        raise ValueError(
            f"The prompt has {prompt_length} tokens, and {min(free, wanted)} more have room; shorten it, or raise "
            "max_new_tokens to at least 1."
        )
    return min(free, wanted)


def stepper_of(
    model: LanguageModel, spelled: Spelling, prompt_ids: Sequence[int], room: int, show: int
) -> Stepper[KeyValueCache]:
    """The model behind a prompt, token by token, with room for so many and so many candidates each time."""
    return Stepper(
        model.step, lambda: model.start(1, len(prompt_ids) + room), torch.tensor([prompt_ids]),
        stop_ids=spelled.stop_ids, show=show,
    )  # fmt: skip


def cuts_in_words(top_k: int, top_p: float | int) -> list[str]:
    """Top-k and top-p in words, where they are on."""
    return [f"top-k {top_k}"] * bool(top_k) + [f"top-p {top_p:g}"] * (top_p < 1)


def check_known(filters: Filters) -> None:
    """Raise one clear sentence where a filter has no control on the page.

    Raises:
        ValueError: there is a min-p or a repetition penalty.
    """
    known = Filters(temperature=filters.temperature, top_k=filters.top_k, top_p=filters.top_p)
    if filters != known:
        raise ValueError(f"{filters} holds a filter without a slider here; use temperature, top_k and top_p.")
