"""The Transformer of 2017 against `torch.nn.Transformer`: outputs, padding, gradients."""

import pytest
import torch
from torch import nn
from torch_transformer import copy, pairs_of

from anatomy_utils.zoo.transformer import TransformerConfig, transformer

pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")
CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def ids(seed, batch, length):
    return torch.randint(3, 31, (batch, length), generator=torch.Generator().manual_seed(seed))


@pytest.fixture(params=[False, True], ids=["post-norm", "pre-norm"])
def both(request):
    config = TransformerConfig(31, 12, 2, 3, 3, 17, pre_norm=request.param, dropout=0.0)
    ours = transformer(config, generator=torch.Generator().manual_seed(0))
    theirs = nn.Transformer(12, 3, 2, 3, 17, batch_first=True, norm_first=request.param, dropout=0.0)
    if not request.param:
        theirs.encoder.norm = theirs.decoder.norm = nn.Identity()  # the paper has no norm behind the stacks
    pairs = list(pairs_of(ours, theirs, "before" if request.param else "after"))
    for mine, other in pairs:
        copy(mine, other)
    return ours, theirs, pairs


def test_equals_torch_with_gradients(both):
    ours, theirs, pairs = both
    source, target = ids(0, 2, 7), ids(1, 2, 5)
    source_mask, target_mask = torch.ones_like(source), torch.ones_like(target)
    source_mask[1, 4:] = 0
    target_mask[0, 3:] = 0
    got = ours(source, target, source_mask, target_mask)
    hidden_states = theirs(
        ours.encoder.embeddings(source),
        ours.decoder.embeddings(target),
        tgt_mask=torch.ones(5, 5).tril() == 0,  # torch's boolean masks say what is forbidden
        src_key_padding_mask=source_mask == 0,
        tgt_key_padding_mask=target_mask == 0,
        memory_key_padding_mask=source_mask == 0,
    )
    wanted, real = ours.vocabulary(hidden_states), target_mask.bool()
    torch.testing.assert_close(got[real], wanted[real], **CLOSE)
    upstream = torch.randn(got[real].shape, generator=torch.Generator().manual_seed(2))
    table = ours.vocabulary.weight  # one table for both sides and the output
    gradients = []
    for side in (got, wanted):
        table.grad = None
        side[real].backward(upstream)
        gradients.append(table.grad)
    torch.testing.assert_close(*gradients, **CLOSE)
    for mine, other in pairs:
        if isinstance(other, nn.MultiheadAttention):
            mine, other = mine.to_output, other.out_proj
        torch.testing.assert_close(mine.weight.grad, other.weight.grad, **CLOSE)
