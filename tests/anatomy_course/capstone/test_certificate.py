"""The certificate as a picture: what it lists, and the command that checks its hash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from anatomy_course.capstone.certificate import certificate, main, verify
from anatomy_course.capstone.project.page import ProjectPage
from anatomy_course.capstone.project.plan import sha256
from anatomy_course.capstone.project.proofs import Proofs
from anatomy_course.capstone.project.trial import Results
from anatomy_course.figures.picture import Picture
from anatomy_course.judge.progress.record import Progress


@pytest.fixture
def made(tmp_path):
    """A certificate with a claim, and the registration that it lists."""
    plan = tmp_path / "my_organ.plan.json"
    plan.write_text("{}")
    found = Results("", {}, "right next words", 0.1, [1, 1], [])
    claim = [("QK norm", "Cannot tell: better by 0.1"), ("Order", "registered <before>"),
             ("SHA-256 of my_organ.plan.json", sha256(plan.read_bytes()))]  # fmt: skip
    report = ProjectPage(tmp_path / "my_organ.html", claim, [], found, Proofs([]), Picture(b"", "drawn", 1))
    judged, taught = {"the street's grammar": "91 of 100 sentences"}, {"SmolLM2": "the module of a function"}
    record = Progress(tmp_path / "progress.json", own=True)
    return certificate("Ada & Co", judged=judged, taught=taught, claimed=[report], record=record), plan


def test_it_lists_what_was_judged_taught_and_claimed(made):
    page, plan = made
    lines = [line.strip() for line in repr(page).splitlines()]
    assert "Judged: the street's grammar: 91 of 100 sentences" in lines
    assert "Taught: SmolLM2: the module of a function" in lines
    assert lines[lines.index("Claimed: QK norm") + 1 :][:3] == [
        "QK norm: Cannot tell: better by 0.1",
        "Order: registered <before>",
        f"SHA-256 of my_organ.plan.json: {sha256(plan.read_bytes())}",
    ]
    assert "registered &lt;before&gt;" in page.page and "certificate.svg" in page._repr_mimebundle_()["text/html"]


def test_the_picture_is_a_drawing_of_every_line_and_carries_its_hash(made, tmp_path, capsys):
    page, plan = made
    place = page.save(tmp_path / "certificate.svg")
    drawn = ElementTree.parse(place).getroot()
    said = " ".join("".join(each.itertext()) for each in drawn.iter("{http://www.w3.org/2000/svg}text"))
    for line in repr(page).splitlines():
        assert " ".join(line.split()) in said
    assert verify(place) == f"{place} is as it was written."
    assert main([str(place), str(plan)]) == 0 and "1 files are those that it lists" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new"), [("Cannot tell", "Supported"), ("Ada", "Eve"), ("\n", "\n\n"), ("</text>", " </text>")]
)
def test_any_change_is_told(made, tmp_path, old, new, capsys):
    place = made[0].save(tmp_path / "certificate.svg")
    place.write_text(place.read_text("utf-8").replace(old, new, 1), "utf-8")
    assert main([str(place)]) == 1 and "was changed after it was written" in capsys.readouterr().err


def test_what_cannot_be_checked_is_told_in_one_sentence(made, tmp_path, capsys):
    page, plan = made
    place = page.save(tmp_path / "certificate.svg")
    plan.write_text("{ }")
    with pytest.raises(ValueError, match=r"my_organ.plan.json is not a file that .*certificate.svg lists"):
        verify(place, [plan])
    with pytest.raises(ValueError, match="carries no hash; save the picture again"):
        verify(page.save(tmp_path / "certificate.html"))
    with pytest.raises(ValueError, match="cannot be read"):
        verify(tmp_path / "nowhere.svg")
    assert main([]) == 2 and "certificate.svg [files" in capsys.readouterr().err


def test_the_command_runs(made, tmp_path):
    place = made[0].save(tmp_path / "certificate.svg")
    command = [sys.executable, "-m", "anatomy_course.capstone.certificate", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{place} is as it was written.\n")
    assert Path(place).exists()
