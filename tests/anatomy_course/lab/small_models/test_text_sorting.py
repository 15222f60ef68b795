"""Sorting real texts: padding has no say, counts are counts, and a linear layer learns what can be told apart."""

import torch

from anatomy_course.lab.small_models.text_sorting import (
    MeanHead,
    labeled_texts,
    linear_classifier,
    text_vectors,
    word_counts,
)
from anatomy_utils import pretrained


def test_a_text_keeps_its_vector_its_counts_and_its_logits_beside_a_longer_one():
    encoder, tokenizer = pretrained.load("minilm")
    short, long = ("Bees fly.", 0), ("The animal didn't cross the street because it was too tired.", 1)
    alone, both = labeled_texts(tokenizer, [short]), labeled_texts(tokenizer, [short, long])
    assert both.labels.tolist() == [0, 1]
    torch.testing.assert_close(text_vectors(encoder, both)[:1], text_vectors(encoder, alone), atol=1e-5, rtol=1e-4)
    counts = word_counts(both, both.input_ids.unique())
    assert counts.sum(1).tolist() == both.attention_mask.sum(1).tolist() and counts[1].max() == 2
    head, states = MeanHead(torch.nn.Linear(384, 3)), torch.randn(2, *both.input_ids.shape[1:], 384)
    other = states.masked_fill(both.attention_mask[..., None] == 0, 7.0)
    assert torch.equal(head(states, both.attention_mask)[0], head(other, both.attention_mask)[0])


def test_the_linear_layer_is_always_the_same_and_separates_what_can_be_separated():
    features = torch.eye(3).repeat(4, 1) + 0.1 * torch.randn(12, 3, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(3).repeat(4)
    first, again = (linear_classifier(features, labels) for _ in range(2))
    assert torch.equal(first.weight, again.weight)
    assert first(features).argmax(-1).tolist() == labels.tolist()
