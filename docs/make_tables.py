"""Writes the tables here and in the README again: the family tree, the exercises, the notebooks (`make tables`).

Nothing in them is typed: parameters are counted on the built modules, the difference from the reference is measured,
the exercises are counted in their catalogue.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from anatomy_course.judge import registry
from anatomy_course.page.notebooks import NOTEBOOKS
from anatomy_utils.taxonomy import TREE, ModelFacts, Size
from anatomy_utils.taxonomy.build import build
from anatomy_utils.taxonomy.costs import parameters

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.resolve().parent / "tests" / "support"))  # where the references are

ABOUT_MODELS = """# The models

Every model of the family tree. *Equals*: the largest difference between the answers of a tiny random model of ours and
of its reference implementation (the `transformers` library, where nothing else is said), on a padded batch.
*Parameters*: counted on our modules; in parentheses, the number that the authors state or the published files hold.
*Year*: of the paper's first version, or of the release where there is no paper. Notebook 07 walks through the tree.

"""
NOTES = """
## What a reader may stumble over

"""
ABOUT_EXERCISES = """# The exercises

`make proof` proves each exercise on 200 seeds, and `make test` on the first 3: reference and alternatives pass, every
mistake gets exactly its own sentence.

They also prove that the cases are hard enough. `make near` tries small edits of the solution, and pairs of them, as
answers. Each of these near-solutions that passes must be right on 100 further seeds and on harder inputs too. Where
one of them takes long to judge, in ten exercises of the workshop, a sample of some hundred is tried.

"""
MODEL_COLUMNS = ("model", "year", "branch", "against its parent", "trained on", "runs", "equals", "parameters", "paper")
NOTEBOOK_COLUMNS = ("notebook", "the question it answers", "time", "exercises")
MARKERS = "<!-- notebooks -->", "<!-- /notebooks -->"
EXERCISE_COLUMNS = (
    "exercise", "notebook", "minutes", "mistakes recognized", "near-solutions tried", "passed, all right"
)  # fmt: skip
EQUALS = MODEL_COLUMNS.index("equals")
OTHER_REFERENCES = {
    "RNN with attention": "the paper's formula of its look back",
    "ELMo": "torch.nn.LSTM in both directions",
    "Transformer": "torch.nn.Transformer",
    "Transformer-XL": "transformers 4.57.6",
    "Bergamot": "Marian's formulas",
    "GPT-3": "GPT-2's code, at GPT-3's sizes and without its banded layers",
}


def size_words(model: ModelFacts, size: Size) -> str:
    """A size with its parameters, computed and published."""
    counted = parameters(build(model, size), size.counts)
    published = f"{size.published:,}" if size.rounding == 1 else rounded(size.published)
    beside = ([published] if size.published else []) + ([] if size.counts == "all" else [size.counts])
    return f"{size.name}: {counted:,}" + (f" ({', '.join(beside)})" if beside else "")


def rounded(number: int) -> str:
    """A published number as people say it."""
    return f"{number / 1e9:g} billion" if number >= 10**9 else f"{number / 1e6:g} million"


def model_row(model: ModelFacts, difference: float | None) -> tuple[str, ...]:
    """One line of the table of models."""
    change = f"{model.parent}: {model.change}" if model.parent else model.change
    reference = OTHER_REFERENCES.get(model.name, "")
    equals = "" if difference is None else f"{difference:.1e} {reference}".rstrip()
    sizes = "<br>".join(size_words(model, size) for size in model.sizes)
    paper = f"[{model.paper}](https://arxiv.org/abs/{model.paper})" if model.paper else ""
    runs = "yes" if model.runs else "described"
    return (model.name, str(model.year), model.branch, change, ", ".join(model.objectives), runs, equals, sizes, paper)


def model_rows() -> list[tuple[str, ...]]:
    """The table of models; differences that are stored stay, and new ones are measured (EVERY_MODEL=1 measures all)."""
    from taxonomy_differences import largest_difference
    from zoo_configurations import quiet

    quiet()
    stored = {row[0]: row[EQUALS] for row in read_rows((HERE / "models.md").read_text(encoding="utf-8"))}
    rows = []
    for model in TREE:
        known = stored.get(model.name, "") if not os.environ.get("EVERY_MODEL") else ""
        found = float(known.split()[0]) if known else largest_difference(model) if model.runs else None
        rows.append(model_row(model, found))
    return rows


def model_notes() -> str:
    """The notes of the tree, one line each."""
    return NOTES + "".join(f"- **{model.name}**: {model.note}\n" for model in TREE if model.note)


def model_page(rows: list[tuple[str, ...]]) -> str:
    """The whole page of the models."""
    return ABOUT_MODELS + as_markdown(MODEL_COLUMNS, rows) + model_notes()


def exercise_rows() -> list[tuple[str, ...]]:
    """The table of exercises."""
    near = near_figures()
    return [
        (
            exercise.id,
            f"{notebook.number} {notebook.title}",
            str(exercise.minutes),
            str(len(exercise.mistakes)),
            str(near[exercise.id]["tried"]),
            str(near[exercise.id]["passed"] - near[exercise.id]["unexplained"]),
        )
        for notebook in NOTEBOOKS
        for exercise in registry.exercises_of(notebook.prefix).values()
    ]


def near_figures() -> dict[str, dict[str, int]]:
    """Exercise → how many near-solutions were tried, how many passed, and how many of these are unexplained."""
    figures: dict[str, dict[str, int]] = json.loads((HERE / "near_solutions.json").read_text(encoding="utf-8"))
    return figures


def as_markdown(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table as GitHub shows it."""
    lines = [columns, tuple("---" for _ in columns), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def read_rows(text: str) -> list[tuple[str, ...]]:
    """The rows of a page with one table."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line[1:-1].split("|")) for line in lines[2:]]


def exercise_page() -> str:
    """The whole page of the exercises."""
    rows = exercise_rows()
    mistakes, tried, right = (sum(int(row[column]) for row in rows) for column in (3, 4, 5))
    unexplained = sum(each["unexplained"] for each in near_figures().values())
    total = (
        f"{len(rows)} exercises, {mistakes} mistakes recognized; of {tried:,} near-solutions {right + unexplained:,} "
        f"pass, {right:,} of them proven right, {unexplained} unexplained.\n\n"
    )
    return ABOUT_EXERCISES + total + as_markdown(EXERCISE_COLUMNS, rows)


def notebook_rows() -> list[tuple[str, ...]]:
    """The README's table of notebooks."""
    return [
        (
            f"[{each.number} {each.title}](notebooks/{each.file}.ipynb)",
            each.question,
            each.time,
            str(len(registry.exercises_of(each.prefix))),
        )
        for each in NOTEBOOKS
    ]


def with_notebooks(text: str) -> str:
    """A text with the table of notebooks between its markers."""
    start, end = (text.index(marker) for marker in MARKERS)
    return f"{text[:start]}{MARKERS[0]}\n{as_markdown(NOTEBOOK_COLUMNS, notebook_rows())}{text[end:]}"


def write_all(folder: Path) -> None:
    """Write both pages into a folder, and the table of notebooks into the README beside it."""
    readme = folder.resolve().parent / "README.md"
    readme.write_text(with_notebooks(readme.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    models = model_page(model_rows())
    (folder / "models.md").write_text(models, encoding="utf-8", newline="\n")
    (folder / "exercises.md").write_text(exercise_page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_all(HERE)
    print("Three tables written, two in docs/ and one in README.md.")
