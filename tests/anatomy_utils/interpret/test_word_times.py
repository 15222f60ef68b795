"""When words are said, against the reference's code."""

from types import SimpleNamespace

import pytest
import torch

from anatomy_utils.interpret import monotonic_path, token_times

generation = pytest.importorskip("transformers.models.whisper.generation_whisper", reason="no reference is installed")


class Found(dict):
    __getattr__ = dict.__getitem__


def reference_times(weights):
    """Of heads that are those of one layer: (head, token, position)."""
    found = Found(cross_attentions=((weights[None],),), sequences=torch.zeros(1, weights.shape[1] + 1))
    model = SimpleNamespace(config=SimpleNamespace(decoder_layers=1, median_filter_width=7))
    heads = [(0, i) for i in range(len(weights))]
    extract = generation.WhisperGenerationMixin._extract_token_timestamps
    return extract(model, found, heads, num_input_ids=0)[0, :-1]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("heads", "tokens", "positions"), [(3, 5, 41), (4, 9, 8), (2, 1, 6), (4, 6, 3)])
def test_times_equal_the_reference(heads, tokens, positions, seed):
    """With several heads: the medians of one are often equal, and of two equal ways, which both are shorter than the
    third, the reference takes the third."""
    weights = torch.randn(heads, tokens, positions, generator=torch.Generator().manual_seed(seed)).softmax(-1)
    if tokens == 1:
        assert token_times(weights).tolist() == [0.0]  # the reference divides by a spread of zero
    else:
        torch.testing.assert_close(token_times(weights).float(), reference_times(weights), atol=1e-6, rtol=0)


def every_path(token, position):
    """From the first pair to this one."""
    if (token, position) == (0, 0):
        yield [(0, 0)]
    for before in ((token - 1, position - 1), (token - 1, position), (token, position - 1)):
        if min(before) >= 0:
            yield from ([*path, (token, position)] for path in every_path(*before))


@pytest.mark.parametrize("seed", range(20))
def test_no_path_is_better_even_where_ways_are_equal(seed):
    scores = torch.randint(-2, 3, (4, 5), generator=torch.Generator().manual_seed(seed)).float()
    paths = list(every_path(3, 4))
    best = max(sum(scores[pair].item() for pair in path) for path in paths)
    begins = [
        [min(position for each, position in path if each == token) for token in range(4)]
        for path in paths
        if sum(scores[pair].item() for pair in path) == best
    ]
    assert monotonic_path(scores).tolist() in begins


@pytest.mark.parametrize(
    "scores", [torch.zeros(0, 3), torch.zeros(3, 0), torch.tensor([[float("nan")]])], ids=["token", "position", "NaN"]
)
def test_no_path_without_tokens_positions_and_numbers(scores):
    with pytest.raises(ValueError, match="A path needs finite scores"):
        monotonic_path(scores)
