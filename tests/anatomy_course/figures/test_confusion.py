"""The confusion matrix: what it counts, and what it tells."""

import numpy as np
import pytest
import torch

from anatomy_course.figures import plots

NAMES = ["person", "place", "thing"]


def test_shares_mistakes_and_padding():
    labels = torch.tensor([0, 0, 0, 1, 1, 2, -100])
    predictions = torch.tensor([0, 1, 1, 1, 1, 0, 2])
    drawn = plots.confusion(labels, predictions, NAMES, title="Kinds")
    assert drawn.alt == (
        "Kinds of 3 classes: 3 of 6 right, 50.0%. The commonest mistake: person taken for place, 2 times."
    )
    assert drawn.png.startswith(b"\x89PNG")


def test_no_mistake_and_a_class_that_never_occurs():
    assert plots.confusion([0, 1], [0, 1], NAMES).alt.endswith("2 of 2 right, 100.0%. There is no mistake.")


def test_the_picture_holds_the_shares():
    drawn = plots.confusion([0, 0, 0, 1], [0, 1, 1, 1], NAMES[:2])
    texts = [text.get_text() for axes in drawn.figure.axes for text in axes.texts]
    assert {"0.33", "0.67", "1.00", "person (3)", "place (1)"} <= set(texts)
    assert texts.count("0.00") == 0, "a cell without a mistake is blank"


@pytest.mark.parametrize(
    ("labels", "predictions", "said"),
    [
        ([0, 1], [0], "2 labels and 1 predictions"),
        ([-100], [0], "No label counts"),
        ([0, 3], [0, 1], "There are 3 classes, numbered from 0, but class 3 occurs"),
        ([0, 1], [0, 7], "class 7 occurs"),
        (np.ones((2, 2)), [0], r"shape \(2, 2\)"),
    ],
)
def test_wrong_input_gets_one_sentence(labels, predictions, said):
    with pytest.raises(ValueError, match=said):
        plots.confusion(labels, predictions, NAMES)
