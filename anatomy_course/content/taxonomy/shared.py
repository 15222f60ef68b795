"""What is said of several exercises of notebook 06."""

from __future__ import annotations

ROUNDED = (
    "Small numbers are right; large ones are rounded, because float32 has only about seven digits. Whole numbers stay "
    "exact."
)
