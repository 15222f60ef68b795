"""The final project: two worked examples from the registration to the page, and one clear sentence for each fault."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import torch
from unchecked import shapes_unchecked

from anatomy_course import project
from anatomy_course.capstone.program.export import export
from anatomy_course.capstone.project import proofs
from anatomy_course.capstone.project.plan import FIELDS, sha256
from anatomy_course.capstone.project.trial import Interval, paired_interval, verdict
from anatomy_course.judge.progress.record import Progress

EXAMPLES = Path(__file__).with_name("project_examples")
SMALL = ('"steps": 40', '"steps": 2'), ('"seeds": [0, 1, 2, 3, 4, 5]', '"seeds": [0, 1, 2]')
"""Edits that make the example with a gate quick."""
RETURN = "    return model\n\n\ndef parameters"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    return export(folder / "my_gpt.py", record=Progress(folder / "progress.json", own=True)).path


@pytest.fixture
def mine(tmp_path, program):
    """Write an example beside the program, with edits."""
    shutil.copy(program, tmp_path / "my_gpt.py")

    def write(*edits, example="gated_attention.py"):
        text = (EXAMPLES / example).read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new)
        path = tmp_path / "my_organ.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def row(path, name):
    """One row of the table, computed alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proofs, "PROOFS", {name: proofs.PROOFS[name]})
        (found,) = project.check(path).rows
    return found


@pytest.mark.parametrize(
    ("example", "said"), [("gated_attention.py", "Supported"), ("distance_bias.py", "Cannot tell")]
)
def test_a_worked_example_ends_in_a_verdict_with_every_proof(mine, example, said):
    path = mine(example=example)
    assert project.register(path).hashes["file"] == sha256(path.read_bytes())
    assert f"{said}: better by" in repr(project.run(path))
    made = project.report(path)
    assert [each.sentence for each in made.proofs.rows if not each.passed] == []
    page = made.path.read_text(encoding="utf-8")
    for wanted in (said, "14 of 14 proofs hold", "lower by at least", "Parameters, by hand", "<svg", "Rule: "):
        assert wanted in page
    assert made.path.with_suffix(".svg").read_text(encoding="utf-8").startswith("<svg")
    plan = path.with_suffix(".plan.json")
    assert ("SHA-256 of my_organ.plan.json", sha256(plan.read_bytes())) in made.claim
    assert "image/png" not in made._repr_mimebundle_() and said in made._repr_mimebundle_()["text/html"]


def test_the_interval_is_students_and_the_verdict_is_where_it_lies():
    mean, low, high = paired_interval([1.0, 2.0, 4.0, 5.0])  # s² = 10/3, so t · s / √4 = 3.182 · 0.9129
    assert (mean, round(low, 3), round(high, 3)) == (3.0, 0.095, 5.905)
    assert verdict(Interval(0.3, 0.2, 0.4), 0.2) == "supported"
    assert verdict(Interval(0.1, 0.0, 0.19), 0.2) == verdict(paired_interval([0.0] * 5), 0.2) == "not supported"
    assert verdict(Interval(0.3, 0.19, 0.4), 0.2) == verdict(Interval(0.1, 0.0, 0.2), 0.2) == "cannot tell"


def test_the_template_is_filled_in_field_by_field_and_never_written_over(tmp_path, program):
    shutil.copy(program, tmp_path / "my_gpt.py")
    path = project.template(tmp_path / "my_organ.py")
    with pytest.raises(ValueError, match="is there already and stays as it is"):
        project.template(path)
    with pytest.raises(ValueError, match="is not the name of a Python file"):
        project.template(tmp_path / "my_organ")
    with pytest.raises(ValueError, match=r"cannot be written .*in a folder of yours"):
        project.example(tmp_path / "nowhere" / "my_organ.py")
    for field, value in {
        "organ": "none",
        "hypothesis": "no change",
        "metric": "right next words",
        "better_by": 0.1,
    }.items():
        with pytest.raises(ValueError, match=f'"{field}" in the PLAN of my_organ.py is not filled in yet'):
            project.register(path)
        path.write_text(path.read_text("utf-8").replace(f'"{field}": ...', f'"{field}": {value!r}'), encoding="utf-8")
    path.write_text(path.read_text("utf-8").replace('"steps": 100', '"steps": 2'), encoding="utf-8")
    project.register(path)
    assert project.run(path).verdict == "not supported"  # without an organ nothing changes
    made = project.report(path)
    assert [each.sentence for each in made.proofs.rows if not each.passed] == [
        "Switched on, 5 steps of training give the same numbers, too: with_organ changes nothing."
    ]
    assert made.claim[0][1].endswith("But these proofs do not hold: switched off.")


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("organ", " ", "the name of what you add"),
        ("metric", "beauty", "one of loss on unseen sentences, "),
        ("better_by", True, "a number"),
        ("better_by", "0.1", "a number"),
        ("equal", "time", "steps or work"),
        ("steps", {"control": 40, "organ": 80}, "one whole number above 0"),
        ("steps", True, "one whole number above 0"),
        ("seeds", [0, 1], "a list of 3 to 12 whole numbers, each once"),
        ("seeds", [0, 1, 1], "a list of 3 to 12 whole numbers, each once"),
        ("size", {"length": 16, "d_model": 30, "num_layers": 1, "num_heads": 4}, "heads that divide d_model"),
        ("size", {"length": 16}, "as in the template"),
    ],
)
def test_a_field_that_is_wrong_is_named_with_what_it_must_be(mine, field, value, wanted):
    path = mine(("}\nPROGRAM", f"}}\nPLAN[{field!r}] = {value!r}\nPROGRAM"))
    with pytest.raises(ValueError, match=rf'"{field}" in the PLAN of my_organ.py is .*, but must be .*{wanted}'):
        project.register(path)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("KEPT = ", "LOST = "), "has no KEPT; take it over from the template"),
        (("PLAN = {", "PLAN = 3\n_ = {"), "PLAN in my_organ.py is int"),
        (("}\nPROGRAM", "}\nPLAN['color'] = 1\nPROGRAM"), 'has "color", which no plan has'),
        (("}\nPROGRAM", "}\ndel PLAN['seeds']\nPROGRAM"), '"seeds" in the PLAN of my_organ.py is not filled in yet'),
        (
            ('"my_gpt.py"', '"other.py"'),
            r'There is no Python file .*other.py; write it beside .* with export\("other.py"',
        ),
        (('"my_gpt.py"', '"my_organ.py"'), "my_organ.py has no GPT; write it again"),
        (('"better_by": 0.001', '"better_by": 5, "metric": "right next words"'), "are a share"),
        (("PROGRAM =", "PROGRAM == 3\nPROGRAM ="), "stops in line .* with NameError: name 'PROGRAM' is not defined"),
        (("PLAN = {", "PLAN = {{"), "stops in line .* with SyntaxError"),
    ],
)
def test_a_file_that_is_not_whole_is_told_in_one_sentence(mine, edit, said):
    path = mine(edit)
    with pytest.raises(ValueError, match=said) as told:
        project.register(path)
    assert "\n" not in str(told.value)


def test_there_is_no_run_without_a_registration_and_no_page_without_a_run(mine):
    path = mine(*SMALL)
    with pytest.raises(ValueError, match="is not registered; do that first: project.register"):
        project.run(path)
    assert row(path, "registered before its run").passed is None
    project.register(path)
    with pytest.raises(ValueError, match="was not run yet"):
        project.report(path)
    with pytest.raises(ValueError, match="There is no Python file"):
        project.run(path.with_name("nowhere.py"))


def test_a_registered_plan_cannot_change_and_code_only_before_its_run(mine):
    time = project.register(mine(*SMALL)).registered
    path = mine(*SMALL, ('"better_by": 0.001', '"better_by": 0.0001'))
    for do in (project.register, project.run):
        with pytest.raises(ValueError, match=r"changed after it was registered \(better_by\); put it back, or give"):
            do(path)
    program_text = path.with_name("my_gpt.py").read_text("utf-8")
    changed = (*SMALL, ("zeros_(each)", "zeros_(each)  # at first it is 1"))
    path = mine(*changed)
    with pytest.raises(ValueError, match=r"my_organ.py changed after it was registered; note it first"):
        project.run(path)
    assert project.register(path).registered == time
    project.run(path)
    path = mine(*SMALL)
    with path.with_name("my_gpt.py").open("a") as program:
        program.write("# exported again\n")
    for do in (project.register, project.run):
        with pytest.raises(ValueError, match=r"my_organ.py and my_gpt.py changed after .*; put it back, or give"):
            do(path)
    mine(*changed)
    assert row(path, "registered before its run").sentence.startswith("my_gpt.py changed after the run; put it back")
    path.with_name("my_gpt.py").write_text(program_text, "utf-8")
    assert row(path, "registered before its run").passed


def test_results_that_are_older_than_their_plan_or_of_another_budget_are_told(mine):
    path = mine(*SMALL)
    project.register(path)
    project.run(path)
    place = path.with_suffix(".results.json")
    kept = json.loads(place.read_text("utf-8"))
    place.write_text(json.dumps({**kept, "started": "2020-01-01T00:00:00+00:00"}), "utf-8")
    assert "before the plan was registered" in row(path, "registered before its run").sentence
    more = json.loads(json.dumps(kept))
    more["runs"][1]["organ"][1] += 128
    place.write_text(json.dumps(more), "utf-8")
    assert re.search(
        "With seed 1 the control was given 256 tokens and the organ's model 384", row(path, "equal budgets").sentence
    )
    place.write_text(json.dumps({**kept, "runs": kept["runs"][::-1]}), "utf-8")
    assert "not those of the registered seeds" in row(path, "equal budgets").sentence
    for damaged in ("{", "{}", json.dumps({**kept, "runs": []})):
        place.write_text(damaged, "utf-8")
        with pytest.raises(ValueError, match="my_organ.results.json is damaged"):
            project.report(path)
    path.with_suffix(".plan.json").write_text("{}", "utf-8")
    with pytest.raises(ValueError, match="my_organ.plan.json is damaged"):
        project.run(path)


def test_with_equal_work_the_costlier_model_is_trained_for_fewer_steps(mine):
    path = mine(('"equal": "steps"', '"equal": "work"'), ('"steps": 40', '"steps": 23'), SMALL[1])
    project.register(path)
    assert [run["organ"][0] for run in project.run(path).runs] == [22] * 3
    assert row(path, "equal budgets").passed


@pytest.mark.parametrize("metric", ["right next words", "grammatical sentences"])
def test_shares_are_metrics_too_and_more_is_better(mine, metric):
    path = mine(*SMALL, ('"metric": "loss on unseen sentences"', f'"metric": "{metric}"'))
    project.register(path)
    found = project.run(path)
    assert all(0 <= run[which][2] <= 1 for run in found.runs for which in ("control", "organ"))
    found.runs[0]["organ"][2] = found.runs[0]["control"][2] + 0.25
    assert found.differences[0] == pytest.approx(0.25)


WRONG = {
    "a wrong count of parameters": (
        ("(13 * d * d + 14 * d)", "(13 * d * d + 13 * d)"),
        "parameters by hand",
        r"By hand 24,416 parameters, .* has 24,448: 32 too few. New names: blocks.0.attention.attention.query.weight",
    ),
    "a wrong count of the work": (
        ("2 * tokens * d)", "2 * 16 * d)"),
        "work by hand",
        "By hand 24,448 multiply–adds a token, 8 tokens, but the running model has 23,936: 512 too many",
    ),
    "a wrong count of the cache": (
        ("return 4 * s.num_layers * 2", "return 4 * s.num_layers"),
        "cache by hand",
        "By hand 1,024 bytes kept of 8 tokens, but the running model has 2,048: 1,024 too few",
    ),
    "too little is kept": (
        (', "blocks.*.attention.attention.value": "all"', ""),
        "cached equals uncached",
        "differ by .*: more of the past is used",
    ),
    "what is kept is not there": (
        ("attention.attention.key", "attention.keys"),
        "cache by hand",
        r"no module of the model with the organ is called blocks.\*.attention.keys",
    ),
    "on when it is off": (
        ("if on:", "if True:"),
        "switched off",
        "parts are not the old program's .*: add them only `if on`",
    ),
    "off, but not the same": (
        (RETURN, "    model.norm.eps = 0.1\n" + RETURN),
        "switched off",
        "give other numbers than before: something is still on",
    ),
    "trained in advance": (
        (RETURN, "    torch.nn.init.normal_(model.tokens.weight)\n" + RETURN),
        "begins alike",
        "with_organ changes tokens.weight: train nothing in it",
    ),
    "a part that is not used": (
        ("2 * self.gate(states).sigmoid()", "2 * self.gate(states).detach().sigmoid()"),
        "every part learns",
        "No gradient ever reaches blocks.0.attention.gate.bias",
    ),
    "drawn by chance": (
        ("self.attention(states) * 2", "torch.nn.functional.dropout(self.attention(states)) * 2"),
        "same answer twice",
        "ask self.training",
    ),
    "other in eval": (
        ("self.attention(states) * 2", "self.attention(states) * (2 if self.training else 0)"),
        "as it was taught",
        "another thing in eval",
    ),
    "neighbors": (
        ("self.attention(states) * 2", "(states - states.mean(0)) * self.attention(states) * 2"),
        "batch equals single",
        "depend on its neighbors",
    ),
    "nearly all is frozen": (
        (RETURN, "    model.requires_grad_(False).norm.requires_grad_(True)\n" + RETURN),
        "learns by heart",
        "not below 0.5: something of the text is lost",
    ),
    "neither all nor a pair": (('"all"', '"last 4"'), "cache by hand", "KEPT: 'last 4' is neither \"all\" nor a pair"),
    "a new model": (
        (
            RETURN,
            "    torch.manual_seed(1)\n    new = type(model)(316, 16, 32, 1, 4)\n    return new\n\n\ndef parameters",
        ),
        "begins alike",
        "None of the numbers that the program draws is in both: change the given model",
    ),
    "the organ stops": (
        ("self.attention(states) * 2", "self.attention(states) @ 2"),
        "sees no later token",
        r"my_organ.py stops in line 3\d with TypeError",
    ),
    "nothing is given back": ((RETURN, "\n\ndef parameters"), "switched off", "gives back NoneType, not the model"),
    "no number": (("return 4 * s", "return '4' + s"), "cache by hand", r"my_organ.py stops in line \d+ with TypeError"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_fault_of_the_organ_or_its_counts_has_its_own_row_and_sentence(mine, fault):
    edit, name, said = WRONG[fault]
    with shapes_unchecked():
        found = row(mine(edit), name)
    assert found.passed is False and re.search(said, found.sentence), found


def test_an_organ_that_leaves_something_on_for_good_is_told(mine, monkeypatch):
    functions = torch.nn.functional
    monkeypatch.setattr(functions, "gelu", functions.gelu)  # put back after the test
    path = mine(("if on:", "if on:\n        torch.nn.functional.gelu = torch.nn.functional.relu"))
    assert "something is still on" in row(path, "switched off").sentence


def test_parts_that_take_the_place_of_old_ones_begin_alike_and_a_copy_is_the_same_model(mine):
    """What the old blocks held is freed while the new ones are made: a tensor in its place is not taken for it."""
    replaced = "for block in model.blocks: block.feed_forward = type(block.feed_forward)(32, 128)"
    for edit in (
        f"    {replaced}\n{RETURN}",
        f"    import copy\n    model = copy.deepcopy(model)\n    {replaced}\n{RETURN}",
    ):
        found = row(mine((RETURN, edit), ('"num_layers": 1', '"num_layers": 4')), "begins alike")
        assert found.passed and re.search(r"\d of the program's \d+ tensors are in both", found.sentence), found


def test_a_saving_organ_may_claim_that_it_is_hardly_worse(mine):
    path = mine(*SMALL, ('"better_by": 0.001', '"better_by": -0.5'))
    project.register(path)
    assert "claimed: at least −0.5." in project.run(path).sentence


def test_an_organ_that_sees_the_future_is_told(mine):
    found = row(
        mine(('.masked_fill(distance < 0, float("-inf"))', ".abs()"), example="distance_bias.py"), "sees no later token"
    )
    assert not found.passed and re.search(
        "A change at position 1 changes logits before it by .*: the future is seen", found.sentence
    )


def test_a_window_with_a_sink_keeps_the_first_and_the_last_tokens(mine):
    """Each token sees the first one, the three before it, and itself; in one layer nothing older is needed."""
    window = "(distance < 0) | (distance > 3) & (places > 0)"
    edits = [("distance < 0", window), ('"all"', "(1, 3)"), ("s.d_model * tokens", "s.d_model * min(tokens, 4)")]
    path = mine(*edits, example="distance_bias.py")
    assert row(path, "cache by hand").passed and row(path, "cached equals uncached").passed
    path = mine(*edits[:1], ('"all"', "(0, 3)"), example="distance_bias.py")
    assert "more of the past is used" in row(path, "cached equals uncached").sentence


@pytest.mark.parametrize("number", ["nan", "inf"])
def test_numbers_that_are_not_finite_are_told_and_nothing_is_stored(mine, number):
    path = mine(*SMALL, ("self.attention(states) * 2", f"self.attention(states) * float('{number}')"))
    project.register(path)
    with pytest.raises(
        ValueError, match=r"The loss is nan in step 1 with seed 0, with the organ, so nothing was stored"
    ):
        project.run(path)
    assert not path.with_suffix(".results.json").exists()
    path = mine(
        *SMALL, ("self.attention(states) * 2", f"self.attention(states) * (2 if self.training else float('{number}'))")
    )
    project.register(path)
    with pytest.raises(ValueError, match="gives numbers that are not finite, so nothing was stored"):
        project.run(path)


def test_an_organ_that_stops_in_training_is_told(mine):
    path = mine(*SMALL, ("self.attention(states) * 2", "self.attention(states)[:, 1:] * 2"))
    project.register(path)
    with pytest.raises(ValueError, match=r"my_organ.py stops in line 3\d with RuntimeError"):
        project.run(path)


def test_the_shipped_example_is_whole(tmp_path, program):
    shutil.copy(program, tmp_path / "my_gpt.py")
    path = project.example(tmp_path / "qk_norm.py")
    assert list(project.register(path).plan) == list(FIELDS)
    project.run(path)
    made = project.report(path)
    assert [each.name for each in made.proofs.rows if not each.passed] == []
    assert made.claim[0][0] == "QK norm, the course's own example"
