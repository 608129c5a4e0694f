"""List the licence of every pinned package in `docs/licenses.tsv`: `python docs/licenses.py`.

Reads what the installed packages state. A package that states its licence in other words than an
SPDX expression, or none, or that is not installed on this platform, has its row in `STATED`.
`--check` writes nothing and exits with 1 if the list would change. Needs the development tools.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "licenses.tsv"
PIN = re.compile(r"([\w.-]+)==[^\s;]+")
#: Other words for a licence, by its SPDX identifier.
SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "MIT License": "MIT",
    "PSFL": "PSF-2.0",
    "The BSD 2-Clause License": "BSD-2-Clause",
}
#: Read from the licence files of packages whose metadata do not say it.
STATED = {
    "altair": "BSD-3-Clause",
    "colorama": "BSD-3-Clause",
    "cssselect2": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "markdown-it-py": "MIT",
    "mdurl": "MIT",
    "pathspec": "MPL-2.0",
    "pyasn1-modules": "BSD-2-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",
    "pywin32": "PSF-2.0",
    "rispy": "MIT",
    "text-unidecode": "Artistic-1.0-Perl OR GPL-2.0-or-later",
    "tinycss2": "BSD-3-Clause",
    "trove-classifiers": "Apache-2.0",
    "webencodings": "BSD-3-Clause",
}
SPDX = re.compile(r"[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]+)*")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    table = render_table()
    if TABLE.is_file() and TABLE.read_text(encoding="utf-8") == table:
        return 0
    if check:
        print(f"outdated: {TABLE.relative_to(ROOT)}")
        return 1
    TABLE.write_text(table, encoding="utf-8")
    print(f"written: {TABLE.relative_to(ROOT)}")
    return 0


def render_table() -> str:
    rows = ["package\tlicense"]
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        pin = PIN.match(line)
        if pin is not None:
            rows.append(f"{pin[1]}\t{find_license(pin[1])}")
    return "\n".join(rows) + "\n"


def find_license(name: str) -> str:
    """Return the SPDX expression of a package's licence. Raises SystemExit if it is not known."""
    if name in STATED:
        return STATED[name]
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        sys.exit(f"{name} is not installed; read its licence and add a row to STATED.")
    words = (stated.get("License-Expression") or stated.get("License") or "").partition("\n")[0]
    license = SPELLINGS.get(words, words)
    if not SPDX.fullmatch(license.replace("(", "").replace(")", "")):
        sys.exit(f"{name} states {words!r}; read its licence and add a row to STATED.")
    return license


if __name__ == "__main__":
    sys.exit(main())
