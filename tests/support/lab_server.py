"""One JupyterLab, or one Notebook 7, for browser tests and benchmarks: on this machine only, in folders of its own."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.error import URLError
from urllib.request import urlopen

Frontend = Literal["jupyterlab", "notebook"]
APPS: dict[Frontend, str] = {"jupyterlab": "LabApp", "notebook": "JupyterNotebookApp"}
"""Where the notebooks are opened: the module to start, and what its options are called after."""
ROOT = Path(__file__).resolve().parents[2]
PAGE_STYLE = ROOT / "anatomy_course" / "views" / "_kit" / "page"
START_SECONDS = 90
STOP_SECONDS = 15
SETTINGS = {
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension/themes.jupyterlab-settings": {"theme": "JupyterLab Light", "adaptive-theme": False},
    "@jupyterlab/docmanager-extension/plugin.jupyterlab-settings": {"autosave": False},
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"codeCellConfig": {"lineWrap": True}},
}


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab or Notebook 7."""

    url: str
    token: str
    folder: Path
    """What it serves: notebooks put here can be opened."""
    progress: Path
    """The progress file of every exercise run in it."""
    log: Path
    frontend: Frontend = "jupyterlab"

    def address(self, notebook: str) -> str:
        """Where a notebook opens, in a workspace of its own."""
        if self.frontend == "notebook":
            return f"{self.url}/notebooks/{notebook}?token={self.token}"
        workspace = f"{Path(notebook).stem}-{secrets.token_hex(3)}"
        return f"{self.url}/lab/workspaces/{workspace}/tree/{notebook}?token={self.token}"

    def write_notebook(self, name: str, cells: list[str]) -> str:
        """Put a notebook of code cells into the folder, never run."""
        written = [
            {"cell_type": "code", "id": f"c{n}", "metadata": {}, "source": text, "outputs": [], "execution_count": None}
            for n, text in enumerate(cells)
        ]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        notebook = {"cells": written, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
        (self.folder / name).write_text(json.dumps(notebook), encoding="utf-8")
        return name


@contextmanager
def jupyter_lab(home: Path, notebooks: list[Path], frontend: Frontend = "jupyterlab") -> Iterator[Lab]:
    """Start one of them on a free port, serving copies of `notebooks`; stop it by its process id in the end."""
    folder, settings = home / "work", home / "settings"
    folder.mkdir(parents=True)
    for notebook in notebooks:
        (folder / notebook.name).write_bytes(notebook.read_bytes())
    for name, values in SETTINGS.items():
        place = settings / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(values), encoding="utf-8")
    port, token, log = _free_port(), secrets.token_hex(16), home / "lab.log"
    lab = Lab(f"http://127.0.0.1:{port}", token, folder, home / "progress.json", log, frontend)
    with log.open("wb") as sink:
        command = _command(lab, port)
        server = subprocess.Popen(command, cwd=folder, env=_environment(home, lab), stdout=sink, stderr=sink)
        try:
            _wait_until_up(server, lab)
            yield lab
        finally:
            _stop(server)


def _command(lab: Lab, port: int) -> list[str]:
    app = APPS[lab.frontend]
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": lab.folder,
        "ServerApp.open_browser": False,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": lab.token,
        f"{app}.expose_app_in_browser": True,
        "LabApp.news_url": None,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
        "FileContentsManager.pre_save_hook": "anatomy_course.page.saved.as_stored",
        f"{app}.custom_css": True,
        "ServerApp.tornado_settings": f"static_custom_path={PAGE_STYLE}",
    }
    return [sys.executable, "-m", lab.frontend, *(f"--{name}={value}" for name, value in options.items())]


def _environment(home: Path, lab: Lab) -> dict[str, str]:
    """This process's environment, with everything that Jupyter or the course writes sent to `home`."""
    own = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "XDG_DATA_HOME": "share",
        "LOCALAPPDATA": "share",
    }
    python_path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return (
        os.environ
        | {name: str(home / place) for name, place in own.items()}
        | {"ANATOMY_PROGRESS": str(lab.progress), "PYTHONPATH": python_path, "PATH": path, "PYTHONUTF8": "1"}
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_up(server: subprocess.Popen[bytes], lab: Lab) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urlopen(f"{lab.url}/api/status?token={lab.token}", timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    tail = lab.log.read_text(encoding="utf-8", errors="replace")[-2000:]
    raise RuntimeError(f"JupyterLab did not start within {START_SECONDS} s; the end of its log:\n{tail}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server (it ends its kernels), first politely."""
    if server.poll() is None:
        server.terminate()
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
