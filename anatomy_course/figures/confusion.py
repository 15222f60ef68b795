"""Which classes are taken for which: the mistakes of a classifier, or of a tagger, in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anatomy_course.figures.arrays import array
from anatomy_course.figures.heatmaps import heatmap
from anatomy_course.figures.picture import Picture


def confusion(
    labels: Any, predictions: Any, classes: Sequence[str], *, title: str = "Confusion matrix", alt: str = ""
) -> Picture:
    """One row per true class, one column per predicted class: which share of the row was taken for what.

    A share that would be written 0.00 is left blank.

    Args:
        labels: (example) the true classes as numbers from 0; negative ones, such as padding's −100, do not count.
        predictions: (example) the predicted classes.
        classes: the names of the classes.
        alt: alt text; the accuracy and the commonest mistake by default.

    Raises:
        ValueError: other numbers of labels and predictions, a class without a name, or no example that counts.
    """
    true, said = array(labels, 1, "labels").astype(int), array(predictions, 1, "predictions").astype(int)
    if len(true) != len(said):
        raise ValueError(f"There are {len(true)} labels and {len(said)} predictions; give one prediction for each.")
    true, said = true[true >= 0], said[true >= 0]
    if not len(true):
        raise ValueError("No label counts: all are negative; give at least one example with a class.")
    largest = max(true.max(), said.max())
    if largest >= len(classes) or said.min() < 0:
        raise ValueError(
            f"There are {len(classes)} classes, numbered from 0, but class {largest} occurs; name them all."
        )
    counts = np.zeros((len(classes), len(classes)))
    np.add.at(counts, (true, said), 1)
    rows = counts.sum(axis=1)
    shares = counts / np.maximum(rows, 1)[:, None]
    return heatmap(
        shares,
        [f"{name} ({count:.0f})" for name, count in zip(classes, rows, strict=True)],
        classes,
        title=title,
        values=shares >= 0.005,
        axes=("true", "predicted"),
        alt=alt or _told(counts, classes, title),
    )


def _told(counts: np.ndarray, classes: Sequence[str], title: str) -> str:
    right, total = counts.trace(), counts.sum()
    mistakes = counts - np.diag(counts.diagonal())
    text = f"{title} of {len(classes)} classes: {right:.0f} of {total:.0f} right, {right / total:.1%}."
    if not mistakes.any():
        return f"{text} There is no mistake."
    i, j = np.unravel_index(int(mistakes.argmax()), mistakes.shape)
    return f"{text} The commonest mistake: {classes[int(i)]} taken for {classes[int(j)]}, {mistakes[i, j]:.0f} times."
