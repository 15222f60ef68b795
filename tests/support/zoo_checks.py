"""What every family of the zoo is held to: a test file inherits these checks and names its cases."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
import torch
from zoo_cases import ZooCase, batch, both_answers, ours

from anatomy_utils.tap import watch
from anatomy_utils.zoo import checkpoint, loader

TOLERANCE = {"atol": 1e-5, "rtol": 1e-5}
STEPWISE = {"atol": 2e-5, "rtol": 1e-5}
"""One row at a time is summed in another order than all at once: with T5's large logits, 1.3e-5 on some processors."""


class ReferenceChecks:
    """Every case of a family against the Hugging Face implementation, from a saved folder.

    Attributes:
        cases: reference classes with their configurations.
        lacks: changes of the first case's `config.json` that the family refuses, and what it says.
    """

    cases: ClassVar[list[ZooCase]]
    lacks: ClassVar[tuple[tuple[dict[str, Any], str], ...]]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "case" in metafunc.fixturenames:
            metafunc.parametrize("case", self.cases, ids=lambda case: case.id)
        if "change" in metafunc.fixturenames:
            metafunc.parametrize(("change", "complaint"), self.lacks)
        if "writer" in metafunc.fixturenames:
            metafunc.parametrize("writer", [case for case in self.cases if case.writes], ids=lambda case: case.id)

    @pytest.mark.parametrize("padded", [False, True], ids=["full", "padded"])
    def test_equals_reference_with_gradients(self, case, padded, tmp_path):
        reference = case.reference()
        model = ours(reference, tmp_path).train()
        reference.train()  # every dropout is 0: training mode must not change anything
        got, wanted = both_answers(case, reference, model, padded)
        for mine, theirs in zip(got, wanted, strict=True):
            assert theirs.abs().max() > 0.05  # a comparison of zeros would show nothing
            torch.testing.assert_close(mine, theirs, **TOLERANCE)
        upstream = [torch.randn(part.shape, generator=torch.Generator().manual_seed(2)) for part in wanted]
        torch.autograd.backward(got, upstream)
        torch.autograd.backward(wanted, upstream)
        squares = [
            sum(
                parameter.grad.double().square().sum().item()
                for parameter in side.parameters()
                if parameter.grad is not None
            )
            for side in (model, reference)
        ]
        assert squares[0] == pytest.approx(squares[1], rel=1e-4)
        tables = [model.get_parameter(name) for name, _ in model.named_parameters() if name.endswith("tokens.weight")]
        wanted_grad = reference.get_input_embeddings().weight.grad
        largest = wanted_grad.abs().max()  # sums of many terms: float32 errs in proportion to the largest
        torch.testing.assert_close(tables[0].grad / largest, wanted_grad / largest, atol=1e-5, rtol=0)

    def test_runs_in_bfloat16(self, case, tmp_path):
        reference = case.reference()
        got, _ = both_answers(case, reference, ours(reference, tmp_path).bfloat16(), True)
        assert all(part.dtype == torch.bfloat16 and part.isfinite().all() for part in got)

    def test_variations_that_the_family_lacks_are_named(self, change, complaint, tmp_path):
        self.cases[0].reference().save_pretrained(tmp_path)
        config, tensors = checkpoint.read_folder(tmp_path)
        config.pop("rope_parameters", None)
        with pytest.raises(ValueError, match=complaint):
            loader(config["model_type"])(config | change, tensors)


class LanguageModelChecks(ReferenceChecks):
    """The same for decoders, and how they write."""

    def test_cached_equals_uncached_and_left_padding_does_not_matter(self, writer, tmp_path):
        model = ours(writer.reference(), tmp_path)
        input_ids = batch(False)[0]
        with torch.no_grad():
            wanted = model(input_ids)
            logits, cache = model.step(input_ids[:, :5], model.start(2, 20))
            steps = [logits]
            for i in range(5, 17):
                logits, cache = model.step(input_ids[:, i : i + 1], cache)
                steps.append(logits)
            torch.testing.assert_close(torch.stack(steps, 1), wanted[:, 4:], **TOLERANCE)
            # The first row starts three positions later.
            later = torch.cat([torch.zeros(1, 3, dtype=torch.long), input_ids[:1, :5]], 1)
            prompts = torch.cat([later, input_ids[1:, :8]])
            attention_mask = torch.ones_like(prompts)
            attention_mask[0, :3] = 0
            logits, cache = model.step(prompts, model.start(2, 12, attention_mask=attention_mask))
            torch.testing.assert_close(logits[0], wanted[0, 4], **TOLERANCE)
            torch.testing.assert_close(logits[1], wanted[1, 7], **TOLERANCE)
            following = torch.stack([input_ids[0, 5:7], input_ids[1, 8:10]])
            for i in range(2):
                logits, cache = model.step(following[:, i : i + 1], cache)
            torch.testing.assert_close(logits[0], wanted[0, 6], **TOLERANCE)
            torch.testing.assert_close(logits[1], wanted[1, 9], **TOLERANCE)
            # Several tokens at once behind a filled cache.
            logits, _ = model.step(input_ids[:, 5:9], model.step(input_ids[:, :5], model.start(2, 20))[1])
            torch.testing.assert_close(logits, wanted[:, 8], **TOLERANCE)


class EncoderDecoderChecks(ReferenceChecks):
    """The same for encoder–decoders, and how they write."""

    def test_encoder_decoder_cached_equals_uncached(self, writer, tmp_path):
        model = ours(writer.reference(), tmp_path)
        input_ids, attention_mask, target_ids = batch(True)
        with torch.no_grad():
            wanted = model(input_ids, target_ids, attention_mask)
            cache = model.start(input_ids, 9, attention_mask=attention_mask)
            for i in range(9):
                logits, cache = model.step(target_ids[:, i : i + 1], cache)
                torch.testing.assert_close(logits, wanted[:, i], **STEPWISE)
            swapped = model.start(input_ids, 9, attention_mask=attention_mask).rows(torch.tensor([1, 0]))
            logits, _ = model.step(target_ids[:, :3].flip(0), swapped)
            torch.testing.assert_close(logits.flip(0), wanted[:, 2], **TOLERANCE)


def check_every_layer_shows_its_weights(case, tmp_path):
    """Every layer taps its weights; what was seen makes no difference, and nobody reads padding."""
    model = ours(case.reference(), tmp_path)
    input_ids = torch.randint(3, 53, (2, 17), generator=torch.Generator().manual_seed(1))
    attention_mask = torch.ones_like(input_ids)
    attention_mask[1, 11:] = 0
    with torch.no_grad():
        unwatched = model(input_ids, attention_mask)
        with watch(model, "layers.*.self_attention.weights") as seen:
            watched = model(input_ids, attention_mask)
    torch.testing.assert_close(watched[attention_mask.bool()], unwatched[attention_mask.bool()], atol=1e-5, rtol=1e-5)
    assert len(seen) == len(model.layers)
    for weights in seen.values():
        assert weights.shape == (2, 5, 17, 17)
        torch.testing.assert_close(weights.sum(-1)[attention_mask.bool()[:, None].expand(-1, 5, -1)], torch.ones(140))
        assert (weights[1, :, :, 11:] == 0).all()


def check_labels_are_read_from_dropped_features(case, name, tmp_path):
    """Published classifiers drop features before their dense layer too; with all dropped, only its bias is left."""
    reference = case.reference()
    head = ours(reference, tmp_path).train().head
    assert head.input_dropout.p == getattr(reference.config, name)
    head.input_dropout.p, head.dropout.p = 1.0, 0.0
    states = torch.randn(2, 5, head.dense.in_features)
    torch.testing.assert_close(head(states)[0], head.labels(head.activation(head.dense.bias)))
