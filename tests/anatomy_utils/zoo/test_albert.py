"""ALBERT: one layer runs at several places."""

from zoo_cases import ALBERT, ZooCase, batch, ours

from anatomy_utils.tap import watch


def test_albert_runs_the_same_layer_again(tmp_path):
    model = ours(ZooCase("AlbertModel", ALBERT).reference(), tmp_path)  # three layers in two groups
    assert model.layers[0] is model.layers[1] is not model.layers[2]
    with watch(model, "layers.?.output") as seen:
        model(batch(False)[0])
    assert [len(seen.all(name)) for name in seen] == [2, 1]
