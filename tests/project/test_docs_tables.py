"""The committed tables are what their generator would write."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="the reference implementation is not installed")

from taxonomy_differences import OTHERS
from zoo_cases import reference_case

from anatomy_utils.taxonomy import TREE

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def maker():
    found = importlib.util.spec_from_file_location("make_tables", DOCS / "make_tables.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def committed(maker, name):
    return maker.read_rows((DOCS / name).read_text(encoding="utf-8"))


def test_the_table_of_models_is_up_to_date(maker):
    rows = {row[0]: row for row in committed(maker, "models.md")}
    assert list(rows) == [model.name for model in TREE], "run `make tables`"
    for model in TREE:
        wanted, found = maker.model_row(model, None), rows[model.name]
        kept = [i for i in range(len(wanted)) if i != maker.EQUALS]
        assert [found[i] for i in kept] == [wanted[i] for i in kept], "run `make tables`"
        if model.runs:
            assert 0 <= float(found[maker.EQUALS].split()[0]) < 1e-5


def test_the_page_of_models_says_what_its_numbers_are(maker):
    text = (DOCS / "models.md").read_text(encoding="utf-8")
    assert text == maker.model_page(maker.read_rows(text)), "run `make tables`"
    assert set(maker.OTHER_REFERENCES) >= set(OTHERS), "each reference outside transformers is named"
    assert all(f"**{model.name}**" in maker.model_notes() for model in TREE if model.note)


def test_every_model_that_runs_has_a_reference_to_be_measured_against():
    for model in TREE:
        assert not model.runs or model.name in OTHERS or reference_case(model.family, model.reference)


def test_the_table_of_exercises_is_up_to_date(maker):
    assert (DOCS / "exercises.md").read_text(encoding="utf-8") == maker.exercise_page(), "run `make tables`"
    assert len(maker.exercise_rows()) >= 40


def test_the_readme_lists_the_notebooks(maker):
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert text == maker.with_notebooks(text), "run `make tables`"
    assert {path.stem for path in (DOCS.parent / "notebooks").glob("*.ipynb")} == {
        each.file for each in maker.NOTEBOOKS
    }


def test_rows_are_read_as_they_were_written(maker):
    assert maker.read_rows(maker.as_markdown(("a", "b"), [("1", ""), ("2", "x")])) == [("1", ""), ("2", "x")]
