"""Who borrows whose parts, read from modular files."""

from __future__ import annotations

from pathlib import Path

from anatomy_utils.taxonomy.modular import borrowed_parts, borrowers


def test_imports_between_models_are_read_and_others_are_not(tmp_path: Path) -> None:
    files = {
        "young": "from torch import nn\nfrom ...utils import logging\n"
        "from ..old.modeling_old import OldNorm  # noqa: F401\n"
        "from ..older.modeling_older import (\n    OlderLayer,\n    OlderHead,\n)\nfrom .config import C\n",
        "old": "from ..older.modeling_older import OlderHead, OlderNorm\n",
    }
    for name, text in files.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"modular_{name}.py").write_text(text, "utf-8")
    found = borrowed_parts(tmp_path)
    assert found == {
        "young": {"old": ["OldNorm"], "older": ["OlderLayer", "OlderHead"]},
        "old": {"older": ["OlderHead", "OlderNorm"]},
    }
    assert borrowers(found) == {"older": {"old", "young"}, "old": {"young"}}


def test_the_installed_library_has_llama_among_its_ancestors() -> None:
    found = borrowed_parts()
    assert {"llama", "qwen2_moe"} <= set(found["qwen3_next"])
    assert "qwen3_next" in borrowers(found)["llama"]
