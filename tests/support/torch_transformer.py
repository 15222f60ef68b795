"""Our 2017 Transformer's weights, put into `torch.nn.Transformer`."""

import torch
from torch import nn


def pairs_of(ours, theirs, place):
    """Our modules and torch's that play the same part."""
    for mine, other in zip(ours.encoder.layers, theirs.encoder.layers, strict=True):
        yield mine.self_attention, other.self_attn
        yield mine.feed_forward.expand, other.linear1
        yield mine.feed_forward.contract, other.linear2
        yield getattr(mine.self_attention_norms, place), other.norm1
        yield getattr(mine.feed_forward_norms, place), other.norm2
    for mine, other in zip(ours.decoder.layers, theirs.decoder.layers, strict=True):
        yield mine.self_attention, other.self_attn
        yield mine.cross_attention, other.multihead_attn
        yield mine.feed_forward.expand, other.linear1
        yield mine.feed_forward.contract, other.linear2
        yield getattr(mine.self_attention_norms, place), other.norm1
        yield getattr(mine.cross_attention_norms, place), other.norm2
        yield getattr(mine.feed_forward_norms, place), other.norm3


def copy(mine, other):
    if isinstance(other, nn.MultiheadAttention):
        parts = mine.to_query, mine.to_key, mine.to_value
        other.in_proj_weight.data = torch.cat([part.weight for part in parts])
        other.in_proj_bias.data = torch.cat([part.bias for part in parts])
        mine, other = mine.to_output, other.out_proj
    other.load_state_dict(mine.state_dict())
