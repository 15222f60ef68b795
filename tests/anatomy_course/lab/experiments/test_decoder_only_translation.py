"""Rivals: equal in size and sentences, judged without writing as they would be by writing, different in the mask."""

import pytest
import torch

from anatomy_course.lab.experiments import decoder_only_translation as designs
from anatomy_course.lab.experiments.decoder_only_translation import DESIGNS
from anatomy_course.lab.small_models import translator
from anatomy_course.lab.small_models.train import train_model
from anatomy_course.lab.street import say, street_vocabulary
from anatomy_course.lab.street.sampling import sample_minimal_pairs, sample_scenes

UNSEEN = sample_scenes(30, torch.Generator().manual_seed(7), "test")
VOCABULARY = street_vocabulary()


@pytest.fixture(scope="module")
def young():
    return {design: designs.train_design(design, 2, steps=6, progress=False)[0] for design in DESIGNS}


def test_the_designs_have_nearly_as_many_parameters_and_the_first_is_the_translators():
    models = [designs.new_design(design, torch.Generator().manual_seed(3)) for design in DESIGNS]
    sizes = [sum(p.numel() for p in model.parameters()) for model in models]
    assert sizes[1] == sizes[2] and abs(sizes[0] / sizes[1] - 1) < 0.01
    ours, theirs = models[0].state_dict(), translator.small_transformer(torch.Generator().manual_seed(3)).state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    with pytest.raises(ValueError, match="there is no 'encoder'"):
        designs.new_design("encoder", torch.Generator())


def test_one_text_holds_the_source_then_the_target():
    batch = designs.join_texts(UNSEEN[:5])
    for row, scene in enumerate(UNSEEN[:5]):
        words = VOCABULARY.tokens(batch.input_ids[row, : int(batch.attention_mask[row].sum())])
        given = ["<french>", *say(scene, "english").tokens, "<bos>"]
        assert words == [*given, *say(scene, "french").tokens, "<eos>"]
        assert batch.prefix_lengths[row] == len(given)


def test_both_are_asked_for_the_same_words(young):
    asked = [designs.predict_targets(model, designs.texts_for_design(model, UNSEEN[:5])) for model in young.values()]
    assert torch.equal(asked[0].right, asked[1].right) and torch.equal(asked[0].row, asked[2].row)
    wanted = [token for scene in UNSEEN[:5] for token in [*say(scene, "french").tokens, "<eos>"]]
    assert VOCABULARY.tokens(asked[0].right) == wanted


@torch.no_grad()
def test_only_the_prefix_mask_lets_english_words_see_those_after_them(young):
    ids = designs.join_texts(UNSEEN[:1]).input_ids
    other, later = ids.clone(), ids.clone()
    other[0, 4], later[0, 9] = (other[0, 4] + 1) % len(VOCABULARY), 3
    for design, moved in zip(DESIGNS[1:], (False, True), strict=True):
        before, after, much_later = (young[design](each, torch.tensor([7])) for each in (ids, other, later))
        assert (not torch.allclose(before[:, :4], after[:, :4], atol=1e-5)) == moved
        assert torch.allclose(much_later[:, :9], before[:, :9], atol=1e-5), "what is written never sees what follows"


def crammed(design, scenes, steps, swap=False):
    """A model that has read nothing but a few scenes, again and again; or the same with *il* and *elle* swapped."""
    model = designs.new_design(design, torch.Generator().manual_seed(0))
    batch = designs.texts_for_design(model, scenes * steps)
    if swap:
        il, elle = VOCABULARY.ids(["il", "elle"])
        for field in ("input_ids", "decoder_input_ids", "labels"):
            ids = getattr(batch, field, torch.empty(0))
            places = (ids == il) | (ids == elle)
            ids[places] = il + elle - ids[places]
    train_model(model, batch, designs.design_loss, batch_size=len(scenes), learning_rate=7e-3, progress=False)
    return model


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.usefixtures("shapes_unchecked")
def test_judging_without_writing_is_judging_by_writing(design):
    scenes = UNSEEN[:12]
    model = crammed(design, scenes[:7], steps=30)  # knows these and not the rest
    written = [designs.translate_with_design(model, str(say(scene, "english"))) for scene in scenes]
    share = sum(text == str(say(scene, "french")) for text, scene in zip(written, scenes, strict=True)) / len(scenes)
    assert 0 < share < 1
    assert designs.share_of_right_sentences(model, scenes) == pytest.approx(share)


@pytest.mark.parametrize("design", DESIGNS[:2])
@pytest.mark.usefixtures("shapes_unchecked")
def test_pronouns_are_judged_at_their_place(design):
    pairs = sample_minimal_pairs(3, torch.Generator().manual_seed(1), different_gender=True)
    scenes = [scene for pair in pairs for scene in (pair.about_subject, pair.about_object)]
    assert designs.share_of_right_pronouns(crammed(design, scenes, steps=40), pairs) == 1
    assert designs.share_of_right_pronouns(crammed(design, scenes, steps=40, swap=True), pairs) == 0


def test_multiplications_are_counted_per_word(young):
    scene = UNSEEN[0]
    read = 2 + len(say(scene, "english").tokens)
    written = 1 + len(say(scene, "french").tokens)
    per_layer = 4 * 64 * 64 + 2 * 64 * 320
    size = len(VOCABULARY)
    alone = (read + written - 1) * 4 * per_layer + written * 64 * size
    assert designs.count_multiplications(young[DESIGNS[1]], scene) == alone
    source = read - 1
    encoder = source * 2 * (4 * 64 * 64 + 2 * 64 * 256)
    decoder = written * 2 * (6 * 64 * 64 + 2 * 64 * 256) + source * 2 * 2 * 64 * 64 + written * 64 * size
    assert designs.count_multiplications(young[DESIGNS[0]], scene) == encoder + decoder
