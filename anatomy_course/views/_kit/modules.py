"""Joins a view's ES modules into the one text that a widget takes: no Node, no bundler, nothing to build.

Each script imports what it uses, by name, so that an editor can follow a call and two scripts may use one name:

    import { slider } from "../_kit/controls.js";

In the joined text each imported script stands once, in front of the first that needs it, as a function whose result
is what it exports, and an import takes names out of that result. A stylesheet is imported as its text.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parents[1]
IMPORT = re.compile(r'^import (?:(\w+)|\{([\w\s,]+)\}) from "(\.{1,2}/[\w./]+(?(1)\.css|\.js))";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.MULTILINE)
ENTRY = "export default { render };\n"
"""How a view's own script ends."""
UNKNOWN = re.compile(r"^(?:import|export)\b.*|\bimport(?:\(|\.meta).*", re.MULTILINE)
KNOWN = (
    '`import { a, b as c } from "./x.js";`, `import TEXT from "./x.css";`, `export` before function, const or class, '
    "and at the end of a view `export default { render };`"
)


def join(entry: Path) -> tuple[str, list[Path]]:
    """A view's script and all that it imports as one module, and the files that are in it, the view's own last.

    Raises:
        ValueError: a script or a name that is imported is not there, two scripts import each other, or an import or
            export has another form than those of `KNOWN`.
    """
    files: dict[Path, None] = {}
    _add(entry.resolve(), files, ())
    *others, own = files
    return "\n".join([*map(_in_its_scope, others), _checked(own, _body(own), ENTRY)]), list(files)


def _add(file: Path, files: dict[Path, None], on_the_way: tuple[Path, ...]) -> None:
    """Put a script behind all that it imports."""
    if file in on_the_way:
        raise ValueError(f"{_named(on_the_way[-1])} and {_named(file)} import each other; move what both need.")
    for other in _imports(file):
        if other not in files:
            _add(other, files, (*on_the_way, file))
    files[file] = None


@cache
def _imports(file: Path) -> list[Path]:
    """The scripts that a script imports from."""
    found = []
    for text, names, source in IMPORT.findall(_read(file)):
        other = (file.parent / source).resolve()
        if not other.is_file():
            raise ValueError(f"{_named(file)} imports {source}, and there is no such file; mend its name.")
        if strange := {name.split()[0] for name in names.split(",") if name.strip()} - _exports(other):
            given = f"{_named(file)} imports {', '.join(sorted(strange))}"
            raise ValueError(f"{given}, which {_named(other)} does not export; export it there, or mend the name.")
        if not text:
            found.append(other)
    return found


@cache
def _in_its_scope(file: Path) -> str:
    """An imported script as a constant: what it exports, by name."""
    exported = ", ".join(sorted(_exports(file)))
    return f"const {_scope(file)} = (() => {{\n{_checked(file, _body(file))}return {{ {exported} }};\n}})();"


def _body(file: Path) -> str:
    """A script whose imports take names out of constants, and whose exports are plain declarations."""
    return EXPORT.sub(r"\1 \2", IMPORT.sub(lambda found: _taken(found, file), _read(file)))


def _checked(file: Path, body: str, end: str = "") -> str:
    if unknown := UNKNOWN.search(body.removesuffix(end)):
        raise ValueError(f"{_named(file)} says `{unknown[0]}`; what can be joined is {KNOWN}.")
    return body


@cache
def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _exports(file: Path) -> set[str]:
    return {name for _, name in EXPORT.findall(_read(file))}


def _taken(found: re.Match[str], file: Path) -> str:
    """What stands in the joined text for an import."""
    text, names, source = found.groups()
    other = (file.parent / source).resolve()
    if text:
        return f"const {text} = {json.dumps(_read(other), ensure_ascii=False)};\n"
    return f"const {{ {' '.join(names.split()).replace(' as ', ': ')} }} = {_scope(other)};\n"


def _scope(file: Path) -> str:
    """`views/_kit/theme.js` → `_kit_theme`."""
    return re.sub(r"\W", "_", _named(file).removesuffix(".js"))


def _named(file: Path) -> str:
    return file.relative_to(STATIC).as_posix() if file.is_relative_to(STATIC) else file.name
