"""Generation: by hand, cached = uncached, batch = one by one, and against Hugging Face's `generate`."""

import pytest
import torch
from decoding_models import VOCAB_SIZE, gpt2_step, hf_gpt2, our_gpt2, padded, prompts
from hypothesis import given, settings, strategies as st
from unchecked import shapes_unchecked

from anatomy_utils.decoding import Filters, SeenIds, generate, uncached

PUNISHED = st.booleans()
FEW = settings(max_examples=8)
COUNT_UP = uncached(lambda ids: torch.nn.functional.one_hot((ids + 1) % 9, 9).float())


@pytest.fixture(scope="module")
def reference():
    return hf_gpt2(0)


@pytest.fixture(scope="module")
def ours(reference):
    return our_gpt2(reference)


def cached(model, ids, *, max_new_tokens, attention_mask=None, **options):
    cache = model.start(len(ids), ids.shape[1] + max_new_tokens, attention_mask=attention_mask)
    return generate(model.step, cache, ids, max_new_tokens=max_new_tokens, attention_mask=attention_mask, **options)


def test_rows_end_at_different_times():
    written = generate(COUNT_UP, SeenIds(), torch.tensor([[3], [1], [6]]), max_new_tokens=4, stop_ids=[4, 8], pad_id=-1)
    assert written.ids.tolist() == [[3, 4, -1, -1], [1, 2, 3, 4], [6, 7, 8, -1]]
    assert written.lengths.tolist() == [1, 3, 2]
    assert written.finished.tolist() == [True, True, True]
    assert written.rows() == [[4], [2, 3, 4], [7, 8]]
    assert written.new_ids.tolist() == [[4, -1, -1], [2, 3, 4], [7, 8, -1]]
    written = generate(COUNT_UP, SeenIds(), torch.tensor([[4, 5]]), max_new_tokens=2, stop_ids=[5])
    assert written.rows() == [[6, 7]], "a stop token in the prompt does not stop"
    assert written.finished.tolist() == [False], "the allowance was too small"


def test_the_model_is_asked_no_more_often_than_needed():
    asked = []

    def step(ids, cache):
        asked.append(ids.tolist())
        return COUNT_UP(ids, cache)

    generate(step, SeenIds(), torch.tensor([[3, 4]]), max_new_tokens=3)
    assert asked == [[[3, 4]], [[5]], [[6]]]
    asked.clear()
    generate(step, SeenIds(), torch.tensor([[3]]), max_new_tokens=99, stop_ids=[5])
    assert asked == [[[3]], [[4]]]


@FEW
@given(st.integers(0, 1000), st.integers(1, 4), st.integers(1, 7))
def test_cached_equals_uncached(reference, ours, seed, batch, length):
    ids = prompts(seed, batch, length)
    with_cache = cached(ours, ids, max_new_tokens=11, stop_ids=[5])
    without = generate(uncached(ours), SeenIds(), ids, max_new_tokens=11, stop_ids=[5])
    published = generate(gpt2_step(reference), SeenIds(), ids, max_new_tokens=11, stop_ids=[5])
    assert with_cache.rows() == without.rows() == published.rows()


@FEW
@given(st.lists(st.lists(st.integers(0, VOCAB_SIZE - 1), min_size=1, max_size=6), min_size=2, max_size=4), PUNISHED)
def test_batch_equals_one_by_one(reference, ours, rows, punished):
    filters = Filters(repetition_penalty=1.5 if punished else 1.0)
    ids, mask = padded(rows)
    options = {"max_new_tokens": 9, "stop_ids": [3, 5, 7], "filters": filters}
    together = cached(ours, ids, attention_mask=mask, **options)
    alone = [cached(ours, torch.tensor([row]), **options).rows()[0] for row in rows]
    assert together.rows() == alone
    seen = SeenIds(attention_mask=mask)
    assert generate(gpt2_step(reference), seen, ids, attention_mask=mask, **options).rows() == alone
    assert torch.equal(together.ids[:, : ids.shape[1]], ids), "the prompt was changed"


@pytest.mark.parametrize("seed", range(2))
def test_greedy_equals_hugging_face(seed):
    reference = hf_gpt2(seed)
    ids, mask = padded([[2, 3, 4, 5], [6], [7, 8]])
    published = reference.generate(ids, attention_mask=mask, max_new_tokens=15, do_sample=False, eos_token_id=[4, 9])
    written = cached(our_gpt2(reference), ids, attention_mask=mask, max_new_tokens=15, stop_ids=[4, 9])
    assert written.ids.tolist() == published.tolist()


@pytest.mark.parametrize("seed", range(2))
def test_sampling_equals_hugging_face(reference, ours, seed):
    options = {"temperature": 1.3, "top_k": 11, "top_p": 0.9, "min_p": 0.02, "repetition_penalty": 1.2}
    ids = prompts(seed)
    mask = torch.ones_like(ids)
    torch.manual_seed(seed)
    published = reference.generate(ids, attention_mask=mask, max_new_tokens=12, do_sample=True, **options)
    generator = torch.Generator().manual_seed(seed)
    written = cached(ours, ids, max_new_tokens=12, filters=Filters(**options), generator=generator)
    assert written.ids.tolist() == published.tolist()


def test_half_precision_is_filtered_and_drawn_in_full():
    """In bfloat16 the small probabilities of a large vocabulary would not add up."""
    logits = torch.randn(1, 3000, generator=torch.Generator().manual_seed(0)).bfloat16()
    options = {"max_new_tokens": 30, "filters": Filters(top_p=0.9)}
    half, full = (
        generate(
            lambda ids, cache, logits=logits: (logits, cache),
            None,
            torch.tensor([[1]]),
            generator=torch.Generator().manual_seed(0),
            **options,
        )
        for logits in (logits, logits.float())
    )
    assert half.rows() == full.rows()


def test_padding_is_no_repetition():
    odds = torch.tensor([[0.5, 0.3, 0.2]] * 3)
    ids, mask = torch.tensor([[0, 0, 2]]), torch.tensor([[0, 0, 1]])
    step, filters = uncached(lambda ids, mask: odds.log()[ids]), Filters(repetition_penalty=3.0)
    written = generate(step, SeenIds(attention_mask=mask), ids, max_new_tokens=1, attention_mask=mask, filters=filters)
    assert written.ids.tolist() == [[0, 0, 2, 0]]


def test_a_model_can_still_be_trained_after_it_wrote(ours):
    ids = prompts(0)
    written = cached(ours, ids, max_new_tokens=3)
    assert not written.ids.is_inference()
    ours(written.ids).sum().backward()
    ours.zero_grad()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"prompt_ids": torch.zeros(2, 0, dtype=torch.long)}, r"The prompt is empty \(shape \(2, 0\)\); give at"),
        ({"max_new_tokens": 0}, "max_new_tokens is 0, but at least 1"),
        ({"stop_ids": [5, 9]}, "stop_ids run from 5 to 9, but this vocabulary's ids run from 0 to 8"),
        ({"stop_ids": [-1]}, "stop_ids run from -1"),
        ({"stop_ids": range(9)}, "All 9 tokens"),
        ({"attention_mask": torch.tensor([[1, 0]])}, "after a real token.*padded at the head"),
        ({"attention_mask": torch.tensor([[0, 0]])}, "padded at the head"),
        ({"filters": Filters(temperature=0.5)}, "no generator was given"),
    ],
)
def test_bad_input_is_named(wrong, sentence):
    options = {"prompt_ids": torch.tensor([[1, 2]]), "max_new_tokens": 2} | wrong
    with pytest.raises(ValueError, match=sentence):
        generate(COUNT_UP, SeenIds(), **options)


def test_a_mask_of_another_shape_is_named():
    with shapes_unchecked(), pytest.raises(ValueError, match=r"shape \(1, 1\), but prompt_ids has \(1, 2\)"):
        generate(COUNT_UP, SeenIds(), torch.tensor([[1, 2]]), max_new_tokens=2, attention_mask=torch.tensor([[1]]))
