"""Tables and the words that stand while a cell computes."""

import sys
from types import SimpleNamespace

import pytest
import torch

from anatomy_course.page.page import cell_text, table, while_it_runs


def test_cells_are_written_alike():
    assert cell_text(torch.tensor(0.126)) == "0.13" and cell_text(torch.tensor(True)) == "✓"
    assert cell_text(-1234.5, 1) == "−1,234.5" and cell_text(1_050_624) == "1,050,624"


def test_a_table_aligns_words_on_the_left_and_numbers_on_the_right():
    drawn = table("two", ["model", "year", "said"], [["a", 7, "x < y"], ["longer", 2017, "z"]], words=[2])
    assert drawn.text.splitlines() == ["two", "model    year  said", "a           7  x < y", "longer  2,017  z"]
    assert '<td>7</td><td style="text-align:left">x &lt; y</td>' in drawn.html
    assert drawn.html.startswith('<table><caption>two</caption><tr><th scope="col" style="text-align:left">model</th>')
    assert '<th scope="col">year</th><th scope="col" style="text-align:left">said</th>' in drawn.html


def test_words_are_there_while_a_cell_computes_and_then_gone(monkeypatch):
    shown = []

    def display_one(words, *, display_id):
        assert display_id
        shown.append(words)
        return SimpleNamespace(update=shown.append)

    gone = '<p role="status" hidden></p>'
    display = SimpleNamespace(HTML=str, display=display_one)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: object()))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with while_it_runs("One < two learn, about 20 seconds"):
        assert "One &lt; two learn, about 20 seconds" in str(shown[0])
    assert shown[1:] == [gone]
    with pytest.raises(ZeroDivisionError), while_it_runs("Fails"):
        raise ZeroDivisionError
    assert shown[3:] == [gone], "a cell that fails shows its error and no more words"


def test_no_words_in_a_plain_script(capsys):
    with while_it_runs("Nothing"):
        pass
    assert capsys.readouterr().out == ""
