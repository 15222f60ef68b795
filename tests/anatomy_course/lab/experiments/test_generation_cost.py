"""Writing with a cache and without: the same text, and how often tokens are read."""

import torch

from anatomy_course.lab.experiments.cache_cost import generate_with_and_without_cache, untrained_llama


def test_the_cache_reads_each_token_once_and_writes_the_same():
    model = untrained_llama(torch.Generator().manual_seed(0))
    cached, uncached = generate_with_and_without_cache(model, torch.tensor([[7, 3, 5]]), 11)
    assert torch.equal(cached.ids, uncached.ids) and cached.ids.shape == (1, 14)
    assert len(set(cached.ids[0].tolist())) > 5, "a text that repeats one token proves little"
    assert cached.read == 3 + 10  # the prompt, then one token a step; the last one is not read
    assert uncached.read == sum(range(3, 14))
    assert cached.seconds > 0 and uncached.seconds > 0
    assert not model.decoder.embeddings._forward_hooks, "nothing stays behind in the model"


def test_seeds_decide_the_weights():
    one, same, other = (untrained_llama(torch.Generator().manual_seed(seed)).vocabulary.weight for seed in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other)
