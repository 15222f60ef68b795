"""Culprit heads: what is asked, what switching off does to which organ, and a search that finds what was hidden."""

import re

import pytest
import torch

from anatomy_course.lab.experiments import pronoun_heads
from anatomy_course.lab.experiments.pronoun_heads import AttentionHead, new_pronoun_test
from anatomy_course.lab.small_models.translator import translate
from anatomy_course.lab.street import MinimalPair, Scene, flips, pronoun, street_vocabulary
from anatomy_course.lab.street.sampling import sample_minimal_pairs
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import watch
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

PAIRS = sample_minimal_pairs(7, torch.Generator().manual_seed(3), different_gender=True)
TEST = new_pronoun_test(PAIRS)
VOCABULARY = street_vocabulary()


@pytest.fixture(scope="module")
def model():
    """Untrained, with unequal numbers of layers, so that no stack can be taken for the other."""
    config = TransformerConfig(
        len(VOCABULARY), d_model=12, num_layers=1, num_decoder_layers=2, num_heads=3, d_ff=8, pre_norm=True, dropout=0.0
    )
    return transformer(config, generator=torch.Generator().manual_seed(0)).eval()


# ---- what is asked


def test_the_pronoun_is_asked_for_behind_words_that_do_not_give_it_away():
    for row, scene in enumerate(TEST.scenes):
        place = int(TEST.places[row])
        assert VOCABULARY.tokens(TEST.right_ids[row : row + 1]) == [pronoun(scene)]
        assert TEST.batch.labels[row, place] == TEST.right_ids[row]
        assert VOCABULARY.tokens(TEST.batch.decoder_input_ids[row])[place] == "qu'"
    first, second = TEST.batch.decoder_input_ids[::2], TEST.batch.decoder_input_ids[1::2]
    for row, place in enumerate(TEST.places[::2].tolist()):
        assert torch.equal(first[row, : place + 1], second[row, : place + 1])
    assert (TEST.right_ids[::2] != TEST.right_ids[1::2]).all()


def test_a_pair_that_needs_one_pronoun_twice_asks_nothing():
    scene = Scene("dog", "avoid", "lake", "tired")
    for pairs in ([*PAIRS, MinimalPair(scene, flips(scene)[0])], []):
        with pytest.raises(ValueError, match=r"il once and elle once; .*different_gender=True"):
            new_pronoun_test(pairs)


class Says(EncoderDecoder):
    """Gives the logits it was told to, at every position."""

    def __init__(self, logits):
        torch.nn.Module.__init__(self)
        self.encoder, self.decoder, self.logits = torch.nn.Identity(), torch.nn.Identity(), logits

    def forward(self, input_ids, decoder_input_ids, *masks):
        return self.logits.expand(*decoder_input_ids.shape, -1)


def test_the_right_pronoun_has_to_be_the_likeliest_of_all_words():
    il, elle, other = VOCABULARY.ids(["il", "elle", "street"])
    logits = torch.full((len(VOCABULARY),), -100.0)
    logits[il], logits[elle] = 1.0, 0.0
    always_il = pronoun_heads.pronoun_score(Says(logits), TEST)
    assert always_il.right == 0.5 and always_il.confidence == pytest.approx(0.5)
    logits[other] = 9.0
    assert pronoun_heads.pronoun_score(Says(logits), TEST).right == 0


# ---- switching off


def test_each_organ_has_its_own_heads(model):
    heads = pronoun_heads.all_heads(model)
    assert len(heads) == 15 and heads[0] == AttentionHead("encoder", 0, 0) and heads[-1] == AttentionHead("cross", 1, 2)
    for head, path in [
        (AttentionHead("encoder", 0, 2), "encoder.layers.0.self_attention"),
        (AttentionHead("decoder", 1, 0), "decoder.layers.1.self_attention"),
        (AttentionHead("cross", 1, 1), "decoder.layers.1.cross_attention"),
    ]:
        with pronoun_heads.without_heads(model, [head]), watch(model, "*.context") as seen:
            pronoun_heads.pronoun_score(model, TEST)
        for name, context in seen.items():
            silent = [number for number in range(3) if not context.unflatten(-1, (3, 4))[..., number, :].any()]
            assert silent == ([head.head] if name == f"{path}.context" else [])


def test_heads_stay_off_while_a_text_is_written(model):
    whole = translate(model, TEST.batch)
    cross = [head for head in pronoun_heads.all_heads(model) if head.organ == "cross"]
    with pronoun_heads.without_heads(model, cross):
        blind = translate(model, TEST.batch)
    assert len(set(blind)) == 1, "who does not look at the source writes the same of all"
    assert translate(model, TEST.batch) == whole


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (AttentionHead("liver", 0, 0), "There is no organ 'liver' with heads; choose one of encoder, decoder, cross."),
        (AttentionHead("encoder", 1, 0), "layer=1 was asked for; this model has layers 0 to 0."),
        (AttentionHead("cross", 1, 3), "head=3 was asked for; layer 1 has heads 0 to 2."),
    ],
)
def test_heads_that_are_not_there(model, head, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)), pronoun_heads.without_heads(model, [head]):
        pass


# ---- searching


CULPRITS = (AttentionHead("encoder", 0, 1), AttentionHead("cross", 1, 2))


def two_did_it(model, test, off=()):
    """A translator in which two heads know, the first of them more than the second."""
    lost = 0.3 * (CULPRITS[0] in off) + 0.2 * (CULPRITS[1] in off)
    return pronoun_heads.PronounScore(1 - lost, 0.99 - lost)


def test_the_search_takes_the_worst_head_first_and_ends_when_enough_is_lost(model, monkeypatch):
    monkeypatch.setattr(pronoun_heads, "pronoun_score", two_did_it)
    steps = list(pronoun_heads.search_pronoun_heads(model, TEST, enough=0.4))
    assert [step.heads for step in steps] == [CULPRITS[:1], CULPRITS]
    assert steps[1].score.right == 0.5
    assert len(steps[0].tried) == 15 and set(steps[0].tried) - set(steps[1].tried) == {CULPRITS[0]}
    assert len(list(pronoun_heads.search_pronoun_heads(model, TEST, enough=0.3))) == 1
    assert len(list(pronoun_heads.search_pronoun_heads(model, TEST, enough=0.9, at_most=3))) == 3


def test_writing_is_judged_by_the_pronoun_alone(model, monkeypatch):
    told = [f"N'importe parce qu'{pronoun(scene)} était." for scene in TEST.scenes]
    told[3], told[4], told[7], told[9] = "", told[5], "L'âne n'a pas mangé.", "Parce qu'"
    monkeypatch.setattr(pronoun_heads, "translate", lambda model, batch: told)
    assert pronoun_heads.pronouns_right_in_translation(model, TEST) == pytest.approx(10 / 14)
