"""JupyterHub for a class on one machine. docs/classroom.md says how to set it up; `deploy/try_hub.py` tries it.

    jupyterhub --config deploy/jupyterhub_config.py

Learners are users of this machine, members of one group, who log in with their system password. Each has a server of
their own that runs as that user, with limits on memory and CPU, in their own home folder. Environment variables:

ANATOMY_HUB       the hub's folder: course.git, cache, state                      /srv/anatomy
ANATOMY_COURSE    the repository that learners get and are updated from           course.git in the hub's folder
ANATOMY_GROUP     the system group of those who may log in                        learners
ANATOMY_MEMORY    memory for each learner                                         2G
ANATOMY_CPUS      cores for each learner                                          1
ANATOMY_TASKS     processes and threads for each learner                          1000
ANATOMY_ADDRESS   where the hub listens; a web server with a certificate is in front of it    http://127.0.0.1:8000
ANATOMY_DOMAIN    the hub's public address, such as https://hub.example.org: each learner's server then has a name of
                  its own below it (anna.hub.example.org), so that no learner's pages can act as another's
"""

from __future__ import annotations

import math
import os
import pwd
import resource
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jupyterhub.spawner import LocalProcessSpawner

c: Any = get_config()  # type: ignore[name-defined]

HUB = Path(os.environ.get("ANATOMY_HUB", "/srv/anatomy"))
STATE = HUB / "state"
COURSE = os.environ.get("ANATOMY_COURSE", str(HUB / "course.git"))
CPUS = float(os.environ.get("ANATOMY_CPUS", "1"))
THREADS = max(1, math.ceil(CPUS))
TASKS = int(os.environ.get("ANATOMY_TASKS", "1000"))


class LimitedProcessSpawner(LocalProcessSpawner):
    """A learner's server as a plain process, with limits that need no systemd.

    Memory: each process may have `mem_limit` bytes of data; more raises an error in that process, and nowhere else.
    CPU: the learner's processes run on `cpu_limit` of the cores, rounded up; learners take turns with the cores.
    Tasks: all processes of a learner together may have `TASKS` threads.
    """

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """What the new process does before the server starts: limit itself, then become the learner."""
        become_learner = super().make_preexec_fn(name)
        cores, uid = sorted(os.sched_getaffinity(0)), pwd.getpwnam(name).pw_uid
        number = max(1, math.ceil(self.cpu_limit or len(cores)))
        own = {cores[(uid * number + n) % len(cores)] for n in range(number)}
        memory = int(self.mem_limit or resource.RLIM_INFINITY)

        def limit_and_become_learner() -> None:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            resource.setrlimit(resource.RLIMIT_NPROC, (TASKS, TASKS))
            os.sched_setaffinity(0, own)
            become_learner()

        return limit_and_become_learner


# ---- who may come in

c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {os.environ.get("ANATOMY_GROUP", "learners")}

# ---- the hub and its proxy

STATE.mkdir(mode=0o700, parents=True, exist_ok=True)
c.JupyterHub.bind_url = os.environ.get("ANATOMY_ADDRESS", "http://127.0.0.1:8000")
c.JupyterHub.subdomain_host = os.environ.get("ANATOMY_DOMAIN", "")
c.JupyterHub.db_url = f"sqlite:///{STATE}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(STATE / "proxy.pid")
c.JupyterHub.cleanup_servers = False  # a restarted hub finds the learners' servers, and their kernels, as they were

# ---- a learner's server

# With systemd, a limit holds for all processes of a learner together, and /tmp is each learner's own.
systemd = Path("/run/systemd/system").is_dir() and find_spec("systemdspawner") is not None
c.JupyterHub.spawner_class = "systemdspawner.SystemdSpawner" if systemd else LimitedProcessSpawner
c.SystemdSpawner.isolate_tmp = True
c.SystemdSpawner.unit_extra_properties = {"TasksMax": str(TASKS)}
c.Spawner.mem_limit = os.environ.get("ANATOMY_MEMORY", "2G")
c.Spawner.cpu_limit = CPUS
c.Spawner.start_timeout = 300  # a whole class starts at once
c.Spawner.http_timeout = 300
c.Spawner.notebook_dir = "~"
c.Spawner.environment = {
    "JUPYTER_RUNTIME_DIR": lambda spawner: f"{pwd.getpwnam(spawner.user.name).pw_dir}/.kernels",  # short: see below
    "ANATOMY_COURSE": COURSE,
    "ANATOMY_CACHE": str(HUB / "cache"),
    "OMP_NUM_THREADS": str(THREADS),
    "ANATOMY_SOLUTIONS": os.environ.get("ANATOMY_SOLUTIONS", ""),
}
# The learner's own first process gets the course, then becomes the server.
c.Spawner.cmd = [sys.executable, str(Path(__file__).with_name("start_server.py"))]
c.Spawner.default_url = "/lab/tree/transformer-anatomy/notebooks/00_start_here.ipynb"
package = next(iter(getattr(find_spec("anatomy_course"), "submodule_search_locations", None) or []), "")
c.Spawner.args = [
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.custom_css=True",
    f"--ServerApp.tornado_settings=static_custom_path={package}/views/_kit/page",
    # Where it is installed all the same: a link to it puts any repository anywhere into a learner's home.
    "--ServerApp.jpserver_extensions=nbgitpuller=False",
    # Kernels talk over sockets in the learner's folder: other users of the machine could listen at a port. The path of
    # a socket may have 107 characters.
    "--KernelManager.transport=ipc",
    "--MappingKernelManager.cull_idle_timeout=7200",  # kernels of closed pages end after two idle hours
    "--MappingKernelManager.cull_interval=300",
    "--ServerApp.shutdown_no_activity_timeout=7200",  # and then the server
]
