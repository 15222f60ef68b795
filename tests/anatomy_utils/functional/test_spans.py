"""The best span against a search through all of them."""

import pytest
from random_tensors import normal

from anatomy_utils.functional.spans import best_span


def test_the_best_span_is_the_best_of_all():
    start, end = normal(2, 29, 13)
    first, last = best_span(start, end, 4)
    for row, (i, j) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        legal = [(start[row, a] + end[row, b]).item() for a in range(13) for b in range(a, min(a + 4, 13))]
        assert 0 <= j - i < 4 and (start[row, i] + end[row, j]).item() == pytest.approx(max(legal))
    with pytest.raises(ValueError, match="max_length is 0, but a span has at least 1 word"):
        best_span(start, end, 0)
