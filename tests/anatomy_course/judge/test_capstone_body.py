"""The capstone's body and certificate: the learner's saved organs inside whole models, ours where one is missing."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest
import torch
from unchecked import shapes_unchecked

from anatomy_course.capstone.body import WRITE, assemble, written_in
from anatomy_course.capstone.certificate import certificate
from anatomy_course.capstone.program.export import export
from anatomy_course.judge import report, solution_source, your_function
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import exercises_of
from anatomy_course.lab.experiments.length_extrapolation import tiny_encoder
from anatomy_course.lab.transplant import ORGANS, RejectionError, organs_in, reject, transplant
from anatomy_utils import pretrained
from anatomy_utils.zoo.gpt2 import Gpt2Config, with_head
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

ABOVE = "from __future__ import annotations\nimport torch\nfrom math import sqrt\n"


def save(record, id, source=None):
    """Note the exercise as passed with this text, or with its solution."""
    text = source or ABOVE + "\n".join(line for line in solution_source(id).splitlines() if not line.startswith("@"))
    record.attempted(id, passed=True, source=text)


@pytest.fixture(scope="module")
def minilm():
    model, tokenizer = pretrained.load("minilm")
    batch = tokenizer(["The animal was too tired.", "Apples"])
    return model, batch.input_ids, batch.attention_mask


def translator(pre_norm=False):
    torch.manual_seed(3)
    sizes = {"num_layers": 2, "num_decoder_layers": 1, "d_model": 12, "num_heads": 3, "d_ff": 20, "dropout": 0.0}
    model = transformer(TransformerConfig(vocab_size=23, pre_norm=pre_norm, **sizes)).eval()
    return model, torch.randint(3, 23, (2, 7)), torch.randint(3, 23, (2, 5)), torch.ones(2, 7, dtype=torch.long)


def test_organs_of_one_job_are_exercises_and_with_nothing_saved_the_courses_own(record):
    assert set(written_in()) == set(ORGANS) - {
        "activation",
        "lookup",
        "pre_norm",
        "post_norm",
    }
    body = assemble(record=record)
    assert body.yours == () and len(body.parts) == len(written_in()) + 1
    assert "0 of 18 organs are yours" in repr(body)


def test_every_saved_solution_runs_in_the_models_that_hold_its_organ(record, minilm):
    for id in [*written_in().values(), WRITE]:
        save(record, id)
    body = assemble(record=record)
    assert len(body.yours) == len(body.parts)
    ids = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 0, 1, 1]])
    turned = tiny_encoder("rotary", torch.Generator().manual_seed(0))
    models = [minilm, translator(), translator(pre_norm=True), (turned, ids)]
    for model, *inputs in models:
        examined = body.examine(model, *inputs)
        assert examined.accepted and examined.difference < 1e-4, examined
        assert body.reject(model, *inputs) is None
    tried = set().union(*(body.fitting(model) | body.fitting(model, in_parts=True) for model, *_ in models))
    only_in_llama = {"rms_norm", "gated_feed_forward", "share_heads"}
    assert tried == set(written_in()) - only_in_llama


def test_a_wrong_organ_is_the_first_to_be_named(record, minilm):
    model, *inputs = minilm
    wrong = "def layer_norm(hidden_states, weight, bias, epsilon):\n    return hidden_states * weight + bias\n"
    save(record, "encoder.layer_norm", wrong)
    body = assemble(record=record)
    assert body.yours == ("layer_norm",)
    assert str(body.reject(model, *inputs)).startswith("embeddings.norm: your layer_norm differs from ours")
    examined = body.examine(model, *inputs)
    assert not examined.accepted
    assert [name for name, found in examined.found.items() if found] == ["layer_norm"]
    assert examined.difference > 0.1  # all at once, the mistake travels on
    assert "8 of 9 organs accepted" in repr(examined)


def test_an_organ_that_stops_leaves_the_others_examined(record, minilm):
    model, *inputs = minilm
    body = assemble(record=record).replaced(merge_heads=lambda vectors: vectors.reshape(-1))
    examined = body.examine(model, *inputs)
    assert examined.difference is None and not examined.accepted
    assert [name for name, found in examined.found.items() if found] == ["merge_heads"]
    assert "all at once: do not run" in repr(examined)
    assert body.parts["merge_heads"].whose == "put in by hand"


def test_a_saved_text_that_no_longer_runs_is_said_and_replaced(record):
    save(record, "decoder.rms_norm", "import nowhere_at_all\n")
    body = assemble(record=record)
    assert body.parts["rms_norm"].whose == "the course's own"
    assert "Your saved rms_norm no longer runs" in repr(body)


def test_a_saved_answer_that_calls_itself_is_set_aside_and_the_model_runs(record):
    text = "def causal_mask(length):\n    return causal_mask(length)\n"
    save(record, "attention.causal_mask", text)
    save(record, "attention.weighted_average")
    body = assemble(record=record)
    assert body.yours == ("weighted_average",) and record.source("attention.causal_mask") == text
    assert "Your saved causal_mask does not run to the end, so the course's own is used" in repr(body)
    model, *inputs = translator()
    assert body.examine(model, *inputs).accepted
    with body.inside(model):
        model(*inputs)


LONG_MASK = "import torch\ndef causal_mask(length):\n    {}\n    return torch.ones(length, length).tril().bool()\n"
TOO_LONG = LONG_MASK.format("assert length < 20, 'too long'")
FAILS_IN_A_MODEL = {
    "stops": ("assert length < 20, 'too long'", "stopped with AssertionError: too long"),
    "another shape": ("length = min(length, 20)", r"gives back shape \(20, 20\), but \(23, 23\) is expected here"),
    "nothing": ("if length > 20: return None", "gives back nothing"),
}


@pytest.mark.parametrize("name", FAILS_IN_A_MODEL)
def test_an_answer_that_fails_only_inside_a_model_is_named_and_the_model_goes_on(name, record):
    line, why = FAILS_IN_A_MODEL[name]
    save(record, "attention.causal_mask", LONG_MASK.format(line))
    save(record, "multi_head.split_heads")
    body = assemble(record=record)
    assert set(body.yours) == {"causal_mask", "split_heads"}  # its own cases are short enough
    torch.manual_seed(3)
    model = with_head(Gpt2Config(23, 12, 2, 3, 29, 20), "LMHeadModel").eval()
    input_ids = torch.randint(3, 23, (2, 23))
    sentence = f"Your saved causal_mask is set aside, so the course's own .*{why}"
    with torch.no_grad():
        wanted = model(input_ids)
        with pytest.warns(UserWarning, match=sentence) as told, body.inside(model):
            got, again = model(input_ids), model(input_ids)
    assert [Path(warning.filename).name for warning in told] == ["test_capstone_body.py"]  # once, where it was called
    torch.testing.assert_close(got, wanted)
    torch.testing.assert_close(again, wanted)
    assert body.examine(model, input_ids).accepted and body.reject(model, input_ids) is None
    assert body.yours == ("split_heads",) and body.parts["causal_mask"].function(30).shape == (30, 30)
    assert "Your saved causal_mask is set aside" in repr(body)
    assert record.source("attention.causal_mask") == LONG_MASK.format(line)


def test_an_examination_names_what_fails_and_sets_it_aside(record):
    line, why = FAILS_IN_A_MODEL["another shape"]
    save(record, "attention.causal_mask", LONG_MASK.format(line))
    save(record, "multi_head.split_heads")
    body, (model, *_) = assemble(record=record), translator()
    source, target = torch.randint(3, 23, (2, 2, 23))
    with pytest.warns(UserWarning, match=f"Your saved causal_mask is set aside, so the course's own .*{why}"):
        examined = body.examine(model, source, target)
    assert [organ for organ, found in examined.found.items() if found] == ["causal_mask"] and not examined.accepted
    assert re.search(f"causal_mask +yours +decoder.*{why}", repr(examined))
    page = repr(certificate("Ada", body=body, runs={"2017": examined}, record=record))
    assert "Organs of their own: 1 of 18" in page and "organs accepted, 1 of them their own" in page
    again = body.examine(model, source, target)  # no warning: ours runs
    assert again.accepted and re.search("causal_mask +the course's own +accepted", repr(again))
    with body.inside(model):
        torch.testing.assert_close(model(source, target), model(source, target))


def test_the_organs_of_a_notebook_go_on_where_a_saved_one_fails(record):
    """As notebook 05 puts them in."""
    save(record, "attention.causal_mask", TOO_LONG)
    model, *_ = translator()
    source, target = torch.randint(3, 23, (2, 2, 23))
    wanted = model(source, target)
    organs = {"causal_mask": your_function("attention.causal_mask", record=record)}
    assert "your causal_mask stopped" in str(reject(model, source, target, **organs))
    with pytest.warns(UserWarning, match="Your saved causal_mask is set aside"), transplant(model, **organs):
        torch.testing.assert_close(model(source, target), wanted)


def test_a_saved_function_that_is_called_directly_is_set_aside_too_but_not_where_ours_stops_as_well(record):
    save(record, "attention.causal_mask", TOO_LONG)
    mine = your_function("attention.causal_mask", record=record)
    with shapes_unchecked(), pytest.raises(TypeError):
        mine("wide")
    assert mine.note == "" and mine(6).shape == (6, 6)
    with pytest.warns(UserWarning, match="is set aside, .* It stopped with AssertionError: too long") as told:
        assert torch.equal(mine(20), torch.ones(20, 20).tril() > 0)
    assert Path(told[0].filename).name == "test_capstone_body.py"


def test_an_organ_put_in_by_hand_still_stops_the_model(record):
    model, *inputs = translator()
    body = assemble(record=record).replaced(causal_mask=lambda length: torch.ones(2, 2, dtype=torch.bool))
    with pytest.raises(RejectionError, match="your causal_mask gives back shape"), body.inside(model):
        model(*inputs)


def test_what_a_saved_function_has_spoiled_stops_the_model(record):
    text = (
        "def layer_norm(hidden_states, weight, bias, epsilon):\n"
        "    if hidden_states.shape[-1] == 12:\n        hidden_states.zero_()\n"
        "    norm = __import__('torch').nn.functional.layer_norm\n"
        "    return norm(hidden_states, weight.shape, weight, bias, epsilon)\n"
    )
    save(record, "encoder.layer_norm", text)
    body = assemble(record=record)
    assert body.yours == ("layer_norm",)
    model, *inputs = translator()
    with torch.no_grad(), pytest.raises(RejectionError, match="changes its `hidden_states`"), body.inside(model):
        model(*inputs)


def test_a_model_is_as_it_was_afterwards_and_unknown_organs_are_named(record, minilm):
    with pytest.raises(ValueError, match="no organ 'layernorm'; it has weighted_average"):
        assemble(record=record).replaced(layernorm=abs)
    model, *inputs = minilm
    before = model(*inputs)
    with assemble(record=record).replaced(layer_norm=lambda x, w, b, e: x).inside(model):
        assert not torch.equal(model(*inputs), before)
    assert torch.equal(model(*inputs), before)
    assert organs_in(model) > {"lookup", "layer_norm"}


def test_the_certificate_claims_only_what_was_done(record, minilm, tmp_path):
    save(record, "encoder.layer_norm")
    body = assemble(record=record)
    model, *inputs = minilm
    day = datetime.date(2026, 11, 5)
    page = certificate("Ada <b>", body=body, runs={"MiniLM": body.examine(model, *inputs)}, day=day, record=record)
    assert "Organs of their own: 1 of 18" in repr(page)
    assert "MiniLM: 9 of 9 organs accepted, 1 of them their own, output within" in repr(page)
    assert f"03 Encoder: 1 of {len(exercises_of('encoder'))} exercises" in repr(page)
    assert "0 of 8 broken Transformers" in repr(page)
    assert "November 5, 2026" in repr(page)
    assert "Ada &lt;b&gt;" in page.page and "<b>" not in page.page
    assert page.save(tmp_path / "mine.html").read_text(encoding="utf-8") == page.page
    assert "download" in page._repr_mimebundle_()["text/html"]


def test_a_certificate_needs_a_name_and_a_place(record, tmp_path):
    with pytest.raises(ValueError, match="write your name between quotes"):
        certificate("  ", record=record)
    with pytest.raises(ValueError, match=r"cannot be written .*give the name of a file"):
        certificate("Ada", record=record).save(tmp_path / "nowhere" / "page.html")


def test_the_certificate_tells_what_became_of_the_workshop_s_program(tmp_path):
    record = Progress(tmp_path / "progress.json", own=True)
    assert "A program of their own" not in repr(certificate("Ada", record=record))
    record.attempted("workshop.own_name", passed=True, source="def own_name(published): ...")
    trained, loaded = {"Python's own library": "63 of 100 functions parse"}, {"SmolLM2": "writes the same text"}
    lines = repr(certificate("Ada", record=record, trained=trained, loaded=loaded)).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("A program of their own: 1 of "))
    assert lines[first + 1 : first + 4] == [
        "  Built: own_name",
        "  Trained: Python's own library: 63 of 100 functions parse",
        "  Loaded: SmolLM2: writes the same text",
    ]


def test_nothing_in_somebody_elses_file_is_run(tmp_path):
    """A teacher looks at a collected file: report, body, certificate and program run none of its code."""
    ran, collected = tmp_path / "ran", tmp_path / "class" / "mallory.json"
    evil = f"open({str(ran)!r}, 'w').close()\ndef causal_mask(length): ..."
    theirs = Progress(collected)
    for id in [*written_in().values(), WRITE, *exercises_of("workshop")]:
        theirs.attempted(id, passed=True, source=evil)
    body = assemble(record=theirs)
    assert body.yours == () and "mallory.json is not your own progress file" in repr(body)
    assert "Organs of their own: 0 of" in repr(certificate("Mallory", record=theirs))
    assert "for this reason: The saved answer to" in repr(export(tmp_path / "program.py", record=theirs))
    assert str(ran) not in (tmp_path / "program.py").read_text(encoding="utf-8")
    assert report.main([str(collected.parent), "--out", str(tmp_path)]) == 0
    with pytest.warns(UserWarning, match="is not run"):
        assert your_function("attention.causal_mask", record=theirs) is None
    assert not ran.exists()
    assemble(record=Progress(collected, own=True))
    assert ran.exists(), "in the learner's own file it would have run"
