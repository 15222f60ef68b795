"""Looking up vectors: equal ids get equal rows, ids without a row are named, and sums are those of the module."""

import pytest
import torch
from random_tensors import normal

from anatomy_utils.functional import embeddings
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.positions import LearnedPositions


def test_lookup_gives_the_rows_and_names_an_id_without_one():
    table, ids = normal(3, 2), torch.tensor([[2, 0, 2], [1, 1, 0]])
    assert torch.equal(embeddings.lookup(table, ids), table[ids])
    with pytest.raises(ValueError, match="-1 to 2"):
        embeddings.lookup(table, torch.tensor([-1, 2]))
    with pytest.raises(ValueError, match="input_ids run from 3 to 3, but this vocabulary's ids run from 0 to 2"):
        embeddings.lookup(table, torch.tensor([3]))
    assert embeddings.lookup(table, ids[:0]).shape == (0, 3, 2), "no ids, no vectors"


def test_embed_is_what_the_embeddings_sum_up():
    module = Embeddings(13, 6, LearnedPositions(17, 6), num_segments=2)
    ids, segments = torch.tensor([[3, 3, 12], [0, 1, 2]]), torch.tensor([[0, 0, 1], [0, 1, 1]])
    tables = module.tokens.weight, module.positions.table.weight, module.segments.weight
    torch.testing.assert_close(embeddings.embed(ids, segments, *tables), module(ids, segments))
