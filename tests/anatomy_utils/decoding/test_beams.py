"""Beam search: by hand, against an exhaustive search, against Hugging Face's, and the tree it can be drawn from."""

from itertools import product

import pytest
import torch
from decoding_models import gpt2_step, hf_gpt2, hf_t5, normal, our_gpt2, our_t5, padded, prompts, table_model
from hypothesis import given, settings, strategies as st
from unchecked import shapes_unchecked

from anatomy_utils.decoding import SeenIds, beam_search, beam_steps, generate, uncached
from anatomy_utils.decoding.beam_step import NOBODY

# Row: the last token, column: the probability of the next. Greedy takes 1 first and cannot make up for it.
ODDS = torch.tensor([[0.0, 0.5625, 0.4375], [0.5, 0.25, 0.25], [0.0, 0.125, 0.875]])
PAD = 22  # transformers takes a padding id of 0 for "none given"
START = torch.tensor([[0]])


def hf_beams(model, ids, mask, **options):
    num_beams = options["num_beams"]
    found = model.generate(
        ids,
        attention_mask=mask,
        num_return_sequences=num_beams,
        do_sample=False,
        pad_token_id=PAD,
        return_dict_in_generate=True,
        output_scores=True,
        **options,
    )
    shape = (len(ids), num_beams)
    return found.sequences.unflatten(0, shape), found.sequences_scores.unflatten(0, shape)


def assert_same_beams(found, sequences, scores):
    """The same texts in the same order; those that score alike may change places."""
    torch.testing.assert_close(found.scores, scores, atol=1e-5, rtol=1e-5)
    start = sequences.shape[2] - found.new_ids.shape[2]
    for ours, theirs, values in zip(found.new_ids, sequences[:, :, start:], scores, strict=True):
        if (values[:-1] - values[1:]).min() > 1e-5:
            assert ours.tolist() == theirs.tolist()
        else:
            assert sorted(ours.tolist()) == sorted(theirs.tolist())


def test_length_penalty_by_hand():
    # Token 3 stops. At once: 0.4. One token 1, then stop: 0.6 · 0.5 = 0.3.
    odds = torch.tensor([[0.0, 0.6, 0.0, 0.4], [0.0, 0.25, 0.25, 0.5], [0.25] * 4, [0.25] * 4])
    options = {"num_beams": 2, "max_new_tokens": 2, "stop_ids": [3]}
    short = beam_search(table_model(odds), SeenIds(), START, length_penalty=0.0, **options)
    assert short.ranked().rows() == [[3]]
    long = beam_search(table_model(odds), SeenIds(), START, length_penalty=1.0, **options)
    assert long.ranked().rows() == [[1, 3]]
    torch.testing.assert_close(long.scores, torch.tensor([[0.3, 0.4**2]]).log() / 2)
    assert (long.lengths.tolist(), long.finished.tolist()) == ([[2, 1]], [[True, True]])
    assert long.new_ids.tolist() == [[[1, 3], [3, 0]]]


@settings(max_examples=8)
@given(st.integers(0, 1000), st.integers(1, 3))
def test_enough_beams_find_the_best_text_of_all(seed, length):
    odds = normal(3, 3, seed=seed).softmax(dim=-1)
    found = beam_search(table_model(odds), SeenIds(), START, num_beams=27, max_new_tokens=length, length_penalty=1.0)
    texts = {}
    for text in product(range(3), repeat=length):
        steps = zip((0, *text), text, strict=False)
        texts[text] = torch.stack([odds[a, b].log() for a, b in steps]).mean().item()
    best = sorted(texts.values(), reverse=True)
    torch.testing.assert_close(found.scores[0, : len(best)], torch.tensor(best))
    assert (found.scores[0, len(best) :] == NOBODY).all(), "there are no more texts than these"
    assert (found.lengths[0, len(best) :] == 0).all()


@pytest.mark.parametrize(
    ("length_penalty", "early_stopping"),
    [(1.0, False), (-0.5, False), (0.0, True), (2.5, True), (2.5, "never"), (-0.5, "never")],
)
@pytest.mark.parametrize("seed", range(3))
def test_decoder_equals_hugging_face(seed, length_penalty, early_stopping):
    reference = hf_gpt2(seed)
    ids, mask = padded([[2, 3, 4, 5], [6, 7], [8, 9, 10]])
    options = {"num_beams": 2 + seed, "max_new_tokens": 9, "length_penalty": length_penalty}
    options |= {"early_stopping": early_stopping}
    wanted = hf_beams(reference, ids, mask, eos_token_id=[1, 4, 9, 11][: seed + 1], **options)
    options |= {"stop_ids": [1, 4, 9, 11][: seed + 1], "pad_id": PAD, "attention_mask": mask}
    ours = our_gpt2(reference)
    cache = ours.start(3, 4 + 9, attention_mask=mask)
    assert_same_beams(beam_search(ours.step, cache, ids, **options), *wanted)
    if seed == 0:  # the same without a cache
        seen = SeenIds(attention_mask=mask)
        assert_same_beams(beam_search(gpt2_step(reference), seen, ids, **options), *wanted)


@pytest.mark.parametrize(("length_penalty", "early_stopping"), [(1.0, False), (0.6, True), (1.4, "never")])
@pytest.mark.parametrize("seed", range(3))
def test_encoder_decoder_equals_hugging_face(seed, length_penalty, early_stopping):
    reference = hf_t5(seed)
    source = prompts(seed, 3, 5)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]])
    options = {"num_beams": 4, "max_new_tokens": 10, "length_penalty": length_penalty}
    options["early_stopping"] = early_stopping
    sequences, scores = hf_beams(reference, source, mask, eos_token_id=[1, 5], **options)
    ours, start = our_t5(reference), torch.zeros(3, 1, dtype=torch.long)
    cache = ours.start(source, 1 + 10, attention_mask=mask)
    found = beam_search(ours.step, cache, start, stop_ids=[1, 5], pad_id=PAD, **options)
    assert_same_beams(found, sequences, scores)


@settings(max_examples=5)
@given(st.integers(0, 1000))
def test_one_beam_that_stops_early_is_greedy(seed):
    step, ids = gpt2_step(hf_gpt2(seed % 3)), prompts(seed)
    options = {"max_new_tokens": 8, "stop_ids": [3, 5]}
    found = beam_search(step, SeenIds(), ids, num_beams=1, early_stopping=True, **options).ranked()
    assert found.rows() == generate(step, SeenIds(), ids, **options).rows()


def test_tree_by_hand():
    tree = list(beam_steps(table_model(ODDS), SeenIds(), START, num_beams=2, max_new_tokens=2))
    fates = [[(hypothesis.token_ids, hypothesis.fate) for hypothesis in layer] for layer in tree]
    assert fates == [
        [((1,), "alive"), ((2,), "alive")],
        [((2, 2), "ended"), ((1, 0), "ended"), ((1, 1), "dropped"), ((1, 2), "dropped")],
    ]
    assert tree[1][0].parent == (2,)
    assert tree[1][0].score == pytest.approx(tree[1][0].log_probability / 2)


@settings(max_examples=5)
@given(st.integers(0, 1000), st.sampled_from([False, True, "never"]))
def test_tree_holds_together(seed, early_stopping):
    step, ids = gpt2_step(hf_gpt2(seed % 3)), prompts(seed, batch=1)
    options = {"num_beams": 3, "max_new_tokens": 6, "stop_ids": [3, 5, 9], "early_stopping": early_stopping}
    layers = list(beam_steps(step, SeenIds(), ids, **options))
    alive, ended = {()}, {}
    for layer in layers:
        assert all(hypothesis.parent in alive for hypothesis in layer)
        assert [h.log_probability for h in layer] == sorted((h.log_probability for h in layer), reverse=True)
        alive = {hypothesis.token_ids for hypothesis in layer if hypothesis.fate == "alive"}
        ended |= {hypothesis.token_ids: hypothesis.score for hypothesis in layer if hypothesis.fate == "ended"}
        assert len(alive) <= 3
    best = max(ended, key=ended.get)
    found = beam_search(step, SeenIds(), ids, **options)
    assert found.ranked().rows() == [list(best)]
    assert found.scores[0, 0].item() == pytest.approx(ended[best])


def test_rows_are_reordered_only_when_they_move():
    moves = []

    class Counting(SeenIds):
        def rows(self, rows):
            moves.append(rows.tolist())
            picked = super().rows(rows)
            return Counting(picked.ids)

        def extended(self, input_ids):
            return Counting(super().extended(input_ids).ids)

    beam_search(table_model(ODDS), Counting(), START, num_beams=2, max_new_tokens=3)
    assert moves[0] == [0, 0]
    assert all(move != [0, 1] for move in moves)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"num_beams": 0}, "num_beams is 0, but at least 1"),
        ({"early_stopping": "soon"}, "early_stopping is 'soon', but it must be True, False or \"never\""),
        ({"max_new_tokens": 0}, "max_new_tokens is 0"),
        ({"stop_ids": [3]}, "from 0 to 2"),
    ],
)
def test_bad_input_is_named(wrong, sentence):
    options = {"num_beams": 2, "max_new_tokens": 2} | wrong
    with shapes_unchecked(), pytest.raises(ValueError, match=sentence):
        beam_search(uncached(lambda ids: ODDS[ids]), SeenIds(), START, **options)


def test_a_tree_needs_one_prompt():
    with shapes_unchecked(), pytest.raises(ValueError, match=r"prompt_ids has 2 rows"):
        next(beam_steps(table_model(ODDS), SeenIds(), torch.tensor([[0], [1]]), num_beams=2, max_new_tokens=2))
