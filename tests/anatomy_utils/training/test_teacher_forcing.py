"""Teacher forcing: inputs and labels by hand, and against Hugging Face's shift and loss."""

import pytest
import torch
from seeds import generator

from anatomy_utils.training import IGNORE, cross_entropy, labels_of, next_token_pair, read_twice, shift_right


def test_shift_right_equals_hugging_face():
    from transformers.models.bart.modeling_bart import shift_tokens_right

    labels = torch.tensor([[5, 6, 7, 1], [8, 1, IGNORE, IGNORE]])
    wanted = shift_tokens_right(labels, pad_token_id=3, decoder_start_token_id=2)
    assert shift_right(labels, 2, pad_id=3).tolist() == wanted.tolist() == [[2, 5, 6, 7], [2, 8, 1, 3]]
    assert labels[1, 2] == IGNORE, "the labels were changed in place"


def test_next_token_pair_ignores_padding():
    ids, mask = torch.tensor([[5, 6, 7], [8, 9, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])
    inputs, labels = next_token_pair(ids, mask)
    assert inputs.tolist() == [[5, 6], [8, 9]]
    assert labels.tolist() == [[6, 7], [9, IGNORE]]
    assert labels_of(ids).tolist() == ids.tolist()
    with pytest.raises(ValueError, match="Texts of 1 positions have no next token"):
        next_token_pair(ids[:, :1])


def test_the_pair_of_a_text_gives_the_loss_of_hugging_face():
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=11, n_positions=8, n_embd=6, n_layer=1, n_head=2)).eval()
    ids, mask = torch.randint(0, 11, (3, 5), generator=generator()), torch.ones(3, 5, dtype=torch.long)
    mask[1, 3:] = 0
    inputs, labels = next_token_pair(ids, mask)
    ours = cross_entropy(model(inputs, attention_mask=mask[:, :-1]).logits, labels)
    torch.testing.assert_close(ours, model(ids, attention_mask=mask, labels=labels_of(ids, mask)).loss)


def test_texts_read_twice_are_asked_only_the_second_time():
    ids, mask = torch.tensor([[5, 6, 7], [8, 9, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])
    labels = torch.tensor([[1, IGNORE, 2], [3, 4, IGNORE]])
    twice = read_twice(ids, mask, labels)
    assert twice.input_ids.tolist() == [[5, 6, 7, 5, 6, 7], [8, 9, 0, 8, 9, 0]]
    assert twice.attention_mask.tolist() == [[1, 1, 1, 1, 1, 1], [1, 1, 0, 1, 1, 0]]
    assert twice.labels.tolist() == [[IGNORE] * 3 + [1, IGNORE, 2], [IGNORE] * 3 + [3, 4, IGNORE]]
