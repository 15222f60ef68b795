"""What the taxonomy computes, against counts that others made: torch's counter, real caches, the reference library."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from anatomy_utils import tap
from anatomy_utils.taxonomy import TREE, find
from anatomy_utils.taxonomy.build import build, small, small_config
from anatomy_utils.taxonomy.costs import cache_bytes, parameters, work_per_token
from anatomy_utils.taxonomy.scaling import LengthFormula
from anatomy_utils.taxonomy.structure import example, inputs_of, length_of
from anatomy_utils.zoo.recurrent import RecurrentTranslator
from anatomy_utils.zoo.transfo_xl import RecurrentLanguageModel

RUNNING = [model for model in TREE if model.runs]
SIZES = [(model, size) for model in RUNNING for size in model.sizes]
LENGTH = 13


def made(model):
    return small(model, generator=torch.Generator().manual_seed(0))


def texts(module):
    """One text, image or sound for each stack."""
    length = length_of(module, LENGTH)
    return example(module, torch.randint(3, 53, (1, length), generator=torch.Generator().manual_seed(1)))


def without_windows(growing):
    return LengthFormula(growing.fixed, tuple((each, None) for each, _ in growing.growing), growing.once)


@pytest.mark.parametrize(("model", "size"), SIZES, ids=lambda part: part.name)
def test_computed_parameters_are_the_published_ones(model, size):
    counted = parameters(build(model, size), size.counts)
    if not size.published:
        assert counted > 0  # nobody states it
    elif size.rounding == 1:
        assert counted == size.published
    else:
        assert abs(counted - size.published) < size.rounding


@pytest.mark.parametrize(
    ("model", "size"), [pair for pair in SIZES if pair[0].reference], ids=lambda part: getattr(part, "name", "")
)
def test_computed_parameters_are_the_references(model, size):
    transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
    reference = getattr(transformers, model.reference)
    with torch.device("meta"):
        theirs = reference(reference.config_class(**size.config))
    # Ours has the pooler of BERT only where a head reads it.
    assert parameters(build(model, size)) == sum(each.numel() for each in theirs.parameters() if each.requires_grad)


@pytest.mark.filterwarnings("ignore:TF32 acceleration")  # torch says so whenever oneDNN is switched off
@pytest.mark.parametrize("model", RUNNING, ids=lambda model: model.name)
def test_work_is_what_torch_counts(model):
    module = made(model)
    answers = texts(module)
    # Watched, attention runs as written out: torch's counter knows nothing of the fused kernel on a CPU, and what a
    # window hides is computed before it is masked.
    with (
        torch.no_grad(),
        tap.watch(module),
        torch.backends.mkldnn.flags(enabled=False),  # its LSTM is another kernel that the counter does not know
        FlopCounterMode(display=False) as counter,
    ):
        module(*answers)
    length = length_of(module, LENGTH)
    assert without_windows(work_per_token(module)).at(length) == counter.get_total_flops() / length / len(answers)


@pytest.mark.parametrize(
    "model",
    [model for model in RUNNING if model.branch != "encoder" and model.name != "ELMo"],
    ids=lambda model: model.name,
)
def test_cache_is_as_large_as_the_real_one(model):
    module = made(model)
    ids = texts(module)[0]
    if isinstance(module, RecurrentLanguageModel):
        with torch.no_grad():
            kept = sum(each.numel() * each.element_size() for each in module(ids)[1].layers)
        assert cache_bytes(module, bytes_per_number=4).at(LENGTH) == kept
        return
    if isinstance(module, RecurrentTranslator):
        with torch.no_grad():
            reading = module.start(ids)
        kept = (reading.annotations, reading.keys, reading.state)
        assert cache_bytes(module, bytes_per_number=4).at(LENGTH) == sum(4 * each.numel() for each in kept)
        return
    with torch.no_grad():
        seq2seq = len(inputs_of(module)) == 2
        cache = module.start(ids, LENGTH) if seq2seq else module.start(1, LENGTH)
        _, cache = module.step(texts(module)[-1], cache)
    memory = sum(part.numel() * part.element_size() for pair in cache.memory or () for part in pair)
    # Our own cache keeps every position; a layer with a window could forget those behind it.
    assert without_windows(cache_bytes(module, bytes_per_number=4)).at(LENGTH) == cache.bytes + memory


def test_windows_end_the_growth_of_cache_and_work():
    mistral = build(find("Mistral"), find("Mistral").size("7B"))
    assert cache_bytes(mistral).at(4096) == 32 * 8 * 128 * 2 * 2 * 4096
    assert cache_bytes(mistral).at(131_072) == cache_bytes(mistral).at(4096)
    assert work_per_token(mistral).at(131_072) == work_per_token(mistral).at(4096) > work_per_token(mistral).at(4095)
    modern = build(find("ModernBERT"), find("ModernBERT").size("base"))
    # 8 of 22 layers see all, 14 see 64 to each side and themselves
    assert work_per_token(modern).at(1000) - work_per_token(modern).at(999) == 8 * 4 * 768
    assert work_per_token(modern).at(129) - work_per_token(modern).at(128) == 22 * 4 * 768


def test_what_only_reads_keeps_no_cache():
    assert cache_bytes(made(find("BERT"))) == cache_bytes(made(find("ELMo"))) == LengthFormula(0, ())


def test_a_window_ends_the_growth():
    growing = LengthFormula(3, ((2, None), (5, 4)))
    assert [growing.at(length) for length in (1, 4, 10)] == [10, 31, 43]


def test_small_versions_share_keys_where_the_published_ones_do():
    assert small_config(find("SmolLM2"))["num_key_value_heads"] == 2
    assert small_config(find("Llama"))["num_key_value_heads"] == 4


def test_described_rows_are_not_built():
    with pytest.raises(ValueError, match="XLNet is only described"):
        small_config(find("XLNet"))
    with pytest.raises(ValueError, match="no size 'huge'; choose one of: 'base'"):
        find("BERT").size("huge")
