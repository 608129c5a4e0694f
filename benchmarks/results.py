"""Keeps what the benchmarks measured: `benchmarks/results.json`, each figure with the commit and
the day it was taken.

docs/measurements.md quotes only that file. A benchmark prints its table and calls `record`; nothing
here measures.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results.json"


def record(name: str, figures: Any) -> None:
    """Put these figures under a name, in place of what stood there."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results[name] = {
        "commit": _commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "figures": figures,
    }
    RESULTS.write_text(
        json.dumps(results, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        cwd=RESULTS.parent,
        check=False,
    )
    return found.stdout.strip() or "unknown"


def shared(name: str) -> Path:
    """A folder of the shared data beside the project, or where ASSAY_SHARED says. Exits with one
    line when it is not there.
    """
    folder = (
        Path(os.environ.get("ASSAY_SHARED", Path(__file__).parents[2] / "shared")) / "data" / name
    )
    if not folder.is_dir():
        raise SystemExit(
            f"{folder} is not there: this benchmark needs the shared data (set ASSAY_SHARED)."
        )
    return folder
