"""The case of notebook 06, its solutions as organs, and its functions against the package's own."""

import pytest
import torch
from solutions import both, solution

from anatomy_course.judge import find_exercise
from anatomy_course.lab.debugging.colleague import batch_mask
from anatomy_course.lab.debugging.colleague.batch_mask import colleagues_padding_mask
from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.transplant import reject, transplant
from anatomy_utils.decoding import beam_search, generate
from anatomy_utils.functional.masks import padding
from anatomy_utils.training import paper_schedule, shift_right
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

START = torch.ones(2, 1, dtype=torch.long)
ORGANS = ("attend_to_memory", "decoder_layer")


@pytest.fixture(scope="module")
def model():
    """A pre-norm Transformer without training."""
    config = TransformerConfig(53, 30, 2, 2, 5, 41, pre_norm=True, dropout=0.0)
    return transformer(config, generator=torch.Generator().manual_seed(0)).eval()


@pytest.fixture(scope="module")
def inputs():
    """Source, target, mask of the source: two texts, the second one padded."""
    generator = torch.Generator().manual_seed(1)
    source, target = (torch.randint(3, 53, (2, length), generator=generator) for length in (11, 7))
    return source, target, (torch.arange(11) < torch.tensor([[11], [6]])).long()


def written(model, inputs, **options):
    cache = model.start(inputs[0], 9, attention_mask=inputs[2])
    return generate(model.step, cache, START, max_new_tokens=8, **options)


@pytest.mark.parametrize("organ", ORGANS)
def test_a_solution_is_accepted_and_mistakes_are_not(model, inputs, organ):
    exercise = find_exercise(f"encoder_decoder.{organ}")
    assert reject(model, *inputs, **{organ: solution(exercise.id)}) is None
    for mistake in exercise.mistakes[:4]:
        found = reject(model, *inputs, **{organ: mistake.function})
        assert found is not None and found.path.startswith("decoder.layers.0"), mistake.name


def test_the_two_solutions_together_write_the_same_with_a_cache(model, inputs):
    wanted = written(model, inputs).rows()
    with transplant(model, **{organ: solution(f"encoder_decoder.{organ}") for organ in ORGANS}):
        assert written(model, inputs).rows() == wanted


@torch.no_grad()
def test_a_batch_is_translated_as_the_package_does_it(model, inputs):
    stop = int(written(model, inputs).new_ids[0, 4])
    wanted = written(model, inputs, stop_ids=[stop]).ids
    mask = padding(inputs[2])

    def next_logits(ids, memory):
        return model.vocabulary(model.decoder(ids, memory=memory, memory_mask=mask)[:, -1])

    for translate in both("encoder_decoder.translate"):
        assert torch.equal(translate(next_logits, model.encoder(inputs[0], inputs[2]), 1, stop, 0, 8), wanted)


@torch.no_grad()
def test_steps_of_beams_are_a_beam_search(model, inputs):
    source = inputs[0][:1]
    wanted = beam_search(model.step, model.start(source, 6), START[:1], num_beams=3, max_new_tokens=5)
    memory = model.encoder(source).expand(3, -1, -1)
    for step in both("encoder_decoder.beam_step"):
        kept, ids = torch.tensor([0.0, -99.0, -99.0]), START[:1].repeat(3, 1)
        for _ in range(5):
            logits = model.vocabulary(model.decoder(ids, memory=memory)[:, -1])
            kept, parents, tokens = step(kept, logits.log_softmax(-1))
            ids = torch.cat([ids[parents], tokens[:, None]], 1)
        assert torch.equal(ids[:, 1:], wanted.new_ids[0])
        torch.testing.assert_close(kept / 5, wanted.scores[0])


def test_rates_are_those_of_the_schedule_and_inputs_those_of_the_street():
    schedule = paper_schedule(30, warmup=7)
    rates = find_exercise("encoder_decoder.learning_rates").resolve()(torch.arange(1, 20), 30, 7)
    assert rates.argmax().item() == 6
    torch.testing.assert_close(rates, torch.tensor([schedule(step) for step in range(1, 20)]))
    texts = translation(sample_scenes(5, torch.Generator().manual_seed(2)), "french")
    mask = texts.decoder_attention_mask.bool()
    assert torch.equal(shift_right(texts.labels, 1, 0)[mask], texts.decoder_input_ids[mask])


# ---- the case ----


@pytest.fixture(scope="module")
def patient():
    return batch_mask.train_on_equal_lengths(steps=60)[0]


def test_the_patient_is_right_where_nothing_is_padded_and_sees_padding_elsewhere():
    equal = torch.ones(3, 5, dtype=torch.long)
    unequal = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0]])
    assert torch.equal(colleagues_padding_mask(equal), padding(equal))
    assert colleagues_padding_mask(unequal).shape == padding(unequal).shape == (2, 1, 1, 4)
    assert colleagues_padding_mask(unequal).sum() == 6 and padding(unequal).sum() == 4


@pytest.mark.usefixtures("unchecked")
def test_company_changes_the_patients_translations_and_no_others_and_the_repair_heals_the_same_weights(patient):
    healthy, patients = (
        batch_mask.translate_alone_and_in_batch(patient, mask, count=16) for mask in (padding, colleagues_padding_mask)
    )
    assert healthy.changed == 0 and healthy.alone == patients.alone
    assert patients.changed >= 4
    texts = translation(sample_scenes(6, torch.Generator().manual_seed(3), "test"), "french")
    repaired = batch_mask.translate_with_mask(patient, texts, solution("encoder_decoder.repair"))
    assert repaired == batch_mask.translate_with_mask(patient, texts, padding)


@pytest.mark.usefixtures("shapes_unchecked")
def test_the_symptoms(patient):
    lines = [line.split()[-2:] for line in batch_mask.symptoms_of_batch_mask(patient).text.splitlines()]
    assert ["10", "15"] in lines
    assert lines[-1] == ["no", "yes"]


def test_the_counts_of_a_company():
    found = batch_mask.AloneAndInBatch(("a", "b", "c"), ("a", "b", "x"), ("a", "y", "x"))
    assert (found.changed, found.right_alone, found.right_together) == (1, 2, 1)
