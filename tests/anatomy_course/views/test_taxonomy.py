"""The family tree's widgets as they are handed over: what the cards tell is what the modules do."""

from __future__ import annotations

import pytest

from anatomy_course import views
from anatomy_course.views._kit.model_card import told
from anatomy_course.views.compare_models.view import quantity_at
from anatomy_utils.taxonomy import TREE, find
from anatomy_utils.taxonomy.build import build
from anatomy_utils.taxonomy.costs import cache_bytes, work_per_token


def masks(name):
    return {mask["name"]: mask["rows"] for mask in views.card(name).masks}


@pytest.mark.usefixtures("shapes_unchecked")
def test_every_row_has_a_card_and_only_those_that_run_have_parts():
    cards = {card.name: card for card in views.cards()}
    assert list(cards) == [model.name for model in TREE]
    assert len(told(list(cards.values()))) == len(TREE)
    for model in TREE:
        card = cards[model.name]
        assert bool(card.parts) == bool(card.stacks) == bool(card.sizes) == model.runs
        assert all(asks.endswith(("?", ".")) for _, asks in card.objectives)


@pytest.mark.parametrize("name", ["DeBERTa", "GPT-Neo", "T5"])
def test_the_page_computes_what_the_modules_cost(name):
    model = find(name)
    for size, told_size in zip(model.sizes, views.card(name).sizes, strict=True):
        module = build(model, size)
        for length in (1, 300, 131_072):
            assert quantity_at(told_size["work"], length) == work_per_token(module).at(length)
            assert quantity_at(told_size["cache"], length) == cache_bytes(module).at(length)
        assert sum(told_size["organs"].values()) == pytest.approx(told_size["parameters"], rel=0.001)


def test_masks_are_read_off_the_weights_of_a_run():
    assert masks("BERT") == {"layer 0": [[1] * 16] * 16}
    triangle = [[int(key <= query) for key in range(16)] for query in range(16)]
    assert masks("Llama") == {"layer 0": triangle}
    window = [[int(query - 4 < key <= query) for key in range(16)] for query in range(16)]
    assert masks("Mistral") == {"layer 0": window}
    assert masks("GPT-Neo") == {"layer 0": triangle, "layer 1": window}
    assert masks("T5") == {
        "encoder, layer 0": [[1] * 16] * 16,
        "decoder, layer 0": triangle,
        "decoder, layer 0, reading the source": [[1] * 16] * 16,
    }
    seen = sum(map(sum, masks("BigBird")["layer 0"]))
    assert 16 * 4 < seen < 16 * 16


def test_a_run_tells_shapes_and_maps():
    run = views.run("BART")
    source, target = run.texts
    assert target[0] == "<bos>" and len(source) != len(target)
    by_label = {each["label"]: each for each in run.maps}
    crossing = by_label["decoder, layer 1, reading the source"]
    assert (crossing["queries"], crossing["keys"]) == (target, source)
    assert all(abs(sum(row) - 255) <= len(row) for head in crossing["weights"] for row in head)
    assert ("encoder.layers.0.self_attention.weights", f"(1, 4, {len(source)}, {len(source)})") in run.shapes
    assert not any(".layers.1." in name for name, _ in run.shapes)
    assert run == views.run("BART")


def test_a_recurrent_writer_looks_back_and_elmo_has_no_attention():
    run = views.run("RNN with attention")
    (last,) = run.maps
    assert last["queries"] == ["."] and last["keys"] == run.texts[0]
    assert abs(sum(last["weights"][0][0]) - 255) <= len(last["keys"])
    assert views.run("ELMo").maps == []
    assert views.card("ELMo").masks == []


def test_what_is_only_described_cannot_be_run_or_compared():
    with pytest.raises(ValueError, match="XLNet is only described"):
        views.run("XLNet")
    with pytest.raises(ValueError, match="no model 'XLNet' to show"):
        views.compare_models("XLNet", "BERT")
    assert views.family_tree("XLNet").runs == {}
