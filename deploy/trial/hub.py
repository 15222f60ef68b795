"""The hub of the trial: started from deploy/jupyterhub_config.py on 127.0.0.1, restarted, stopped by process id."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import requests

from trial.accounts import GROUP

CONFIG = Path(__file__).resolve().parents[1] / "jupyterhub_config.py"
KEPT = ("JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "JUPYTERLAB_DIR", "GIT_CONFIG_SYSTEM", "OPENBLAS_")
"""Where this environment finds its parts, if a variable says so; learners' servers get it too."""
START_SECONDS = 120
STOP_SECONDS = 60


@dataclass
class Hub:
    """A hub in a folder of its own.

    Attributes:
        folder: what ANATOMY_HUB names.
        url: where it answers.
        process: the hub, while it runs.
    """

    folder: Path
    url: str = ""
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _ports: list[int] = field(default_factory=list, repr=False)

    def start(self) -> float:
        """Start it, and wait until it answers; seconds that took."""
        self.url = self.url or f"http://127.0.0.1:{_free_ports(1)[0]}"
        config = self.folder / "trial_config.py"
        config.write_text(self._config(), encoding="utf-8")
        begin = time.monotonic()
        with (self.folder / "hub.log").open("ab") as log:
            command = [sys.executable, "-m", "jupyterhub", "--config", str(config)]
            self.process = subprocess.Popen(command, cwd=self.folder, env=self._environment(), stdout=log, stderr=log)
        while time.monotonic() < begin + START_SECONDS:
            if self.process.poll() is not None:
                break
            try:
                requests.get(f"{self.url}/hub/api", timeout=5).raise_for_status()
                return time.monotonic() - begin
            except requests.RequestException:
                time.sleep(0.2)
        raise RuntimeError("The hub did not start.")

    def stop(self) -> None:
        """End the hub and its proxy; learners' servers go on."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def _config(self) -> str:
        """The classroom's configuration, and what only the trial adds: free ports, and scripts for the browser."""
        self._ports = self._ports or _free_ports(2)
        kept = [name for name in os.environ | self._environment() if name.startswith(KEPT)]
        lines = [
            f"load_subconfig({str(CONFIG)!r})",
            f"c.JupyterHub.hub_port = {self._ports[0]}",
            f"c.ConfigurableHTTPProxy.api_url = 'http://127.0.0.1:{self._ports[1]}'",
            "c.Spawner.args.append('--LabApp.expose_app_in_browser=True')",
            f"c.Spawner.env_keep = {['PATH', 'PYTHONPATH', 'VIRTUAL_ENV', 'LANG', *kept]!r}",
        ]
        return "\n".join(lines) + "\n"

    def _environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        own = {"ANATOMY_HUB": str(self.folder), "ANATOMY_GROUP": GROUP, "ANATOMY_ADDRESS": self.url, "PATH": path}
        return os.environ | own | {"GIT_CONFIG_SYSTEM": str(self.folder / "gitconfig")}


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
