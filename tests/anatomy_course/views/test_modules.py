"""Views' scripts joined into one module: each once and in a scope of its own, and other forms refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from anatomy_course.views._kit import modules
from anatomy_course.views._kit.modules import join

VIEW = "function render() {}\n\nexport default { render };\n"
SHARED = "const SIZE = 2;\n\nexport function size() {\n  return SIZE;\n}\n"


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(modules, "STATIC", tmp_path)
    (tmp_path / "kit.js").write_text(SHARED)
    return tmp_path


def test_each_script_stands_once_before_what_needs_it_and_keeps_its_names(scripts: Path) -> None:
    (scripts / "sheet.css").write_text('a { content: "é"; }\n')
    (scripts / "part.js").write_text('import { size as of } from "./kit.js";\n\nexport const SIZE = of() + 1;\n')
    imports = 'import { SIZE } from "./part.js";\nimport { size } from "./kit.js";\nimport SHEET from "./sheet.css";\n'
    (scripts / "view.js").write_text(f"{imports}\n{VIEW}")
    text, files = join(scripts / "view.js")
    assert [file.name for file in files] == ["kit.js", "part.js", "view.js"]
    assert text.splitlines() == [
        "const kit = (() => {", *SHARED.replace("export ", "").splitlines(), "return { size };", "})();",
        "const part = (() => {", "const { size: of } = kit;", "", "const SIZE = of() + 1;", "return { SIZE };", "})();",
        "const { SIZE } = part;", "const { size } = kit;", r'const SHEET = "a { content: \"é\"; }\n";', "",
        *VIEW.splitlines(),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('import { size } from "./kitt.js";\n', "view.js imports ./kitt.js, and there is no such file"),
        ('import { size, width } from "./kit.js";\n', "view.js imports width, which kit.js does not export"),
        ('import * as kit from "./kit.js";\n', r"view.js says `import \* as kit"),
        ('import { size } from "d3";\n', "view.js says `import { size } from \"d3\";`; what can be joined is"),
        ('import SIZE from "./kit.js";\n', "view.js says `import SIZE from"),
        ("const late = import('./kit.js');\n", r"view.js says `import\('./kit.js'\)"),
        ("export { render };\n", "view.js says `export { render };`"),
        ("export let size = 1;\n", "view.js says `export let size"),
        ("export default render;\n", "view.js says `export default render;`"),
    ],
)  # fmt: skip
def test_other_forms_are_refused_with_one_sentence(scripts: Path, line: str, said: str) -> None:
    (scripts / "view.js").write_text(line + VIEW)
    with pytest.raises(ValueError, match=said):
        join(scripts / "view.js")


def test_scripts_that_import_each_other_are_refused(scripts: Path) -> None:
    (scripts / "one.js").write_text('import { two } from "./two.js";\nexport const one = 1;\n')
    (scripts / "two.js").write_text('import { one } from "./one.js";\nexport const two = 2;\n')
    (scripts / "view.js").write_text('import { one } from "./one.js";\n' + VIEW)
    with pytest.raises(ValueError, match=r"two.js and one.js import each other; move what both need"):
        join(scripts / "view.js")


def test_only_a_view_has_a_default(scripts: Path) -> None:
    (scripts / "other.js").write_text(SHARED + VIEW)
    (scripts / "view.js").write_text('import { size } from "./other.js";\n' + VIEW)
    with pytest.raises(ValueError, match="other.js says `export default { render };`"):
        join(scripts / "view.js")
