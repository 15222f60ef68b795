"""The unit tests that depend on what changed since the last commit, by the import graph. `make quick` runs them.

A test file depends on a module when it imports it, or anything that imports it, however far up; and on the module it
is named after. What is found by its file's name at run time (an exercise of the content, a family of the zoo) is in no
graph, so these bring the tests that go through all of them.
"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import grimp

from anatomy_course import _HOME, PACKAGES

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
BY_NAME = {
    "anatomy_course.content": ("anatomy_course/judge/test_proof.py", "anatomy_course/judge/test_answers.py"),
    "anatomy_utils.zoo": (
        "anatomy_utils/taxonomy/test_taxonomy.py",
        "anatomy_utils/zoo/test_family.py",
        "anatomy_utils/zoo/test_references.py",
    ),
}


def changed_files() -> list[Path]:
    """Files that differ from the last commit, new ones too, relative to the project's root."""
    commands = (["git", "diff", "--name-only", "HEAD"], ["git", "ls-files", "--others", "--exclude-standard"])
    lines = [
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout for command in commands
    ]
    return [Path(line) for line in "".join(lines).splitlines()]


def affected_tests(changed: list[Path]) -> list[str]:
    """Arguments for pytest: the test files concerned, and the changed modules themselves for their doctests."""
    options = {"cache_dir": str(ROOT / ".cache" / "grimp"), "exclude_type_checking_imports": True}
    graph = grimp.build_graph(*PACKAGES, **options)
    modules = {module_of(path) for path in changed if path.parts[0] in PACKAGES} & graph.modules
    reached = modules.union(*(graph.find_downstream_modules(module) for module in modules))
    reached -= set(PACKAGES)  # every module is below one of them; that says nothing of it
    wanted = {TESTS.parent / path for path in changed if path.parts[0] == "tests" and path.name.startswith("test_")}
    helpers = {path.stem for path in changed if path.parts[:2] == ("tests", "support")}
    for path in TESTS.rglob("test_*.py"):
        if "browser" not in path.parts and (imports_of(path) & (reached | helpers) or _mirrors(path, modules)):
            wanted.add(path)
    for folder, files in BY_NAME.items():
        if any(module.startswith(folder) for module in modules):
            wanted |= {TESTS / name for name in files}
    files = [ROOT.joinpath(*module.split(".")).with_suffix(".py") for module in modules]
    return sorted(path.relative_to(ROOT).as_posix() for path in {*wanted, *files} if path.is_file())


def expression(changed: list[Path]) -> str:
    """What pytest's `-k` should leave of the tests over all exercises; empty when more than exercises changed."""
    content = Path("anatomy_course", "content")
    if not changed or any(content not in path.parents or path.name.startswith("__") for path in changed):
        return ""
    return " or ".join(sorted(path.stem for path in changed))


def module_of(path: Path) -> str:
    """`anatomy_utils/nn/norm.py` → `anatomy_utils.nn.norm`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path, known: frozenset[Path] = frozenset()) -> set[str]:
    """The modules that a test file imports, also through the helpers beside it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            if node.module == "anatomy_course":
                found |= {f"{node.module}.{_HOME.get(alias.name, alias.name)}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    for name in list(found):
        helper = TESTS / "support" / f"{name}.py"
        if helper.is_file() and helper not in known:
            found |= imports_of(helper, known | {helper})
    return found


def _mirrors(path: Path, modules: set[str]) -> bool:
    """`tests/anatomy_utils/nn/test_norm.py` of `anatomy_utils.nn.norm`, `…/views/test_mixer.py` of `….mixer.view`."""
    folder = list(path.parent.relative_to(TESTS).parts)
    parts = [module.split(".") for module in modules]
    return any(each[: len(folder)] == folder and path.stem[5:] in each[len(folder) :] for each in parts)
