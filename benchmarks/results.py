"""The recorded figures: `benchmarks/results.json`, each with its commit, day and machine.

docs/measurements.md and the screens quote only that file. Nothing here measures.
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
    """Store the figures of a benchmark under its name and replace the former ones."""
    results = {}
    if RESULTS.exists():
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    results[name] = {
        "commit": _read_commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "figures": figures,
    }
    text = json.dumps(results, indent=2, sort_keys=True, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")


def _read_commit() -> str:
    """Return the short hash of the checkout, or "unknown" outside Git."""
    git = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        cwd=RESULTS.parent,
        check=False,
    )
    return git.stdout.strip() or "unknown"
