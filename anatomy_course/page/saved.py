"""What JupyterLab saves of a notebook's metadata: what it was opened with, so that opening a notebook changes no file.

A kernel tells its exact version, and JupyterLab writes that into each notebook as soon as it is opened; saved by
itself, every notebook would differ from the one that was cloned, and the next `git pull` might refuse. `make lab` calls
this before each save.
"""

from __future__ import annotations

from typing import Any


def as_stored(model: dict[str, Any], **_: object) -> None:
    """Forget the version of a Python notebook's kernel; what somebody typed or ran is kept as it is.

    Args:
        model: what the server is about to write, as its contents manager hands it to a `pre_save_hook`; is changed.
    """
    if model["type"] != "notebook" or not model.get("content"):
        return
    metadata = model["content"].get("metadata", {})
    if metadata.get("language_info", {}).get("name") == "python":
        metadata["language_info"] = {"name": "python"}
