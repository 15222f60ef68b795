"""System users for the trial, made and removed again."""

from __future__ import annotations

import pwd
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

GROUP = "anatomy-trial"


@dataclass(frozen=True)
class Account:
    """A learner as the system knows them."""

    name: str
    home: Path
    uid: int
    password: str = field(repr=False)

    @property
    def progress(self) -> Path:
        """The learner's progress file, where the course puts it by itself."""
        return self.home / ".local" / "share" / "transformer-anatomy" / "progress.json"


@contextmanager
def accounts(count: int, homes: Path) -> Iterator[list[Account]]:
    """`count` users with homes of their own under `homes`, members of `GROUP`; all removed in the end.

    Raises:
        ValueError: a user of such a name is there already.
    """
    names = [f"anatomy{number:02}" for number in range(1, count + 1)]
    if taken := [name for name in names if _exists(name)]:
        raise ValueError(f"There are users called {', '.join(taken)} already; remove them or rename them.")
    made: list[Account] = []
    _run("groupadd", GROUP)
    try:
        for name in names:
            home, password = homes / name, secrets.token_urlsafe(12)
            _run("useradd", "--create-home", "--home-dir", str(home), "--gid", GROUP, "--shell", "/bin/bash", name)
            made.append(Account(name, home, pwd.getpwnam(name).pw_uid, password))
            subprocess.run(["chpasswd"], input=f"{name}:{password}\n", text=True, check=True)
            home.chmod(0o700)
        yield made
    finally:
        for name in [each.name for each in made]:
            _remove(name)
        _run("groupdel", GROUP)


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _remove(name: str) -> None:
    """Remove a user; a process that is just ending may hold it for a moment."""
    for _ in range(20):
        if subprocess.run(["userdel", "--remove", name], capture_output=True).returncode in (0, 12):
            return
        time.sleep(0.5)
    _run("userdel", "--remove", "--force", name)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
