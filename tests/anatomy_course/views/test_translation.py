"""The translator's and the flow's numbers: those of the model itself, at every decoding step."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from small import STREET

from anatomy_course import views
from anatomy_course.lab.small_models.translator import translate
from anatomy_course.lab.street import Scene, flips, say, street_vocabulary
from anatomy_course.lab.street.batches import to_translate
from anatomy_course.views.translator.view import UnknownWords
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import watch
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

VOCABULARY = street_vocabulary()
SENTENCE = "The dog didn't cross the bridge because it was too long."


def untrained(pre_norm: bool = True, **sizes: int) -> EncoderDecoder:
    """With the decoder's matrices doubled: otherwise it would write one word over and over."""
    config = TransformerConfig(
        len(VOCABULARY), pre_norm=pre_norm, dropout=0.0,
        **{"d_model": 18, "num_layers": 1, "num_decoder_layers": 2, "num_heads": 3, "d_ff": 20} | sizes,
    )  # fmt: skip
    model = transformer(config, generator=torch.Generator().manual_seed(5))
    with torch.no_grad():
        for name, parameter in model.decoder.named_parameters():
            parameter *= 2 if parameter.dim() > 1 and "tokens" not in name else 1
    return model


@pytest.fixture(scope="module")
def model() -> EncoderDecoder:
    return untrained()


def forward(model: EncoderDecoder, sentence: str, target_ids: list[int]) -> tuple[torch.Tensor, dict[str, np.ndarray]]:
    """Logits and tensors of one run over a source and the target so far."""
    with torch.no_grad(), watch(model) as seen:
        logits = model(to_translate(sentence, "french").input_ids, torch.tensor([target_ids]))[0]
    return logits, {name: tensor.numpy() for name, tensor in seen.items()}


same = partial(np.testing.assert_allclose, atol=1e-5)


# What is decoded -----------------------------------------------------------------------------------------------------


def test_decoding_is_greedy_with_the_models_own_weights_and_probabilities(model: EncoderDecoder) -> None:
    texts = to_translate(SENTENCE, "french")
    decoded = views.decode(model, texts)
    assert VOCABULARY.text(decoded.written_ids) == translate(model, texts)[0]
    logits, seen = forward(model, SENTENCE, [VOCABULARY.bos_id, *decoded.written_ids[:-1]])
    probabilities = logits.softmax(dim=-1)
    assert decoded.weights.shape == (2, 3, len(decoded.written_ids), texts.input_ids.shape[1])
    for layer in range(2):
        own = seen[f"decoder.layers.{layer}.cross_attention.weights"][0]
        np.testing.assert_allclose(decoded.weights[layer], own, atol=1e-5)
    for place, rivals in enumerate(decoded.candidates):
        best = probabilities[place].topk(3)
        assert [word for word, _ in rivals] == VOCABULARY.tokens(best.indices)
        assert [part for _, part in rivals] == pytest.approx(best.values.tolist(), abs=1e-5)


def test_the_widget_has_the_decoded_weights(model: EncoderDecoder) -> None:
    widget = views.translator(model, SENTENCE, layer=0, head=2, written="all")
    decoded = views.decode(model, to_translate(SENTENCE, "french"))
    np.testing.assert_allclose(widget.alignment(), decoded.weights[0, 2], atol=1 / 255)
    widget.head = -1
    np.testing.assert_allclose(widget.alignment(), decoded.weights[0].mean(dim=0), atol=1 / 255)
    assert widget.source[:3] == ["<french>", "the", "dog"]
    assert (widget.direction, widget.revealed) == ("English → French", len(widget.written))
    assert set(widget.known) == {"English", "French"} and "street" in widget.known["English"]["nouns"]
    assert widget.known["English"]["sentences like"] == [STREET]


# What the street says ------------------------------------------------------------------------------------------------


def test_a_sentence_of_the_street_can_be_judged_and_swapped(model: EncoderDecoder) -> None:
    made = views.translation_of(model, STREET)
    scene = Scene("animal", "cross", "street", "tired")
    assert made.accepted == [str(say(scene, "french"))]
    assert made.source[made.reason or 0] == "tired"
    assert made.swaps == [(other.reason, str(say(other, "english"))) for other in flips(scene)]
    assert (made.remark, made.correction) == ("", "")


def test_french_is_found_out_and_swapped_in_french(model: EncoderDecoder) -> None:
    made = views.translation_of(model, "L'animal n'a pas traversé la rue parce qu'il était trop fatigué.")
    assert made.source[0] == "<english>" and made.direction == "French → English"
    assert made.accepted == [STREET]
    assert ("large", "L'animal n'a pas traversé la rue parce qu'elle était trop large.") in made.swaps
    # a forgotten full stop is added
    assert views.translation_of(model, STREET[:-1]).source == views.translation_of(model, STREET).source


def test_known_words_in_a_strange_order_are_translated_with_a_remark(model: EncoderDecoder) -> None:
    made = views.translation_of(model, "The dog didn't cross the bridge because it was long.")
    assert made.remark.startswith("Not a sentence of the street") and "expects 'too'" in made.remark
    assert made.correction == SENTENCE
    assert (made.accepted, made.swaps, made.reason) == ([], [], None)
    two = views.translation_of(model, "The bus didn't enter the garage because it was too old.")
    assert "two readings" in two.remark and two.swaps == []


def test_unknown_words_are_named_and_known_ones_offered_in_the_sentence(model: EncoderDecoder) -> None:
    with pytest.raises(UnknownWords, match="does not know “stret”, “!”") as caught:
        views.translation_of(model, "The dog didn't cross the stret!")
    near = caught.value.nearest["stret"]
    assert near[0] == ("street", "The dog didn't cross the street!")
    assert "!" not in caught.value.nearest
    assert views.translation_of(model, caught.value.readable).remark == ""


def test_a_sentence_of_another_language_is_refused_in_few_words(model: EncoderDecoder) -> None:
    with pytest.raises(UnknownWords, match=r"“sieben”.*, nor 4 more\.$") as caught:
        views.translation_of(model, "Sieben Zwerge trinken heute Himbeersaft, glaubt man.")
    assert list(caught.value.nearest) == ["sieben", "zwerge", "trinken", "heute"]
    with pytest.raises(ValueError, match="40 words and signs; there is room for 31"):
        views.translation_of(model, "dog " * 39)


# The flow ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pre_norm", [True, False])
def test_every_decoding_step_shows_what_the_model_computes_then(pre_norm: bool) -> None:
    model = untrained(pre_norm)
    widget = views.translation_flow(model, SENTENCE)
    target_ids = VOCABULARY.ids(widget.target)
    assert widget.target == ["<bos>", *widget.written[:-1]] and len(set(widget.written)) > 5
    for count in (1, 4, len(target_ids)):
        logits, seen = forward(model, SENTENCE, target_ids[:count])
        rows = slice(count)
        pairs = [("encoder", slice(None), 0), ("decoder", rows, 0), ("decoder", rows, 1)]
        for stack, some, layer in pairs:
            path = f"{stack}.layers.{layer}"
            same(widget.tensor(f"{path}.output")[some], seen[f"{path}.output"][0, :, :16])
            weights = f"{path}.self_attention.weights"
            same(widget.tensor(weights)[:, some, some], seen[weights][0])
        cross = "decoder.layers.1.cross_attention"
        same(widget.tensor(f"{cross}.weights")[:, rows], seen[f"{cross}.weights"][0])
        same(widget.tensor(f"{cross}.query")[rows], seen[f"{cross}.query"][0, 0])
        same(widget.tensor(f"{cross}.key"), seen[f"{cross}.key"][0, 0])
        best, choices = logits[-1].topk(8), widget.choices[count - 1]
        assert [choice["word"] for choice in choices] == VOCABULARY.tokens(best.indices)
        assert [choice["logit"] for choice in choices] == pytest.approx(best.values.tolist(), abs=1e-4)
        assert widget.written[count - 1] == choices[0]["word"]


@pytest.mark.parametrize(
    ("pre_norm", "label", "said"), [(True, "add", "pre-norm"), (False, "add & norm", "normalized")]
)
def test_the_steps_follow_the_figure_layer_by_layer(pre_norm: bool, label: str, said: str) -> None:
    widget = views.translation_flow(untrained(pre_norm), SENTENCE)
    assert [moment["part"] for moment in widget.encoder] == [
        "source_tokens", "source_embedding", "encoder_positions",
        "encoder_self_attention", "encoder_add_norm_1", "encoder_feed_forward", "encoder_add_norm_2", "memory",
    ]  # fmt: skip
    layer = ["decoder_self_attention", "decoder_add_norm_1", "cross_attention", "decoder_add_norm_2",
             "decoder_feed_forward", "decoder_add_norm_3"]  # fmt: skip
    assert [moment["part"] for moment in widget.decoder] == [
        "target_tokens", "target_embedding", "decoder_positions", *layer, *layer,
        "final_linear", "softmax", "next_token",
    ]  # fmt: skip
    adds = [moment for moment in widget.decoder if "add_norm" in moment["part"]]
    assert all(moment["title"].endswith(f": {label}") and said in moment["text"] for moment in adds)
    assert {part["label"] for part in widget.parts if "add_norm" in part["id"]} == {label}
    assert [mark["text"] for mark in widget.marks[:2]] == ["× 1", "× 2"]


def test_sums_and_sub_layers_add_up() -> None:
    widget = views.translation_flow(untrained(), SENTENCE)
    path = "encoder.layers.0"
    embedded, attended, after = (
        widget.tensor(name)
        for name in ("encoder.embeddings.output", f"{path}.self_attention.output", f"{path}.after_attention")
    )
    same(embedded + attended, after)
    same(after + widget.tensor(f"{path}.feed_forward(…)"), widget.tensor(f"{path}.output"))
    tokens, waves = widget.tensor("encoder.embeddings.tokens"), widget.tensor("encoder.embeddings.positions(…)")
    same(tokens * 18**0.5 + waves, embedded)


def test_a_whole_translation_of_the_courses_size_is_small() -> None:
    model = untrained(d_model=64, num_layers=2, num_heads=4, d_ff=256)
    widget = views.translation_flow(model, "The old animal couldn't cross the black street because it was too tired.")
    assert len(widget.written) == 31  # it never ends: as long as it can be followed
    assert len(widget.values) < 300_000
    assert len(widget) == 60


def test_the_flow_starts_where_it_is_told(model: EncoderDecoder) -> None:
    widget = views.translation_flow(model, SENTENCE, place="cross_attention")
    assert widget.where() == ("cross_attention", 1)
    with pytest.raises(ValueError, match="names no part at work; try one of source_tokens"):
        views.translation_flow(model, SENTENCE, place="soul")
    with pytest.raises(UnknownWords, match="“stret”"):
        views.translation_flow(model, "The stret")
