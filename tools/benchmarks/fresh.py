"""A fresh Python process: how long something takes in it, and the most memory it ever held."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from typing import NamedTuple

# VmHWM belongs to the new program alone; ru_maxrss may start from what the parent held.
REPORT = """
import json, pathlib, sys, time
start = time.perf_counter()
{script}
seconds = time.perf_counter() - start
status = pathlib.Path("/proc/self/status")
if status.exists():
    peak = next(int(l.split()[1]) for l in status.read_text().splitlines() if l.startswith("VmHWM")) * 1024
else:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(json.dumps([seconds, peak, sorted({{name.partition(".")[0] for name in sys.modules}})]))
"""


class Spent(NamedTuple):
    """What a script cost: seconds and bytes within its process, and the top-level modules that it loaded."""

    seconds: float
    peak: int
    modules: frozenset[str]


def spent(script: str) -> Spent:
    """Run a script in a fresh process, without network for Hugging Face's libraries.

    Raises:
        RuntimeError: it failed; the last line of its complaint.
    """
    code = REPORT.format(script=script)
    quiet = os.environ | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error", "TQDM_DISABLE": "1"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, env=quiet)
    if done.returncode:
        raise RuntimeError(f"{script!r} failed: {done.stderr.strip().splitlines()[-1]}")
    seconds, peak, modules = json.loads(done.stdout.splitlines()[-1])
    return Spent(seconds, peak, frozenset(modules))


def interleaved(scripts: Mapping[str, str], rounds: int) -> dict[str, Spent]:
    """Name → medians over rounds in which the scripts take turns; before several, one more only fills caches."""
    found: dict[str, list[Spent]] = {name: [] for name in scripts}
    warm_up = int(rounds > 1)
    for turn in range(rounds + warm_up):
        for name, script in scripts.items():
            one = spent(script)
            if turn >= warm_up:
                found[name].append(one)
    return {
        name: Spent(
            statistics.median(one.seconds for one in all_of), int(statistics.median(one.peak for one in all_of)),
            all_of[0].modules,
        )
        for name, all_of in found.items()
    }  # fmt: skip
