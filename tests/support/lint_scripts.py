"""ESLint and Prettier over the views' and the site's scripts; 77 where they are missing: `run_all.py` says skipped.

`make lint` and `make test` fetch both with npm into `.cache/npm`. What they hold is in `eslint.config.mjs` and
`.prettierrc.json`; `tests/anatomy_course/views/test_static.py` holds what they cannot: how long a file, a line, a
`render` may be.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = ROOT / ".cache" / "npm" / "node_modules"
VIEWS = "anatomy_course/views"
SITE = "docs/site/static"
MISSING = 77
"""The exit code of a check that could not be made."""
CHECKS = [
    ["eslint/bin/eslint.js", "--max-warnings=0", VIEWS, SITE],
    [
        "prettier/bin/prettier.cjs",
        "--check",
        "--log-level=warn",
        f"{VIEWS}/*/*.js",
        "tests/support/*.js",
        f"{SITE}/*.js",
        "*.mjs",
    ],
]


def main() -> int:
    """Run both, whatever the first one says; the larger exit code."""
    node = shutil.which("node")
    if node is None or not all((MODULES / check[0]).is_file() for check in CHECKS):
        print("ESLint and Prettier are not here: install Node.js with npm, and `make lint` fetches them.")
        return MISSING
    return max(subprocess.run([node, str(MODULES / name), *rest], cwd=ROOT).returncode for name, *rest in CHECKS)


if __name__ == "__main__":
    raise SystemExit(main())
