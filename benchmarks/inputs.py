"""The command line of a benchmark and the shared data sets it reads.

The data sets are in the folder `shared/data` beside the checkout, or below the folder that the
environment variable ASSAY_SHARED names. They are never copied into the project.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared") / "data"


def make_parser(module_docstring: str | None) -> argparse.ArgumentParser:
    """Return a parser whose --help prints the docstring as it is written."""
    return argparse.ArgumentParser(
        description=module_docstring, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def require_folder(folder: Path) -> Path:
    """Return the folder, or exit with one line if it is missing."""
    if not folder.is_dir():
        raise SystemExit(
            f"{folder} is not there: this benchmark needs the shared data (set ASSAY_SHARED)."
        )
    return folder


def find_shared_folder(name: str) -> Path:
    """Return a folder of the shared data, or exit with one line if it is missing."""
    return require_folder(SHARED_DATA / name)


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file with one JSON object a line."""
    # Not splitlines(): JSON may hold U+2028 and other marks that it takes for the end of a line.
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)
