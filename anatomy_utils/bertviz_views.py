"""bertviz's head view and model view of tensors from `watch`, made to work offline.

bertviz (Jesse Vig, 2019, https://github.com/jessevig/bertviz) draws attention as lines between two columns of words.
Its page fetches three libraries from the internet, at times too late, draws black on black in a dark notebook, and
does not escape what stands in the tokens. Here its page gets local copies of d3 and jQuery, runs in a sandboxed frame
that may reach nothing outside itself, and follows the notebook's theme. The weights it draws are untouched, up to
rounding to four decimals.

Notebook 02 uses both views; `AttentionViewer` shows the same weights for longer sentences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    pass

MOST_TOKENS = 32
DIGITS = 4
SELF_ATTENTION = "layers.*.self_attention.weights"

View = Literal["head", "model"]
