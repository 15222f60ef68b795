"""Notebook 05's case: find out what is wrong with `colleagues_causal_mask`, and write it right."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional.masks import causal_with_past


def repaired_mask(past: int, new: int) -> Tensor:
    """`new` positions follow `past` others → mask (new, past + new), boolean, True = may attend."""
    queries = torch.arange(past, past + new)[:, None]
    return torch.arange(past + new) <= queries


def cases(generator: Generator) -> Cases:
    kinds: tuple[tuple[str, dict[str, int]], ...] = (
        ("a text with a past", {}),
        ("a whole text", {"past": 0}),
        ("a single new position", {"new": 1}),
        ("a text with a past", {}),
        ("the first position of all", {"past": 0, "new": 1}),
    )
    for kind, fixed in kinds:
        draw = Draw(generator, "past new", (2, 3, 5, 7), **fixed, kind=kind)
        yield draw.case(past=draw["past"], new=draw["new"])


EXERCISE = written(
    repaired_mask,
    same_as=causal_with_past,
    title="The case: a colleague's mask",
    task="Write the mask that `colleagues_causal_mask` should have been: each new position sees the past, the new "
    "ones before it and itself.",
    level="medium, 4 minutes",
    returns="mask: query key",
    cases=cases,
    mistakes="""
    unchanged: torch.arange(past, past + new) ⇒ torch.arange(past + 1, past + new + 1)
        “This is what the colleague's mask does: each position still sees the one after it.”
    not_itself: <= queries ⇒ < queries
        “No position sees what comes later, but none sees itself either.”
    from_the_start: torch.arange(past, past + new) ⇒ torch.arange(new)
        “Your mask is right where there is no past. After one, the first new position sees nothing but the first word of
        all.”
    past_left_out: torch.ones(new, new, dtype=torch.bool).tril()
        “Your mask has columns for the new positions only; the past has none.”
    past_forbidden: result & (torch.arange(past + new) >= past)
        “Your new positions see each other as they should, but nothing of the past.”
    all_rows: torch.ones(past + new, past + new, dtype=torch.bool).tril()
        “Your mask has rows for the past too; only the new positions have queries.”
    """,
    also_right="""
    compared positions: torch.arange(past + new) <= torch.arange(past, past + new)[:, None]
    the last rows of a triangle: torch.ones(past + new, past + new, dtype=torch.bool).tril()[past:]
    two pieces: torch.cat([torch.ones(new, past, dtype=torch.bool), torch.ones(new, new, dtype=torch.bool).tril()], 1)
    """,
    hints="""
    - Look at the last line of the symptoms: how much weight should the first word have on itself, when it sees nothing
      else?
    - Queries and keys must be counted from the same number. At which one do the colleague's queries begin?
    - `torch.arange(past, past + new)[:, None]` are the queries' positions, `torch.arange(past + new)` those of the
      keys.
    """,
    explanation="""
    The colleague counts queries from 1 and keys from 0. In training each position could read its answer one place to
    the right, so the model learned to copy and nothing else. When it writes, there is nothing to copy.
    """,
)
