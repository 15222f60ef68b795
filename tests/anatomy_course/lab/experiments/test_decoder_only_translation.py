"""Rivals: equal in size and sentences, judged without writing as they would be by writing, different in the mask."""

from __future__ import annotations

import pytest
import torch

from anatomy_course.lab.experiments import decoder_only_translation
from anatomy_course.lab.experiments.decoder_only_translation import DESIGNS, AnyDesign
from anatomy_course.lab.small_models import translator
from anatomy_course.lab.small_models.train import train_model
from anatomy_course.lab.street import Scene, say, street_vocabulary
from anatomy_course.lab.street.sampling import sample_minimal_pairs, sample_scenes

UNSEEN = sample_scenes(30, torch.Generator().manual_seed(7), "test")
VOCABULARY = street_vocabulary()


@pytest.fixture(scope="module")
def young() -> dict[str, AnyDesign]:
    return {design: decoder_only_translation.train_design(design, 2, steps=6, progress=False)[0] for design in DESIGNS}


def test_the_designs_have_nearly_as_many_parameters() -> None:
    sizes = [
        sum(p.numel() for p in decoder_only_translation.new_design(d, torch.Generator()).parameters()) for d in DESIGNS
    ]
    assert sizes[1] == sizes[2] and abs(sizes[0] / sizes[1] - 1) < 0.01
    with pytest.raises(ValueError, match="there is no 'encoder'"):
        decoder_only_translation.new_design("encoder", torch.Generator())


def test_one_text_holds_the_source_then_the_target() -> None:
    batch = decoder_only_translation.join_texts(UNSEEN[:5])
    for row, scene in enumerate(UNSEEN[:5]):
        words = VOCABULARY.tokens(batch.input_ids[row, : int(batch.attention_mask[row].sum())])
        given = ["<french>", *say(scene, "english").tokens, "<bos>"]
        assert words == [*given, *say(scene, "french").tokens, "<eos>"]
        assert batch.prefix_lengths[row] == len(given)


def test_both_are_asked_for_the_same_words(young: dict[str, AnyDesign]) -> None:
    asked = [
        decoder_only_translation.predict_targets(model, decoder_only_translation.texts_for_design(model, UNSEEN[:5]))
        for model in young.values()
    ]
    assert torch.equal(asked[0].right, asked[1].right) and torch.equal(asked[0].row, asked[2].row)
    wanted = [token for scene in UNSEEN[:5] for token in [*say(scene, "french").tokens, "<eos>"]]
    assert VOCABULARY.tokens(asked[0].right) == wanted


def test_only_the_prefix_mask_lets_english_words_see_those_after_them(young: dict[str, AnyDesign]) -> None:
    ids = decoder_only_translation.join_texts(UNSEEN[:1]).input_ids
    other = ids.clone()
    other[0, 4] = (other[0, 4] + 1) % len(VOCABULARY)
    prefix_lengths = torch.tensor([7])
    for design, moved in zip(DESIGNS[1:], (False, True), strict=True):
        with torch.no_grad():
            before, after = (young[design](each, prefix_lengths) for each in (ids, other))
        assert (not torch.allclose(before[:, :4], after[:, :4], atol=1e-5)) == moved
        later = ids.clone()
        later[0, 9] = 3
        with torch.no_grad():  # what is written never sees what follows
            assert torch.allclose(young[design](later, prefix_lengths)[:, :9], before[:, :9], atol=1e-5)


def crammed(design: str, scenes: list[Scene], steps: int, swap: bool = False) -> AnyDesign:
    """A model that has read nothing but a few scenes, again and again; or the same with *il* and *elle* swapped."""
    model = decoder_only_translation.new_design(design, torch.Generator().manual_seed(0))
    batch = decoder_only_translation.texts_for_design(model, scenes * steps)
    if swap:
        il, elle = VOCABULARY.ids(["il", "elle"])
        for field in ("input_ids", "decoder_input_ids", "labels"):
            ids = getattr(batch, field, torch.empty(0))
            places = (ids == il) | (ids == elle)
            ids[places] = il + elle - ids[places]
    train_model(
        model, batch, decoder_only_translation.design_loss, batch_size=len(scenes), learning_rate=7e-3, progress=False
    )
    return model


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.usefixtures("shapes_unchecked")
def test_judging_without_writing_is_judging_by_writing(design: str) -> None:
    scenes = UNSEEN[:12]
    model = crammed(design, scenes[:7], steps=30)  # knows these and not the rest
    written = [decoder_only_translation.translate_with_design(model, str(say(scene, "english"))) for scene in scenes]
    share = sum(text == str(say(scene, "french")) for text, scene in zip(written, scenes, strict=True)) / len(scenes)
    assert 0 < share < 1
    assert decoder_only_translation.share_of_right_sentences(model, scenes) == pytest.approx(share)


@pytest.mark.parametrize("design", DESIGNS[:2])
@pytest.mark.usefixtures("shapes_unchecked")
def test_pronouns_are_judged_at_their_place(design: str) -> None:
    pairs = sample_minimal_pairs(3, torch.Generator().manual_seed(1), different_gender=True)
    scenes = [scene for pair in pairs for scene in (pair.about_subject, pair.about_object)]
    assert decoder_only_translation.share_of_right_pronouns(crammed(design, scenes, steps=40), pairs) == 1
    assert decoder_only_translation.share_of_right_pronouns(crammed(design, scenes, steps=40, swap=True), pairs) == 0


def test_multiplications_are_counted_per_word(young: dict[str, AnyDesign]) -> None:
    scene = UNSEEN[0]
    read = 2 + len(say(scene, "english").tokens)
    written = 1 + len(say(scene, "french").tokens)
    per_layer = 4 * 64 * 64 + 2 * 64 * 320
    size = len(VOCABULARY)
    alone = (read + written - 1) * 4 * per_layer + written * 64 * size
    assert decoder_only_translation.count_multiplications(young[DESIGNS[1]], scene) == alone
    source = read - 1
    encoder = source * 2 * (4 * 64 * 64 + 2 * 64 * 256)
    decoder = written * 2 * (6 * 64 * 64 + 2 * 64 * 256) + source * 2 * 2 * 64 * 64 + written * 64 * size
    assert decoder_only_translation.count_multiplications(young[DESIGNS[0]], scene) == encoder + decoder


def test_the_encoder_decoder_is_the_translators() -> None:
    ours = decoder_only_translation.new_design(DESIGNS[0], torch.Generator().manual_seed(3)).state_dict()
    theirs = translator.small_transformer(torch.Generator().manual_seed(3)).state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
