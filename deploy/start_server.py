"""What a learner's server does first, as the learner: get the course, or its newest version. Then it is the server.

    python start_server.py ARGUMENTS OF jupyterhub-singleuser

ANATOMY_COURSE names the repository; the learner's copy is ~/transformer-anatomy. What the learner changed is committed
there and merged: where both sides changed a line, the learner's stays. The server starts whatever becomes of it. There
is no address at which a server pulls: with one, any link could put any repository anywhere into a learner's home.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

FOLDER = "transformer-anatomy"
BRANCH = "main"
PATIENCE = 120.0
"""Seconds that one command may take, such as getting the course over a slow network."""
STALE = 600.0
"""Seconds after which a lock of git's is that of a server that was killed."""
AS = ("-c", "user.name=Transformer Anatomy", "-c", "user.email=anatomy@localhost", "-c", "commit.gpgSign=false")


def pull(course: str, copy: Path) -> None:
    """Get the course, or merge its newest version into the learner's copy.

    Raises:
        OSError, ValueError, subprocess.SubprocessError: it could not be done; nothing of the learner's is lost.
    """
    if not copy.exists():
        new = copy.with_name(f".{copy.name}.new")  # so that what was interrupted is no copy
        shutil.rmtree(new, ignore_errors=True)
        _git(copy.parent, "clone", "--quiet", "--branch", BRANCH, "--", course, str(new))
        new.rename(copy)
        return
    if not (copy / ".git").is_dir():
        raise ValueError(f"{copy} is no copy of the course; rename it to get one.")
    lock = copy / ".git" / "index.lock"
    if lock.exists() and time.time() - lock.stat().st_mtime > STALE:
        lock.unlink()
    _git(copy, "fetch", "--quiet", "--", course, BRANCH)
    _git(copy, "reset", "--quiet", "--mixed")  # ends a merge that was interrupted; files stay as they are
    if deleted := _files(copy, "ls-files", "--deleted"):
        _git(copy, "checkout", "--quiet", "HEAD", "--", *deleted)  # who wants a notebook afresh deletes it
    if _files(copy, "diff", "--name-only"):
        _git(copy, *AS, "commit", "--quiet", "--no-verify", "--all", "--message", "What the learner changed")
    for name in _files(copy, "diff", "--name-only", "--no-renames", "--diff-filter=A", "HEAD", "FETCH_HEAD"):
        _make_way(copy, Path(name))
    try:
        _git(copy, *AS, "merge", "--quiet", "--no-edit", "--strategy-option", "ours", "FETCH_HEAD")
    except subprocess.CalledProcessError:
        if not _files(copy, "diff", "--name-only", "--diff-filter=U"):
            raise
        # One side deleted what the other changed: the file stays.
        _git(copy, *AS, "commit", "--quiet", "--no-verify", "--all", "--no-edit")


def _make_way(copy: Path, new: Path) -> None:
    """Rename what the learner has made where the course now has a file, or where that file's folder is to be."""
    for place in (*reversed(new.parents), new):
        own = copy / place
        in_the_way = own.is_symlink() or own.is_file() or (place == new and own.exists())
        if in_the_way and not _files(copy, "ls-files", "--", str(place)):
            own.rename(own.with_name(f"{own.stem}__{time.strftime('%Y%m%d%H%M%S')}{own.suffix}"))


def _git(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1"}
    run = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, timeout=PATIENCE, check=True, stdout=subprocess.PIPE
    )
    return os.fsdecode(run.stdout)


def _files(copy: Path, *arguments: str) -> list[str]:
    return [name for name in _git(copy, *arguments[:1], "-z", *arguments[1:]).split("\0") if name]


if __name__ == "__main__":
    try:
        pull(os.environ["ANATOMY_COURSE"], Path.home() / FOLDER)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"The newest course could not be had, so the learner goes on with what is there: {error}\n")
    # -P: no file in the learner's home is taken for one of Python's own.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "jupyterhub.singleuser", *sys.argv[1:]])
