"""Depth experiments: what is recorded is what happened, and the effect that notebook 03 tells of is there."""

import pytest
import torch

from anatomy_course.lab.experiments import norm_placement
from anatomy_course.lab.experiments.norm_placement import depth_experiment, guessing_loss, narrow_encoder


def test_both_placements_start_from_the_same_weights():
    post, pre = (narrow_encoder(3, norm, torch.Generator().manual_seed(1)) for norm in ("post", "pre"))
    same = dict(post.named_parameters())
    weights = [(name, weight) for name, weight in pre.named_parameters() if "norm" not in name]
    assert len(weights) == len([name for name in same if "norm" not in name]) > 30
    for name, weight in weights:
        assert torch.equal(weight, same[name]), name


def test_the_record_has_each_step_and_each_layer_and_can_be_ended():
    calls = []
    run = depth_experiment(3, "pre", warmup=2, seed=5, steps=4, on_step=lambda run: calls.append(len(run.loss)))
    assert calls == [1, 2, 3, 4] and len(run.loss) == 4
    assert [len(step) for step in run.gradient_norms] == [3] * 4
    assert (run.depth, run.norm, run.warmup, run.seed, run.stopped) == (3, "pre", 2, 5, None)
    first, again, other = (
        depth_experiment(1, "post", seed=seed, steps=5, on_step=lambda run: len(run.loss) == 2) for seed in (0, 0, 1)
    )
    assert len(first.loss) == 2 and first.stopped == "on_step ended it after 2 steps"
    assert first.loss == again.loss != other.loss


def test_the_gradient_norms_are_those_of_the_layers_parameters():
    run = depth_experiment(2, "post", steps=1, seed=3)
    generator = torch.Generator().manual_seed(3)
    model = narrow_encoder(2, "post", generator)
    batch = norm_placement.tagging(norm_placement.sample_scenes(norm_placement.BATCH, generator))
    loss = norm_placement.label_loss(model, batch)
    loss.backward()
    by_hand = [
        torch.cat([weight.grad.flatten() for weight in layer.parameters()]).norm().item() for layer in model.body.layers
    ]
    assert run.loss[0] == pytest.approx(loss.item(), rel=1e-5)
    assert run.gradient_norms[0] == pytest.approx(by_hand, rel=1e-4)


def test_warm_up_makes_the_first_steps_small():
    cold, warm = (depth_experiment(2, "post", warmup=warmup, steps=3) for warmup in (0, 1000))
    assert warm.loss[0] == cold.loss[0]
    assert warm.loss[0] - warm.loss[2] < 0.2 * (cold.loss[0] - cold.loss[2])


def test_at_the_start_post_norm_makes_all_words_alike_unless_its_branches_are_small():
    examples = norm_placement.tagging(norm_placement.sample_scenes(8, torch.Generator().manual_seed(4)))
    kinds = {"post": ("post", 1.0), "pre": ("pre", 1.0), "small": ("post", 0.3), "large": ("pre", 10.0)}
    model = {name: narrow_encoder(10, norm, torch.Generator().manual_seed(7), branches=factor)
             for name, (norm, factor) in kinds.items()}  # fmt: skip
    top = {name: norm_placement.words_alike(each, examples)[-1] for name, each in model.items()}
    assert top["small"] < 0.7 < top["pre"] < 0.95 < top["large"] < 0.99 < top["post"]


def test_guessing_is_what_a_stack_that_learns_nothing_reaches():
    assert 1.2 < guessing_loss() < 1.5  # nine tags, most words have none


@pytest.mark.usefixtures("shapes_unchecked")
def test_wrong_input_gets_one_sentence():
    for depth, norm, told in (
        (0, "post", "depth is 0, but an encoder needs at least 1 layer"),
        (1, "both", "norm is 'both'; choose 'post'"),
    ):
        with pytest.raises(ValueError, match=told):
            depth_experiment(depth, norm)
