"""Functions of Python's library as a corpus, the parser as a judge, and a table of pairs that writes."""

import ast
import sysconfig
from functools import partial

import pytest
import torch

from anatomy_course.lab.small_models.python_code import (
    END,
    BigramTable,
    is_function,
    python_docstrings,
    python_functions,
    share_that_parses,
)
from anatomy_utils.decoding.sampling import next_id

SOURCE = '''
class Dog:
    def bark(self, times):
        """Make noise.

        A lot of it.
        """

        # comments stay
        def once():
            return "wau"

        return times * once()

    def sleep(self):
        """Do nothing."""

if True:
    @cached
    async def run(): "fast"; return 1
'''


@pytest.fixture
def library(tmp_path, monkeypatch):
    (tmp_path / "dog.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("def")
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "test_dog.py").write_text("def test_dog():\n    assert True")
    (tmp_path / "animals").mkdir()
    (tmp_path / "animals" / "cat.py").write_text("def purr():\n    return 'rrr'\n\ndef same():\n    return 1\n" * 2)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: {"stdlib": str(tmp_path)}[name])


@pytest.mark.usefixtures("library")
def test_functions_stand_alone_without_docstrings_and_only_once():
    assert python_functions(1, 500) == [
        "def purr():\n    return 'rrr'",
        "def same():\n    return 1",
        'def bark(self, times):\n    # comments stay\n    def once():\n        return "wau"\n\n'
        "    return times * once()",
        'def once():\n    return "wau"',
    ]
    assert python_functions(24, 27) == ["def same():\n    return 1"]
    with pytest.raises(ValueError, match="No function of 1000 to 2000 characters"):
        python_functions(1000, 2000)


@pytest.mark.usefixtures("library")
def test_a_docstring_is_there_once_and_belongs_to_one_module(tmp_path):
    told = 'def a():\n    """{}"""\n\n\ndef b():\n    """{}\n\n    More."""\n'
    (tmp_path / "cow.py").write_text(told.format("It eats\n    green grass.", "It eats green grass."))
    (tmp_path / "animals" / "pig.py").write_text(told.format("It eats all day.", "Both of them say this."))
    (tmp_path / "hen.py").write_text(told.format("Both of them say this.", "Too short."))
    assert python_docstrings(["cow", "animals", "hen"]) == [("It eats green grass.", 0), ("It eats all day.", 1)]
    assert python_docstrings(["hen"], words=2) == [("Both of them say this.", 0), ("Too short.", 0)]
    with pytest.raises(ValueError, match="There is no source of 'horse'"):
        python_docstrings(["cow", "horse"])


def test_the_library_of_this_python_is_a_corpus():
    functions = python_functions()
    assert sum(map(len, functions)) > 1_000_000 and len(set(functions)) == len(functions) > 5000
    assert all(30 <= len(text) <= 500 and END not in text for text in functions)
    assert share_that_parses(functions) == 1.0
    some = functions[::97]
    assert not any(ast.get_docstring(ast.parse(text).body[0]) for text in some)


@pytest.mark.parametrize(
    "text", ["", "1 + 1", "def f(:", "def f():", "def f():\n\treturn 1\n        2", "x\0", "(" * 500, "class A: pass"]
)
def test_what_is_no_function(text):
    assert not is_function(text)


def test_a_share_needs_texts_and_warnings_of_the_parser_are_none_of_ours(recwarn):
    assert share_that_parses(["def f(): pass", "def f(", "async def g(): pass"]) == pytest.approx(2 / 3)
    assert is_function('def f():\n    return "\\d" is 1')
    assert not recwarn.list
    with pytest.raises(ValueError, match="no text to judge"):
        share_that_parses([])


def test_a_table_of_pairs_counts_and_writes():
    ids = torch.tensor([0, 3, 1, 2, 0, 3, 1, 2, 0])
    table = BigramTable(ids, 5)
    assert table.counts[3, 1] == 2 and table.counts[1, 3] == 0 and table.counts.sum() == 8
    choose = partial(next_id, temperature=0.6, top_k=2, generator=torch.Generator().manual_seed(0))
    assert table.write(choose, 10) == [3, 1, 2]
    assert table.write(choose, 2) == [3, 1]
    assert table.write(choose, 10, end_id=4) == []
    assert table.loss(ids, added=0.0) == pytest.approx(0.0)
    both = BigramTable(torch.tensor([0, 1, 0, 2, 0]), 3)
    assert both.loss(torch.tensor([0, 1]), added=0.0) == pytest.approx(0.6931, abs=1e-4)
    assert {tuple(both.write(choose, 9)) for _ in range(20)} == {(1,), (2,)}
    often = BigramTable(torch.tensor([0, 1, 0, 1, 0, 1, 0, 2, 0, 2, 0, 3, 0]), 4)
    assert {tuple(often.write(partial(choose, temperature=0.0), 9)) for _ in range(9)} == {(1,)}, "as its logits say"
    assert all(3 not in often.write(choose, 9) for _ in range(20)), "only the best two are drawn"
    with pytest.raises(ValueError, match="A text of 1 tokens holds no pair"):
        BigramTable(torch.tensor([1]), 5)
    with pytest.raises(ValueError, match="ids from 1 to 7; the vocabulary has 5"):
        BigramTable(torch.tensor([1, 7]), 5)
