"""The faster route for matrix products: never without being asked, never where it is not float32, always undone."""

import pytest
import torch

from anatomy_utils.nn import fast_matmul as module
from anatomy_utils.nn.fast_matmul import MatmulCheck, check_fast_matmul, fast_matmul, judge, measure

FAST = MatmulCheck(True, "another route", 2.0, 5e-7)
precision = torch.get_float32_matmul_precision


@pytest.fixture(autouse=True)
def _undone():
    assert precision() == "highest"
    yield
    was = precision()
    torch.set_float32_matmul_precision("highest")
    assert was == "highest", "a test left the setting changed"


@pytest.mark.parametrize(
    ("speedup", "error", "on", "word"),
    [
        (2.2, 7e-7, True, "2.2 times as fast here, relative error 7e-07"),
        (2.2, 2e-3, False, "bfloat16"),
        (2.2, float("nan"), False, "bfloat16"),
        (1.1, 7e-7, False, "healthy"),
        (0.4, 7e-7, False, "healthy, the other 0.40 times"),
    ],
)
def test_judgement(speedup, error, on, word):
    found = judge(speedup, error)
    assert found.on is on
    assert word in str(found)
    assert found.speedup == speedup


def test_switched_inside_and_undone_behind(monkeypatch):
    monkeypatch.setattr(module, "check_fast_matmul", lambda: FAST)
    with fast_matmul() as found:
        assert found is FAST
        assert precision() == "medium"
    assert precision() == "highest"


def test_undone_after_an_exception(monkeypatch):
    monkeypatch.setattr(module, "check_fast_matmul", lambda: FAST)
    with pytest.raises(KeyError), fast_matmul():
        raise KeyError
    assert precision() == "highest"


def test_blocks_within_blocks(monkeypatch):
    monkeypatch.setattr(module, "check_fast_matmul", lambda: FAST)
    with fast_matmul():
        with fast_matmul() as inner:
            assert not inner.on
            assert 'already set the precision to "medium"' in str(inner)
        assert precision() == "medium"


def test_left_alone_where_it_does_not_help(monkeypatch):
    monkeypatch.setattr(module, "check_fast_matmul", lambda: judge(0.5, 5e-7))
    with fast_matmul() as found:
        assert not found.on
        assert precision() == "highest"


@pytest.mark.parametrize("device", ["cuda", "mps", torch.device("meta")])
def test_declines_elsewhere_without_measuring(monkeypatch, device):
    monkeypatch.setattr(module, "check_fast_matmul", lambda: pytest.fail("measured"))
    with fast_matmul(device) as found:
        assert not found.on
        assert "this is for CPUs" in str(found)


def test_declines_without_onednn(monkeypatch):
    monkeypatch.setattr(module.torch.backends.mkldnn, "is_available", lambda: False)
    with fast_matmul() as found:
        assert "without oneDNN" in str(found)


def test_declines_what_it_could_not_put_back(monkeypatch):
    def mixed():
        raise RuntimeError("mix of the legacy and new APIs")

    monkeypatch.setattr(module.torch, "get_float32_matmul_precision", mixed)
    with fast_matmul() as found:
        assert "could not be put back" in str(found)
    monkeypatch.undo()


def test_measured_once_and_truly(monkeypatch):
    check_fast_matmul.cache_clear()
    calls = []
    monkeypatch.setattr(module, "measure", lambda: calls.append(1) or measure(rounds=1))
    state = torch.random.get_rng_state()
    with fast_matmul() as first:
        inside = precision()
    with fast_matmul() as second:
        pass
    check_fast_matmul.cache_clear()
    assert len(calls) == 1
    assert first is second
    assert (inside == "medium") is first.on
    assert torch.equal(torch.random.get_rng_state(), state)
    assert first.on == (first.error <= 1e-5 and first.speedup >= 1.15)


def test_the_error_is_that_of_the_other_route():
    """Where this CPU's other route is bfloat16, the probe must see it."""
    left, right = (torch.randn(256, 256, generator=torch.Generator().manual_seed(seed)) for seed in (0, 1))
    exact = left.double() @ right.double()
    torch.set_float32_matmul_precision("medium")
    here = ((left @ right - exact).norm() / exact.norm()).item()
    torch.set_float32_matmul_precision("highest")
    _, error = measure(rounds=1)
    torch.set_float32_matmul_precision("highest")
    assert (error > 1e-4) == (here > 1e-4)
    assert (error < 1e-5) == (here < 1e-5)
