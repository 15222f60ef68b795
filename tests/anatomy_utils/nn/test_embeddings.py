"""The embedding layer: what is summed, what comes after the sum, and what has no row."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.nn.positions import LearnedPositions


def test_embeddings_sum_token_position_and_segment():
    torch.manual_seed(0)
    embeddings = Embeddings(11, 5, LearnedPositions(7, 5), num_segments=2)
    input_ids, segment_ids = torch.tensor([[3, 3, 10]]), torch.tensor([[0, 1, 1]])
    wanted = embeddings.tokens.weight[3] + embeddings.positions.table.weight[1] + embeddings.segments.weight[1]
    torch.testing.assert_close(embeddings(input_ids, segment_ids)[0, 1], wanted)


def test_embeddings_name_bad_input():
    embeddings = Embeddings(11, 5, LearnedPositions(7, 5))
    with pytest.raises(ValueError, match="from 0 to 11.*from 0 to 10"):
        embeddings(torch.tensor([[0, 11]]))
    with pytest.raises(ValueError, match="8 positions.*ends at 7"):
        embeddings(torch.zeros(1, 8, dtype=torch.long))
    with pytest.raises(ValueError, match="no segments"):
        embeddings(torch.zeros(1, 2, dtype=torch.long), torch.zeros(1, 2, dtype=torch.long))


def test_narrow_tables_are_widened_behind_the_norm():
    torch.manual_seed(0)
    embeddings = Embeddings(11, 3, LearnedPositions(7, 3), norm=LayerNorm(3), projection=nn.Linear(3, 5))
    input_ids = torch.tensor([[4, 10]])
    summed = embeddings.tokens.weight[input_ids] + embeddings.positions.table.weight[:2]
    wanted = F.layer_norm(summed, (3,)) @ embeddings.projection.weight.T + embeddings.projection.bias
    torch.testing.assert_close(embeddings(input_ids), wanted)
