"""Where the course is published is said in one place, and all addresses follow from it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import elsewhere
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = ("pyproject.toml", "README.md", "CITATION.cff")
NAME = "someone/a-course"
COLAB = f"https://colab.research.google.com/github/{NAME}/blob/main/notebooks/00_start_here.ipynb"
BINDER = f"https://mybinder.org/v2/gh/{NAME}/main?labpath=notebooks/00_start_here.ipynb"


@pytest.fixture(scope="module")
def owner() -> ModuleType:
    found = importlib.util.spec_from_file_location("owner", ROOT / "docs" / "owner.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def links(folder: Path) -> list[str]:
    """Where the README's badges lead."""
    (line,) = [line for line in (folder / "README.md").read_text("utf-8").splitlines() if "<!-- badges -->" in line]
    return re.findall(r'href="([^"]+)"', line)


def test_one_name_sets_every_address(owner: ModuleType, copy: Path) -> None:
    before = {name: (copy / name).read_text("utf-8") for name in FILES}
    assert owner.write_all(copy, NAME) == NAME
    project = tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["urls"] == {"Repository": f"https://github.com/{NAME}"}
    assert links(copy) == [COLAB, BINDER]
    citation = yaml.safe_load((copy / "CITATION.cff").read_text("utf-8"))
    assert citation["repository-code"] == f"https://github.com/{NAME}"

    owner.write_all(copy, "other/name")
    owner.write_all(copy, NAME)
    again = {name: (copy / name).read_text("utf-8") for name in FILES}
    assert all(len(again[name].splitlines()) - len(before[name].splitlines()) in (0, 1) for name in FILES)
    assert links(copy) == [COLAB, BINDER], "a second name takes the place of the first"


def test_badges_lead_to_a_section_while_nobody_has_said_whose_it_is(owner: ModuleType, copy: Path) -> None:
    project = copy / "pyproject.toml"
    project.write_text(owner.with_repository(project.read_text("utf-8"), "<owner>/<repository>"), encoding="utf-8")
    assert owner.write_all(copy) == ""
    assert links(copy) == ["#elsewhere"] * 2
    assert "\n### Elsewhere\n" in (copy / "README.md").read_text("utf-8")
    assert "repository-code" not in yaml.safe_load((copy / "CITATION.cff").read_text("utf-8"))


def test_what_is_committed_follows_from_the_one_place(owner: ModuleType, copy: Path) -> None:
    owner.write_all(copy)
    for name in FILES:
        assert (copy / name).read_text("utf-8") == (ROOT / name).read_text("utf-8"), "run `make owner`"


def test_names_and_addresses_are_understood_and_anything_else_is_refused_with_the_cure(owner: ModuleType) -> None:
    for words in (NAME, f"https://github.com/{NAME}", f"git@github.com:{NAME}.git"):
        assert owner.asked_for(words) == NAME
    for words in ("someone", "https://example.org/someone/a-course", "<owner>/<repository>", "a/b/c"):
        with pytest.raises(ValueError, match="NAME=owner/repository"):
            owner.asked_for(words)


def test_without_a_name_it_is_where_the_clone_came_from(tmp_path: Path) -> None:
    """A clone of a copy, asked through the script itself."""
    for folder in ("docs", "docs/site"):
        (tmp_path / folder).mkdir()
    for name in (*FILES, "docs/owner.py", "docs/site/elsewhere.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, "docs/owner.py"]
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 1 and "NAME=owner/repository" in refused.stderr
    subprocess.run([*git, "remote", "add", "origin", f"git@github.com:{NAME}.git"], check=True)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert NAME in done.stdout
    assert links(tmp_path) == [COLAB, BINDER]


def test_the_site_reads_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("SITE_REPOSITORY", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(variable, raising=False)
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    monkeypatch.setattr(elsewhere, "declared", lambda project: NAME if project == text else "")
    elsewhere.repository.cache_clear()
    try:
        assert elsewhere.colab("00_start_here") == COLAB
        assert elsewhere.binder("00_start_here") == BINDER
    finally:
        elsewhere.repository.cache_clear()
