"""The first minute: what was recorded is what the models say, and a text is gone on with from any place."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views.first_words.view import (
    RECORDED,
    Loader,
    ModelWriter,
    load_reader,
    load_writer,
    recording,
    type_a_sentence,
)
from anatomy_utils import pretrained
from anatomy_utils.nn.heads import LanguageModel


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return train_small_gpt(1, steps=30, progress=False)[0].eval()


def writer(model: LanguageModel) -> Any:
    return ModelWriter(model, street_vocabulary())


def test_a_text_is_gone_on_with_from_any_place(model: LanguageModel) -> None:
    writing = writer(model)
    first = writing.write("The animal didn't cross", [], 3)
    ids = [each.token_id for each in first]
    with torch.no_grad():
        logits = model(torch.tensor([street_vocabulary().ids("<bos> the animal didn't cross".split())]))[0, -1]
    likeliest = logits.softmax(-1).topk(5)
    assert [each.token_id for each in first[0].rivals] == likeliest.indices.tolist()
    assert first[0].probability == pytest.approx(likeliest.values[0].item(), abs=1e-5)
    other = first[1].rivals[2].token_id
    turned = writing.write("The animal didn't cross", [ids[0], other], 1)
    assert [each.token_id for each in turned][:2] == [ids[0], other] and len(turned) == 3
    fresh = writer(model).write("The animal didn't cross", [ids[0], other], 1)
    assert [each.token_id for each in fresh] == [each.token_id for each in turned]
    assert [each.token_id for each in writing.write("The animal didn't cross", ids, 0)] == ids
    with pytest.raises(ValueError, match="33 tokens were asked for"):
        writing.write("The animal didn't cross", [0] * 33, 1)


def test_nothing_is_loaded_before_the_reader_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "load", lambda name: pytest.fail(f"{name} was loaded"))
    view = type_a_sentence()
    assert view.recorded and view.heads == [6, 12] and len(view.weights) == 72 * len(view.tokens) ** 2
    assert view.tokens[view.tokens.index(view.word)] == "it"
    assert view.attention().sum(-1) == pytest.approx(1, abs=0.03)  # bytes, rounded


def test_the_recording_is_what_the_models_say() -> None:
    kept = json.loads(RECORDED.read_text("utf-8"))
    reader, smollm = load_reader(), load_writer()
    now = recording(reader, smollm, kept["sentence"], kept["word"], "animal", len(kept["written"]))
    assert {**now, "written": 0, "weights": 0} == {**kept, "written": 0, "weights": 0}
    for before, after in zip(kept["written"], now["written"], strict=True):
        assert (before["token_id"], before["word"]) == (after["token_id"], after["word"])
        assert before["probability"] == pytest.approx(after["probability"], abs=2e-3)
    assert len(now["weights"]) == len(kept["weights"])


def test_loaders_say_what_is_loaded_and_how_long_it_takes() -> None:
    names = [loader.name for loader in type_a_sentence()._loaders.values() if isinstance(loader, Loader)]
    assert ["million parameters, about" in name and name.endswith("seconds") for name in names] == [True, True]
