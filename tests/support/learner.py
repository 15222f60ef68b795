"""What a learner may have written in notebooks 01 to 06: one plain function for each organ, none of them ours."""

from __future__ import annotations

import torch


def attention(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)  # NaN in a row with nothing: not asked for
    return weights @ value, weights


def scores(query, key):
    return torch.einsum("...qd,...kd->...qk", query, key) / query.shape[-1] ** 0.5


def softmax(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)


def weighted_average(weights, vectors):
    return (weights[:, :, None] * vectors[None]).sum(1)


def causal_mask(length):
    return torch.arange(length)[:, None] >= torch.arange(length)


def project(hidden_states, weight, bias):
    return hidden_states @ weight + bias


def split_heads(vectors, num_heads):
    return torch.stack(vectors.chunk(num_heads, dim=-1), dim=1)


def share_heads(vectors, num_heads):
    group = num_heads // vectors.shape[1]
    return torch.stack([vectors[:, i // group] for i in range(num_heads)], dim=1)


def merge_heads(vectors):
    return torch.cat(list(vectors.unbind(1)), dim=-1)


def layer_norm(hidden_states, weight, bias, epsilon):
    mean = hidden_states.mean(-1, keepdim=True)
    variance = hidden_states.var(-1, keepdim=True, unbiased=False)
    return weight * (hidden_states - mean) / torch.sqrt(variance + epsilon) + bias


def rms_norm(hidden_states, weight, epsilon):
    return hidden_states / torch.sqrt((hidden_states**2).mean(-1, keepdim=True) + epsilon) * weight


def attend_to_memory(query, key, value, attention_mask):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.shape[-1] ** 0.5
    return (scores + (1 - attention_mask[:, None, None, :]) * -1e9).softmax(dim=-1) @ value


def decoder_layer(
    hidden_states, memory, self_attention, cross_attention, feed_forward,
    self_attention_norm, cross_attention_norm, feed_forward_norm,
):  # fmt: skip
    mixed = hidden_states + self_attention(self_attention_norm(hidden_states))
    read = mixed + cross_attention(cross_attention_norm(mixed), memory)
    return feed_forward(feed_forward_norm(read)) + read


def post_norm(hidden_states, sublayer, norm):
    return norm(hidden_states + sublayer(hidden_states))


def pre_norm(hidden_states, sublayer, norm):
    return hidden_states + sublayer(norm(hidden_states))


def feed_forward(hidden_states, expand_weight, expand_bias, contract_weight, contract_bias, activation):
    hidden = activation(hidden_states @ expand_weight + expand_bias)
    return hidden @ contract_weight + contract_bias


def gated_feed_forward(hidden_states, gate_weight, expand_weight, contract_weight, activation):
    gate = activation(hidden_states @ gate_weight)
    return (gate * (hidden_states @ expand_weight)) @ contract_weight


def relu(values):
    return values.clamp(min=0)


def gelu(values):
    return values * (1 + torch.erf(values / 2**0.5)) / 2


def gelu_tanh(values):
    return values / 2 * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (values + 0.044715 * values**3)))


def silu(values):
    return values * torch.sigmoid(values)


def lookup(table, input_ids):
    return table[input_ids]


def sinusoids(positions, d_model):
    waves = torch.zeros(*positions.shape, d_model)
    for i in range(0, d_model, 2):
        angle = positions / 10000 ** (i / d_model)
        waves[..., i], waves[..., i + 1] = angle.sin(), angle.cos()
    return waves


def rotary(vectors, cosines, sines):
    half = vectors.shape[-1] // 2
    turned = torch.cat([-vectors[..., half:], vectors[..., :half]], dim=-1)
    return vectors * cosines + turned * sines
