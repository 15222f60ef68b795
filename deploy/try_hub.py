"""Try the classroom on this machine: a hub with learners who run notebook 01 and answer. Then its figures.

    sudo path/to/environment/bin/python deploy/try_hub.py --learners 20

The environment is the hub's (docs/classroom.md), with playwright for the learners in a browser. The script makes system
users (anatomy01, anatomy02, ...), starts a hub on 127.0.0.1 in a temporary folder, and removes all of it in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from trial import checks, measure
from trial.accounts import accounts
from trial.browser import in_a_browser
from trial.hub import Hub
from trial.learner import Kernel, Learner

ROOT = Path(__file__).resolve().parents[1]
MIB = 2**20
LARGE = (
    "import warnings\nwarnings.simplefilter('error')  # a cache that cannot be read is done without, with a warning\n"
    "from anatomy_utils import pretrained\nwriter, words = pretrained.load('smollm2')\n"
    "_ = writer(words(['The animal crossed the street']).input_ids)"
)
"""What notebooks 05 and 10 do with the larger model, in short."""


def say(text: str) -> None:
    """One line, with the time of day."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stdout.flush()


def prepare(folder: Path) -> None:
    """What a teacher prepares once: the course as a bare repository, and the shared cache."""
    folder.chmod(0o755)
    course = folder / "course.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(ROOT), str(course)], check=True)
    subprocess.run(["git", "branch", "--quiet", "--force", "main", "HEAD"], cwd=course, check=True)
    subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/main"], cwd=course, check=True)
    safe = ["git", "config", "--file", str(folder / "gitconfig"), "safe.directory", str(course)]
    subprocess.run(safe, check=True)
    code = "from anatomy_utils import pretrained; pretrained.load('smollm2')"
    own = {"ANATOMY_CACHE": str(folder / "cache")}
    subprocess.run([sys.executable, "-c", code], env=os.environ | own, check=True)


def by_requests(learner: Learner) -> None:
    """A learner without a browser, from the log-in to the third answer."""

    def arrive() -> None:
        learner.log_in()
        learner.start_server()

    learner.timed("log in, server, course", arrive)
    learner.timed("run notebook 01", learner.run_notebook)
    learner.timed("three answers", learner.answer)
    if learner.kernel:
        learner.kernel.close()


def load_large(learner: Learner) -> None:
    """The larger model, in a second kernel without a notebook."""
    made = learner.request("POST", f"{learner.url}/api/kernels", {"name": "python3"})
    made.raise_for_status()
    kernel = Kernel(learner.url, learner.token, made.json()["id"])
    kernel.run(LARGE)
    kernel.close()


@contextmanager
def peak_of(learners: list[Learner]) -> Iterator[measure.Peak]:
    """Measure while something runs."""
    peak = measure.Peak([each.account.uid for each in learners])
    peak.start()
    try:
        yield peak
    finally:
        peak.stop()


def classroom(hub: Hub, learners: list[Learner], browsers: int, large: int, figures: dict[str, Any]) -> None:
    """All that happens in the room; the figures are written into `figures` as they are measured."""
    figures |= {"learners": len(learners), "in a browser": browsers, "cores": os.cpu_count()}
    figures["hub starts, s"] = hub.start()
    pages = learners[:browsers]
    begin = time.monotonic()
    with peak_of(learners) as peak:
        checks.for_all(learners, lambda each: in_a_browser(each) if each in pages else by_requests(each))
    figures["all finished after, s"] = time.monotonic() - begin
    costs = [measure.of_user(each.account.uid) for each in learners]
    figures |= {
        "memory of a learner, MiB: median": statistics.median(cost.memory for cost in costs) / MIB,
        "memory of a learner, MiB: most": max(cost.memory for cost in costs) / MIB,
        "memory of a learner at its peak, MiB: most": max(peak.each.values()) / MIB,
        "memory of all learners at its peak, MiB": peak.together / MIB,
        "memory left on the machine, MiB: least": peak.left / MIB,
        "data of one process, MiB: most": max(cost.data for cost in costs) / MIB,
        "CPU of a learner, s: median": statistics.median(cost.cpu for cost in costs),
        "CPU of a learner, s: most": max(cost.cpu for cost in costs),
    }
    for step in dict.fromkeys(step for each in learners for step in each.seconds):
        took = [each.seconds[step] for each in learners if step in each.seconds]
        figures[f"{step}, s: median"], figures[f"{step}, s: most"] = statistics.median(took), max(took)
    own = hub.process and measure.of_tree(hub.process.pid)
    figures["memory of hub and proxy, MiB"] = own.memory / MIB if own else None
    say(f"{len(learners)} learners have finished.")

    checks.finished(learners)
    say("Each has their own progress: three exercises passed, their own number of tries.")
    checks.apart(learners)
    say("Nobody reaches another's files, server or progress; the cache is read-only.")
    checks.the_course_came_from_the_hub_alone(learners)
    say("The course is the learners' own, and no link brings another.")
    checks.memory_is_limited(learners[-1])
    say("Too large a tensor is an error in one kernel, which goes on.")
    checks.killed_kernel_loses_nothing(learners[-1])
    say("A killed kernel came back and knew what was passed.")
    figures["hub restarts, s"] = checks.restarted_hub_loses_nothing(hub, learners)
    say("A restarted hub found all servers and kernels, with what was in their memory.")
    checks.update_keeps_answers(hub, learners)
    say("The teacher's update arrived, and kept all answers.")
    some = learners[:large]
    if some:
        before = statistics.median(measure.of_user(each.account.uid).memory for each in some)
        checks.for_all(some, load_large)
        after = [measure.of_user(each.account.uid) for each in some]
        more = statistics.median(cost.memory for cost in after) - before
        figures[f"a second kernel with SmolLM2, {len(some)} learners, MiB: median"] = more / MIB
        figures["data of one process with SmolLM2, MiB: most"] = max(cost.data for cost in after) / MIB


def main() -> int:
    """Run the trial; 0 when everything held."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--learners", type=int, default=20)
    parser.add_argument("--browsers", type=int, default=2, help="how many of them use a browser")
    parser.add_argument("--large", type=int, default=5, help="how many of them load SmolLM2 too in the end")
    parser.add_argument("--keep-log", type=Path, help="copy the hub's log to this file in the end")
    options = parser.parse_args()
    if os.getuid() != 0:
        parser.error("only root may make users and start servers for them")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended early; everything is removed."))
    with tempfile.TemporaryDirectory(prefix="anatomy-hub-") as name:
        hub, figures = Hub(Path(name)), dict[str, Any]()
        prepare(hub.folder)
        (hub.folder / "home").mkdir()
        with accounts(options.learners, hub.folder / "home") as users:
            learners = [Learner(user, hub, wrong=number % 3) for number, user in enumerate(users)]
            try:
                classroom(hub, learners, options.browsers, options.large, figures)
                say("All held.")
            except Exception:
                log = (hub.folder / "hub.log").read_text(encoding="utf-8", errors="replace")
                say(f"The end of the hub's log:\n{log[-3000:]}")
                raise
            finally:
                sys.stdout.write(json.dumps(figures, indent=1) + "\n")
                hub.stop()
                measure.end_all([user.uid for user in users])
                if options.keep_log:
                    options.keep_log.write_bytes((hub.folder / "hub.log").read_bytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
