"""The figure of 2017 as the browser needs it: what the transformer map and the flow draw alike."""

from __future__ import annotations

from typing import Any

from anatomy_course.figures import transformer_layout


def drawing() -> dict[str, Any]:
    """The figure's arrows, its signs, and its size, as plain lists."""
    return {
        "arrows": [{"start": arrow.start, "end": arrow.end, "kind": arrow.kind,
                    "points": [list(point) for point in arrow.points], "label": arrow.label,
                    "label_at": list(arrow.label_at or ())} for arrow in transformer_layout.arrows()],
        "marks": [{"text": text, "at": list(at)} for text, at in transformer_layout.N_LABELS]
        + [{"text": "+", "at": list(at)} for at in transformer_layout.SUMS],
        "size": [transformer_layout.WIDTH, transformer_layout.HEIGHT],
    }  # fmt: skip
